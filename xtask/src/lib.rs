//! Chores of the repository: checks that neither the compiler nor clippy makes,
//! and long runs of the tool.
//!
//! Each check is a function from a [`Tree`], the text of all files, to a list
//! of [`Finding`]s. Only [`Tree::read`] touches the disk, so every check can be
//! shown to fail on a few lines of made-up text. `cargo xtask tidy` runs them
//! all, and so does `cargo test`. Nothing here depends on the tool's crates.

pub mod bench;
pub mod corpus;
mod deadlocks;
pub mod documents;
pub mod fuzz_outside;
pub mod growth;
pub mod layers;
pub mod limits;
mod plot;
pub mod regress;
pub mod rust_files;
pub mod sentences;
mod tree;
pub mod walks;

pub use tree::{Finding, TextFile, Tree};

/// All checks, in the order in which they report.
const CHECKS: [fn(&Tree) -> Vec<Finding>; 17] = [
    layers::edges_are_allowed,
    layers::witness_is_independent,
    layers::lints_are_inherited,
    layers::packages_are_prefixed,
    documents::named_paths_exist,
    documents::crates_are_described,
    documents::no_machine_paths,
    walks::walks_are_complete,
    rust_files::docs_come_first,
    rust_files::names_say_something,
    rust_files::files_are_short,
    rust_files::nothing_unfinished,
    rust_files::only_edges_print,
    rust_files::exceptions_have_reasons,
    rust_files::whitespace_is_plain,
    sentences::sentences_are_not_compared,
    regress::cases_state_expectations,
];

/// Everything that is wrong with the repository.
pub fn tidy(tree: &Tree) -> Vec<Finding> {
    CHECKS.iter().flat_map(|check| check(tree)).collect()
}
