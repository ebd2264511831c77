//! Attribute objects: what is chosen for threads, mutexes and so on before they
//! are made. The tables of the library say which byte holds what.

use super::{EINVAL, ENOTSUP};
use crate::Error;
use crate::calls::{Call, Reply};
use crate::compute::words;
use crate::pass::{Flow, Frame, Pass, State};
use formula::TermId;
use library::Attribute;

/// How much of an attribute object is used.
const SIZE: u64 = 4;
/// Stacks must not be smaller.
const LEAST_STACK: u128 = 16384;

impl<'p> Pass<'p> {
    /// The byte of an attribute object, as an int; without an object it is 0.
    pub(crate) fn attribute(
        &mut self,
        state: &State,
        frame: &Frame,
        call: &Call,
        (index, at): (usize, u8),
    ) -> Result<TermId, Error> {
        let address = self.argument(call, index);
        let targets = self.resolve(frame, address, SIZE, false)?;
        let mut value = self.terms.constant(8, 0);
        for target in &targets.list {
            let offset = target.offset + u64::from(at);
            let here = self.peek(state, target.object, offset, 1);
            value = self.terms.ite(target.condition, here, value);
        }
        Ok(self.terms.resize(value, 32))
    }

    /// All attributes begin as zeros.
    pub(crate) fn init_attributes(
        &mut self,
        state: &mut State,
        frame: &Frame,
        call: &Call,
    ) -> Result<Reply, Error> {
        let zero = self.int(0);
        self.write_int(state, frame, call, 0, zero)
    }

    pub(crate) fn set_attribute(
        &mut self,
        state: &mut State,
        frame: &Frame,
        call: &Call,
        attribute: Attribute,
    ) -> Result<Reply, Error> {
        let value = self.number(call, 1, 32);
        let least = self.int(u128::from(attribute.least));
        let most = self.int(u128::from(attribute.most));
        let (is_low, is_high) = (
            self.terms.unsigned_less(value, least),
            self.terms.unsigned_less(most, value),
        );
        let is_wrong = self.terms.or(is_low, is_high);
        let invalid = self.int(EINVAL);
        if self.terms.as_bool(is_wrong) == Some(true) {
            return Ok(Reply::Return(invalid));
        }
        let address = self.argument(call, 0);
        let targets = self.resolve(frame, address, SIZE, true)?;
        let Ok(position) = self.begin_access(state, frame, &targets, SIZE, 0) else {
            return Ok(Reply::Never);
        };
        let is_fine = self.terms.not(is_wrong);
        let byte = self.terms.extract(value, 7, 0);
        let part = ((u64::from(attribute.at), 1), byte);
        self.store_to(state, position, &targets, &[part], is_fine);
        let zero = self.int(0);
        Ok(Reply::Return(self.terms.ite(is_wrong, invalid, zero)))
    }

    pub(crate) fn get_attribute(
        &mut self,
        state: &mut State,
        frame: &Frame,
        call: &Call,
        attribute: Attribute,
    ) -> Result<Reply, Error> {
        let value = self.attribute(state, frame, call, (0, attribute.at))?;
        let least = self.int(u128::from(attribute.least));
        let was_never_set = self.terms.unsigned_less(value, least);
        let value = self.terms.ite(was_never_set, least, value);
        self.write_int(state, frame, call, 1, value)
    }

    /// Threads compete with those of all processes, or else it is an error.
    pub(crate) fn set_scope(&mut self, call: &Call) -> Reply {
        let scope = self.number(call, 1, 32);
        let (is_system, is_process) = (
            words::is_number(&mut self.terms, scope, 0),
            words::is_number(&mut self.terms, scope, 1),
        );
        let (zero, refused, invalid) = (self.int(0), self.int(ENOTSUP), self.int(EINVAL));
        let error = self.terms.ite(is_process, refused, invalid);
        Reply::Return(self.terms.ite(is_system, zero, error))
    }

    pub(crate) fn set_stack_size(&mut self, call: &Call) -> Reply {
        let size = self.argument(call, 1);
        let least = self.terms.constant(self.terms.width(size), LEAST_STACK);
        let is_small = self.terms.unsigned_less(size, least);
        let (zero, invalid) = (self.int(0), self.int(EINVAL));
        Reply::Return(self.terms.ite(is_small, invalid, zero))
    }

    /// Stores an int through a pointer argument and returns 0.
    fn write_int(
        &mut self,
        state: &mut State,
        frame: &Frame,
        call: &Call,
        index: usize,
        value: TermId,
    ) -> Result<Reply, Error> {
        let address = self.argument(call, index);
        match self.store(state, frame, address, 4, &[((0, 4), value)], 0)? {
            Flow::Dead => Ok(Reply::Never),
            Flow::Next => self.reply(0),
        }
    }
}
