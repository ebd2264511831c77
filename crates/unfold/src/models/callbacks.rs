//! Library functions that call back into the program: sorting, searching, and
//! what runs at the end of a thread.

use super::EINVAL;
use crate::access::{Part, Targets};
use crate::calls::{Argument, Call, Reply, split};
use crate::checks::Check;
use crate::known::{Content, KeyPart, Object, ObjectId, ObjectKey, ThreadPart};
use crate::omissions::{Omission, Way};
use crate::pass::{Flow, Frame, Pass, State, Value};
use crate::races::{Mode, Noting};
use crate::threads::Creation;
use crate::validity::Seen;
use crate::{Error, MAIN};
use formula::TermId;
use ir::{FunctionId, Type};
use library::{Keys, Process};

/// Elements that are sorted or searched, at most: each comparison is a call.
const MAX_SORTED: u64 = 64;
const MAX_SEARCHED: u64 = 256;
/// POSIX lets an implementation stop after a few rounds; glibc makes four.
const DESTRUCTOR_ROUNDS: u32 = 4;

// The life of a key.
const IN_USE: u128 = 1;
const DELETED: u128 = 2;

/// A call from within a library function.
pub struct CallBack {
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

impl<'p> Pass<'p> {
    /// Calls back; `None` if no path goes on. The result means something only where
    /// the call is made.
    pub fn call_back(
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
    pub fn aside(
        &mut self,
        state: &mut State,
        frame: &Frame,
        object: ObjectId,
        (offset, size): Part,
    ) -> Option<usize> {
        if state.atomic.is_none() && !self.is_visible(object, offset, size) {
            return None;
        }
        if self.thread != MAIN {
            if !self.had_turn(state) {
                self.touch(frame, state);
            }
        } else if state.after == 0 {
            self.position(frame, state, 0);
        }
        Some(self.afterthought(state))
    }

    /// Reads a word of an object right after the last step, and may clear it.
    pub fn read_aside(
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
            if self.had_no_turn(state) {
                return Ok(self.read_at_creation(state, creation, object, part, clears));
            }
            // A path without any step so far would go back to the creation too.
            if !self.had_turn(state) {
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
        let me = std::mem::replace(&mut self.thread, creation.thread);
        for is_write in [false, clears] {
            self.known.note_access(object, part.0, part.1, me, is_write);
        }
        let guard = self.terms.and(state.guard, creation.condition);
        let path = std::mem::replace(&mut state.guard, guard);
        let position = creation.position;
        let before = self.work().thread.positions[position].accesses.len();
        let value = self.read_and_clear(state, Some(position), object, part, clears);
        state.guard = path;
        // The creator has gone on only after that.
        let place = (creation.thread, position);
        let first = self.creations.get(&place).copied().unwrap_or(before);
        let accesses = &mut self.work().thread.positions[position].accesses;
        let count = accesses.len() - before;
        accesses[first..].rotate_right(count);
        self.creations.insert(place, first + count);
        self.thread = me;
        value
    }

    // Sorting and searching.

    pub fn sort_model(
        &mut self,
        state: &mut State,
        frame: &mut Frame,
        op: Process,
        call: &Call,
    ) -> Result<Reply, Error> {
        let first = usize::from(op == Process::Search);
        let word = self.word();
        let (count, size) = (
            self.number(call, first + 1, word),
            self.number(call, first + 2, word),
        );
        let constants = (self.terms.as_constant(count), self.terms.as_constant(size));
        let (Some(count), Some(size)) = constants else {
            return Err(self.unsupported(frame, "an array of unknown size to sort or search"));
        };
        let most = match op {
            Process::Sort => MAX_SORTED,
            _ => MAX_SEARCHED,
        };
        if count > u128::from(most) || size > 4096 {
            let what = format!("sorting or searching more than {most} elements");
            return Err(self.unsupported(frame, what));
        }
        let (count, size) = (count as u64, size as u64);
        match op {
            Process::Sort => self.sort(state, frame, call, count, size),
            _ => self.search_sorted(state, frame, call, count, size),
        }
    }

    /// Insertion sort. The first step only makes sure of the memory; elements change
    /// places right after the last step of a comparison.
    fn sort(
        &mut self,
        state: &mut State,
        frame: &mut Frame,
        call: &Call,
        count: u64,
        size: u64,
    ) -> Result<Reply, Error> {
        if count == 0 || size == 0 {
            return Ok(Reply::Nothing);
        }
        let base = self.argument(call, 0);
        let targets = self.resolve(frame, base, count * size, true)?;
        let Ok(position) = self.begin_access(state, frame, &targets, count * size, 0) else {
            return Ok(Reply::Never);
        };
        self.note_targets(state, position, &targets, count * size, Mode::WRITE);
        let function = self.argument(call, 3);
        let mut index = 0;
        for current in 1..count {
            let mut condition = self.truth();
            for at in (1..=current).rev() {
                if self.terms.as_bool(condition) == Some(false) {
                    break;
                }
                index += 1;
                let arguments = vec![
                    self.advanced(base, size * (at - 1)),
                    self.advanced(base, size * at),
                ];
                let back = CallBack {
                    function,
                    arguments,
                    has_result: true,
                    index,
                    condition,
                };
                let Some((next, order)) = self.call_back(state.clone(), frame, &back)? else {
                    return Ok(Reply::Never);
                };
                *state = next;
                let zero = self.int(0);
                let is_greater = self.terms.signed_less(zero, order);
                condition = self.terms.and(condition, is_greater);
                self.while_noting(Noting::Silent, |pass| {
                    pass.swap(state, frame, &targets, size, at, condition);
                });
            }
        }
        Ok(Reply::Nothing)
    }

    fn swap(
        &mut self,
        state: &mut State,
        frame: &Frame,
        targets: &Targets,
        size: u64,
        at: u64,
        condition: TermId,
    ) {
        for target in &targets.list {
            let left = target.offset + size * (at - 1);
            let right = left + size;
            let object = target.object;
            let position = self.aside(state, frame, object, (left, 2 * size));
            let mut condition = self.terms.and(condition, target.condition);
            if position.is_some() {
                condition = self.terms.and(condition, state.ok);
            }
            for (offset, len) in split(size) {
                let (a, b) = (left + offset, right + offset);
                let first = self.read_at(state, position, object, a, len, condition);
                let second = self.read_at(state, position, object, b, len, condition);
                self.write_at(state, position, object, a, len, condition, second);
                self.write_at(state, position, object, b, len, condition, first);
            }
        }
    }

    /// Binary search: all ways that it may take.
    fn search_sorted(
        &mut self,
        state: &mut State,
        frame: &mut Frame,
        call: &Call,
        count: u64,
        size: u64,
    ) -> Result<Reply, Error> {
        let (key, base) = (self.argument(call, 0), self.argument(call, 1));
        let function = self.argument(call, 4);
        let word = self.word();
        let mut found = self.terms.constant(word, 0);
        let always = self.truth();
        let mut open = vec![(0, count, always)];
        while let Some((low, high, condition)) = open.pop() {
            if low >= high || self.terms.as_bool(condition) == Some(false) {
                continue;
            }
            let middle = low + (high - low) / 2;
            let element = self.advanced(base, size * middle);
            let back = CallBack {
                function,
                arguments: vec![key, element],
                has_result: true,
                index: middle as u32 + 1,
                condition,
            };
            let Some((next, order)) = self.call_back(state.clone(), frame, &back)? else {
                return Ok(Reply::Never);
            };
            *state = next;
            let zero = self.int(0);
            let is_equal = self.is_zero(order);
            let (is_less, is_greater) = (
                self.terms.signed_less(order, zero),
                self.terms.signed_less(zero, order),
            );
            let hit = self.terms.and(condition, is_equal);
            found = self.terms.ite(hit, element, found);
            open.push((middle + 1, high, self.terms.and(condition, is_greater)));
            open.push((low, middle, self.terms.and(condition, is_less)));
        }
        Ok(Reply::Return(found))
    }

    // Thread-specific data.

    fn key_object(&mut self, key: u32, part: KeyPart) -> ObjectId {
        let id = ObjectKey::Key(key, part);
        let size = match part {
            KeyPart::Life => 1,
            KeyPart::Destructor => self.program.target.pointer_bytes,
        };
        self.known.object(id.clone(), || Object {
            key: id,
            size,
            name: format!("{part:?} of key {key}"),
            is_constant: false,
            owner: MAIN,
            starts_as: Content::Zero,
        })
    }

    /// Reads a part of a key right after the last step.
    fn key_part(
        &mut self,
        state: &mut State,
        frame: &Frame,
        key: u32,
        part: KeyPart,
    ) -> Result<TermId, Error> {
        let object = self.key_object(key, part);
        let size = self.known.objects[object].size;
        self.read_aside(state, frame, object, (0, size), false)
    }

    /// Begins a step that changes a key, and may store something.
    fn begin_key_step(
        &mut self,
        state: &mut State,
        frame: &Frame,
        place: &Targets,
        keys: impl Iterator<Item = u32>,
    ) -> Result<Option<usize>, Flow> {
        let mut is_noticed = false;
        for key in keys {
            for part in [KeyPart::Life, KeyPart::Destructor] {
                let object = self.key_object(key, part);
                is_noticed |= self.is_visible(object, 0, self.known.objects[object].size);
            }
        }
        if !is_noticed && !self.is_alone {
            self.touch(frame, state);
        }
        self.begin_step(state, frame, place, 4, 0, is_noticed)
    }

    pub fn keys_model(
        &mut self,
        state: &mut State,
        frame: &Frame,
        op: Keys,
        call: &Call,
    ) -> Result<Reply, Error> {
        match op {
            Keys::Create => self.create_key(state, frame, call),
            Keys::Delete => {
                let nowhere = Targets {
                    list: Vec::new(),
                    valid: self.truth(),
                    seen: Seen::AtOnce,
                    only_where: None,
                };
                let keys = 0..self.known.key_count();
                let Ok(position) = self.begin_key_step(state, frame, &nowhere, keys.clone()) else {
                    return Ok(Reply::Never);
                };
                let number = self.number(call, 0, 32);
                let mut result = self.int(EINVAL);
                for key in keys {
                    let condition = self.is(number, u128::from(key));
                    let object = self.key_object(key, KeyPart::Life);
                    let life = self.read_at(state, position, object, 0, 1, condition);
                    let is_in_use = self.is(life, IN_USE);
                    let condition = self.terms.and(condition, is_in_use);
                    let deleted = self.terms.constant(8, DELETED);
                    self.write_at(state, position, object, 0, 1, condition, deleted);
                    let zero = self.int(0);
                    result = self.terms.ite(condition, zero, result);
                }
                Ok(Reply::Return(result))
            }
            Keys::Get | Keys::Set => self.use_key(state, frame, op, call),
        }
    }

    fn create_key(
        &mut self,
        state: &mut State,
        frame: &Frame,
        call: &Call,
    ) -> Result<Reply, Error> {
        let destructor = self.argument(call, 1);
        let address = self.argument(call, 0);
        let mut place = self.resolve(frame, address, 4, true)?;
        place.seen = Seen::AtStep;
        let instance = self.instance(frame, state, 0);
        let key = self.known.key(instance);
        if !self.is_alone && self.known.key_count() > 1 {
            self.omissions.insert(Omission::OrderOfKeys);
        }
        let Ok(position) = self.begin_key_step(state, frame, &place, [key].into_iter()) else {
            return Ok(Reply::Never);
        };
        let functions = self.functions_behind(destructor);
        let mut fine: Vec<TermId> = functions.iter().map(|(when, _)| *when).collect();
        fine.push(self.is_zero(destructor));
        let fine = self.terms.any(&fine);
        if self.expect(state, Check::Memory, position, fine) == Flow::Dead {
            return Ok(Reply::Never);
        }
        let always = self.truth();
        let number = self.int(u128::from(key));
        self.store_to(state, position, &place, &[((0, 4), number)], always);
        let life = self.key_object(key, KeyPart::Life);
        let in_use = self.terms.constant(8, IN_USE);
        self.write_at(state, position, life, 0, 1, always, in_use);
        let object = self.key_object(key, KeyPart::Destructor);
        let size = self.program.target.pointer_bytes;
        self.write_at(state, position, object, 0, size, always, destructor);
        self.reply(0)
    }

    /// Neither is a step: only the thread itself can tell.
    fn use_key(
        &mut self,
        state: &mut State,
        frame: &Frame,
        op: Keys,
        call: &Call,
    ) -> Result<Reply, Error> {
        let size = self.program.target.pointer_bytes;
        let word = self.word();
        let number = self.number(call, 0, 32);
        let me = self.thread;
        let mut value = self.terms.constant(word, 0);
        let mut result = self.int(EINVAL);
        for key in 0..self.known.key_count() {
            let condition = self.is(number, u128::from(key));
            if self.terms.as_bool(condition) == Some(false) {
                continue;
            }
            let object = self.thread_object(me, ThreadPart::Key(key), size);
            if op == Keys::Set {
                let life = self.key_part(state, frame, key, KeyPart::Life)?;
                let is_in_use = self.is(life, IN_USE);
                let condition = self.terms.and(condition, is_in_use);
                let new = self.number(call, 1, word);
                self.write_at(state, None, object, 0, size, condition, new);
                let zero = self.int(0);
                result = self.terms.ite(condition, zero, result);
                self.key_settings += 1;
            } else {
                let here = self.read_at(state, None, object, 0, size, condition);
                value = self.terms.ite(condition, here, value);
            }
        }
        Ok(Reply::Return(match op {
            Keys::Get => value,
            _ => result,
        }))
    }

    /// Runs the destructors of the thread's values; `None` if no path goes on.
    pub fn run_destructors(
        &mut self,
        mut state: State,
        frame: &mut Frame,
        mut result: TermId,
    ) -> Result<Option<(State, TermId)>, Error> {
        let size = self.program.target.pointer_bytes;
        let me = self.thread;
        let mut index = 0;
        for _ in 0..DESTRUCTOR_ROUNDS {
            let settings_before = self.key_settings;
            for key in 0..self.known.key_count() {
                let object = self.thread_object(me, ThreadPart::Key(key), size);
                let always = self.truth();
                let value = self.read_at(&state, None, object, 0, size, always);
                let is_set = self.terms.is_nonzero(value);
                if self.terms.as_bool(is_set) == Some(false) {
                    continue;
                }
                let life = self.key_part(&mut state, frame, key, KeyPart::Life)?;
                let function = self.key_part(&mut state, frame, key, KeyPart::Destructor)?;
                let is_in_use = self.is(life, IN_USE);
                let has_destructor = self.terms.is_nonzero(function);
                let condition = self.terms.all(&[is_set, is_in_use, has_destructor]);
                if self.terms.as_bool(condition) == Some(false) {
                    continue;
                }
                let word = self.word();
                let null = self.terms.constant(word, 0);
                self.write_at(&mut state, None, object, 0, size, condition, null);
                index += 1;
                let back = CallBack {
                    function,
                    arguments: vec![value],
                    has_result: false,
                    index,
                    condition,
                };
                let mut next = self.call_back(state, frame, &back)?.map(|(state, _)| state);
                // A destructor may end the thread once more.
                for (ended, value) in std::mem::take(&mut self.work().ended) {
                    next = Some(match next {
                        None => {
                            result = value;
                            ended
                        }
                        Some(other) => {
                            result = self.terms.ite(ended.guard, value, result);
                            self.merge(ended, other, frame)?
                        }
                    });
                }
                match next {
                    None => return Ok(None),
                    Some(next) => state = next,
                }
            }
            if self.key_settings == settings_before {
                break;
            }
        }
        Ok(Some((state, result)))
    }
}
