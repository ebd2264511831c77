//! Cores that share the work of a strategy.
//!
//! A strategy cuts the space into [`Piece`]s and says what to do with each
//! answer ([`Work`]); the crew gives every core a solver of its own, hands out
//! pieces and sees to everything that all strategies need alike: the first model
//! stops all cores, and so do the user and the limits; a core without work asks
//! another to give up part of its piece, or works on the same; a core whose solver
//! fails hands its piece back and leaves, as long as somebody is left.
//!
//! Whatever ends a call early never counts as an answer.

use crate::exchange::{Cursor, Exchange};
use crate::simplified::Simplified;
use crate::{Duty, MakeSolver, Model, Options, Outcome, Problem, Progress, Seat, Statistics};
use solve::{Budget, Interrupter, Literal, Reason, SatSolver, memory};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Condvar, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::{Duration, Instant};

/// How often the caller is told how things stand.
const TELL: Duration = Duration::from_millis(100);
/// How long a core without work waits before it looks again.
const REST: Duration = Duration::from_millis(20);
/// Reasons why a piece has no model are told to others up to this length.
const LONGEST_REASON: usize = 48;
/// Clauses that solvers are given between two calls stay for good; longer ones would
/// slow them down.
const LONGEST_KEPT: usize = 12;

/// What all strategies work with.
pub(crate) struct Setting<'a> {
    pub problem: &'a Problem,
    /// What assumptions may speak of, besides the query.
    pub keep: &'a [Literal],
    pub options: &'a Options,
    pub make: MakeSolver<'a>,
}

/// A question to a solver, with what the strategy knows it by.
pub(crate) struct Piece<K> {
    pub assumptions: Vec<Literal>,
    /// Whether the assumptions become clauses of a solver that is made for this
    /// piece alone. It can simplify with them, but nothing is left of it after.
    pub is_asserted: bool,
    /// Conflicts after which the piece is put back as it is; `None` if it is to
    /// be worked on until the end.
    pub conflicts: Option<u64>,
    pub time: Option<Duration>,
    pub key: K,
}

pub(crate) enum Answer {
    /// There is no model, and these assumptions are to blame.
    Closed(Vec<Literal>),
    /// There is a model, but the piece did not ask for the query.
    Possible,
    /// The call ended early.
    Open(Early),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Early {
    /// At a limit of the piece.
    Limit,
    /// Another core wants a part of it.
    Wanted,
    /// The core should not go on as it did: there is a simplified formula now, or
    /// somebody else has done with the piece.
    Called,
}

/// A strategy at work. All calls are made by one core at a time.
pub(crate) trait Work: Send {
    type Key: Send;
    /// Whether cores should be told what others have learnt: each time they take a
    /// piece, or all the time if the formula was simplified.
    const SHARES: bool = true;
    /// Whether a piece that was interrupted is worth splitting.
    const CAN_SPLIT: bool = false;
    /// Whether a core should simplify the formula for all. Only for
    /// strategies that assert the query and assume nothing but literals of the
    /// schedule.
    const SIMPLIFIES: bool = false;

    /// Whether the query is part of every question that this core asks. If not,
    /// pieces that want it assume it.
    fn asserts_query(_core: usize) -> bool {
        true
    }
    /// The next piece for a core, or `None` if there is nothing now.
    fn take(&mut self, core: usize) -> Option<Piece<Self::Key>>;
    /// A piece that another core works on, if two do better than one. Only asked
    /// if there is nothing else, and cores tell each other what they learn.
    fn join(&mut self, _core: usize) -> Option<Piece<Self::Key>> {
        None
    }
    /// What became of a piece.
    fn put(&mut self, core: usize, piece: Piece<Self::Key>, answer: Answer);
    /// The core could not work on it; somebody else should.
    fn give_back(&mut self, core: usize, piece: Piece<Self::Key>);
    /// Cores that work on what another core has done with.
    fn left_behind(&self) -> Vec<usize> {
        Vec::new()
    }
    /// Whether everything is closed, whatever others are working on.
    fn is_settled(&self) -> bool;
    /// Open and closed pieces, and the share that is closed.
    fn progress(&self) -> Progress;
    /// Called now and then, and at the end.
    fn save(&mut self, _is_end: bool) -> Result<(), String> {
        Ok(())
    }
}

pub(crate) enum Ending {
    Found(Model),
    /// Nothing is left to do.
    Done,
    Stopped(Reason),
}

struct State<W> {
    work: W,
    /// Since when each core has had its piece, if it has one.
    busy: Vec<Option<Instant>>,
    /// Whether a part of it can be asked for.
    can_split: Vec<bool>,
    /// Whether somebody has asked.
    is_asked: Vec<bool>,
    interrupters: Vec<Option<Interrupter>>,
    /// Somebody simplifies the formula, or has.
    has_simplified: bool,
    is_simplifying: bool,
    /// Cores that have not failed.
    left: usize,
    /// Cores whose threads still run.
    running: usize,
    ending: Option<Ending>,
    statistics: Statistics,
}

struct Crew<'a, W> {
    setting: &'a Setting<'a>,
    state: Mutex<State<W>>,
    changed: Condvar,
    exchange: Exchange,
    start: Instant,
    simplified: OnceLock<Simplified>,
}

