//! The passes, and what comes out in the end.

use crate::addressees::Addressee;
use crate::arguments::OpenArguments;
use crate::block_order::BlockOrders;
use crate::checks::{Check, Checks};
use crate::facts::Facts;
use crate::findings::Findings;
use crate::memory::Memory;
use crate::models::ModelState;
use crate::omissions::Omission;
use crate::pass::{Pass, Start, Trail};
use crate::races::Races;
use crate::shadows::ShadowNotes;
use crate::tables::Tables;
use crate::threads::{ThreadId, Threads};
use crate::under_way::{Patience, Prologue, ThreadsUnderWay, Whereabouts};
use crate::values::Values;
use crate::variables::OpenVariable;
use crate::{MAIN, offset_bits};
use analysis::{Landmark, LoopId, Spinning};
use cranelift_entity::PrimaryMap;
use formula::Terms;
use ir::{FunctionId, InstId, Location, Program};
use library::{MemoryModel, Surroundings};
use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::Arc;

/// How often loops that only wait go round: the last time, and once before, which a race
/// may be about.
pub(crate) const SPINS: u32 = 2;

/// Passes in which only values grow, before they are taken to be anything.
const PATIENCE: u32 = 24;
/// Passes at most. Facts grow, so there is an end; this is against surprises.
const MAX_PASSES: u32 = 5000;

#[derive(Clone, Debug)]
pub struct Options {
    /// What to look for.
    pub checks: Checks,
    /// For loops that do not count by constants, and for recursion.
    pub unwind: u32,
    /// All loops follow `unwind`.
    pub unwind_every_loop: bool,
    /// Loops with a bound of their own.
    pub unwind_loops: HashMap<(FunctionId, LoopId), u32>,
    /// How often runs of interest hand over from one thread to another at most, going
    /// round all threads in the order of their creation counting as once; and once for
    /// the beginning. Tells how far values can get: what a thread reads was there
    /// before it was handed over to, or is its own.
    pub turns: Option<u32>,
    pub surroundings: Surroundings,
    /// The program frees memory somewhere.
    pub can_free: bool,
    pub reductions: Reductions,
    /// What somebody wants to know about: whether runs come by.
    pub landmarks: Arc<HashSet<Landmark>>,
}

/// What makes formulas smaller and changes no verdict. Each can be left out, so
/// that tests can tell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reductions {
    /// Steps that concern one thread only are no positions.
    pub hiding: bool,
    /// Variables take only the values that shared memory can have.
    pub ranges: bool,
    /// Paths learn from the conditions on them.
    pub learning: bool,
    /// Guards get weaker where all other paths have ended.
    pub relaxing: bool,
    /// Accesses under a common lock are no candidates for races.
    pub locksets: bool,
    /// Loops that only wait need not be unwound further than [`SPINS`].
    pub spinning: bool,
}

impl Default for Reductions {
    fn default() -> Reductions {
        Reductions {
            hiding: true,
            ranges: true,
            learning: true,
            relaxing: true,
            locksets: true,
            spinning: true,
        }
    }
}

impl Default for Options {
    fn default() -> Options {
        Options {
            checks: Checks::NONE.with(Check::Assert),
            unwind: 1,
            unwind_every_loop: false,
            unwind_loops: HashMap::new(),
            turns: None,
            surroundings: Surroundings::default(),
            can_free: true,
            reductions: Reductions::default(),
            landmarks: Arc::default(),
        }
    }
}

impl Options {
    pub fn loop_bound(&self, function: FunctionId, id: LoopId) -> u32 {
        let own = self.unwind_loops.get(&(function, id));
        own.copied().unwrap_or(self.unwind)
    }

    /// Whether a loop is cut even if it counts by constants.
    pub fn is_bound_strict(&self, function: FunctionId, id: LoopId) -> bool {
        self.unwind_every_loop || self.unwind_loops.contains_key(&(function, id))
    }
}

