//! `threadbare explore`: every schedule within bounds, or every state.

use crate::args::Explore as Arguments;
use crate::input::{config, load};
use crate::progress::Watch;
use crate::run::{format_of, write_schedule};
use crate::{Failure, Status, guard, mention, print, terminal_width};
use library::MemoryModel;
use replay::{Bounds, Conclusion, Config, Exploration, Mode, ProofOptions, Reductions, Samples};
use threadbare::{Explored, Options, Question};

pub(crate) fn explore(arguments: &Arguments) -> Result<Status, Failure> {
    guard::keep(&arguments.limits, format_of(arguments.json));
    let semantics = &arguments.semantics;
    let program = load(
        &arguments.input,
        Some(&semantics.behaviour),
        semantics.checks(),
        &arguments.limits,
    )?;
    let mut config = Config {
        unwind: arguments.unwind,
        ..config(&semantics.behaviour, semantics.checks())
    };
    config.surroundings.memory_model = match (semantics.memory_model, arguments.prove) {
        (Some(MemoryModel::Sc), _) => MemoryModel::Sc,
        (Some(model), true) => return Err(Failure::OnlyInterleavings(model)),
        (Some(model), false) => model,
        // What that leaves out is told.
        (None, true) => MemoryModel::Sc,
        (None, false) => program.memory_model(),
    };
    let options = Options {
        config,
        ..Options::default()
    };
    let question = Question::with(&program, options);
    guard::beside("the program is explored");
    let watch = Watch::start(&arguments.limits);
    let explored = match arguments.prove {
        true => states(arguments, &question, &watch),
        false => schedules(arguments, &question, &watch),
    };
    watch.finish();
    let explored = explored?;
    guard::begin_to_tell();
    mention(tell(arguments, program.model(), &explored));
    let result = &explored.result;
    mention(keep(arguments, result));
    Ok(match result.conclusion() {
        Conclusion::Violated => Status::Violated,
        Conclusion::Safe | Conclusion::SafeWithinBounds => Status::Fine,
        Conclusion::Unknown if !result.unsupported.is_empty() => {
            return Err(Failure::Unsupported(
                "the program reaches something that is not supported".to_owned(),
            ));
        }
        Conclusion::Unknown => Status::Unknown,
    })
}

fn schedules(
    arguments: &Arguments,
    question: &Question,
    watch: &Watch,
) -> Result<Explored, threadbare::Error> {
    let bounds = Bounds {
        contexts: arguments.contexts,
        rounds: arguments.rounds,
        steps: arguments.steps,
        inputs: arguments.inputs.clone(),
        max_states: arguments.max_states,
    };
    let mode = Mode {
        find_all: arguments.all,
        merge: !arguments.no_merge,
    };
    question.explore_schedules(&bounds, mode, &mut |progress| {
        watch.keep_going(|| {
            format!(
                "{} states, depth {}, {} violations",
                progress.states, progress.depth, progress.violations
            )
        })
    })
}

fn states(
    arguments: &Arguments,
    question: &Question,
    watch: &Watch,
) -> Result<Explored, threadbare::Error> {
    let defaults = ProofOptions::default();
    let options = ProofOptions {
        cores: arguments.cores,
        find_all: arguments.all,
        inputs: Samples {
            values: arguments.inputs.clone(),
            ..Samples::default()
        },
        reductions: match arguments.no_reductions {
            true => Reductions::NONE,
            false => Reductions::ALL,
        },
        is_checked: arguments.checked,
        memory: arguments
            .limits
            .memory
            .map_or(defaults.memory, |bytes| bytes as usize),
        ..defaults
    };
    question.explore_states(&options, &mut |progress| {
        watch.keep_going(|| {
            format!(
                "{} states, {} violations",
                progress.states, progress.violations
            )
        })
    })
}

fn tell(arguments: &Arguments, program: &ir::Program, explored: &Explored) -> Result<(), Failure> {
    let Explored {
        result,
        replays,
        dependent,
    } = explored;
    if arguments.json {
        let json = report::exploration_to_json(program, result, replays, dependent);
        return print(format!("{json:#}\n"));
    }
    let (inputs, width) = (&arguments.inputs, terminal_width());
    print(report::render_exploration(
        program, result, replays, inputs, width,
    ))
}

fn keep(arguments: &Arguments, result: &Exploration) -> Result<(), Failure> {
    if let (Some(path), Some(first)) = (&arguments.save, result.violations.first()) {
        write_schedule(path, &first.schedule)?;
        if !arguments.json {
            print(format!("schedule saved in {}\n", path.display()))?;
        }
    }
    Ok(())
}
