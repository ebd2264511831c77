//! The process: its end, what it is told about itself, random numbers, and what else of
//! the standard library is simple.

pub(super) mod exit_handlers;
mod sorting;

use crate::Error;
use crate::calls::{Call, Reply};
use crate::checks::Check;
use crate::facts::objects::ThreadPart;
use crate::models::pages::PAGE;
use crate::models::strings::text::{self, Together};
use crate::pass::{Flow, Frame, Pass, State};
use formula::TermId;
use library::Process;

impl<'p> Pass<'p> {
    /// The process comes to a sudden end: a step after which there are no others.
    fn abort_at(&mut self, state: &mut State, frame: &Frame) -> Reply {
        let never = self.terms.bool(false);
        let position = if self.prologue.is_alone() {
            None
        } else {
            Some(self.position(frame, state, 0))
        };
        self.demand(state, position, never);
        Reply::Never
    }

    /// Main returns.
    pub(crate) fn end_process(&mut self, state: &mut State) -> Result<(), Error> {
        let mut frame = self.bare_frame();
        if self.run_handlers(state, &mut frame)?
            && self.interrupt_end(state, &mut frame)? == Flow::Next
        {
            self.end_process_at(state, &frame);
        }
        Ok(())
    }

    pub(crate) fn process_model(
        &mut self,
        state: &mut State,
        frame: &mut Frame,
        op: Process,
        call: &Call,
    ) -> Result<Reply, Error> {
        match op {
            Process::Abort => Ok(self.abort_at(state, frame)),
            Process::Exit | Process::ExitNow | Process::QuickExit => {
                // The section is left for good.
                state.atomic = None;
                if op == Process::Exit && !self.run_handlers(state, frame)? {
                    return Ok(Reply::Never);
                }
                if self.interrupt_end(state, frame)? == Flow::Next {
                    self.end_process_at(state, frame);
                }
                Ok(Reply::Never)
            }
            Process::AtExit | Process::CxaAtExit => self.register_handler(state, frame, op, call),
            Process::AssertFail => {
                let always = self.truth();
                self.violate(state, Check::Assert, always);
                Ok(Reply::Never)
            }
            Process::PureVirtual => {
                let always = self.truth();
                self.violate(state, Check::Memory, always);
                Ok(Reply::Never)
            }
            Process::ErrnoLocation => {
                let object = self
                    .facts
                    .thread_object(self.threads.current(), ThreadPart::Errno, 4);
                Ok(Reply::Return(self.address(object, 0)))
            }
            Process::GetEnv => self.get_variable(state, frame, call),
            Process::SetLocale => {
                let choice = self.input(frame, "locale", 1);
                let fails = self.terms.is_one(choice);
                let word = self.word();
                let null = self.terms.constant(word, 0);
                let name = self.locale_name();
                Ok(Reply::Return(self.terms.ite(fails, null, name)))
            }
            Process::GetPid => self.reply(1000),
            Process::GetTid => {
                let number = 1000 + u128::from(self.threads.current().as_u32());
                self.reply(number)
            }
            Process::PageSize => self.reply(u128::from(PAGE)),
            Process::SystemValue => {
                let symbol = &self.program.functions[call.function].symbol;
                // `_SC_PAGESIZE`.
                if symbol == "sysconf" && self.constant_argument(frame, call, 0)? == 30 {
                    return self.reply(u128::from(PAGE));
                }
                let value = self.input(frame, "environment", 16);
                let value = self.terms.resize(value, 64);
                let one = self.terms.constant(64, 1);
                Ok(Reply::Return(self.terms.add(value, one)))
            }
            Process::SeedRand => self.reply(0),
            Process::Rand => {
                let value = self.input(frame, "random", 31);
                Ok(Reply::Return(self.terms.resize(value, 64)))
            }
            Process::Abs => {
                let value = self.raw_argument(call, 0);
                let width = self.terms.width(value);
                let zero = self.terms.constant(width, 0);
                let negative = self.terms.signed_less(value, zero);
                let negated = self.terms.neg(value);
                if self.options.checks.has(Check::Overflow) {
                    let least = self.terms.constant(width, 1 << (width - 1));
                    let overflow = self.terms.equal(value, least);
                    self.notice(state, Check::Overflow, overflow);
                }
                Ok(Reply::Return(self.terms.ite(negative, negated, value)))
            }
            Process::Sort | Process::Search => self.sort_model(state, frame, op, call),
            Process::RandR => {
                let value = self.input(frame, "random", 31);
                let value = self.terms.resize(value, 32);
                let seed = self.argument(call, 0);
                match self.store(state, frame, seed, 4, &[((0, 4), value)], 0)? {
                    Flow::Dead => Ok(Reply::Never),
                    Flow::Next => Ok(Reply::Return(value)),
                }
            }
        }
    }

    /// `getenv(name)`.
    fn get_variable(
        &mut self,
        state: &mut State,
        frame: &Frame,
        call: &Call,
    ) -> Result<Reply, Error> {
        let mut together = Together::default();
        let (name, always) = (self.argument(call, 0), self.truth());
        let text = self.read_text(state, frame, &mut together, name, None, always)?;
        let Some(text) = text else {
            return Ok(Reply::Never);
        };
        let Some(name) = text::constant_text(&self.terms, &text) else {
            return Err(self.unsupported(frame, "a variable of the environment by any name"));
        };
        let result = self.variable(&name);
        match self.carry_out(state, together) {
            Flow::Dead => Ok(Reply::Never),
            Flow::Next => Ok(Reply::Return(result)),
        }
    }

    pub(crate) fn set_errno(&mut self, state: &mut State, condition: TermId, error: TermId) {
        if self.terms.as_bool(condition) == Some(false) {
            return;
        }
        let object = self
            .facts
            .thread_object(self.threads.current(), ThreadPart::Errno, 4);
        self.write_at(state, None, object, 0, 4, condition, error);
    }
}
