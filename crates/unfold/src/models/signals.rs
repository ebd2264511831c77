//! Signals: sets of them, which ones a thread has blocked, and what is to happen when
//! they arrive. The latter is one for all threads.

use super::EINVAL;
use crate::access::Part;
use crate::calls::{Call, Reply, split};
use crate::compute::words;
use crate::facts::objects::{Content, Object, ObjectId, ObjectKey, SignalPart, ThreadPart};
use crate::pass::{Flow, Frame, Pass, State};
use crate::validity::Seen;
use crate::{Error, MAIN};
use formula::TermId;
use library::Signals;

/// Bytes of a `sigset_t`.
const SET: u64 = 128;
const MOST: u128 = 64;
/// SIGKILL and SIGSTOP, which nobody can catch or block.
const UNTOUCHABLE: [u128; 2] = [9, 19];
/// Those that the C library keeps for itself.
const INTERNAL: u64 = 1 << 31 | 1 << 32;
const BROKEN_PIPE: u32 = 13;
/// `SIG_IGN`.
const IGNORED: u128 = 1;
/// `SA_RESTART`.
const RESTART: u128 = 0x1000_0000;

impl<'p> Pass<'p> {
    pub(crate) fn signals_model(
        &mut self,
        state: &mut State,
        frame: &Frame,
        op: Signals,
        call: &Call,
    ) -> Result<Reply, Error> {
        match op {
            Signals::EmptySet => self.fill_set(state, frame, call, 0),
            Signals::FillSet => self.fill_set(state, frame, call, !INTERNAL),
            Signals::AddToSet | Signals::RemoveFromSet | Signals::IsInSet => {
                self.change_set(state, frame, op, call)
            }
            Signals::Mask => self.change_mask(state, frame, call),
            Signals::Handler => self.set_handler(state, frame, call),
            Signals::Action => self.set_action(state, frame, call),
        }
    }

    fn fill_set(
        &mut self,
        state: &mut State,
        frame: &Frame,
        call: &Call,
        signals: u64,
    ) -> Result<Reply, Error> {
        let signals = self.terms.constant(64, u128::from(signals));
        match self.write_set(state, frame, call, 0, signals)? {
            Flow::Dead => Ok(Reply::Never),
            Flow::Next => self.reply(0),
        }
    }

    /// Stores a set; beyond the signals there are, it is empty or full.
    fn write_set(
        &mut self,
        state: &mut State,
        frame: &Frame,
        call: &Call,
        index: usize,
        signals: TermId,
    ) -> Result<Flow, Error> {
        let place = self.argument(call, index);
        let is_empty = words::is_zero(&mut self.terms, signals);
        let zero = self.terms.constant(64, 0);
        let full = self.terms.constant(64, u128::from(u64::MAX));
        let rest = self.terms.ite(is_empty, zero, full);
        let mut parts: Vec<_> = split(SET).into_iter().map(|part| (part, rest)).collect();
        parts[0].1 = signals;
        self.store(state, frame, place, SET, &parts, 0)
    }

    /// The bit of a signal in a set, if it is a signal.
    fn signal_bit(
        &mut self,
        frame: &Frame,
        call: &Call,
        index: usize,
    ) -> Result<Option<(u128, u128)>, Error> {
        let signal = self.constant_argument(frame, call, index)? & 0xffff_ffff;
        let is_signal = (1..=MOST).contains(&signal);
        Ok(is_signal.then(|| (signal, 1 << (signal - 1))))
    }

    fn fail_with(&mut self, state: &mut State, error: u128) -> Result<Reply, Error> {
        let (always, error) = (self.truth(), self.int(error));
        self.set_errno(state, always, error);
        self.reply(0xffff_ffff)
    }