#[derive(Clone, Debug, thiserror::Error)]
pub enum Error {
    #[error("{what} is not supported")]
    Unsupported {
        what: String,
        location: Option<Location>,
    },
    #[error("interrupted")]
    Interrupted,
    /// The pass has learnt something that it should have known from the start.
    #[error("another pass is needed")]
    Again,
}

/// A program within bounds.
pub struct Unfolding {
    pub threads: Threads,
    /// By thread.
    pub trails: PrimaryMap<ThreadId, Trail>,
    /// By the number of a block: which thread makes it, in which execution.
    pub allocations: HashMap<u32, (ThreadId, usize)>,
    /// How many bits an address has, and how many of them are the offset.
    pub word: u32,
    pub offset_bits: u32,
    /// By the number of an object in addresses: which it is.
    pub addressees: HashMap<u32, Addressee>,
    pub open_arguments: Option<OpenArguments>,
    /// Variables of the environment that are inputs.
    pub open_variables: Vec<OpenVariable>,
    /// Loops that were cut, and functions whose recursion was.
    pub cuts: BTreeSet<(FunctionId, Option<LoopId>)>,
    /// Which of the excluded moments are due to these cuts.
    pub cut_moments: Vec<usize>,
    /// Which of them are ends of the process where nobody can tell whether memory
    /// is lost.
    pub doubts: Vec<usize>,
    pub omissions: BTreeSet<Omission>,
    /// Some values are only approximated, from above: a violation may turn out
    /// not to be one.
    pub is_coarse: bool,
    pub passes: u32,
    /// Holds for any number of turns, see [`Options::turns`]; otherwise only for as
    /// many as were asked for, since more could bring about other values.
    pub is_settled: bool,
}

/// How far unfolding has come.
#[derive(Clone, Copy, Debug)]
pub struct Standing {
    /// So many in this pass.
    pub terms: usize,
    /// What is being executed.
    pub site: (FunctionId, InstId),
}

/// Unfolds a program. `keep_going` is asked now and then.
pub fn unfold(
    program: &Program,
    options: &Options,
    keep_going: &mut dyn FnMut(&Standing) -> bool,
) -> Result<Unfolding, Error> {
    let is_weak = options.surroundings.memory_model != MemoryModel::Sc;
    if is_weak && options.checks.has(Check::Uninitialised) {
        // Which bits were written is bookkeeping, which says nothing of what was there
        // when somebody looks at the past.
        return Err(Error::Unsupported {
            what: "looking for uninitialised values under a weak memory model".to_owned(),
            location: None,
        });
    }
    let spinning = match options.reductions.spinning && !options.checks.has(Check::Unwind) {
        true => Spinning::of(program),
        false => Spinning::default(),
    };
    let mut facts = Facts::of(program);
    let mut block_orders = BlockOrders::default();
    // Passes since the cells were last cut anew.
    let mut settled = 0;
    for passes in 1..=MAX_PASSES {
        facts.begin_pass();
        let mut pass = Pass {
            program,
            options,
            spinning: &spinning,
            block_orders: &mut block_orders,
            facts: &mut facts,
            terms: Terms::new(),
            values: Values::new(crate::values::Layout::of(program)),
            tables: Tables::default(),
            threads: ThreadsUnderWay::default(),
            whereabouts: Whereabouts::new(program),
            prologue: Prologue::default(),
            open_arguments: None,
            open_variables: Vec::new(),
            models: ModelState::default(),
            races: Races::default(),
            shadows: ShadowNotes::default(),
            findings: Findings::default(),
            patience: Patience::new(keep_going),
        };
        match pass.run_all() {
            Ok(()) => {}
            Err(Error::Again) => {
                settled = 0;
                continue;
            }
            Err(error) => return Err(error),
        }
        if pass.facts.conclude() {
            settled = 0;
            continue;
        }
        settled += 1;
        // What runs can do in so many contexts has been seen after as many passes:
        // in each context a thread reads what was there before, or its own. And a
        // pass executes the threads in the order in which a round does.
        let is_enough = options.turns.is_some_and(|turns| settled >= turns);
        if pass.facts.values.have_grown() && !is_enough {
            if settled > PATIENCE {
                pass.facts.values.widen();
            }
            continue;
        }
        let unfolding = pass.finish(passes)?;
        if cfg!(debug_assertions) {
            unfolding.threads.expect_well_formed(program);
        }
        return Ok(unfolding);
    }
    Err(Error::Unsupported {
        what: "a program whose memory does not settle".to_owned(),
        location: None,
    })
}

