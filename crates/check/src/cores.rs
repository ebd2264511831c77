//! Who may work: as many at a time as there are cores. The one policy by which
//! engines share them.
//!
//! Whoever works holds a *place*; there is one for each core. When a place is free, it
//! goes to the engine that has had the least time for its weight; of those that had the
//! same, to the first of the list in [`ranks`], for whom a place is kept in the beginning.
//! An engine that can pause gives way as soon as it is ahead of one that waits. One that
//! cannot may say how long it is going to work: that counts in advance.
//!
//! `bounded` begins: its first questions are small, and their violations are the easiest
//! to understand. All its time counts as it is. What others do is weighed by what they
//! may still be good for:
//!
//! - `explore` counts as much for some seconds, which is enough for a million states and
//!   more; after that three times, since what it has not closed by then it often never
//!   does, while deep violations need all the time there is.
//! - `order` closes what it can close in a fraction of a second in most cases, and finds
//!   few violations in long threads. So its time counts as it is for half a second, and
//!   eight times after that.
//!
//! Under a weak memory model only `order` looks at all runs. It begins then, and all its
//! time counts as it is.
//!
//! Which engine had how much time depends on the clock; nothing else does.

use crate::engines::Name;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// How far an engine may be ahead before it gives way.
const AHEAD: Duration = Duration::from_millis(200);
/// How an engine's time counts that may not be good for much: as it is up to a point, and
/// so many times after that.
struct Promise {
    until: Duration,
    later: u32,
}

const OF_EXPLORE: Promise = Promise {
    until: Duration::from_secs(8),
    later: 3,
};
const OF_ORDER: Promise = Promise {
    until: Duration::from_millis(500),
    later: 8,
};
/// Whoever waits looks again after this time at the latest.
const PAUSE: Duration = Duration::from_millis(50);

pub(crate) struct Cores<'t> {
    state: Mutex<State>,
    changed: Condvar,
    /// It is all over: nobody waits any more.
    stop: &'t AtomicBool,
}

/// Who begins, if several wait that had no time yet.
fn ranks(is_weak: bool) -> [Name; 4] {
    match is_weak {
        false => [Name::Bounded, Name::Explore, Name::Order, Name::Sample],
        true => [Name::Order, Name::Bounded, Name::Explore, Name::Sample],
    }
}

struct State {
    /// There are runs that only `order` looks at.
    is_weak: bool,
    free: usize,
    /// Time that engines have had, those of their threads together.
    had: BTreeMap<Name, Duration>,
    /// Those who wait, in the order in which they came.
    waiting: Vec<Waiting>,
    next_ticket: u64,
    /// For whom a place is kept, and until when, come what may.
    kept: Option<(Name, Instant)>,
}

#[derive(Clone, Copy)]
struct Waiting {
    ticket: u64,
    name: Name,
    /// How long it is going to work without a pause, as far as that counts in advance.
    turn: Duration,
}

impl State {
    /// What counts of the time that an engine has had, and of some more.
    fn counted(&self, name: Name, more: Duration) -> Duration {
        let had = self.had.get(&name).copied().unwrap_or_default() + more;
        let promise = match name {
            Name::Bounded | Name::Sample => return had,
            Name::Order if self.is_weak => return had,
            Name::Order => OF_ORDER,
            Name::Explore => OF_EXPLORE,
        };
        had + (promise.later - 1) * had.saturating_sub(promise.until)
    }

    /// Whose turn it is.
    fn next(&self) -> Option<u64> {
        let ranks = ranks(self.is_weak);
        let rank = |name: Name| ranks.iter().position(|other| *other == name);
        let urgency = |one: &&Waiting| {
            let counted = self.counted(one.name, one.turn);
            (counted, rank(one.name), one.ticket)
        };
        Some(self.waiting.iter().min_by_key(urgency)?.ticket)
    }

    /// Whether there is a place for an engine.
    fn has_place(&self, name: Name) -> bool {
        let is_kept = |(other, end)| other != name && Instant::now() < end;
        self.free > usize::from(self.kept.is_some_and(is_kept))
    }
}

