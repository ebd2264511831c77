//! The value of each cell when a context starts, and what a thread sees of it.
//!
//! A cell is a signed word of as few bits as its range needs. Its *snapshot* of
//! a context is made of inputs, since what was written before depends on what
//! was read, in any context; [`Memory::settle`] says what they are equal to, but
//! only of those that the solver has heard of. A value that is out of range
//! loses bits here and never makes the formula false: that happens only where
//! nothing really reads or writes.

use cranelift_entity::{PrimaryMap, SecondaryMap};
use formula::words::extend;
use formula::{Blaster, ClauseSink, Lit, Range, Term, TermId};
use unfold::{Access, CellId, ThreadId, Threads};

use super::schedule::Schedule;

/// How the values of a range are laid out as a signed word.
#[derive(Clone, Copy)]
struct Layout {
    len: usize,
    zeros: u128,
    ones: u128,
}

impl Layout {
    fn of(range: &Range, narrowing: bool) -> Layout {
        if narrowing {
            Layout {
                len: range.width_needed_signed() as usize,
                zeros: range.known_zeros(),
                ones: range.known_ones(),
            }
        } else {
            Layout {
                len: range.width() as usize,
                zeros: 0,
                ones: 0,
            }
        }
    }

    /// A signed word cut or extended to this layout.
    fn fit(self, word: &[Lit]) -> Vec<Lit> {
        let mut word = extend(word, self.len);
        for (bit, lit) in word.iter_mut().enumerate() {
            if let Some(value) = self.known(bit) {
                *lit = Lit::constant(value);
            }
        }
        word
    }

    fn known(self, bit: usize) -> Option<bool> {
        let is_known = (self.zeros | self.ones) >> bit & 1 == 1;
        is_known.then_some(self.ones >> bit & 1 == 1)
    }
}

struct Write {
    thread: ThreadId,
    position: usize,
    condition: Lit,
    value: Vec<Lit>,
}

struct CellState {
    layout: Layout,
    /// By context, the value when it starts.
    snapshots: Vec<Vec<Lit>>,
    /// Those of one thread in program order.
    writes: Vec<Write>,
}

/// Inputs whose value the solver was not told yet.
enum Waiting {
    Snapshot { cell: CellId, context: usize },
    Bit { input: Lit, value: Lit },
}

pub struct Memory {
    narrowing: bool,
    cells: PrimaryMap<CellId, CellState>,
    waiting: Vec<Waiting>,
}

impl Memory {
    pub fn new(
        threads: &Threads,
        schedule: &Schedule,
        narrowing: bool,
        blaster: &mut Blaster,
    ) -> Memory {
        let mut memory = Memory {
            narrowing,
            cells: PrimaryMap::new(),
            waiting: Vec::new(),
        };
        let written = written_cells(threads, schedule);
        for (id, cell) in threads.cells.iter() {
            let layout = Layout::of(&cell.range, narrowing);
            let initial = blaster.signed_word(&threads.terms, cell.initial);
            let mut snapshots = vec![layout.fit(initial)];
            for context in 1..schedule.contexts {
                let snapshot = if written[id][context - 1] {
                    let cell = id;
                    memory.waiting.push(Waiting::Snapshot { cell, context });
                    layout.fit(&blaster.gates.inputs(layout.len))
                } else {
                    snapshots[context - 1].clone()
                };
                snapshots.push(snapshot);
            }
            memory.cells.push(CellState {
                layout,
                snapshots,
                writes: Vec::new(),
            });
        }
        memory
    }

    /// Tells the solver the value of every snapshot that it has heard of. False
    /// if interrupted.
    pub fn settle(
        &mut self,
        schedule: &Schedule,
        blaster: &mut Blaster,
        sink: &mut impl ClauseSink,
        keep_going: &mut dyn FnMut() -> bool,
    ) -> bool {
        let mut has_changed = true;
        while has_changed {
            has_changed = false;
            // To tell the value of one may make the solver hear of others.
            for waiting in std::mem::take(&mut self.waiting) {
                let is_known = |lit: Lit| blaster.cnf.known_literal(lit).is_some();
                match waiting {
                    Waiting::Bit { input, value } if is_known(input) => {
                        if !keep_going() {
                            return false;
                        }
                        has_changed = true;
                        blaster.cnf.equate(&blaster.gates, input, value, sink);
                    }
                    Waiting::Snapshot { cell, context }
                        if self.cells[cell].snapshots[context]
                            .iter()
                            .any(|lit| is_known(*lit)) =>
                    {
                        if !keep_going() {
                            return false;
                        }
                        has_changed = true;
                        let word = self.after_context(schedule, cell, context - 1, blaster);
                        let bits = self.cells[cell].snapshots[context].iter().zip(word);
                        for (input, value) in bits.filter(|(input, _)| !input.is_constant()) {
                            let input = *input;
                            self.waiting.push(Waiting::Bit { input, value });
                        }
                    }
                    other => self.waiting.push(other),
                }
            }
        }
        true
    }

