//! The value of each cell when a context starts, and what a thread sees of it.
//!
//! A cell is a signed word of as few bits as its range needs. Both its value
//! when a context starts (its *snapshot*) and its value at a position of a
//! thread are made of inputs. What they are equal to, in which case, is said
//! with clauses: that takes far fewer variables than gates would, and solvers
//! are faster with it. [`Memory::settle`] writes these clauses, but only for
//! inputs that the solver has heard of.
//!
//! What is read at a position that is not passed may be anything. A value that
//! is out of range loses bits and never makes the formula false: that happens
//! only where nothing really reads or writes.

use cranelift_entity::{PrimaryMap, SecondaryMap};
use formula::words::extend;
use formula::{Blaster, ClauseSink, Lit, Polarity, Term, TermId};
use std::collections::HashMap;
use unfold::{Access, CellId, ThreadId, Threads};

use super::schedule::{Row, Schedule};
use crate::layout::Layout;

struct Write {
    thread: ThreadId,
    position: usize,
    condition: Lit,
    value: Vec<Lit>,
}

/// What happens to a cell in one context.
#[derive(Clone, Default)]
struct Changes {
    /// For each write: whether it happens, and whether a later one does.
    writes: Vec<(Lit, Lit)>,
    /// Whether any does.
    any: Option<Lit>,
}

struct CellState {
    layout: Layout,
    /// By context, the value when it starts; and perhaps one for the end.
    snapshots: Vec<Vec<Lit>>,
    /// Those of one thread are together and in program order.
    writes: Vec<Write>,
    /// By context, once they are needed.
    changes: Vec<Changes>,
}

impl CellState {
    /// Finds what happens in a context, and returns whether anything does.
    fn find_changes(
        &mut self,
        schedule: &Schedule,
        context: usize,
        blaster: &mut Blaster,
        sink: &mut (impl ClauseSink + ?Sized),
    ) -> Lit {
        let changes = &mut self.changes[context];
        if let Some(any) = changes.any {
            return any;
        }
        // A context has one thread, so only a write of that can undo another.
        let mut later = Lit::FALSE;
        let mut by_threads = Vec::new();
        let mut thread = None;
        for write in self.writes.iter().rev() {
            if thread.replace(write.thread) != Some(write.thread) {
                by_threads.push(std::mem::replace(&mut later, Lit::FALSE));
            }
            let at = schedule.threads[write.thread].at[write.position][context];
            let happens = blaster.gates.and(at, write.condition);
            changes.writes.push((happens, later));
            later = blaster.gates.or(later, happens);
            // Half of their meaning would do, but all of it saves conflicts.
            for lit in [happens, later] {
                if !lit.is_constant() {
                    let gates = &blaster.gates;
                    blaster.cnf.literal(gates, lit, Polarity::Both, sink);
                }
            }
        }
        changes.writes.reverse();
        by_threads.push(later);
        let any = blaster.gates.any(&by_threads);
        changes.any = Some(any);
        any
    }
}

/// What some inputs are equal to.
enum Definition {
    /// The snapshot of the context after this one.
    After { cell: CellId, context: usize },
    /// The value that a thread finds at a position.
    Found {
        cell: CellId,
        thread: ThreadId,
        position: usize,
        own: Option<Own>,
    },
    /// Whether two positions are passed in one context, the later one last.
    Together {
        thread: ThreadId,
        earlier: usize,
        later: usize,
    },
}

/// What a thread last knew of a cell, and whether it was not switched out since.
struct Own {
    is_current: Lit,
    word: Vec<Lit>,
}

/// An input that the solver has not heard of yet.
struct Waiting {
    input: Lit,
    definition: usize,
    bit: usize,
}

pub(super) struct Memory {
    narrowing: bool,
    /// What is not passed reads what memory holds in the end.
    reads_at_end: bool,
    cells: PrimaryMap<CellId, CellState>,
    together: HashMap<(ThreadId, usize, usize), Lit>,
    definitions: Vec<Definition>,
    waiting: Vec<Waiting>,
}

/// What a thread last knew of each cell, and at which position.
#[derive(Default)]
pub(super) struct Views(SecondaryMap<CellId, Option<(usize, Vec<Lit>)>>);