impl<'t> Cores<'t> {
    /// Cores for some engines, under a weak memory model or not.
    pub(crate) fn new(
        cores: usize,
        engines: &[Name],
        is_weak: bool,
        stop: &'t AtomicBool,
    ) -> Cores<'t> {
        let first = (ranks(is_weak).into_iter()).find(|name| engines.contains(name));
        Cores {
            state: Mutex::new(State {
                is_weak,
                free: cores.max(1),
                had: BTreeMap::new(),
                waiting: Vec::new(),
                next_ticket: 0,
                kept: first.map(|name| (name, Instant::now() + PAUSE)),
            }),
            changed: Condvar::new(),
            stop,
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits for a place. When all is over, everybody gets one, to see that.
    pub(crate) fn place(&self, name: Name) -> Place<'_> {
        self.place_for(name, Duration::ZERO)
    }

    /// The same for who is going to work so long without a pause.
    pub(crate) fn place_for(&self, name: Name, turn: Duration) -> Place<'_> {
        self.wait(name, turn);
        Place {
            cores: self,
            name,
            since: Instant::now(),
        }
    }

    fn wait(&self, name: Name, turn: Duration) {
        let mut state = self.lock();
        let ticket = state.next_ticket;
        state.next_ticket += 1;
        state.waiting.push(Waiting { ticket, name, turn });
        while !self.stop.load(Ordering::Relaxed) {
            if state.has_place(name) && state.next() == Some(ticket) {
                break;
            }
            let waited = self.changed.wait_timeout(state, PAUSE);
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
        state.waiting.retain(|other| other.ticket != ticket);
        state.free = state.free.saturating_sub(1);
        state.kept = state.kept.filter(|(other, _)| *other != name);
        drop(state);
        self.changed.notify_all();
    }

    /// The time that an engine has had.
    pub(crate) fn had(&self, name: Name) -> Duration {
        self.lock().had.get(&name).copied().unwrap_or_default()
    }
}

/// A core to work on, until it is dropped.
pub(crate) struct Place<'c> {
    cores: &'c Cores<'c>,
    name: Name,
    since: Instant,
}

impl Place<'_> {
    /// Lets others work who are behind, and waits for a place again.
    pub(crate) fn give_way(&mut self) {
        let mut state = self.cores.lock();
        let now = Instant::now();
        *state.had.entry(self.name).or_default() += now - self.since;
        self.since = now;
        let own = state.counted(self.name, Duration::ZERO);
        let mut others = (state.waiting.iter()).filter(|other| other.name != self.name);
        let is_ahead = others.any(|other| state.counted(other.name, other.turn) + AHEAD < own);
        drop(state);
        if !is_ahead {
            return;
        }
        self.leave();
        self.cores.wait(self.name, Duration::ZERO);
        self.since = Instant::now();
    }

    fn leave(&mut self) {
        let mut state = self.cores.lock();
        *state.had.entry(self.name).or_default() += self.since.elapsed();
        state.free += 1;
        drop(state);
        self.cores.changed.notify_all();
    }
}

