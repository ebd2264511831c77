//! Partial-order reduction: threads that may go alone.
//!
//! If the next step of a thread has nothing to do with anything that the others may
//! ever do before it is taken, then it makes no difference when it is taken: it may
//! as well be now, and no other step need be tried in this state. What others may do
//! comes from [`analysis::Futures`], which promises to forget nothing; what the step
//! does is known from what it looks at and changes.
//!
//! **What is kept.** For every run there is one among those visited in which the
//! same steps happen in the same local states, independent ones in another order.
//! So violations that a step meets are found; states in which nobody can go on are
//! visited; so are states in which threads wait for each other, since those last.
//! Two steps that race are not independent, so neither goes alone while the other is
//! to come, and some state is visited with both about to be taken. Steps that end
//! the process, or that end a run otherwise, never go alone; nothing that they would
//! have cut off is lost by taking other steps before. But what is left in memory at
//! the end of the process depends on when that is, so there is no reduction where
//! that is looked for. Nor is there one in programs that jump between functions,
//! since what they may still do does not follow from where they are.
//!
//! **The proviso.** A thread that always goes alone could keep the others from ever
//! being looked at. In every cycle of states each thread that moves comes back to
//! where it was, and so goes backwards in its function at least once; so steps that
//! go backwards do not go alone. Those that create, end or join threads may: no
//! state comes twice with one of these in between.
//!
//! **Two refinements.** To give back a lock, or to post a semaphore, commutes with
//! all that others can do about it meanwhile, unless they try it without waiting,
//! destroy it and the like. And what is accessed only with a certain lock held is
//! accessed by nobody else while the thread has that lock.

use super::Reductions;
use super::claims::Claim;
use super::components::{Components, Slot};
use super::steps::Step;
use crate::image::Image;
use crate::machine::Config;
use crate::object::{Object, Origin};
use crate::sync::Sync;
use crate::thread::{Frame, Life, Then, Thread};
use crate::violation::Property;
use analysis::futures::Manner;
use analysis::sharing::Lock;
use analysis::{AbstractObject, Future, Futures, ObjectId, Sharing};
use ir::{Body, Callee, Constant, Location, Op, Operand, Program};
use library::{C11Thread, Function, Thread as ThreadOp};
use std::collections::HashMap;
use std::rc::Rc;

/// A mistake to make on purpose, so that tests can see that it would be noticed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mistake {
    /// Threads may go round in loops alone.
    NoProviso,
    /// What others write does not matter.
    IgnoresWrites,
    /// Locks may be tried without waiting while they are given back.
    IgnoresTries,
    /// What only `main` will read is forgotten.
    ForgetsWhatIsRead,
    /// Threads are exchanged although somebody knows what belongs to them.
    IgnoresNames,
    /// Threads go without those who would let one of them go on.
    IgnoresEnabling,
}

/// What is known beforehand about all that may happen.
pub(super) struct Prospects<'a> {
    points_to: &'a analysis::PointsTo,
    futures: Futures<'a>,
    sharing: Sharing,
    /// What all threads but `main` may do together; and what all may do.
    started: Future,
    all: Future,
    /// Numbers of threads are used for nothing but to join them.
    are_only_joined: bool,
    /// Allocations by the place of the call.
    blocks: HashMap<Option<Location>, Vec<ObjectId>>,
}

