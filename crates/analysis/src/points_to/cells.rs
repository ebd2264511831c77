//! Where in an object: offsets, the bytes that an access touches, and which
//! accesses touch the same bytes.

/// The offsets `start + k * stride` for every integer `k`. A stride of 0 stands
/// for `start` alone, a stride of 1 for any offset.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Offsets {
    /// Less than the stride, unless that is 0.
    pub start: i64,
    pub stride: u64,
}

/// Longer than any object. Two of them can be added.
pub(super) const ENDLESS: u64 = (i64::MAX / 4) as u64;

impl Offsets {
    pub const ANY: Offsets = Offsets {
        start: 0,
        stride: 1,
    };

    pub fn exactly(start: i64) -> Offsets {
        Offsets { start, stride: 0 }
    }

    pub fn strided(start: i64, stride: u64) -> Offsets {
        // Strides that no object is large enough for do not reach anything else.
        match i64::try_from(stride) {
            Ok(0) | Err(_) => Offsets::exactly(start),
            Ok(modulus) => Offsets {
                start: start.rem_euclid(modulus),
                stride,
            },
        }
    }

    pub fn is_exact(self) -> bool {
        self.stride == 0
    }

    /// All offsets of `self`, moved by `bytes` and any multiple of `stride`.
    pub fn moved(self, bytes: i64, stride: u64) -> Offsets {
        Offsets::strided(self.start.wrapping_add(bytes), gcd(self.stride, stride))
    }

    /// Whether every offset of `other` is one of `self`.
    pub fn covers(self, other: Offsets) -> bool {
        match self.stride {
            0 => self == other,
            stride => {
                other.stride.is_multiple_of(stride)
                    && Offsets::strided(other.start, stride).start == self.start
            }
        }
    }
}

/// The bytes of an object that an access through one pointer may touch: `bytes`
/// of them from any of the offsets on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Cell {
    pub at: Offsets,
    pub bytes: u64,
}

impl Cell {
    pub(super) const ALL: Cell = Cell {
        at: Offsets::ANY,
        bytes: 1,
    };

    pub(super) fn overlaps(self, other: Cell) -> bool {
        let distance = i128::from(self.at.start) - i128::from(other.at.start);
        let (own, others) = (i128::from(self.bytes), i128::from(other.bytes));
        match gcd(self.at.stride, other.at.stride) {
            0 => -own < distance && distance < others,
            stride => {
                let distance = distance.rem_euclid(i128::from(stride));
                distance < others || i128::from(stride) - distance < own
            }
        }
    }
}

pub(super) fn gcd(mut a: u64, mut b: u64) -> u64 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cell(start: i64, stride: u64, bytes: u64) -> Cell {
        Cell {
            at: Offsets::strided(start, stride),
            bytes,
        }
    }

    #[test]
    fn exact_cells_overlap_when_they_share_bytes() {
        assert!(cell(0, 0, 8).overlaps(cell(4, 0, 4)));
        assert!(cell(4, 0, 4).overlaps(cell(0, 0, 8)));
        assert!(!cell(0, 0, 8).overlaps(cell(8, 0, 8)));
        assert!(!cell(8, 0, 8).overlaps(cell(0, 0, 8)));
    }

    #[test]
    fn strided_cells_overlap_modulo_their_common_stride() {
        // Members at 0 and 8 of elements of 16 bytes.
        assert!(!cell(0, 16, 8).overlaps(cell(8, 16, 8)));
        assert!(cell(0, 16, 8).overlaps(cell(32, 0, 8)));
        assert!(!cell(0, 16, 8).overlaps(cell(40, 0, 8)));
        // Strides of 16 and 24 meet at every multiple of 8.
        assert!(cell(0, 16, 8).overlaps(cell(8, 24, 8)));
        assert!(!cell(0, 16, 4).overlaps(cell(4, 24, 4)));
        // The last bytes of one element reach into the next.
        assert!(cell(12, 16, 8).overlaps(cell(0, 16, 1)));
        assert!(Cell::ALL.overlaps(cell(1000, 0, 1)));
    }

    /// By brute force, on all small cells.
    #[test]
    fn overlap_is_what_it_says() {
        let touched = |cell: Cell| {
            let starts = (-60..60).filter(move |at| cell.at.covers(Offsets::exactly(*at)));
            starts.flat_map(move |at| at..at + cell.bytes as i64)
        };
        for (start, stride, bytes) in [(0, 0, 4), (3, 0, 1), (1, 4, 2), (2, 6, 1), (5, 10, 3)] {
            for other_start in 0..12 {
                for other_stride in [0, 2, 3, 4, 6, 12] {
                    let one = cell(start, stride, bytes);
                    let other = cell(other_start, other_stride, 2);
                    let expected = touched(one).any(|at| touched(other).any(|other| other == at));
                    assert_eq!(one.overlaps(other), expected, "{one:?} {other:?}");
                    assert_eq!(other.overlaps(one), expected, "{one:?} {other:?}");
                }
            }
        }
    }

    #[test]
    fn moves_and_covers() {
        let member = Offsets::exactly(8).moved(0, 24);
        assert_eq!(member, Offsets::strided(8, 24));
        assert!(member.covers(Offsets::exactly(56)));
        assert!(!member.covers(Offsets::exactly(48)));
        assert!(Offsets::ANY.covers(member));
        assert!(!member.covers(Offsets::ANY));
        assert_eq!(member.moved(-32, 0), Offsets::strided(0, 24));
        assert_eq!(member.moved(4, 16), Offsets::strided(4, 8));
    }
}
