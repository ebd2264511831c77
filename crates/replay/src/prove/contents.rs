//! Contents of slots, each kept once, by number; and the slots themselves. Shared by
//! all who visit states, each of whom has a copy of the list to look things up in
//! without asking the others.
//!
//! Numbers and slots are only ever added. A copy may be behind: whoever is given a
//! state that somebody else has found refreshes it first.

use super::components::Slot;
use crate::machine::UnknownCall;
use std::collections::HashMap;
use std::hash::{BuildHasher, BuildHasherDefault, DefaultHasher};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, RwLock};

/// One content.
#[derive(Clone)]
pub(super) struct Content {
    pub words: Arc<[u64]>,
    /// The threads that it names.
    pub names: Arc<[usize]>,
    /// The names of open inputs that it has, as a set of bits.
    pub opens: u32,
    /// Whatever is to be known of it at once.
    pub mark: u32,
    /// The same for the same words, whoever comes first.
    pub fingerprint: u64,
}

/// What is to become a content.
#[derive(Clone, Copy, Default)]
pub(super) struct Written<'w> {
    pub words: &'w [u64],
    pub names: &'w [usize],
    pub opens: u32,
}

impl Content {
    fn absent() -> Content {
        Content {
            words: Arc::from([]),
            names: Arc::from([]),
            opens: 0,
            mark: 0,
            fingerprint: 0,
        }
    }
}

struct Known {
    numbers: HashMap<Arc<[u64]>, u32>,
    contents: Vec<Content>,
    bytes: usize,
}

/// All contents of one kind. The first stands for what is not there.
struct Store(RwLock<Known>);

impl Default for Store {
    fn default() -> Self {
        Store(RwLock::new(Known {
            numbers: HashMap::new(),
            contents: vec![Content::absent()],
            bytes: 0,
        }))
    }
}

impl Store {
    fn known(&self, words: &[u64]) -> Option<u32> {
        let known = self.0.read().unwrap_or_else(PoisonError::into_inner);
        known.numbers.get(words).copied()
    }

    fn number(&self, written: &Written, mark: u32) -> u32 {
        let Written {
            words,
            names,
            opens,
        } = *written;
        let mut known = self.0.write().unwrap_or_else(PoisonError::into_inner);
        if let Some(number) = known.numbers.get(words) {
            return *number;
        }
        let number = known.contents.len() as u32;
        let words: Arc<[u64]> = words.into();
        known.bytes += 8 * words.len() + 8 * names.len() + 160;
        known.contents.push(Content {
            words: words.clone(),
            names: names.into(),
            opens,
            mark,
            fingerprint: BuildHasherDefault::<DefaultHasher>::default().hash_one(&words),
        });
        known.numbers.insert(words, number);
        number
    }

    fn bytes(&self) -> usize {
        let known = self.0.read().unwrap_or_else(PoisonError::into_inner);
        known.bytes
    }
}

/// All contents, and all slots with the contents that they have at first.
#[derive(Default)]
pub(super) struct Contents {
    threads: Store,
    syncs: Store,
    objects: Store,
    rests: Store,
    headers: Store,
    opens: Store,
    slots: Mutex<Vec<(Slot, u32)>>,
    /// Calls of unknown functions, for runs that depend on one.
    pub unknown: OnceLock<Vec<UnknownCall>>,
}

impl Contents {
    pub(super) fn bytes(&self) -> usize {
        let stores = [
            &self.threads,
            &self.syncs,
            &self.objects,
            &self.rests,
            &self.headers,
            &self.opens,
        ];
        stores.iter().map(|store| store.bytes()).sum()
    }

    pub(super) fn slots(&self) -> MutexGuard<'_, Vec<(Slot, u32)>> {
        self.slots.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn copy(&self) -> Copy<'_> {
        Copy {
            threads: Interner::new(&self.threads),
            syncs: Interner::new(&self.syncs),
            objects: Interner::new(&self.objects),
            rests: Interner::new(&self.rests),
            headers: Interner::new(&self.headers),
            opens: Interner::new(&self.opens),
        }
    }
}

/// What somebody knows of all contents.
pub(super) struct Copy<'s> {
    pub threads: Interner<'s>,
    pub syncs: Interner<'s>,
    pub objects: Interner<'s>,
    pub rests: Interner<'s>,
    pub headers: Interner<'s>,
    pub opens: Interner<'s>,
}

impl Copy<'_> {
    pub(super) fn refresh(&mut self) {
        self.threads.refresh();
        self.syncs.refresh();
        self.objects.refresh();
        self.rests.refresh();
        self.headers.refresh();
        self.opens.refresh();
    }

    /// Memory for the copy itself, roughly.
    pub(super) fn bytes(&self) -> usize {
        let counts = [
            &self.threads,
            &self.syncs,
            &self.objects,
            &self.rests,
            &self.headers,
            &self.opens,
        ];
        let count: usize = counts.iter().map(|known| known.contents.len()).sum();
        size_of::<Content>() * count
    }
}

/// Contents of one kind, as far as somebody knows them.
pub(super) struct Interner<'s> {
    store: &'s Store,
    contents: Vec<Content>,
}

impl<'s> Interner<'s> {
    fn new(store: &'s Store) -> Self {
        let mut interner = Interner {
            store,
            contents: Vec::new(),
        };
        interner.refresh();
        interner
    }

    fn refresh(&mut self) {
        let known = self.store.0.read().unwrap_or_else(PoisonError::into_inner);
        let new = &known.contents[self.contents.len()..];
        self.contents.extend_from_slice(new);
    }

    pub(super) fn number(&mut self, written: &Written) -> u32 {
        self.marked_number(written, || 0)
    }

    /// The number of a content; `mark` is asked for if it is new.
    pub(super) fn marked_number(&mut self, written: &Written, mark: impl FnOnce() -> u32) -> u32 {
        let number = match self.store.known(written.words) {
            Some(number) => number,
            None => self.store.number(written, mark()),
        };
        if number as usize >= self.contents.len() {
            self.refresh();
        }
        number
    }

    pub(super) fn get(&self, number: u32) -> &Content {
        &self.contents[number as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_agree_on_numbers() {
        let contents = Contents::default();
        let (mut one, mut other) = (contents.copy(), contents.copy());
        let written = |words, names| Written {
            words,
            names,
            opens: 0,
        };
        let first = one.threads.number(&written(&[1, 2], &[7]));
        let second = other.threads.number(&written(&[3], &[]));
        assert_ne!(first, second);
        assert_eq!(other.threads.number(&written(&[1, 2], &[7])), first);
        assert_eq!(&*other.threads.get(first).names, &[7]);
        one.refresh();
        assert_eq!(&*one.threads.get(second).words, &[3]);
    }
}
