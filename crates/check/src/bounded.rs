//! A program within bounds, as a formula that can be asked again and again.
//!
//! It is unfolded and encoded once, for the most contexts that will be asked
//! for. Fewer contexts are an assumption, so the solver keeps what it has
//! learnt when it is asked for more.

use crate::attempt::{Answer, Query, Task, bound_of, encoding_of};
use crate::engines::Name;
use crate::facts::{Assumption, Dependent, Internal, Limits, Reason};
use crate::feed::Feed;
use crate::verdict::{Attempt, Kind, Order, Stage};
use crate::witness::Numbers;
use crate::{export, silent, witness};
use clauses::ClauseSink;
use encode::{ByOrder, Encode, Encoding, Goals};
use library::MemoryModel;
use replay::{Property, Run, Signature};
use search::Strategy;
use solve::{Budget, Literal, Outcome, memory};
use std::collections::BTreeSet;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use unfold::Unfolding;

/// To find out whether loops go on for longer, at least.
const LEAST_FOR_LOOPS: Duration = Duration::from_millis(50);

pub(crate) struct Bounded {
    /// The largest bounds; there may be none on the order of steps.
    order: Option<Order>,
    unwind: u32,
    pub unfolding: Unfolding,
    /// How to search, unless all is asked at once.
    strategy: Option<Strategy>,
    /// For asking at once. If there is neither, nothing can go wrong in any order
    /// of steps.
    pub formula: Option<Formula>,
    /// Runs that call functions which nobody knows are left out.
    is_clean: bool,
    /// From this bound on, loops may go on for longer than they were unfolded, as far
    /// as is known.
    may_exceed_from: Option<Order>,
    /// The question at hand, and how long it has taken in all its turns.
    at_hand: Option<(Option<Order>, Kind)>,
    took: Duration,
    /// What it took to get here, for the record of the first question.
    record: Attempt,
}

pub(crate) struct Formula {
    pub feed: Feed,
    pub encoding: Box<dyn Encoding>,
    violated: Literal,
    /// The same in parts, if it may be asked so: assertions, and all else.
    parts: Option<[Literal; 2]>,
    /// The largest bound that it may be asked for.
    pub bound: usize,
    /// How much of what was found is not looked for any more.
    blocked: usize,
}

impl Bounded {
    /// Unfolds and encodes the program within the bounds of a query.
    pub(crate) fn new(task: &Task, query: &Query) -> Result<Bounded, Box<(Answer, Attempt)>> {
        let mut record = Attempt {
            engine: match query.order {
                Some(_) => Name::Bounded,
                None => Name::Order,
            },
            order: query.order,
            unwind: Some(query.unwind),
            ..Attempt::default()
        };
        let start = Instant::now();
        let unfolded = task.unfold(query);
        record.unfolding = start.elapsed();
        let unfolding = match unfolded {
            Ok(unfolding) => unfolding,
            Err(answer) => return Err(Box::new((close(&mut record, answer), record))),
        };
        let threads = &unfolding.threads;
        if let Some(path) = export::for_threads(task.options.dump.as_deref())
            && let Err(error) = export::write_threads(path, threads, task.program)
        {
            let answer = Answer::Unknown(cannot_write(path, &error));
            return Err(Box::new((close(&mut record, answer), record)));
        }
        record.threads = (threads.threads.values())
            .map(|thread| (thread.name.clone(), thread.positions.len()))
            .collect();
        record.cells = threads.cells.len();
        let mut bounded = Bounded {
            order: query.order,
            unwind: query.unwind,
            strategy: (task.strategy())
                .filter(|_| query.order.is_some() && task.has_questions(&unfolding)),
            unfolding,
            formula: None,
            is_clean: false,
            may_exceed_from: None,
            at_hand: None,
            took: Duration::ZERO,
            record,
        };
        if let Err(answer) = bounded.make_formula(task, query) {
            let record = &mut bounded.record;
            return Err(Box::new((close(record, answer), bounded.record)));
        }
        Ok(bounded)
    }

