//! Facts in words: what a verdict rests on, and why there is none. The only place
//! where they become sentences; nobody reads them back.

use crate::{group_digits, plural};
use check::{
    Ability, Assumption, Conflict, CutLoop, Ending, Engine, Internal, LeftOut, Limits, Maker,
    Obstacle, Omission, Order, Part, Reason, SourcePlace, Suppressible, UnknownCall, Unsupported,
    Untried, Way,
};

/// `prog.c:12`, or the name of a function.
pub(crate) fn describe_place(place: &SourcePlace) -> String {
    match place {
        SourcePlace::Line { file, line, .. } => format!("{file}:{line}"),
        SourcePlace::Function(name) => name.clone(),
    }
}

/// Why it is unknown whether there is a violation, as a sentence without full stop.
/// A search that ended within its bounds has no reason but these.
pub fn describe_reason(reason: &Reason) -> Option<String> {
    Some(match reason {
        Reason::Bounds => return None,
        Reason::Time => "the time is over".to_owned(),
        Reason::Memory => "the limit on memory was reached".to_owned(),
        Reason::Interrupted => "interrupted".to_owned(),
        Reason::Unsupported(unsupported) => describe_unsupported(unsupported),
        Reason::TooLarge(part) => {
            let part = match part {
                Part::Terms => "terms",
                Part::Clauses => "clauses",
            };
            format!("a formula with so many {part} is too large")
        }
        Reason::ProgramMemory => "the program's memory exceeds the limit".to_owned(),
        Reason::NotConfirmed { problem } => format!(
            "a violation is possible as far as the formula can tell, but could not be \
             confirmed: {problem}"
        ),
        Reason::OnlyInterleavings => "nothing goes wrong in any interleaving that was looked \
                                      at, but the memory model has other runs"
            .to_owned(),
        Reason::LeftOut(left_out) => format!(
            "no violation was found, but not all was looked at: {} are left out",
            describe_left_out(left_out)
        ),
        Reason::DependsOn(dependent) => describe_dependence(&dependent.calls),
        Reason::Explorer(obstacle) => describe_obstacle(obstacle),
        Reason::Solver { problem } => problem.clone(),
        Reason::CannotWrite { path, problem } => {
            format!("cannot write {}: {problem}", path.display())
        }
        Reason::Checkpoint { problem } => problem.clone(),
        Reason::CannotStart { problem } => format!("cannot start a thread: {problem}"),
        Reason::Options(conflict) => describe_conflict(conflict),
        Reason::Internal(internal) => format!("internal error: {}", describe_internal(internal)),
    })
}

fn describe_obstacle(obstacle: &Obstacle) -> String {
    match obstacle {
        Obstacle::States => "there are more states than memory holds".to_owned(),
        Obstacle::Inputs => "inputs have more values than explore can try".to_owned(),
        Obstacle::Recursion(function) => format!("{function} calls itself too often for explore"),
        Obstacle::LocalWork(function) => {
            format!("a thread works in {function} without any visible step, perhaps for ever")
        }
    }
}

/// That an engine failed, and why.
pub fn describe_failure(engine: Engine, reason: &Reason) -> String {
    let reason = describe_reason(reason).unwrap_or_default();
    format!("engine {}: {reason}", engine.as_str())
}

/// What functions that nobody knows have to do for something to go wrong.
pub(crate) fn describe_dependence(calls: &[UnknownCall]) -> String {
    let conditions: Vec<String> = (calls.iter())
        .map(|call| {
            let name = format!("{} ({})", call.function, describe_place(&call.place));
            match call.returned {
                Some(value) => format!("{name} may return {value}"),
                None => format!("{name} changes nothing"),
            }
        })
        .collect();
    format!("violated if {}", conditions.join(", and "))
}

/// A mistake of ours.
pub fn describe_internal(internal: &Internal) -> String {
    match internal {
        Internal::Panicked => "the checker panicked".to_owned(),
        Internal::DoesNotReplay { problem } => {
            format!("a violation was found that does not replay: {problem}")
        }
        Internal::NoAnswer => "no question was answered".to_owned(),
        Internal::Unsettled => "unfolding did not come to an end".to_owned(),
    }
}

