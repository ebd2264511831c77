//! What library functions mean, one file per group of families.
//!
//! These are implementations of their own: they share nothing with those of the
//! interpreter, so that each can be checked against the other.

mod atomic;
mod attribute;
mod barrier;
mod bits;
mod c11_threads;
pub(crate) mod call_back;
mod cancellation;
mod condition;
mod descriptors;
mod input;
pub(crate) mod jumps;
mod keys;
mod math;
mod memory;
mod mutex;
mod once;
mod output;
mod pages;
mod process;
mod rwlock;
mod semaphore;
mod signals;
mod spin;
mod strings;
mod sync_objects;
mod system;
mod thread;
mod time;
mod verifier;

use crate::Error;
use crate::calls::{Call, Reply};
use crate::pass::{Flow, Frame, Pass, State, Value};
use call_back::Creations;
use formula::TermId;
use library::{Entry, Function};
use process::exit_handlers::ExitHandlers;

// Error numbers of Linux.
const EPERM: u128 = 1;

const EAGAIN: u128 = 11;

pub(crate) const EINTR: u128 = 4;

const ENOMEM: u128 = 12;

const EBUSY: u128 = 16;

const EINVAL: u128 = 22;

const EDEADLK: u128 = 35;

const ENOTSUP: u128 = 95;

const ETIMEDOUT: u128 = 110;

/// What the models remember during a pass.
#[derive(Default)]
pub(crate) struct ModelState {
    pub handlers: ExitHandlers,
    pub creations: Creations,
    /// How often a thread's value of some key was set.
    key_settings: u64,
}

impl<'p> Pass<'p> {
    pub(crate) fn library_call(
        &mut self,
        state: &mut State,
        frame: &mut Frame,
        entry: &'static Entry,
        call: &Call,
    ) -> Result<Reply, Error> {
        let Some(fails) = self.interrupt_call(state, frame, entry)? else {
            return Ok(Reply::Never);
        };
        let interrupted = self.fail_if_interrupted(state, frame, (entry, call), fails)?;
        let Some(interrupted) = interrupted else {
            return self.uninterrupted_call(state, frame, entry, call);
        };
        let reply = match self.terms.as_bool(state.guard) {
            Some(false) => Reply::Never,
            _ => self.uninterrupted_call(state, frame, entry, call)?,
        };
        self.merge_interrupted(state, frame, interrupted, reply, fails)
    }

    fn uninterrupted_call(
        &mut self,
        state: &mut State,
        frame: &mut Frame,
        entry: &'static Entry,
        call: &Call,
    ) -> Result<Reply, Error> {
        if self.pass_cancellation_point(state, frame, entry)? == Flow::Dead {
            return Ok(Reply::Never);
        }
        match entry.function {
            Function::Thread(op) => self.thread_model(state, frame, op, call),
            Function::Cancellation(op) => self.cancellation_model(state, frame, op, call),
            Function::Jumps(op) => self.jumps_model(state, frame, op, call),
            Function::Mutex(op) => self.mutex_model(state, frame, op, call),
            Function::Condition(op) => self.condition_model(state, frame, op, call),
            Function::RwLock(op) => self.rwlock_model(state, frame, op, call),
            Function::Spin(op) => self.spin_model(state, frame, op, call),
            Function::Barrier(op) => self.barrier_model(state, frame, op, call),
            Function::Semaphore(op) => self.semaphore_model(state, frame, op, call),
            Function::Once(op) => self.once_model(state, frame, op, call),
            Function::Keys(op) => self.keys_model(state, frame, op, call),
            Function::C11Thread(op) => self.c11_model(state, frame, op, call),
            Function::Atomic(op) => self.atomic_model(state, frame, op, call),
            Function::Memory(library::Memory::Find) => {
                self.find_in_block(state, frame, call, false)
            }
            Function::Memory(library::Memory::FindLast) => {
                self.find_in_block(state, frame, call, true)
            }
            Function::Memory(library::Memory::UsableSize) => self.usable_size(frame, call),
            Function::Memory(op) => self.memory_model(state, frame, op, call),
            Function::Verifier(op) => self.verifier_model(state, frame, op, call),
            Function::Process(op) => self.process_model(state, frame, op, call),
            Function::Signals(op) => self.signals_model(state, frame, op, call),
            Function::System(library::System::Call) => self.system_model(state, frame, call),
            Function::Pages(op) => self.pages_model(state, frame, op, call),
            Function::Time(op) => self.time_model(state, frame, op, call),
            Function::Output(op) => self.output_model(state, frame, op, call),
            Function::Bits(op) => self.bits_model(op, call),
            Function::Math(op) => self.math_model(state, frame, op, call),
            Function::Strings(op) => self.strings_model(state, frame, op, call),
            Function::Input(op) => self.input_model(state, frame, op, call),
            Function::Descriptors(op) => self.descriptors_model(state, frame, op, call),
            Function::Unsupported => {
                let what = format!("{}: {}", entry.name, entry.model.trim_end_matches('.'));
                Err(self.unsupported(frame, what))
            }
        }
    }

    /// An argument as a word: a pointer, unless old declarations let others pass.
    pub(crate) fn argument(&mut self, call: &Call, index: usize) -> TermId {
        let word = self.word();
        self.number(call, index, word)
    }

    /// An argument of whatever width it has.
    pub(crate) fn raw_argument(&mut self, call: &Call, index: usize) -> TermId {
        match call.args.get(index).map(|argument| &argument.value) {
            Some(Value::Term(term) | Value::Partly(term, _)) => *term,
            _ => {
                let word = self.word();
                self.terms.constant(word, 0)
            }
        }
    }

    /// An argument as a word of the given width, zero-extended.
    pub(crate) fn number(&mut self, call: &Call, index: usize, width: u32) -> TermId {
        let term = self.raw_argument(call, index);
        self.terms.resize(term, width)
    }

    pub(crate) fn int(&mut self, value: u128) -> TermId {
        self.terms.constant(32, value)
    }

    pub(crate) fn reply(&mut self, value: u128) -> Result<Reply, Error> {
        Ok(Reply::Return(self.int(value)))
    }

    /// The thread at hand as the owner of something.
    pub(crate) fn me(&mut self) -> TermId {
        let number = u128::from(self.threads.current().as_u32()) + 1;
        self.int(number)
    }

    /// Whether something that may time out does so now.
    pub(crate) fn times_out(&mut self, frame: &Frame) -> TermId {
        let choice = self.input(frame, "timeout", 1);
        self.terms.is_one(choice)
    }
}
