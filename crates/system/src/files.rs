//! Files that have an end: devices and pipes are refused, and so is what is too large,
//! before a byte of it is read.

use std::fs::{File, Metadata};
use std::io::{self, Read};
use std::path::Path;

/// No input of any kind is larger.
pub const MOST_BYTES: u64 = 256 << 20;

/// Whether a path leads to a file that can be read from its beginning to its end.
pub fn check(path: &Path, most: u64) -> io::Result<()> {
    // Not opened before: that a pipe is opened may take for ever.
    check_kind(&std::fs::metadata(path)?, most)?;
    File::open(path).map(drop)
}

/// The bytes of a file.
pub fn read(path: &Path, most: u64) -> io::Result<Vec<u8>> {
    check_kind(&std::fs::metadata(path)?, most)?;
    let file = File::open(path)?;
    // It may be another one by now.
    let metadata = file.metadata()?;
    check_kind(&metadata, most)?;
    let mut bytes = Vec::with_capacity(metadata.len() as usize);
    // Some files say that they are empty, or grow.
    file.take(most + 1).read_to_end(&mut bytes)?;
    match bytes.len() as u64 > most {
        true => Err(too_large(most)),
        false => Ok(bytes),
    }
}

/// The text of a file.
pub fn read_text(path: &Path, most: u64) -> io::Result<String> {
    let bytes = read(path, most)?;
    String::from_utf8(bytes).map_err(|_| {
        io::Error::new(
            io::ErrorKind::InvalidData,
            "stream did not contain valid UTF-8",
        )
    })
}

fn check_kind(metadata: &Metadata, most: u64) -> io::Result<()> {
    if metadata.is_dir() {
        return Err(io::Error::other("is a directory"));
    }
    if !metadata.is_file() {
        return Err(io::Error::other("is not a regular file"));
    }
    match metadata.len() > most {
        true => Err(too_large(most)),
        false => Ok(()),
    }
}

fn too_large(most: u64) -> io::Error {
    io::Error::other(format!("has more than {} MiB", most.div_ceil(1 << 20)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_regular_files_are_read() {
        let refuse = |path: &str| {
            let path = Path::new(path);
            assert!(read(path, MOST_BYTES).is_err(), "{}", path.display());
            assert!(check(path, MOST_BYTES).is_err(), "{}", path.display());
        };
        refuse("/dev/zero");
        refuse("/");
        refuse("/no-such-file");
        let folder = tempfile::tempdir().expect("there should be room");
        let path = folder.path().join("f");
        std::fs::write(&path, "12345").expect("there should be room");
        assert_eq!(read(&path, 5).expect("it is small enough"), b"12345");
        assert!(read(&path, 4).is_err() && check(&path, 4).is_err());
    }
}
