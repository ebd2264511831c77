//! Which threads there are, which functions each may run, how often, and what
//! happens before there is more than one thread.

use crate::Loops;
use crate::meaning::Meaning;
use crate::points_to::{AbstractObject, PointsTo};
use cranelift_entity::{EntitySet, PrimaryMap, SecondaryMap};
use ir::{BlockId, Body, FunctionId, InstId, Op, Program};
use library::{Function, Process};
use std::collections::{BTreeMap, BTreeSet};

use super::{Entry, EntryId};

/// A call, as far as threads are concerned.
#[derive(Clone, Debug)]
pub(super) struct Call {
    pub inst: InstId,
    is_in_loop: bool,
    /// Functions with a body that run before the call returns.
    pub callees: Vec<FunctionId>,
    starts: Vec<FunctionId>,
    /// Code that we do not have may run.
    pub is_unknown: bool,
    /// Functions of the library that are called.
    pub library: Vec<Function>,
}

pub(super) struct Threads {
    pub calls: SecondaryMap<FunctionId, Vec<Call>>,
    pub entries: PrimaryMap<EntryId, Entry>,
    /// The functions that each may run, in order.
    pub reached: SecondaryMap<EntryId, Vec<FunctionId>>,
    pub roots: SecondaryMap<EntryId, Vec<FunctionId>>,
    before: Before,
}

impl Threads {
    pub(super) fn of(program: &Program, meaning: &Meaning, points_to: &PointsTo) -> Threads {
        let mut calls: SecondaryMap<FunctionId, Vec<Call>> = SecondaryMap::new();
        for (id, function) in program.functions.iter() {
            if let (Some(body), true) = (&function.body, points_to.is_reached(id)) {
                calls[id] = calls_of(program, meaning, points_to, id, body);
            }
        }
        let mut threads = Threads {
            calls,
            entries: PrimaryMap::new(),
            reached: SecondaryMap::new(),
            roots: SecondaryMap::new(),
            before: Before::default(),
        };
        threads.find_entries(program, points_to);
        threads.before = threads.find_before(program, points_to);
        threads
    }

    /// Whether an instruction runs only before any other thread exists.
    pub(super) fn is_before(&self, function: FunctionId, inst: InstId) -> bool {
        self.before.functions.contains(function)
            || (Some(function) == self.before.main && !self.before.late.contains(inst))
    }

    fn find_entries(&mut self, program: &Program, points_to: &PointsTo) {
        let main = [program.main];
        let main_roots = program
            .startup
            .iter()
            .chain(&main)
            .chain(&program.cleanup)
            .chain(points_to.at_end())
            .chain(points_to.key_destructors());
        let main_roots: Vec<FunctionId> = main_roots.copied().collect();
        self.add_entry(program.main, true, main_roots);
        let mut starts: BTreeMap<FunctionId, EntryId> = BTreeMap::new();
        // Both the entries and how many there are of each grow only.
        loop {
            let mut counts: BTreeMap<FunctionId, usize> = BTreeMap::new();
            for (id, entry) in self.entries.iter() {
                self.count_starts(id, entry.is_many, &mut counts);
            }
            let mut has_changed = false;
            for (start, count) in counts {
                let id = *starts.entry(start).or_insert_with(|| {
                    has_changed = true;
                    let destructors = points_to.key_destructors().iter();
                    let roots = [start].iter().chain(destructors).copied().collect();
                    self.add_entry(start, false, roots)
                });
                if count > 1 && !self.entries[id].is_many {
                    self.entries[id].is_many = true;
                    has_changed = true;
                }
            }
            if !has_changed {
                return;
            }
        }
    }

    fn add_entry(&mut self, start: FunctionId, is_main: bool, roots: Vec<FunctionId>) -> EntryId {
        let id = self.entries.push(Entry {
            start,
            is_main,
            is_many: false,
        });
        self.reached[id] = self.reachable(&roots);
        self.roots[id] = roots;
        id
    }