fn describe_unsupported(unsupported: &Unsupported) -> String {
    let Unsupported { what, place } = unsupported;
    match place {
        Some(place) => format!("{}: {what} is not supported", describe_place(place)),
        None => format!("{what} is not supported"),
    }
}

/// Which options do not go together, and what to do.
pub fn describe_conflict(conflict: &Conflict) -> String {
    match conflict {
        Conflict::UnwindWithoutBound => {
            "--property unwind needs --unwind or --unwind-all: it asks whether a bound is enough"
                .to_owned()
        }
        Conflict::NormalForms => {
            "--normal-forms does not go with the strategies swarm, lazy and widen".to_owned()
        }
        Conflict::OpenBounds => "--checkpoint, --result and --partitions need given bounds: \
                                 --contexts or --rounds, and --unwind or --unwind-all"
            .to_owned(),
        Conflict::NoCheckpoints => {
            "--checkpoint needs --strategy partition, cubes, swarm or lazy".to_owned()
        }
        Conflict::NoEngine => "none of the engines of --engine fits the question: sample takes no \
                               bounds, and explore and the encoding order none on contexts or \
                               rounds; bounded takes all with the encoding contexts"
            .to_owned(),
        Conflict::OrdersWithoutOrder => "--suggest-orders and --weakest need the engine bounded, \
             and take no bound on contexts or rounds, no strategy, no --solver, and neither \
             --dump nor --all-violations nor --suppressions"
            .to_owned(),
        Conflict::SuppressionsInParts => "--suppressions does not go with --checkpoint, --result \
                                          and --partitions"
            .to_owned(),
        Conflict::Solver { strategy, ability } => {
            let cannot = match ability {
                Ability::LimitConflicts => "stop after some conflicts and go on later",
                Ability::BlameAssumptions => "tell which assumptions are to blame",
                Ability::KeepOrder => "keep events in order",
            };
            format!(
                "--strategy {strategy} needs a solver that can {cannot}, which a program cannot: \
                 use --strategy whole or partition, or leave out --solver"
            )
        }
        Conflict::NoSuchSlice(slice) => format!(
            "there are no partitions {} to {} of {}, which are counted from 0",
            slice.from,
            slice.to,
            slice.n_partitions()
        ),
    }
}

/// As the beginning of a sentence.
fn describe_left_out(left_out: &LeftOut) -> String {
    match left_out {
        LeftOut::OtherPartitions(slice) => format!(
            "the partitions other than {} to {} of {}",
            slice.from,
            slice.to,
            slice.n_partitions()
        ),
        LeftOut::Instances {
            abandoned,
            untried,
            tiles,
        } => {
            let mut parts = Vec::new();
            if *abandoned > 0 {
                parts.push(format!("{abandoned} instances that took too long"));
            }
            match untried {
                Untried::None => {}
                Untried::Some { left, of } => parts.push(format!("{left} of {of} instances")),
                Untried::Most => parts.push("all but a few of the instances".to_owned()),
            }
            parts.extend(tiles.map(|tiles| {
                format!("runs in which a thread is switched out in more than {tiles} tiles")
            }));
            parts.join(", and ")
        }
    }
}

/// What a search did not go beyond, in one line that goes on after `safe` or
/// `no violation`.
pub(crate) fn describe_limits(limits: &Limits) -> String {
    let mut bounds: Vec<String> = limits.order.map(describe_order).into_iter().collect();
    bounds.extend(limits.loops.iter().map(describe_loop));
    let mut parts = Vec::new();
    if !bounds.is_empty() {
        parts.push(format!("up to {}", bounds.join("; ")));
    }
    if !limits.assumptions.is_empty() {
        let assumptions: Vec<String> = (limits.assumptions.iter())
            .map(describe_assumption)
            .collect();
        parts.push(format!("provided that {}", assumptions.join(", and that ")));
    }
    parts.join("; ")
}

pub(crate) fn describe_order(order: Order) -> String {
    match order {
        Order::Contexts(bound) => plural(u128::from(bound), "context"),
        Order::Rounds(bound) => plural(u128::from(bound), "round"),
    }
}

fn describe_loop(cut: &CutLoop) -> String {
    let place = cut.place.as_ref().map_or(String::new(), |place| {
        format!(" ({})", describe_place(place))
    });
    let bound = u128::from(cut.bound);
    if cut.is_recursion {
        let calls = plural(bound, "call");
        return format!("recursion {}{place} at most {calls} deep", cut.name);
    }
    let iterations = plural(bound, "iteration");
    format!("loop {}{place} at most {iterations} per entry", cut.name)
}

