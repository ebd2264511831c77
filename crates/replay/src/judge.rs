//! Violations: how they are worded, which of them end a run, and the search for
//! data races after each step.

use crate::event::{Effect, Event};
use crate::machine::{Machine, Stop, Unsupported};
use crate::sync::Sync;
use crate::thread::{Access, Frame, Thread};
use crate::violation::{Property, StackEntry, Violation, ViolationKind};
use ir::Location;

impl<'a> Machine<'a> {
    pub(crate) fn location(&self, thread: &Thread) -> Option<Location> {
        let mut frames = thread.frames.iter().rev();
        let frame = frames.next()?;
        let here = self.frame_location(frame);
        // A relay is where it was called from.
        here.or_else(|| frames.next().and_then(|caller| self.frame_location(caller)))
    }

    fn frame_location(&self, frame: &Frame) -> Option<Location> {
        let body = self.image.body(frame.function)?;
        let block = &body.blocks[frame.block];
        match block.insts.get(frame.index) {
            Some(inst) => body.insts[*inst].location,
            None => block.terminator_location,
        }
    }

    pub(crate) fn stack(&self, thread: &Thread) -> Vec<StackEntry> {
        let entries = thread.frames.iter().rev().map(|frame| StackEntry {
            function: self.image.program.functions[frame.function].name.clone(),
            location: self.frame_location(frame),
        });
        entries.collect()
    }

    /// The stack, if the pending step may be part of a race.
    pub(crate) fn accessing_stack(&self, thread: &Thread) -> Vec<StackEntry> {
        if self.config.checks.has(Property::Race) && self.threads.len() > 1 {
            self.stack(thread)
        } else {
            Vec::new()
        }
    }

    pub(crate) fn violation(
        &self,
        thread: &Thread,
        kind: ViolationKind,
        message: String,
    ) -> Violation {
        Violation {
            kind,
            thread: thread.id,
            stack: self.stack(thread),
            message,
            is_error_call: false,
            details: Vec::new(),
            sites: Vec::new(),
            parties: Vec::new(),
            global: None,
        }
    }

    pub(crate) fn fatal(&self, violation: Violation) -> Stop {
        if self.config.checks.has(violation.kind.property()) {
            Stop::Violation(Box::new(violation))
        } else {
            Stop::Undefined(violation.kind)
        }
    }

    pub(crate) fn violated(
        &self,
        thread: &Thread,
        kind: ViolationKind,
        message: impl Into<String>,
    ) -> Stop {
        self.fatal(self.violation(thread, kind, message.into()))
    }

    /// Reports a violation after which the run goes on.
    pub(crate) fn notice(&mut self, thread: &Thread, kind: ViolationKind, message: String) {
        if self.config.checks.has(kind.property()) {
            let violation = self.violation(thread, kind, message);
            self.noticed.push(violation);
        }
    }

    pub(crate) fn unsupported(&self, thread: &Thread, what: impl Into<String>) -> Stop {
        Stop::Unsupported(Unsupported {
            what: what.into(),
            location: self.location(thread),
        })
    }

    /// Two accesses race if one thread has just made the first and the other is
    /// about to make the second: nothing can come between them.
    pub(crate) fn notice_races(&mut self, id: usize, stack: &[StackEntry]) {
        if !self.config.checks.has(Property::Race) {
            return;
        }
        let accesses = std::mem::take(&mut self.accesses);
        let mut found = Vec::new();
        for other in self.threads.iter().filter(|other| !other.is_finished()) {
            for theirs in &other.pending.accesses {
                if let Some(ours) = accesses.iter().find(|ours| ours.races_with(theirs)) {
                    let their_stack = self.stack(other);
                    let (mine, their) = ((id, ours, stack), (other.id, theirs, &*their_stack));
                    found.push(self.race_between(mine, their));
                }
            }
        }
        self.noticed.extend(found);
        self.accesses = accesses;
    }

    /// Two accesses race: who makes each of them, and where.
    pub(crate) fn race_between(
        &self,
        (id, ours, stack): (usize, &Access, &[StackEntry]),
        (other, theirs, their_stack): (usize, &Access, &[StackEntry]),
    ) -> Violation {
        let what = self.place(ours.object, ours.offset, ours.len).path;
        let verb = |access: &Access| match (access.is_atomic, access.is_write) {
            (false, false) => "reads",
            (false, true) => "writes",
            (true, false) => "atomically reads",
            (true, true) => "atomically writes",
        };
        let at = |stack: &[StackEntry]| match stack.first() {
            Some(StackEntry {
                function,
                location: Some(location),
            }) => format!(
                "at {} in {function}",
                self.image.program.describe_location(*location)
            ),
            _ => "at an unknown place".to_owned(),
        };
        let mine = (id, verb(ours), stack.to_vec());
        let other = (other, verb(theirs), their_stack.to_vec());
        let held = |thread: usize| match self.locks_of(thread).as_slice() {
            [] => "without any lock".to_owned(),
            locks => format!("holding {}", locks.join(" and ")),
        };
        // Which of the two came first is chance; report them in source order.
        let place = |stack: &[StackEntry]| stack.first().and_then(|entry| entry.location);
        let (first, second) = if (place(&mine.2), mine.0) <= (place(&other.2), other.0) {
            (mine, other)
        } else {
            (other, mine)
        };
        let mut sites = [&first, &second].map(|(_, verb, stack)| format!("{verb} {}", at(stack)));
        sites.sort();
        Violation {
            kind: ViolationKind::DataRace,
            sites: sites.to_vec(),
            thread: first.0,
            message: format!("data race on {what}"),
            is_error_call: false,
            details: [&first, &second]
                .map(|(thread, verb, stack)| {
                    let calls = self.callers(stack);
                    let held = held(*thread);
                    format!("thread {thread} {verb} it {}{calls}, {held}", at(stack))
                })
                .to_vec(),
            parties: vec![first.2.clone(), second.2],
            global: self.global_name(ours.object),
            stack: first.2,
        }
    }

    /// Who called the function in which something happened.
    fn callers(&self, stack: &[StackEntry]) -> String {
        let callers = stack.iter().skip(1).map(|entry| match entry.location {
            Some(location) => {
                let place = self.image.program.describe_location(location);
                format!(", called at {place} in {}", entry.function)
            }
            None => format!(", called in {}", entry.function),
        });
        callers.collect()
    }

    /// The locks that a thread holds, by name.
    fn locks_of(&self, thread: usize) -> Vec<String> {
        let held = self.sync.iter().filter(|(key, sync)| {
            let is_lock = !matches!(sync, Sync::Once { .. });
            is_lock && self.sync.holders(*key).contains(&thread)
        });
        held.map(|(key, sync)| format!("{} {}", sync.kind().name(), self.place_of(key)))
            .collect()
    }

    pub(crate) fn record(&mut self, thread: &Thread, effect: Effect) {
        if self.trace.is_none() {
            return;
        }
        let event = Event {
            thread: thread.id,
            step: thread.steps,
            stack: self.stack(thread),
            is_atomic_section: thread.atomic_depth > 0,
            effect,
            remark: self.weak.as_mut().and_then(|weak| weak.take_remark()),
        };
        if let Some(trace) = &mut self.trace {
            trace.push(event);
        }
    }
}
