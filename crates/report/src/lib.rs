//! Runs, violations, explorations and checks as text for people, and as JSON.
//!
//! Takes what other crates have established and words it; decides nothing,
//! prints nothing, and never asks the terminal: the caller passes its width.

mod check;
mod columns;
mod coverage;
mod driver;
mod exploration;
mod facts;
mod json;
mod orders;
mod outline;
mod picture;
mod run;
mod standing;
mod trace;

pub use crate::check::{Cost, Replay, render_check, render_combined, render_statistics};
pub use coverage::render_lcov;
pub use driver::{Calls, render_driver, render_offers};
pub use exploration::render_exploration;
pub use facts::{
    describe_assumption, describe_conflict, describe_failure, describe_internal, describe_reason,
};
pub use json::{check_to_json, exploration_to_json, run_to_json};
pub use outline::render_outline;
pub use picture::render_picture;
pub use run::{render_run, render_violation};
pub use trace::{describe_effect, render_trace};

/// What separates thousands in numbers for people.
fn group_digits(number: u128) -> String {
    let digits = number.to_string();
    let mut grouped = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    grouped
}

/// `1 schedule`, `2 schedules`.
fn plural(number: u128, noun: &str) -> String {
    let ending = if number == 1 { "" } else { "s" };
    format!("{} {noun}{ending}", group_digits(number))
}
