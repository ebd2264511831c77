//! A second, tiny encoding, for the seam: the full matrix of an interleaving. There is
//! a slot for each position that may be passed, and a literal for each slot and each
//! position. The memory has a copy per slot. It is cubic and more, so it is for programs
//! of a few positions only; what it shares with the encoding by contexts is what
//! `encode` offers to all.
//!
//! Its bound is the number of positions that are passed. It looks for violations, not
//! for races and deadlocks, and knows no turns: positions of which only turns could
//! tell the order are passed like all others.

use encode::{
    Asked, AtEnd, Encode, Encoding, Goals, Model, Site, Stretch, complete, happens, input_values,
};
use fastrand::Rng;
use formula::{Blaster, ClauseSink, Lit, Literal, Polarity, Room};
use std::collections::{BTreeMap, HashSet};
use unfold::{Access, Check, Moment, Position, ThreadId, Threads};

use crate::generator::Program;
use crate::oracle::{Subject, check_many};
use crate::simulator::{Simulator, State};

const MOST: usize = 8;

#[derive(Debug)]
struct ByMatrix;

type Place = (ThreadId, usize);
/// The bits of every cell.
type Memory = Vec<Vec<Lit>>;

struct Matrix {
    blaster: Blaster,
    places: Vec<Place>,
    /// By slot and place: the position is passed there.
    at: Vec<Vec<Lit>>,
    /// By slot, and one more: nothing is passed from here on.
    unused_from: Vec<Lit>,
    violations: Vec<Lit>,
    is_forbidden: Vec<bool>,
}

fn places(threads: &Threads) -> Vec<Place> {
    let threads = threads.threads.iter();
    threads
        .flat_map(|(id, thread)| (0..thread.positions.len()).map(move |index| (id, index)))
        .collect()
}

fn position((thread, index): Place, threads: &Threads) -> &Position {
    &threads.threads[thread].positions[index]
}

impl Encode for ByMatrix {
    type Encoding = Matrix;

    fn encode(
        &self,
        threads: &Threads,
        bound: usize,
        goals: Goals,
        sink: &mut impl ClauseSink,
        keep_going: &mut dyn FnMut() -> bool,
        _room: Option<Room>,
    ) -> Option<Matrix> {
        assert_eq!(goals, Goals::default(), "only violations are looked for");
        let places = places(threads);
        let mut blaster = Blaster::default();
        let slots = bound.min(places.len());
        let at = (0..slots)
            .map(|_| blaster.gates.inputs(places.len()))
            .collect();
        let mut unused_from = blaster.gates.inputs(slots);
        unused_from.push(Lit::TRUE);
        let mut matrix = Matrix {
            blaster,
            places,
            at,
            unused_from,
            violations: Vec::new(),
            is_forbidden: Vec::new(),
        };
        matrix.order(sink);
        for place in matrix.places.clone() {
            if !keep_going() {
                return None;
            }
            matrix.rules(threads, place, sink);
        }
        matrix.memory(threads, sink);
        matrix.moments(threads, sink);
        Some(matrix)
    }

    fn covering(&self, threads: &Threads) -> u64 {
        places(threads).len() as u64
    }
}

impl Matrix {
    fn clause(&mut self, lits: &[Lit], sink: &mut (impl ClauseSink + ?Sized)) {
        self.blaster.add_clause(lits, sink);
    }

    fn column(&self, place: Place) -> usize {
        let found = self.places.iter().position(|other| *other == place);
        found.expect("every position should be in the matrix")
    }

    fn at(&self, slot: usize, place: Place) -> Lit {
        self.at[slot][self.column(place)]
    }

    /// Whether a position is passed in one of the first slots.
    fn is_passed_before(&mut self, slot: usize, place: Place) -> Lit {
        let column = self.column(place);
        let rows: Vec<Lit> = self.at[..slot].iter().map(|row| row[column]).collect();
        self.blaster.gates.any(&rows)
    }

