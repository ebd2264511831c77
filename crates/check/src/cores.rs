//! Who may work: as many at a time as there are cores. The one policy by which
//! engines share them.
//!
//! Whoever works holds a *place*; there is one for each core. `bounded` begins: its
//! first questions are small, and their violations are the easiest to understand. When
//! a place is free, it goes to the engine that has had the least time for its weight.
//! An engine that can pause gives way as soon as it is ahead of one that waits.
//!
//! `explore` and `order` weigh as much as `bounded` until they have had some seconds, which is
//! enough for a million states and more; after that a third, since what they have not
//! closed by then they often never do, while deep violations need all the time there
//! is. Which engine had how much time depends on the clock; nothing else does.

use crate::engines::Name;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// How far an engine may be ahead before it gives way.
const AHEAD: Duration = Duration::from_millis(200);
/// How long `explore` and `order` count as much as `bounded`.
const PROMISING: Duration = Duration::from_secs(8);
/// How many times as much their time counts after that.
const LATER: u32 = 3;
/// Whoever waits looks again after this time at the latest.
const PAUSE: Duration = Duration::from_millis(50);

pub(crate) struct Cores<'t> {
    state: Mutex<State>,
    changed: Condvar,
    /// It is all over: nobody waits any more.
    stop: &'t AtomicBool,
}

struct State {
    free: usize,
    /// Time that engines have had, those of their threads together.
    had: BTreeMap<Name, Duration>,
    /// Those who wait, in the order in which they came.
    waiting: Vec<(u64, Name)>,
    next_ticket: u64,
}

impl State {
    /// What counts of the time that an engine has had.
    fn counted(&self, name: Name) -> Duration {
        let had = self.had.get(&name).copied().unwrap_or_default();
        match name {
            Name::Bounded | Name::Sample => had,
            Name::Explore | Name::Order => had + (LATER - 1) * had.saturating_sub(PROMISING),
        }
    }

    /// Whose turn it is.
    fn next(&self) -> Option<u64> {
        let waiting = self.waiting.iter();
        let next = waiting.min_by_key(|(ticket, name)| (self.counted(*name), *name, *ticket));
        next.map(|(ticket, _)| *ticket)
    }
}

impl<'t> Cores<'t> {
    pub(crate) fn new(cores: usize, stop: &'t AtomicBool) -> Cores<'t> {
        Cores {
            state: Mutex::new(State {
                free: cores.max(1),
                had: BTreeMap::new(),
                waiting: Vec::new(),
                next_ticket: 0,
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
        self.wait(name);
        Place {
            cores: self,
            name,
            since: Instant::now(),
        }
    }

    fn wait(&self, name: Name) {
        let mut state = self.lock();
        let ticket = state.next_ticket;
        state.next_ticket += 1;
        state.waiting.push((ticket, name));
        while (state.free == 0 || state.next() != Some(ticket))
            && !self.stop.load(Ordering::Relaxed)
        {
            let waited = self.changed.wait_timeout(state, PAUSE);
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
        state.waiting.retain(|(other, _)| *other != ticket);
        state.free = state.free.saturating_sub(1);
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
        let own = state.counted(self.name);
        let mut others = state.waiting.iter().filter(|(_, name)| *name != self.name);
        let is_ahead = others.any(|(_, name)| state.counted(*name) + AHEAD < own);
        drop(state);
        if !is_ahead {
            return;
        }
        self.leave();
        self.cores.wait(self.name);
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
            free: 1,
            had: (had.iter())
                .map(|(name, seconds)| (*name, Duration::from_secs(*seconds)))
                .collect(),
            waiting: (0..).zip(waiting.iter().copied()).collect(),
            next_ticket: waiting.len() as u64,
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
    }

    #[test]
    fn there_are_as_many_at_work_as_there_are_cores() {
        let stop = AtomicBool::new(false);
        let cores = Cores::new(2, &stop);
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
        let cores = Cores::new(1, &stop);
        let first = cores.place(Name::Bounded);
        drop(cores.place(Name::Explore));
        drop(first);
    }
}
