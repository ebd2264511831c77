//! The encoding by contexts: a bounded number of switches between threads.
//!
//! A *context* is a run of positions of one thread without a switch. The code
//! of each thread is encoded once; only the memory has a copy for each context,
//! its value when the context starts. A read sees what the thread itself saw or
//! wrote last if it was not switched out since, and else the copy of the context
//! that the position is in. So the size is that of the code plus the number of
//! accesses times the number of contexts.
//!
//! A thread may stop anywhere: runs that go on no further are included, and so
//! are runs with fewer contexts. Nothing here chooses a schedule or a query:
//! that is done by assuming literals, see [`Encoding`].

mod deadlocks;
mod ends;
mod finale;
mod memory;
mod model;
mod normal_forms;
mod races;
mod schedule;

use formula::{Blaster, ClauseSink, Lit, Literal, Polarity, Room, TermId};
use unfold::{Check, Moment, ThreadId, Threads};

use crate::NormalForms;
use deadlocks::Deadlocks;
use ends::Ends;
use memory::{Memory, Views};
pub use model::{Context, Found, Model, Race, Site, Standing};
use races::Races;
use schedule::{Schedule, last};

#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// How many there may be; main has the first.
    pub contexts: usize,
    /// Whether the threads take turns in the order of their ids. Otherwise each
    /// context may belong to any thread but that of the context before.
    pub round_robin: bool,
    /// Not kept to if races are looked for: what comes last would not be free.
    pub normal_forms: NormalForms,
    pub goals: Goals,
    pub formula: formula::Options,
}

/// What to look for besides [`Threads::violations`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Goals {
    pub races: bool,
    pub deadlocks: bool,
    /// Threads that wait for each other are a deadlock, whatever the others do.
    pub cycles: bool,
}

impl Options {
    pub fn new(contexts: usize) -> Options {
        Options {
            contexts,
            round_robin: false,
            normal_forms: NormalForms::default(),
            goals: Goals::default(),
            formula: formula::Options::default(),
        }
    }
}

/// The formula of one bounded program, and names for its literals.
///
/// What was written to the sink says which runs there are. Literals are those
/// of the sink, meant as assumptions or for further clauses. To look for a
/// violation, assume or assert [`Encoding::any_violation`].
///
/// Asking for a literal may write clauses, always to the sink that was there
/// from the beginning.
pub struct Encoding {
    blaster: Blaster,
    schedule: Schedule,
    memory: Memory,
    violations: Vec<Lit>,
    /// By violation: it is not looked for any more.
    is_forbidden: Vec<bool>,
    ends: Ends,
    races: Option<Races>,
    deadlocks: Option<Deadlocks>,
}

/// Writes the formula. `keep_going` is asked now and then, and `room` also while
/// a single large value is written; if one of them says no, the formula is
/// incomplete and the result is `None`.
///
/// # Panics
/// If there is no thread or no context.
pub fn encode(
    threads: &Threads,
    options: &Options,
    sink: &mut impl ClauseSink,
    keep_going: &mut dyn FnMut() -> bool,
    room: Option<Room>,
) -> Option<Encoding> {
    let mut blaster = Blaster::new(options.formula);
    blaster.gates.limit(room);
    let schedule = Schedule::new(threads, options, &mut blaster, sink);
    let narrowing = options.formula.narrowing;
    let goals = options.goals;
    let reads_at_end = goals.races || goals.deadlocks;
    let memory = Memory::new(threads, &schedule, narrowing, reads_at_end, &mut blaster);
    let mut encoding = Encoding {
        blaster,
        schedule,
        memory,
        violations: Vec::new(),
        is_forbidden: Vec::new(),
        ends: Ends::new(),
        races: None,
        deadlocks: None,
    };
    // Creators come first, so what is handed to a thread is known by then.
    for thread in threads.threads.keys() {
        encoding.code(threads, thread, keep_going)?;
    }
    for thread in threads.threads.keys() {
        encoding.rules(threads, thread, sink, keep_going)?;
    }
    encoding.ends(threads, goals, sink);
    encoding.moments(threads, sink, keep_going)?;
    let (schedule, blaster) = (&encoding.schedule, &mut encoding.blaster);
    let forms = match goals.races {
        true => NormalForms::default(),
        false => options.normal_forms,
    };
    let memory = &mut encoding.memory;
    normal_forms::insist(threads, schedule, memory, forms, blaster, sink, keep_going)?;
    encoding.settle(sink, keep_going)?;
    // What is asked for later is small.
    encoding.blaster.gates.limit(None);
    (!encoding.blaster.gates.is_full()).then_some(encoding)
}

