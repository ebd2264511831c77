//! What there is to see in a program before it runs: its threads, what they
//! share, how they synchronise, how many positions they have, and what they use
//! that is not part of the program.
//!
//! A *position* of a thread is a place in its code that may be a visible step:
//! an access to memory that other threads may see, a synchronisation operation,
//! an atomic section as a whole, the end of the thread. Positions are counted as
//! if each call were replaced by the body of the function, with each loop and
//! each recursion counted once, and all branches. So the count tells how large a
//! thread is, not how long a run of it takes.
//!
//! Everything here is found without running anything, and by simple means: an
//! address counts as private only if it never leaves the function that made it.
//! A run can therefore have fewer visible steps per round than positions, and
//! the outline is nothing to base a verdict on.

mod addresses;
mod calls;
mod synchronisation;
mod targets;

pub use synchronisation::{Owner, SyncKind, SyncObject};

use crate::library_calls::{Use, is_allocation};
use crate::meaning::Meaning;
use crate::{LoopId, Loops};
use addresses::{Addresses, Object, is_shared};
use calls::{Call, Calls};
use cranelift_entity::{EntitySet, PrimaryMap};
use ir::{FunctionId, GlobalId, Initial, Location, Op, Program, Symbol};
use library::Function;
use std::collections::BTreeMap;
use synchronisation::{is_all_synchronisation, sync_objects};
use targets::{Resolver, Targets};

/// The summary of a program. Threads are in order of first appearance, everything
/// else in the order of the source.
#[derive(Clone, Debug)]
pub struct Outline {
    /// The first one is that of `main`.
    pub threads: Vec<Thread>,
    /// Those with a body that some thread may run.
    pub functions: Vec<FunctionOutline>,
    /// Variables that several threads can see, except for those that are nothing
    /// but synchronisation objects.
    pub objects: Vec<SharedObject>,
    pub allocations: Vec<Site>,
    pub sync_objects: Vec<SyncObject>,
    /// Functions of the C library and the like that are called.
    pub library: Vec<FunctionId>,
    /// Called functions that nobody defines, and where they are first called.
    pub unknown: Vec<Site>,
    pub unsupported: Vec<Unsupported>,
}