    /// Encodes what was unfolded, if there is anything to look for and it is not left
    /// to a strategy.
    fn make_formula(&mut self, task: &Task, query: &Query) -> Result<(), Answer> {
        if self.strategy.is_some() || !task.has_questions(&self.unfolding) {
            return Ok(());
        }
        let start = Instant::now();
        let dump = export::for_query(task.options.dump.as_deref());
        let goals = task.goals(&self.unfolding);
        let formula = Formula::new(task, &self.unfolding, query, goals, dump);
        self.record.encoding += start.elapsed();
        let formula = formula?;
        self.record.variables = formula.feed.variables;
        self.record.clauses = formula.feed.clauses;
        self.formula = Some(formula);
        Ok(())
    }

    /// A formula for questions beside the question.
    pub(crate) fn plain_formula(
        task: &Task,
        unfolding: &Unfolding,
        query: &Query,
    ) -> Result<Formula, Answer> {
        Formula::new(task, unfolding, query, Goals::default(), None)
    }

    /// Leaves out runs that call functions which nobody knows.
    fn make_clean(&mut self, task: &Task, query: &Query) -> Result<(), Answer> {
        let calls = self.unknown_calls(task);
        let excluded = &mut self.unfolding.threads.excluded;
        excluded.extend(calls.iter().map(|call| call.moment));
        self.is_clean = true;
        self.formula = None;
        self.make_formula(task, query)
    }

    pub(crate) fn clauses(&self) -> usize {
        self.record.clauses
    }

    /// Whether no loop was cut, so that higher bounds of loops change nothing.
    pub(crate) fn has_whole_loops(&self) -> bool {
        self.unfolding.cuts.is_empty()
    }

    /// The least bounds of either kind that cover all runs, as far as contexts
    /// are concerned.
    pub(crate) fn covering(&self) -> (u64, u64) {
        let threads = &self.unfolding.threads;
        let covering = |order: Order| encoding_of(order).covering(threads);
        (covering(Order::Contexts(0)), covering(Order::Rounds(0)))
    }

    /// Whether no run goes beyond the bound.
    pub(crate) fn covers_all(&self, order: Option<Order>) -> bool {
        let (threads, is_settled) = (&self.unfolding.threads, self.unfolding.is_settled);
        match order {
            Some(order) => {
                encoding_of(order).covers_all(threads, bound_of(order) as u64, is_settled)
            }
            None => ByOrder::default().covers_all(threads, 0, is_settled),
        }
    }

    /// Is there a violation within this bound, which is at most that of the
    /// formula? Also says what it cost.
    pub(crate) fn ask(
        &mut self,
        task: &Task,
        order: Option<Order>,
        kind: Kind,
        deadline: Option<Instant>,
    ) -> (Answer, Attempt) {
        let query = Query {
            order,
            unwind: self.unwind,
            deadline,
        };
        let mut record = self.record.clone();
        self.record.unfolding = Duration::ZERO;
        self.record.encoding = Duration::ZERO;
        record.order = order;
        record.kind = kind;
        if self.at_hand != Some((order, kind)) {
            self.at_hand = Some((order, kind));
            self.took = Duration::ZERO;
        }
        self.took += record.unfolding + record.encoding;
        let answer = self.answer(task, &query, kind, &mut record);
        let answer = match answer {
            Answer::Violated(run) if task.depends_on_unknown(&run) && !self.is_clean => {
                self.answer_cleanly(task, &query, kind, &mut record, run)
            }
            answer => answer,
        };
        (close(&mut record, answer), record)
    }

    /// Something goes wrong after a call of a function that nobody knows. Perhaps
    /// something does without.
    fn answer_cleanly(
        &mut self,
        task: &Task,
        query: &Query,
        kind: Kind,
        record: &mut Attempt,
        run: Box<Run>,
    ) -> Answer {
        let dependent = || Answer::Depends(Box::new(Dependent::of(task.program, *run)));
        let largest = Query {
            order: self.order,
            ..*query
        };
        if self.make_clean(task, &largest).is_err() {
            return dependent();
        }
        match self.answer(task, query, kind, record) {
            Answer::Violated(run) => Answer::Violated(run),
            _ => dependent(),
        }
    }

