//! Which write a read sees.
//!
//! For each cell that a step accesses there is the value that it finds there and the
//! value that it leaves, whatever happens within the step. Only what the solver has
//! heard of has sources, and only cells of which that is read have their writes in order:
//! [`Memory::settle`] sees to that, so that who asks for less gets less.
//!
//! If the end of runs matters, each cell has a last write, and positions that are not
//! passed find its value.

use cranelift_entity::PrimaryMap;
use formula::events::{self, Before, EventId, Source, WriteId};
use formula::words::extend;
use formula::{Blaster, ClauseSink, EventOrder, Lit, Literal, Polarity, Term, TermId};
use std::collections::{BTreeMap, HashMap, HashSet};
use unfold::{Access, CellId, Position, Threads};

use super::ByOrder;
use super::layers::{Layers, Series};
use crate::Goals;
use crate::layout::Layout;

pub(super) struct Write {
    pub event: EventId,
    passed: Lit,
    pub happens: Lit,
    value: Vec<Lit>,
}

/// What a step finds in a cell.
pub(super) struct Read {
    pub event: EventId,
    pub cell: CellId,
    passed: Lit,
    /// It matters what that is.
    pub is_active: Lit,
    word: Vec<Lit>,
    /// By bit: the solver knows what it is equal to.
    is_told: Vec<bool>,
    /// The writes it may see, by number in the cell, with literals; `None` for what was
    /// there at first. Empty as long as nobody asks.
    pub sources: Vec<(Option<usize>, Lit)>,
}

pub(super) struct CellState {
    layout: Layout,
    initial: Vec<Lit>,
    pub writes: Vec<Write>,
    /// By write, once they are in order: their numbers in the order of events, with that
    /// of the cell in each layer.
    ids: Vec<Vec<(u32, WriteId)>>,
    /// By write, and one more for what was there at first: it is the last. Empty as long
    /// as nobody asks.
    lasts: Vec<Lit>,
}

pub(super) struct Memory {
    narrowing: bool,
    trusts_conditions: bool,
    /// What is not passed reads what memory holds in the end.
    reads_at_end: bool,
    /// A solver may have been asked by now.
    pub is_written: bool,
    pub cells: PrimaryMap<CellId, CellState>,
    pub reads: Vec<Read>,
    pub layers: Layers,
    /// The literals for orders of the writes of two steps, see [`Layers::series`].
    between_writes: HashMap<(Series, EventId, EventId), Lit>,
    /// Pairs of nodes that the order of events knows of.
    told: HashSet<(EventId, EventId)>,
}

/// What a step has made of a cell so far: whether it has written it, and the value.
type Written = BTreeMap<CellId, (Lit, Vec<Lit>)>;

impl Memory {
    pub(super) fn new(
        threads: &Threads,
        kind: &ByOrder,
        goals: Goals,
        layers: Layers,
        blaster: &mut Blaster,
    ) -> Memory {
        let narrowing = kind.formula.narrowing;
        let mut cells = PrimaryMap::new();
        for cell in threads.cells.values() {
            let layout = Layout::of(&cell.range, narrowing);
            cells.push(CellState {
                layout,
                initial: layout.fit(blaster.signed_word(&threads.terms, cell.initial)),
                writes: Vec::new(),
                ids: Vec::new(),
                lasts: Vec::new(),
            });
        }
        Memory {
            narrowing,
            trusts_conditions: kind.trusts_conditions,
            reads_at_end: goals.races || goals.deadlocks,
            is_written: false,
            cells,
            reads: Vec::new(),
            layers,
            between_writes: HashMap::new(),
            told: HashSet::new(),
        }
    }