/// What is taken for granted, as it follows on `provided that`.
pub(crate) fn describe_suppressible(kind: Suppressible) -> &'static str {
    match kind {
        Suppressible::Race => "race",
        Suppressible::Deadlock => "deadlock",
    }
}

/// What a verdict takes for granted, without full stop.
pub fn describe_assumption(assumption: &Assumption) -> String {
    match assumption {
        Assumption::Omission(omission) => describe_omission(*omission),
        Assumption::LostMemory => "memory is not lost that threads may hold which still run in \
                                   the end, that numbers may be the addresses of, or that \
                                   functions for the end of the process may free"
            .to_owned(),
        Assumption::Layout(place) => format!(
            "it does not matter where in memory things are, which {} may depend on",
            describe_place(place)
        ),
        Assumption::MemoryOrder(place) => format!(
            "memory is sequentially consistent, which {} does not ask for",
            describe_place(place)
        ),
        Assumption::StoreBuffers {
            are_by_place,
            place,
        } => format!(
            "memory is in {} store order, which {} does not ask for",
            match are_by_place {
                true => "partial",
                false => "total",
            },
            describe_place(place)
        ),
        Assumption::Arguments(place) => format!(
            "the program is started without arguments, which {} looks at",
            describe_place(place)
        ),
        Assumption::NoSignal(place) => format!(
            "no signal handler runs, such as {} installs",
            describe_place(place)
        ),
        Assumption::FewSignals { most, place } => format!(
            "at most {} in each thread, of those that {} installs a handler for",
            match most {
                1 => "one signal arrives".to_owned(),
                most => format!("{most} signals arrive"),
            },
            describe_place(place)
        ),
        Assumption::PrintsToTheEnd(place) => format!(
            "no thread that is cancelled ends while it prints, as it may in {}",
            describe_place(place)
        ),
        Assumption::NoEnvironment(place) => format!(
            "the environment is empty, which {} looks at",
            describe_place(place)
        ),
        Assumption::ShortVariables { longest, place } => format!(
            "variables of the environment have at most {}, which {} looks at",
            plural(u128::from(*longest), "character"),
            describe_place(place)
        ),
        Assumption::FewArguments {
            most,
            longest,
            place,
        } => format!(
            "the program has at most {} of at most {}, which {} looks at",
            plural(u128::from(*most), "argument"),
            plural(u128::from(*longest), "character"),
            describe_place(place)
        ),
        Assumption::Suppressed { kind, place } => {
            let what = describe_suppressible(*kind);
            let place = describe_place(place);
            format!("the {what} at {place} does no harm (suppressed)")
        }
        Assumption::NoEffect { function, place } => {
            format!("{function} ({}) changes nothing", describe_place(place))
        }
        Assumption::SilentEnd {
            place,
            property,
            message,
        } => format!(
            "no thread stops at {} ({message}; --property {} looks for that)",
            describe_place(place),
            property.property().name()
        ),
        Assumption::SilentEnds(kinds) => {
            let names: Vec<&str> = kinds.iter().map(|kind| kind.property().name()).collect();
            format!(
                "no thread stops at undefined behaviour that was not looked for (--property {} \
                 looks for it)",
                names.join(",")
            )
        }
    }
}

