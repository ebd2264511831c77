//! What synchronisation objects of all families have in common. Their state is in parts,
//! each a cell of its own; whether an object was made, or destroyed, is one of them.

use crate::Error;
use crate::access::{Target, Targets};
use crate::calls::{Call, Reply};
use crate::checks::Check;
use crate::compute::words;
use crate::facts::Facts;
use crate::facts::objects::{Content, Object, ObjectId, ObjectKey, SyncPart};
use crate::facts::sync::SyncKind;
use crate::omissions::Omission;
use crate::pass::{Flow, Frame, Pass, State};
use crate::threads::ThreadId;
use crate::validity::Seen;
use formula::TermId;

/// State of a synchronisation object that nobody has touched, is in use, or was
/// destroyed.
const MADE: u128 = 1;

const DESTROYED: u128 = 2;

impl Facts {
    /// Threads that have a part of their own in the object, in order.
    pub(crate) fn threads_with(
        &self,
        targets: &Targets,
        part: impl Fn(ThreadId) -> SyncPart,
    ) -> Vec<ThreadId> {
        (0..self.threads.count())
            .map(|number| ThreadId::from_u32(number as u32))
            .filter(|thread| {
                targets.list.iter().any(|target| {
                    let key = ObjectKey::Sync(target.object, target.offset, part(*thread));
                    self.objects.find(&key).is_some()
                })
            })
            .collect()
    }

    pub(crate) fn part_object(&mut self, target: &Target, part: SyncPart) -> ObjectId {
        let key = ObjectKey::Sync(target.object, target.offset, part);
        if let Some(object) = self.objects.find(&key) {
            return object;
        }
        // Others look for all parts of a kind, and may have looked already.
        self.objects.note_news();
        let data = &self.objects[target.object];
        let (name, owner) = (
            format!("{part:?} of {}+{}", data.name, target.offset),
            data.owner,
        );
        self.objects.make(key.clone(), || Object {
            key,
            size: 4,
            name,
            is_constant: false,
            owner,
            starts_as: Content::Zero,
        })
    }
}

impl<'p> Pass<'p> {
    /// Where the object of a call is.
    pub(crate) fn sync_targets(
        &mut self,
        frame: &Frame,
        call: &Call,
        index: usize,
        kind: SyncKind,
    ) -> Result<Targets, Error> {
        let address = self.argument(call, index);
        let targets = self.resolve(frame, address, 1, false)?;
        for target in &targets.list {
            let first = self
                .facts
                .sync
                .note_kind(target.object, target.offset, kind);
            if first == kind {
                continue;
            }
            self.facts
                .sync
                .note_unreliable(target.object, target.offset);
            if self.options.checks.has(Check::Misuse) {
                let what = format!("one object as {first} and as {kind}");
                return Err(self.unsupported(frame, what));
            }
        }
        Ok(targets)
    }

    /// Begins a step on synchronisation objects that uses these parts of them.
    pub(crate) fn begin_sync(
        &mut self,
        state: &mut State,
        frame: &Frame,
        uses: &[(&Targets, &[SyncPart])],
        part: u32,
    ) -> Result<Option<usize>, Flow> {
        self.begin_waiting(state, frame, uses, part, false)
    }

    /// The same, for a step that may have to wait.
    pub(crate) fn begin_waiting(
        &mut self,
        state: &mut State,
        frame: &Frame,
        uses: &[(&Targets, &[SyncPart])],
        part: u32,
        may_wait: bool,
    ) -> Result<Option<usize>, Flow> {
        // Others may have asked the thread to end.
        let mut is_visible = !self.prologue.is_alone() && self.may_be_cancelled();
        let mut list = Vec::new();
        let mut valid = Vec::new();
        for (targets, parts) in uses {
            for target in &targets.list {
                for part in parts.iter() {
                    let object = self.facts.part_object(target, *part);
                    is_visible |= self.is_visible(object, 0, 4);
                }
            }
            list.extend(targets.list.iter().copied());
            valid.push(targets.valid);
        }
        let valid = self.terms.all(&valid);
        let all = Targets {
            list,
            valid,
            // Whoever waits has looked at the object before.
            seen: match part {
                0 => Seen::AtOnce,
                _ => Seen::Never,
            },
            only_where: None,
        };
        if !is_visible && !self.prologue.is_alone() {
            // Whoever waits for ever is noticed by those who look for deadlocks.
            let is_noticed = may_wait && self.looks_for_deadlocks();
            match self.options.reductions.hiding && !is_noticed {
                true => self.unnoticed_step(frame, state),
                false => is_visible = true,
            }
        }
        let begun = self.begin_step(state, frame, &all, 0, part, is_visible);
        self.note_sync(begun.ok().flatten());
        begun
    }

    pub(crate) fn read_part(
        &mut self,
        state: &State,
        position: Option<usize>,
        targets: &Targets,
        part: SyncPart,
    ) -> TermId {
        let mut value = None;
        for target in targets.list.iter().rev() {
            let object = self.facts.part_object(target, part);
            let here = self.read_at(state, position, object, 0, 4, target.condition);
            value = Some(match value {
                None => here,
                Some(other) => self.terms.ite(target.condition, here, other),
            });
        }
        value.unwrap_or_else(|| self.terms.constant(32, 0))
    }

    pub(crate) fn write_part(
        &mut self,
        state: &mut State,
        position: Option<usize>,
        targets: &Targets,
        part: SyncPart,
        condition: TermId,
        value: TermId,
    ) {
        for target in &targets.list {
            let object = self.facts.part_object(target, part);
            let condition = self.terms.and(target.condition, condition);
            self.write_at(state, position, object, 0, 4, condition, value);
        }
    }

