//! Bounded checking: is there a violation within these bounds?
//!
//! Unfolds the program, encodes its interleavings, asks a solver, and has the
//! interpreter repeat what the solver found. Nothing is called violated that
//! the interpreter has not seen; nothing is called safe without its bounds.

mod attempt;
mod bounded;
mod collect;
mod deepen;
mod export;
mod feed;
mod sample;
mod schedules;
mod slice;
mod verdict;
mod witness;

pub use bounded::DOUBT;
pub use search::{Slice, Strategy, Tiling};
pub use slice::{Combined, Misfit, SliceResult, SliceVerdict, combine};
pub use verdict::{
    Attempt, Bounds, CutLoop, Limits, Options, Order, Progress, Reductions, Report, Search, Stage,
    Verdict,
};

use analysis::Loops;
use attempt::Task;
use collect::Collection;
use ir::Program;
use library::{Function, Memory};
use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

/// Stack for the thread that works: calls of the program nest there.
const STACK: usize = 1 << 30;

const PANICKED: &str = "internal error: the checker panicked";

/// Checks a program. `watch` is told now and then what is going on, and says
/// whether to go on.
pub fn check(
    program: &Program,
    options: &Options,
    watch: &(dyn Fn(&Progress) -> bool + Sync),
) -> Report {
    let work = || check_here(program, options, watch);
    std::thread::scope(|scope| {
        let worker = std::thread::Builder::new()
            .name("check".to_owned())
            .stack_size(STACK)
            .spawn_scoped(scope, work);
        match worker {
            Err(error) => unknown(format!("cannot start a thread: {error}")),
            Ok(worker) => worker
                .join()
                .unwrap_or_else(|_| unknown(PANICKED.to_owned())),
        }
    })
}

fn unknown(reason: String) -> Report {
    Report {
        verdict: Verdict::Unknown {
            reason,
            established: None,
        },
        attempts: Vec::new(),
        limits_of_part: None,
        more: Vec::new(),
        rest: None,
        misfit: None,
    }
}

fn check_here(
    program: &Program,
    options: &Options,
    watch: &(dyn Fn(&Progress) -> bool + Sync),
) -> Report {
    let deadline = options.time.map(|time| Instant::now() + time);
    let stop = AtomicBool::new(false);
    let watch = |progress: &Progress| !stop.load(Ordering::Relaxed) && watch(progress);
    let task = Task {
        program,
        options,
        digest: replay::digest(program),
        deadline,
        watch: &watch,
        stop: &stop,
        loops: loop_bounds(program, options),
        can_free: can_free(program),
        collection: Collection::default(),
    };
    if let Err(reason) = task.image(&task.options.config) {
        return unknown(reason);
    }
    let mut report = deepen::run(&task);
    let mut runs = task.collection.into_runs().into_iter();
    if let Some(first) = runs.next() {
        let verdict = Verdict::Violated(Box::new(first));
        report.rest = Some(std::mem::replace(&mut report.verdict, verdict));
        report.more = runs.collect();
    }
    state_assumptions(&mut report, program);
    report
}

/// What a verdict takes for granted about addresses, as the beginning of a limit.
pub const LAYOUT: &str = "it does not matter where in memory things are";

/// What a verdict takes for granted about the order of accesses, likewise.
pub const ORDERS: &str = "memory is sequentially consistent";

/// Each object is at one place only, and all threads agree on what happened first.
/// Says so where it matters.
fn state_assumptions(report: &mut Report, program: &Program) {
    let says_nothing = |verdict: &Verdict| match verdict {
        Verdict::Violated(_) => true,
        Verdict::Safe | Verdict::SafeUpTo(_) => false,
        Verdict::Unknown { established, .. } => established.is_none(),
    };
    let says_no_more = report.rest.as_ref().is_none_or(says_nothing);
    if says_nothing(&report.verdict) && says_no_more && report.limits_of_part.is_none() {
        return;
    }
    let name = |site: analysis::Site| site.describe(program);
    let layout = analysis::layout::first_dependence(program)
        .map(|site| format!("{LAYOUT}, which {} may depend on", name(site)));
    let orders = analysis::orders::first_weaker(program)
        .map(|site| format!("{ORDERS}, which {} does not ask for", name(site)));
    let assumptions: Vec<String> = layout.into_iter().chain(orders).collect();
    if assumptions.is_empty() {
        return;
    }
    let add = |limits: &mut Limits| limits.others.extend_from_slice(&assumptions);
    let verdicts = [Some(&mut report.verdict), report.rest.as_mut()];
    for verdict in verdicts.into_iter().flatten() {
        match verdict {
            Verdict::Safe => {
                let mut limits = Limits::default();
                add(&mut limits);
                *verdict = Verdict::SafeUpTo(limits);
            }
            Verdict::SafeUpTo(limits) => add(limits),
            Verdict::Unknown { established, .. } => established.iter_mut().for_each(add),
            Verdict::Violated(_) => {}
        }
    }
    report.limits_of_part.iter_mut().for_each(add);
}

/// The user's bounds of single loops.
fn loop_bounds(
    program: &Program,
    options: &Options,
) -> HashMap<(ir::FunctionId, analysis::LoopId), u32> {
    let mut bounds = HashMap::new();
    if options.bounds.unwind_set.is_empty() {
        return bounds;
    }
    for (id, function) in program.functions.iter() {
        let Some(body) = &function.body else {
            continue;
        };
        for (loop_id, _) in Loops::of(body).iter() {
            let name = format!("{}.{}", function.name, loop_id.as_u32());
            if let Some(bound) = options.bounds.unwind_set.get(&name) {
                bounds.insert((id, loop_id), *bound);
            }
        }
    }
    bounds
}

/// Whether the program frees memory anywhere.
fn can_free(program: &Program) -> bool {
    program.functions.values().any(|function| {
        function.body.is_none()
            && library::lookup(&function.symbol).is_some_and(|entry| {
                matches!(
                    entry.function,
                    Function::Memory(
                        Memory::Free | Memory::Delete | Memory::Realloc | Memory::ReallocArray
                    )
                )
            })
    })
}
