//! What the integration tests share.
//!
//! The tests themselves are in `tests/tests`, one file per question: does the
//! interpreter do what the machine does (`native`, `generated`), does the
//! explorer count what a person counts (`explore`), does it find classic
//! mistakes (`bugs`), and does it agree with known verdicts (`corpus`).
//!
//! Here is what they need for that: compilers in [`clang`], runs and their
//! comparison in [`run`], violations replayed in [`witness`], many cases at once
//! in [`cases`], unfolded programs in [`unfolding`], random programs from [`generate_c`] and [`oracle`], and what the
//! machine says about multi-threaded ones in [`judge`]. A test that cannot run
//! says so on the standard error stream, even when the test runner hides what
//! tests print.

pub mod cases;
pub mod clang;
pub mod generate_c;
pub mod judge;
pub mod oracle;
pub mod run;
pub mod unfolding;
pub mod witness;

use std::io::Write;
use std::path::PathBuf;

/// The folder of this package, which holds the test programs.
pub fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

/// The folder of the whole repository.
pub fn repository() -> PathBuf {
    match folder().parent() {
        Some(parent) => parent.to_owned(),
        None => folder(),
    }
}

/// Tells the person who runs the tests something, whether or not the test
/// runner hides output.
pub fn notice(message: &str) {
    // `eprintln!` would be captured. If nobody listens, that is not a failure.
    let _ = writeln!(std::io::stderr(), "{message}");
}
