//! What a step has to do with what others may do, from what it looks at and changes.

use super::components::{ABSENT, Slot, SlotIndex};
use super::questions::{Asked, Question};
use super::steps::Steps;
use crate::footprint::Look;
use crate::machine::Machine;
use crate::thread::Wait;
use analysis::ObjectId;
use library::{C11Thread, Function, Mutex, RwLock, Semaphore, Spin, Thread as ThreadOp};

/// What a step does, as far as others may have to do with it.
#[derive(Clone, Debug, Default)]
pub(super) struct Claim {
    pub reads: Vec<ObjectId>,
    pub writes: Vec<ObjectId>,
    pub syncs: Vec<ObjectId>,
    /// It gives back a lock, or posts a semaphore.
    pub releases: bool,
    pub creates: bool,
    pub joins: bool,
    pub ends: bool,
    /// It depends on keys and on what is registered for the end.
    pub looks_at_rest: bool,
    pub looks_at_freed_blocks: bool,
    /// It goes backwards in its function.
    pub turns: bool,
    /// It creates, ends or joins a thread.
    pub is_progress: bool,
    /// If it has to wait: those without whom it waits for ever, be it that they have a
    /// lock or that they have not ended; and the locks.
    pub blockers: Vec<usize>,
    pub blocked_at: Vec<ObjectId>,
}

impl Steps<'_> {
    /// What a step has done, for those who ask whether it may go alone; nothing if it
    /// surely may not.
    pub(super) fn claim(
        &self,
        state: &[u32],
        thread: usize,
        (before, after): (&Machine, &Machine),
        looks: &[Look],
        questions: &[Asked],
        changes: &[(SlotIndex, u32)],
    ) -> Option<Claim> {
        let alone = self.alone.as_ref()?;
        let function = alone.library_call(&before.threads[thread]);
        let ends = after.threads[thread].is_finished();
        let mut claim = Claim {
            ends,
            creates: after.threads.len() > before.threads.len(),
            turns: looks.contains(&Look::Turn),
            is_progress: is_progress(before, after),
            ..Claim::default()
        };
        let is_changed = |slot: SlotIndex| changes.iter().any(|(changed, _)| *changed == slot);
        for question in questions {
            let Asked::Question(question) = question else {
                continue;
            };
            match question {
                Question::Content(slot) | Question::Header(slot) => {
                    let is_header = matches!(question, Question::Header(_));
                    match self.components.what(*slot) {
                        Slot::Rest if is_changed(*slot) => return None,
                        Slot::Rest => claim.looks_at_rest = true,
                        Slot::Thread(_) => claim.joins = true,
                        // Whatever the value is, others see the same of it.
                        Slot::Open(_) => {}
                        Slot::Sync((object, _)) => {
                            let object = before.memory.peek(object)?;
                            claim.releases |= is_changed(*slot) && releases(function);
                            claim.syncs.extend(some(alone.objects(object))?);
                        }
                        Slot::Object(id) => {
                            let object = before.memory.peek(id)?;
                            let objects = some(alone.objects(object))?;
                            // To write what is there already is to write.
                            let accesses = after.accesses.iter();
                            let mut accesses = accesses.filter(|access| access.object == id);
                            let is_read = !is_changed(*slot)
                                && (is_header || accesses.clone().next().is_some())
                                && accesses.all(|access| !access.is_write);
                            match is_read {
                                true => claim.reads.extend(objects),
                                false => claim.writes.extend(objects),
                            }
                        }
                    }
                }
                Question::Handle(_) | Question::Ended(_) => claim.joins = true,
                Question::ThreadCount => claim.joins |= !claim.creates,
                Question::OthersRunning if ends && before.at_exit.is_empty() => {}
                Question::OthersRunning => return None,
                Question::FreedBlocks => claim.looks_at_freed_blocks = true,
                // Names are as good as each other.
                Question::Names => {}
            }
        }
        // What changes without having been looked at is new, or the thread itself.
        for (slot, _) in changes {
            let is_asked = questions.iter().any(|question| {
                matches!(question, Asked::Question(
                    Question::Content(asked) | Question::Header(asked)) if asked == slot)
            });
            let was_there = self.components.get(state, *slot) != ABSENT;
            let is_own = self.components.what(*slot) == Slot::Thread(thread);
            if !is_asked && was_there && !is_own {
                return None;
            }
        }
        if claim.joins && asks_for_ends(function) || claim.releases && claim.syncs.len() > 1 {
            return None;
        }
        Some(claim)
    }

    /// The same of a thread that has to wait, with those without whom it does for ever.
    pub(super) fn blocked(
        &self,
        mut claim: Claim,
        before: &Machine,
        thread: usize,
    ) -> Option<Claim> {
        let alone = self.alone.as_ref()?;
        let wait = &before.threads[thread].pending.wait;
        if let Wait::Join(target) = wait {
            claim.blockers.push(*target);
        } else if let Some(lock) = wait.lock() {
            let sync = before.sync.peek(lock);
            claim.blockers = sync.map_or(Vec::new(), |sync| sync.holders());
            claim.blocked_at = some(alone.objects(before.memory.peek(lock.0)?))?;
        }
        Some(claim)
    }
}

/// All of them, if there are any.
fn some<T>(all: Vec<T>) -> Option<Vec<T>> {
    (!all.is_empty()).then_some(all)
}

/// What an instruction has to do with locks and threads.
fn releases(function: Option<Function>) -> bool {
    matches!(
        function,
        Some(
            Function::Mutex(Mutex::Unlock)
                | Function::RwLock(RwLock::Unlock)
                | Function::Spin(Spin::Unlock)
                | Function::Semaphore(Semaphore::Post)
                | Function::C11Thread(C11Thread::MutexUnlock)
        )
    )
}

/// Whether it asks if a thread has ended, or lets it go its way.
fn asks_for_ends(function: Option<Function>) -> bool {
    matches!(
        function,
        Some(
            Function::Thread(ThreadOp::TryJoin | ThreadOp::TimedJoin | ThreadOp::Detach)
                | Function::C11Thread(C11Thread::ThreadDetach)
        )
    )
}

/// Whether a step of a thread has created, ended or joined threads.
fn is_progress(before: &Machine, after: &Machine) -> bool {
    let count = |machine: &Machine| {
        let threads = machine.threads.iter();
        threads
            .map(|thread| usize::from(thread.is_finished()) + usize::from(thread.is_joined))
            .sum::<usize>()
    };
    after.threads.len() > before.threads.len() || count(after) > count(before)
}