    /// Gives meaning to what a step reads, and notes what it writes. The step consists of
    /// positions, each of which may be passed; the others only if the first is.
    pub(super) fn step(
        &mut self,
        threads: &Threads,
        event: EventId,
        parts: &[(&Position, Lit)],
        blaster: &mut Blaster,
    ) {
        let Some((_, first)) = parts.first().copied() else {
            return;
        };
        let mut found: HashMap<CellId, usize> = HashMap::new();
        let mut written = Written::new();
        let accesses = (parts.iter()).flat_map(|(position, passed)| {
            position.accesses.iter().map(|access| (access, *passed))
        });
        for (access, passed) in accesses {
            match *access {
                Access::Read {
                    cell,
                    variable,
                    condition,
                } => {
                    // A variable with one possible value is that value.
                    let is_known = !matches!(threads.terms.term(variable), Term::Variable(_));
                    if is_known && !self.layers.is_weak {
                        continue;
                    }
                    let now = written.get(&cell);
                    let word = match now {
                        Some((always, word)) if *always == Lit::TRUE => word.clone(),
                        _ => {
                            let next = self.reads.len();
                            let number = *found.entry(cell).or_insert(next);
                            if number == next {
                                self.add_read(cell, event, first, blaster);
                            }
                            let condition = match self.trusts_conditions {
                                true => blaster.literal(&threads.terms, condition),
                                false => Lit::TRUE,
                            };
                            let read = &mut self.reads[number];
                            let is_active = blaster.gates.and(passed, condition);
                            read.is_active = blaster.gates.or(read.is_active, is_active);
                            match now {
                                Some((is_new, word)) => {
                                    blaster.gates.ite_bits(*is_new, word, &read.word)
                                }
                                None => read.word.clone(),
                            }
                        }
                    };
                    if !is_known {
                        self.bind(threads, variable, &word, blaster);
                    }
                }
                Access::Write {
                    cell,
                    condition,
                    value,
                } => {
                    let mut condition = blaster.literal(&threads.terms, condition);
                    if passed != first {
                        condition = blaster.gates.and(condition, passed);
                    }
                    if condition == Lit::FALSE {
                        continue;
                    }
                    let layout = self.cells[cell].layout;
                    let value = layout.fit(blaster.signed_word(&threads.terms, value));
                    let now = match written.get(&cell) {
                        None => (condition, value),
                        Some((is_new, word)) => (
                            blaster.gates.or(*is_new, condition),
                            blaster.gates.ite_bits(condition, &value, word),
                        ),
                    };
                    written.insert(cell, now);
                }
            }
        }
        for (cell, (condition, value)) in written {
            self.cells[cell].writes.push(Write {
                event,
                passed: first,
                happens: blaster.gates.and(first, condition),
                value,
            });
        }
    }

    fn add_read(&mut self, cell: CellId, event: EventId, passed: Lit, blaster: &mut Blaster) {
        let layout = self.cells[cell].layout;
        let word = layout.fit(&blaster.gates.inputs(layout.len));
        self.reads.push(Read {
            event,
            cell,
            passed,
            is_active: Lit::FALSE,
            is_told: word.iter().map(|lit| lit.is_constant()).collect(),
            word,
            sources: Vec::new(),
        });
    }

    fn bind(&self, threads: &Threads, variable: TermId, word: &[Lit], blaster: &mut Blaster) {
        let range = threads.terms.range(variable);
        // There may be fewer values here than the cell can have.
        let word = Layout::of(range, self.narrowing).fit(word);
        let bits = extend(&word, range.width() as usize);
        blaster.bind(&threads.terms, variable, &bits);
    }

