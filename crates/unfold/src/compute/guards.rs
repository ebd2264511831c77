//! Guards as conjunctions: what two of them have in common.

use formula::{Term, TermId, Terms};

pub(crate) fn conjuncts(terms: &Terms, guard: TermId) -> Vec<TermId> {
    match terms.term(guard) {
        Term::And(list) => terms.list(list).to_vec(),
        Term::Bool(true) => Vec::new(),
        _ => vec![guard],
    }
}

/// Both guards without what they have in common: what they share, what is left
/// of the first, what is left of the second.
pub(crate) fn factor(terms: &mut Terms, a: TermId, b: TermId) -> (TermId, TermId, TermId) {
    let (a, b) = (conjuncts(terms, a), conjuncts(terms, b));
    let (common, rest): (Vec<_>, Vec<_>) = a.iter().partition(|term| b.contains(term));
    let other: Vec<_> = b
        .iter()
        .copied()
        .filter(|term| !common.contains(term))
        .collect();
    (terms.all(&common), terms.all(&rest), terms.all(&other))
}