    fn answer(&mut self, task: &Task, query: &Query, kind: Kind, record: &mut Attempt) -> Answer {
        let covers_all = self.covers_all(query.order);
        // Without bounds, nothing may depend on how many turns there are.
        if query.order.is_none() && !covers_all {
            return Answer::Unknown(Reason::Internal(Internal::Unsettled));
        }
        let mut limits = Limits {
            order: query.order.filter(|_| !covers_all),
            loops: match task.options.config.checks.has(Property::Unwind) {
                // That no loop goes beyond its bound is what is shown.
                true => BTreeSet::new(),
                false => task.cut_loops(&self.unfolding, query.unwind),
            },
            assumptions: task.always_assumed().clone(),
        };
        let omissions = self.unfolding.omissions.iter();
        (limits.assumptions).extend(omissions.map(|one| Assumption::Omission(*one)));
        if let Some(strategy) = &self.strategy {
            let order = query.order.expect("strategies need a bound on contexts");
            let answer = task.ask_by_parts(&self.unfolding, order, query, strategy, record);
            let left_out = match answer {
                Answer::None(_) => None,
                Answer::Partly(part) => Some(part.0),
                answer => return answer,
            };
            self.complete(task, query, covers_all, &mut limits);
            if left_out.is_none() {
                self.look_beside(task, query, &mut limits);
            }
            return match left_out {
                Some(left_out) => Answer::Partly(Box::new((left_out, limits))),
                None => Answer::None(limits),
            };
        }
        let Some(formula) = &mut self.formula else {
            // The bound on contexts may go below: then nothing that holds within it only
            // may be stated.
            match covers_all {
                true => self.complete(task, query, true, &mut limits),
                false => self.add_doubts(task, query, &mut limits),
            }
            // Nothing goes wrong with more contexts either, but there may be doubt.
            let is_in_doubt = limits.assumptions.contains(&Assumption::LostMemory);
            if self.unfolding.is_settled && (is_in_doubt || self.unfolding.doubts.is_empty()) {
                limits.order = None;
            }
            self.look_beside(task, query, &mut limits);
            return Answer::None(limits);
        };
        loop {
            formula.block(task, &self.unfolding);
            let before = formula.conflicts();
            let start = Instant::now();
            let outcome = formula.find_violation(task, query, kind);
            record.solving += start.elapsed();
            self.took += start.elapsed();
            record.conflicts += formula.conflicts() - before;
            return match outcome {
                Outcome::Unsatisfiable => {
                    self.complete(task, query, covers_all, &mut limits);
                    self.look_beside(task, query, &mut limits);
                    Answer::None(limits)
                }
                Outcome::Unknown(solve::Reason::Interrupted | solve::Reason::Deadline) => {
                    task.interruption(query.deadline)
                }
                Outcome::Unknown(reason) => Answer::Unknown(solver_failed(&reason)),
                Outcome::Satisfiable => {
                    let start = Instant::now();
                    let threads = &self.unfolding.threads;
                    let value = |literal| formula.feed.solver.value(literal);
                    let model = formula.encoding.model(threads, &value);
                    let answer = match task.options.goes_on() {
                        true => {
                            let answer = task.collect(&self.unfolding, &model, query);
                            answer.or_else(|| task.first_told())
                        }
                        false => Some(confirm(task, &self.unfolding, &model, query)),
                    };
                    record.replaying += start.elapsed();
                    match answer {
                        Some(answer) => answer,
                        None => continue,
                    }
                }
            };
        }
    }

    /// States what else was left out, and what was not.
    fn complete(&mut self, task: &Task, query: &Query, covers_all: bool, limits: &mut Limits) {
        self.add_doubts(task, query, limits);
        if limits.loops.is_empty() {
            return;
        }
        let is_enough = match covers_all {
            true => self.cuts_nothing(task, &self.in_its_own_time(task, query)),
            false => self.cuts_nothing_within(task, query),
        };
        if is_enough {
            limits.loops.clear();
        }
    }

    /// The same query, with about the time that the question itself took, even if its
    /// turn is over: more iterations would take longer.
    fn in_its_own_time(&self, task: &Task, query: &Query) -> Query {
        let own = Instant::now() + self.took.max(LEAST_FOR_LOOPS);
        let later = query.deadline.map(|deadline| deadline.max(own));
        Query {
            deadline: [later, task.deadline].into_iter().flatten().min(),
            ..*query
        }
    }

