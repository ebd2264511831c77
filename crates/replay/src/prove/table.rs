//! All states that were visited, each once: rows of numbers, packed.
//!
//! It is exact: states are compared number by number. States keep the step that led
//! to each when it was found first. The table is in parts, by the hash of states, so
//! that several may work on it at a time; with one part only, states have the order
//! in which they were found.
//!
//! It grows by pieces, never by being copied as a whole, so that a limit on memory
//! can be held.

use std::sync::{Mutex, MutexGuard, PoisonError};

/// Which state: its part, and its place there in the order in which they were found.
pub(super) type StateId = u32;

/// How a state was found first.
#[derive(Clone, Copy, Debug)]
pub(super) struct Origin {
    /// Itself for a state in which runs begin.
    pub from: StateId,
    pub thread: u16,
    /// Which of the steps that the thread may take there.
    pub choice: u16,
}

pub(super) struct Table {
    parts: Vec<Mutex<Part>>,
    /// How many bits of a state's name say in which part it is.
    bits: u32,
}

#[derive(Default)]
struct Part {
    packed: Bytes,
    /// Where each state is in `packed`.
    rows: Pieces<Row>,
    origins: Pieces<Origin>,
    /// Open addressing: part of the hash, and the state plus one.
    places: Vec<(u32, u32)>,
}

/// How many elements a piece has at most.
const PIECE_BITS: u32 = 16;
const PIECE: usize = 1 << PIECE_BITS;
/// How many bytes a piece of packed states has, unless one state has more.
const BYTES: usize = 1 << 20;

/// A list that grows without being copied.
struct Pieces<T> {
    pieces: Vec<Vec<T>>,
}

impl<T> Default for Pieces<T> {
    fn default() -> Self {
        Pieces { pieces: Vec::new() }
    }
}

impl<T: Copy> Pieces<T> {
    fn len(&self) -> usize {
        match self.pieces.split_last() {
            Some((last, full)) => full.len() * PIECE + last.len(),
            None => 0,
        }
    }

    fn push(&mut self, one: T) {
        match self.pieces.last_mut() {
            Some(last) if last.len() < PIECE => last.push(one),
            _ => self.pieces.push(vec![one]),
        }
    }

    fn get(&self, index: usize) -> T {
        self.pieces[index >> PIECE_BITS][index & (PIECE - 1)]
    }

    fn bytes(&self) -> usize {
        let last = self.pieces.last().map_or(0, Vec::capacity);
        let full = self.pieces.len().saturating_sub(1) * PIECE;
        (full + last) * size_of::<T>()
    }
}

/// Where a packed state begins. It ends where the next one in the same piece begins.
#[derive(Clone, Copy)]
struct Row {
    piece: u32,
    start: u32,
}

#[derive(Default)]
struct Bytes {
    pieces: Vec<Vec<u8>>,
    /// Those of all pieces but the last.
    full: usize,
}

impl Bytes {
    fn push(&mut self, packed: &[u8]) -> Row {
        let has_room = |piece: &Vec<u8>| piece.len() + packed.len() <= BYTES;
        if !self.pieces.last().is_some_and(has_room) {
            self.full += self.pieces.last().map_or(0, Vec::capacity);
            self.pieces.push(Vec::new());
        }
        let piece = self.pieces.len() - 1;
        let start = self.pieces[piece].len();
        self.pieces[piece].extend_from_slice(packed);
        Row {
            piece: piece as u32,
            start: start as u32,
        }
    }

    fn get(&self, row: Row, next: Option<Row>) -> &[u8] {
        let piece = &self.pieces[row.piece as usize];
        let end = match next {
            Some(next) if next.piece == row.piece => next.start as usize,
            _ => piece.len(),
        };
        &piece[row.start as usize..end]
    }

    fn bytes(&self) -> usize {
        self.full + self.pieces.last().map_or(0, Vec::capacity)
    }
}

/// Numbers below this take one byte, below [`MIDDLE`] two, others five.
const SMALL: u32 = 0xc0;
const MIDDLE: u32 = SMALL + (0xff - SMALL) * 0x100;

fn pack(row: &[u32], packed: &mut Vec<u8>) {
    for number in row {
        if *number < SMALL {
            packed.push(*number as u8);
        } else if *number < MIDDLE {
            let above = *number - SMALL;
            packed.push((SMALL + above / 0x100) as u8);
            packed.push(above as u8);
        } else {
            packed.push(0xff);
            packed.extend_from_slice(&number.to_le_bytes());
        }
    }
}

