//! Integer arithmetic, and what is wrong with it.

use crate::Error;
use crate::checks::Check;
use crate::compute::words;
use crate::pass::{Flow, Frame, Pass, State};
use formula::{BinaryOp as Word, TermId};
use ir::BinaryOp;

impl<'p> Pass<'p> {
    /// Integer arithmetic. Where the result is undefined, the path ends; a signed
    /// overflow wraps around. `None` if it is undefined on all paths.
    pub(crate) fn binary(
        &mut self,
        state: &mut State,
        op: BinaryOp,
        a: TermId,
        b: TermId,
    ) -> Option<TermId> {
        let never = self.terms.bool(false);
        let (fault, overflow) = match op {
            BinaryOp::UnsignedDiv | BinaryOp::UnsignedRem => {
                (words::is_zero(&mut self.terms, b), never)
            }
            BinaryOp::SignedDiv | BinaryOp::SignedRem => {
                let width = self.terms.width(a);
                let zero = words::is_zero(&mut self.terms, b);
                let least = self.terms.constant(width, 1 << (width - 1));
                let minus_one = self.terms.constant(width, u128::MAX);
                let (least, minus_one) =
                    (self.terms.equal(a, least), self.terms.equal(b, minus_one));
                (zero, self.terms.and(least, minus_one))
            }
            BinaryOp::ShiftLeft | BinaryOp::LogicalShiftRight | BinaryOp::ArithmeticShiftRight => {
                (words::is_too_far(&mut self.terms, b), never)
            }
            _ => (never, never),
        };
        if self.undefined(state, fault, overflow) == Flow::Dead {
            return None;
        }
        let op = match op {
            BinaryOp::Add => Word::Add,
            BinaryOp::Sub => Word::Sub,
            BinaryOp::Mul => Word::Mul,
            BinaryOp::UnsignedDiv => Word::UnsignedDiv,
            BinaryOp::SignedDiv => Word::SignedDiv,
            BinaryOp::UnsignedRem => Word::UnsignedRem,
            BinaryOp::SignedRem => Word::SignedRem,
            BinaryOp::ShiftLeft => Word::ShiftLeft,
            BinaryOp::LogicalShiftRight => Word::ShiftRight,
            BinaryOp::ArithmeticShiftRight => Word::ShiftRightSigned,
            BinaryOp::And => Word::And,
            BinaryOp::Or => Word::Or,
            BinaryOp::Xor => Word::Xor,
        };
        Some(self.terms.binary(op, a, b))
    }

    /// There is no result where one of the conditions holds: because of a division
    /// by zero or a shift, or because it does not fit.
    fn undefined(&mut self, state: &mut State, fault: TermId, overflow: TermId) -> Flow {
        let checks = self.options.checks;
        let either = self.terms.or(fault, overflow);
        if self.terms.as_bool(either) == Some(false) {
            return Flow::Next;
        }
        if !checks.has(Check::Arithmetic) && !checks.has(Check::Overflow) {
            return self.stop(state, either);
        }
        for (check, condition) in [(Check::Arithmetic, fault), (Check::Overflow, overflow)] {
            if self.terms.as_bool(condition) != Some(false)
                && self.violate(state, check, condition) == Flow::Dead
            {
                return Flow::Dead;
            }
        }
        Flow::Next
    }

    /// Takes note where a sum, difference or product of signed numbers does not fit,
    /// if that is looked for.
    pub(crate) fn check_overflow(
        &mut self,
        state: &mut State,
        frame: &Frame,
        op: BinaryOp,
        a: TermId,
        b: TermId,
    ) -> Result<(), Error> {
        let width = self.terms.width(a);
        let (op, most) = match op {
            BinaryOp::Add => (Word::Add, 127),
            BinaryOp::Sub => (Word::Sub, 127),
            BinaryOp::Mul => (Word::Mul, 64),
            _ => return Ok(()),
        };
        if !self.options.checks.has(Check::Overflow) {
            return Ok(());
        }
        if width > most {
            let what = format!("the overflow of numbers of {width} bits");
            return Err(self.unsupported(frame, what));
        }
        let (_, overflow) = words::signed_exactly(&mut self.terms, op, a, b);
        self.notice(state, Check::Overflow, overflow);
        Ok(())
    }
}
