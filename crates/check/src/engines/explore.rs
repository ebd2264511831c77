//! `explore`: visits every state that the program can reach.
//!
//! Establishes violations, and answers where there are finitely many states: plain
//! `safe`, whatever the loops and however many contexts. Right because the interpreter
//! takes every step, or has taken one that looked at the same; what is left out as
//! making no difference is compared with plain enumeration. Violations are run again
//! from their schedules before they are told.
//!
//! Where the user bounds loops, it goes without these bounds first, since the states
//! may be finitely many all the same, and then with them.
//!
//! It steps back, and tells why, from what it cannot say anything about: inputs of
//! which it does not try all values, recursion without end, more states than there is
//! memory for.

use super::{Name, Office, sample};
use crate::attempt::Task;
use crate::facts::{
    Assumption, CutLoop, Dependent, Ending, Internal, Limits, Obstacle, Reason, SourcePlace,
    Unsupported,
};
use crate::silent;
use crate::verdict::{Attempt, Options, Progress, Stage};
use replay::{
    Config, Cut, Excluded, Found, Interruption, Limit, Proof, ProofOptions, ProofProgress,
    Property, Run, Schedule, ViolationKind,
};
use std::time::{Duration, Instant};
use unfold::Omission;

/// How long it goes without the bounds that the user gave.
const WITHOUT_BOUNDS: Duration = Duration::from_secs(2);
/// Bytes for states, unless there is a limit on memory; then it is half of that.
const MEMORY: usize = 4 << 30;

/// Instructions between two steps; nobody can stop it there.
const LOCAL_WORK: u64 = 10_000_000;

/// Runs have all orders of steps here. And what is asked for must be what is answered:
/// a certain strategy, all violations, or whether a bound is enough. Arguments that
/// nobody has given are objects which not every state has.
pub(super) fn fits(options: &Options) -> bool {
    options.bounds.order.is_none()
        && options.search.strategy.is_none()
        && options.dump.is_none()
        && options.config.surroundings.more_arguments == 0
        && !options.goes_on()
        && !options.config.checks.has(Property::Unwind)
}

pub(super) fn work(office: &Office) -> Result<(), Reason> {
    let bounds = &office.task.options.bounds;
    let is_open = bounds.are_open();
    let plain = Config {
        unwind: None,
        unwind_loops: Default::default(),
        keep_coverage: true,
        local_limit: LOCAL_WORK,
        ..office.task.interleaving()
    };
    let first = explore(office, &plain, (!is_open).then_some(WITHOUT_BOUNDS));
    if is_open || first.is_ok() || office.task.is_stopped() {
        return first;
    }
    explore(office, &with_bounds(office.task, plain), None)
}

/// The user's bounds of loops, as the interpreter knows them.
fn with_bounds(task: &Task, plain: Config) -> Config {
    let mut config = Config {
        unwind: task.options.bounds.unwind,
        ..plain
    };
    for ((function, id), bound) in &task.loops {
        let body = task.program.functions[*function].body.as_ref();
        if let Some(body) = body {
            let header = analysis::Loops::of(body)[*id].header;
            config.unwind_loops.insert((*function, header), *bound);
        }
    }
    config
}