impl<'a> Prospects<'a> {
    /// Nothing, where the reduction would not be right. The program must not jump
    /// between functions.
    pub(super) fn of(
        program: &'a Program,
        config: &Config,
        points_to: &'a analysis::PointsTo,
    ) -> Option<Self> {
        let checks = config.checks;
        if checks.has(Property::Leak)
            || checks.has(Property::Cleanup)
            || analysis::layout::first_dependence(program).is_some()
        {
            return None;
        }
        let mut blocks: HashMap<_, Vec<ObjectId>> = HashMap::new();
        for (object, what) in points_to.objects() {
            if let AbstractObject::Heap { function, inst } = what {
                let body = program.functions[function].body.as_ref();
                let location = body.and_then(|body| body.insts[inst].location);
                blocks.entry(location).or_default().push(object);
            }
        }
        let futures = Futures::of(program, points_to);
        let started = futures.of_threads();
        let mut all = started.clone();
        for function in program.startup.iter().chain([&program.main]) {
            all.add(&futures.from(*function, Body::ENTRY, 0));
        }
        Some(Prospects {
            points_to,
            started,
            all,
            are_only_joined: analysis::handles::are_only_joined(program, points_to),
            futures,
            sharing: Sharing::of(program, points_to),
            blocks,
        })
    }
}

pub(super) struct Alone<'a> {
    config: &'a Config,
    image: &'a Image<'a>,
    prospects: &'a Prospects<'a>,
    /// By thread content.
    known: Vec<Option<Future>>,
    reductions: Reductions,
}

impl<'a> Alone<'a> {
    pub(super) fn new(
        image: &'a Image<'a>,
        config: &'a Config,
        prospects: &'a Prospects<'a>,
        reductions: Reductions,
    ) -> Self {
        Alone {
            config,
            image,
            prospects,
            known: Vec::new(),
            reductions,
        }
    }

    pub(super) fn mistake(&self) -> Option<Mistake> {
        self.reductions.mistake
    }

    /// Whether several threads may go without the others.
    pub(super) fn has_sets(&self) -> bool {
        self.reductions.thread_sets
    }

    /// Whether a thread that may go alone after a step does so at once.
    pub(super) fn goes_on(&self) -> bool {
        self.reductions.going_on
    }

    /// Numbers of threads are used for nothing but to join them.
    pub(super) fn are_only_joined(&self) -> bool {
        self.prospects.are_only_joined
    }

    /// The abstract objects that stand for an object of a run; none if that is not
    /// known.
    pub(super) fn objects(&self, object: &Object) -> Vec<ObjectId> {
        let id = |what| self.prospects.points_to.id(what).into_iter().collect();
        match &object.origin {
            Origin::Global(global) => id(AbstractObject::Global(*global)),
            Origin::ThreadLocal(global) => id(AbstractObject::ThreadLocal(*global)),
            Origin::Local(function, inst) => id(AbstractObject::Local {
                function: *function,
                inst: *inst,
            }),
            Origin::Heap(location) => self
                .prospects
                .blocks
                .get(location)
                .cloned()
                .unwrap_or_default(),
            Origin::Environment(_) => Vec::new(),
        }
    }

    /// The library function that a thread is about to call, if it is one, and with
    /// what.
    fn call(&self, thread: &Thread) -> Option<(Function, &[Operand])> {
        let frame = thread.frame()?;
        let body = self.image.body(frame.function)?;
        let inst = *body.blocks[frame.block].insts.get(frame.index)?;
        match &body.insts[inst].op {
            Op::Call {
                callee: Callee::Direct(function),
                args,
                ..
            } => Some((self.image.library(*function)?.function, args)),
            _ => None,
        }
    }

    pub(super) fn library_call(&self, thread: &Thread) -> Option<Function> {
        Some(self.call(thread)?.0)
    }

    /// Whether a thread is about to join another, whose result it does not want.
    pub(super) fn joins_for_no_result(&self, thread: &Thread) -> bool {
        let joins = [
            Function::Thread(ThreadOp::Join),
            Function::C11Thread(C11Thread::ThreadJoin),
        ];
        match self.call(thread) {
            Some((function, [_, Operand::Const(place), ..])) if joins.contains(&function) => {
                *self.image.program.constant(*place) == Constant::Null
            }
            _ => false,
        }
    }

    /// Whether threads other than `main` may ever write an object.
    pub(super) fn is_written_by_threads(&self, object: &Object) -> bool {
        self.is_known_to_threads(object, &[Manner::Writes, Manner::Synchronises])
    }