    fn reachable(&self, roots: &[FunctionId]) -> Vec<FunctionId> {
        let mut found: BTreeSet<FunctionId> = roots.iter().copied().collect();
        let mut queue: Vec<FunctionId> = roots.to_vec();
        while let Some(function) = queue.pop() {
            for callee in self.calls[function].iter().flat_map(|call| &call.callees) {
                if found.insert(*callee) {
                    queue.push(*callee);
                }
            }
        }
        found.into_iter().collect()
    }

    /// Adds for each function how many threads of it an entry may start; two
    /// stands for any number.
    fn count_starts(&self, id: EntryId, is_many: bool, counts: &mut BTreeMap<FunctionId, usize>) {
        let repeated = self.repeated(id);
        for function in &self.reached[id] {
            for call in &self.calls[*function] {
                let is_repeated = is_many || call.is_in_loop || repeated.contains(*function);
                for start in &call.starts {
                    *counts.entry(*start).or_default() += if is_repeated { 2 } else { 1 };
                }
            }
        }
    }

    /// The functions that one thread of an entry may run more than once.
    fn repeated(&self, id: EntryId) -> EntitySet<FunctionId> {
        let mut repeated = EntitySet::new();
        loop {
            let mut runs: BTreeMap<FunctionId, usize> = BTreeMap::new();
            for root in &self.roots[id] {
                *runs.entry(*root).or_default() += 1;
            }
            for function in &self.reached[id] {
                for call in &self.calls[*function] {
                    let is_repeated = call.is_in_loop || repeated.contains(*function);
                    for callee in &call.callees {
                        *runs.entry(*callee).or_default() += if is_repeated { 2 } else { 1 };
                    }
                }
            }
            let mut has_changed = false;
            for (function, count) in runs {
                has_changed |= count > 1 && repeated.insert(function);
            }
            if !has_changed {
                return repeated;
            }
        }
    }

    // What happens before the first thread is created.

    fn find_before(&self, program: &Program, points_to: &PointsTo) -> Before {
        let creating = self.creating();
        let main = program.main;
        let called: BTreeSet<FunctionId> = program
            .functions
            .keys()
            .flat_map(|function| &self.calls[function])
            .flat_map(|call| call.callees.iter().chain(&call.starts))
            .copied()
            .collect();
        let creates_early = |function: &FunctionId| creating.contains(*function);
        if called.contains(&main) || program.startup.iter().any(creates_early) {
            return Before::default();
        }
        let mut before = Before {
            main: Some(main),
            late: self.late_insts(program, main, &creating),
            functions: EntitySet::new(),
        };

        // Start with all that only `main` runs, and take away what is called
        // from anywhere else.
        let mut elsewhere: BTreeSet<FunctionId> = program
            .cleanup
            .iter()
            .chain(points_to.at_end())
            .chain(points_to.key_destructors())
            .copied()
            .collect();
        elsewhere.insert(main);
        for (id, entry) in self.entries.iter() {
            if !entry.is_main {
                elsewhere.extend(&self.reached[id]);
            }
        }
        let Some(first) = self.entries.keys().next() else {
            return before;
        };
        for function in &self.reached[first] {
            if !elsewhere.contains(function) && !creating.contains(*function) {
                before.functions.insert(*function);
            }
        }
        loop {
            let mut late = Vec::new();
            for caller in &self.reached[first] {
                for call in &self.calls[*caller] {
                    let is_early = before.functions.contains(*caller)
                        || (*caller == main && !before.late.contains(call.inst));
                    if !is_early {
                        let callees = call.callees.iter().copied();
                        late.extend(callees.filter(|callee| before.functions.contains(*callee)));
                    }
                }
            }
            if late.is_empty() {
                return before;
            }
            for function in late {
                before.functions.remove(function);
            }
        }
    }

