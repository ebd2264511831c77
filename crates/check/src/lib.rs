//! Bounded checking: is there a violation within these bounds?
//!
//! Unfolds the program, encodes its interleavings, asks a solver, and has the
//! interpreter repeat what the solver found. Nothing is called violated that
//! the interpreter has not seen; nothing is called safe without its bounds.

mod attempt;
mod board;
mod bounded;
mod collect;
mod cores;
mod engines;
mod export;
mod facts;
mod feed;
mod orders;
mod question;
mod reach;
mod schedules;
mod silent;
mod slice;
mod standing;
mod suppress;
mod verdict;
mod witness;

pub use analysis::orders::Kind as AccessKind;
pub use engines::Name as Engine;
pub use facts::{
    Assumption, CutLoop, Dependent, Ending, Internal, Limits, Obstacle, Part, Reach, Reason,
    Silent, SourcePlace, Suppressible, UnknownCall, Unsupported,
};
pub use orders::{Advise, Advised, Change};
pub use question::Question;
pub use search::{Key, LeftOut, SealError, Slice, Strategy, Tiling, Untried};
pub use slice::{Combined, Misfit, SliceResult, SliceVerdict, combine};
pub use solve::{Ability, Backend};
pub use standing::{Advice, Closed, Costly, Progressed};
pub use suppress::{IgnoredLine, Suppressed, Suppressions, WrongLine};
pub use unfold::{Maker, Omission, Way};
pub use verdict::{
    Attempt, Bounds, Conflict, Encoding, Kind, Options, Order, Progress, Reductions, Report,
    Search, Stage, Verdict,
};

use analysis::Loops;
use attempt::Task;
use board::{Bars, Board, Summary};
use collect::Collection;
use cores::Cores;
use engines::Office;
use ir::Program;
use library::{Function, Memory, MemoryModel};
use reach::Watchlist;
use replay::Run;
use solve::Budget;
use standing::Effort;
use std::collections::{BTreeMap, HashMap};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

/// Stack for the thread that works: calls of the program nest there.
const STACK: usize = 1 << 30;

/// Who wants the answer.
pub trait Host: Sync {
    /// Is told now and then what is going on, and says whether to go on.
    fn keep_going(&self, progress: &Progress) -> bool;

    /// Whether nobody wants the answer any more. Asked often.
    fn is_interrupted(&self) -> bool {
        false
    }

    /// All is said that there is to say, or a limit is reached, but some work goes on
    /// that nobody can interrupt. Whoever does not want to wait for its end, ends the
    /// process.
    fn overdue(&self, report: Report) {
        drop(report);
    }
}

/// Waits for whatever takes long.
struct Patient<'w>(&'w (dyn Fn(&Progress) -> bool + Sync));

impl Host for Patient<'_> {
    fn keep_going(&self, progress: &Progress) -> bool {
        self.0(progress)
    }
}

/// Whoever waits for more than the question at hand.
struct Aside<'h>(&'h dyn Host);

impl Host for Aside<'_> {
    fn keep_going(&self, progress: &Progress) -> bool {
        self.0.keep_going(progress)
    }

    fn is_interrupted(&self) -> bool {
        self.0.is_interrupted()
    }
}

/// Checks a program. `watch` is told now and then what is going on, and says
/// whether to go on.
pub fn check(
    program: &Program,
    options: &Options,
    watch: &(dyn Fn(&Progress) -> bool + Sync),
) -> Report {
    check_for(program, options, &Patient(watch))
}

/// Checks a program for somebody who may not want to wait.
pub fn check_for(program: &Program, options: &Options, host: &dyn Host) -> Report {
    let work = || check_here(program, options, host);
    std::thread::scope(|scope| {
        let worker = std::thread::Builder::new()
            .name("check".to_owned())
            .stack_size(STACK)
            .spawn_scoped(scope, work);
        match worker {
            Err(error) => unknown(Reason::CannotStart {
                problem: error.to_string(),
            }),
            Ok(worker) => worker
                .join()
                .unwrap_or_else(|_| unknown(Reason::Internal(Internal::Panicked))),
        }
    })
}