    fn change_set(
        &mut self,
        state: &mut State,
        frame: &Frame,
        op: Signals,
        call: &Call,
    ) -> Result<Reply, Error> {
        let Some((_, bit)) = self.signal_bit(frame, call, 1)? else {
            return self.fail_with(state, EINVAL);
        };
        let address = self.argument(call, 0);
        let is_write = op != Signals::IsInSet;
        let targets = self.resolve(frame, address, 8, is_write)?;
        let Ok(position) = self.begin_access(state, frame, &targets, 8, 0) else {
            return Ok(Reply::Never);
        };
        let whole: Part = (0, 8);
        let loaded = self.load_from(state, position, &targets, &[whole]);
        let Some(old) = loaded.first().copied() else {
            return Ok(Reply::Never);
        };
        let bit_term = self.terms.constant(64, bit);
        let new = match op {
            Signals::AddToSet => self.terms.bit_or(old, bit_term),
            Signals::RemoveFromSet => {
                let others = self.terms.bit_not(bit_term);
                self.terms.bit_and(old, others)
            }
            _ => {
                let common = self.terms.bit_and(old, bit_term);
                let is_in = self.terms.is_nonzero(common);
                let (yes, no) = (self.int(1), self.int(0));
                return Ok(Reply::Return(self.terms.ite(is_in, yes, no)));
            }
        };
        let always = self.truth();
        self.store_to(state, position, &targets, &[(whole, new)], always);
        self.reply(0)
    }

    fn blocked_object(&mut self) -> ObjectId {
        let thread = self.threads.current();
        self.facts.thread_object(thread, ThreadPart::Blocked, 8)
    }

    /// The signals that the thread at hand has blocked.
    pub(crate) fn blocked(&mut self, state: &State) -> TermId {
        let (object, always) = (self.blocked_object(), self.truth());
        self.read_at(state, None, object, 0, 8, always)
    }

    pub(crate) fn set_blocked(&mut self, state: &mut State, signals: TermId) {
        let (object, always) = (self.blocked_object(), self.truth());
        self.write_at(state, None, object, 0, 8, always, signals);
    }

    /// Without those that cannot be blocked.
    fn blockable(&mut self, signals: TermId) -> TermId {
        let untouchable = UNTOUCHABLE.iter().map(|signal| 1u64 << (signal - 1));
        let others = !untouchable.fold(INTERNAL, |all, one| all | one);
        let others = self.terms.constant(64, u128::from(others));
        self.terms.bit_and(signals, others)
    }

    /// Whether a pointer is null.
    fn is_null(&mut self, frame: &Frame, call: &Call, index: usize) -> Result<bool, Error> {
        let place = self.argument(call, index);
        let is_null = words::is_zero(&mut self.terms, place);
        match self.terms.as_bool(is_null) {
            Some(is_null) => Ok(is_null),
            None => Err(self.unsupported(frame, "a pointer that may be null or not")),
        }
    }

    /// `(how, set, old)`.
    fn change_mask(
        &mut self,
        state: &mut State,
        frame: &Frame,
        call: &Call,
    ) -> Result<Reply, Error> {
        let before = self.blocked(state);
        let (has_set, has_old) = (
            !self.is_null(frame, call, 1)?,
            !self.is_null(frame, call, 2)?,
        );
        if has_set && has_old {
            let places = [self.argument(call, 1), self.argument(call, 2)];
            for place in places {
                let targets = self.resolve(frame, place, 8, false)?;
                let mut list = targets.list.iter();
                if list.any(|target| self.is_visible(target.object, target.offset, 8)) {
                    // Both would have to be one step.
                    return Err(self.unsupported(frame, "sets of signals that threads share"));
                }
            }
        }
        if has_set {
            let how = self.constant_argument(frame, call, 0)? & 0xffff_ffff;
            let address = self.argument(call, 1);
            let whole: Part = (0, 8);
            let loaded = self.load(state, frame, address, 8, &[whole], 0)?;
            let Ok(words) = loaded else {
                return Ok(Reply::Never);
            };
            let Some((signals, _)) = words.first().copied() else {
                return Ok(Reply::Never);
            };
            let new = match how {
                0 => self.terms.bit_or(before, signals),
                1 => {
                    let others = self.terms.bit_not(signals);
                    self.terms.bit_and(before, others)
                }
                2 => signals,
                _ => {
                    let symbol = &self.program.functions[call.function].symbol;
                    return match symbol == "sigprocmask" {
                        true => self.fail_with(state, EINVAL),
                        false => self.reply(EINVAL),
                    };
                }
            };
            let new = self.blockable(new);
            self.set_blocked(state, new);
        }
        if has_old && self.write_set(state, frame, call, 2, before)? == Flow::Dead {
            return Ok(Reply::Never);
        }
        self.reply(0)
    }

