//! Which crate may depend on which, and that the manifests keep to it.
//!
//! A new edge between crates is a rare, deliberate change: it is made here, in
//! [`LAYERS`], and in ARCHITECTURE.md. Crates that come later are added to the
//! table by their authors.

use crate::{Finding, TextFile, Tree};
use std::collections::HashMap;
use toml::de::{DeTable, DeValue};

/// What one crate may depend on within the workspace.
pub struct Layer {
    /// The crate's folder: `crates/<name>`, or `<name>` at the root.
    pub name: &'static str,
    pub may_use: Uses,
    /// What its own tests may use beyond that, each with the reason.
    pub tests_may_use: &'static [(&'static str, &'static str)],
}

pub enum Uses {
    Only(&'static [&'static str]),
    /// For the crates on top, which put everything together.
    Everything,
}

/// From the bottom up.
pub const LAYERS: &[Layer] = &[
    Layer::new("ir", &[]),
    Layer::new("library", &[]),
    Layer::new("system", &[]),
    Layer::new("llvm", &["ir", "system"]),
    Layer::new("analysis", &["ir", "library"]),
    Layer::new("replay", &["ir", "library", "analysis"]),
    Layer::new("clauses", &[]),
    Layer::new("formula", &["clauses"]),
    Layer::new("solve", &["clauses", "system"]),
    Layer::new("search", &["solve", "system"]),
    Layer::new("unfold", &["ir", "library", "analysis", "formula"]),
    Layer {
        tests_may_use: &[(
            "solve",
            "formulas are compared with enumeration by solving them",
        )],
        ..Layer::new("encode", &["formula", "unfold"])
    },
    Layer::new(
        "check",
        &[
            "ir", "library", "analysis", "clauses", "formula", "solve", "search", "unfold",
            "encode", "replay",
        ],
    ),
    Layer::new("report", &["ir", "library", "analysis", "replay", "check"]),
    Layer::new(
        "threadbare",
        &[
            "ir", "library", "llvm", "analysis", "solve", "replay", "check", "report",
        ],
    ),
    Layer::top("cli"),
    Layer::top("tests"),
    Layer::new("fuzz", &["llvm", "replay"]),
    Layer::new("xtask", &[]),
];

/// The crate that confirms every violation must share no code with those that
/// find it, not even in its tests or by way of a third crate.
const WITNESS: &str = "replay";
const NOT_FOR_THE_WITNESS: &[&str] = &[
    "llvm", "clauses", "formula", "unfold", "encode", "solve", "search", "check",
];

