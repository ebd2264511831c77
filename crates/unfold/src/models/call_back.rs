//! Calls from library functions back into the program, for the models that make them:
//! sorting, once controls, destructors of keys, functions for the end of the process.

use crate::access::Part;
use crate::calls::{Argument, Call};
use crate::checks::Check;
use crate::facts::objects::ObjectId;
use crate::omissions::Way;
use crate::pass::{Flow, Frame, Pass, State, Value};
use crate::threads::Creation;
use crate::threads::ThreadId;
use crate::{Error, MAIN};
use formula::TermId;
use ir::{FunctionId, Type};
use std::collections::HashMap;

/// A call from within a library function.
pub(crate) struct CallBack {
    /// The address of the function.
    pub function: TermId,
    pub arguments: Vec<TermId>,
    /// Whether it returns an `int`.
    pub has_result: bool,
    /// Tells the calls of one instruction apart.
    pub index: u32,
    /// When it is made at all.
    pub condition: TermId,
}

/// By thread and position at which others are created: how many accesses come before
/// what those do at once.
#[derive(Default)]
pub(crate) struct Creations(HashMap<(ThreadId, usize), usize>);

impl Creations {
    pub(crate) fn get(&self, thread: ThreadId, position: usize) -> Option<usize> {
        self.0.get(&(thread, position)).copied()
    }

    pub(crate) fn set(&mut self, thread: ThreadId, position: usize, accesses: usize) {
        self.0.insert((thread, position), accesses);
    }
}

impl<'p> Pass<'p> {
    /// Calls back; `None` if no path goes on. The result means something only where
    /// the call is made.
    pub(crate) fn call_back(
        &mut self,
        mut state: State,
        frame: &mut Frame,
        back: &CallBack,
    ) -> Result<Option<(State, TermId)>, Error> {
        let functions = self.functions_behind(back.function);
        let known: Vec<TermId> = functions.iter().map(|(when, _)| *when).collect();
        let is_function = self.terms.any(&known);
        let is_wild = self.terms.not(is_function);
        let is_wild = self.terms.and(back.condition, is_wild);
        if self.terms.as_bool(is_wild) != Some(false)
            && self.violate(&mut state, Check::Memory, is_wild) == Flow::Dead
        {
            return Ok(None);
        }
        let mut merged = None;
        let elsewhere = self.terms.not(back.condition);
        let mut rest = state.clone();
        rest.guard = self.terms.and(rest.guard, elsewhere);
        let zero = self.int(0);
        if self.terms.as_bool(rest.guard) != Some(false) {
            merged = Some((rest, zero));
        }
        let is_only_path = frame.is_only_path;
        let execution = frame.execution;
        for (is_this, function) in functions {
            let condition = self.terms.and(back.condition, is_this);
            let mut path = state.clone();
            path.guard = self.terms.and(path.guard, condition);
            if self.terms.as_bool(path.guard) == Some(false) {
                continue;
            }
            frame.is_only_path = is_only_path && self.terms.as_bool(condition) == Some(true);
            let call = self.call_of(frame, function, back)?;
            let returned = self.call_function(path, frame, &call)?;
            frame.execution = execution;
            let Some((path, value)) = returned else {
                continue;
            };
            let shadow = value.as_ref().and_then(Value::shadow);
            self.lose(shadow, Way::ReturnedToLibrary);
            let value = match value.and_then(|value| value.term()) {
                Some(value) => self.terms.resize(value, 32),
                None => zero,
            };
            merged = Some(match merged {
                None => (path, value),
                Some((other, old)) => {
                    let value = self.terms.ite(condition, value, old);
                    (self.merge(other, path, frame)?, value)
                }
            });
        }
        frame.is_only_path = is_only_path;
        Ok(merged)
    }

    fn call_of(&self, frame: &Frame, function: FunctionId, back: &CallBack) -> Result<Call, Error> {
        let data = &self.program.functions[function];
        if data.body.is_none() {
            let what = format!("a library function that calls {}", data.name);
            return Err(self.unsupported(frame, what));
        }
        let argument = |value: &TermId| Argument {
            value: Value::Term(*value),
            ty: Type::Pointer,
            by_value: None,
        };
        Ok(Call {
            function,
            args: back.arguments.iter().map(argument).collect(),
            result: back.has_result.then_some(Type::Int(32)),
            index: back.index,
        })
    }

    /// Where something happens right after the last step although others may notice;
    /// `None` if they do not.
    pub(crate) fn aside(
        &mut self,
        state: &mut State,
        frame: &Frame,
        object: ObjectId,
        (offset, size): Part,
    ) -> Option<usize> {
        if state.atomic.is_none() && !self.is_visible(object, offset, size) {
            return None;
        }
        if self.threads.current() != MAIN {
            if !self.threads.had_turn(&mut self.terms, state) {
                self.unnoticed_step(frame, state);
            }
        } else if state.after == 0 {
            self.position(frame, state, 0);
        }
        Some(self.position_right_after(state))
    }

    /// Reads a word of an object right after the last step, and may clear it.
    pub(crate) fn read_aside(
        &mut self,
        state: &mut State,
        frame: &Frame,
        object: ObjectId,
        part: Part,
        clears: bool,
    ) -> Result<TermId, Error> {
        let is_visible = self.is_visible(object, part.0, part.1);
        if let Some(creation) = self.work().thread.creation
            && is_visible
            && state.atomic.is_none()
        {
            if self.threads.had_no_turn(&mut self.terms, state) {
                return Ok(self.read_at_creation(state, creation, object, part, clears));
            }
            // A path without any step so far would go back to the creation too.
            if !self.threads.had_turn(&mut self.terms, state) {
                let what = "a library function that looks at what others change, after a first \
                            step that depends on a condition";
                return Err(self.unsupported(frame, what));
            }
        }
        let position = self.aside(state, frame, object, part);
        Ok(self.read_and_clear(state, position, object, part, clears))
    }

    fn read_and_clear(
        &mut self,
        state: &mut State,
        position: Option<usize>,
        object: ObjectId,
        (offset, size): Part,
        clears: bool,
    ) -> TermId {
        let condition = state.ok;
        let value = self.read_at(state, position, object, offset, size, condition);
        if clears {
            let condition = match position {
                Some(_) => condition,
                None => self.truth(),
            };
            let zero = self.terms.constant(8 * size as u32, 0);
            self.write_at(state, position, object, offset, size, condition, zero);
        }
        value
    }

    /// Before the first step of a thread, things happen with its creation.
    fn read_at_creation(
        &mut self,
        state: &mut State,
        creation: Creation,
        object: ObjectId,
        part: Part,
        clears: bool,
    ) -> TermId {
        let me = self.threads.switch_to(creation.thread);
        for is_write in [false, clears] {
            self.facts.sharing.note_access(
                &self.facts.objects,
                object,
                part.0,
                part.1,
                me,
                is_write,
            );
        }
        let guard = self.terms.and(state.guard, creation.condition);
        let path = std::mem::replace(&mut state.guard, guard);
        let position = creation.position;
        let before = self.work().thread.positions[position].accesses.len();
        let value = self.read_and_clear(state, Some(position), object, part, clears);
        state.guard = path;
        // The creator has gone on only after that.
        let first = self.models.creations.get(creation.thread, position);
        let first = first.unwrap_or(before);
        let accesses = &mut self.work().thread.positions[position].accesses;
        let count = accesses.len() - before;
        accesses[first..].rotate_right(count);
        self.models
            .creations
            .set(creation.thread, position, first + count);
        self.threads.switch_to(me);
        value
    }
}
