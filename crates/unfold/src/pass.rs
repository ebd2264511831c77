//! One pass over all threads: its rooms, what a path knows, and the few primitives
//! with which everything else adds to them.

use crate::address_reuse::AddressReuse;
use crate::arguments::OpenArguments;
use crate::block_order::BlockOrder;
use crate::block_order::BlockOrders;
use crate::checks::Check;
use crate::compute::guards;
use crate::facts::Facts;
use crate::facts::objects::{FrameId, Instance, ObjectId};
use crate::findings::Findings;
use crate::interruptions::Interruption;
use crate::learn::{self, Bounds};
use crate::locksets::Held;
use crate::memory::{Ground, Memory};
use crate::models::ModelState;
use crate::models::jumps::JumpsUnderWay;
use crate::published::Published;
use crate::races::Races;
use crate::shadows;
use crate::shadows::ShadowNotes;
use crate::tables::Tables;
use crate::threads::{
    Creation, Moment, Place, Position, Sighting, Step, Strength, Thread, ThreadId, Violation,
};
use crate::under_way::{Patience, Prologue, ThreadsUnderWay, Whereabouts};
use crate::unfolding::Standing;
use crate::unnoticed_steps::UnnoticedStep;
use crate::unwritten::Unwritten;
use crate::values::Values;
use crate::variables::OpenVariable;
use crate::{Error, Options};
use analysis::Spinning;
use analysis::{Landmark, LoopId, Site};
use formula::{TermId, Terms};
use ir::{BlockId, Body, FunctionId, InstId, Location, Program, ValueId};
use std::collections::{BTreeMap, HashMap};
use std::rc::Rc;

/// As many as a run can have.
const MAX_THREADS: usize = 4000;

/// A value in a register.
#[derive(Clone, PartialEq)]
pub(crate) enum Value {
    Term(TermId),
    /// A word and the bits of it that were never written; only if that is looked
    /// for, and if there may be some.
    Partly(TermId, TermId),
    Tuple(Rc<[Value]>),
}

