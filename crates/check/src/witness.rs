//! From what a solver found to a run that the interpreter has seen.
//!
//! A model says which positions are passed in which context, and the values of
//! all inputs. The interpreter knows instructions and how often each thread
//! executes them; that is the common language.

use encode::{Found, Model, Standing};
use ir::{FunctionId, InstId};
use replay::{
    Addressed, Addressee, Allocation, DoesNotFit, Execution, Guide, GuidedIncident, GuidedInput,
    GuidedReuse, Incident, Mark, Origin, Run, Signature, Stretch,
};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use unfold::{CellId, Place, ThreadId, Unfolding};

/// Steps of a replay, at most.
const MAX_STEPS: u64 = 5_000_000;

/// What is needed to run the program.
pub(crate) struct Stage<'a> {
    pub image: &'a replay::Image<'a>,
    pub config: &'a replay::Config,
    pub digest: u64,
}

/// How to take inputs that could be addresses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Numbers {
    /// As numbers.
    Plain,
    /// As the addresses of what they mean to the checker, whose addresses are others.
    Addresses,
}

/// Whether some input of a model could be an address.
pub(crate) fn has_addresses(unfolding: &Unfolding, model: &Model) -> bool {
    guide(unfolding, model, Numbers::Addresses).is_ok_and(|guide| !guide.addresses.is_empty())
}

/// Has the interpreter repeat the run of a model.
pub(crate) fn replay(
    stage: &Stage,
    unfolding: &Unfolding,
    model: &Model,
    numbers: Numbers,
    known: Vec<Signature>,
    keep_going: &mut dyn FnMut(u64) -> bool,
) -> Result<Run, DoesNotFit> {
    let mut guide = guide(unfolding, model, numbers)?;
    guide.known = known;
    replay::run_guided(
        stage.image,
        stage.config,
        stage.digest,
        &guide,
        true,
        MAX_STEPS,
        keep_going,
    )
}

/// After the last stretch of each thread, lets it go on to right before a step.
fn add_approaches(
    guide: &mut Guide,
    standing: &[Standing],
    last_stretches: &HashMap<ThreadId, usize>,
    mark: impl Fn(&Standing) -> Mark,
) {
    let mut approaches: Vec<(usize, Mark)> = (standing.iter())
        .filter_map(|standing| Some((*last_stretches.get(&standing.thread)?, mark(standing))))
        .collect();
    approaches.sort_by_key(|(index, _)| std::cmp::Reverse(*index));
    for (index, mark) in approaches {
        if let Mark::Inst {
            function,
            inst,
            count,
            part,
        } = mark
        {
            let thread = guide.stretches[index].thread;
            let until = Mark::Before {
                function,
                inst,
                count,
                part,
            };
            guide.stretches.insert(index + 1, Stretch { thread, until });
        }
    }
}

/// Says what reads see and where writes come, as far as single places are concerned.
fn add_sights(guide: &mut Guide, model: &Model, step_of: impl Fn(Standing) -> Option<Execution>) {
    let sights = &model.sights;
    let mut cells: BTreeMap<Standing, BTreeSet<CellId>> = BTreeMap::new();
    for (at, cell) in sights.sources.keys().chain(sights.places.keys()) {
        cells.entry(*at).or_default().insert(*cell);
    }
    // Steps at several places at once cannot say what they see at each.
    let is_single = |at: &Standing| cells[at].len() == 1;
    for ((at, _), seen) in sights.sources.iter().filter(|((at, _), _)| is_single(at)) {
        let origin = match seen {
            None => Some(Origin::Initial),
            Some(step) => step_of(*step).map(Origin::Write),
        };
        guide.sources.extend(step_of(*at).zip(origin));
    }
    // What there is so far, by place among all writes to the cell.
    let mut written: HashMap<CellId, BTreeMap<usize, Standing>> = HashMap::new();
    for stretch in &model.stretches {
        for position in stretch.positions.clone() {
            let at = Standing {
                thread: stretch.thread,
                position,
            };
            for cell in cells.get(&at).into_iter().flatten() {
                let Some(place) = sights.places.get(&(at, *cell)) else {
                    continue;
                };
                let so_far = written.entry(*cell).or_default();
                let before = so_far.range(..place).next_back().map(|(_, step)| *step);
                so_far.insert(*place, at);
                let is_update = sights.sources.contains_key(&(at, *cell));
                if is_single(&at) && !is_update {
                    let origin = match before {
                        None => Some(Origin::Initial),
                        Some(step) => step_of(step).map(Origin::Write),
                    };
                    guide.orders.extend(step_of(at).zip(origin));
                }
            }
        }
    }
}