impl Encoding {
    /// How many contexts there are.
    pub fn contexts(&self) -> usize {
        self.schedule.contexts
    }

    /// The context belongs to the thread.
    pub fn run(&mut self, context: usize, thread: ThreadId, sink: &mut impl ClauseSink) -> Literal {
        let lit = self.schedule.threads[thread].run[context];
        self.literal(lit, Polarity::Both, sink)
    }

    /// The position is passed, and in the same context as the one before.
    pub fn stay(
        &mut self,
        thread: ThreadId,
        position: usize,
        sink: &mut impl ClauseSink,
    ) -> Literal {
        let lit = match position.checked_sub(1) {
            Some(before) => (self.memory).together(thread, before, position, &mut self.blaster),
            None => Lit::FALSE,
        };
        self.literal(lit, Polarity::Both, sink)
    }

    /// The position is behind the thread when the context ends.
    pub fn done(
        &mut self,
        thread: ThreadId,
        position: usize,
        context: usize,
        sink: &mut impl ClauseSink,
    ) -> Literal {
        let lit = self.schedule.threads[thread].done[position][context];
        self.literal(lit, Polarity::Both, sink)
    }

    /// No position is passed in this context and in those after it. Only for
    /// assumptions: its negation says nothing. There is one for the number of
    /// contexts too, which is true.
    pub fn unused_from(&mut self, context: usize, sink: &mut impl ClauseSink) -> Literal {
        let lit = self.schedule.unused_from[context];
        self.literal(lit, Polarity::Positive, sink)
    }

    /// Some violation happens. Its negation says nothing.
    pub fn any_violation(&mut self, sink: &mut impl ClauseSink) -> Literal {
        let violations = self.violations.iter().zip(&self.is_forbidden);
        let mut all: Vec<Lit> = violations
            .filter(|(_, is_forbidden)| !**is_forbidden)
            .map(|(violation, _)| *violation)
            .collect();
        all.extend(self.deadlocks.as_ref().map(|deadlocks| deadlocks.found));
        let gates = &mut self.blaster.gates;
        let mut lit = gates.any(&all);
        if let Some(races) = &self.races {
            lit = gates.ite(races.is_sought, races.found, lit);
        }
        self.literal(lit, Polarity::Positive, sink)
    }

    /// The question for any violation in two parts: whether an assertion fails in a run
    /// in which nothing else goes wrong, and whether anything else does. Whatever goes
    /// wrong is found by one of them; a run with both is found by the second. The
    /// negations say nothing. Not for races, which are looked for on their own.
    ///
    /// This is for solvers: a failing assertion is harder to find in one question
    /// together with thousands of accesses that might be wrong as well.
    ///
    /// # Panics
    /// If races are looked for.
    pub fn violation_by_kind(
        &mut self,
        threads: &Threads,
        sink: &mut impl ClauseSink,
    ) -> [Literal; 2] {
        assert!(
            self.races.is_none(),
            "races should be looked for as a whole"
        );
        let (mut assertions, mut others) = (Vec::new(), Vec::new());
        for (index, violation) in threads.violations.iter().enumerate() {
            match violation.check {
                _ if self.is_forbidden[index] => {}
                Check::Assert => assertions.push(self.violations[index]),
                _ => others.push(self.violations[index]),
            }
        }
        let gates = &mut self.blaster.gates;
        let goes_wrong = gates.any(&others);
        let fails = gates.any(&assertions);
        let only_fails = gates.and(fails, !goes_wrong);
        others.extend(self.deadlocks.as_ref().map(|deadlocks| deadlocks.found));
        let goes_wrong_otherwise = gates.any(&others);
        let parts = [only_fails, goes_wrong_otherwise];
        parts.map(|lit| self.literal(lit, Polarity::Positive, sink))
    }

