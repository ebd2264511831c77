//! Thread-specific data, and the destructors that run for it when a thread ends.

use crate::access::Targets;
use crate::calls::{Call, Reply};
use crate::checks::Check;
use crate::compute::words;
use crate::facts::objects::{Content, KeyPart, Object, ObjectId, ObjectKey, ThreadPart};
use crate::models::EINVAL;
use crate::models::call_back::CallBack;
use crate::omissions::Omission;
use crate::pass::{Flow, Frame, Pass, State};
use crate::validity::Seen;
use crate::{Error, MAIN};
use formula::TermId;
use library::Keys;

/// POSIX lets an implementation stop after a few rounds; glibc makes four.
const DESTRUCTOR_ROUNDS: u32 = 4;

// The life of a key.
const IN_USE: u128 = 1;

const DELETED: u128 = 2;

impl<'p> Pass<'p> {
    fn key_object(&mut self, key: u32, part: KeyPart) -> ObjectId {
        let id = ObjectKey::Key(key, part);
        let size = match part {
            KeyPart::Life => 1,
            KeyPart::Destructor => self.program.target.pointer_bytes,
        };
        self.facts.objects.make(id.clone(), || Object {
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
        let size = self.facts.objects[object].size;
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
                is_noticed |= self.is_visible(object, 0, self.facts.objects[object].size);
            }
        }
        if !is_noticed && !self.prologue.is_alone() {
            self.unnoticed_step(frame, state);
        }
        self.begin_step(state, frame, place, 4, 0, is_noticed)
    }

    pub(crate) fn keys_model(
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
                let keys = 0..self.facts.threads.key_count();
                let Ok(position) = self.begin_key_step(state, frame, &nowhere, keys.clone()) else {
                    return Ok(Reply::Never);
                };
                let number = self.number(call, 0, 32);
                let mut result = self.int(EINVAL);
                for key in keys {
                    let condition = words::is_number(&mut self.terms, number, u128::from(key));
                    let object = self.key_object(key, KeyPart::Life);
                    let life = self.read_at(state, position, object, 0, 1, condition);
                    let is_in_use = words::is_number(&mut self.terms, life, IN_USE);
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
        let key = self.facts.threads.key(instance);
        if !self.prologue.is_alone() && self.facts.threads.key_count() > 1 {
            self.findings.note_omission(Omission::OrderOfKeys);
        }
        let Ok(position) = self.begin_key_step(state, frame, &place, [key].into_iter()) else {
            return Ok(Reply::Never);
        };
        let functions = self.functions_behind(destructor);
        let mut fine: Vec<TermId> = functions.iter().map(|(when, _)| *when).collect();
        fine.push(words::is_zero(&mut self.terms, destructor));
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
        let me = self.threads.current();
        let mut value = self.terms.constant(word, 0);
        let mut result = self.int(EINVAL);
        for key in 0..self.facts.threads.key_count() {
            let condition = words::is_number(&mut self.terms, number, u128::from(key));
            if self.terms.as_bool(condition) == Some(false) {
                continue;
            }
            let object = self.facts.thread_object(me, ThreadPart::Key(key), size);
            if op == Keys::Set {
                let life = self.key_part(state, frame, key, KeyPart::Life)?;
                let is_in_use = words::is_number(&mut self.terms, life, IN_USE);
                let condition = self.terms.and(condition, is_in_use);
                let new = self.number(call, 1, word);
                self.write_at(state, None, object, 0, size, condition, new);
                let zero = self.int(0);
                result = self.terms.ite(condition, zero, result);
                self.models.key_settings += 1;
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
    pub(crate) fn run_destructors(
        &mut self,
        mut state: State,
        frame: &mut Frame,
        mut result: TermId,
    ) -> Result<Option<(State, TermId)>, Error> {
        let size = self.program.target.pointer_bytes;
        let me = self.threads.current();
        let mut index = 0;
        for _ in 0..DESTRUCTOR_ROUNDS {
            let settings_before = self.models.key_settings;
            for key in 0..self.facts.threads.key_count() {
                let object = self.facts.thread_object(me, ThreadPart::Key(key), size);
                let always = self.truth();
                let value = self.read_at(&state, None, object, 0, size, always);
                let is_set = self.terms.is_nonzero(value);
                if self.terms.as_bool(is_set) == Some(false) {
                    continue;
                }
                let life = self.key_part(&mut state, frame, key, KeyPart::Life)?;
                let function = self.key_part(&mut state, frame, key, KeyPart::Destructor)?;
                let is_in_use = words::is_number(&mut self.terms, life, IN_USE);
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
            if self.models.key_settings == settings_before {
                break;
            }
        }
        Ok(Some((state, result)))
    }
}
