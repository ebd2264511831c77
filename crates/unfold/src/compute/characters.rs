//! Classes of characters in the "C" locale, as conditions on bytes.

use formula::{TermId, Terms};

/// Whether a number is a `char`, signed or not.
pub(crate) fn is_character(terms: &mut Terms, number: TermId) -> TermId {
    let (least, most) = (
        terms.constant(32, -128i32 as u32 as u128),
        terms.constant(32, 255),
    );
    let not_below = terms.signed_less_equal(least, number);
    let not_above = terms.signed_less_equal(number, most);
    terms.and(not_below, not_above)
}

pub(crate) fn is_in(terms: &mut Terms, byte: TermId, ranges: &[(u8, u8)]) -> TermId {
    let mut hits = Vec::new();
    for (first, last) in ranges {
        let first = terms.constant(8, u128::from(*first));
        let last = terms.constant(8, u128::from(*last));
        let not_below = terms.unsigned_less_equal(first, byte);
        let not_above = terms.unsigned_less_equal(byte, last);
        hits.push(terms.and(not_below, not_above));
    }
    terms.any(&hits)
}

/// White space, as the functions that read numbers skip it.
pub(crate) fn is_space(terms: &mut Terms, byte: TermId) -> TermId {
    is_in(terms, byte, &[(9, 13), (32, 32)])
}

pub(crate) fn lower_case(terms: &mut Terms, byte: TermId) -> TermId {
    let is_upper = is_in(terms, byte, &[(65, 90)]);
    let distance = terms.constant(8, 32);
    let changed = terms.add(byte, distance);
    terms.ite(is_upper, changed, byte)
}

pub(crate) fn upper_case(terms: &mut Terms, byte: TermId) -> TermId {
    let is_lower = is_in(terms, byte, &[(97, 122)]);
    let distance = terms.constant(8, 32);
    let changed = terms.sub(byte, distance);
    terms.ite(is_lower, changed, byte)
}