    /// Does not look for something any more. Ask for [`Encoding::any_violation`]
    /// anew after that.
    pub fn forbid(&mut self, threads: &Threads, site: &Site, sink: &mut impl ClauseSink) {
        let blaster = &mut self.blaster;
        match site {
            Site::Moment(check, place) => {
                for (index, violation) in threads.violations.iter().enumerate() {
                    if (violation.check, violation.place) != (*check, *place) {
                        continue;
                    }
                    self.is_forbidden[index] = true;
                    // The run would have been over, but for some kinds.
                    if *check != Check::Overflow {
                        let mut clause = vec![!self.violations[index]];
                        if let Some(races) = &self.races {
                            let moment = &violation.moment;
                            clause.push(races.is_after_all(&self.ends, moment, blaster));
                        }
                        blaster.add_clause(&clause, sink);
                    }
                }
            }
            Site::Race(one, two) => {
                if let Some(races) = &self.races {
                    let is_between = races.is_between(*one, *two, blaster);
                    blaster.add_clause(&[!is_between], sink);
                }
            }
            Site::Deadlock(places) => {
                if let Some(deadlocks) = &self.deadlocks {
                    let waits: Vec<Lit> = (places.iter())
                        .map(|place| deadlocks.waits_at(*place, blaster))
                        .collect();
                    let together = blaster.gates.all(&waits);
                    blaster.add_clause(&[!together], sink);
                }
            }
        }
        let settled = self.settle(sink, &mut || true);
        settled.expect("nobody interrupts");
    }

    /// A violation happens, by its index in [`Threads::violations`]. The
    /// negation says that it does not.
    pub fn violation(&mut self, index: usize, sink: &mut impl ClauseSink) -> Literal {
        self.literal(self.violations[index], Polarity::Both, sink)
    }

    /// One of these moments happens. The negation says nothing.
    pub fn any_moment(
        &mut self,
        threads: &Threads,
        moments: &[Moment],
        sink: &mut impl ClauseSink,
    ) -> Literal {
        let happen: Vec<Lit> = (moments.iter())
            .map(|moment| self.happens(threads, moment))
            .collect();
        let lit = self.blaster.gates.any(&happen);
        self.literal(lit, Polarity::Positive, sink)
    }

    /// What a solver found, given the values of literals. Those that the solver
    /// does not tell may be anything.
    pub fn model(&self, threads: &Threads, value: impl Fn(Literal) -> Option<bool>) -> Model {
        model::read(self, threads, value)
    }

    fn literal(&mut self, lit: Lit, polarity: Polarity, sink: &mut impl ClauseSink) -> Literal {
        let blaster = &mut self.blaster;
        // Most literals of a schedule are inputs that the solver knows already.
        if blaster.gates.is_input(lit)
            && let Some(literal) = blaster.cnf.known_literal(lit)
        {
            return literal;
        }
        let literal = blaster.cnf.literal(&blaster.gates, lit, polarity, sink);
        let settled = self.settle(sink, &mut || true);
        settled.expect("nobody interrupts");
        literal
    }

    fn settle(
        &mut self,
        sink: &mut impl ClauseSink,
        keep_going: &mut dyn FnMut() -> bool,
    ) -> Option<()> {
        let (schedule, blaster) = (&self.schedule, &mut self.blaster);
        self.memory.settle(schedule, blaster, sink, keep_going)
    }

    /// What there is to look for in the end of a run.
    fn ends(&mut self, threads: &Threads, goals: Goals, sink: &mut impl ClauseSink) {
        if !goals.races && !goals.deadlocks {
            return;
        }
        let blaster = &mut self.blaster;
        self.ends = ends::find(threads, &self.schedule, blaster);
        if goals.races {
            let races = Races::new(threads, &self.schedule, &self.ends, blaster, sink);
            self.races = Some(races);
        }
        if goals.deadlocks {
            let deadlocks = Deadlocks::new(threads, &self.ends, goals.cycles, blaster, sink);
            self.deadlocks = Some(deadlocks);
        }
    }

