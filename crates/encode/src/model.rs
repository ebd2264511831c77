//! What a solver found, as a run: who did what in which order, and the values of
//! variables. The same for all encodings.
//!
//! A solver decides the order and the inputs; what is read follows from them. It is
//! computed here by going through the run once more, because a solver is told only
//! of those values that its query depends on. So all that an encoding has to read
//! off a model are stretches and inputs.

mod finale;

use cranelift_entity::{EntitySet, SecondaryMap};
use finale::{RunEnd, read_at_end};
use formula::{Blaster, Evaluator, Literal, TermId, Terms, VariableId};
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::ops::Range;
use unfold::{Access, CellId, Check, Moment, Place, ThreadId, Threads};

/// What one thread does without a switch to another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stretch {
    pub thread: ThreadId,
    /// What is passed, positions with false guards included. May be empty.
    pub positions: Range<usize>,
}

/// A run of the bounded program.
#[derive(Clone, Debug)]
pub struct Model {
    /// In the order in which they happen. Two of the same thread may follow each
    /// other.
    pub stretches: Vec<Stretch>,
    /// Of inputs, and of what was read. What is read at positions that are not passed
    /// has some value in its range.
    pub values: SecondaryMap<VariableId, u128>,
    /// `None` if there is none, which can only be if the query did not ask for any.
    pub found: Option<Found>,
    /// Where threads are in the end that exist and could or could not go on; only
    /// if somebody asks for the end of runs.
    pub standing: Vec<Standing>,
    /// What is not as one step after the other would have it.
    pub sights: Sights,
}

/// What reads see, and where writes come among those to their cell, under a weak memory
/// model. Without one there is nothing to say: everybody sees the latest.
#[derive(Clone, Debug, Default)]
pub struct Sights {
    /// By step and cell: the step whose write it sees; `None` for what was there at first.
    pub sources: BTreeMap<(Standing, CellId), Option<Standing>>,
    /// By step and cell: the place of its write among all to the cell.
    pub places: BTreeMap<(Standing, CellId), usize>,
    /// Two steps of which none happens before the other, if the run is about that.
    pub race: Option<Race>,
}

/// A violation in a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Found {
    /// The first that happens, by its index in [`Threads::violations`].
    Moment(usize),
    Race(Race),
    /// Threads that wait, all of them or those that wait for each other.
    Deadlock(Vec<Standing>),
}

/// The last step of a run, and the next one of another thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Race {
    pub last: Standing,
    pub next: Standing,
}

/// A thread and one of its positions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Standing {
    pub thread: ThreadId,
    pub position: usize,
}

/// What tells a violation from others: the instructions at fault.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Site {
    Moment(Check, Place),
    Race(Place, Place),
    Deadlock(Vec<Place>),
}

impl Model {
    /// What was found, in terms of the program.
    pub fn site(&self, threads: &Threads) -> Option<Site> {
        let place = |at: &Standing| threads.threads[at.thread].positions[at.position].step.place;
        Some(match self.found.as_ref()? {
            Found::Moment(index) => {
                let violation = &threads.violations[*index];
                Site::Moment(violation.check, violation.place)
            }
            Found::Race(race) => Site::Race(place(&race.last), place(&race.next)),
            Found::Deadlock(waiting) => Site::Deadlock(waiting.iter().map(place).collect()),
        })
    }

    /// Whether anything is not as one step after the other would have it.
    pub fn is_weak(&self) -> bool {
        !self.sights.sources.is_empty()
    }

    /// Whether some step looks at several places at once, under a weak memory model.
    pub fn is_loose(&self) -> bool {
        let steps = self.sights.sources.keys().map(|(step, _)| *step);
        let steps: Vec<Standing> = steps.collect();
        steps.windows(2).any(|pair| pair[0] == pair[1])
    }

    /// Evaluates terms with the values of this model.
    pub fn evaluator<'a>(
        &'a self,
        terms: &'a Terms,
    ) -> Evaluator<'a, impl Fn(VariableId) -> u128 + 'a> {
        Evaluator::new(terms, |variable| self.values[variable])
    }
}

/// What is wanted to know of the end of a run.
#[derive(Clone, Copy, Default)]
pub struct AtEnd<'a> {
    /// Whether somebody asks at all where threads stand.
    pub is_asked_for: bool,
    /// Whether the run ends in a race, and with whom if so.
    pub race: Option<&'a dyn Fn(ThreadId) -> bool>,
    pub deadlocks: bool,
}

/// What memory holds as a run goes on.
struct Contents<'s> {
    sights: &'s Sights,
    initial: SecondaryMap<CellId, u128>,
    /// What is the last in the order of writes so far, and its place there.
    latest: SecondaryMap<CellId, (usize, u128)>,
    written: BTreeMap<(Standing, CellId), u128>,
}

impl Contents<'_> {
    fn read(&self, at: Standing, cell: CellId) -> u128 {
        let key = (at, cell);
        match (self.written.get(&key), self.sights.sources.get(&key)) {
            (Some(own), _) => *own,
            (None, Some(None)) => self.initial[cell],
            (None, Some(Some(step))) => {
                let seen = self.written.get(&(*step, cell)).copied();
                seen.unwrap_or(self.initial[cell])
            }
            (None, None) => self.latest[cell].1,
        }
    }

    fn write(&mut self, at: Standing, cell: CellId, value: u128) {
        let key = (at, cell);
        self.written.insert(key, value);
        // Where nothing is said, it is the last.
        let place = self.sights.places.get(&key).copied();
        let place = place.unwrap_or(usize::MAX);
        if place >= self.latest[cell].0 {
            self.latest[cell] = (place, value);
        }
    }
}