impl Layer {
    const fn new(name: &'static str, may_use: &'static [&'static str]) -> Layer {
        Layer {
            name,
            may_use: Uses::Only(may_use),
            tests_may_use: &[],
        }
    }

    const fn top(name: &'static str) -> Layer {
        Layer {
            name,
            may_use: Uses::Everything,
            tests_may_use: &[],
        }
    }

    fn allows(&self, edge: &Edge) -> bool {
        let always = match self.may_use {
            Uses::Only(names) => names.contains(&edge.to.as_str()),
            Uses::Everything => true,
        };
        let for_tests = || self.tests_may_use.iter().any(|(name, _)| *name == edge.to);
        always || (edge.is_for_tests && for_tests())
    }
}

pub fn edges_are_allowed(tree: &Tree) -> Vec<Finding> {
    check_edges(tree, LAYERS)
}

fn check_edges(tree: &Tree, layers: &[Layer]) -> Vec<Finding> {
    let (manifests, mut findings) = read_manifests(tree);
    for manifest in &manifests {
        let Some(layer) = layers.iter().find(|layer| layer.name == manifest.name) else {
            let message = "this crate is not in the table of xtask/src/layers.rs";
            findings.push(manifest.file.finding(None, message));
            continue;
        };
        for edge in manifest.edges.iter().filter(|edge| !layer.allows(edge)) {
            let message = format!(
                "{} must not depend on {} (see xtask/src/layers.rs)",
                manifest.name, edge.to
            );
            findings.push(manifest.file.finding(edge.line, message));
        }
    }
    let is_gone = |name: &str| manifests.iter().all(|manifest| manifest.name != name);
    for layer in layers {
        if is_gone(layer.name) {
            findings.push(Finding {
                path: "xtask/src/layers.rs".into(),
                line: None,
                message: format!("the table lists {}, which is gone", layer.name),
            });
        }
    }
    findings
}

pub fn witness_is_independent(tree: &Tree) -> Vec<Finding> {
    let (manifests, _) = read_manifests(tree);
    let manifest = |name: &str| manifests.iter().find(|manifest| manifest.name == name);
    let Some(witness) = manifest(WITNESS) else {
        return Vec::new();
    };
    // Each path of dependencies is followed once. Tests count for the witness
    // itself only: those of other crates are not part of what it is built from.
    let mut findings = Vec::new();
    let mut reached = vec![WITNESS];
    let mut pending: Vec<(&Edge, Option<usize>, String)> = witness
        .edges
        .iter()
        .map(|edge| (edge, edge.line, WITNESS.to_owned()))
        .collect();
    while let Some((edge, line, path)) = pending.pop() {
        let path = format!("{path} -> {}", edge.to);
        if reached.contains(&edge.to.as_str()) {
            continue;
        }
        reached.push(&edge.to);
        if NOT_FOR_THE_WITNESS.contains(&edge.to.as_str()) {
            let message = format!("the independent witness must not depend on this: {path}");
            findings.push(witness.file.finding(line, message));
        } else if let Some(next) = manifest(&edge.to) {
            let edges = next.edges.iter().filter(|edge| !edge.is_for_tests);
            pending.extend(edges.map(|edge| (edge, line, path.clone())));
        }
    }
    findings
}

/// Packages live in one namespace with everybody else's, so theirs are prefixed;
/// code calls a library by its folder. `crates/threadbare` is what the prefix
/// stands for, and `cargo xtask` is a habit of its own.
pub fn packages_are_prefixed(tree: &Tree) -> Vec<Finding> {
    let (manifests, _) = read_manifests(tree);
    let mut findings = Vec::new();
    for manifest in &manifests {
        let folder = manifest.name;
        let expected = match folder {
            "xtask" | "threadbare" => folder.to_owned(),
            _ => format!("threadbare-{folder}"),
        };
        if manifest.package.as_ref() != Some(&expected) {
            let message = format!("the package should be named `{expected}`");
            findings.push(manifest.file.finding(None, message));
        }
        let root = manifest.file.path.replace("Cargo.toml", "src/lib.rs");
        let is_renamed = expected != folder;
        if is_renamed && tree.has(&root) && manifest.library.as_deref() != Some(folder) {
            let message = format!("the library should be named `{folder}`, by `[lib]`");
            findings.push(manifest.file.finding(None, message));
        }
    }
    findings
}

/// The lints of the root manifest bind a crate only if it says so.
pub fn lints_are_inherited(tree: &Tree) -> Vec<Finding> {
    let (manifests, _) = read_manifests(tree);
    manifests
        .iter()
        // The fuzz targets are a workspace of their own, without these lints; the
        // solver's binding needs one line of unsafe code, so its lints are its own.
        .filter(|manifest| !manifest.inherits_lints && !["fuzz", "solve"].contains(&manifest.name))
        .map(|manifest| {
            let message = "`[lints] workspace = true` is missing";
            manifest.file.finding(None, message)
        })
        .collect()
}

struct Manifest<'t> {
    file: &'t TextFile,
    /// The folder's name, which is also what the table of layers calls it.
    name: &'t str,
    package: Option<String>,
    /// What code calls it, if the manifest says so.
    library: Option<String>,
    inherits_lints: bool,
    edges: Vec<Edge>,
}

/// A dependency on another crate of the workspace.
struct Edge {
    to: String,
    is_for_tests: bool,
    line: Option<usize>,
}

/// Reads the manifests of all crates; those that are not TOML are findings.
fn read_manifests(tree: &Tree) -> (Vec<Manifest<'_>>, Vec<Finding>) {
    let mut parsed = Vec::new();
    let mut findings = Vec::new();
    for file in tree.texts_with("Cargo.toml") {
        match DeTable::parse(&file.text) {
            Ok(table) => parsed.push((file, table.into_inner())),
            Err(error) => findings.push(file.finding(None, error.message())),
        }
    }

    // Dependencies are by package name, layers by folder name.
    let folders: HashMap<&str, &str> = parsed
        .iter()
        .filter_map(|(file, table)| Some((name_in(table, "package")?, folder_name(file)?)))
        .collect();
    // A crate may be renamed in the root manifest.
    let shared: HashMap<&str, &str> = parsed
        .iter()
        .filter(|(file, _)| file.path == "Cargo.toml")
        .filter_map(|(_, table)| table.get("workspace")?.get_ref().get("dependencies"))
        .flat_map(|dependencies| dependencies_of(dependencies.get_ref()))
        .map(|dependency| (dependency.key, dependency.package))
        .collect();

    let manifests = parsed
        .iter()
        .filter_map(|(file, table)| {
            let mut edges = Vec::new();
            for (dependencies, is_for_tests) in tables_of_dependencies(table) {
                for found in dependencies_of(dependencies) {
                    let package = shared.get(found.package).unwrap_or(&found.package);
                    // What is not in a folder of ours comes from elsewhere.
                    if let Some(folder) = folders.get(package) {
                        edges.push(Edge {
                            to: (*folder).to_owned(),
                            is_for_tests,
                            line: Some(1 + file.text[..found.offset].matches('\n').count()),
                        });
                    }
                }
            }
            Some(Manifest {
                file,
                name: folder_name(file)?,
                package: name_in(table, "package").map(str::to_owned),
                library: name_in(table, "lib").map(str::to_owned),
                inherits_lints: inherits_lints(table).unwrap_or(false),
                edges,
            })
        })
        .collect();
    (manifests, findings)
}