impl Drop for Place<'_> {
    fn drop(&mut self) {
        self.leave();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn state(had: &[(Name, u64)], waiting: &[Name]) -> State {
        State {
            is_weak: false,
            free: 1,
            had: (had.iter())
                .map(|(name, seconds)| (*name, Duration::from_secs(*seconds)))
                .collect(),
            waiting: (0..)
                .zip(waiting)
                .map(|(ticket, name)| Waiting {
                    ticket,
                    name: *name,
                    turn: Duration::ZERO,
                })
                .collect(),
            next_ticket: waiting.len() as u64,
            kept: None,
        }
    }

    #[test]
    fn who_had_the_least_comes_next() {
        let check = |had: &[(Name, u64)], waiting: &[Name], expected: u64| {
            assert_eq!(
                state(had, waiting).next(),
                Some(expected),
                "{had:?} {waiting:?}"
            );
        };
        let both = [Name::Explore, Name::Bounded];
        check(&[], &both, 1);
        check(&[(Name::Bounded, 1)], &both, 0);
        check(&[(Name::Bounded, 8), (Name::Explore, 7)], &both, 0);
        // After its first seconds, the explorer's time counts more.
        check(&[(Name::Bounded, 12), (Name::Explore, 11)], &both, 1);
        check(&[(Name::Bounded, 20), (Name::Explore, 11)], &both, 0);
        check(&[], &[Name::Bounded, Name::Bounded], 0);
        // That of the encoding by order does so sooner.
        let all = [Name::Order, Name::Explore, Name::Bounded];
        check(&[], &all, 2);
        check(&[(Name::Bounded, 1)], &all, 1);
        check(&[(Name::Bounded, 1), (Name::Explore, 1)], &all, 0);
        let had = |seconds| [(Name::Bounded, seconds), (Name::Order, 1)];
        check(&had(4), &[Name::Order, Name::Bounded], 1);
        check(&had(5), &[Name::Order, Name::Bounded], 0);
    }

    #[test]
    fn whoever_looks_at_all_runs_begins() {
        let waiting = [Name::Bounded, Name::Explore, Name::Order];
        let mut weak = state(&[], &waiting);
        weak.is_weak = true;
        assert_eq!(weak.next(), Some(2));
        let both = [Name::Order, Name::Bounded];
        let mut weak = state(&[(Name::Order, 9), (Name::Bounded, 10)], &both);
        weak.is_weak = true;
        assert_eq!(weak.next(), Some(0));
    }

    #[test]
    fn long_turns_count_in_advance() {
        let both = [Name::Order, Name::Bounded];
        let mut state = state(&[(Name::Bounded, 1)], &both);
        assert_eq!(state.next(), Some(0));
        state.waiting[0].turn = Duration::from_millis(500);
        assert_eq!(state.next(), Some(0));
        state.waiting[0].turn = Duration::from_secs(1);
        assert_eq!(state.next(), Some(1));
    }

    #[test]
    fn a_place_is_kept_for_the_first() {
        let stop = AtomicBool::new(false);
        let cores = Cores::new(2, &[Name::Explore, Name::Bounded], false, &stop);
        let explore = cores.place(Name::Explore);
        assert!(!cores.lock().has_place(Name::Explore));
        assert!(cores.lock().has_place(Name::Bounded));
        drop(cores.place(Name::Bounded));
        assert!(cores.lock().has_place(Name::Explore));
        drop(explore);
        // Nobody waits for ever for one that does not come.
        let cores = Cores::new(1, &[Name::Explore, Name::Bounded], false, &stop);
        drop(cores.place(Name::Explore));
    }

    #[test]
    fn there_are_as_many_at_work_as_there_are_cores() {
        let stop = AtomicBool::new(false);
        let cores = Cores::new(2, &[], false, &stop);
        let at_work = std::sync::atomic::AtomicUsize::new(0);
        std::thread::scope(|scope| {
            for name in [Name::Bounded, Name::Explore, Name::Bounded, Name::Sample] {
                let (cores, at_work) = (&cores, &at_work);
                scope.spawn(move || {
                    for _ in 0..200 {
                        let mut place = cores.place(name);
                        assert!(at_work.fetch_add(1, Ordering::SeqCst) < 2);
                        at_work.fetch_sub(1, Ordering::SeqCst);
                        place.give_way();
                        assert!(at_work.fetch_add(1, Ordering::SeqCst) < 2);
                        at_work.fetch_sub(1, Ordering::SeqCst);
                    }
                });
            }
        });
        assert_eq!(cores.lock().free, 2);
    }

    #[test]
    fn nobody_waits_when_all_is_over() {
        let stop = AtomicBool::new(true);
        let cores = Cores::new(1, &[], false, &stop);
        let first = cores.place(Name::Bounded);
        drop(cores.place(Name::Explore));
        drop(first);
    }
}