fn unpack(packed: &[u8], row: &mut Vec<u32>) {
    row.clear();
    let mut at = 0;
    while at < packed.len() {
        let first = u32::from(packed[at]);
        if first < SMALL {
            row.push(first);
            at += 1;
        } else if first < 0xff {
            row.push(SMALL + (first - SMALL) * 0x100 + u32::from(packed[at + 1]));
            at += 2;
        } else {
            let mut word = [0; 4];
            word.copy_from_slice(&packed[at + 1..at + 5]);
            row.push(u32::from_le_bytes(word));
            at += 5;
        }
    }
}

fn hash(bytes: &[u8]) -> u64 {
    const MULTIPLIER: u64 = 0x9e37_79b9_7f4a_7c15;
    let mut hash = bytes.len() as u64;
    let mut chunks = bytes.chunks_exact(8);
    for chunk in &mut chunks {
        let mut word = [0; 8];
        word.copy_from_slice(chunk);
        hash = (hash ^ u64::from_le_bytes(word)).wrapping_mul(MULTIPLIER);
        hash ^= hash >> 32;
    }
    let rest = chunks.remainder();
    let mut word = [0; 8];
    word[..rest.len()].copy_from_slice(rest);
    hash = (hash ^ u64::from_le_bytes(word)).wrapping_mul(MULTIPLIER);
    hash ^ hash >> 29
}

/// States that are next to each other in a part.
#[derive(Clone, Copy, Debug)]
pub(super) struct Stretch {
    pub part: usize,
    pub from: usize,
    pub to: usize,
}

impl Table {
    /// A table for so many to work on at a time.
    pub(super) fn new(workers: usize) -> Table {
        let bits = match workers {
            0 | 1 => 0,
            _ => 6,
        };
        Table {
            parts: (0..1 << bits).map(|_| Mutex::default()).collect(),
            bits,
        }
    }

    fn part(&self, part: usize) -> MutexGuard<'_, Part> {
        (self.parts[part].lock()).unwrap_or_else(PoisonError::into_inner)
    }

    fn part_of(&self, id: StateId) -> (MutexGuard<'_, Part>, usize) {
        let part = id & ((1 << self.bits) - 1);
        (self.part(part as usize), (id >> self.bits) as usize)
    }

    pub(super) fn id(&self, part: usize, place: usize) -> StateId {
        (place << self.bits | part) as StateId
    }

    pub(super) fn len(&self) -> usize {
        let parts = 0..self.parts.len();
        parts.map(|part| self.part(part).rows.len()).sum()
    }

    /// States for which there are names.
    pub(super) fn capacity(&self) -> usize {
        (u32::MAX - (1 << 27)) as usize
    }

    pub(super) fn bytes(&self) -> usize {
        let parts = 0..self.parts.len();
        parts.map(|part| self.part(part).bytes()).sum()
    }

    /// The same when the next part has grown.
    pub(super) fn next_bytes(&self) -> usize {
        let parts = 0..self.parts.len();
        let growth = parts.map(|part| self.part(part).growth()).max();
        self.bytes() + growth.unwrap_or(0)
    }

    pub(super) fn get(&self, id: StateId, row: &mut Vec<u32>) {
        let (part, place) = self.part_of(id);
        unpack(part.packed(place), row);
    }

    pub(super) fn origin(&self, id: StateId) -> Origin {
        let (part, place) = self.part_of(id);
        part.origins.get(place)
    }

    /// The states that have been found since `seen` was right, which it is then.
    pub(super) fn new_states(&self, seen: &mut Vec<usize>) -> Vec<Stretch> {
        seen.resize(self.parts.len(), 0);
        let mut new = Vec::new();
        for (part, from) in seen.iter_mut().enumerate() {
            let to = self.part(part).rows.len();
            if *from < to {
                new.push(Stretch {
                    part,
                    from: *from,
                    to,
                });
                *from = to;
            }
        }
        new
    }

    /// Adds a state unless it is there; true if it is new. The buffer is for its use.
    pub(super) fn insert(
        &self,
        row: &[u32],
        origin: Option<Origin>,
        buffer: &mut Vec<u8>,
    ) -> (StateId, bool) {
        buffer.clear();
        pack(row, buffer);
        let hash = hash(buffer);
        let part = (hash >> 20) as usize & (self.parts.len() - 1);
        let mut known = self.part(part);
        let (place, is_new) = known.insert(hash, buffer);
        let id = self.id(part, place);
        if is_new {
            known.origins.push(origin.unwrap_or(Origin {
                from: id,
                thread: 0,
                choice: 0,
            }));
        }
        (id, is_new)
    }
}