/// All threads that run the same function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Thread {
    pub start: Start,
    /// Where such threads are created; nowhere for the one of `main`.
    pub created: Vec<Creation>,
    /// At most [`Outline::MOST_POSITIONS`].
    pub positions: u64,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Start {
    Function(FunctionId),
    /// One of these is chosen at run time.
    Chosen(Vec<FunctionId>),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Creation {
    pub location: Option<Location>,
    /// It is in a loop, or in a function that is called from a loop.
    pub is_in_loop: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FunctionOutline {
    pub function: FunctionId,
    /// Of its own instructions only.
    pub positions: u64,
    pub loops: Vec<LoopOutline>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoopOutline {
    pub id: LoopId,
    /// As users call it: `main.0`.
    pub name: String,
    pub location: Option<Location>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SharedObject {
    pub global: GlobalId,
    /// Its address is in the initial value of another variable.
    pub is_in_initial_value: bool,
    /// At most one per thread.
    pub uses: Vec<ThreadUse>,
}

/// How the functions of a thread use a variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ThreadUse {
    /// Index into [`Outline::threads`].
    pub thread: usize,
    pub access: Access,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Access {
    pub reads: bool,
    pub writes: bool,
    /// Its address is taken, and what happens then is not known.
    pub by_pointer: bool,
}

/// A call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Site {
    pub callee: FunctionId,
    pub caller: FunctionId,
    pub location: Option<Location>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unsupported {
    pub what: String,
    pub function: FunctionId,
    pub location: Option<Location>,
}

impl Outline {
    /// Counting of positions ends here.
    pub const MOST_POSITIONS: u64 = calls::MOST_POSITIONS;

    pub fn of(program: &Program) -> Outline {
        let meaning = Meaning::of(program);
        let functions = program.functions.values();
        let addresses = functions
            .map(|function| Addresses::of(program, function, &meaning))
            .collect();
        let resolver = Resolver::new(program, &meaning, &addresses);
        let calls = Calls::of(program, &meaning, &addresses, &resolver);
        let sketch = Sketch {
            program,
            meaning: &meaning,
            addresses: &addresses,
            calls: &calls,
        };
        sketch.outline()
    }
}

/// A thread with the functions it may run, in the order of calls.
struct Runner {
    start: Start,
    created: Vec<Creation>,
    functions: Vec<FunctionId>,
}

/// All that the outline is made from.
struct Sketch<'s> {
    program: &'s Program,
    meaning: &'s Meaning,
    addresses: &'s PrimaryMap<FunctionId, Option<Addresses<'s>>>,
    calls: &'s Calls<'s>,
}

impl Sketch<'_> {
    fn outline(&self) -> Outline {
        let runners = self.runners();
        let mut reached = EntitySet::new();
        for runner in &runners {
            runner.functions.iter().for_each(|function| {
                reached.insert(*function);
            });
        }
        let mut reached: Vec<FunctionId> = reached.iter().collect();
        reached.sort_by_key(|id| source_order(self.program.functions[*id].location));
        let sites: Vec<Site> = reached
            .iter()
            .flat_map(|caller| self.sites(*caller))
            .collect();
        Outline {
            objects: self.objects(&runners),
            threads: self.threads(runners),
            functions: reached
                .iter()
                .filter_map(|function| self.function(*function))
                .collect(),
            allocations: sites
                .iter()
                .filter(|site| self.meaning_of(site.callee).is_some_and(is_allocation))
                .copied()
                .collect(),
            sync_objects: sync_objects(self.program, &reached),
            library: reached
                .iter()
                .copied()
                .filter(|function| self.meaning.entry(*function).is_some())
                .collect(),
            unknown: reached
                .iter()
                .filter(|function| self.is_unknown(**function))
                .filter_map(|function| sites.iter().find(|site| site.callee == *function))
                .copied()
                .collect(),
            unsupported: self.unsupported(&reached, &sites),
        }
    }

    /// Finds threads by following creations, beginning with `main`.
    fn runners(&self) -> Vec<Runner> {
        let main = Start::Function(self.program.main);
        let mut runners = vec![self.runner(main, None)];
        let mut next = 0;
        while let Some(runner) = runners.get(next) {
            let repeated = self.calls.repeated(&runner.functions);
            let mut creations = Vec::new();
            let mut seen = EntitySet::new();
            for root in self.roots(&runner.start) {
                self.find_creations(root, &repeated, &mut seen, &mut creations);
            }
            for (start, creation) in creations {
                self.note_creation(&mut runners, start, creation);
            }
            next += 1;
        }
        runners
    }

    /// The creations in a function and in all that it calls, in the order in
    /// which they stand there.
    fn find_creations(
        &self,
        function: FunctionId,
        repeated: &EntitySet<FunctionId>,
        seen: &mut EntitySet<FunctionId>,
        found: &mut Vec<(Start, Creation)>,
    ) {
        if !seen.insert(function) {
            return;
        }
        let code = self.calls.code(function);
        for call in code.iter().flat_map(|code| &code.calls) {
            let creation = Creation {
                location: call.location,
                is_in_loop: call.is_in_loop || repeated.contains(function),
            };
            found.extend(starts(call).into_iter().map(|start| (start, creation)));
            for callee in &call.callees {
                self.find_creations(*callee, repeated, seen, found);
            }
        }
    }

    fn note_creation(&self, runners: &mut Vec<Runner>, start: Start, creation: Creation) {
        // `main` may run as a thread like any other, but is not created then.
        let known = runners.iter_mut().find(|runner| runner.start == start);
        let Some(runner) = known else {
            runners.push(self.runner(start, Some(creation)));
            return;
        };
        let same = |known: &&mut Creation| known.location == creation.location;
        match runner.created.iter_mut().find(same) {
            Some(known) => known.is_in_loop |= creation.is_in_loop,
            None => runner.created.push(creation),
        }
    }

    fn runner(&self, start: Start, creation: Option<Creation>) -> Runner {
        Runner {
            functions: self.calls.reachable(&self.roots(&start)),
            start,
            created: creation.into_iter().collect(),
        }
    }

    /// What a thread runs one after the other, or one of.
    fn roots(&self, start: &Start) -> Vec<FunctionId> {
        let program = self.program;
        match start {
            Start::Function(main) if *main == program.main => {
                let before = program.startup.iter();
                let all = before.chain([main]).chain(&program.cleanup);
                all.copied().collect()
            }
            Start::Function(function) => vec![*function],
            Start::Chosen(functions) => functions.clone(),
        }
    }

    fn threads(&self, runners: Vec<Runner>) -> Vec<Thread> {
        let positions = self.calls.inlined_positions();
        let thread = |runner: Runner| {
            let roots = self.roots(&runner.start);
            let counts = roots.iter().map(|root| positions[*root]);
            let of_code = match runner.start {
                Start::Function(_) => counts.fold(0, u64::saturating_add),
                Start::Chosen(_) => counts.max().unwrap_or(0),
            };
            Thread {
                start: runner.start,
                created: runner.created,
                // The end of the thread is one more.
                positions: of_code.saturating_add(1).min(calls::MOST_POSITIONS),
            }
        };
        runners.into_iter().map(thread).collect()
    }

    fn function(&self, function: FunctionId) -> Option<FunctionOutline> {
        let code = self.calls.code(function)?;
        let name = &self.program.functions[function].name;
        Some(FunctionOutline {
            function,
            positions: code.positions,
            loops: loops_of(name, &code.loops),
        })
    }

    fn objects(&self, runners: &[Runner]) -> Vec<SharedObject> {
        let mut objects: BTreeMap<GlobalId, SharedObject> = BTreeMap::new();
        let new = |global| SharedObject {
            global,
            is_in_initial_value: false,
            uses: Vec::new(),
        };
        for (thread, runner) in runners.iter().enumerate() {
            for (global, access) in self.accesses(&runner.functions) {
                let object = objects.entry(global).or_insert_with(|| new(global));
                object.uses.push(ThreadUse { thread, access });
            }
        }
        for global in self.program.globals.values() {
            let Initial::Bytes { relocations, .. } = &global.initial else {
                continue;
            };
            for relocation in relocations {
                if let Symbol::Global(target) = relocation.symbol {
                    let object = objects.entry(target).or_insert_with(|| new(target));
                    object.is_in_initial_value = true;
                }
            }
        }
        let is_listed = |object: &SharedObject| {
            let global = &self.program.globals[object.global];
            let is_lock = global
                .ty
                .is_some_and(|ty| is_all_synchronisation(self.program, ty));
            // What has no name in the source is the compiler's own.
            is_shared(self.program, object.global) && global.name.is_some() && !is_lock
        };
        let mut objects: Vec<SharedObject> = objects.into_values().filter(is_listed).collect();
        objects.sort_by_key(|object| source_order(self.program.globals[object.global].location));
        objects
    }

    /// What some functions together do with globals.
    fn accesses(&self, functions: &[FunctionId]) -> BTreeMap<GlobalId, Access> {
        let mut accesses: BTreeMap<GlobalId, Access> = BTreeMap::new();
        for function in functions {
            if self.calls.code(*function).is_none() {
                continue;
            }
            let Some(addresses) = &self.addresses[*function] else {
                continue;
            };
            addresses.for_each_use(self.meaning, |place, kind| {
                let Object::Global(global) = place.object else {
                    return;
                };
                let access = accesses.entry(global).or_default();
                match kind {
                    Use::Read => access.reads = true,
                    Use::Write => access.writes = true,
                    Use::Lend | Use::Escape => access.by_pointer = true,
                    Use::Synchronise => {}
                }
            });
        }
        accesses
    }

    /// The calls in a function, in program text order.
    fn sites(&self, caller: FunctionId) -> impl Iterator<Item = Site> {
        let calls = self.calls.code(caller).into_iter();
        calls.flat_map(|code| &code.calls).flat_map(move |call| {
            call.callees.iter().map(move |callee| Site {
                callee: *callee,
                caller,
                location: call.location,
            })
        })
    }

    fn meaning_of(&self, function: FunctionId) -> Option<Function> {
        self.meaning.entry(function).map(|entry| entry.function)
    }

    fn is_unknown(&self, function: FunctionId) -> bool {
        let has_body = self.program.functions[function].body.is_some();
        !has_body && self.meaning.entry(function).is_none()
    }

    /// In source order, and things of the same kind on one line only once.
    fn unsupported(&self, reached: &[FunctionId], sites: &[Site]) -> Vec<Unsupported> {
        let mut found = Vec::new();
        for function in reached {
            let body = self.program.functions[*function].body.as_ref();
            let body = body.filter(|_| self.calls.code(*function).is_some());
            for inst in body.iter().flat_map(|body| body.insts.values()) {
                if let Op::Unsupported { what } = &inst.op {
                    found.push(Unsupported {
                        what: what.clone(),
                        function: *function,
                        location: inst.location,
                    });
                }
            }
        }
        for site in sites {
            if let Some(entry) = self.meaning.entry(site.callee)
                && entry.function == Function::Unsupported
            {
                let reason = entry.model.trim_start_matches("Not supported: ");
                found.push(Unsupported {
                    what: format!("{}: {}", entry.name, reason.trim_end_matches('.')),
                    function: site.caller,
                    location: site.location,
                });
            }
        }
        found.sort_by_key(|item| source_order(item.location));
        let line = |location: Location| (location.file, location.line);
        found.dedup_by_key(|item| (item.what.clone(), item.function, item.location.map(line)));
        found
    }
}

/// A key to sort by: what stands nowhere comes last.
fn source_order(location: Option<Location>) -> (bool, Option<Location>) {
    (location.is_none(), location)
}

/// The threads that a call may create.
fn starts(call: &Call) -> Vec<Start> {
    match &call.starts {
        None => Vec::new(),
        Some(Targets::Known(functions)) => functions.iter().copied().map(Start::Function).collect(),
        Some(Targets::Candidates(functions)) => vec![Start::Chosen(functions.clone())],
    }
}

fn loops_of(function: &str, loops: &Loops) -> Vec<LoopOutline> {
    let outline = |id: LoopId| LoopOutline {
        id,
        name: loops.name(function, id),
        location: loops.location(id),
    };
    loops.iter().map(|(id, _)| outline(id)).collect()
}

#[cfg(test)]
mod tests;