    fn is_passed(&mut self, place: Place) -> Lit {
        self.is_passed_before(self.at.len(), place)
    }

    /// The matrix is an interleaving: one position per slot, each at most once, those
    /// of a thread in their order, and all slots that are not used are at the end.
    fn order(&mut self, sink: &mut impl ClauseSink) {
        for slot in 0..self.at.len() {
            let row = self.at[slot].clone();
            let one = self.blaster.gates.at_most_one(&row);
            self.clause(&[one], sink);
            let next = self.unused_from[slot + 1];
            self.clause(&[!self.unused_from[slot], next], sink);
            for lit in &row {
                self.clause(&[!self.unused_from[slot], !*lit], sink);
                if let Some(before) = slot.checked_sub(1) {
                    let mut clause = vec![!*lit];
                    clause.extend(&self.at[before]);
                    self.clause(&clause, sink);
                }
            }
            for place @ (thread, index) in self.places.clone() {
                let here = self.at(slot, place);
                let again = self.is_passed_before(slot, place);
                self.clause(&[!here, !again], sink);
                if let Some(before) = index.checked_sub(1) {
                    let before = self.is_passed_before(slot, (thread, before));
                    self.clause(&[!here, before], sink);
                }
            }
        }
    }

    /// What must hold for a position to be passed.
    fn rules(&mut self, threads: &Threads, place: Place, sink: &mut impl ClauseSink) {
        let (thread, index) = place;
        let data = &threads.threads[thread];
        let passed = self.is_passed(place);
        let guard = self
            .blaster
            .literal(&threads.terms, data.positions[index].guard);
        for required in &data.positions[index].requires {
            let required = self.blaster.literal(&threads.terms, *required);
            self.clause(&[!passed, !guard, required], sink);
        }
        let is_here = |moment: &&Moment| (moment.thread, moment.after) == place;
        let stuck: Vec<Lit> = (threads.stuck.iter().filter(is_here))
            .map(|moment| self.blaster.literal(&threads.terms, moment.condition))
            .collect();
        for condition in &stuck {
            self.clause(&[!passed, !*condition], sink);
        }
        for slot in 0..self.at.len() {
            let here = self.at(slot, place);
            for (condition, other) in &data.positions[index].joins {
                let condition = self.blaster.literal(&threads.terms, *condition);
                let ended = self.has_ended_before(threads, slot, *other);
                self.clause(&[!here, !condition, ended], sink);
            }
            let exists = self.exists_before(threads, slot, thread);
            self.clause(&[!here, exists], sink);
            // What is not on the path is passed together with what is before it.
            if (1..data.skips_before).contains(&index) {
                let before = self.at(slot, (thread, index - 1));
                let mut clause = vec![!before, guard];
                clause.extend(&stuck);
                if slot + 1 < self.at.len() {
                    clause.push(self.at(slot + 1, place));
                }
                self.clause(&clause, sink);
            }
        }
    }

    fn exists_before(&mut self, threads: &Threads, slot: usize, thread: ThreadId) -> Lit {
        let Some(creation) = threads.threads[thread].creation else {
            return Lit::TRUE;
        };
        let made = self.is_passed_before(slot, (creation.thread, creation.position));
        let condition = self.blaster.literal(&threads.terms, creation.condition);
        self.blaster.gates.and(made, condition)
    }

    fn has_ended_before(&mut self, threads: &Threads, slot: usize, thread: ThreadId) -> Lit {
        let data = &threads.threads[thread];
        match data.positions.len().checked_sub(1) {
            _ if !data.can_end => Lit::FALSE,
            None => self.exists_before(threads, slot, thread),
            Some(last) => self.is_passed_before(slot, (thread, last)),
        }
    }