impl AtEnd<'_> {
    fn matters(&self) -> bool {
        self.is_asked_for || self.race.is_some() || self.deadlocks
    }
}

/// The run that these stretches are with these inputs, see [`input_values`].
pub fn complete(
    threads: &Threads,
    stretches: Vec<Stretch>,
    inputs: SecondaryMap<VariableId, u128>,
    end: AtEnd,
) -> Model {
    complete_with(threads, stretches, inputs, end, Sights::default())
}

/// The same where reads need not see the latest.
pub(crate) fn complete_with(
    threads: &Threads,
    stretches: Vec<Stretch>,
    inputs: SecondaryMap<VariableId, u128>,
    end: AtEnd,
    sights: Sights,
) -> Model {
    let values = RefCell::new(inputs);
    let mut evaluator = Evaluator::new(&threads.terms, |variable| values.borrow()[variable]);
    let mut contents = Contents {
        sights: &sights,
        initial: SecondaryMap::new(),
        latest: SecondaryMap::new(),
        written: BTreeMap::new(),
    };
    for (id, cell) in threads.cells.iter() {
        let initial = evaluator.value(cell.initial);
        contents.initial[id] = initial;
        contents.latest[id] = (0, initial);
    }
    for stretch in &stretches {
        let thread = stretch.thread;
        let positions = &threads.threads[thread].positions;
        let accesses = stretch.positions.clone().flat_map(|position| {
            let at = Standing { thread, position };
            (positions[position].accesses.iter()).map(move |access| (at, access))
        });
        for (at, access) in accesses {
            match *access {
                Access::Read { cell, variable, .. } => {
                    if let Some(variable) = as_variable(&threads.terms, variable) {
                        values.borrow_mut()[variable] = contents.read(at, cell);
                    }
                }
                Access::Write {
                    cell,
                    condition,
                    value,
                } => {
                    if evaluator.is_true(condition) {
                        contents.write(at, cell, evaluator.value(value));
                    }
                }
            }
        }
    }
    let mut cells: SecondaryMap<CellId, u128> = SecondaryMap::new();
    for id in threads.cells.keys() {
        cells[id] = contents.latest[id].1;
    }
    if end.matters() {
        for (id, thread) in threads.threads.iter() {
            let passed = passed_positions(&stretches, id);
            for position in &thread.positions[passed..] {
                read_at_end(threads, position, &cells, &values, &mut evaluator);
            }
        }
    }
    // The stretch, and the position in it.
    let passed_at = |thread: ThreadId, position: usize| {
        let passes =
            |stretch: &Stretch| stretch.thread == thread && stretch.positions.contains(&position);
        Some((stretches.iter().position(passes)?, position + 1))
    };
    let mut happens_at = |moment: &Moment| {
        let thread = &threads.threads[moment.thread];
        let reached = match (moment.after.checked_sub(1), thread.creation) {
            (Some(last), creation) => passed_at(moment.thread, last).or_else(|| {
                let creation = creation?;
                let mut before = thread.positions[..moment.after].iter();
                let is_idle = !before.any(|position| evaluator.is_true(position.guard));
                passed_at(creation.thread, creation.position).filter(|_| is_idle)
            }),
            (None, Some(creation)) => passed_at(creation.thread, creation.position),
            (None, None) => Some((0, 0)),
        };
        let exists = thread
            .creation
            .is_none_or(|creation| evaluator.is_true(creation.condition));
        reached.filter(|_| exists && evaluator.is_true(moment.condition))
    };
    // The run ends with the first.
    let first = (threads.violations.iter().enumerate())
        .filter_map(|(index, violation)| Some((happens_at(&violation.moment)?, index)))
        .min()
        .map(|(_, index)| Found::Moment(index));
    let mut standing = Vec::new();
    let mut found = first;
    if end.matters() {
        let mut run_end = RunEnd {
            threads,
            stretches: &stretches,
            evaluator: &mut evaluator,
        };
        standing = run_end.standing();
        if sights.race.is_some() {
            found = sights.race.map(Found::Race);
        } else if let Some(is_rival) = end.race {
            found = run_end.race(&standing, is_rival).map(Found::Race);
        }
        if found.is_none() && end.deadlocks {
            found = run_end.deadlock(&standing).map(Found::Deadlock);
        }
    }
    drop(evaluator);
    Model {
        stretches,
        values: values.into_inner(),
        found,
        standing,
        sights,
    }
}

/// How many positions a thread has passed.
fn passed_positions(stretches: &[Stretch], thread: ThreadId) -> usize {
    let mut own = stretches.iter().filter(|stretch| stretch.thread == thread);
    own.next_back().map_or(0, |stretch| stretch.positions.end)
}

/// The values of inputs in what a solver found, and some value in its range for every
/// variable that a thread reads.
pub fn input_values(
    threads: &Threads,
    blaster: &Blaster,
    value: impl Fn(Literal) -> bool,
) -> SecondaryMap<VariableId, u128> {
    let mut is_read = EntitySet::new();
    for position in threads.threads.values().flat_map(|t| &t.positions) {
        for access in &position.accesses {
            if let Access::Read { variable, .. } = access {
                is_read.extend(as_variable(&threads.terms, *variable));
            }
        }
    }
    let mut reader = blaster.reader(&threads.terms, value);
    let mut values = SecondaryMap::new();
    for (id, variable) in threads.terms.variables() {
        values[id] = if is_read.contains(id) {
            variable.range.some_value()
        } else {
            reader.value(variable.term)
        };
    }
    values
}

fn as_variable(terms: &Terms, id: TermId) -> Option<VariableId> {
    match terms.term(id) {
        formula::Term::Variable(variable) => Some(variable),
        _ => None,
    }
}