fn unknown(reason: Reason) -> Report {
    Report {
        verdict: Verdict::Unknown {
            reason,
            established: None,
        },
        memory_model: MemoryModel::default(),
        attempts: Vec::new(),
        limits_of_part: None,
        assertions: Vec::new(),
        lines: BTreeMap::new(),
        more: Vec::new(),
        rest: None,
        progressed: Progressed::default(),
        failures: Vec::new(),
        suppressed: Vec::new(),
        orders: None,
    }
}

/// Checks a program, and finds out what else is wanted about its memory orders.
fn check_here(program: &Program, options: &Options, host: &dyn Host) -> Report {
    let start = Instant::now();
    let mut report = check_only(program, options, host);
    let advisor = orders::Advisor {
        program,
        options,
        deadline: deadline(options, start),
        ask: &|program, options| check_only(program, options, &Aside(host)),
    };
    report.orders = advisor.advise(&report, start.elapsed());
    report
}

/// When the time is over. A time that no clock can show is no limit.
fn deadline(options: &Options, start: Instant) -> Option<Instant> {
    options.time.and_then(|time| start.checked_add(time))
}

fn check_only(program: &Program, options: &Options, host: &dyn Host) -> Report {
    if let Err(conflict) = options.validate() {
        return unknown(Reason::Options(conflict));
    }
    let start = Instant::now();
    let deadline = deadline(options, start);
    let budget = Budget {
        deadline,
        ..Budget::default()
    };
    if let Err(error) = options.search.solver.probe(&budget) {
        let problem = error.to_string();
        return unknown(Reason::Solver { problem });
    }
    let stop = AtomicBool::new(false);
    let watch = |progress: &Progress| !stop.load(Ordering::Relaxed) && host.keep_going(progress);
    let task = Task {
        program,
        options,
        digest: replay::digest(program),
        start,
        deadline,
        watchlist: Watchlist::of(program, options.coverage),
        watch: &watch,
        stop: &stop,
        loops: loop_bounds(program, options),
        can_free: can_free(program),
        collection: Collection::default(),
        effort: Effort::default(),
        was_short: AtomicBool::new(false),
        always_assumed: OnceLock::new(),
    };
    if let Err(reason) = task.image(&task.options.config) {
        return unknown(reason);
    }
    let engines: Vec<Engine> = (Engine::ALL.into_iter())
        .filter(|engine| engine.fits(options))
        .collect();
    let board = Board::new(engines.clone(), task.memory_model(), &stop);
    let is_weak = task.memory_model() != MemoryModel::Sc;
    let cores = Cores::new(options.search.cores, &engines, is_weak, &stop);
    let office = Office {
        task: &task,
        board: &board,
        cores: &cores,
    };
    let bars = Bars {
        deadline,
        memory: options.memory,
        is_interrupted: &|| host.is_interrupted(),
    };
    engines::run(&engines, &office, &bars, &|| {
        host.overdue(report(&task, board.read(&options.bounds)));
    });
    report(&task, board.read(&options.bounds))
}

/// What is told of what is established.
fn report(task: &Task, summary: Summary) -> Report {
    let mut progressed = Progressed::new(summary.closed, task.effort.costs(task.program));
    if let Some(reason) = summary.verdict.reason() {
        progressed.advise(reason, task.options);
    }
    let mut report = Report {
        verdict: summary.verdict,
        memory_model: task.memory_model(),
        attempts: summary.attempts,
        limits_of_part: summary.limits_of_part,
        failures: summary.failures,
        assertions: task.watchlist.assertions(task.program),
        lines: task.watchlist.lines(),
        more: Vec::new(),
        rest: None,
        progressed,
        suppressed: Vec::new(),
        orders: None,
    };
    let (options, program) = (task.options, task.program);
    let found = task.collection.runs();
    let suppressions = &options.suppressions;
    report.suppressed = suppressions.count(program, &found);
    let verdict = std::mem::replace(&mut report.verdict, Verdict::Safe);
    report.verdict = suppress::assume(verdict, &report.suppressed, &options.bounds);
    let told = |run: Run| suppressions.unsuppressed(program, run);
    let mut runs = found.into_iter().filter_map(told);
    if options.all_violations
        && let Some(first) = runs.next()
    {
        let verdict = Verdict::Violated(Box::new(first));
        report.rest = Some(std::mem::replace(&mut report.verdict, verdict));
        report.more = runs.collect();
    }
    report
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