impl Memory {
    pub(super) fn new(
        threads: &Threads,
        schedule: &Schedule,
        narrowing: bool,
        reads_at_end: bool,
        blaster: &mut Blaster,
    ) -> Memory {
        let mut memory = Memory {
            narrowing,
            reads_at_end,
            cells: PrimaryMap::new(),
            together: HashMap::new(),
            definitions: Vec::new(),
            waiting: Vec::new(),
        };
        let written = written_cells(threads, schedule);
        for (id, cell) in threads.cells.iter() {
            let layout = Layout::of(&cell.range, narrowing);
            let initial = blaster.signed_word(&threads.terms, cell.initial);
            let mut snapshots = vec![layout.fit(initial)];
            let ends = schedule.contexts - usize::from(!reads_at_end);
            for context in 0..ends {
                let snapshot = if written[id][context] {
                    let inputs = layout.fit(&blaster.gates.inputs(layout.len));
                    memory.define(&inputs, Definition::After { cell: id, context });
                    inputs
                } else {
                    snapshots[context].clone()
                };
                snapshots.push(snapshot);
            }
            memory.cells.push(CellState {
                layout,
                snapshots,
                writes: Vec::new(),
                changes: vec![Changes::default(); schedule.contexts],
            });
        }
        memory
    }

    /// The accesses of a position, which must come after those of all earlier
    /// ones of the thread.
    pub(super) fn access(
        &mut self,
        threads: &Threads,
        schedule: &Schedule,
        (thread, position): (ThreadId, usize),
        access: Access,
        views: &mut Views,
        blaster: &mut Blaster,
    ) {
        let here = (thread, position);
        match access {
            Access::Read { cell, variable, .. } => {
                // A variable with one possible value is that value.
                if matches!(threads.terms.term(variable), Term::Variable(_)) {
                    let word = self.look(schedule, here, cell, views, blaster);
                    self.bind(threads, variable, &word, blaster);
                }
            }
            Access::Write {
                cell,
                condition,
                value,
            } => {
                let condition = blaster.literal(&threads.terms, condition);
                if condition == Lit::FALSE {
                    return;
                }
                let layout = self.cells[cell].layout;
                let value = layout.fit(blaster.signed_word(&threads.terms, value));
                let mut word = value.clone();
                if condition != Lit::TRUE {
                    let old = self.look(schedule, here, cell, views, blaster);
                    word = blaster.gates.ite_bits(condition, &value, &old);
                }
                views.0[cell] = Some((position, word));
                self.cells[cell].writes.push(Write {
                    thread,
                    position,
                    condition,
                    value,
                });
            }
        }
    }

    fn bind(&self, threads: &Threads, variable: TermId, word: &[Lit], blaster: &mut Blaster) {
        let range = threads.terms.range(variable);
        // There may be fewer values here than the cell can have.
        let word = Layout::of(range, self.narrowing).fit(word);
        let bits = extend(&word, range.width() as usize);
        blaster.bind(&threads.terms, variable, &bits);
    }

    /// The value of a cell at a position: what the thread knows itself, unless
    /// it was switched out since.
    fn look(
        &mut self,
        schedule: &Schedule,
        (thread, position): (ThreadId, usize),
        cell: CellId,
        views: &mut Views,
        blaster: &mut Blaster,
    ) -> Vec<Lit> {
        let own = match views.0[cell].take() {
            Some((seen, word)) if seen == position => {
                views.0[cell] = Some((seen, word.clone()));
                return word;
            }
            Some((seen, word)) => Some(Own {
                is_current: self.together(thread, seen, position, blaster),
                word,
            }),
            None => None,
        };
        let at = self.times(schedule, thread, position);
        let snapshots = &self.cells[cell].snapshots;
        let sources: Vec<&[Lit]> = (snapshots.iter().zip(at))
            .filter(|(_, at)| *at != Lit::FALSE)
            .map(|(word, _)| word.as_slice())
            .chain(own.as_ref().map(|own| own.word.as_slice()))
            .collect();
        let mut inputs = vec![Lit::FALSE; self.cells[cell].layout.len];
        let mut word = inputs.clone();
        for (bit, lit) in word.iter_mut().enumerate() {
            match sources.as_slice() {
                // Nobody ever gets here.
                [] => {}
                [first, rest @ ..] if rest.iter().all(|word| word[bit] == first[bit]) => {
                    *lit = first[bit];
                }
                _ => {
                    *lit = blaster.gates.input();
                    inputs[bit] = *lit;
                }
            }
        }
        self.define(
            &inputs,
            Definition::Found {
                cell,
                thread,
                position,
                own,
            },
        );
        views.0[cell] = Some((position, word.clone()));
        word
    }

    /// When a position reads what it reads: by context, and perhaps in the end.
    fn times(&self, schedule: &Schedule, thread: ThreadId, position: usize) -> Row {
        let mut times = schedule.threads[thread].at[position].clone();
        if self.reads_at_end {
            times.push(!schedule.threads[thread].is_passed(position));
        }
        times
    }

    /// Whether two positions of a thread are passed in one context.
    pub(super) fn together(
        &mut self,
        thread: ThreadId,
        earlier: usize,
        later: usize,
        blaster: &mut Blaster,
    ) -> Lit {
        if let Some(lit) = self.together.get(&(thread, earlier, later)) {
            return *lit;
        }
        let lit = blaster.gates.input();
        self.together.insert((thread, earlier, later), lit);
        let definition = Definition::Together {
            thread,
            earlier,
            later,
        };
        self.define(&[lit], definition);
        lit
    }