    fn signal_object(&mut self, signal: u32, part: SignalPart) -> ObjectId {
        let key = ObjectKey::Signal(signal, part);
        let size = match part {
            SignalPart::Handler => self.program.target.pointer_bytes,
            SignalPart::Blocked => 8,
            SignalPart::Flags => 4,
        };
        self.facts.objects.make(key.clone(), || Object {
            key,
            size,
            name: format!("{part:?} of signal {signal}"),
            is_constant: false,
            owner: MAIN,
            starts_as: Content::Zero,
        })
    }

    /// The cells that say what is to happen when a signal arrives.
    pub(crate) fn action_objects(&mut self, signal: u32) -> [ObjectId; 3] {
        let key = ObjectKey::Signal(signal, SignalPart::Handler);
        if self.facts.objects.find(&key).is_none() {
            // Those in whom it may arrive look for it.
            self.facts.objects.note_news();
        }
        let parts = [SignalPart::Handler, SignalPart::Blocked, SignalPart::Flags];
        parts.map(|part| self.signal_object(signal, part))
    }

    fn read_action(
        &mut self,
        state: &State,
        position: Option<usize>,
        objects: [ObjectId; 3],
    ) -> [TermId; 3] {
        objects.map(|object| {
            let (size, always) = (self.facts.objects[object].size, self.truth());
            self.read_at(state, position, object, 0, size, always)
        })
    }

    fn write_action(
        &mut self,
        state: &mut State,
        position: Option<usize>,
        objects: [ObjectId; 3],
        values: [TermId; 3],
    ) {
        // The default has neither.
        let is_default = words::is_zero(&mut self.terms, values[0]);
        for (object, value) in objects.into_iter().zip(values) {
            let (size, always) = (self.facts.objects[object].size, self.truth());
            let nothing = self.terms.constant(8 * size as u32, 0);
            let value = self.terms.ite(is_default, nothing, value);
            self.write_at(state, position, object, 0, size, always, value);
        }
    }

    /// `signal(number, handler)`.
    fn set_handler(
        &mut self,
        state: &mut State,
        frame: &Frame,
        call: &Call,
    ) -> Result<Reply, Error> {
        let signal = self.signal_bit(frame, call, 0)?;
        let signal = signal.filter(|(signal, _)| !UNTOUCHABLE.contains(signal));
        let objects = signal.map(|(signal, _)| self.action_objects(signal as u32));
        let all: Vec<ObjectId> = objects.into_iter().flatten().collect();
        let step = (0, false);
        let Ok(position) = self.begin_kernel_step(state, frame, &all, None, step) else {
            return Ok(Reply::Never);
        };
        let word = self.word();
        let Some(objects) = objects else {
            let (always, error) = (self.truth(), self.int(EINVAL));
            self.set_errno(state, always, error);
            let failed = self.terms.constant(word, u128::MAX >> (128 - word));
            return Ok(Reply::Return(failed));
        };
        let [old, ..] = self.read_action(state, position, objects);
        let handler = self.argument(call, 1);
        let (nobody, flags) = (self.terms.constant(64, 0), self.int(RESTART));
        self.write_action(state, position, objects, [handler, nobody, flags]);
        Ok(Reply::Return(old))
    }