    /// Whether no run within the bound on contexts comes to the bound of a loop, where
    /// the checker chooses those bounds.
    ///
    /// Right for any number of iterations, though only some were unfolded: take a run of
    /// the program within the bound on contexts in which some loop goes on for longer,
    /// and cut it off where that happens first, in any thread. What is left is a run,
    /// since runs may stop anywhere, has no more contexts, and is among those that were
    /// unfolded, up to a moment at which a loop is cut. If there is no such run, all runs
    /// within the bound are among those that were unfolded. Nothing follows for more
    /// contexts: somebody may write then what makes a loop go on.
    fn cuts_nothing_within(&mut self, task: &Task, query: &Query) -> bool {
        let Some(order) = query.order else {
            return false;
        };
        let is_known = self
            .may_exceed_from
            .is_some_and(|least| order.contains(least));
        let is_wanted = task.options.bounds.unwind.is_none() && !self.is_clean;
        if is_known || !is_wanted {
            return false;
        }
        let own = self.in_its_own_time(task, query);
        let query = Query {
            deadline: [own.deadline, query.deadline].into_iter().flatten().min(),
            ..*query
        };
        let is_enough = self.cuts_nothing(task, &query);
        if !is_enough {
            self.may_exceed_from = Some(order);
        }
        is_enough
    }

    /// If this is the answer, asks what it is worth: what runs come by, and whether
    /// threads stop without a word.
    fn look_beside(&mut self, task: &Task, query: &Query, limits: &mut Limits) {
        // Runs were left out that these questions are about.
        let is_partial = query.order.is_some() && task.memory_model() != MemoryModel::Sc;
        if self.is_clean || is_partial {
            return;
        }
        let is_last = task.options.looks_beside && task.options.bounds.are_answered_by(limits);
        self.assume_no_effects(task, query, is_last, limits);
        if is_last {
            self.look_around(task, query, limits);
            let ends = silent::find(task, query, limits);
            limits.assumptions.extend(ends);
        } else {
            limits.assumptions.extend(silent::not_known(task));
        }
    }

    /// Whether no run comes to the bound of a loop.
    fn cuts_nothing(&mut self, task: &Task, query: &Query) -> bool {
        let moments = self.unfolding.cut_moments.clone();
        self.never_happen(task, query, &moments)
    }

    /// States what nobody knows about lost memory, if it matters in any run.
    fn add_doubts(&mut self, task: &Task, query: &Query, limits: &mut Limits) {
        let doubts = self.unfolding.doubts.clone();
        if !doubts.is_empty() && !self.never_happen(task, query, &doubts) {
            limits.assumptions.insert(Assumption::LostMemory);
        }
    }

    /// Whether no run comes to some of the excluded moments. Asks for that as if it
    /// were the violation.
    fn never_happen(&mut self, task: &Task, query: &Query, moments: &[usize]) -> bool {
        let largest = Query {
            order: self.order,
            ..*query
        };
        let unfolding = &mut self.unfolding;
        let threads = &mut unfolding.threads;
        let violations = threads.violations.clone();
        let excluded = threads.excluded.clone();
        threads.violations = (moments.iter())
            .map(|index| unfold::Violation {
                moment: excluded[*index],
                check: unfold::Check::Unwind,
                place: unfold::Place::Start,
            })
            .collect();
        let mut index = 0;
        threads.excluded.retain(|_| {
            index += 1;
            !moments.contains(&(index - 1))
        });
        let goals = Goals::default();
        let formula = Formula::new(task, unfolding, &largest, goals, None);
        self.unfolding.threads.violations = violations;
        self.unfolding.threads.excluded = excluded;
        formula.is_ok_and(|mut formula| {
            let mut assumptions = vec![formula.violated];
            assumptions.extend(formula.within(query.order));
            formula.search(task, &assumptions, query) == Outcome::Unsatisfiable
        })
    }
}

impl Formula {
    fn new(
        task: &Task,
        unfolding: &Unfolding,
        query: &Query,
        goals: Goals,
        dump: Option<&Path>,
    ) -> Result<Formula, Answer> {
        let mut feed = Feed::new(dump.is_some(), &task.options.search.factory());
        let mut encoding: Box<dyn Encoding> = match query.order {
            Some(order) => {
                Box::new(task.encode_contexts(unfolding, order, query, goals, &mut feed)?)
            }
            None => Box::new(task.encode_order(unfolding, query, goals, &mut feed)?),
        };
        let violated = encoding.any_violation(&mut feed);
        let parts = (task.can_ask_by_kind())
            .then(|| encoding.violation_by_kind(&unfolding.threads, &mut feed));
        if let Some(path) = dump
            && let Some(copy) = feed.copy()
            && let Err(error) = export::write_query(path, copy, violated)
        {
            return Err(Answer::Unknown(cannot_write(path, &error)));
        }
        Ok(Formula {
            feed,
            encoding,
            violated,
            parts,
            bound: query.order.map_or(0, bound_of),
            blocked: 0,
        })
    }