    /// Tells the solver what the reads see that it has heard of. `None` if interrupted.
    pub(super) fn settle(
        &mut self,
        order: &mut EventOrder,
        blaster: &mut Blaster,
        sink: &mut (impl ClauseSink + ?Sized),
        keep_going: &mut dyn FnMut() -> bool,
    ) -> Option<()> {
        let mut has_changed = true;
        while has_changed {
            has_changed = false;
            for number in (0..self.reads.len()).rev() {
                let read = &self.reads[number];
                let is_new = |bit: &usize| {
                    !read.is_told[*bit] && blaster.cnf.known_literal(read.word[*bit]).is_some()
                };
                let bits: Vec<usize> = (0..read.word.len()).filter(is_new).collect();
                if bits.is_empty() {
                    continue;
                }
                if !keep_going() {
                    return None;
                }
                has_changed = true;
                self.find_sources(number, order, blaster, sink);
                for bit in bits {
                    self.reads[number].is_told[bit] = true;
                    self.tell(number, bit, blaster, sink);
                }
            }
        }
        Some(())
    }

    /// What a bit is equal to, in which case.
    fn tell(
        &self,
        number: usize,
        bit: usize,
        blaster: &mut Blaster,
        sink: &mut (impl ClauseSink + ?Sized),
    ) {
        let read = &self.reads[number];
        let cell = &self.cells[read.cell];
        let mut equal = |unless: &[Lit], value: Lit| {
            for (mine, other) in [(!read.word[bit], value), (read.word[bit], !value)] {
                let mut clause = unless.to_vec();
                clause.extend([mine, other]);
                blaster.add_clause(&clause, sink);
            }
        };
        for (write, lit) in &read.sources {
            let value = write.map_or(cell.initial[bit], |write| cell.writes[write].value[bit]);
            equal(&[!*lit], value);
        }
        let values = cell.writes.iter().map(|write| write.value[bit]);
        for (last, value) in cell.lasts.iter().zip(values.chain([cell.initial[bit]])) {
            equal(&[read.passed, !*last], value);
        }
    }

    /// The solver's literal for something that decides the order of events.
    fn observe(
        &self,
        mut lit: Lit,
        blaster: &mut Blaster,
        sink: &mut (impl ClauseSink + ?Sized),
    ) -> Literal {
        // What a solver has known for long it may have got rid of.
        if self.is_written {
            let same = blaster.gates.input();
            blaster.add_clause(&[!same, lit], sink);
            blaster.add_clause(&[same, !lit], sink);
            lit = same;
        }
        (blaster.cnf).literal(&blaster.gates, lit, Polarity::Both, sink)
    }

    /// Makes literals for what a read may see, if it has none yet.
    fn find_sources(
        &mut self,
        number: usize,
        order: &mut EventOrder,
        blaster: &mut Blaster,
        sink: &mut (impl ClauseSink + ?Sized),
    ) {
        if !self.reads[number].sources.is_empty() {
            return;
        }
        self.order_writes(self.reads[number].cell, order, blaster, sink);
        let read = &self.reads[number];
        let writes = &self.cells[read.cell].writes;
        let reader = read.event;
        // Whether a write that comes between for certain hides what is before it.
        let is_hidden = |seen: Option<EventId>, order: &EventOrder| {
            writes.iter().any(|write| {
                write.happens == write.passed
                    && order.is_certain(write.event, reader)
                    && seen.is_none_or(|seen| order.is_certain(seen, write.event))
            })
        };
        let mut candidates: Vec<Option<usize>> = Vec::new();
        for (index, write) in writes.iter().enumerate() {
            let is_later = write.event == reader || order.is_certain(reader, write.event);
            if !is_later && !is_hidden(Some(write.event), order) {
                candidates.push(Some(index));
            }
        }
        if !is_hidden(None, order) {
            candidates.push(None);
        }
        let is_active = read.is_active;
        let sources: Vec<(Option<usize>, Lit)> = match candidates.as_slice() {
            [only] => vec![(*only, is_active)],
            _ => (candidates.iter())
                .map(|write| (*write, blaster.gates.input()))
                .collect(),
        };
        let mut clause = vec![!is_active];
        clause.extend(sources.iter().map(|(_, lit)| *lit));
        blaster.add_clause(&clause, sink);
        for (write, lit) in &sources {
            // Who reads nothing sees nothing.
            blaster.add_clause(&[!*lit, is_active], sink);
            let seen = write.map(|write| writes[write].event);
            if let Some(write) = write {
                blaster.add_clause(&[!*lit, writes[*write].happens], sink);
            }
            for (index, other) in writes.iter().enumerate() {
                let is_between = *write != Some(index)
                    && order.is_certain(other.event, reader)
                    && seen.is_none_or(|seen| order.is_certain(seen, other.event));
                if is_between {
                    blaster.add_clause(&[!*lit, !other.happens], sink);
                }
            }
            let literal = self.observe(*lit, blaster, sink);
            self.add_source(read, *write, literal, order);
        }
        if self.layers.is_weak {
            // What a read sees says more here than what its value is.
            for (index, (_, one)) in sources.iter().enumerate() {
                for (_, other) in &sources[..index] {
                    blaster.add_clause(&[!*one, !*other], sink);
                }
            }
        }
        self.reads[number].sources = sources;
    }