/// What is known at a point on a path: everything that branches copy and joins
/// merge.
#[derive(Clone)]
pub(crate) struct State {
    /// When the path is taken.
    pub guard: TermId,
    /// Nothing went wrong since the last position: no assumption failed, no
    /// assertion, nothing undefined.
    pub ok: TermId,
    /// How many positions come before.
    pub after: usize,
    /// The last step on each of the paths that were joined since the last position
    /// that all of them lead through, in order.
    pub last_steps: Vec<LastStep>,
    pub memory: Memory,
    pub unwritten: Unwritten,
    pub published: Published,
    /// Values of the function at hand that cross blocks.
    pub registers: Rc<BTreeMap<ValueId, Value>>,
    /// The position of the atomic section the path is in, and how deep.
    pub atomic: Option<(usize, u32)>,
    pub iterations: Rc<[u32]>,
    pub bounds: Bounds,
    /// The last thing on each path since the last position that looks like a step
    /// to others, although it concerns nobody else.
    pub unnoticed: Vec<UnnoticedStep>,
    /// Locks that the thread holds for certain.
    pub held: Held,
    /// Places of clean-up handlers, the last one first to run.
    pub cleanups: Rc<[usize]>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct LastStep {
    /// How many positions come before, its own included.
    pub after: usize,
    /// Nothing went wrong between it and the last position, which the path need
    /// not lead through.
    pub ok: TermId,
}

/// A function being executed.
pub(crate) struct Frame {
    pub id: FrameId,
    pub function: FunctionId,
    pub order: Rc<BlockOrder>,
    /// The guard with which the function was entered.
    pub entry: TermId,
    /// Values of the block at hand.
    pub scratch: HashMap<ValueId, Value>,
    pub arguments: Vec<Value>,
    /// Arguments beyond the named ones, with their sizes in bytes.
    pub variadic: Rc<[(TermId, u64)]>,
    pub locals: Vec<ObjectId>,
    /// Loops whose iterations are counted by constants.
    pub progress: HashMap<LoopId, Progress>,
    /// No other path than the one at hand exists, in this function or its callers.
    pub is_only_path: bool,
    pub caller_is_only_path: bool,
    pub block: BlockId,
    pub inst: InstId,
    pub execution: usize,
    /// Places to which jumps may go back.
    pub places: Vec<usize>,
    /// The instruction that has called the function.
    pub called_at: Option<Site>,
}

#[derive(Default)]
pub(crate) struct Progress {
    pub operands: Option<(TermId, TermId)>,
    /// The iteration in which the operands last changed.
    pub moved_in: Vec<u32>,
}

/// An instruction, or the return from a function, that a replay may have to count.
#[derive(Clone, Copy, Debug)]
pub struct Execution {
    pub function: FunctionId,
    /// None for the return.
    pub inst: Option<InstId>,
    pub guard: TermId,
}

/// A value that the run must be given, as a term over the model.
#[derive(Clone, Copy, Debug)]
pub struct Input {
    pub execution: usize,
    pub index: u32,
    pub value: TermId,
}

/// What happens in a thread, in program order, for whoever replays it.
#[derive(Clone, Debug, Default)]
pub struct Trail {
    pub executions: Vec<Execution>,
    /// By position: the execution it belongs to.
    pub positions: Vec<usize>,
    pub inputs: Vec<Input>,
    /// Allocations that may get an address that others had before.
    pub reuses: Vec<AddressReuse>,
    /// Weak compare-exchanges, by execution, and when they fail although they could
    /// succeed.
    pub failures: Vec<(usize, TermId)>,
    pub interruptions: Vec<Interruption>,
}

/// A thread that waits to be executed.
pub(crate) struct Start {
    pub thread: ThreadId,
    pub function: FunctionId,
    pub arguments: Vec<Value>,
    pub creation: Option<Creation>,
    pub guard: TermId,
    pub memory: Memory,
    /// Signals that it has blocked from the start.
    pub blocked: TermId,
}

/// A thread executed, or being executed.
pub(crate) struct Work {
    pub thread: Thread,
    pub trail: Trail,
    /// Paths on which the thread has ended, each with its result.
    pub ended: Vec<(State, TermId)>,
    pub jumps: JumpsUnderWay,
}

/// One pass over all threads: its rooms. Whoever needs only one or two of them should
/// ask for these, not for the pass.
pub(crate) struct Pass<'p> {
    pub program: &'p Program,
    pub options: &'p Options,
    pub block_orders: &'p mut BlockOrders,
    /// Loops that only wait, if that matters.
    pub spinning: &'p Spinning,
    /// What earlier passes have found out, and what this one adds.
    pub facts: &'p mut Facts,
    pub terms: Terms,
    /// What terms can mean, as addresses and numbers.
    pub values: Values,
    /// What there is one of for each object.
    pub tables: Tables,
    pub threads: ThreadsUnderWay,
    pub whereabouts: Whereabouts,
    pub prologue: Prologue,
    pub open_arguments: Option<OpenArguments>,
    pub open_variables: Vec<OpenVariable>,
    /// What the models of library functions remember.
    pub models: ModelState,
    pub races: Races,
    pub shadows: ShadowNotes,
    pub findings: Findings,
    pub patience: Patience<'p>,
}

/// What becomes of a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Flow {
    Next,
    Dead,
}

impl ThreadsUnderWay {
    pub(crate) fn push_execution(&mut self, execution: Execution) -> usize {
        let executions = &mut self.work().trail.executions;
        executions.push(execution);
        executions.len() - 1
    }

    pub(crate) fn note_input(&mut self, frame: &Frame, value: TermId) {
        let execution = frame.execution;
        let inputs = &mut self.work().trail.inputs;
        let index = inputs
            .iter()
            .rev()
            .take_while(|input| input.execution == execution)
            .count();
        inputs.push(Input {
            execution,
            index: index as u32,
            value,
        });
    }

