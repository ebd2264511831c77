//! What a path learns from the conditions on it.
//!
//! Programs choose an input and then rule out most of its values: they call
//! `abort` or assume something. The input itself stays a wide word; but the
//! variable that holds it may, from there on, hold a word with few values that is
//! equal to it. Indices become exact that way, and formulas small.

use crate::pass::{Frame, Pass, State};
use formula::Terms;
use formula::{Range, Term, TermId};
use std::collections::BTreeMap;
use std::rc::Rc;

/// Ranges of variables on a path, narrower than their own.
pub(crate) type Bounds = Rc<BTreeMap<TermId, Range>>;

/// What holds on both of two paths.
pub(crate) fn common(a: &Bounds, b: &Bounds) -> Bounds {
    if Rc::ptr_eq(a, b) {
        return a.clone();
    }
    let both = a.iter().filter_map(|(word, range)| {
        let other = b.get(word)?;
        Some((*word, range.join(other)))
    });
    Rc::new(both.collect())
}

/// A word is worth replacing if this few values are left.
const WORTHWHILE: u128 = 64;

impl<'p> Pass<'p> {
    /// Takes note that a condition holds on this path.
    pub(crate) fn learn(&mut self, state: &mut State, frame: &Frame, condition: TermId) {
        if !self.options.reductions.learning {
            return;
        }
        let conjuncts = match self.terms.term(condition) {
            Term::And(list) => self.terms.list(list).to_vec(),
            _ => vec![condition],
        };
        let mut narrowed: Vec<(TermId, Range)> = Vec::new();
        for conjunct in conjuncts {
            let Some((word, range)) = bound_of(&self.terms, conjunct) else {
                continue;
            };
            let known = state.bounds.get(&word);
            let known = known.unwrap_or_else(|| self.terms.range(word));
            if let Some(both) = known.intersect(&range) {
                Rc::make_mut(&mut state.bounds).insert(word, both.clone());
                narrowed.retain(|(other, _)| *other != word);
                narrowed.push((word, both));
            }
        }
        for (word, range) in narrowed {
            let unsigned = range.unsigned().end() - range.unsigned().start();
            let signed = range.signed().end().abs_diff(*range.signed().start());
            if unsigned.min(signed) >= WORTHWHILE
                || self.values.reach(&self.terms, word).exact().is_some()
            {
                continue;
            }
            let held: Vec<_> = frame
                .locals
                .iter()
                .copied()
                .filter(|object| state.memory.holds(*object, word))
                .collect();
            if held.is_empty() {
                continue;
            }
            let copy = self.terms.new_variable_in("narrowed", range);
            for object in held {
                state.memory.replace(object, word, copy);
            }
            // Whatever else the copy could be is no run of the program.
            let differs = self.terms.different(word, copy);
            self.exclude(state, differs);
        }
    }
}

/// The values of a variable for which a condition holds.
pub(crate) fn bound_of(terms: &Terms, condition: TermId) -> Option<(TermId, Range)> {
    let (atom, is_true) = match terms.term(condition) {
        Term::Not(inner) => (inner, false),
        _ => (condition, true),
    };
    let is_variable = |id: TermId| matches!(terms.term(id), Term::Variable(_));
    match terms.term(atom) {
        Term::Equal(a, b) if is_true => {
            let (word, value) = match terms.as_constant(b) {
                Some(value) => (a, value),
                None => (b, terms.as_constant(a)?),
            };
            let width = terms.width(word);
            is_variable(word).then(|| (word, Range::constant(width, value)))
        }
        Term::SignedLess(a, b) => {
            let width = terms.width(a);
            let (least, most) = (-(1i128 << (width - 1)), (1i128 << (width - 1)) - 1);
            let signed = |value: u128| {
                let shift = 128 - width;
                (value << shift) as i128 >> shift
            };
            let (word, bounds) = match (terms.as_constant(a), terms.as_constant(b)) {
                (None, Some(limit)) if is_true => (a, (least, signed(limit).checked_sub(1)?)),
                (None, Some(limit)) => (a, (signed(limit), most)),
                (Some(limit), None) if is_true => (b, (signed(limit).checked_add(1)?, most)),
                (Some(limit), None) => (b, (least, signed(limit))),
                _ => return None,
            };
            let fits = bounds.0 <= bounds.1 && width < 128;
            (fits && is_variable(word))
                .then(|| (word, Range::from_signed(width, bounds.0..=bounds.1)))
        }
        Term::UnsignedLess(a, b) => {
            let width = terms.width(a);
            if width == 128 {
                return None;
            }
            let most = (1u128 << width) - 1;
            let (word, bounds) = match (terms.as_constant(a), terms.as_constant(b)) {
                (None, Some(limit)) if is_true => (a, (0, limit.checked_sub(1)?)),
                (None, Some(limit)) => (a, (limit, most)),
                (Some(limit), None) if is_true => (b, (limit + 1, most)),
                (Some(limit), None) => (b, (0, limit)),
                _ => return None,
            };
            (bounds.0 <= bounds.1 && is_variable(word))
                .then(|| (word, Range::from_unsigned(width, bounds.0..=bounds.1)))
        }
        _ => None,
    }
}
