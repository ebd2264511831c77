//! Which mutexes are held for certain when an instruction runs.
//!
//! A forward analysis of locksets. For each function: which locks it may release
//! and which it holds for certain when it returns; then, which are held for
//! certain when it is called, by every thread that runs it. Locks are mutexes,
//! spin locks and read-write locks held for writing, in global variables at known
//! offsets; of others nothing is claimed. Taking a lock counts only where the
//! call cannot return without it.

use super::threads::{Call, Threads};
use crate::points_to::{AbstractObject, ObjectId, PointsTo};
use cranelift_entity::SecondaryMap;
use ir::{BlockId, Body, FunctionId, InstId, Op, Operand, Program};
use library::{C11Thread, Function, Mutex, RwLock, Spin};
use std::collections::HashMap;

/// A lock of which there is only one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Lock {
    pub object: ObjectId,
    pub offset: i64,
}

/// A set of locks, one bit each. Locks beyond the 64th are not followed.
pub(super) type LockSet = u64;

/// All locks at once: what holds where nothing ever comes.
const EVERYTHING: LockSet = !0;

pub(super) struct Locks {
    pub all: Vec<Lock>,
    held: HashMap<(FunctionId, InstId), LockSet>,
}

/// What a call does to the set of locks.
#[derive(Clone, Copy)]
struct Change {
    released: LockSet,
    taken: LockSet,
}

struct Finder<'s> {
    program: &'s Program,
    points_to: &'s PointsTo,
    threads: &'s Threads,
    all: Vec<Lock>,
    /// What library functions do, per call.
    direct: HashMap<(FunctionId, InstId), Change>,
    released: SecondaryMap<FunctionId, LockSet>,
    /// Held on return by a call that began with none.
    taken: SecondaryMap<FunctionId, LockSet>,
    held_on_entry: SecondaryMap<FunctionId, LockSet>,
}

impl Locks {
    pub(super) fn of(program: &Program, points_to: &PointsTo, threads: &Threads) -> Locks {
        let mut finder = Finder {
            program,
            points_to,
            threads,
            all: Vec::new(),
            direct: HashMap::new(),
            released: SecondaryMap::new(),
            taken: SecondaryMap::with_default(EVERYTHING),
            held_on_entry: SecondaryMap::with_default(EVERYTHING),
        };
        finder.find_locks();
        if finder.all.is_empty() {
            return Locks {
                all: Vec::new(),
                held: HashMap::new(),
            };
        }
        finder.find_released();
        finder.find_taken();
        finder.find_entries();
        finder.finish()
    }

    /// The locks that are held when an instruction runs.
    pub(super) fn held(&self, function: FunctionId, inst: InstId) -> LockSet {
        self.held.get(&(function, inst)).copied().unwrap_or(0)
    }
}