/// `ir` of `[lib]`, `name = "ir"`.
fn name_in<'t>(manifest: &'t DeTable<'_>, table: &str) -> Option<&'t str> {
    let table = manifest.get(table)?.get_ref();
    table.get("name")?.get_ref().as_str()
}

fn inherits_lints(manifest: &DeTable<'_>) -> Option<bool> {
    let lints = manifest.get("lints")?.get_ref();
    lints.get("workspace")?.get_ref().as_bool()
}

/// `None` for the root manifest, which belongs to no crate.
fn folder_name(manifest: &TextFile) -> Option<&str> {
    let folder = manifest.path.strip_suffix("/Cargo.toml")?;
    folder.rsplit('/').next()
}

/// All tables of dependencies in a manifest, and whether each is for tests only.
fn tables_of_dependencies<'t>(manifest: &'t DeTable<'t>) -> Vec<(&'t DeValue<'t>, bool)> {
    let targets = manifest
        .get("target")
        .and_then(|targets| targets.get_ref().as_table())
        .into_iter()
        .flat_map(|targets| targets.values())
        .filter_map(|target| target.get_ref().as_table());
    let kinds = [
        ("dependencies", false),
        ("build-dependencies", false),
        ("dev-dependencies", true),
    ];
    std::iter::once(manifest)
        .chain(targets)
        .flat_map(|table| {
            kinds
                .iter()
                .filter_map(|(key, is_for_tests)| Some((table.get(*key)?.get_ref(), *is_for_tests)))
        })
        .collect()
}

struct Dependency<'t> {
    key: &'t str,
    package: &'t str,
    /// Where the key is in the manifest, in bytes.
    offset: usize,
}