    /// Says in all layers that a read sees a write, if the literal holds.
    fn add_source(
        &self,
        read: &Read,
        write: Option<usize>,
        literal: Literal,
        order: &mut EventOrder,
    ) {
        let cell = &self.cells[read.cell];
        let seen = write.map(|write| cell.writes[write].event);
        let is_own = seen.is_some_and(|seen| self.layers.is_same_thread(seen, read.event));
        for (number, reader) in self.layers.of_read(read.event, read.cell) {
            let write = match write {
                None => None,
                Some(write) => {
                    let in_layer = |id: &&(u32, WriteId)| id.0 == number;
                    let Some((_, id)) = cell.ids[write].iter().find(in_layer) else {
                        continue;
                    };
                    Some(*id)
                }
            };
            order.add_source(Source {
                literal,
                cell: number,
                write,
                reader,
                // A thread may see its own writes before they are in memory.
                is_after_write: !(is_own && self.layers.is_global(number)),
            });
        }
        if let Some(first) = seen.filter(|_| self.layers.is_memory(read.cell)) {
            // Nobody sees the future.
            order.add_order(Before {
                literal,
                first,
                second: read.event,
                is_between_writes: false,
            });
        }
    }

    /// Makes literals for whatever reads see, told or not: what a read sees matters to
    /// a weak memory model even if its value does not. `None` if interrupted.
    pub(super) fn find_all_sources(
        &mut self,
        order: &mut EventOrder,
        blaster: &mut Blaster,
        sink: &mut (impl ClauseSink + ?Sized),
        keep_going: &mut dyn FnMut() -> bool,
    ) -> Option<()> {
        for number in 0..self.reads.len() {
            if !keep_going() {
                return None;
            }
            if self.reads[number].is_active != Lit::FALSE {
                self.find_sources(number, order, blaster, sink);
            }
        }
        let cells: Vec<CellId> = self.cells.keys().collect();
        for cell in cells {
            self.order_writes(cell, order, blaster, sink);
        }
        Some(())
    }

    /// Says that writes to a cell come one after the other, unless that is said.
    fn order_writes(
        &mut self,
        id: CellId,
        order: &mut EventOrder,
        blaster: &mut Blaster,
        sink: &mut (impl ClauseSink + ?Sized),
    ) {
        let count = self.cells[id].writes.len();
        if self.cells[id].ids.len() == count && !self.needs_lasts(id) {
            return;
        }
        for index in 0..count {
            let write = &self.cells[id].writes[index];
            let (event, happens) = (write.event, write.happens);
            let literal = self.observe(happens, blaster, sink);
            let nodes = self.layers.of_write(event, id).into_iter();
            let ids = nodes.map(|(cell, event)| {
                let write = events::Write {
                    cell,
                    event,
                    happens: literal,
                };
                (cell, order.add_write(write))
            });
            let ids = ids.collect();
            self.cells[id].ids.push(ids);
            for earlier in 0..index {
                let other = &self.cells[id].writes[earlier];
                let (other, also_happens) = (other.event, other.happens);
                if order.is_certain(other, event) || order.is_certain(event, other) {
                    continue;
                }
                let one = self.between(id, (other, event), order, blaster, sink);
                let two = self.between(id, (event, other), order, blaster, sink);
                blaster.add_clause(&[!happens, !also_happens, one, two], sink);
            }
        }
        if self.needs_lasts(id) {
            self.find_lasts(id, order, blaster, sink);
        }
    }

