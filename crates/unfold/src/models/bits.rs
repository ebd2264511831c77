//! Bits of numbers.

use crate::Error;
use crate::calls::{Call, Reply};
use crate::pass::Pass;
use library::Bits;

impl<'p> Pass<'p> {
    pub(crate) fn bits_model(&mut self, op: Bits, call: &Call) -> Result<Reply, Error> {
        match op {
            Bits::FindFirstSet => {
                let value = self.raw_argument(call, 0);
                let width = self.terms.width(value);
                let mut result = self.terms.constant(32, 0);
                for bit in (0..width).rev() {
                    let one = self.terms.extract(value, bit, bit);
                    let is_set = self.terms.is_one(one);
                    let position = self.terms.constant(32, u128::from(bit) + 1);
                    result = self.terms.ite(is_set, position, result);
                }
                Ok(Reply::Return(result))
            }
        }
    }
}