    /// Whether threads other than `main` may ever have to do with an object.
    pub(super) fn is_used_by_threads(&self, object: &Object) -> bool {
        self.is_known_to_threads(object, &analysis::futures::MANNERS)
    }

    /// Whether anybody may ever synchronise with an object.
    pub(super) fn has_locks(&self, object: &Object) -> bool {
        let objects = self.objects(object);
        let all = &self.prospects.all;
        let manners = [Manner::Waits, Manner::Synchronises];
        let is_lock = |object: &ObjectId| manners.iter().any(|how| all.has(*object, *how));
        all.may_do_anything || objects.is_empty() || objects.iter().any(is_lock)
    }

    fn is_known_to_threads(&self, object: &Object, manners: &[Manner]) -> bool {
        let objects = self.objects(object);
        let started = &self.prospects.started;
        let is_known = |object: &ObjectId| manners.iter().any(|how| started.has(*object, *how));
        started.may_do_anything || objects.is_empty() || objects.iter().any(is_known)
    }

    /// Finds out what the threads of a state may still do.
    pub(super) fn prepare(&mut self, components: &mut Components, threads: &[(usize, u32)]) {
        for (thread, content) in threads {
            let index = *content as usize;
            if self.known.len() <= index {
                self.known.resize(index + 1, None);
            }
            if self.known[index].is_none() {
                let thread = components.owned(*thread, *content).thread.clone();
                self.known[index] = Some(self.find_future(&thread));
            }
        }
    }

    /// What a thread of this content may still do, if that was found out.
    pub(super) fn future(&self, content: u32) -> Option<&Future> {
        self.known.get(content as usize)?.as_ref()
    }

    fn find_future(&self, thread: &Thread) -> Future {
        let mut future = Future::default();
        if let Life::Finished(_) | Life::Stuck(_) = thread.life {
            return future;
        }
        future.add(self.prospects.futures.at_end());
        for (index, frame) in thread.frames.iter().enumerate() {
            let above: Option<&Frame> = thread.frames.get(index + 1);
            let is_called = above.is_some_and(|above| above.then == Then::Continue);
            let at = frame.index + usize::from(is_called);
            future.add(&self.prospects.futures.from(frame.function, frame.block, at));
        }
        future
    }

    /// Whether a thread may go alone in a state that was prepared for, if these are all
    /// its steps. There may be another that does nothing before this one has ended.
    pub(super) fn may_go(
        &self,
        components: &Components,
        row: &[u32],
        threads: &[(usize, u32)],
        (thread, steps): (usize, &[Rc<Step>]),
        waits_for_it: Option<usize>,
    ) -> bool {
        if !self.are_fit(steps) {
            return false;
        }
        let others = || {
            let others = threads.iter();
            others.filter(|(other, _)| *other != thread && Some(*other) != waits_for_it)
        };
        let contents = || others().map(|(_, content)| *content);
        let is_guarded =
            |object: ObjectId| self.is_guarded(components, row, (thread, object), contents());
        others().all(|(_, content)| {
            let mut claims = steps.iter().filter_map(|step| step.claim.as_ref());
            !claims.any(|claim| self.may_concern(claim, *content, &is_guarded))
        })
    }

    /// Whether all these steps are known well enough, and none goes backwards.
    pub(super) fn are_fit(&self, steps: &[Rc<Step>]) -> bool {
        let is_fit = |claim: &Claim| {
            !claim.turns || claim.is_progress || self.mistake() == Some(Mistake::NoProviso)
        };
        let mut claims = steps.iter().map(|step| step.claim.as_ref());
        claims.all(|claim| claim.is_some_and(is_fit))
    }

    /// Whether a thread of this content may ever do something that has to do with what
    /// another claims to do.
    pub(super) fn may_concern(
        &self,
        claim: &Claim,
        content: u32,
        is_guarded: &dyn Fn(ObjectId) -> bool,
    ) -> bool {
        match self.future(content) {
            Some(future) => self.conflicts(claim, future, is_guarded),
            None => true,
        }
    }