impl Pass<'_> {
    fn run_all(&mut self) -> Result<(), Error> {
        let main = self.program.main;
        let guard = self.terms.bool(true);
        let arguments = self.command_line();
        self.make_open_variables();
        let blocked = self.terms.constant(64, 0);
        self.register_cleanup();
        self.threads.enqueue(Start {
            thread: MAIN,
            function: main,
            arguments,
            creation: None,
            guard,
            memory: Memory::default(),
            blocked,
        });
        while let Some(start) = self.threads.next() {
            self.run_thread(start)?;
        }
        self.note_lost_results();
        self.check_shadows()?;
        self.check_numbers()?;
        self.check_arrays()
    }

    /// Makes the final threads, numbered in the order in which they were executed.
    fn finish(mut self, passes: u32) -> Result<Unfolding, Error> {
        let works = self.threads.finish();
        let numbers: HashMap<ThreadId, ThreadId> = works
            .iter()
            .enumerate()
            .map(|(index, (thread, _))| (*thread, ThreadId::from_u32(index as u32)))
            .collect();
        let mut uses = self.uses_by_thread()?;
        let mut threads = PrimaryMap::new();
        let mut trails = PrimaryMap::new();
        for (thread, mut work) in works {
            if let Some(creation) = &mut work.thread.creation {
                creation.thread = numbers[&creation.thread];
            }
            for position in &mut work.thread.positions {
                let joins = std::mem::take(&mut position.joins);
                for (condition, joined) in joins {
                    match numbers.get(&joined) {
                        Some(number) => position.joins.push((condition, *number)),
                        // Nobody creates it, so nobody waits for it successfully.
                        None => position.requires.push(self.terms.not(condition)),
                    }
                }
                for wait in &mut position.waits {
                    wait.holders
                        .retain(|(_, thread)| numbers.contains_key(thread));
                    for (_, thread) in &mut wait.holders {
                        *thread = numbers[thread];
                    }
                }
            }
            work.thread
                .place_uses(uses.remove(&thread).unwrap_or_default());
            work.thread.find_quiet(&self.terms);
            threads.push(work.thread);
            trails.push(work.trail);
        }
        let allocations = self.tables.allocations.iter();
        let allocations = allocations
            .map(|(object, thread, execution)| {
                let number = self.facts.objects.number(object);
                (number, (numbers[&thread], execution))
            })
            .collect();
        let addressees = self.addressees(&numbers);
        let values = (self.options.reductions.ranges).then_some(&self.facts.values);
        let cells = self.tables.cells.finish(values);
        let found = self.findings.finish(&numbers);
        Ok(Unfolding {
            threads: Threads {
                terms: self.terms,
                threads,
                cells,
                violations: found.violations,
                excluded: found.excluded,
                stuck: found.stuck,
                sightings: found.sightings,
            },
            trails,
            allocations,
            word: 8 * self.program.target.pointer_bytes as u32,
            offset_bits: offset_bits(self.program),
            addressees,
            open_arguments: self.open_arguments,
            open_variables: self.open_variables,
            cuts: found.cuts,
            cut_moments: found.cut_moments,
            doubts: found.doubts,
            omissions: found.omissions,
            is_coarse: found.is_coarse,
            passes,
            is_settled: !self.facts.values.have_grown(),
        })
    }
}
