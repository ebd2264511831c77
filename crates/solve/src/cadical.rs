//! CaDiCaL, linked into this process.
//!
//! The default solver: incremental, with a search that can be stopped, steered
//! and listened to. Callers need not freeze variables; CaDiCaL restores what
//! it eliminated when a later clause or assumption mentions it (Fazekas, Biere,
//! Scholl: Incremental Inprocessing in SAT Solving, SAT 2019).
//!
//! CaDiCaL ends the whole process when it runs out of memory, so long searches
//! should be given a limit on memory. It also takes options from environment
//! variables named `CADICAL_...` when it is created.
//!
//! This file must not interpret formulas, and leaves the choice of options to
//! its caller. In debug builds it keeps a copy of all clauses and checks every
//! model against them.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use cadical_sys::{CaDiCal, ClauseIterator, Learner, State, Status, Terminator};

use clauses::{ClauseList, ClauseSink, EventOrder, Literal, Variable, VariableCount};

use crate::acyclic::Acyclic;
use crate::budget::{Budget, Interrupter, Reason, Watch};
use crate::error::Error;
use crate::import::Import;
use crate::onlooker::{Onlookers, Role};
use crate::solver::{
    ClauseSource, KeepOrder, Last, LearntSink, Outcome, Phases, SatSolver, ShareClauses, Simplify,
    Statistics, flaw_of_model,
};

/// A CaDiCaL solver of its own.
pub struct Cadical {
    solver: Movable,
    variables: VariableCount,
    clauses: u64,
    solves: u64,
    time: Duration,
    last: Last,
    interrupter: Interrupter,
    /// All clauses, if models are to be checked against them.
    witness: Option<ClauseList>,
    /// The clause being added, in the numbers CaDiCaL takes.
    numbers: Vec<i32>,
    /// Those who look on while it searches.
    onlookers: Onlookers,
    /// How much of the order of events it knows.
    kept: usize,
}

/// A solver that can go to another thread, which its binding does not claim.
struct Movable(CaDiCal);

// SAFETY: a solver is a tree of heap objects that nothing else points to, and
// CaDiCaL keeps nothing per thread. The callbacks it holds are three: `Guard` of this
// file, connected only during a call; `Export`, which is `Send` by the bounds on its
// sink; and `Onlookers`, which is `Send` itself. The binding offers nothing
// that would work on two solvers at once except copying, which is not used
// here. What solvers share and write is the table of option names, only touched
// under `option_table`, and pointers meant to quiet a code checker, which are
// never read and not even stored by an optimising compiler; the binding always
// optimises.
#[expect(
    unsafe_code,
    reason = "the binding does not say whether a solver may move"
)]
unsafe impl Send for Movable {}

