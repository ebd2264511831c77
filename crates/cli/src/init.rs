//! `threadbare init`: what a component offers, and a driver to begin with.

use crate::args::Init as Arguments;
use crate::guard::{self, Format};
use crate::{Failure, Status, print};
use analysis::interface;
use report::Calls;
use std::path::{Path, PathBuf};
use threadbare::Program;

pub(crate) fn init(arguments: &Arguments) -> Result<Status, Failure> {
    guard::keep(&arguments.limits, Format::Text);
    let [file] = arguments.input.files.as_slice() else {
        return Err(Failure::Usage("init takes one file".to_owned()));
    };
    if file.extension().is_none_or(|extension| extension != "c") {
        return Err(Failure::Usage("init takes a C file (.c)".to_owned()));
    }
    let output = (arguments.output.clone()).unwrap_or_else(|| default_output(file));
    if output.exists() {
        return Err(Failure::Usage(format!(
            "{} exists; --output names another file",
            output.display()
        )));
    }
    let sources = arguments.input.sources(&arguments.limits);
    let program = sources.without_main().read()?;
    let offers = interface::offers(program.model(), &file.display().to_string());
    write(arguments, file, &output, &program, &offers)?;
    let mut text = format!("{} functions in {}:\n", offers.len(), file.display());
    text.push_str(&report::render_offers(program.model(), &offers));
    text.push_str(&format!(
        "a driver is in {0}; change it until it says what you want to know, then:\n  \
         {1}\n",
        output.display(),
        check_command(arguments, &output),
    ));
    guard::begin_to_tell();
    print(text)?;
    Ok(Status::Fine)
}

/// Writes a driver that compiles: with calls if that goes, or else without.
fn write(
    arguments: &Arguments,
    file: &Path,
    output: &Path,
    program: &Program,
    offers: &[interface::Offer],
) -> Result<(), Failure> {
    let included = included_as(file, output);
    let own = output.display().to_string();
    let mut last = None;
    for calls in [Calls::Written, Calls::Commented] {
        let text = report::render_driver(program.model(), offers, &included, &own, calls);
        std::fs::write(output, text).map_err(|error| Failure::Write {
            path: output.to_owned(),
            error,
        })?;
        let mut input = arguments.input.clone();
        input.files = vec![output.to_owned()];
        match input.sources(&arguments.limits).read() {
            Ok(_) => return Ok(()),
            Err(error) => last = Some(error),
        }
    }
    match last {
        Some(error) => Err(error.into()),
        None => Ok(()),
    }
}

/// `queue-driver.c` beside `queue.c`.
fn default_output(file: &Path) -> PathBuf {
    let stem = file.file_stem().unwrap_or_default().to_string_lossy();
    file.with_file_name(format!("{stem}-driver.c"))
}

/// How the driver names the component: relative if both are in one folder.
fn included_as(file: &Path, output: &Path) -> String {
    let name = match (file.parent() == output.parent(), file.file_name()) {
        (true, Some(name)) => PathBuf::from(name),
        _ => std::path::absolute(file).unwrap_or_else(|_| file.to_owned()),
    };
    name.display().to_string()
}

fn check_command(arguments: &Arguments, output: &Path) -> String {
    let mut input = arguments.input.clone();
    input.files = vec![output.to_owned()];
    input.command_line("check", &[])
}
