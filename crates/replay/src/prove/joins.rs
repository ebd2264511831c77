//! Joins that a thread makes one after the other before it does anything else.
//!
//! The interpreter finds them: in a copy of the state in which all other threads
//! have ended, the thread takes its steps, and as long as these are joins whose
//! results it does not want, read what no other thread ever writes, or write what no
//! other thread ever uses, they belong together.

use super::alone::Alone;
use super::components::{Components, Slot};
use super::inputs::{Samples, Script};
use super::symmetry::Joins;
use crate::footprint::Look;
use crate::machine::Machine;
use crate::object::{Area, Object, ObjectId};
use crate::sync::SyncKey;
use crate::thread::{Life, Pending, Wait};
use crate::value::{Pointer, Value};
use std::rc::Rc;

/// Steps to try at most.
const MOST_STEPS: usize = 10_000;

pub(super) fn find_joins(
    components: &mut Components,
    alone: &Alone,
    samples: &Samples,
    row: &[u32],
    joiner: usize,
) -> Joins {
    let mut machine = components.machine(row);
    machine.leave_open(samples.open);
    for (id, thread) in machine.threads.iter_mut().enumerate() {
        if id != joiner {
            let thread = Rc::make_mut(thread);
            thread.frames.clear();
            thread.pending = Pending::default();
            thread.life = Life::Finished(Value::Pointer(Pointer::NULL));
        }
    }
    let mut joins = Joins::default();
    let mut needs = Vec::new();
    for _ in 0..MOST_STEPS {
        let thread = machine.threads[joiner].clone();
        if thread.is_finished() || thread.is_stuck() {
            break;
        }
        let target = match thread.pending.wait {
            Wait::Join(target) if alone.joins_for_no_result(&thread) => Some(target),
            Wait::Nothing => None,
            _ => break,
        };
        let before = machine.clone();
        components.footprint.take();
        let mut script = Script::new(&[], samples);
        let goes = machine.is_enabled(joiner) && machine.step(joiner, &mut script).is_ok();
        let looks = components.footprint.take();
        if !goes || !script.given.is_empty() || !is_quiet(alone, &before, &machine, joiner, target)
        {
            break;
        }
        let mut is_harmless = true;
        for look in &looks {
            is_harmless &= match look {
                Look::Header(id) | Look::Content(id) => {
                    match needed(components, alone, &before, *id, joiner) {
                        Needed::Nothing => true,
                        Needed::Slot(slot) => {
                            needs.push((slot, components.get(row, slot)));
                            true
                        }
                        Needed::TooMuch => false,
                    }
                }
                // Of the next one to be joined only whether it may be: nobody else joins.
                Look::Handle(_) => true,
                Look::Thread(other) | Look::Ended(other) => {
                    *other == joiner || target == Some(*other)
                }
                Look::SyncsIn(id, ..) => {
                    let is_own = id.area() != Area::Global && id.thread() == joiner;
                    before.memory.peek(*id).is_some_and(|object| {
                        is_own && !object.is_shared
                            || !alone.is_used_by_threads(object) && !alone.has_locks(object)
                    })
                }
                Look::Turn => true,
                _ => false,
            };
        }
        if !is_harmless {
            break;
        }
        if let Some(target) = target {
            joins.joined.push(target);
            joins.needs.clone_from(&needs);
        }
    }
    components.footprint.take();
    joins
}

enum Needed {
    Nothing,
    Slot(usize),
    TooMuch,
}

/// What of a state it depends on what a thread reads in an object.
fn needed(
    components: &mut Components,
    alone: &Alone,
    before: &Machine,
    id: ObjectId,
    joiner: usize,
) -> Needed {
    let Some(object) = before.memory.peek(id) else {
        return Needed::Nothing;
    };
    if object.is_constant {
        return Needed::Nothing;
    }
    if object.is_shared || id.area() == Area::Global {
        return match alone.is_written_by_threads(object) {
            true => Needed::TooMuch,
            false => Needed::Slot(components.slot(Slot::Object(id))),
        };
    }
    match id.thread() == joiner {
        true => Needed::Nothing,
        false => Needed::TooMuch,
    }
}

/// Whether a step has changed nothing but its thread, what no other thread uses, and
/// the thread that it joined, and there is nothing to be said about it.
fn is_quiet(
    alone: &Alone,
    before: &Machine,
    after: &Machine,
    joiner: usize,
    target: Option<usize>,
) -> bool {
    let is_own = |object: &Object| !alone.is_used_by_threads(object);
    let mut written = after.accesses.iter().filter(|access| access.is_write);
    let mut changed = super::components::changed_objects(&before.memory, &after.memory);
    let syncs = |machine: &Machine| -> Vec<(SyncKey, crate::sync::Sync)> {
        let all = machine.sync.iter();
        all.map(|(key, sync)| (key, sync.clone())).collect()
    };
    let threads = before.threads.iter().zip(&after.threads).enumerate();
    let mut others = threads.filter(|(id, _)| *id != joiner && target != Some(*id));
    after.exit_code().is_none()
        && after.noticed.is_empty()
        && after.excluded.len() == before.excluded.len()
        && after.unknown_calls.len() == before.unknown_calls.len()
        && after.stuck().count() == before.stuck().count()
        && after.threads.len() == before.threads.len()
        && others.all(|(_, (old, new))| Rc::ptr_eq(old, new))
        && written.all(|access| before.memory.peek(access.object).is_some_and(is_own))
        && changed.all(|(_, object)| is_own(object))
        && !super::components::ends_known_locals(before, after)
        && after.keys.len() == before.keys.len()
        && after.at_exit.len() == before.at_exit.len()
        && after.futex_waiters == before.futex_waiters
        && after.kernel == before.kernel
        && syncs(after) == syncs(before)
}

/// Whether a thread holds something, or is listed among those who wait.
pub(super) fn is_listed(components: &Components, row: &[u32], thread: usize) -> bool {
    let mut slots = components.sync_slots().iter();
    slots.any(|slot| match row.get(*slot) {
        Some(content) => components.holders(*content).contains(&thread),
        None => false,
    })
}