    /// Blocks what was found since the last time.
    fn block(&mut self, task: &Task, unfolding: &Unfolding) {
        let sites = task.collection.sites_from(self.blocked);
        if sites.is_empty() {
            return;
        }
        self.blocked += sites.len();
        for site in sites {
            self.encoding
                .forbid(&unfolding.threads, &site, &mut self.feed);
        }
        self.violated = self.encoding.any_violation(&mut self.feed);
    }

    /// What limits the formula to a smaller bound, if anything.
    pub(crate) fn within(&mut self, order: Option<Order>) -> Option<Literal> {
        let bound = bound_of(order?);
        (bound < self.bound)
            .then(|| self.encoding.within(bound, &mut self.feed))
            .flatten()
    }

    /// Is there a violation within the bound of the query?
    fn find_violation(&mut self, task: &Task, query: &Query, kind: Kind) -> Outcome {
        let mut assumptions: Vec<Literal> = self.within(query.order).into_iter().collect();
        let parts = match (kind, self.parts) {
            (Kind::All, None) => vec![self.violated],
            (Kind::All, Some(parts)) => parts.to_vec(),
            (Kind::Assertions, Some([part, _])) | (Kind::Others, Some([_, part])) => vec![part],
            (Kind::Assertions | Kind::Others, None) => {
                unreachable!("only formulas with parts are asked for one")
            }
        };
        let mut turns = search::Turns::new(parts.len());
        while let Some((part, conflicts)) = turns.next(|_| 0) {
            assumptions.push(parts[part]);
            let outcome = self.search_within(task, &assumptions, query, conflicts);
            assumptions.pop();
            match outcome {
                Outcome::Unsatisfiable => turns.close(part),
                Outcome::Unknown(solve::Reason::Conflicts) => {}
                outcome => return outcome,
            }
        }
        Outcome::Unsatisfiable
    }

    /// A literal for assumptions: one of these holds.
    pub(crate) fn any_of(&mut self, literals: impl Iterator<Item = Literal>) -> Literal {
        let any = self.feed.new_variable().positive();
        let clause: Vec<Literal> = literals.chain([!any]).collect();
        self.feed.add_clause(&clause);
        any
    }

    fn conflicts(&self) -> u64 {
        self.feed.solver.statistics().conflicts.unwrap_or(0)
    }

    pub(crate) fn search(
        &mut self,
        task: &Task,
        assumptions: &[Literal],
        query: &Query,
    ) -> Outcome {
        self.search_within(task, assumptions, query, None)
    }

    /// Runs the solver until there is nothing against what it finds.
    fn search_within(
        &mut self,
        task: &Task,
        assumptions: &[Literal],
        query: &Query,
        conflicts: Option<u64>,
    ) -> Outcome {
        loop {
            let outcome = self.run_solver(task, assumptions, query, conflicts);
            if outcome != Outcome::Satisfiable || !self.has_objections() {
                return outcome;
            }
        }
    }

    /// Whether what the solver has found is no run, for reasons that it knows now.
    fn has_objections(&mut self) -> bool {
        let value = |literal| self.feed.solver.value(literal);
        let objections = self.encoding.objections(&value);
        for clause in &objections {
            self.feed.add_clause(clause);
        }
        !objections.is_empty()
    }