    /// Notes an instruction for the replay, and where inputs belong.
    pub(crate) fn count_execution(&mut self, frame: &mut Frame, state: &State) {
        frame.execution = self.push_execution(Execution {
            function: frame.function,
            inst: Some(frame.inst),
            guard: state.guard,
        });
    }
}

impl<'p> Pass<'p> {
    /// What reading memory needs besides the memory itself.
    pub(crate) fn ground(&mut self) -> Ground<'_> {
        Ground {
            terms: &mut self.terms,
            objects: &self.facts.objects,
            fresh: &mut self.tables.fresh,
        }
    }

    pub(crate) fn body(&self, function: FunctionId) -> Option<&'p Body> {
        self.program.functions[function].body.as_ref()
    }

    pub(crate) fn block_order(&mut self, function: FunctionId, body: &Body) -> Rc<BlockOrder> {
        self.block_orders.get(function, body)
    }

    pub(crate) fn location(&self, frame: &Frame) -> Option<Location> {
        let site = self.site(frame);
        let body = self.body(site.function)?;
        body.insts.get(site.inst)?.location
    }

    /// The instruction that a function is at; a relay is where it was called from.
    pub(crate) fn site(&self, frame: &Frame) -> Site {
        let (function, inst) = (frame.function, frame.inst);
        let data = self.body(function).and_then(|body| body.insts.get(inst));
        let is_known = data.is_some_and(|data| data.location.is_some());
        let here = Site { function, inst };
        frame.called_at.filter(|_| !is_known).unwrap_or(here)
    }

    pub(crate) fn unsupported(&self, frame: &Frame, what: impl Into<String>) -> Error {
        Error::Unsupported {
            what: what.into(),
            location: self.location(frame),
        }
    }

    /// Addresses must tell all objects apart.
    pub(crate) fn check_numbers(&self) -> Result<(), Error> {
        match self.facts.objects.has_run_out() {
            false => Ok(()),
            true => Err(Error::Unsupported {
                what: "a program with more objects than its addresses can tell apart".to_owned(),
                location: None,
            }),
        }
    }

    /// Asked often, answers rarely: whether there is still time and memory.
    pub(crate) fn tick(&mut self) -> Result<(), Error> {
        self.check_arrays()?;
        self.check_shadows()?;
        self.check_numbers()?;
        self.patience.check(&Standing {
            terms: self.terms.len(),
            site: self.whereabouts.site(),
        })
    }

    pub(crate) fn work(&mut self) -> &mut Work {
        self.threads.work()
    }

    pub(crate) fn instance(&self, frame: &Frame, state: &State, index: u32) -> Instance {
        Instance {
            frame: frame.id,
            inst: frame.inst,
            iterations: state.iterations.clone(),
            index,
        }
    }

    // Moments.

    fn moment(&mut self, state: &State, condition: TermId) -> Moment {
        let condition = self.terms.all(&[state.guard, state.ok, condition]);
        Moment {
            is_within: state.atomic.is_some(),
            thread: self.threads.current(),
            after: state.after,
            condition,
        }
    }

    /// Something is wrong where the condition holds. If that is looked for, the run
    /// is over; otherwise the thread cannot go on.
    pub(crate) fn violate(&mut self, state: &mut State, check: Check, condition: TermId) -> Flow {
        if !self.options.checks.has(check) {
            return self.stop(state, condition);
        }
        self.notice(state, check, condition);
        match self.terms.as_bool(condition) {
            Some(true) => {
                self.halt(state, state.after + 1);
                Flow::Dead
            }
            _ => Flow::Next,
        }
    }

    /// The same for what is looked for and would not keep a thread from going on.
    pub(crate) fn notice(&mut self, state: &mut State, check: Check, condition: TermId) {
        let moment = self.moment(state, condition);
        if self.terms.as_bool(moment.condition) != Some(false) {
            let (function, inst) = self.whereabouts.site();
            let place = Place::Inst(function, inst);
            self.findings.note_violation(Violation {
                moment,
                check,
                place,
            });
        }
        // A run that ends like this must not be excluded for what comes right after.
        let fine = self.terms.not(condition);
        state.ok = self.terms.and(state.ok, fine);
    }

    /// The run ends at a bound. Others may have gone on before, if only because
    /// the thread had steps to take up to here.
    pub(crate) fn cut(&mut self, state: &mut State) {
        let always = self.truth();
        if self.options.checks.has(Check::Unwind) {
            self.violate(state, Check::Unwind, always);
            return;
        }
        self.make_unnoticed_positions(state);
        let from = self.exclude(state, always);
        self.findings.blame_bounds(from);
    }

    /// What comes from here on, others show as well.
    pub(crate) fn leave_out(&mut self, state: &mut State) {
        let always = self.truth();
        self.make_unnoticed_positions(state);
        self.exclude(state, always);
    }

    /// No run within the bounds goes on where the condition holds. Returns how many
    /// moments were excluded before.
    pub(crate) fn exclude(&mut self, state: &mut State, condition: TermId) -> usize {
        let moments = self.moments(state, condition);
        let before = self.findings.exclude(moments);
        self.forgo(state, condition, state.after);
        before
    }

    /// A run comes by a point, if somebody wants to know.
    pub(crate) fn sight(&mut self, state: &State, landmark: Landmark) {
        let is_unknown_call = matches!(landmark, Landmark::UnknownCall(..));
        if is_unknown_call || self.options.landmarks.contains(&landmark) {
            let always = self.truth();
            let moments = self.moments(state, always).into_iter();
            let sightings = moments.map(|moment| Sighting { landmark, moment });
            self.findings.note_sightings(sightings);
        }
    }

    /// The same for the instruction at hand.
    pub(crate) fn sight_inst(&mut self, state: &State, frame: &Frame) {
        if !self.options.landmarks.is_empty() {
            let (function, inst) = (frame.function, frame.inst);
            self.sight(state, Landmark::Inst(Site { function, inst }));
        }
    }

    /// When the condition holds here, as moments of which one will do.
    fn moments(&mut self, state: &State, condition: TermId) -> Vec<Moment> {
        let mut found = Vec::new();
        let mut moment = self.moment(state, condition);
        // That comes right after the last step on the path at hand. Positions behind
        // it that the path does not lead through may be passed much later.
        let steps = match state.atomic {
            None => state.last_steps.as_slice(),
            Some(_) => &[],
        };
        for (index, step) in steps.iter().enumerate().rev() {
            // The guard may have been relaxed since the step.
            let mut conditions = self.not_halted(step.after, state.after);
            conditions.extend([moment.condition, step.ok]);
            if index > 0 {
                let guard = self.work().thread.positions[step.after - 1].guard;
                conditions.push(guard);
                let is_elsewhere = self.terms.not(guard);
                moment.condition = self.terms.and(moment.condition, is_elsewhere);
            }
            let (after, condition) = (step.after, self.terms.all(&conditions));
            found.push(Moment {
                after,
                condition,
                ..moment
            });
        }
        if steps.is_empty() {
            found.push(moment);
        }
        found.retain(|moment| self.terms.as_bool(moment.condition) != Some(false));
        found
    }

    /// The thread cannot go on where the condition holds. Inside an atomic section
    /// nobody else can either.
    pub(crate) fn stop(&mut self, state: &mut State, condition: TermId) -> Flow {
        if state.atomic.is_some() {
            self.exclude(state, condition);
        } else {
            let moment = self.moment(state, condition);
            if self.terms.as_bool(moment.condition) != Some(false) {
                self.findings.note_stuck(moment);
            }
            self.forgo(state, condition, state.after + 1);
        }
        match self.terms.as_bool(condition) {
            Some(true) => Flow::Dead,
            _ => Flow::Next,
        }
    }

    /// A path ends where the condition holds. The formula knows once a thread has
    /// passed so many positions; up to then, others must say so themselves.
    fn forgo(&mut self, state: &mut State, condition: TermId, known_after: usize) {
        if self.terms.as_bool(condition) == Some(true) {
            self.halt(state, known_after);
        }
        let fine = self.terms.not(condition);
        state.ok = self.terms.and(state.ok, fine);
    }

    /// The whole path comes to a halt; parts of it may have done so before.
    pub(crate) fn halt(&mut self, state: &State, known_after: usize) {
        if self.terms.as_bool(state.guard) != Some(false) {
            self.whereabouts.halt(known_after, state.guard);
        }
    }

    /// Goes back to a weaker guard, since all other paths that it stands for have
    /// come to a halt.
    pub(crate) fn relax(&mut self, state: &mut State, guard: TermId) {
        if state.guard == guard || !self.options.reductions.relaxing {
            return;
        }
        state.guard = guard;
        let mut ok = self.not_halted(state.after, usize::MAX);
        ok.push(state.ok);
        state.ok = self.terms.all(&ok);
    }

    /// None of the paths is taken that have come to a halt and of which the formula
    /// knows after so many positions, but not after so few.
    fn not_halted(&mut self, few: usize, many: usize) -> Vec<TermId> {
        let halted = self.whereabouts.halted(few, many);
        halted.map(|path| self.terms.not(path)).collect()
    }

    // Positions.

    /// A new step of the thread at hand, or the atomic section it is in.
    pub(crate) fn position(&mut self, frame: &Frame, state: &mut State, part: u32) -> usize {
        self.position_where(frame, state, state.guard, part)
    }

    /// The same where a guard holds, which need not be that of the path.
    pub(crate) fn position_where(
        &mut self,
        frame: &Frame,
        state: &mut State,
        guard: TermId,
        part: u32,
    ) -> usize {
        if let Some((position, _)) = state.atomic {
            return position;
        }
        let step = Step {
            place: Place::Inst(frame.function, frame.inst),
            part,
            location: self.location(frame),
        };
        self.push_guarded(state, guard, step, frame.execution)
    }

    pub(crate) fn push_position(
        &mut self,
        state: &mut State,
        step: Step,
        execution: usize,
    ) -> usize {
        self.push_guarded(state, state.guard, step, execution)
    }

    /// The same where a guard holds, which need not be that of the path.
    pub(crate) fn push_guarded(
        &mut self,
        state: &mut State,
        guard: TermId,
        step: Step,
        execution: usize,
    ) -> usize {
        if guard == state.guard {
            state.unnoticed.clear();
            state.last_steps.clear();
        }
        for step in &mut state.last_steps {
            step.ok = self.terms.and(step.ok, state.ok);
        }
        state.ok = self.terms.bool(true);
        let position = Position {
            guard,
            own: self.terms.bool(false),
            accesses: Vec::new(),
            requires: Vec::new(),
            joins: Vec::new(),
            uses: Vec::new(),
            waits: Vec::new(),
            strength: Strength::default(),
            step,
        };
        let work = self.work();
        work.thread.positions.push(position);
        work.trail.positions.push(execution);
        let index = work.thread.positions.len() - 1;
        state.after = index + 1;
        if self.terms.as_bool(guard) != Some(false) {
            let (after, ok) = (state.after, state.ok);
            state.last_steps.push(LastStep { after, ok });
        }
        index
    }

    /// The step is possible only if the condition holds.
    pub(crate) fn require(&mut self, state: &mut State, position: usize, condition: TermId) {
        if self.terms.as_bool(condition) == Some(true) {
            return;
        }
        let mut needed = condition;
        let checks = self.options.checks;
        if state.atomic.is_some() || checks.has(Check::Memory) || checks.has(Check::Misuse) {
            // What went wrong earlier in the section, or step, comes first.
            let relevant = self.terms.and(state.guard, state.ok);
            needed = self.terms.implies(relevant, condition);
            state.ok = self.terms.and(state.ok, condition);
        }
        self.work().thread.positions[position].requires.push(needed);
    }

    /// A fresh number of so many bits that the run is given.
    pub(crate) fn input(&mut self, frame: &Frame, name: &str, width: u32) -> TermId {
        let value = self.terms.new_variable(name, formula::Sort::BitVec(width));
        self.threads.note_input(frame, value);
        value
    }

    // Guards.

    /// Joins two paths.
    pub(crate) fn merge(&mut self, mut a: State, b: State, frame: &Frame) -> Result<State, Error> {
        if a.atomic != b.atomic {
            return Err(self.unsupported(frame, "an atomic section that only some paths enter"));
        }
        if a.cleanups != b.cleanups {
            return Err(self.unsupported(frame, "a clean-up handler that only some paths have"));
        }
        let (common, mine, theirs) = guards::factor(&mut self.terms, a.guard, b.guard);
        let either = self.terms.or(mine, theirs);
        a.guard = self.terms.and(common, either);
        // Inside the common part, either condition tells the paths apart.
        let condition = mine;
        a.ok = self.terms.ite(condition, a.ok, b.ok);
        a.after = a.after.max(b.after);
        if a.last_steps != b.last_steps {
            a.last_steps.extend(b.last_steps);
            a.last_steps.sort_by_key(|step| step.after);
            a.last_steps.dedup_by(|theirs, mine| {
                let is_same = theirs.after == mine.after;
                if is_same {
                    mine.ok = self.terms.ite(condition, mine.ok, theirs.ok);
                }
                is_same
            });
        }
        a.bounds = learn::common(&a.bounds, &b.bounds);
        a.unnoticed.extend(b.unnoticed);
        a.unnoticed.sort_by_key(|one| one.execution);
        a.unnoticed.dedup_by_key(|one| one.execution);
        a.memory.merge(&mut self.ground(), condition, &b.memory);
        a.unwritten.merge(&b.unwritten, &mut self.facts.unwritten);
        a.published.merge(&mut self.terms, condition, &b.published);
        a.held.merge(&b.held);
        if !Rc::ptr_eq(&a.registers, &b.registers) {
            let mut merged = BTreeMap::new();
            for (id, value) in a.registers.iter() {
                if let Some(other) = b.registers.get(id) {
                    merged.insert(*id, self.choose(condition, value, other));
                }
            }
            a.registers = Rc::new(merged);
        }
        Ok(a)
    }

    pub(crate) fn choose(&mut self, condition: TermId, a: &Value, b: &Value) -> Value {
        match (a, b) {
            (Value::Term(a), Value::Term(b)) => Value::Term(self.terms.ite(condition, *a, *b)),
            (Value::Term(_) | Value::Partly(..), Value::Term(_) | Value::Partly(..)) => {
                shadows::choose_partly(&mut self.terms, condition, a, b)
            }
            (Value::Tuple(a), Value::Tuple(b)) => Value::Tuple(
                a.iter()
                    .zip(b.iter())
                    .map(|(a, b)| self.choose(condition, a, b))
                    .collect(),
            ),
            _ => a.clone(),
        }
    }

    // Threads.

    /// Other threads will see memory from now on.
    pub(crate) fn begin_sharing(&mut self, state: &State) {
        self.prologue.end(state.memory.clone());
    }

    pub(crate) fn check_thread_count(&self, frame: &Frame) -> Result<(), Error> {
        if self.facts.threads.count() > MAX_THREADS {
            let what = format!("more than {MAX_THREADS} threads");
            return Err(self.unsupported(frame, what));
        }
        Ok(())
    }

    pub(crate) fn truth(&mut self) -> TermId {
        self.terms.bool(true)
    }
}

impl Value {
    pub(crate) fn term(&self) -> Option<TermId> {
        match self {
            Value::Term(term) | Value::Partly(term, _) => Some(*term),
            Value::Tuple(_) => None,
        }
    }

    /// The bits of a word that were never written, if there may be some.
    pub(crate) fn shadow(&self) -> Option<TermId> {
        match self {
            Value::Partly(_, shadow) => Some(*shadow),
            Value::Term(_) | Value::Tuple(_) => None,
        }
    }
}

/// A value as a scalar.
pub(crate) fn as_term(terms: &mut Terms, value: &Value) -> TermId {
    match value {
        Value::Term(term) | Value::Partly(term, _) => *term,
        Value::Tuple(_) => terms.constant(1, 0),
    }
}