/// Visits all states, and writes on the board what came of it.
fn explore(office: &Office, config: &Config, longest: Option<Duration>) -> Result<(), Reason> {
    let Office { task, board, .. } = office;
    let start = Instant::now();
    let proof = visit(office, config, false, longest)?;
    let record = Attempt {
        engine: Name::Explore,
        solving: start.elapsed(),
        peak_memory: solve::memory::peak().unwrap_or(0),
        unwind: config.unwind,
        result: match proof.violations.is_empty() {
            true => Ending::States(proof.states as u64),
            false => Ending::Violated,
        },
        ..Attempt::default()
    };
    board.attempted(record);
    if let Some(problem) = proof.mistakes.first() {
        let problem = problem.clone();
        return Err(Reason::Internal(Internal::DoesNotReplay { problem }));
    }
    if let Some(found) = proof.violations.first() {
        let run = run(task, found)?;
        board.violated(Name::Explore, Box::new(run));
        return Ok(());
    }
    if let Some((found, _)) = proof.dependent.first() {
        let run = run(task, found)?;
        board.depends(Box::new(Dependent::of(task.program, run)));
        return Ok(());
    }
    let Some(ledger) = board.ledger(Name::Explore) else {
        return Ok(());
    };
    let limits = limits(office, config, &proof)?;
    (task.watchlist).note_all(&proof.coverage, proof.is_coarse, &limits);
    // Where runs may come by is not yet where they do.
    if proof.is_coarse && task.options.looks_beside && limits.loops.is_empty() {
        sample::look_around(task, None);
    }
    if task.options.bounds.are_answered_by(&limits) {
        ledger.answered(limits);
        return Ok(());
    }
    Err(Reason::Bounds)
}

fn visit(
    office: &Office,
    config: &Config,
    find_all: bool,
    longest: Option<Duration>,
) -> Result<Proof, Reason> {
    let Office { task, cores, .. } = office;
    let image = task.image(config)?;
    let memory = task
        .options
        .memory
        .map_or(MEMORY, |bytes| (bytes / 2) as usize);
    let options = ProofOptions {
        find_all,
        memory,
        cores: task.options.search.cores,
        ..ProofOptions::default()
    };
    let mut place = cores.place(Name::Explore);
    let start = cores.had(Name::Explore);
    let mut took_too_long = false;
    let mut keep_going = |progress: &ProofProgress| {
        place.give_way();
        took_too_long = longest.is_some_and(|longest| cores.had(Name::Explore) - start > longest);
        !took_too_long && is_wanted(task, progress.states)
    };
    // Whoever helps needs a core too.
    let aid = |work: &mut dyn FnMut() -> bool| {
        let mut place = cores.place(Name::Explore);
        while work() {
            place.give_way();
        }
    };
    let digest = task.digest;
    let proof = replay::prove_with_aid(&image, config, digest, &options, &mut keep_going, &aid);
    Ok(proof)
}

fn is_wanted(task: &Task, states: usize) -> bool {
    let has_time = task
        .deadline
        .is_none_or(|deadline| Instant::now() < deadline);
    has_time
        && (task.watch)(&Progress {
            stage: Stage::Exploring { states },
            order: None,
            unwind: None,
            search: None,
        })
}

/// The run that a violation was found in, with all that there is to tell.
fn run(task: &Task, found: &Found) -> Result<Run, Reason> {
    let config = Config {
        unwind: None,
        unwind_loops: Default::default(),
        ..task.options.config.clone()
    };
    let image = task.image(&config)?;
    let schedule: &Schedule = &found.schedule;
    let problem = match replay::run_schedule(&image, &config, schedule, true) {
        Ok(run) if task.is_violated(&run) => return Ok(run),
        Ok(run) => format!("the run ends with {:?}", run.outcome),
        Err(misfit) => misfit.to_string(),
    };
    Err(Reason::Internal(Internal::DoesNotReplay { problem }))
}

/// What was left out and taken for granted; an error if that is more than can be
/// told.
fn limits(office: &Office, config: &Config, proof: &Proof) -> Result<Limits, Reason> {
    let task = office.task;
    match proof.interrupted {
        Some(Interruption::States) => return Err(Reason::Explorer(Obstacle::States)),
        Some(Interruption::Asked) => return Err(task.why_interrupted(task.deadline)),
        None => {}
    }
    if let Some(unsupported) = proof.unsupported.first() {
        let place = unsupported.location;
        return Err(Reason::Unsupported(Unsupported {
            what: unsupported.what.clone(),
            place: place.map(|place| SourcePlace::of_location(task.program, place)),
        }));
    }
    let mut limits = Limits {
        assumptions: task.always_assumed().clone(),
        ..Limits::default()
    };
    for limit in &proof.limits {
        add(task, config, limit, &mut limits)?;
    }
    // An assertion that fails is an end too, but not one that nobody expects.
    let missing = silent::missing(task);
    let is_silent = |kind: &ViolationKind| {
        let property = kind.property();
        missing.iter().any(|silent| silent.property() == property)
    };
    if proof.undefined.iter().any(is_silent) {
        limits.assumptions.extend(silent_ends(office, config));
    }
    Ok(limits)
}

