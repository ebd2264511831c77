//! Points of a program that a run may come by: where assertions are looked at,
//! and where lines begin. Whether some run does come by is for others to find out.
//!
//! An assertion is looked at where it is tested. `assert(c)` becomes a branch to a
//! call that never returns; the call itself is reached only if the assertion
//! fails, so what counts is that the block with the branch comes to its end.

use crate::Site;
use ir::{BlockId, Body, Callee, FunctionId, InstId, Location, Op, Program, Terminator};
use library::{Function, Process, Verifier};
use std::collections::BTreeMap;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Landmark {
    /// The instruction is about to be executed, perhaps when its turn comes.
    Inst(Site),
    /// A block comes to its end: it is decided where to go next.
    End(FunctionId, BlockId),
    /// A function with neither body nor model is called here.
    UnknownCall(FunctionId, Site),
}

/// Something that the program claims.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Assertion {
    /// The call that fails, or that is given the condition.
    pub site: Site,
    /// It is looked at if a run comes by one of these.
    pub tested_at: Vec<Landmark>,
}

/// All assertions of a program, in the order of its text.
pub fn assertions(program: &Program) -> Vec<Assertion> {
    let mut found = Vec::new();
    for (function, data) in program.functions.iter() {
        let Some(body) = &data.body else {
            continue;
        };
        // Stand-ins for functions whose meaning is known are never executed.
        let entry = library::lookup(&data.symbol);
        if entry.is_some_and(|entry| library::overrides_body(entry.function)) {
            continue;
        }
        for (block, contents) in body.blocks.iter() {
            for inst in &contents.insts {
                if let Some(kind) = kind_of(program, body, *inst) {
                    let site = Site {
                        function,
                        inst: *inst,
                    };
                    let tested_at = match kind {
                        Kind::Test => vec![Landmark::Inst(site)],
                        Kind::Failure => tests_before(body, function, block, site),
                    };
                    found.push(Assertion { site, tested_at });
                }
            }
        }
    }
    found
}

enum Kind {
    /// It is given the condition.
    Test,
    /// It is called if the condition does not hold.
    Failure,
}

fn kind_of(program: &Program, body: &Body, inst: InstId) -> Option<Kind> {
    let Op::Call {
        callee: Callee::Direct(callee),
        ..
    } = &body.insts[inst].op
    else {
        return None;
    };
    let callee = &program.functions[*callee];
    let entry = library::lookup(&callee.symbol)?;
    if callee.body.is_some() && !library::overrides_body(entry.function) {
        return None;
    }
    match entry.function {
        Function::Verifier(Verifier::Assert) => Some(Kind::Test),
        Function::Verifier(Verifier::Error) | Function::Process(Process::AssertFail) => {
            Some(Kind::Failure)
        }
        _ => None,
    }
}

/// The branches that lead to a block; if it is not reached by branches alone, what
/// is in it is looked at only when it is reached.
fn tests_before(body: &Body, function: FunctionId, block: BlockId, site: Site) -> Vec<Landmark> {
    let mut tests = Vec::new();
    for (from, contents) in body.blocks.iter() {
        if !contents.terminator.successors().contains(&block) {
            continue;
        }
        match contents.terminator {
            Terminator::Branch { .. } | Terminator::Switch { .. } => {
                tests.push(Landmark::End(function, from));
            }
            _ => return vec![Landmark::Inst(site)],
        }
    }
    match block == Body::ENTRY || tests.is_empty() {
        true => vec![Landmark::Inst(site)],
        false => tests,
    }
}

/// A line of the source, and the points at which runs come to it.
pub struct Line {
    pub location: Location,
    pub begins_at: Vec<Landmark>,
}

/// Lines with code, by file and number.
pub fn lines(program: &Program) -> BTreeMap<(String, u32), Line> {
    let mut lines: BTreeMap<(String, u32), Line> = BTreeMap::new();
    for (function, data) in program.functions.iter() {
        let Some(body) = &data.body else {
            continue;
        };
        for (block, contents) in body.blocks.iter() {
            let mut last = None;
            let insts = contents.insts.iter().map(|inst| {
                let site = Site {
                    function,
                    inst: *inst,
                };
                (body.insts[*inst].location, Landmark::Inst(site))
            });
            let end = (contents.terminator_location, Landmark::End(function, block));
            for (location, landmark) in insts.chain([end]) {
                let Some(location) = location.filter(|location| location.line > 0) else {
                    continue;
                };
                let key = (program.files[location.file].clone(), location.line);
                // Of neighbours on one line the first is enough.
                if last.replace(key.clone()) != Some(key.clone()) {
                    let line = lines.entry(key).or_insert_with(|| Line {
                        location,
                        begins_at: Vec::new(),
                    });
                    line.begins_at.push(landmark);
                }
            }
        }
    }
    lines
}