    /// `(signal, action, old)`.
    fn set_action(
        &mut self,
        state: &mut State,
        frame: &Frame,
        call: &Call,
    ) -> Result<Reply, Error> {
        let word = self.program.target.pointer_bytes;
        // Handler, set and flags, and how much there is.
        let (blocked, flags, size) = match word {
            4 => (4, 132, 140),
            _ => (8, 136, 152),
        };
        let parts: [Part; 3] = [(0, word), (blocked, 8), (flags, 4)];
        let signal = self.signal_bit(frame, call, 0)?;
        let (has_new, has_old) = (
            !self.is_null(frame, call, 1)?,
            !self.is_null(frame, call, 2)?,
        );
        let signal = signal.filter(|(signal, _)| !(has_new && UNTOUCHABLE.contains(signal)));
        let objects = signal.map(|(signal, _)| self.action_objects(signal as u32));
        let mut places = Vec::new();
        for (index, is_there) in [(1, has_new), (2, has_old)] {
            let address = self.argument(call, index);
            places.push(match is_there {
                true => {
                    let mut targets = self.resolve(frame, address, size, index == 2)?;
                    targets.seen = Seen::AtStep;
                    Some(targets)
                }
                false => None,
            });
        }
        // The places are part of the one step.
        let mut all: Vec<ObjectId> = objects.into_iter().flatten().collect();
        let is_shared = places.iter().flatten().any(|targets| {
            let mut list = targets.list.iter();
            list.any(|target| self.is_visible(target.object, target.offset, size))
        });
        if is_shared && has_new && has_old {
            return Err(self.unsupported(frame, "actions of signals that threads share"));
        }
        let memory = match (&places[0], &places[1]) {
            (Some(new), Some(old)) => {
                // Nobody else notices.
                let mut both = new.clone();
                both.list.extend(old.list.iter().copied());
                both.valid = self.terms.and(new.valid, old.valid);
                Some(both)
            }
            (Some(one), None) | (None, Some(one)) => Some(one.clone()),
            (None, None) => None,
        };
        all.sort_unstable();
        let memory = memory.as_ref().map(|targets| (targets, size));
        let step = (0, false);
        let Ok(position) = self.begin_kernel_step(state, frame, &all, memory, step) else {
            return Ok(Reply::Never);
        };
        let Some(objects) = objects else {
            return self.fail_with(state, EINVAL);
        };
        let before = self.read_action(state, position, objects);
        if let Some(new) = &places[0] {
            let loaded = self.load_from(state, position, new, &parts);
            let [handler, signals, flags] = loaded[..] else {
                return Ok(Reply::Never);
            };
            let signals = self.blockable(signals);
            self.write_action(state, position, objects, [handler, signals, flags]);
        }
        if let Some(old) = &places[1] {
            let always = self.truth();
            let mut values = Vec::new();
            for (at, len) in split(size) {
                let zero = self.terms.constant(8 * len as u32, 0);
                values.push(((at, len), zero));
            }
            self.store_to(state, position, old, &values, always);
            let values: Vec<_> = parts.into_iter().zip(before).collect();
            self.store_to(state, position, old, &values, always);
        }
        self.reply(0)
    }

    /// Whether to write where nobody can read does no more than fail.
    pub(super) fn is_broken_pipe_ignored(
        &mut self,
        state: &mut State,
        frame: &Frame,
    ) -> Result<TermId, Error> {
        let blocked = self.blocked(state);
        let bit = self.terms.constant(64, 1 << (BROKEN_PIPE - 1));
        let bit = self.terms.bit_and(blocked, bit);
        let is_blocked = self.terms.is_nonzero(bit);
        let object = self.signal_object(BROKEN_PIPE, SignalPart::Handler);
        let size = self.program.target.pointer_bytes;
        if self.is_visible(object, 0, size) {
            return Err(self.unsupported(frame, "SIGPIPE, of which several threads decide"));
        }
        let always = self.truth();
        let handler = self.read_at(state, None, object, 0, size, always);
        let is_ignored = words::is_number(&mut self.terms, handler, IGNORED);
        let is_default = words::is_zero(&mut self.terms, handler);
        let is_plain = self.terms.any(&[is_ignored, is_default, is_blocked]);
        if self.terms.as_bool(is_plain) != Some(true) {
            return Err(self.unsupported(frame, "a handler for SIGPIPE that would run here"));
        }
        Ok(self.terms.or(is_blocked, is_ignored))
    }
}