    /// Functions that may create a thread, themselves or by calling others.
    fn creating(&self) -> EntitySet<FunctionId> {
        let mut creating = EntitySet::new();
        loop {
            let mut has_changed = false;
            for function in self.calls.keys() {
                let creates = self.calls[function]
                    .iter()
                    .any(|call| self.creates(call, &creating));
                has_changed |= creates && creating.insert(function);
            }
            if !has_changed {
                return creating;
            }
        }
    }

    fn creates(&self, call: &Call, creating: &EntitySet<FunctionId>) -> bool {
        let is_creating = |callee: &FunctionId| creating.contains(*callee);
        !call.starts.is_empty() || call.is_unknown || call.callees.iter().any(is_creating)
    }

    /// The instructions of a body that may run when a thread has been created,
    /// creating calls included.
    fn late_insts(
        &self,
        program: &Program,
        function: FunctionId,
        creating: &EntitySet<FunctionId>,
    ) -> EntitySet<InstId> {
        let mut late = EntitySet::new();
        let Some(body) = &program.functions[function].body else {
            return late;
        };
        let mut creations = EntitySet::new();
        for call in &self.calls[function] {
            if self.creates(call, creating) {
                creations.insert(call.inst);
            }
        }
        let mut queue: Vec<BlockId> = Vec::new();
        let mut entered_late: EntitySet<BlockId> = EntitySet::new();
        for block in body.blocks.values() {
            let first = block
                .insts
                .iter()
                .position(|inst| creations.contains(*inst));
            if let Some(first) = first {
                late.extend(block.insts[first..].iter().copied());
                queue.extend(block.terminator.successors());
            }
        }
        while let Some(block) = queue.pop() {
            if entered_late.insert(block) {
                late.extend(body.blocks[block].insts.iter().copied());
                queue.extend(body.blocks[block].terminator.successors());
            }
        }
        late
    }
}

#[derive(Default)]
struct Before {
    /// `None` if nothing is known to happen early.
    main: Option<FunctionId>,
    /// Those of `main` that may run late.
    late: EntitySet<InstId>,
    /// All of their instructions run early.
    functions: EntitySet<FunctionId>,
}

fn calls_of(
    program: &Program,
    meaning: &Meaning,
    points_to: &PointsTo,
    function: FunctionId,
    body: &Body,
) -> Vec<Call> {
    let loops = Loops::of(body);
    let has_body = |id: &FunctionId| program.functions[*id].body.is_some();
    let mut calls = Vec::new();
    for (block_id, block) in body.blocks.iter() {
        for inst in &block.insts {
            if !matches!(body.insts[*inst].op, Op::Call { .. }) {
                continue;
            }
            let site = points_to.site(function, *inst);
            let mut call = Call {
                inst: *inst,
                is_in_loop: loops.innermost(block_id).is_some(),
                callees: site.callbacks.iter().copied().filter(has_body).collect(),
                starts: site.starts.iter().copied().filter(has_body).collect(),
                is_unknown: false,
                library: Vec::new(),
            };
            for callee in &site.callees {
                match meaning.entry(*callee) {
                    Some(entry) => {
                        call.library.push(entry.function);
                        call.is_unknown |= entry.function == Function::Unsupported;
                        if let Function::Process(Process::Exit | Process::QuickExit) =
                            entry.function
                        {
                            let ends = program.cleanup.iter().chain(points_to.at_end());
                            call.callees.extend(ends.copied().filter(has_body));
                        }
                    }
                    None if has_body(callee) => call.callees.push(*callee),
                    None => call.is_unknown = true,
                }
            }
            if call.is_unknown {
                let escaped = points_to.escaped();
                let functions = escaped
                    .objects()
                    .filter_map(|id| match points_to.object(id) {
                        AbstractObject::Function(function) => Some(function),
                        _ => None,
                    });
                call.callees.extend(functions.filter(has_body));
            }
            call.callees.sort_unstable();
            call.callees.dedup();
            calls.push(call);
        }
    }
    calls
}