fn guide(unfolding: &Unfolding, model: &Model, means: Numbers) -> Result<Guide, DoesNotFit> {
    let threads = &unfolding.threads;
    let Some(found) = &model.found else {
        return Err(DoesNotFit("no violation in it".to_owned()));
    };
    // If it is about the end of the run, all of the run comes before.
    let (finally, moment) = match found {
        Found::Moment(index) => {
            let moment = threads.violations[*index].moment;
            (moment.thread, Some(moment))
        }
        Found::Race(race) => (race.last.thread, None),
        Found::Deadlock(waiting) => (waiting[0].thread, None),
    };
    // How far each thread gets after that, in steps that nobody notices.
    let standing = match found {
        Found::Moment(_) => &[][..],
        Found::Race(race) => std::slice::from_ref(&race.next),
        Found::Deadlock(_) => &model.standing,
    };
    let mut evaluator = model.evaluator(&threads.terms);

    // How often each instruction has been executed, up to each execution.
    let mut counts: HashMap<ThreadId, Vec<Option<u64>>> = HashMap::new();
    for (thread, trail) in unfolding.trails.iter() {
        let mut executed: HashMap<(FunctionId, Option<InstId>), u64> = HashMap::new();
        let numbers = trail.executions.iter().map(|execution| {
            evaluator.is_true(execution.guard).then(|| {
                let place = (execution.function, execution.inst);
                let count = executed.entry(place).or_default();
                *count += 1;
                *count
            })
        });
        counts.insert(thread, numbers.collect());
    }

    // The interpreter numbers threads in the order in which they are created.
    let mut numbers: HashMap<ThreadId, usize> = HashMap::from([(ThreadId::FIRST, 0)]);
    let mut guide = Guide::default();
    // It may happen before the thread has had a turn.
    let is_before_all = moment.is_some_and(|violation| {
        violation.after == 0
            || !(model.stretches.iter()).any(|context| {
                let last = violation.after - 1;
                context.thread == violation.thread && context.positions.contains(&last)
            })
    });
    let is_past = |thread: ThreadId, passed: usize| {
        moment.is_some_and(|moment| thread == moment.thread && passed > moment.after)
    };
    let is_there = |thread: ThreadId, passed: usize| {
        moment.is_some_and(|moment| thread == moment.thread && passed == moment.after)
    };
    let mark = |thread: ThreadId, position: usize| {
        let step = threads.threads[thread].positions[position].step;
        let execution = unfolding.trails[thread].positions[position];
        let count = counts[&thread].get(execution).copied().flatten();
        let count = count.unwrap_or(1);
        match step.place {
            Place::End => Mark::End,
            Place::Exit => Mark::Exit,
            Place::Start => Mark::Start,
            Place::Return(function) => Mark::Return { function, count },
            Place::Inst(function, inst) => Mark::Inst {
                function,
                inst,
                count,
                part: step.part,
            },
        }
    };
    let mut last_stretches = HashMap::new();
    // What main does before its first step needs no steps of anybody: contexts mean
    // nothing then, and may have threads in them that are never created.
    let is_at_start = moment.is_some_and(|it| it.thread == ThreadId::FIRST && it.after == 0);
    let contexts = match is_at_start {
        true => &[][..],
        false => &model.stretches[..],
    };
    'contexts: for context in contexts {
        let thread = context.thread;
        let mut last = None;
        let mut is_final = false;
        for position in context.positions.clone() {
            if is_past(thread, position + 1) {
                break;
            }
            let data = &threads.threads[thread].positions[position];
            if evaluator.is_true(data.guard) {
                // Nobody but the thread itself can tell when it comes by a fence.
                if data.strength.fence.is_none() {
                    last = Some(position);
                }
                for (created, other) in threads.threads.iter() {
                    if let Some(creation) = other.creation
                        && (creation.thread, creation.position) == (thread, position)
                        && evaluator.is_true(creation.condition)
                    {
                        let next = numbers.len();
                        numbers.entry(created).or_insert(next);
                        is_final |= is_before_all && created == finally;
                    }
                }
            }
            is_final |= is_there(thread, position + 1);
            if is_final {
                break;
            }
        }
        if let Some(position) = last {
            let Some(number) = numbers.get(&thread) else {
                return Err(DoesNotFit(format!(
                    "thread {} runs before it is created",
                    thread.as_u32()
                )));
            };
            last_stretches.insert(thread, guide.stretches.len());
            guide.stretches.push(Stretch {
                thread: *number,
                until: mark(thread, position),
            });
        }
        if is_final {
            break 'contexts;
        }
    }
    add_approaches(&mut guide, standing, &last_stretches, |standing| {
        mark(standing.thread, standing.position)
    });
    let Some(finally) = numbers.get(&finally) else {
        return Err(DoesNotFit(
            "the violating thread is never created".to_owned(),
        ));
    };
    guide.finally = *finally;

    let allocation = |thread: ThreadId, execution: usize| {
        let data = unfolding.trails[thread].executions[execution];
        Some(Allocation {
            thread: *numbers.get(&thread)?,
            function: data.function,
            inst: data.inst?,
            count: counts[&thread][execution]?,
        })
    };
    let offset_mask = (1u128 << unfolding.offset_bits) - 1;
    for (thread, trail) in unfolding.trails.iter() {
        for reuse in &trail.reuses {
            let home = evaluator.value(reuse.home) as u32;
            let first = unfolding.allocations.get(&home);
            let by = allocation(thread, reuse.execution);
            let of = first.and_then(|(thread, execution)| allocation(*thread, *execution));
            if let (Some(by), Some(of)) = (by, of) {
                guide.reuses.push(GuidedReuse { by, of });
            }
        }
        let Some(number) = numbers.get(&thread) else {
            continue;
        };
        for input in &trail.inputs {
            let Some(count) = counts[&thread][input.execution] else {
                continue;
            };
            let execution = trail.executions[input.execution];
            let Some(inst) = execution.inst else {
                continue;
            };
            let value = evaluator.value(input.value);
            let is_word = threads.terms.width(input.value) == unfolding.word;
            if is_word && means == Numbers::Addresses {
                let (object, offset) = (value >> unfolding.offset_bits, value & offset_mask);
                let object = u32::try_from(object).ok();
                let object = object.and_then(|number| unfolding.addressees.get(&number));
                let object = object.and_then(|object| addressee(*object, &numbers, allocation));
                let index = guide.inputs.len();
                guide.addresses.extend(object.map(|object| {
                    let offset = offset as u64;
                    (index, Addressed { object, offset })
                }));
            }
            guide.inputs.push(GuidedInput {
                thread: *number,
                function: execution.function,
                inst,
                count,
                index: input.index,
                value,
            });
        }
    }
    let step_of = |at: Standing| {
        let step = threads.threads[at.thread].positions[at.position].step;
        let execution = unfolding.trails[at.thread].positions[at.position];
        let Place::Inst(function, inst) = step.place else {
            return None;
        };
        Some(Execution {
            thread: *numbers.get(&at.thread)?,
            function,
            inst,
            count: counts[&at.thread].get(execution).copied().flatten()?,
            part: step.part,
        })
    };
    add_sights(&mut guide, model, step_of);
    for (thread, trail) in unfolding.trails.iter() {
        for (execution, fails) in &trail.failures {
            let data = trail.executions[*execution];
            let (Some(inst), Some(count), Some(number)) =
                (data.inst, counts[&thread][*execution], numbers.get(&thread))
            else {
                continue;
            };
            if evaluator.is_true(*fails) {
                guide.failures.push(Execution {
                    thread: *number,
                    function: data.function,
                    inst,
                    count,
                    part: 0,
                });
            }
        }
    }
    for (thread, trail) in unfolding.trails.iter() {
        for interruption in &trail.interruptions {
            let Some(number) = numbers.get(&thread) else {
                continue;
            };
            if !evaluator.is_true(interruption.condition) {
                continue;
            }
            let before = interruption.before.and_then(|(execution, part)| {
                let data = trail.executions[execution];
                Some(Execution {
                    thread: *number,
                    function: data.function,
                    inst: data.inst?,
                    count: counts[&thread][execution]?,
                    part,
                })
            });
            let what = match interruption.what {
                unfold::Interrupted::Leaves => Incident::Leave,
                unfold::Interrupted::BySignal { number, fails } => Incident::Signal {
                    number,
                    fails: evaluator.is_true(fails),
                },
            };
            guide.interruptions.push(GuidedIncident {
                thread: *number,
                before,
                what,
            });
        }
    }
    for variable in &unfolding.open_variables {
        let is_there = evaluator.is_true(variable.is_there);
        guide.variables.push(u128::from(is_there));
        for byte in variable.text.iter().filter(|_| is_there) {
            let byte = evaluator.value(*byte);
            guide.variables.push(byte);
            if byte == 0 {
                break;
            }
        }
    }
    if let Some(open) = &unfolding.open_arguments {
        let count = evaluator.value(open.count);
        guide.arguments.push(count);
        for text in open.texts.iter().take(count as usize) {
            for byte in text {
                let byte = evaluator.value(*byte);
                guide.arguments.push(byte);
                if byte == 0 {
                    break;
                }
            }
        }
    }
    Ok(guide)
}

/// The same object in the interpreter's words, if it is there in this run.
fn addressee(
    object: unfold::Addressee,
    numbers: &HashMap<ThreadId, usize>,
    allocation: impl Fn(ThreadId, usize) -> Option<Allocation>,
) -> Option<Addressee> {
    Some(match object {
        unfold::Addressee::Global(global) => Addressee::Global(global),
        unfold::Addressee::Function(function) => Addressee::Function(function),
        unfold::Addressee::ThreadLocal(thread, global) => {
            Addressee::ThreadLocal(*numbers.get(&thread)?, global)
        }
        unfold::Addressee::Local(thread, function, inst) => {
            Addressee::Local(*numbers.get(&thread)?, function, inst)
        }
        unfold::Addressee::Block(thread, execution) => {
            Addressee::Block(allocation(thread, execution)?)
        }
    })
}