    /// Whether a thread of this content may ever make locks anew, or end them.
    pub(super) fn may_remake(&self, locks: &[ObjectId], content: u32) -> bool {
        let manners = [Manner::Synchronises, Manner::Writes];
        let remakes = |future: &Future| {
            let mut all = locks.iter();
            future.may_do_anything
                || all.any(|lock| manners.iter().any(|manner| future.has(*lock, *manner)))
        };
        !locks.is_empty() && self.future(content).is_none_or(remakes)
    }

    /// Whether none of the others, who have these contents, accesses an object while a
    /// thread has a lock that it has now.
    pub(super) fn is_guarded(
        &self,
        components: &Components,
        row: &[u32],
        (thread, object): (usize, ObjectId),
        others: impl Iterator<Item = u32> + Clone,
    ) -> bool {
        let mut locks = self.prospects.sharing.locks(object).iter();
        locks.any(|lock| {
            // Whoever makes it anew makes it free.
            let is_made = |content: u32| {
                let future = self.future(content);
                future.is_none_or(|future| future.has(lock.object, Manner::Synchronises))
            };
            self.has_lock(components, row, thread, lock) && !others.clone().any(is_made)
        })
    }

    fn conflicts(
        &self,
        claim: &Claim,
        future: &Future,
        is_guarded: &dyn Fn(ObjectId) -> bool,
    ) -> bool {
        if future.may_do_anything
            || claim.creates && (future.creates || future.joins)
            || claim.joins && future.joins
            || claim.ends && (future.asks_for_ends || future.allocates && self.counts_others())
            || claim.looks_at_rest && future.changes_rest
            || claim.looks_at_freed_blocks && future.allocates && self.image.can_free
        {
            return true;
        }
        let has = |object: &ObjectId, manners: &[Manner]| {
            manners.iter().any(|manner| future.has(*object, *manner))
        };
        let ignores_writes = self.mistake() == Some(Mistake::IgnoresWrites);
        let written: &[Manner] = match ignores_writes {
            true => &[],
            false => &[Manner::Writes, Manner::Synchronises],
        };
        let touched: &[Manner] = match ignores_writes {
            true => &[],
            false => &[
                Manner::Reads,
                Manner::Writes,
                Manner::Waits,
                Manner::Synchronises,
            ],
        };
        let used: &[Manner] = match (claim.releases, self.mistake()) {
            (true, Some(Mistake::IgnoresTries)) => &[],
            (true, _) => &[Manner::Writes, Manner::Synchronises],
            (false, _) => &[Manner::Writes, Manner::Waits, Manner::Synchronises],
        };
        let reads = claim.reads.iter().filter(|object| has(object, written));
        let writes = claim.writes.iter().filter(|object| has(object, touched));
        reads.chain(writes).any(|object| !is_guarded(*object))
            || claim.syncs.iter().any(|object| has(object, used))
    }

    /// Whether it matters for allocations that others run.
    fn counts_others(&self) -> bool {
        self.config.surroundings.address_reuse && self.image.can_free
    }

    /// Whether a thread has a lock for itself.
    fn has_lock(&self, components: &Components, row: &[u32], thread: usize, lock: &Lock) -> bool {
        let AbstractObject::Global(global) = self.prospects.points_to.object(lock.object) else {
            return false;
        };
        let Some(place) = self.image.global(global) else {
            return false;
        };
        let slot = components.known_slot(Slot::Sync((place, lock.offset as u64)));
        let content = slot.map_or(0, |slot| components.get(row, slot));
        match components.sync(content) {
            Some(Sync::Mutex { owner, .. } | Sync::Spin { owner }) => owner == Some(thread),
            Some(Sync::RwLock { writer, .. }) => writer == Some(thread),
            _ => false,
        }
    }
}
