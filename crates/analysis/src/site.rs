//! An instruction, for those who want to name its line.

use ir::{FunctionId, InstId, Program};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Site {
    pub function: FunctionId,
    pub inst: InstId,
}

impl Site {
    /// `file:line`, or the function's name where the line is unknown.
    pub fn describe(self, program: &Program) -> String {
        let function = &program.functions[self.function];
        let body = function.body.as_ref();
        match body.and_then(|body| body.insts[self.inst].location) {
            Some(location) => program.describe_location(location),
            None => function.name.clone(),
        }
    }
}