/// What a core does next.
enum Job<K> {
    Solve(Piece<K>),
    Simplify,
}

/// A solver, and what it has been told.
struct Desk {
    solver: Box<dyn SatSolver>,
    /// `None` if the solver asks for clauses of others itself.
    cursor: Option<Cursor>,
    is_simplified: bool,
}

/// Works until a model is found, nothing is left or something stops it.
pub(crate) fn run<W: Work>(
    setting: &Setting,
    cores: usize,
    work: W,
    watch: &mut dyn FnMut(&Progress) -> bool,
) -> (Ending, W, Statistics) {
    let cores = cores.max(1);
    let crew = Crew {
        setting,
        state: Mutex::new(State {
            work,
            busy: vec![None; cores],
            can_split: vec![false; cores],
            is_asked: vec![false; cores],
            interrupters: vec![None; cores],
            has_simplified: false,
            is_simplifying: false,
            left: cores,
            running: cores,
            ending: None,
            statistics: Statistics::default(),
        }),
        changed: Condvar::new(),
        exchange: Exchange::default(),
        start: Instant::now(),
        simplified: OnceLock::new(),
    };
    std::thread::scope(|scope| {
        for core in 0..cores {
            let crew = &crew;
            let thread = std::thread::Builder::new().name(format!("core {core}"));
            let started = thread.spawn_scoped(scope, move || crew.work(core));
            if let Err(error) = started {
                let mut state = crew.lock();
                state.running -= 1;
                let problem = format!("cannot start a thread: {error}");
                crew.leave(&mut state, core, Reason::SolverDied(problem));
            }
        }
        crew.accompany(watch);
    });
    let mut state = crew
        .state
        .into_inner()
        .unwrap_or_else(PoisonError::into_inner);
    if let Err(problem) = state.work.save(true) {
        state.statistics.failures.push(problem);
    }
    let progress = state.work.progress();
    state.statistics.closed = progress.closed;
    state.statistics.share = progress.share;
    state.statistics.shared = crew.exchange.given();
    state.statistics.is_simplified = crew.simplified.get().is_some();
    let ending = state.ending.unwrap_or(Ending::Done);
    (ending, state.work, state.statistics)
}

/// What is to be said if nothing was left out.
pub(crate) fn outcome(ending: Ending) -> Outcome {
    match ending {
        Ending::Found(model) => Outcome::Found(model),
        Ending::Done => Outcome::None,
        Ending::Stopped(reason) => Outcome::Stopped(reason),
    }
}