    /// The value of a cell when a context ends.
    fn after_context(
        &self,
        schedule: &Schedule,
        cell: CellId,
        context: usize,
        blaster: &mut Blaster,
    ) -> Vec<Lit> {
        let cell = &self.cells[cell];
        let mut word = cell.snapshots[context].clone();
        for write in &cell.writes {
            let at = schedule.threads[write.thread].at[write.position][context];
            let happens = blaster.gates.and(at, write.condition);
            word = blaster.gates.ite_bits(happens, &write.value, &word);
        }
        word
    }

    /// The accesses of a position, which must come after those of all earlier
    /// ones of the thread.
    pub fn access(
        &mut self,
        threads: &Threads,
        schedule: &Schedule,
        here: (ThreadId, usize),
        access: Access,
        views: &mut Views,
        blaster: &mut Blaster,
    ) {
        match access {
            Access::Read { cell, variable, .. } => {
                self.read(threads, schedule, here, cell, variable, views, blaster);
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
                let new = if condition == Lit::TRUE {
                    value.clone()
                } else {
                    let old = self.look(schedule, here, cell, views, blaster);
                    blaster.gates.ite_bits(condition, &value, &old)
                };
                let (thread, position) = here;
                views.0[cell] = Some((position, new));
                self.cells[cell].writes.push(Write {
                    thread,
                    position,
                    condition,
                    value,
                });
            }
        }
    }
}

/// What a thread knows of each cell by itself: its value at a position.
#[derive(Default)]
pub struct Views(SecondaryMap<CellId, Option<(usize, Vec<Lit>)>>);

impl Memory {
    #[expect(clippy::too_many_arguments, reason = "they are all different things")]
    fn read(
        &mut self,
        threads: &Threads,
        schedule: &Schedule,
        here: (ThreadId, usize),
        cell: CellId,
        variable: TermId,
        views: &mut Views,
        blaster: &mut Blaster,
    ) {
        // A variable with one possible value is that value.
        if !matches!(threads.terms.term(variable), Term::Variable(_)) {
            return;
        }
        let range = threads.terms.range(variable);
        let word = self.look(schedule, here, cell, views, blaster);
        // Here may be less values than the cell can have.
        let word = Layout::of(range, self.narrowing).fit(&word);
        let bits = extend(&word, range.width() as usize);
        blaster.bind(&threads.terms, variable, &bits);
    }

    /// The value of a cell at a position: what the thread knows itself, unless
    /// it was switched out since.
    fn look(
        &self,
        schedule: &Schedule,
        (thread, position): (ThreadId, usize),
        cell: CellId,
        views: &mut Views,
        blaster: &mut Blaster,
    ) -> Vec<Lit> {
        let own = views.0[cell].as_ref();
        if let Some((_, word)) = own.filter(|(seen, _)| *seen == position) {
            return word.clone();
        }
        let thread = &schedule.threads[thread];
        let mut word = self.select(cell, &thread.at[position], blaster);
        if let Some((seen, own)) = own {
            let stayed = blaster.gates.all(&thread.stay[seen + 1..=position]);
            word = blaster.gates.ite_bits(stayed, own, &word);
        }
        views.0[cell] = Some((position, word.clone()));
        word
    }

    /// The snapshot of the context that `at` names. If it names none, the value
    /// does not matter.
    fn select(&self, cell: CellId, at: &[Lit], blaster: &mut Blaster) -> Vec<Lit> {
        let cell = &self.cells[cell];
        let possible: Vec<usize> = (0..at.len())
            .filter(|context| at[*context] != Lit::FALSE)
            .collect();
        let conditions: Vec<Lit> = possible.iter().map(|context| at[*context]).collect();
        let words: Vec<&[Lit]> = possible
            .iter()
            .map(|context| cell.snapshots[*context].as_slice())
            .collect();
        let Some(first) = words.first() else {
            return cell.layout.fit(&[Lit::FALSE]);
        };
        let mut selected = blaster.gates.select(&conditions, &words);
        for (bit, lit) in selected.iter_mut().enumerate() {
            if words.iter().all(|word| word[bit] == first[bit]) {
                *lit = first[bit];
            }
        }
        selected
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