    /// Runs the solver, while somebody keeps an eye on the user.
    fn run_solver(
        &mut self,
        task: &Task,
        assumptions: &[Literal],
        query: &Query,
        conflicts: Option<u64>,
    ) -> Outcome {
        let budget = Budget {
            conflicts,
            deadline: query.deadline,
            memory: task.options.memory,
            ..Budget::default()
        };
        if let Some(order) = self.encoding.event_order() {
            let Some(solver) = self.feed.solver.ordering() else {
                let problem = "it cannot keep events in order";
                return Outcome::Unknown(solve::Reason::SolverDied(problem.to_owned()));
            };
            solver.keep(order);
        }
        let interrupter = self.feed.solver.interrupter();
        let watch = task.watch;
        let is_over = AtomicBool::new(false);
        std::thread::scope(|scope| {
            let watcher = scope.spawn(|| {
                while !is_over.load(Ordering::Relaxed) {
                    std::thread::park_timeout(Duration::from_millis(100));
                    if !query.keep_going(watch, Stage::Solving) {
                        interrupter.interrupt();
                        return;
                    }
                }
            });
            let outcome = self.feed.solver.solve(assumptions, &budget);
            is_over.store(true, Ordering::Relaxed);
            watcher.thread().unpark();
            // There may be another question.
            let _ = watcher.join();
            interrupter.clear();
            outcome
        })
    }
}

/// Has the interpreter repeat what the solver found.
pub(crate) fn confirm(
    task: &Task,
    unfolding: &Unfolding,
    model: &encode::Model,
    query: &Query,
) -> Answer {
    match repeat(task, unfolding, model, query, Vec::new()) {
        Ok(run) => Answer::Violated(Box::new(run)),
        Err(answer) => answer,
    }
}

/// Repeats what the solver found, up to the first violation that is not known yet.
/// The answer if there is none at all.
pub(crate) fn repeat(
    task: &Task,
    unfolding: &Unfolding,
    model: &encode::Model,
    query: &Query,
    known: Vec<Signature>,
) -> Result<Run, Answer> {
    let config = task.replay_config(unfolding, query);
    let image = task.image(&task.options.config).map_err(Answer::Unknown)?;
    let stage = witness::Stage {
        image: &image,
        config: &config,
        digest: task.digest,
    };
    let attempt = |numbers: Numbers| {
        let known = known.clone();
        let run = witness::replay(&stage, unfolding, model, numbers, known, &mut |_| {
            task.keep_going(query, Stage::Replaying)
        });
        match run {
            Ok(run) if task.is_violated(&run) => Ok(run),
            Ok(run) if run.outcome == replay::Outcome::Interrupted => {
                Err(Failed::Answer(task.interruption(query.deadline)))
            }
            Ok(run) => Err(Failed::Problem(format!(
                "the run ends with {:?}",
                run.outcome
            ))),
            Err(misfit) => Err(Failed::Problem(misfit.to_string())),
        }
    };
    let problem = match attempt(Numbers::Plain) {
        Ok(run) => return Ok(run),
        Err(Failed::Answer(answer)) => return Err(answer),
        Err(Failed::Problem(problem)) => problem,
    };
    let has_addresses = witness::has_addresses(unfolding, model);
    if has_addresses {
        match attempt(Numbers::Addresses) {
            Ok(run) => return Ok(run),
            Err(Failed::Answer(answer)) => return Err(answer),
            Err(Failed::Problem(_)) => {}
        }
    }
    // What a number means as an address is more than either side knows; and of steps at
    // several places at once nobody can say what they see at each.
    let checks = task.options.config.checks;
    let looks_back = checks.has(Property::Leak) || checks.has(Property::Cleanup);
    let is_loose = model.is_loose() || model.is_weak() && looks_back;
    Err(Answer::Unknown(
        match unfolding.is_coarse || has_addresses || is_loose {
            true => Reason::NotConfirmed { problem },
            false => Reason::Internal(Internal::DoesNotReplay { problem }),
        },
    ))
}

/// Why a run was not repeated.
enum Failed {
    Answer(Answer),
    Problem(String),
}

/// A solver gave up for a reason of its own.
pub(crate) fn solver_failed(reason: &solve::Reason) -> Reason {
    match reason {
        solve::Reason::Memory => Reason::Memory,
        solve::Reason::Interrupted => Reason::Interrupted,
        reason => Reason::Solver {
            problem: reason.to_string(),
        },
    }
}

pub(crate) fn cannot_write(path: &Path, error: &std::io::Error) -> Reason {
    Reason::CannotWrite {
        path: path.to_owned(),
        problem: error.to_string(),
    }
}

fn close(record: &mut Attempt, answer: Answer) -> Answer {
    record.peak_memory = memory::peak().unwrap_or(0);
    record.result = answer.ending();
    answer
}
