//! Once controls, and the guards that C++ has for local statics.

use crate::Error;
use crate::access::Targets;
use crate::calls::{Call, Reply};
use crate::compute::words;
use crate::facts::objects::SyncPart;
use crate::facts::sync::SyncKind;
use crate::pass::{Flow, Frame, Pass, State};
use crate::races::Noting;
use ir::Ordering;
use library::Once;

/// States of a once control.
const FRESH: u128 = 0;

const RUNNING: u128 = 1;

const DONE: u128 = 2;

impl<'p> Pass<'p> {
    pub(crate) fn once_model(
        &mut self,
        state: &mut State,
        frame: &mut Frame,
        op: Once,
        call: &Call,
    ) -> Result<Reply, Error> {
        let targets = self.sync_targets(frame, call, 0, SyncKind::Once)?;
        match op {
            Once::Once => {}
            Once::GuardAcquire => return self.acquire_guard(state, frame, &targets),
            Once::GuardRelease => return self.leave_guard(state, frame, &targets, DONE),
            Once::GuardAbort => return self.leave_guard(state, frame, &targets, FRESH),
        }
        let parts = [SyncPart::Count];
        let Ok(position) = self.begin_waiting(state, frame, &[(&targets, &parts)], 0, true) else {
            return Ok(Reply::Never);
        };
        let progress = self.read_part(state, position, &targets, SyncPart::Count);
        let running = words::is_number(&mut self.terms, progress, RUNNING);
        let possible = self.terms.not(running);
        let step = (position, 0);
        if self.wait_until(state, frame, step, possible, Vec::new()) == Flow::Dead {
            return Ok(Reply::Never);
        }
        let done = words::is_number(&mut self.terms, progress, DONE);
        self.acquires(state, position, done);
        let fresh = self.terms.not(done);
        let value = self.int(RUNNING);
        self.write_part(state, position, &targets, SyncPart::Count, fresh, value);
        let routine = self.argument(call, 1);
        let functions = self.functions_behind(routine);
        let [(_, function)] = functions.as_slice() else {
            return Err(self.unsupported(frame, "a once control with several routines"));
        };
        let mut path = state.clone();
        path.guard = self.terms.and(path.guard, fresh);
        let mut result = None;
        if self.terms.as_bool(path.guard) != Some(false) {
            let inner = Call {
                function: *function,
                args: Vec::new(),
                result: None,
                index: 0,
            };
            let is_only_path = frame.is_only_path;
            frame.is_only_path &= self.terms.as_bool(fresh) == Some(true);
            let execution = frame.execution;
            let returned = self.call_function(path, frame, &inner)?;
            frame.is_only_path = is_only_path;
            frame.execution = execution;
            if let Some((mut path, _)) = returned
                && let Ok(position) = self.begin_sync(&mut path, frame, &[(&targets, &parts)], 1)
            {
                let always = self.truth();
                self.releases(&path, position, always);
                let value = self.int(DONE);
                self.write_part(
                    &mut path,
                    position,
                    &targets,
                    SyncPart::Count,
                    always,
                    value,
                );
                result = Some(path);
            }
        }
        let mut rest = state.clone();
        rest.guard = self.terms.and(rest.guard, done);
        let merged = match (result, self.terms.as_bool(rest.guard)) {
            (Some(path), Some(false)) => path,
            (Some(path), _) => self.merge(path, rest, frame)?,
            (None, Some(false)) => return Ok(Reply::Never),
            (None, _) => rest,
        };
        *state = merged;
        self.reply(0)
    }

    /// Asks whether a static variable of C++ has to be initialised.
    fn acquire_guard(
        &mut self,
        state: &mut State,
        frame: &Frame,
        targets: &Targets,
    ) -> Result<Reply, Error> {
        let parts = [SyncPart::Count];
        let Ok(position) = self.begin_waiting(state, frame, &[(targets, &parts)], 0, true) else {
            return Ok(Reply::Never);
        };
        let progress = self.read_part(state, position, targets, SyncPart::Count);
        let running = words::is_number(&mut self.terms, progress, RUNNING);
        let possible = self.terms.not(running);
        let step = (position, 0);
        if self.wait_until(state, frame, step, possible, Vec::new()) == Flow::Dead {
            return Ok(Reply::Never);
        }
        let is_fresh = words::is_number(&mut self.terms, progress, FRESH);
        let always = self.truth();
        self.acquires(state, position, always);
        let value = self.int(RUNNING);
        self.write_part(state, position, targets, SyncPart::Count, is_fresh, value);
        let (zero, one) = (self.int(0), self.int(1));
        Ok(Reply::Return(self.terms.ite(is_fresh, one, zero)))
    }

    /// The initialisation is done, or was given up. Compilers look at the guard's
    /// first byte before they call.
    fn leave_guard(
        &mut self,
        state: &mut State,
        frame: &Frame,
        targets: &Targets,
        progress: u128,
    ) -> Result<Reply, Error> {
        let mut is_noticed = false;
        for target in &targets.list {
            let object = self.facts.part_object(target, SyncPart::Count);
            is_noticed |= self.is_visible(object, 0, 4);
        }
        if !is_noticed && !self.prologue.is_alone() {
            self.unnoticed_step(frame, state);
        }
        let Ok(position) = self.begin_step(state, frame, targets, 1, 0, is_noticed) else {
            return Ok(Reply::Never);
        };
        let always = self.truth();
        self.note_sync(position);
        self.releases(state, position, always);
        let value = self.int(progress);
        self.write_part(state, position, targets, SyncPart::Count, always, value);
        if progress == DONE {
            // Whoever sees it there, without a call, knows what was done.
            let order = Some(Ordering::Release);
            self.note_orders(frame, position, (targets, 1), order, None)?;
            let one = self.terms.constant(8, 1);
            self.while_noting(Noting::Silent, |pass| {
                pass.store_to(state, position, targets, &[((0, 1), one)], always);
            });
        }
        Ok(Reply::Nothing)
    }
}
