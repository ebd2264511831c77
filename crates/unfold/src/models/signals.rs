//! Signals, which never arrive: what is left is the sets that are stored.

use crate::Error;
use crate::calls::{Call, Reply, split};
use crate::compute::words;
use crate::pass::{Flow, Frame, Pass, State};
use library::Signals;

/// Bytes of a `sigset_t`.
const SET: u64 = 128;

impl<'p> Pass<'p> {
    pub(crate) fn signals_model(
        &mut self,
        state: &mut State,
        frame: &Frame,
        op: Signals,
        call: &Call,
    ) -> Result<Reply, Error> {
        match op {
            Signals::ChangeSet | Signals::Handler => self.reply(0),
            Signals::MakeSet => {
                let symbol = &self.program.functions[call.function].symbol;
                let word = match symbol == "sigfillset" {
                    true => u128::from(u64::MAX),
                    false => 0,
                };
                self.write_set(state, frame, call, 0, word)
            }
            Signals::Mask => match self.is_old_wanted(frame, call)? {
                true => self.write_set(state, frame, call, 2, 0),
                false => self.reply(0),
            },
            Signals::Action => match self.is_old_wanted(frame, call)? {
                true => Err(self.unsupported(frame, "sigaction that asks for the old action")),
                false => self.reply(0),
            },
        }
    }

    /// Whether the third argument is a place for what was there before.
    fn is_old_wanted(&mut self, frame: &Frame, call: &Call) -> Result<bool, Error> {
        let place = self.argument(call, 2);
        let is_null = words::is_zero(&mut self.terms, place);
        match self.terms.as_bool(is_null) {
            Some(is_null) => Ok(!is_null),
            None => Err(self.unsupported(frame, "a pointer that may be null or not")),
        }
    }

    fn write_set(
        &mut self,
        state: &mut State,
        frame: &Frame,
        call: &Call,
        index: usize,
        word: u128,
    ) -> Result<Reply, Error> {
        let place = self.argument(call, index);
        let word = self.terms.constant(64, word);
        let parts: Vec<_> = split(SET).into_iter().map(|part| (part, word)).collect();
        match self.store(state, frame, place, SET, &parts, 0)? {
            Flow::Dead => Ok(Reply::Never),
            Flow::Next => self.reply(0),
        }
    }
}