impl<W: Work> Crew<'_, W> {
    fn lock(&self) -> MutexGuard<'_, State<W>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn end(&self, state: &mut State<W>, ending: Ending) {
        // The first word counts.
        state.ending.get_or_insert(ending);
        for interrupter in state.interrupters.iter().flatten() {
            interrupter.interrupt();
        }
        self.changed.notify_all();
    }

    /// Keeps the caller informed until all cores have ended.
    fn accompany(&self, watch: &mut dyn FnMut(&Progress) -> bool) {
        let mut state = self.lock();
        let mut told = Instant::now();
        while state.running > 0 {
            let wait = self.changed.wait_timeout(state, TELL);
            state = wait.unwrap_or_else(PoisonError::into_inner).0;
            if told.elapsed() < TELL || state.ending.is_some() {
                continue;
            }
            told = Instant::now();
            let mut progress = state.work.progress();
            progress.cores = state.busy.iter().flatten().count();
            progress.cores += usize::from(state.is_simplifying);
            progress.failures.clone_from(&state.statistics.failures);
            drop(state);
            let goes_on = watch(&progress);
            state = self.lock();
            if !goes_on {
                self.end(&mut state, Ending::Stopped(Reason::Interrupted));
            }
            if let Err(problem) = state.work.save(false)
                && !state.statistics.failures.contains(&problem)
            {
                state.statistics.failures.push(problem);
            }
        }
    }

    /// What one core does.
    fn work(&self, core: usize) {
        let mut desk: Option<Desk> = None;
        let mut is_first = true;
        while let Some(job) = self.next_job(core) {
            let piece = match job {
                Job::Solve(piece) => piece,
                Job::Simplify => {
                    self.simplify(core);
                    continue;
                }
            };
            let is_simplified = self.simplified.get().is_some();
            if desk
                .as_ref()
                .is_some_and(|desk| desk.is_simplified != is_simplified)
            {
                desk = None;
            }
            let result = catch_unwind(AssertUnwindSafe(|| {
                let desk = desk.get_or_insert_with(|| self.new_desk(core));
                self.solve(core, desk, &piece)
            }));
            let result = result.unwrap_or_else(|panic| Err(Reason::SolverDied(message(&*panic))));
            let mut state = self.lock();
            state.busy[core] = None;
            state.statistics.cores += usize::from(std::mem::take(&mut is_first));
            match result {
                Ok(answer) => {
                    state.work.put(core, piece, answer);
                    if state.work.is_settled() {
                        self.end(&mut state, Ending::Done);
                    }
                }
                Err(reason) => {
                    state.work.give_back(core, piece);
                    let is_over = match reason {
                        // Somebody else may have made room by now.
                        Reason::Memory => self.is_short_of_memory(),
                        _ => true,
                    };
                    if is_over {
                        desk = None;
                        self.leave(&mut state, core, reason);
                        break;
                    }
                }
            }
            for other in state.work.left_behind() {
                if let Some(interrupter) = &state.interrupters[other] {
                    interrupter.interrupt();
                }
            }
            self.changed.notify_all();
        }
        drop(desk);
        let mut state = self.lock();
        state.running -= 1;
        self.changed.notify_all();
    }

    /// A core goes home because its solver failed.
    fn leave(&self, state: &mut State<W>, core: usize, reason: Reason) {
        if state.ending.is_some() {
            return;
        }
        state.left -= 1;
        state.interrupters[core] = None;
        state
            .statistics
            .failures
            .push(format!("core {core}: {reason}"));
        if state.left == 0 {
            self.end(state, Ending::Stopped(reason));
        }
        self.changed.notify_all();
    }

    fn is_short_of_memory(&self) -> bool {
        match (self.setting.options.memory, memory::resident()) {
            (Some(limit), Some(used)) => used >= limit,
            _ => false,
        }
    }

    /// Waits for something to do; `None` when it is all over.
    fn next_job(&self, core: usize) -> Option<Job<W::Key>> {
        let mut state = self.lock();
        loop {
            if state.ending.is_some() {
                return None;
            }
            // Whoever comes while another works: the first of all questions has been
            // asked then, and is not answered at once.
            let is_late = self.start.elapsed() >= self.setting.options.patience;
            let is_alone = state.busy.iter().all(Option::is_none);
            if W::SIMPLIFIES && is_late && !is_alone && !state.has_simplified {
                state.has_simplified = true;
                state.is_simplifying = true;
                return Some(Job::Simplify);
            }
            let mut piece = state.work.take(core);
            let can_share = W::SHARES && self.setting.options.share_length > 0;
            if piece.is_none() && can_share && self.simplified.get().is_some() {
                piece = state.work.join(core);
            }
            if let Some(piece) = piece {
                state.busy[core] = Some(Instant::now());
                // What has no limit cannot be split any further.
                state.can_split[core] = piece.conflicts.is_some();
                state.is_asked[core] = false;
                if let Some(interrupter) = &state.interrupters[core] {
                    interrupter.clear();
                }
                return Some(Job::Solve(piece));
            }
            if is_alone {
                self.end(&mut state, Ending::Done);
                return None;
            }
            // Cores come back soon from simplifying, and others will join then.
            if W::CAN_SPLIT && !state.is_simplifying {
                ask_for_a_part(&mut state, self.setting.options.patience);
            }
            let wait = self.changed.wait_timeout(state, REST);
            state = wait.unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    /// If it fails or is stopped, all go on with the formula as it is.
    fn simplify(&self, core: usize) {
        let mut solver = self.new_solver(core, Duty::Simplify);
        self.register(core, solver.interrupter());
        let options = self.setting.options;
        let budget = Budget {
            deadline: options.deadline,
            memory: options.memory,
            ..Budget::default()
        };
        let result = catch_unwind(AssertUnwindSafe(|| {
            let setting = self.setting;
            Simplified::of(setting.problem, setting.keep, solver.as_mut(), &budget)
        }));
        let mut state = self.lock();
        state.is_simplifying = false;
        match result {
            Ok(Ok(Some(simplified))) => {
                // Nobody else has: this is done once.
                let _ = self.simplified.set(simplified);
                for interrupter in state.interrupters.iter().flatten() {
                    interrupter.interrupt();
                }
            }
            // The solver cannot do it; or a limit was reached, which the next question
            // will meet too.
            Ok(Ok(None) | Err(_)) => {}
            Err(panic) => {
                let failure = format!("core {core}, simplifying: {}", message(&*panic));
                state.statistics.failures.push(failure);
            }
        }
    }

    /// Lets others stop what a core does from now on.
    fn register(&self, core: usize, interrupter: Interrupter) {
        let mut state = self.lock();
        if state.ending.is_some() {
            interrupter.interrupt();
        }
        state.interrupters[core] = Some(interrupter);
    }

    fn new_solver(&self, core: usize, duty: Duty) -> Box<dyn SatSolver> {
        (self.setting.make)(Seat { core, duty })
    }

    fn new_desk(&self, core: usize) -> Desk {
        let simplified = self.simplified.get();
        let is_simplified = simplified.is_some();
        let mut solver = self.new_solver(
            core,
            match is_simplified {
                true => Duty::SearchSimplified,
                false => Duty::Search,
            },
        );
        match simplified {
            Some(simplified) => simplified.clauses.copy_to(&mut solver),
            None => self
                .setting
                .problem
                .copy_to(&mut solver, W::asserts_query(core)),
        }
        let cursor = self.exchange.cursor(core);
        let options = self.setting.options;
        if W::SHARES && options.cores > 1 && options.share_length > 0 {
            let longest = match is_simplified {
                true => options.share_length,
                false => options.share_length.min(LONGEST_KEPT),
            };
            if let Some(solver) = solver.sharing() {
                self.exchange.listen(core, longest, solver);
            }
        }
        let cursor = match (simplified, solver.sharing()) {
            (Some(simplified), Some(solver)) => {
                self.exchange.connect(cursor, &simplified.variables, solver);
                None
            }
            _ => Some(cursor),
        };
        self.register(core, solver.interrupter());
        // Whoever called this core meanwhile was not heard.
        let state = self.lock();
        let is_called = state.is_asked[core] || state.work.left_behind().contains(&core);
        if is_called || is_simplified != self.simplified.get().is_some() {
            solver.interrupter().interrupt();
        }
        drop(state);
        Desk {
            solver,
            cursor,
            is_simplified,
        }
    }

    /// A solver with clauses that hold for one piece only. Others must not hear what
    /// it learns.
    fn solver_aside(&self, core: usize, units: &[Literal]) -> Box<dyn SatSolver> {
        let mut solver = self.new_solver(core, Duty::Search);
        self.setting
            .problem
            .copy_to(&mut solver, W::asserts_query(core));
        for unit in units {
            solver.add_clause(&[*unit]);
        }
        self.register(core, solver.interrupter());
        solver
    }

    /// One call. The error is what the core cannot go on from.
    fn solve(&self, core: usize, desk: &mut Desk, piece: &Piece<W::Key>) -> Result<Answer, Reason> {
        let options = self.setting.options;
        let mut aside;
        let (solver, assumptions): (&mut dyn SatSolver, &[Literal]) = match piece.is_asserted {
            true => {
                aside = self.solver_aside(core, &piece.assumptions);
                (aside.as_mut(), &[])
            }
            false => (desk.solver.as_mut(), &piece.assumptions),
        };
        let simplified = self.simplified.get().filter(|_| desk.is_simplified);
        if let Some(cursor) = &mut desk.cursor
            && !piece.is_asserted
        {
            self.exchange.deliver(cursor, solver);
        }
        // A time that no clock can show is no limit.
        let own_end = (piece.time).and_then(|time| Instant::now().checked_add(time));
        let deadline = match (own_end, options.deadline) {
            (Some(own), Some(all)) => Some(own.min(all)),
            (own, all) => own.or(all),
        };
        let budget = Budget {
            conflicts: piece.conflicts,
            deadline,
            memory: options.memory,
            ..Budget::default()
        };
        let before = solver.statistics().conflicts.unwrap_or(0);
        let outcome = solver.solve(assumptions, &budget);
        let conflicts = solver.statistics().conflicts.unwrap_or(0) - before;
        let is_violation = outcome == solve::Outcome::Satisfiable
            && (W::asserts_query(core) || piece.assumptions.contains(&self.setting.problem.query));
        let model = is_violation.then(|| self.model(core, solver, simplified));
        let blamed = match piece.is_asserted {
            true => piece.assumptions.clone(),
            false => solver.failed().to_vec(),
        };
        if piece.is_asserted {
            self.register(core, desk.solver.interrupter());
        }
        let mut state = self.lock();
        state.statistics.calls += 1;
        state.statistics.conflicts += conflicts;
        match outcome {
            solve::Outcome::Unsatisfiable => {
                drop(state);
                self.tell_reason(core, &blamed, desk.solver.as_mut());
                Ok(Answer::Closed(blamed))
            }
            solve::Outcome::Satisfiable => match model {
                None => Ok(Answer::Possible),
                Some(model) => {
                    self.end(&mut state, Ending::Found(model?));
                    Ok(Answer::Open(Early::Called))
                }
            },
            solve::Outcome::Unknown(reason) => match reason {
                Reason::Interrupted if state.is_asked[core] => Ok(Answer::Open(Early::Wanted)),
                Reason::Interrupted => Ok(Answer::Open(Early::Called)),
                Reason::Conflicts | Reason::Decisions => Ok(Answer::Open(Early::Limit)),
                Reason::Deadline => {
                    let now = Instant::now();
                    if options.deadline.is_some_and(|deadline| now >= deadline) {
                        self.end(&mut state, Ending::Stopped(Reason::Deadline));
                    }
                    Ok(Answer::Open(Early::Limit))
                }
                reason => Err(reason),
            },
        }
    }

    /// That not all of these assumptions can hold follows from the clauses.
    fn tell_reason(&self, core: usize, blamed: &[Literal], solver: &mut dyn SatSolver) {
        if blamed.len() <= LONGEST_REASON {
            let clause: Vec<Literal> = blamed.iter().map(|literal| !*literal).collect();
            solver.add_clause(&clause);
            self.exchange.publish(core, &clause);
        }
    }

    fn model(
        &self,
        core: usize,
        solver: &dyn SatSolver,
        simplified: Option<&Simplified>,
    ) -> Result<Model, Reason> {
        let problem = self.setting.problem;
        match simplified {
            Some(simplified) => {
                let other = self.new_solver(core, Duty::Simplify);
                simplified.complete(problem, other, |literal| solver.value(literal))
            }
            None => Model::of(&problem.clauses, solver),
        }
    }
}

/// Interrupts the core that has been at its piece for longest, so that the piece
/// is split.
fn ask_for_a_part<W>(state: &mut State<W>, patience: Duration) {
    let busy = state.busy.iter().enumerate();
    let longest = busy
        .filter_map(|(core, since)| Some(((*since)?, core)))
        .filter(|(_, core)| state.can_split[*core] && !state.is_asked[*core])
        .filter(|(since, _)| since.elapsed() >= patience)
        .min();
    if let Some((_, core)) = longest
        && let Some(interrupter) = &state.interrupters[core]
    {
        interrupter.interrupt();
        state.is_asked[core] = true;
    }
}

fn message(panic: &(dyn std::any::Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
    let text = text.or_else(|| panic.downcast_ref::<String>().cloned());
    format!("a panic: {}", text.unwrap_or_default())
}