impl Part {
    fn bytes(&self) -> usize {
        self.packed.bytes()
            + self.rows.bytes()
            + self.origins.bytes()
            + size_of::<(u32, u32)>() * self.places.capacity()
    }

    /// What it takes to make the places more.
    fn growth(&self) -> usize {
        2 * size_of::<(u32, u32)>() * self.places.len()
    }

    fn packed(&self, place: usize) -> &[u8] {
        let next = (place + 1 < self.rows.len()).then(|| self.rows.get(place + 1));
        self.packed.get(self.rows.get(place), next)
    }

    /// The place of a state, and whether it is new.
    fn insert(&mut self, hash: u64, packed: &[u8]) -> (usize, bool) {
        if 3 * self.places.len() < 4 * (self.rows.len() + 1) {
            self.grow();
        }
        let (mask, part) = (self.places.len() - 1, (hash >> 32) as u32);
        let mut at = hash as usize & mask;
        loop {
            let (known, place) = self.places[at];
            if place == 0 {
                break;
            }
            if known == part && self.packed(place as usize - 1) == packed {
                return (place as usize - 1, false);
            }
            at = (at + 1) & mask;
        }
        let place = self.rows.len();
        let row = self.packed.push(packed);
        self.rows.push(row);
        self.places[at] = (part, place as u32 + 1);
        (place, true)
    }

    fn grow(&mut self) {
        let count = (2 * self.places.len()).max(256);
        let mut places = vec![(0, 0); count];
        for place in 0..self.rows.len() {
            let hash = hash(self.packed(place));
            let mut at = hash as usize & (count - 1);
            while places[at].1 != 0 {
                at = (at + 1) & (count - 1);
            }
            places[at] = ((hash >> 32) as u32, place as u32 + 1);
        }
        self.places = places;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_come_back_as_they_were() {
        let rows = [
            vec![],
            vec![0],
            vec![0, 0],
            vec![SMALL - 1, SMALL, SMALL + 0x100, MIDDLE - 1],
            vec![MIDDLE, u32::MAX, 7],
            vec![1; 2 * BYTES],
        ];
        for workers in 1..3 {
            let table = Table::new(workers);
            let (mut read, mut buffer) = (Vec::new(), Vec::new());
            for row in &rows {
                let (id, is_new) = table.insert(row, None, &mut buffer);
                assert!(is_new);
                assert_eq!(table.insert(row, None, &mut buffer), (id, false));
                assert_eq!(table.origin(id).from, id);
                table.get(id, &mut read);
                assert_eq!(read, *row);
            }
        }
    }

    #[test]
    fn many_rows_are_told_apart() {
        for workers in 1..3 {
            let table = Table::new(workers);
            let mut buffer = Vec::new();
            let mut insert =
                |number: u32| table.insert(&[number % 300, number / 300], None, &mut buffer);
            let count = 3 * PIECE as u32;
            let ids: Vec<StateId> = (0..count).map(|number| insert(number).0).collect();
            assert_eq!(table.len(), count as usize);
            for (number, id) in (0..).zip(&ids) {
                assert_eq!(insert(number), (*id, false));
            }
        }
    }

    #[test]
    fn new_states_are_told_once() {
        let table = Table::new(2);
        let (mut seen, mut buffer) = (Vec::new(), Vec::new());
        for number in 0..1000 {
            table.insert(&[number], None, &mut buffer);
        }
        let count = |new: Vec<Stretch>| new.iter().map(|new| new.to - new.from).sum::<usize>();
        assert_eq!(count(table.new_states(&mut seen)), 1000);
        assert_eq!(count(table.new_states(&mut seen)), 0);
        table.insert(&[1000], None, &mut buffer);
        assert_eq!(count(table.new_states(&mut seen)), 1);
    }

    #[test]
    fn several_may_add_the_same_states() {
        let table = Table::new(2);
        let add = || {
            let mut buffer = Vec::new();
            let numbers = 0..20_000u32;
            let added = numbers.map(|number| table.insert(&[number], None, &mut buffer).1);
            added.filter(|is_new| *is_new).count()
        };
        let new = std::thread::scope(|scope| {
            let other = scope.spawn(add);
            add() + other.join().expect("it does not fail")
        });
        assert_eq!(new, 20_000);
        assert_eq!(table.len(), 20_000);
    }
}
