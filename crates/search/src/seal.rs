//! Seals on files that are believed when they are read again: checkpoints and
//! results of slices. Whoever can change such a file can change a verdict, unless
//! it carries a digest that only those can make who have the key.

use serde::Serialize;

/// What seals are made with.
#[derive(Clone, PartialEq, Eq)]
pub struct Key([u8; 32]);

/// What is wrong with a seal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SealError {
    #[error("it has no seal, although there is a key")]
    Missing,
    #[error("its seal does not fit: it was changed, or sealed with another key")]
    Wrong,
}

impl Key {
    /// From a secret of any length.
    pub fn of(secret: &[u8]) -> Key {
        Key(blake3::derive_key("threadbare seal 1", secret))
    }

    /// The seal of some content, which must always be written in the same way.
    pub fn seal(&self, content: &impl Serialize) -> serde_json::Result<String> {
        let text = serde_json::to_vec(content)?;
        Ok(blake3::keyed_hash(&self.0, &text).to_hex().to_string())
    }

    /// Whether a seal belongs to some content.
    pub fn check(&self, content: &impl Serialize, seal: Option<&str>) -> Result<(), SealError> {
        let seal = seal.ok_or(SealError::Missing)?;
        let given = blake3::Hash::from_hex(seal).map_err(|_| SealError::Wrong)?;
        let text = serde_json::to_vec(content).map_err(|_| SealError::Wrong)?;
        // Hashes are compared in constant time.
        match blake3::keyed_hash(&self.0, &text) == given {
            true => Ok(()),
            false => Err(SealError::Wrong),
        }
    }
}

/// Keys are not for logs.
impl std::fmt::Debug for Key {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Key(..)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_same_content_and_key_fit() {
        let (key, other) = (Key::of(b"one"), Key::of(b"two"));
        let seal = key.seal(&vec![1, 2, 3]).expect("should be sealed");
        assert_eq!(key.check(&vec![1, 2, 3], Some(&seal)), Ok(()));
        let wrong = Err(SealError::Wrong);
        assert_eq!(key.check(&vec![1, 2, 4], Some(&seal)), wrong);
        assert_eq!(other.check(&vec![1, 2, 3], Some(&seal)), wrong);
        assert_eq!(key.check(&vec![1, 2, 3], Some("00")), wrong);
        assert_eq!(key.check(&vec![1, 2, 3], None), Err(SealError::Missing));
    }
}
