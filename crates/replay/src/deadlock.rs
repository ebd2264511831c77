//! Deadlocks: states in which threads wait for what cannot come.

use crate::machine::{Machine, Stop};
use crate::sync::Sync;
use crate::thread::{Thread, Wait};
use crate::violation::{Property, Violation, ViolationKind};

impl<'a> Machine<'a> {
    /// No thread can step although some are unfinished: the violation, if it was
    /// asked for.
    pub fn deadlock(&self) -> Option<Stop> {
        let first = self.threads.iter().find(|thread| !thread.is_finished())?;
        if !self.is_dead() {
            return None;
        }
        let message = "deadlock: no thread can go on".to_owned();
        let involved = self.threads.iter().filter(|thread| !thread.is_finished());
        let violation = self.dead_end(first, message, involved.map(|thread| &**thread));
        Some(self.fatal(violation))
    }

    /// Whether every thread has ended or waits.
    fn is_dead(&self) -> bool {
        // A thread that loops for ever could, for all we know, still do something.
        let mut threads = self.threads.iter();
        self.exit_code.is_none()
            && threads.all(|thread| thread.is_finished() || self.is_waiting(thread))
    }

    fn is_waiting(&self, thread: &Thread) -> bool {
        !thread.is_finished()
            && !thread.is_stuck()
            && !self.is_enabled(thread.id)
            && !self.may_be_helped(thread)
    }

    fn dead_end<'t>(
        &self,
        first: &Thread,
        message: String,
        involved: impl Iterator<Item = &'t Thread>,
    ) -> Violation {
        let mut violation = self.violation(first, ViolationKind::Deadlock, message);
        for thread in involved {
            violation.details.push(self.describe_wait(thread));
            violation.parties.push(self.stack(thread));
            violation.sites.push(match self.location(thread) {
                Some(location) => self.image.program.describe_location(location),
                None => String::new(),
            });
        }
        violation.sites.sort();
        violation
    }

    /// Reports threads that wait for each other while others can go on. Whoever has
    /// just stepped is one of them, or else it was so before.
    pub(crate) fn notice_cycle(&mut self, id: usize) {
        if !self.config.partial_deadlocks
            || !self.config.checks.has(Property::Deadlock)
            || self.threads.len() < 2
            || self.exit_code.is_some()
            || self.is_dead()
        {
            return;
        }
        let mut cycle = self.cycle_through(id);
        cycle.sort_unstable();
        let Some(first) = cycle.first() else {
            return;
        };
        let message = match cycle.as_slice() {
            [only] => format!("deadlock: thread {only} waits for itself"),
            [others @ .., last] => {
                let others: Vec<String> = others.iter().map(ToString::to_string).collect();
                let others = others.join(", ");
                format!("deadlock: threads {others} and {last} wait for each other")
            }
            [] => return,
        };
        let involved = cycle.iter().map(|id| &*self.threads[*id]);
        let violation = self.dead_end(&self.threads[*first], message, involved);
        self.noticed.push(violation);
    }

    /// The threads on a shortest cycle through a thread; none if there is none.
    fn cycle_through(&self, id: usize) -> Vec<usize> {
        let mut paths = vec![vec![id]];
        let mut index = 0;
        while index < paths.len() {
            let path = paths[index].clone();
            index += 1;
            for blocker in path.last().map_or(Vec::new(), |last| self.blockers(*last)) {
                if blocker == id {
                    return path;
                }
                if !paths.iter().any(|path| path.last() == Some(&blocker)) {
                    let mut longer = path.clone();
                    longer.push(blocker);
                    paths.push(longer);
                }
            }
        }
        Vec::new()
    }

    /// Threads each of which must do something before a thread can go on.
    fn blockers(&self, id: usize) -> Vec<usize> {
        let thread = &self.threads[id];
        if !self.is_waiting(thread) {
            return Vec::new();
        }
        match &thread.pending.wait {
            Wait::Mutex(key) | Wait::ReadLock(key) | Wait::WriteLock(key) | Wait::Spin(key) => {
                self.sync.holders(*key)
            }
            Wait::Condition {
                condition,
                mutex,
                is_timed,
            } => {
                let is_waiting = matches!(self.sync.get(*condition),
                    Some(Sync::Condition { waiters }) if waiters.contains(&id));
                match is_waiting && !is_timed && !self.config.surroundings.spurious_wakeups {
                    true => Vec::new(),
                    false => self.sync.holders(*mutex),
                }
            }
            Wait::Join(target) => vec![*target],
            // Anybody may post, arrive or finish.
            Wait::Nothing
            | Wait::Semaphore(_)
            | Wait::Barrier(_)
            | Wait::Once(_)
            | Wait::Files(_)
            | Wait::Futex { .. } => Vec::new(),
        }
    }
}
