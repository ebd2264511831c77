//! Variables of the environment that the program asks for by constant names: whether
//! each is there, and what it says, are inputs. Others are not there.

use crate::MAIN;
use crate::compute::words;
use crate::facts::objects::{Content, Object, ObjectId, ObjectKey};
use crate::pass::{Pass, State};
use formula::{Sort, TermId};
use library::ARGUMENT_CHARACTERS;

/// A variable of the environment.
#[derive(Clone, Debug)]
pub struct OpenVariable {
    pub name: String,
    pub is_there: TermId,
    /// What it says if it is there. After a zero comes nothing.
    pub text: Vec<TermId>,
}

impl Pass<'_> {
    pub(crate) fn make_open_variables(&mut self) {
        let names = analysis::outside::variables(self.program);
        for name in names {
            let is_there = self.terms.new_variable("variable", Sort::Bool);
            let mut is_over = self.terms.bool(false);
            let zero = self.terms.constant(8, 0);
            let mut text = Vec::new();
            for _ in 0..ARGUMENT_CHARACTERS {
                let byte = self.terms.new_variable("variable", Sort::BitVec(8));
                let byte = self.terms.ite(is_over, zero, byte);
                is_over = words::is_zero(&mut self.terms, byte);
                text.push(byte);
            }
            self.open_variables.push(OpenVariable {
                name,
                is_there,
                text,
            });
        }
    }

    fn variable_object(&mut self, index: usize) -> ObjectId {
        let key = ObjectKey::Environment("variable", index as u32);
        let name = self.open_variables[index].name.clone();
        self.facts.objects.make(key.clone(), || Object {
            key,
            size: ARGUMENT_CHARACTERS as u64 + 1,
            name,
            is_constant: false,
            owner: MAIN,
            starts_as: Content::Zero,
        })
    }

    /// Puts what they say where it is to be found.
    pub(crate) fn fill_open_variables(&mut self, state: &mut State) {
        for index in 0..self.open_variables.len() {
            let object = self.variable_object(index);
            let is_there = self.open_variables[index].is_there;
            for (at, byte) in (0..).zip(self.open_variables[index].text.clone()) {
                self.write_at(state, None, object, at, 1, is_there, byte);
            }
        }
    }

    /// The address of what a variable says, or null.
    pub(crate) fn variable(&mut self, name: &[u8]) -> TermId {
        let null = self.terms.constant(self.word(), 0);
        let mut variables = self.open_variables.iter();
        match variables.position(|variable| variable.name.as_bytes() == name) {
            None => null,
            Some(index) => {
                let object = self.variable_object(index);
                let address = self.address(object, 0);
                let is_there = self.open_variables[index].is_there;
                self.terms.ite(is_there, address, null)
            }
        }
    }
}