fn describe_omission(omission: Omission) -> String {
    let text = match omission {
        Omission::LargeBlocks { most } => {
            return format!("blocks of unknown size have at most {most} bytes");
        }
        Omission::AddressReuse => "addresses of freed blocks are not used again",
        Omission::SpuriousWakeups => "waits for conditions end only when they are signalled",
        Omission::UnwrittenInitialisers => "memory that is written counts as a static initialiser",
        Omission::OrderOfKeys => {
            "destructors of keys that several threads make run in the order of the program"
        }
        Omission::SemaphoresInUse => "no semaphore is destroyed while a thread waits for it",
        Omission::ManyBlocks => {
            "lost memory is not looked for where there are many blocks, or large arrays of pointers"
        }
        Omission::LastHandlers => {
            "functions for the end of the process do not run after the last thread"
        }
        Omission::LateHandlers => {
            "functions for the end of the process do not run if they are registered after \
             another thread has begun to end it"
        }
        Omission::OwnAddress(Maker::Mappings) => {
            "addresses of mappings that are unmapped are not used again"
        }
        Omission::OwnAddress(Maker::AlignedAllocations) => {
            "addresses of freed blocks are not used by aligned allocations"
        }
        Omission::OwnAddress(Maker::UnknownSizes) => {
            "addresses of freed blocks are not used by blocks of unknown size"
        }
        Omission::ComputedAddress => {
            "a number computed from the address of a freed block means no other block"
        }
        Omission::Initialised(way) => {
            let what = match way {
                Way::LibraryReads => "library functions read",
                Way::LibraryHandsOn => "library functions hand on",
                Way::ReturnedToLibrary => "functions return to the library",
                Way::VariadicArguments => "variadic functions are given",
                Way::ResultsOfThreads => "threads return",
            };
            return format!("what {what} counts as initialised");
        }
    };
    text.to_owned()
}

/// For machines; the names of kinds are stable.
pub(crate) fn assumption_kind(assumption: &Assumption) -> &'static str {
    match assumption {
        Assumption::Layout(_) => "layout",
        Assumption::MemoryOrder(_) | Assumption::StoreBuffers { .. } => "memory-order",
        Assumption::LostMemory => "lost-memory",
        Assumption::Arguments(_) => "arguments",
        Assumption::NoSignal(_) => "no-signal",
        Assumption::FewSignals { .. } => "few-signals",
        Assumption::ShortVariables { .. } => "short-variables",
        Assumption::PrintsToTheEnd(_) => "prints-to-the-end",
        Assumption::NoEnvironment(_) => "no-environment",
        Assumption::FewArguments { .. } => "few-arguments",
        Assumption::Suppressed { .. } => "suppressed",
        Assumption::NoEffect { .. } => "no-effect",
        Assumption::SilentEnd { .. } => "silent-end",
        Assumption::SilentEnds(_) => "silent-ends",
        Assumption::Omission(omission) => match omission {
            Omission::LargeBlocks { .. } => "large-blocks",
            Omission::AddressReuse | Omission::OwnAddress(_) => "no-address-reuse",
            Omission::SpuriousWakeups => "no-spurious-wakeups",
            Omission::UnwrittenInitialisers => "static-initialisers",
            Omission::OrderOfKeys => "order-of-keys",
            Omission::SemaphoresInUse => "semaphores-in-use",
            Omission::ManyBlocks => "many-blocks",
            Omission::LastHandlers => "last-handlers",
            Omission::LateHandlers => "late-handlers",
            Omission::ComputedAddress => "computed-address",
            Omission::Initialised(_) => "initialised",
        },
    }
}

/// Where an assumption is needed, if it is a place.
pub(crate) fn assumption_place(assumption: &Assumption) -> Option<&SourcePlace> {
    match assumption {
        Assumption::Layout(place)
        | Assumption::MemoryOrder(place)
        | Assumption::StoreBuffers { place, .. }
        | Assumption::Arguments(place)
        | Assumption::NoSignal(place)
        | Assumption::FewSignals { place, .. }
        | Assumption::ShortVariables { place, .. }
        | Assumption::PrintsToTheEnd(place)
        | Assumption::NoEnvironment(place)
        | Assumption::FewArguments { place, .. }
        | Assumption::Suppressed { place, .. }
        | Assumption::NoEffect { place, .. }
        | Assumption::SilentEnd { place, .. } => Some(place),
        Assumption::LostMemory | Assumption::Omission(_) | Assumption::SilentEnds(_) => None,
    }
}

/// How one attempt ended.
pub(crate) fn describe_ending(ending: &Ending) -> String {
    match ending {
        Ending::Violated => "violated".to_owned(),
        Ending::None => "none".to_owned(),
        Ending::Partly => "none in the part looked at".to_owned(),
        Ending::TooLong => "took too long".to_owned(),
        Ending::States(number) => format!("{} states", group_digits(u128::from(*number))),
        Ending::Runs(number) => format!("{} runs at random", group_digits(u128::from(*number))),
        Ending::Unknown(reason) => describe_reason(reason).unwrap_or_default(),
    }
}