    /// Gives meaning to what a thread reads, and notes what it writes.
    fn code(
        &mut self,
        threads: &Threads,
        thread: ThreadId,
        keep_going: &mut dyn FnMut() -> bool,
    ) -> Option<()> {
        let mut views = Views::default();
        for (index, position) in threads.threads[thread].positions.iter().enumerate() {
            if !keep_going() {
                return None;
            }
            for access in &position.accesses {
                let here = (thread, index);
                let (schedule, blaster) = (&self.schedule, &mut self.blaster);
                let memory = &mut self.memory;
                memory.access(threads, schedule, here, *access, &mut views, blaster);
            }
        }
        Some(())
    }

    /// What must hold for a thread to get past its positions.
    fn rules(
        &mut self,
        threads: &Threads,
        thread: ThreadId,
        sink: &mut impl ClauseSink,
        keep_going: &mut dyn FnMut() -> bool,
    ) -> Option<()> {
        if !threads.threads[thread].positions.is_empty() {
            self.creation(threads, thread, sink);
        }
        for (index, position) in threads.threads[thread].positions.iter().enumerate() {
            if !keep_going() {
                return None;
            }
            for (condition, other) in &position.joins {
                let condition = self.blaster.literal(&threads.terms, *condition);
                self.join(threads, (thread, index), condition, *other, sink);
            }
            let passed = self.schedule.threads[thread].is_passed(index);
            for required in &position.requires {
                let guard = self.blaster.literal(&threads.terms, position.guard);
                let required = self.blaster.literal(&threads.terms, *required);
                let clause = [!passed, !guard, required];
                self.blaster.add_clause(&clause, sink);
            }
        }
        Some(())
    }

    /// A thread starts only when it has been created. That was in an earlier
    /// context, since creators do not create themselves.
    fn creation(&mut self, threads: &Threads, thread: ThreadId, sink: &mut impl ClauseSink) {
        let Some(creation) = threads.threads[thread].creation else {
            return;
        };
        let first = self.schedule.threads[thread].done[0].clone();
        let created = self.schedule.threads[creation.thread].done[creation.position].clone();
        let quiet = threads.threads[thread].quiet_before;
        if quiet > 0 {
            for (passed, created) in first.iter().zip(&created) {
                self.blaster.add_clause(&[!*passed, *created], sink);
            }
        }
        // What takes a turn has to wait for it.
        let positions = threads.threads[thread].positions[..quiet].iter();
        for (index, position) in positions.enumerate() {
            let guard = self.blaster.literal(&threads.terms, position.guard);
            let own = self.blaster.literal(&threads.terms, position.own);
            let schedule = &self.schedule.threads[thread];
            for (at, run) in schedule.at[index].iter().zip(&schedule.run) {
                self.blaster.add_clause(&[!*at, *run, !guard, own], sink);
            }
        }
        if let Some(first) = self.schedule.threads[thread].done.get(quiet).cloned() {
            self.only_after(&first, None, &created, sink);
        }
        let condition = self.blaster.literal(&threads.terms, creation.condition);
        let clause = [!last(&first), condition];
        self.blaster.add_clause(&clause, sink);
    }

    fn join(
        &mut self,
        threads: &Threads,
        (thread, position): (ThreadId, usize),
        condition: Lit,
        other: ThreadId,
        sink: &mut impl ClauseSink,
    ) {
        let passed = self.schedule.threads[thread].done[position].clone();
        let ended = self.schedule.threads[other].done.last().cloned();
        if !threads.threads[other].can_end {
            let clause = [!last(&passed), !condition];
            self.blaster.add_clause(&clause, sink);
        } else if let Some(ended) = ended {
            self.only_after(&passed, Some(condition), &ended, sink);
        } else if let Some(creation) = threads.threads[other].creation {
            // A thread that does nothing has ended as soon as it exists.
            if creation.thread == thread && creation.position >= position {
                let clause = [!last(&passed), !condition];
                self.blaster.add_clause(&clause, sink);
            } else if creation.thread != thread {
                let creator = &self.schedule.threads[creation.thread];
                let created = creator.done[creation.position].clone();
                self.only_after(&passed, Some(condition), &created, sink);
            }
            let exists = self.blaster.literal(&threads.terms, creation.condition);
            let clause = [!last(&passed), !condition, exists];
            self.blaster.add_clause(&clause, sink);
        }
    }

