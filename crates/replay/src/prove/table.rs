//! All states that were visited, each once: rows of numbers, packed.
//!
//! It is exact: states are compared number by number. States keep the order in
//! which they were found, and the step that led to each.

/// Which state, in the order in which they were found.
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

#[derive(Default)]
pub(super) struct Table {
    packed: Vec<u8>,
    /// Where each state ends in `packed`.
    ends: Vec<u64>,
    origins: Vec<Origin>,
    /// Open addressing: part of the hash, and the state plus one.
    places: Vec<(u32, u32)>,
    buffer: Vec<u8>,
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

impl Table {
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    pub fn bytes(&self) -> usize {
        self.packed.capacity()
            + 8 * self.ends.capacity()
            + 8 * self.origins.capacity()
            + 8 * self.places.capacity()
    }

    fn packed(&self, id: StateId) -> &[u8] {
        let id = id as usize;
        let start = match id {
            0 => 0,
            _ => self.ends[id - 1] as usize,
        };
        &self.packed[start..self.ends[id] as usize]
    }

    pub fn get(&self, id: StateId, row: &mut Vec<u32>) {
        unpack(self.packed(id), row);
    }

    pub fn origin(&self, id: StateId) -> Origin {
        self.origins[id as usize]
    }

    /// Adds a state unless it is there; true if it is new.
    pub fn insert(&mut self, row: &[u32], origin: Option<Origin>) -> (StateId, bool) {
        if 3 * self.places.len() < 4 * (self.len() + 1) {
            self.grow();
        }
        let mut buffer = std::mem::take(&mut self.buffer);
        buffer.clear();
        pack(row, &mut buffer);
        let hash = hash(&buffer);
        let (mask, part) = (self.places.len() - 1, (hash >> 32) as u32);
        let mut at = hash as usize & mask;
        let found = loop {
            let (known, place) = self.places[at];
            if place == 0 {
                break None;
            }
            if known == part && self.packed(place - 1) == buffer {
                break Some(place - 1);
            }
            at = (at + 1) & mask;
        };
        if let Some(known) = found {
            self.buffer = buffer;
            return (known, false);
        }
        let id = self.ends.len() as StateId;
        self.packed.extend_from_slice(&buffer);
        self.ends.push(self.packed.len() as u64);
        self.origins.push(origin.unwrap_or(Origin {
            from: id,
            thread: 0,
            choice: 0,
        }));
        self.places[at] = (part, id + 1);
        self.buffer = buffer;
        (id, true)
    }

    fn grow(&mut self) {
        let count = (2 * self.places.len()).max(1024);
        let mut places = vec![(0, 0); count];
        for id in 0..self.ends.len() {
            let hash = hash(self.packed(id as StateId));
            let mut at = hash as usize & (count - 1);
            while places[at].1 != 0 {
                at = (at + 1) & (count - 1);
            }
            places[at] = ((hash >> 32) as u32, id as u32 + 1);
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
        ];
        let mut table = Table::default();
        for row in &rows {
            assert!(table.insert(row, None).1);
            assert!(!table.insert(row, None).1);
        }
        let mut read = Vec::new();
        for (id, row) in rows.iter().enumerate() {
            table.get(id as StateId, &mut read);
            assert_eq!(read, *row);
        }
    }

    #[test]
    fn many_rows_are_told_apart() {
        let mut table = Table::default();
        for number in 0..20_000u32 {
            assert!(table.insert(&[number % 300, number / 300], None).1);
        }
        for number in 0..20_000u32 {
            assert_eq!(
                table.insert(&[number % 300, number / 300], None),
                (number, false)
            );
        }
    }
}