    /// What is read in a slot is what earlier slots have left.
    fn memory(&mut self, threads: &Threads, sink: &mut impl ClauseSink) {
        let mut before: Memory = (threads.cells.values())
            .map(|cell| self.blaster.bits(&threads.terms, cell.initial))
            .collect();
        for slot in 0..self.at.len() {
            let after: Memory = (threads.cells.values())
                .map(|cell| self.blaster.gates.inputs(cell.width as usize))
                .collect();
            for place in self.places.clone() {
                let here = self.at(slot, place);
                let written = self.step(threads, place, here, &before, sink);
                for (after, written) in after.iter().zip(&written) {
                    let is_same = self.blaster.gates.equal_bits(after, written);
                    self.clause(&[!here, is_same], sink);
                }
            }
            before = after;
        }
    }

    /// What a position that is passed here makes of the memory.
    fn step(
        &mut self,
        threads: &Threads,
        place: Place,
        here: Lit,
        before: &Memory,
        sink: &mut impl ClauseSink,
    ) -> Memory {
        let mut now = before.clone();
        let terms = &threads.terms;
        for access in &position(place, threads).accesses {
            match *access {
                Access::Read { cell, variable, .. } => {
                    let seen = self.blaster.bits(terms, variable);
                    let cell = &now[cell.as_u32() as usize];
                    let is_same = self.blaster.gates.equal_bits(&seen, cell);
                    self.clause(&[!here, is_same], sink);
                }
                Access::Write {
                    cell,
                    condition,
                    value,
                } => {
                    let condition = self.blaster.literal(terms, condition);
                    let value = self.blaster.bits(terms, value);
                    let cell = &mut now[cell.as_u32() as usize];
                    *cell = self.blaster.gates.ite_bits(condition, &value, cell);
                }
            }
        }
        now
    }

    fn moments(&mut self, threads: &Threads, sink: &mut impl ClauseSink) {
        for moment in &threads.excluded {
            let happens = self.happens(threads, moment);
            self.clause(&[!happens], sink);
        }
        for violation in &threads.violations {
            let happens = self.happens(threads, &violation.moment);
            self.violations.push(happens);
            self.is_forbidden.push(false);
        }
    }

    fn happens(&mut self, threads: &Threads, moment: &Moment) -> Lit {
        let passed: Vec<Lit> = (self.places.clone().into_iter())
            .map(|place| self.is_passed(place))
            .collect();
        let places = &self.places;
        let is_passed = |thread, index| {
            let found = places.iter().position(|place| *place == (thread, index));
            found.map_or(Lit::FALSE, |column| passed[column])
        };
        happens(threads, moment, is_passed, &mut self.blaster)
    }

    fn literal(&mut self, lit: Lit, polarity: Polarity, sink: &mut dyn ClauseSink) -> Literal {
        let blaster = &mut self.blaster;
        blaster.cnf.literal(&blaster.gates, lit, polarity, sink)
    }

    /// Those that are looked for and of a kind.
    fn sought(&self, threads: Option<&Threads>, is_wanted: impl Fn(Check) -> bool) -> Vec<Lit> {
        (0..self.violations.len())
            .filter(|index| !self.is_forbidden[*index])
            .filter(|index| threads.is_none_or(|t| is_wanted(t.violations[*index].check)))
            .map(|index| self.violations[index])
            .collect()
    }
}

impl Asked for Matrix {
    fn any_violation(&mut self, sink: &mut dyn ClauseSink) -> Literal {
        let all = self.sought(None, |_| true);
        let any = self.blaster.gates.any(&all);
        self.literal(any, Polarity::Positive, sink)
    }

    fn violation_by_kind(&mut self, threads: &Threads, sink: &mut dyn ClauseSink) -> [Literal; 2] {
        let assertions = self.sought(Some(threads), |check| check == Check::Assert);
        let others = self.sought(Some(threads), |check| check != Check::Assert);
        let gates = &mut self.blaster.gates;
        let (fails, goes_wrong) = (gates.any(&assertions), gates.any(&others));
        let parts = [gates.and(fails, !goes_wrong), goes_wrong];
        parts.map(|part| self.literal(part, Polarity::Positive, sink))
    }