    /// If the condition holds, `later` holds only from the context after that
    /// in which `earlier` began to hold.
    fn only_after(
        &mut self,
        later: &[Lit],
        condition: Option<Lit>,
        earlier: &[Lit],
        sink: &mut impl ClauseSink,
    ) {
        let condition = condition.unwrap_or(Lit::TRUE);
        let mut before = (Lit::FALSE, Lit::FALSE);
        for (later, earlier) in later.iter().zip(earlier) {
            // A context of somebody else adds nothing.
            if *later != before.0 {
                let clause = [!*later, !condition, before.1];
                self.blaster.add_clause(&clause, sink);
            }
            before = (*later, *earlier);
        }
    }

    fn moments(
        &mut self,
        threads: &Threads,
        sink: &mut impl ClauseSink,
        keep_going: &mut dyn FnMut() -> bool,
    ) -> Option<()> {
        for thread in threads.threads.keys() {
            self.skips(threads, thread, sink);
        }
        for moment in &threads.stuck {
            let schedule = &self.schedule.threads[moment.thread];
            if moment.after < schedule.done.len() {
                let passed = schedule.is_passed(moment.after);
                let condition = self.blaster.literal(&threads.terms, moment.condition);
                self.blaster.add_clause(&[!passed, !condition], sink);
            }
        }
        for moment in &threads.excluded {
            if !keep_going() {
                return None;
            }
            let happens = self.happens(threads, moment);
            let mut clause = vec![!happens];
            if let Some(races) = &self.races {
                clause.push(races.is_after_all(&self.ends, moment, &mut self.blaster));
            }
            self.blaster.add_clause(&clause, sink);
        }
        // Whoever asks for less gets less: only what is asked for is written.
        for violation in &threads.violations {
            if !keep_going() {
                return None;
            }
            let happens = self.happens(threads, &violation.moment);
            self.violations.push(happens);
            self.is_forbidden.push(false);
        }
        Some(())
    }

    /// Positions that a path does not lead through keep no thread waiting.
    fn skips(&mut self, threads: &Threads, thread: ThreadId, sink: &mut impl ClauseSink) {
        let data = &threads.threads[thread];
        for index in 1..data.skips_before {
            let guard = data.positions[index].guard;
            let is_here = |moment: &&Moment| (moment.thread, moment.after) == (thread, index);
            let stays = (threads.stuck.iter().filter(is_here)).map(|moment| moment.condition);
            let mut clause: Vec<Lit> = (stays.chain([guard]))
                .map(|condition| self.blaster.literal(&threads.terms, condition))
                .collect();
            let done = &self.schedule.threads[thread].done;
            let steps: Vec<(Lit, Lit)> = (done[index - 1].iter().copied())
                .zip(done[index].iter().copied())
                .collect();
            for (before, now) in steps {
                clause.extend([!before, now]);
                self.blaster.add_clause(&clause, sink);
                clause.truncate(clause.len() - 2);
            }
        }
    }

    /// Whether a moment is reached and its condition holds.
    fn happens(&mut self, threads: &Threads, moment: &Moment) -> Lit {
        let condition = self.blaster.literal(&threads.terms, moment.condition);
        let mut all = vec![condition];
        let thread = &threads.threads[moment.thread];
        if let Some(creation) = thread.creation {
            // Positions that the thread's path does not lead through keep nobody
            // from what lies behind them, even if the thread never has a turn.
            let before = &thread.positions[..moment.after];
            let mut reached = Vec::new();
            if let Some(last) = moment.after.checked_sub(1) {
                reached.push(self.schedule.threads[moment.thread].is_passed(last));
            }
            let is_sure = |guard: TermId| threads.terms.as_bool(guard) == Some(true);
            if !before.iter().any(|position| is_sure(position.guard)) {
                let creator = &self.schedule.threads[creation.thread];
                let mut made = vec![creator.is_passed(creation.position)];
                made.push(self.blaster.literal(&threads.terms, creation.condition));
                for position in before {
                    made.push(!self.blaster.literal(&threads.terms, position.guard));
                }
                reached.push(self.blaster.gates.all(&made));
            }
            all.push(self.blaster.gates.any(&reached));
        } else if let Some(last) = moment.after.checked_sub(1) {
            all.push(self.schedule.threads[moment.thread].is_passed(last));
        }
        self.blaster.gates.all(&all)
    }
}
