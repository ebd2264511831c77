//! Locks that a thread certainly holds: accesses of two threads under a common
//! lock cannot race, and need not be looked at.
//!
//! Only what holds on every path counts: a lock that may be one of several, or
//! that is only tried, is not held. To forget a lock is always right.

use crate::access::Targets;
use crate::facts::objects::ObjectId;
use crate::pass::{Pass, State};
use std::collections::BTreeMap;
use std::rc::Rc;

/// Where a lock is.
pub(crate) type Lock = (ObjectId, u64);

/// Whether others may hold the lock at the same time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Grip {
    Shared,
    Alone,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Held {
    locks: Rc<BTreeMap<Lock, Grip>>,
}

impl Held {
    fn take(&mut self, lock: Lock, grip: Grip) {
        let old = Rc::make_mut(&mut self.locks).entry(lock).or_insert(grip);
        *old = grip.max(*old);
    }

    fn give(&mut self, lock: Lock) {
        if self.locks.contains_key(&lock) {
            Rc::make_mut(&mut self.locks).remove(&lock);
        }
    }

    /// What is held on both paths.
    pub(crate) fn merge(&mut self, other: &Held) {
        if Rc::ptr_eq(&self.locks, &other.locks) {
            return;
        }
        let common = |(lock, grip): (&Lock, &Grip)| {
            let theirs = other.locks.get(lock)?;
            Some((*lock, *grip.min(theirs)))
        };
        self.locks = Rc::new(self.locks.iter().filter_map(common).collect());
    }

    /// Whether two threads cannot hold all of this at the same time.
    pub(crate) fn excludes(&self, other: &Held) -> bool {
        self.locks.iter().any(|(lock, grip)| {
            let theirs = other.locks.get(lock);
            theirs.is_some_and(|theirs| *grip.max(theirs) == Grip::Alone)
        })
    }

    /// Leaves out locks that cannot be relied on.
    pub(crate) fn retain(&mut self, is_reliable: impl Fn(&Lock) -> bool) {
        if !self.locks.keys().all(&is_reliable) {
            Rc::make_mut(&mut self.locks).retain(|lock, _| is_reliable(lock));
        }
    }
}

impl<'p> Pass<'p> {
    /// The thread holds the lock from now on.
    pub(crate) fn note_lock(&self, state: &mut State, targets: &Targets, grip: Grip) {
        if let [target] = targets.list.as_slice()
            && self.terms.as_bool(target.condition) == Some(true)
        {
            state.held.take((target.object, target.offset), grip);
        }
    }

    /// It may not hold the lock any more.
    pub(crate) fn note_unlock(&self, state: &mut State, targets: &Targets) {
        for target in &targets.list {
            state.held.give((target.object, target.offset));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Grip, Held};
    use crate::facts::objects::ObjectId;

    fn held(locks: &[(u32, Grip)]) -> Held {
        let mut held = Held::default();
        for (object, grip) in locks {
            held.take((ObjectId::from_u32(*object), 0), *grip);
        }
        held
    }

    #[test]
    fn a_common_lock_excludes_unless_both_share_it() {
        let check = |a: &[(u32, Grip)], b: &[(u32, Grip)], expected: bool| {
            assert_eq!(held(a).excludes(&held(b)), expected, "{a:?} {b:?}");
            assert_eq!(held(b).excludes(&held(a)), expected, "{b:?} {a:?}");
        };
        check(&[(1, Grip::Alone)], &[(1, Grip::Alone)], true);
        check(&[(1, Grip::Alone)], &[(1, Grip::Shared)], true);
        check(&[(1, Grip::Shared)], &[(1, Grip::Shared)], false);
        check(&[(1, Grip::Alone)], &[(2, Grip::Alone)], false);
        check(
            &[(1, Grip::Alone), (2, Grip::Alone)],
            &[(2, Grip::Shared)],
            true,
        );
        check(&[], &[(1, Grip::Alone)], false);
    }

    #[test]
    fn only_what_is_held_on_both_paths_stays() {
        let mut merged = held(&[(1, Grip::Alone), (2, Grip::Alone), (3, Grip::Shared)]);
        merged.merge(&held(&[
            (2, Grip::Shared),
            (3, Grip::Shared),
            (4, Grip::Alone),
        ]));
        assert_eq!(merged, held(&[(2, Grip::Shared), (3, Grip::Shared)]));
    }
}