impl Finder<'_> {
    fn functions(&self) -> Vec<FunctionId> {
        let functions = self.program.functions.keys();
        let is_reached = |id: &FunctionId| self.points_to.is_reached(*id);
        functions.filter(is_reached).collect()
    }

    fn find_locks(&mut self) {
        let threads = self.threads;
        for pass in [Step::Take, Step::Release] {
            for function in self.functions() {
                for call in &threads.calls[function] {
                    self.direct_change(function, call, pass);
                }
            }
        }
    }

    /// Notes what a call of the library does to locks. Those that are taken give
    /// the numbers, so they are looked at before those that are released.
    fn direct_change(&mut self, function: FunctionId, call: &Call, pass: Step) {
        let Some(body) = &self.program.functions[function].body else {
            return;
        };
        let Op::Call { args, .. } = &body.insts[call.inst].op else {
            return;
        };
        let change = self.direct.get(&(function, call.inst)).copied();
        let mut change = change.unwrap_or(Change {
            released: 0,
            taken: 0,
        });
        for library in &call.library {
            let step = step(*library);
            let Some(lock) = args.first().filter(|_| step == Some(pass)) else {
                continue;
            };
            match pass {
                // Several callees: which one is called is not known.
                Step::Take if call.library.len() == 1 && call.callees.is_empty() => {
                    change.taken |= self.single(function, *lock);
                }
                Step::Take => {}
                Step::Release => change.released |= self.any_of(function, *lock),
            }
        }
        if call.is_unknown {
            change.released = EVERYTHING;
        }
        self.direct.insert((function, call.inst), change);
    }

    /// The lock that an operand points to, if there is only that one.
    fn single(&mut self, function: FunctionId, operand: Operand) -> LockSet {
        let targets = self.points_to.targets(function, operand);
        let Some(target) = targets.single().filter(|target| target.offsets.is_exact()) else {
            return 0;
        };
        if !matches!(
            self.points_to.object(target.object),
            AbstractObject::Global(_)
        ) {
            return 0;
        }
        let lock = Lock {
            object: target.object,
            offset: target.offsets.start,
        };
        let known = self.all.iter().position(|known| *known == lock);
        let index = known.unwrap_or_else(|| {
            self.all.push(lock);
            self.all.len() - 1
        });
        1u64.checked_shl(index as u32).unwrap_or(0)
    }

    /// The locks that an operand may point to.
    fn any_of(&self, function: FunctionId, operand: Operand) -> LockSet {
        let targets = self.points_to.targets(function, operand);
        if targets.is_unknown || targets.is_empty() {
            return EVERYTHING;
        }
        let mut locks = 0;
        for (index, lock) in self.all.iter().enumerate().take(64) {
            let is_target = |target: crate::points_to::Target| {
                target.object == lock.object
                    && target
                        .offsets
                        .covers(crate::points_to::Offsets::exactly(lock.offset))
            };
            if targets.iter().any(is_target) {
                locks |= 1 << index;
            }
        }
        locks
    }

    fn find_released(&mut self) {
        let functions = self.functions();
        loop {
            let mut has_changed = false;
            for function in &functions {
                let mut released = 0;
                for call in &self.threads.calls[*function] {
                    released |= self.direct[&(*function, call.inst)].released;
                    for callee in &call.callees {
                        released |= self.released[*callee];
                    }
                }
                has_changed |= self.released[*function] != released;
                self.released[*function] = released;
            }
            if !has_changed {
                return;
            }
        }
    }

    fn find_taken(&mut self) {
        let functions = self.functions();
        loop {
            let mut has_changed = false;
            for function in &functions {
                let Some(body) = &self.program.functions[*function].body else {
                    continue;
                };
                let at_start = self.flow(*function, body, 0);
                let mut taken = EVERYTHING;
                for (id, block) in body.blocks.iter() {
                    if matches!(block.terminator, ir::Terminator::Return(_)) {
                        taken &= self.through_block(*function, body, id, at_start[id], |_, _| {});
                    }
                }
                has_changed |= self.taken[*function] != taken;
                self.taken[*function] = taken;
            }
            if !has_changed {
                return;
            }
        }
    }

    fn find_entries(&mut self) {
        for roots in self
            .threads
            .entries
            .keys()
            .map(|id| &self.threads.roots[id])
        {
            for root in roots {
                self.held_on_entry[*root] = 0;
            }
        }
        let functions = self.functions();
        let calls: HashMap<(FunctionId, InstId), &Call> = functions
            .iter()
            .flat_map(|id| {
                self.threads.calls[*id]
                    .iter()
                    .map(|call| ((*id, call.inst), call))
            })
            .collect();
        loop {
            let mut lowered: Vec<(FunctionId, LockSet)> = Vec::new();
            for function in &functions {
                self.for_each_inst(*function, |inst, held| {
                    if let Some(call) = calls.get(&(*function, inst)) {
                        // An exit runs its functions wherever it happens, and
                        // callbacks of unknown code after it released anything.
                        let held = if call.is_unknown { 0 } else { held };
                        lowered.extend(call.callees.iter().map(|callee| (*callee, held)));
                    }
                });
            }
            let mut has_changed = false;
            for (function, held) in lowered {
                let before = self.held_on_entry[function];
                self.held_on_entry[function] &= held;
                has_changed |= self.held_on_entry[function] != before;
            }
            if !has_changed {
                return;
            }
        }
    }

    fn finish(self) -> Locks {
        let mut held_at = HashMap::new();
        for function in self.functions() {
            self.for_each_inst(function, |inst, held| {
                held_at.insert((function, inst), held);
            });
        }
        Locks {
            held: held_at,
            all: self.all,
        }
    }

    fn for_each_inst(&self, function: FunctionId, mut visit: impl FnMut(InstId, LockSet)) {
        let Some(body) = &self.program.functions[function].body else {
            return;
        };
        let at_start = self.flow(function, body, self.held_on_entry[function]);
        for id in body.blocks.keys() {
            self.through_block(function, body, id, at_start[id], &mut visit);
        }
    }

    /// The locks held at the start of each block, given those at the start of the
    /// function.
    fn flow(
        &self,
        function: FunctionId,
        body: &Body,
        on_entry: LockSet,
    ) -> SecondaryMap<BlockId, LockSet> {
        let mut at_start = SecondaryMap::with_default(EVERYTHING);
        at_start[Body::ENTRY] = on_entry;
        let mut queue = vec![Body::ENTRY];
        let mut seen = cranelift_entity::EntitySet::new();
        seen.insert(Body::ENTRY);
        while let Some(block) = queue.pop() {
            let held = self.through_block(function, body, block, at_start[block], |_, _| {});
            for next in body.blocks[block].terminator.successors() {
                let met = at_start[next] & held;
                if seen.insert(next) || met != at_start[next] {
                    at_start[next] = met;
                    queue.push(next);
                }
            }
        }
        at_start
    }

    fn through_block(
        &self,
        function: FunctionId,
        body: &Body,
        block: BlockId,
        mut held: LockSet,
        mut visit: impl FnMut(InstId, LockSet),
    ) -> LockSet {
        for inst in &body.blocks[block].insts {
            visit(*inst, held);
            if !matches!(body.insts[*inst].op, Op::Call { .. }) {
                continue;
            }
            let call = self.threads.calls[function]
                .iter()
                .find(|call| call.inst == *inst);
            if let Some(call) = call {
                held = self.after(function, call, held);
            }
        }
        held
    }

    fn after(&self, function: FunctionId, call: &Call, held: LockSet) -> LockSet {
        let direct = self.direct[&(function, call.inst)];
        // A call runs one of its callees, or one of the library's functions, which
        // may run some of the callees in turn.
        let mut after = match call.library.is_empty() && !call.callees.is_empty() {
            true => EVERYTHING,
            false => held & !direct.released | direct.taken,
        };
        for callee in &call.callees {
            after &= held & !self.released[*callee] | self.taken[*callee];
        }
        after
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Step {
    Take,
    Release,
}

/// What a function does to the lock that is its first argument. Waiting for a
/// condition gives the mutex away, but has it back on return.
fn step(function: Function) -> Option<Step> {
    match function {
        Function::Mutex(Mutex::Lock)
        | Function::Spin(Spin::Lock)
        | Function::RwLock(RwLock::WriteLock)
        | Function::C11Thread(C11Thread::MutexLock) => Some(Step::Take),
        Function::Mutex(Mutex::Unlock | Mutex::Init | Mutex::Destroy)
        | Function::Spin(Spin::Unlock | Spin::Init | Spin::Destroy)
        | Function::RwLock(RwLock::Unlock | RwLock::Init | RwLock::Destroy)
        | Function::C11Thread(
            C11Thread::MutexUnlock | C11Thread::MutexInit | C11Thread::MutexDestroy,
        ) => Some(Step::Release),
        _ => None,
    }
}
