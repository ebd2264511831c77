//! `threadbare show`: what is in a program.

use crate::args::Show;
use crate::guard::{self, Format};
use crate::input::load;
use crate::{Failure, Status, print};
use analysis::Outline;
use replay::Checks;

pub(crate) fn show(arguments: &Show) -> Result<Status, Failure> {
    guard::keep(&arguments.limits, Format::Text);
    let program = load(&arguments.input, None, Checks::NONE, &arguments.limits)?;
    guard::alone_with("the program is looked at");
    let program = program.model();
    let text = match arguments.ir {
        true => program.to_string(),
        false => report::render_outline(program, &Outline::of(program)),
    };
    guard::begin_to_tell();
    print(text)?;
    Ok(Status::Fine)
}