    /// Remembers what inputs are equal to. Constants are not looked at.
    fn define(&mut self, inputs: &[Lit], definition: Definition) {
        let number = self.definitions.len();
        self.definitions.push(definition);
        for (bit, input) in inputs.iter().enumerate() {
            if !input.is_constant() {
                self.waiting.push(Waiting {
                    input: *input,
                    definition: number,
                    bit,
                });
            }
        }
    }

    /// Tells the solver what the inputs are equal to that it has heard of.
    /// `None` if interrupted.
    pub(super) fn settle(
        &mut self,
        schedule: &Schedule,
        blaster: &mut Blaster,
        sink: &mut (impl ClauseSink + ?Sized),
        keep_going: &mut dyn FnMut() -> bool,
    ) -> Option<()> {
        let mut has_changed = true;
        while has_changed {
            has_changed = false;
            let mut still = Vec::new();
            // A definition mostly makes the solver hear of inputs that were made
            // before its own, so going backwards takes a few rounds only.
            for waiting in std::mem::take(&mut self.waiting).into_iter().rev() {
                if blaster.cnf.known_literal(waiting.input).is_none() {
                    still.push(waiting);
                    continue;
                }
                if !keep_going() {
                    return None;
                }
                has_changed = true;
                self.tell(&waiting, schedule, blaster, sink);
            }
            still.reverse();
            self.waiting = still;
        }
        Some(())
    }

    fn tell<S: ClauseSink + ?Sized>(
        &mut self,
        waiting: &Waiting,
        schedule: &Schedule,
        blaster: &mut Blaster,
        sink: &mut S,
    ) {
        let bit = waiting.bit;
        let equal = |unless: &[Lit], value: Lit, blaster: &mut Blaster, sink: &mut S| {
            let mut clause = unless.to_vec();
            clause.extend([!waiting.input, value]);
            blaster.add_clause(&clause, sink);
            clause.truncate(unless.len());
            clause.extend([waiting.input, !value]);
            blaster.add_clause(&clause, sink);
        };
        match &self.definitions[waiting.definition] {
            Definition::After { cell, context } => {
                let cell = &mut self.cells[*cell];
                let any = cell.find_changes(schedule, *context, blaster, sink);
                let changes = &cell.changes[*context];
                for (write, (happens, is_lost)) in cell.writes.iter().zip(&changes.writes) {
                    let unless = [!*happens, *is_lost];
                    equal(&unless, write.value[bit], blaster, sink);
                }
                equal(&[any], cell.snapshots[*context][bit], blaster, sink);
            }
            Definition::Found {
                cell,
                thread,
                position,
                own,
            } => {
                let mut is_current = Lit::FALSE;
                if let Some(own) = own {
                    is_current = own.is_current;
                    equal(&[!is_current], own.word[bit], blaster, sink);
                }
                let at = self.times(schedule, *thread, *position);
                for (at, snapshot) in at.into_iter().zip(&self.cells[*cell].snapshots) {
                    equal(&[!at, is_current], snapshot[bit], blaster, sink);
                }
            }
            Definition::Together {
                thread,
                earlier,
                later,
            } => {
                let schedule = &schedule.threads[*thread];
                let is_together = waiting.input;
                blaster.add_clause(&[!is_together, schedule.is_passed(*later)], sink);
                for context in 0..schedule.run.len() {
                    let at = [schedule.at[*earlier][context], schedule.at[*later][context]];
                    if schedule.run[context] == Lit::FALSE && at == [Lit::FALSE; 2] {
                        continue;
                    }
                    let behind = [
                        !schedule.done[*earlier][context],
                        schedule.done[*later][context],
                    ];
                    blaster.add_clause(&[!is_together, behind[0], behind[1]], sink);
                    let both = [
                        !schedule.at[*earlier][context],
                        !schedule.at[*later][context],
                    ];
                    blaster.add_clause(&[is_together, both[0], both[1]], sink);
                }
            }
        }
    }
}

/// Which cells may be written in which contexts.
fn written_cells(threads: &Threads, schedule: &Schedule) -> SecondaryMap<CellId, Vec<bool>> {
    let mut written = SecondaryMap::with_default(vec![false; schedule.contexts]);
    for (id, thread) in threads.threads.iter() {
        for (position, at) in thread.positions.iter().zip(&schedule.threads[id].at) {
            for access in &position.accesses {
                let Access::Write {
                    cell, condition, ..
                } = access
                else {
                    continue;
                };
                if threads.terms.as_bool(*condition) != Some(false) {
                    let written: &mut Vec<bool> = &mut written[*cell];
                    for (flag, at) in written.iter_mut().zip(at) {
                        *flag |= *at != Lit::FALSE;
                    }
                }
            }
        }
    }
    written
}