/// Held while CaDiCaL may touch its static table of options: each new solver
/// writes it afresh (with the same contents), and options are looked up in it.
fn option_table() -> MutexGuard<'static, ()> {
    static TABLE: Mutex<()> = Mutex::new(());
    TABLE.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Cadical {
    /// A solver without clauses, with CaDiCaL's default options.
    pub fn new() -> Self {
        let _table = option_table();
        let mut solver = CaDiCal::new();
        // Off by default, but an environment variable could turn it on.
        solver.set("factor", 0);
        Self {
            solver: Movable(solver),
            variables: VariableCount::default(),
            clauses: 0,
            solves: 0,
            time: Duration::ZERO,
            last: Last::Nothing,
            interrupter: Interrupter::new(),
            witness: cfg!(debug_assertions).then(ClauseList::new),
            numbers: Vec::new(),
            onlookers: Onlookers::default(),
            kept: 0,
        }
    }

    /// Name and version of the solver, for reports.
    pub fn signature() -> String {
        CaDiCal::signature()
    }

    /// Sets an option by CaDiCaL's name for it.
    ///
    /// One worth knowing is `lucky`: by default every call first tries a dozen
    /// simple assignments of all variables, which pays once but dominates a
    /// sequence of many easy calls on a large formula. Setting it to 0 made
    /// calls on a satisfiable formula of 100,000 variables six times faster.
    ///
    /// *Requires* that no variable was created yet; an error otherwise.
    pub fn set_option(&mut self, name: &str, value: i32) -> Result<(), Error> {
        let name_owned = || name.to_owned();
        let _table = option_table();
        if !CaDiCal::is_valid_option(name) {
            return Err(Error::UnknownOption { name: name_owned() });
        }
        if name == "factor" {
            // It invents variables, whose numbers would then not be free for
            // ours, and which would turn up in learnt clauses.
            let why = "its additional variables would mix with those of the formula";
            return Err(Error::FixedOption {
                name: name_owned(),
                why,
            });
        }
        let solver = &mut self.solver.0;
        if solver.state() != State::CONFIGURING {
            return Err(Error::OptionTooLate { name: name_owned() });
        }
        let before = solver.get(name);
        solver.set(name, value);
        // CaDiCaL takes the nearest possible value and says nothing.
        let nearest = solver.get(name);
        if nearest != value {
            solver.set(name, before);
            return Err(Error::OptionOutOfRange {
                name: name_owned(),
                value,
                nearest,
            });
        }
        Ok(())
    }

    /// The value of an option, if there is one of this name.
    pub fn option(&mut self, name: &str) -> Option<i32> {
        let _table = option_table();
        CaDiCal::is_valid_option(name).then(|| self.solver.0.get(name))
    }

    /// Makes the search take other turns. Any number is possible; CaDiCaL
    /// tells about two thousand million of them apart.
    ///
    /// *Requires* that no variable was created yet; an error otherwise.
    pub fn set_seed(&mut self, seed: u64) -> Result<(), Error> {
        const SEEDS: u64 = 2_000_000_001;
        let seed = i32::try_from(seed % SEEDS).expect("CaDiCaL's seeds should fit its options");
        self.set_option("seed", seed)
    }

    /// Has CaDiCaL do something that may be stopped, and says why if it was.
    fn guarded(
        &mut self,
        watch: Watch,
        work: impl FnOnce(&mut CaDiCal) -> Status,
    ) -> (Status, Option<Reason>) {
        let stopped = Arc::new(Mutex::new(None));
        let solver = &mut self.solver.0;
        solver.connect_terminator(Guard {
            watch,
            stopped: Arc::clone(&stopped),
        });
        let status = work(solver);
        solver.disconnect_terminator();
        let stopped = stopped
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .take();
        (status, stopped)
    }

    fn search(&mut self, assumptions: &[Literal], budget: &Budget) -> Outcome {
        let mut watch = Watch::new(budget, &self.interrupter);
        if let Some(reason) = watch.reason_to_stop() {
            return Outcome::Unknown(reason);
        }
        let conflicts_before = self.count("conflicts");
        let solver = &mut self.solver.0;
        solver.limit("conflicts", limit(budget.conflicts));
        solver.limit("decisions", limit(budget.decisions));
        for assumption in assumptions {
            solver.assume(assumption.to_dimacs());
        }
        let (status, stopped) = self.guarded(watch, CaDiCal::solve);
        match status {
            Status::SATISFIABLE => {
                self.last = Last::Model(self.model(assumptions));
                Outcome::Satisfiable
            }
            Status::UNSATISFIABLE => {
                let solver = &mut self.solver.0;
                let is_failed = |literal: &Literal| solver.failed(literal.to_dimacs());
                self.last = Last::Failed(assumptions.iter().copied().filter(is_failed).collect());
                Outcome::Unsatisfiable
            }
            Status::UNKNOWN => {
                let conflicts = self.count("conflicts").zip(conflicts_before);
                Outcome::Unknown(stopped.unwrap_or_else(|| reached_limit(budget, conflicts)))
            }
        }
    }

    /// *Requires* that CaDiCaL just found the formula satisfiable.
    fn model(&mut self, assumptions: &[Literal]) -> Vec<bool> {
        let numbers = 1..=self.variables.get().cast_signed();
        let values: Vec<bool> = numbers
            .map(|number| self.solver.0.val(number) > 0)
            .collect();
        if let Some(clauses) = &self.witness
            && let Some(flaw) = flaw_of_model(&values, clauses, assumptions)
        {
            panic!("CaDiCaL should give models of the formula, but {flaw}");
        }
        values
    }

    /// Connects those who look on anew. They are told all that is assigned by now.
    fn connect(&mut self) {
        let observed = self.onlookers.restart();
        let solver = &mut self.solver.0;
        solver.disconnect_external_propagator();
        if observed.is_empty() {
            return;
        }
        solver.connect_external_propagator(self.onlookers.clone());
        for variable in observed {
            solver.add_observed_var(variable);
        }
    }

    fn count(&self, name: &str) -> Option<u64> {
        u64::try_from(self.solver.0.get_statistic_value(name)).ok()
    }
}

impl Default for Cadical {
    fn default() -> Self {
        Self::new()
    }
}

/// A limit in the form CaDiCaL takes. Thousands of millions of conflicts take
/// days, so nobody will notice that the largest limits are rounded down.
fn limit(limit: Option<u64>) -> i32 {
    const NONE: i32 = -1;
    limit.map_or(NONE, |limit| i32::try_from(limit).unwrap_or(i32::MAX))
}