fn dependencies_of<'t>(table: &'t DeValue<'t>) -> impl Iterator<Item = Dependency<'t>> {
    table.as_table().into_iter().flatten().map(|(key, value)| {
        let renamed = value.get_ref().get("package");
        let renamed = renamed.and_then(|package| package.get_ref().as_str());
        Dependency {
            key: key.get_ref(),
            package: renamed.unwrap_or(key.get_ref()),
            offset: key.span().start,
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const IR: (&str, &str) = ("crates/ir/Cargo.toml", "[package]\nname = 'ir'\n");
    const LLVM: (&str, &str) = (
        "crates/llvm/Cargo.toml",
        "[package]\nname = 'llvm'\n[dependencies]\nir.workspace = true\nserde = '1'\n",
    );
    const TABLE: &[Layer] = &[Layer::new("ir", &[]), Layer::new("llvm", &["ir"])];

    fn messages(findings: Vec<Finding>) -> Vec<String> {
        findings.iter().map(Finding::to_string).collect()
    }

    #[test]
    fn edges_in_the_table_are_allowed() {
        assert_eq!(check_edges(&Tree::of(&[IR, LLVM]), TABLE), []);
    }

    #[test]
    fn an_edge_upwards_is_refused_wherever_it_hides() {
        for dependencies in [
            "[dependencies]\nllvm.workspace = true",
            "[dev-dependencies]\nllvm = { path = '../llvm' }",
            "[build-dependencies]\nllvm.workspace = true",
            "[dependencies]\nreader = { package = 'llvm', path = '../llvm' }",
            "[dependencies]\nfront-end.workspace = true",
            "[target.'cfg(unix)'.dependencies]\nllvm.workspace = true",
            "[dependencies.llvm]\nworkspace = true",
        ] {
            let ir = format!("[package]\nname = 'ir'\n{dependencies}\n");
            let root = "[workspace.dependencies]\nfront-end = { package = 'llvm', path = 'x' }\n";
            let tree = Tree::of(&[("crates/ir/Cargo.toml", &ir), LLVM, ("Cargo.toml", root)]);
            let found = check_edges(&tree, TABLE);
            assert_eq!(found.len(), 1, "{dependencies}: {found:?}");
            assert!(found[0].message.starts_with("ir must not depend on llvm"));
            let line = if dependencies.contains("[dependencies.llvm]") {
                3
            } else {
                4
            };
            assert_eq!(found[0].line, Some(line), "{dependencies}");
        }
    }

    #[test]
    fn tests_may_use_more_if_the_table_says_so() {
        let table = &[
            Layer {
                name: "ir",
                may_use: Uses::Only(&[]),
                tests_may_use: &[("llvm", "for this test")],
            },
            Layer::new("llvm", &["ir"]),
        ];
        let with = |kind: &str| {
            let ir = format!("[package]\nname = 'ir'\n[{kind}]\nllvm.workspace = true\n");
            check_edges(&Tree::of(&[("crates/ir/Cargo.toml", &ir), LLVM]), table).len()
        };
        assert_eq!(with("dev-dependencies"), 0);
        assert_eq!(with("dependencies"), 1);
    }

    #[test]
    fn the_table_and_the_crates_agree() {
        assert_eq!(
            messages(check_edges(&Tree::of(&[IR]), TABLE)),
            ["xtask/src/layers.rs: the table lists llvm, which is gone"]
        );
        let extra = ("crates/extra/Cargo.toml", "[package]\nname = 'extra'\n");
        assert_eq!(
            messages(check_edges(&Tree::of(&[IR, LLVM, extra]), TABLE)),
            ["crates/extra/Cargo.toml: this crate is not in the table of xtask/src/layers.rs"]
        );
    }

    #[test]
    fn a_manifest_that_is_no_toml_is_reported() {
        let broken = ("crates/ir/Cargo.toml", "[package\n");
        assert!(!check_edges(&Tree::of(&[broken]), &[]).is_empty());
    }

    #[test]
    fn the_witness_is_checked_through_other_crates() {
        let analysis = "[package]\nname = 'analysis'\n[dependencies]\nllvm.workspace = true\n";
        let replay = "[package]\nname = 'replay'\n[dependencies]\nanalysis.workspace = true\n";
        let tree = Tree::of(&[
            IR,
            LLVM,
            ("crates/analysis/Cargo.toml", analysis),
            ("crates/replay/Cargo.toml", replay),
        ]);
        assert_eq!(
            messages(witness_is_independent(&tree)),
            [
                "crates/replay/Cargo.toml:4: the independent witness must not depend on this: \
              replay -> analysis -> llvm"
            ]
        );
    }

    #[test]
    fn the_tests_of_the_witness_count_those_of_other_crates_do_not() {
        let check = |analysis: &str, replay: &str| {
            let analysis = format!("[package]\nname = 'analysis'\n{analysis}");
            let replay = format!("[package]\nname = 'replay'\n{replay}");
            witness_is_independent(&Tree::of(&[
                IR,
                LLVM,
                ("crates/analysis/Cargo.toml", &analysis),
                ("crates/replay/Cargo.toml", &replay),
            ]))
            .len()
        };
        let uses_analysis = "[dependencies]\nanalysis.workspace = true\n";
        let tests_use_llvm = "[dev-dependencies]\nllvm.workspace = true\n";
        assert_eq!(check("", tests_use_llvm), 1);
        assert_eq!(check(tests_use_llvm, uses_analysis), 0);
    }

    #[test]
    fn packages_have_the_prefix_and_libraries_do_not() {
        let check = |folder: &str, manifest: &str| {
            let (path, root) = (
                format!("{folder}/Cargo.toml"),
                format!("{folder}/src/lib.rs"),
            );
            packages_are_prefixed(&Tree::of(&[(&path, manifest), (&root, "")])).len()
        };
        let package = "[package]\nname = 'threadbare-ir'\n";
        let library = "[lib]\nname = 'ir'\n";
        assert_eq!(check("crates/ir", &format!("{package}{library}")), 0);
        assert_eq!(check("crates/ir", package), 1);
        assert_eq!(check("crates/ir", IR.1), 2);
        assert_eq!(check("crates/encode", &format!("{package}{library}")), 2);
        assert_eq!(check("xtask", "[package]\nname = 'xtask'\n"), 0);
        assert_eq!(
            check("crates/threadbare", "[package]\nname = 'threadbare'\n"),
            0
        );
        // A program has no library to be named.
        let program = ("crates/ir/Cargo.toml", package);
        assert_eq!(packages_are_prefixed(&Tree::of(&[program])), []);
    }

    #[test]
    fn lints_must_be_inherited() {
        let good = "[package]\nname = 'ir'\n[lints]\nworkspace = true\n";
        let good = Tree::of(&[("crates/ir/Cargo.toml", good)]);
        assert_eq!(lints_are_inherited(&good), []);
        assert_eq!(lints_are_inherited(&Tree::of(&[IR])).len(), 1);
    }
}