    fn violation(&mut self, index: usize, sink: &mut dyn ClauseSink) -> Literal {
        self.literal(self.violations[index], Polarity::Both, sink)
    }

    fn any_moment(
        &mut self,
        threads: &Threads,
        moments: &[Moment],
        sink: &mut dyn ClauseSink,
    ) -> Literal {
        let happen: Vec<Lit> = (moments.iter())
            .map(|moment| self.happens(threads, moment))
            .collect();
        let any = self.blaster.gates.any(&happen);
        self.literal(any, Polarity::Positive, sink)
    }

    fn forbid(&mut self, threads: &Threads, site: &Site, sink: &mut dyn ClauseSink) {
        let Site::Moment(check, place) = site else {
            panic!("only violations are looked for");
        };
        for (index, violation) in threads.violations.iter().enumerate() {
            if (violation.check, violation.place) == (*check, *place) {
                self.is_forbidden[index] = true;
                if *check != Check::Overflow {
                    self.clause(&[!self.violations[index]], sink);
                }
            }
        }
    }
}

impl Encoding for Matrix {
    fn within(&mut self, bound: usize, sink: &mut dyn ClauseSink) -> Option<Literal> {
        let unused = *self
            .unused_from
            .get(bound)
            .filter(|_| bound < self.at.len())?;
        Some(self.literal(unused, Polarity::Positive, sink))
    }

    fn choices(&mut self, _threads: &Threads, sink: &mut dyn ClauseSink) -> Vec<Literal> {
        let all: Vec<Lit> = self.at.iter().flatten().copied().collect();
        all.into_iter()
            .map(|lit| self.literal(lit, Polarity::Both, sink))
            .collect()
    }

    fn model(&self, threads: &Threads, value: &dyn Fn(Literal) -> Option<bool>) -> Model {
        let cnf = &self.blaster.cnf;
        let is_true = |literal: Literal| value(literal) == Some(true);
        let stretches = (self.at.iter())
            .filter_map(|row| {
                let holds = |lit: &Lit| cnf.known_literal(*lit).is_some_and(is_true);
                let (thread, index) = self.places[row.iter().position(holds)?];
                Some(Stretch {
                    thread,
                    positions: index..index + 1,
                })
            })
            .collect();
        let inputs = input_values(threads, &self.blaster, is_true);
        complete(threads, stretches, inputs, AtEnd::default())
    }
}

impl Subject for ByMatrix {
    fn choose(&self, program: &Program, rng: &mut Rng) -> Option<(ByMatrix, usize)> {
        let most = places(&program.threads).len();
        (most <= MOST).then(|| (ByMatrix, rng.usize(0..=MOST)))
    }

    /// Breadth first, one position after the other.
    fn needed(
        &self,
        simulator: &Simulator,
        inputs: &BTreeMap<u32, u128>,
        limit: usize,
    ) -> Option<usize> {
        // A thread that skips is not done with its step.
        let mut reached: HashSet<(State, Option<ThreadId>)> = HashSet::new();
        reached.extend(simulator.start(inputs).map(|state| (state, None)));
        for steps in 0..=limit {
            let mut ends = reached.iter().filter(|(_, skips)| skips.is_none());
            if ends.any(|(state, _)| state.violated) {
                return Some(steps);
            }
            let mut next = HashSet::new();
            for (state, skips) in &reached {
                for thread in simulator.threads.threads.keys() {
                    if skips.is_none_or(|skips| skips == thread)
                        && let Some(state) = simulator.step(state, thread)
                    {
                        let skips = simulator.skips(&state, thread).then_some(thread);
                        next.insert((state, skips));
                    }
                }
            }
            reached = next;
        }
        None
    }
}

#[test]
fn agrees_with_enumeration() {
    check_many(5, 1500, &ByMatrix);
}