/// Why CaDiCaL stopped if the guard did not stop it: `conflicts` are those
/// after and before the call.
fn reached_limit(budget: &Budget, conflicts: Option<(u64, u64)>) -> Reason {
    let met = conflicts.map_or(0, |(after, before)| after - before);
    if budget
        .conflicts
        .is_some_and(|limit| met >= limit.min(i32::MAX as u64))
    {
        Reason::Conflicts
    } else if budget.decisions.is_some() {
        Reason::Decisions
    } else {
        Reason::SolverDied("CaDiCaL gave up without being asked to".to_owned())
    }
}

impl ClauseSink for Cadical {
    fn new_variable(&mut self) -> Variable {
        let variable = self.variables.create();
        let number = self.solver.0.declare_one_more_variable();
        assert_eq!(
            number.unsigned_abs(),
            variable.number(),
            "CaDiCaL should number as we do"
        );
        if let Some(clauses) = &mut self.witness {
            clauses.new_variable();
        }
        variable
    }

    fn add_clause(&mut self, clause: &[Literal]) {
        self.variables.require(clause);
        self.numbers.clear();
        self.numbers
            .extend(clause.iter().map(|literal| literal.to_dimacs()));
        self.solver.0.clause6(&self.numbers);
        self.clauses += 1;
        if let Some(clauses) = &mut self.witness {
            clauses.add_clause(clause);
        }
    }
}

impl SatSolver for Cadical {
    fn solve(&mut self, assumptions: &[Literal], budget: &Budget) -> Outcome {
        self.variables.require(assumptions);
        let start = Instant::now();
        self.last = Last::Nothing;
        let outcome = self.search(assumptions, budget);
        self.solves += 1;
        self.time += start.elapsed();
        outcome
    }

    fn value(&self, literal: Literal) -> Option<bool> {
        self.last.value(literal)
    }

    fn failed(&self) -> &[Literal] {
        self.last.failed()
    }

    fn statistics(&self) -> Statistics {
        Statistics {
            variables: self.variables.get().into(),
            clauses: self.clauses,
            solves: self.solves,
            conflicts: self.count("conflicts"),
            decisions: self.count("decisions"),
            propagations: self.count("propagations"),
            time: self.time,
        }
    }

    fn interrupter(&self) -> Interrupter {
        self.interrupter.clone()
    }

    fn sharing(&mut self) -> Option<&mut dyn ShareClauses> {
        Some(self)
    }

    fn simplifying(&mut self) -> Option<&mut dyn Simplify> {
        Some(self)
    }

    fn ordering(&mut self) -> Option<&mut dyn KeepOrder> {
        Some(self)
    }
}

impl Simplify for Cadical {
    fn simplified(&mut self, keep: &[Literal], budget: &Budget) -> Result<ClauseList, Reason> {
        // Each round tries all techniques once. More take longer than they save.
        const ROUNDS: i32 = 1;
        self.variables.require(keep);
        for literal in keep {
            self.solver.0.freeze(literal.to_dimacs());
        }
        let watch = Watch::new(budget, &self.interrupter);
        let (status, stopped) = self.guarded(watch, |solver| solver.simplify(ROUNDS));
        if let Some(reason) = stopped {
            return Err(reason);
        }
        let mut taken = Taken(ClauseList::new());
        taken.0.reserve_variables(self.variables.get());
        if status == Status::UNSATISFIABLE {
            taken.0.add_clause(&[]);
        } else {
            self.solver.0.traverse_clauses(&mut taken);
        }
        Ok(taken.0)
    }
}

impl Phases for Cadical {
    fn prefer(&mut self, literal: Literal) {
        self.variables.require(&[literal]);
        self.solver.0.phase(literal.to_dimacs());
    }

    fn forget_preference(&mut self, literal: Literal) {
        self.variables.require(&[literal]);
        self.solver.0.unphase(literal.to_dimacs());
    }
}

impl ShareClauses for Cadical {
    fn on_learnt(&mut self, max_length: usize, sink: LearntSink) {
        self.solver.0.connect_learner(Export {
            max_length,
            clause: Vec::new(),
            sink,
        });
    }

    fn take_learnt(&mut self, variables: &[Variable], source: ClauseSource) {
        assert_eq!(self.solves, 0, "variables may have been eliminated");
        let literals: Vec<Literal> = variables.iter().map(|v| v.positive()).collect();
        self.variables.require(&literals);
        let import = Import::new(source, variables, self.variables.get() as usize);
        self.onlookers.seat(Role::Import, Some(Box::new(import)));
        self.connect();
    }

