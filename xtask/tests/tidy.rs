//! The repository passes its own checks, so that `cargo test` tells whether a
//! change is complete.

use std::path::Path;
use xtask::{Finding, Tree};

#[test]
fn the_repository_is_tidy() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let tree = Tree::read(&root).expect("the repository should be readable");
    let findings = xtask::tidy(&tree);
    let lines: Vec<String> = findings.iter().map(Finding::to_string).collect();
    assert!(findings.is_empty(), "not tidy:\n{}", lines.join("\n"));
}