fn add(task: &Task, config: &Config, limit: &Limit, limits: &mut Limits) -> Result<(), Reason> {
    let obstacle = |obstacle: Obstacle| Err(Reason::Explorer(obstacle));
    match limit {
        Limit::Contexts(_) | Limit::Rounds(_) | Limit::Steps(_) | Limit::Inputs => {
            return obstacle(Obstacle::Inputs);
        }
        Limit::Run(cut) => {
            let loops = cut_loop(task, config, cut)?;
            limits.loops.insert(loops);
        }
        Limit::Excluded(Excluded::SpuriousWakeups) => {
            (limits.assumptions).insert(Assumption::Omission(Omission::SpuriousWakeups));
        }
        Limit::Excluded(Excluded::AddressReuse) => {
            (limits.assumptions).insert(Assumption::Omission(Omission::AddressReuse));
        }
        // These are found for all engines alike.
        Limit::Layout(_) | Limit::Orders(_) => {}
        Limit::UnknownCall(function, site) => {
            limits.assumptions.insert(Assumption::NoEffect {
                function: task.program.functions[*function].name.clone(),
                place: SourcePlace::of_site(task.program, *site),
            });
        }
    }
    Ok(())
}

fn cut_loop(task: &Task, config: &Config, cut: &Cut) -> Result<CutLoop, Reason> {
    let place = |location: Option<ir::Location>| {
        location.map(|location| SourcePlace::of_location(task.program, location))
    };
    let bound = config.unwind;
    match cut {
        Cut::Loop { function, id, .. } => {
            let data = &task.program.functions[*function];
            let body = data.body.as_ref();
            let own = task.loops.get(&(*function, *id)).copied();
            Ok(CutLoop {
                name: format!("{}.{}", data.name, id.as_u32()),
                place: place(body.and_then(|body| analysis::Loops::of(body).location(*id))),
                bound: own.or(bound).unwrap_or(u32::MAX),
                is_recursion: false,
            })
        }
        Cut::Recursion { function, name } => {
            let Some(bound) = bound else {
                let name = name.clone();
                return Err(Reason::Explorer(Obstacle::Recursion(name)));
            };
            Ok(CutLoop {
                name: name.clone(),
                place: place(task.program.functions[*function].location),
                bound,
                is_recursion: true,
            })
        }
        Cut::LocalWork(function) => {
            let function = function.clone();
            Err(Reason::Explorer(Obstacle::LocalWork(function)))
        }
        Cut::Memory => Err(Reason::ProgramMemory),
    }
}

/// Threads stop at undefined behaviour that was not looked for. Where, is found by
/// looking for it.
fn silent_ends(office: &Office, config: &Config) -> Vec<Assumption> {
    let task = office.task;
    let missing = silent::missing(task);
    let wanted = missing.iter().map(|kind| kind.property());
    let config = Config {
        checks: wanted.fold(config.checks, replay::Checks::with),
        ..config.clone()
    };
    let nobody_knows = || vec![Assumption::SilentEnds(missing.clone())];
    let Ok(proof) = visit(office, &config, true, None) else {
        return nobody_knows();
    };
    let is_whole = proof.interrupted.is_none() && proof.mistakes.is_empty();
    let found = (proof.violations.iter()).chain(proof.dependent.iter().map(|(found, _)| found));
    let ends: Vec<Assumption> = found
        .flat_map(|found| silent::end(task, &found.violation, &missing))
        .collect();
    match is_whole && !ends.is_empty() {
        true => ends,
        false => nobody_knows(),
    }
}