    fn needs_lasts(&self, id: CellId) -> bool {
        self.reads_at_end && self.cells[id].lasts.is_empty()
    }

    /// The literal for one write to come before another, if both happen.
    fn between(
        &mut self,
        cell: CellId,
        (first, second): (EventId, EventId),
        order: &mut EventOrder,
        blaster: &mut Blaster,
        sink: &mut (impl ClauseSink + ?Sized),
    ) -> Lit {
        let key = (self.layers.series(cell), first, second);
        let known = self.between_writes.get(&key).copied();
        if let Some(lit) = known.filter(|_| !self.layers.is_weak) {
            return lit;
        }
        let lit = known.unwrap_or_else(|| blaster.gates.input());
        let literal = (blaster.cnf).literal(&blaster.gates, lit, Polarity::Both, sink);
        let seconds = self.layers.of_write(second, cell);
        for (number, first) in self.layers.of_write(first, cell) {
            let in_layer = seconds.iter().filter(|(other, _)| *other == number);
            for (_, second) in in_layer {
                if !self.told.insert((first, *second)) {
                    continue;
                }
                order.add_order(Before {
                    literal,
                    first,
                    second: *second,
                    is_between_writes: true,
                });
            }
        }
        self.between_writes.insert(key, lit);
        lit
    }

    /// Whether the write of a step to memory happens, if it has one.
    pub(super) fn write_of(&self, step: EventId) -> Option<Lit> {
        let cells = self
            .cells
            .iter()
            .filter(|(id, _)| self.layers.is_memory(*id));
        let mut writes = cells.flat_map(|(_, cell)| &cell.writes);
        let write = writes.find(|write| write.event == step)?;
        Some(write.happens)
    }

    /// Whether one write to a cell comes before another if both happen, and the literal
    /// that says so if it is not certain.
    pub(super) fn order_of(
        &self,
        cell: CellId,
        (first, second): (EventId, EventId),
        order: &EventOrder,
    ) -> Option<Lit> {
        if order.is_certain(first, second) {
            return Some(Lit::TRUE);
        }
        let key = (self.layers.series(cell), first, second);
        self.between_writes.get(&key).copied()
    }

    /// Says which write to a cell is the last.
    fn find_lasts(
        &mut self,
        id: CellId,
        order: &mut EventOrder,
        blaster: &mut Blaster,
        sink: &mut (impl ClauseSink + ?Sized),
    ) {
        let lasts = blaster.gates.inputs(self.cells[id].writes.len() + 1);
        blaster.add_clause(&lasts, sink);
        let writes = &self.cells[id].writes;
        let events: Vec<(EventId, Lit)> = (writes.iter())
            .map(|write| (write.event, write.happens))
            .collect();
        for (index, last) in lasts.iter().enumerate() {
            let own = events.get(index);
            if let Some((_, happens)) = own {
                blaster.add_clause(&[!*last, *happens], sink);
            }
            for (event, happens) in &events {
                let mut clause = vec![!*last, !*happens];
                if let Some((own, _)) = own {
                    if own == event || order.is_certain(*event, *own) {
                        continue;
                    }
                    if !order.is_certain(*own, *event) {
                        let pair = (*event, *own);
                        clause.push(self.between(id, pair, order, blaster, sink));
                    }
                }
                blaster.add_clause(&clause, sink);
            }
        }
        self.cells[id].lasts = lasts;
    }
}
