//! `threadbare show`: what is in a program.

use crate::args::Show;
use crate::input::load;
use crate::{Failure, Status, print};
use analysis::Outline;
use replay::Checks;

pub fn show(arguments: &Show) -> Result<Status, Failure> {
    let loaded = load(&arguments.input, None, Checks::NONE)?;
    let program = &loaded.program;
    if arguments.ir {
        print(program.to_string())?;
    } else {
        print(report::render_outline(program, &Outline::of(program)))?;
    }
    Ok(Status::Fine)
}