    fn stop_sharing(&mut self) {
        self.solver.0.disconnect_learner();
        self.onlookers.seat(Role::Import, None);
        self.connect();
    }
}

impl KeepOrder for Cadical {
    fn keep(&mut self, order: &EventOrder) {
        if order.size() == self.kept {
            return;
        }
        self.kept = order.size();
        let literals: Vec<Literal> = order.literals().collect();
        self.variables.require(&literals);
        let acyclic = Box::new(Acyclic::new(order));
        self.onlookers.seat(Role::Order, Some(acyclic));
        self.connect();
    }
}

/// Asked by CaDiCaL every few steps of the search whether to go on.
struct Guard {
    watch: Watch,
    /// Where the reason is left for the end of the call: the guard itself
    /// belongs to CaDiCaL by then.
    stopped: Arc<Mutex<Option<Reason>>>,
}

impl Terminator for Guard {
    fn terminated(&mut self) -> bool {
        let Some(reason) = self.watch.reason_to_stop() else {
            return false;
        };
        *self.stopped.lock().unwrap_or_else(PoisonError::into_inner) = Some(reason);
        true
    }
}

/// Collects the clauses of a solver.
struct Taken(ClauseList);

impl ClauseIterator for Taken {
    fn clause(&mut self, clause: &[i32]) -> bool {
        let literals = clause.iter().map(|number| Literal::from_dimacs(*number));
        let clause: Option<Vec<Literal>> = literals.collect();
        self.0
            .add_clause(&clause.expect("CaDiCaL should have no literal 0"));
        true
    }
}

/// Collects the literals of a learnt clause, which come one at a time.
struct Export {
    max_length: usize,
    clause: Vec<Literal>,
    sink: LearntSink,
}

impl Learner for Export {
    fn learning(&mut self, size: i32) -> bool {
        usize::try_from(size).is_ok_and(|size| size <= self.max_length)
    }

    fn learn(&mut self, lit: i32) {
        match Literal::from_dimacs(lit) {
            Some(literal) => self.clause.push(literal),
            None => {
                (self.sink)(&self.clause);
                self.clause.clear();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_solver_can_be_sent() {
        fn check<T: Send>() {}
        check::<Cadical>();
        check::<Box<dyn SatSolver>>();
    }

    #[test]
    fn options_by_name() {
        let mut solver = Cadical::new();
        assert_eq!(solver.option("elim"), Some(1));
        solver.set_option("elim", 0).unwrap();
        assert_eq!(solver.option("elim"), Some(0));
        solver.set_seed(u64::MAX).unwrap();
        solver.set_seed(7).unwrap();
        assert_eq!(solver.option("seed"), Some(7));
        assert_eq!(solver.option("no-such-option"), None);
    }

    #[test]
    fn options_that_cannot_be_set() {
        let mut solver = Cadical::new();
        let check = |solver: &mut Cadical, name, value, expected: &str| {
            let error = solver.set_option(name, value).unwrap_err();
            assert_eq!(error.to_string(), expected);
        };
        check(&mut solver, "elimm", 1, "the solver has no option `elimm`");
        check(
            &mut solver,
            "elim",
            5,
            "option `elim` cannot be 5: the nearest possible value is 1",
        );
        assert_eq!(solver.option("elim"), Some(1));
        check(
            &mut solver,
            "factor",
            1,
            "option `factor` cannot be changed: \
             its additional variables would mix with those of the formula",
        );
        solver.new_variable();
        check(
            &mut solver,
            "elim",
            0,
            "option `elim` must be set before the first variable is created",
        );
    }

    #[test]
    fn limits_in_the_form_of_the_solver() {
        assert_eq!(limit(None), -1);
        assert_eq!(limit(Some(5)), 5);
        assert_eq!(limit(Some(u64::MAX)), i32::MAX);
    }

    #[test]
    fn tells_which_limit_was_reached() {
        let both = Budget {
            conflicts: Some(10),
            decisions: Some(10),
            ..Budget::default()
        };
        assert_eq!(reached_limit(&both, Some((25, 15))), Reason::Conflicts);
        assert_eq!(reached_limit(&both, Some((24, 15))), Reason::Decisions);
    }

    #[test]
    #[should_panic(expected = "should be of one of the 0 variables")]
    fn an_assumption_about_nothing_is_refused() {
        let stranger = Literal::from_dimacs(1).unwrap();
        let _ = Cadical::new().solve(&[stranger], &Budget::default());
    }

    #[test]
    fn names_itself() {
        assert!(
            Cadical::signature().starts_with("cadical-"),
            "{}",
            Cadical::signature()
        );
    }
}