    /// Requires that the object has not been destroyed and, if it has no static
    /// initialiser, that it was made.
    pub(crate) fn require_life(
        &mut self,
        state: &mut State,
        position: Option<usize>,
        targets: &Targets,
        must_be_made: bool,
    ) -> Flow {
        let life = self.read_part(state, position, targets, SyncPart::Life);
        let mut fine = if must_be_made {
            words::is_number(&mut self.terms, life, MADE)
        } else {
            let destroyed = words::is_number(&mut self.terms, life, DESTROYED);
            self.terms.not(destroyed)
        };
        if !must_be_made && self.options.checks.has(Check::Misuse) {
            let is_fresh = words::is_zero(&mut self.terms, life);
            let raw = self.is_raw(state, targets);
            let was_never_made = self.terms.and(is_fresh, raw);
            let was_made = self.terms.not(was_never_made);
            fine = self.terms.and(fine, was_made);
        }
        self.expect(state, Check::Misuse, position, fine)
    }

    /// Whether the memory of an object was never written, so that it cannot have a
    /// static initialiser.
    fn is_raw(&mut self, state: &State, targets: &Targets) -> TermId {
        let mut raw = Vec::new();
        for target in &targets.list {
            let data = &self.facts.objects[target.object];
            if !matches!(data.starts_as, Content::Unknown) {
                continue;
            }
            let size = (data.size - target.offset).min(4);
            let is_written = state.memory.has_written(target.object, target.offset, size)
                || (self.prologue.snapshot()).has_written(target.object, target.offset, size)
                || self.is_visible(target.object, target.offset, size);
            match is_written {
                true => {
                    self.findings.note_omission(Omission::UnwrittenInitialisers);
                }
                false => raw.push(target.condition),
            }
        }
        self.terms.any(&raw)
    }

    /// Makes an object with these parts.
    pub(crate) fn make_sync(
        &mut self,
        state: &mut State,
        frame: &Frame,
        targets: &Targets,
        values: &[(SyncPart, TermId)],
    ) -> Result<Reply, Error> {
        let always = self.truth();
        self.make_sync_where(state, frame, targets, values, always)
    }

    /// The same, if a condition holds. It is a step in any case.
    pub(crate) fn make_sync_where(
        &mut self,
        state: &mut State,
        frame: &Frame,
        targets: &Targets,
        values: &[(SyncPart, TermId)],
        condition: TermId,
    ) -> Result<Reply, Error> {
        if !self.prologue.is_alone() {
            // Somebody may hold it.
            for target in &targets.list {
                self.facts
                    .sync
                    .note_unreliable(target.object, target.offset);
            }
        }
        let mut parts = vec![SyncPart::Life];
        parts.extend(values.iter().map(|(part, _)| *part));
        let looks_for_misuse = self.options.checks.has(Check::Misuse);
        if looks_for_misuse {
            let waiters = self.facts.threads_with(targets, SyncPart::Waiting);
            parts.extend(waiters.into_iter().map(SyncPart::Waiting));
            parts.sort_unstable();
            parts.dedup();
        }
        let Ok(position) = self.begin_sync(state, frame, &[(targets, &parts)], 0) else {
            return Ok(Reply::Never);
        };
        if looks_for_misuse {
            for part in parts.iter().filter(|part| part.is_use()) {
                let value = self.read_part(state, position, targets, *part);
                let is_in_use = self.terms.is_nonzero(value);
                let is_in_use = self.terms.and(is_in_use, condition);
                self.notice(state, Check::Misuse, is_in_use);
            }
        }
        let made = self.int(MADE);
        self.write_part(state, position, targets, SyncPart::Life, condition, made);
        for (part, value) in values {
            self.write_part(state, position, targets, *part, condition, *value);
        }
        self.reply(0)
    }

    /// Ends the use of an object, of which some part must be zero.
    pub(crate) fn destroy_sync(
        &mut self,
        state: &mut State,
        frame: &Frame,
        targets: &Targets,
        idle: &[SyncPart],
        must_be_made: bool,
    ) -> Result<Reply, Error> {
        let mut parts = vec![SyncPart::Life];
        parts.extend(idle);
        let Ok(position) = self.begin_sync(state, frame, &[(targets, &parts)], 0) else {
            return Ok(Reply::Never);
        };
        if self.require_life(state, position, targets, must_be_made) == Flow::Dead {
            return Ok(Reply::Never);
        }
        for part in idle {
            let value = self.read_part(state, position, targets, *part);
            let is_idle = words::is_zero(&mut self.terms, value);
            if self.expect(state, Check::Misuse, position, is_idle) == Flow::Dead {
                return Ok(Reply::Never);
            }
        }
        for target in &targets.list {
            self.facts.sync.note_grave(target.object, target.offset);
        }
        let always = self.truth();
        let destroyed = self.int(DESTROYED);
        self.write_part(state, position, targets, SyncPart::Life, always, destroyed);
        self.reply(0)
    }

    /// Memory is written: what was destroyed there may now be an object with a
    /// static initialiser.
    pub(crate) fn write_graves(
        &mut self,
        state: &mut State,
        position: Option<usize>,
        (object, offset, size): (ObjectId, u64, u64),
        condition: TermId,
    ) {
        for life in self
            .facts
            .sync
            .graves(&self.facts.objects, object, offset, size)
        {
            let old = self.read_at(state, position, life, 0, 4, condition);
            let is_destroyed = words::is_number(&mut self.terms, old, DESTROYED);
            let is_over = self.terms.and(condition, is_destroyed);
            let untouched = self.int(0);
            self.write_at(state, position, life, 0, 4, is_over, untouched);
        }
    }
}
