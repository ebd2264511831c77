//! Execution of functions with all paths merged: blocks in the order of their
//! keys, states joined where paths meet, loops and recursion up to their bounds.

use crate::block_order::Key;
use crate::checks::Check;
use crate::compute::words;
use crate::facts::objects::FrameKey;
use crate::locksets::Held;
use crate::models::jumps::JumpsUnderWay;
use crate::omissions::Omission;
use crate::pass::{Flow, Frame, LastStep, Pass, Start, State, Value, Work};
use crate::published::Published;
use crate::threads::{Place, Step, Thread};
use crate::unfolding::SPINS;
use crate::unwritten::Unwritten;
use crate::{Error, pass};
use analysis::Landmark;
use formula::TermId;
use ir::{BlockId, Body, FunctionId, Op, Operand, Terminator};
use std::collections::{BTreeMap, HashMap};
use std::rc::Rc;

/// Paths that have arrived at a block, merged, and the block.
type Pending = BTreeMap<Key, (BlockId, State)>;

/// Calls in progress, at most.
const MAX_DEPTH: usize = 4000;

impl<'p> Pass<'p> {
    /// Executes a thread from its start to its end.
    pub(crate) fn run_thread(&mut self, start: Start) -> Result<(), Error> {
        let name = self.program.functions[start.function].name.clone();
        let thread = Thread {
            name,
            creation: start.creation,
            positions: Vec::new(),
            can_end: false,
            skips_before: 0,
            quiet_before: 0,
        };
        let work = Work {
            thread,
            trail: pass::Trail::default(),
            ended: Vec::new(),
            jumps: JumpsUnderWay::default(),
        };
        self.threads.begin(start.thread, work);
        let always = self.truth();
        let mut state = State {
            guard: start.guard,
            ok: always,
            after: 0,
            last_steps: vec![LastStep {
                after: 0,
                ok: always,
            }],
            memory: start.memory,
            unwritten: Unwritten::default(),
            published: Published::default(),
            registers: Rc::default(),
            atomic: None,
            iterations: Rc::from([]),
            bounds: Rc::default(),
            unnoticed: Vec::new(),
            held: Held::default(),
            cleanups: Rc::from([]),
        };
        self.whereabouts.begin_thread();
        if self.terms.as_constant(start.blocked) != Some(0) {
            self.set_blocked(&mut state, start.blocked);
        }
        let is_main = start.thread.as_u32() == 0;
        let id = self
            .facts
            .objects
            .frame(FrameKey::Thread(start.thread, start.function));
        let mut frame = self.new_frame(id, start.function, start.arguments, state.guard)?;
        frame.caller_is_only_path = is_main;
        let guard = state.guard;
        let returned = if is_main {
            self.run_main(state, frame)?
        } else if library::is_atomic_function(&self.program.functions[start.function].symbol) {
            // The whole thread is one step.
            self.refuse_if_weak(&frame, "a thread that is an atomic section")?;
            let mut state = state;
            let step = Step {
                place: Place::Start,
                part: 0,
                location: None,
            };
            let position = self.push_position(&mut state, step, 0);
            state.atomic = Some((position, 1));
            let mut returned = self.run_function(state, frame)?;
            if let Some((state, _)) = &mut returned {
                state.atomic = None;
            }
            returned
        } else {
            self.run_function(state, frame)?
        };
        self.finish_thread(returned, guard, is_main)
    }

    /// Constructors run before main.
    fn run_main(
        &mut self,
        mut state: State,
        frame: Frame,
    ) -> Result<Option<(State, Option<Value>)>, Error> {
        self.fill_open_arguments(&mut state);
        self.fill_open_variables(&mut state);
        for function in self.program.startup.clone() {
            let id = self
                .facts
                .objects
                .frame(FrameKey::Thread(self.threads.current(), function));
            let mut startup = self.new_frame(id, function, Vec::new(), state.guard)?;
            startup.caller_is_only_path = true;
            match self.run_function(state, startup)? {
                Some((next, _)) => state = next,
                None => return Ok(None),
            }
        }
        self.run_function(state, frame)
    }

    fn finish_thread(
        &mut self,
        returned: Option<(State, Option<Value>)>,
        guard: TermId,
        is_main: bool,
    ) -> Result<(), Error> {
        let width = 8 * self.program.target.pointer_bytes as u32;
        let mut ended = std::mem::take(&mut self.work().ended);
        if let Some((mut state, value)) = returned {
            if is_main {
                self.end_process(&mut state)?;
            } else {
                let shadow = value.as_ref().and_then(Value::shadow);
                self.shadows.note_result(shadow);
                let value = value.and_then(|value| value.term());
                let value = match value {
                    Some(value) if !self.terms.is_bool(value) => self.terms.resize(value, width),
                    _ => self.terms.constant(width, 0),
                };
                ended.push((state, value));
            }
        }
        let mut paths = ended.into_iter();
        let Some((mut state, mut result)) = paths.next() else {
            return Ok(());
        };
        let frame = self.bare_frame();
        for (other, value) in paths {
            let condition = state.guard;
            result = self.terms.ite(condition, result, value);
            state = self.merge(state, other, &frame)?;
        }
        // Every other path has come to a halt: also those on which main returns and
        // thereby ends the process.
        self.relax(&mut state, guard);
        state.atomic = None;
        if is_main && !self.models.handlers.is_empty() {
            // The last of the threads that main leaves behind would run them.
            self.findings.note_omission(Omission::LastHandlers);
        }
        let mut frame = frame;
        let ending = self.run_destructors(state, &mut frame, result)?;
        let Some((mut state, result)) = ending else {
            return Ok(());
        };
        if self.interrupt_end(&mut state, &mut frame)? == Flow::Dead {
            return Ok(());
        }
        if !self.work().ended.is_empty() {
            let what = "a handler that ends a thread which ends anyway";
            return Err(self.unsupported(&frame, what));
        }
        let step = Step {
            place: Place::End,
            part: 0,
            location: None,
        };
        let position = self.push_position(&mut state, step, 0);
        self.work().thread.can_end = true;
        self.note_sync(Some(position));
        let always = self.truth();
        self.releases(&state, Some(position), always);
        self.note_end(&mut state, position);
        self.set_result(&mut state, position, result);
        self.end_with_thread(&mut state, position);
        Ok(())
    }

    pub(crate) fn new_frame(
        &mut self,
        id: crate::facts::objects::FrameId,
        function: FunctionId,
        arguments: Vec<Value>,
        entry: TermId,
    ) -> Result<Frame, Error> {
        let Some(body) = self.body(function) else {
            return Err(Error::Unsupported {
                what: format!(
                    "running {}, which has no body",
                    self.program.functions[function].name
                ),
                location: None,
            });
        };
        Ok(Frame {
            id,
            function,
            order: self.block_order(function, body),
            entry,
            scratch: HashMap::new(),
            arguments,
            variadic: Rc::from([]),
            locals: Vec::new(),
            progress: HashMap::new(),
            is_only_path: false,
            caller_is_only_path: false,
            block: Body::ENTRY,
            inst: ir::InstId::from_u32(0),
            execution: 0,
            places: Vec::new(),
            called_at: None,
        })
    }

    /// A frame for what happens outside of any function.
    pub(crate) fn bare_frame(&mut self) -> Frame {
        let main = self.program.main;
        let id = self
            .facts
            .objects
            .frame(FrameKey::Thread(self.threads.current(), main));
        match self.new_frame(id, main, Vec::new(), TermId::from_u32(0)) {
            Ok(frame) => frame,
            Err(_) => unreachable!("front ends refuse programs without main"),
        }
    }

    /// Executes a function; `None` if no path returns from it.
    pub(crate) fn run_function(
        &mut self,
        mut state: State,
        mut frame: Frame,
    ) -> Result<Option<(State, Option<Value>)>, Error> {
        let Some(body) = self.body(frame.function) else {
            return Ok(None);
        };
        if self.whereabouts.depth() >= MAX_DEPTH {
            return Err(self.unsupported(&frame, "recursion that deep"));
        }
        self.whereabouts.enter(frame.function);
        let (outer_function, outer_inst) = self.whereabouts.site();
        let outer_registers = std::mem::take(&mut state.registers);
        let outer_iterations = std::mem::replace(&mut state.iterations, Rc::from([]));
        let ended_before = self.work().ended.len();
        let jumps_before = self.work().jumps.count();
        let mut registers = BTreeMap::new();
        for (index, argument) in frame.arguments.drain(..).enumerate() {
            registers.insert(ir::ValueId::from_u32(index as u32), argument);
        }
        state.registers = Rc::new(registers);
        let mut pending = Pending::new();
        let iterations = frame.order.follow_entry(Body::ENTRY);
        state.iterations = iterations.into();
        let key = frame.order.key(Body::ENTRY, &state.iterations);
        pending.insert(key, (Body::ENTRY, state));
        let mut returned: Option<(State, Option<Value>)> = None;
        loop {
            let (block, index, mut state) = match pending.pop_first() {
                Some((_, (block, state))) => (block, 0, state),
                None => match self.land(&mut frame, body)? {
                    Some(landing) => (landing.block, landing.index, landing.state),
                    None => break,
                },
            };
            self.tick()?;
            let is_last = pending.is_empty()
                && returned.is_none()
                && self.work().ended.len() == ended_before
                && self.work().jumps.count() == jumps_before;
            if is_last {
                // All other paths have come to a halt.
                self.relax(&mut state, frame.entry);
            }
            frame.is_only_path = frame.caller_is_only_path && is_last;
            frame.block = block;
            if index == 0 {
                frame.scratch.clear();
            }
            if self.run_block(&mut state, &mut frame, body, (block, index))? == Flow::Dead {
                continue;
            }
            self.leave_block(state, &mut frame, body, block, &mut pending, &mut returned)?;
        }
        self.work().jumps.close(&frame.places);
        self.whereabouts.leave();
        self.whereabouts.go_to(outer_function, outer_inst);
        let Some((mut state, value)) = returned else {
            return Ok(None);
        };
        if self.work().ended.len() == ended_before && self.work().jumps.count() == jumps_before {
            // Every path has returned, or has come to a halt.
            self.relax(&mut state, frame.entry);
        }
        self.end_function(&mut state, &mut frame, body);
        state.registers = outer_registers;
        state.iterations = outer_iterations;
        Ok(Some((state, value)))
    }

    fn run_block(
        &mut self,
        state: &mut State,
        frame: &mut Frame,
        body: &'p Body,
        (block, index): (BlockId, usize),
    ) -> Result<Flow, Error> {
        for inst in &body.blocks[block].insts[index..] {
            frame.inst = *inst;
            self.whereabouts.go_to(frame.function, *inst);
            if self.prologue.is_alone() {
                let time = self.prologue.count(frame.is_only_path);
                if self.facts.alone_until == Some(time) {
                    self.begin_sharing(state);
                }
            }
            self.sight_inst(state, frame);
            let data = &body.insts[*inst];
            if self.run_inst(state, frame, body, data)? == Flow::Dead {
                return Ok(Flow::Dead);
            }
        }
        Ok(Flow::Next)
    }

    /// Keeps a value for the rest of the block, and beyond if others need it.
    pub(crate) fn set_register(
        &mut self,
        state: &mut State,
        frame: &mut Frame,
        result: Option<ir::ValueId>,
        value: Value,
    ) {
        if let Some(result) = result {
            if frame.order.crossing.contains(result) {
                Rc::make_mut(&mut state.registers).insert(result, value.clone());
            }
            frame.scratch.insert(result, value);
        }
    }

    fn leave_block(
        &mut self,
        mut state: State,
        frame: &mut Frame,
        body: &'p Body,
        block: BlockId,
        pending: &mut Pending,
        returned: &mut Option<(State, Option<Value>)>,
    ) -> Result<(), Error> {
        if !self.options.landmarks.is_empty() {
            self.sight(&state, Landmark::End(frame.function, block));
        }
        match &body.blocks[block].terminator {
            Terminator::Jump(target) => {
                let data = &body.blocks[*target];
                if data.insts.is_empty() && data.terminator == Terminator::Jump(*target) {
                    // `while (1);` goes on for ever.
                    let always = self.truth();
                    self.stop(&mut state, always);
                    return Ok(());
                }
                self.arrive(state, frame, body, block, *target, pending)
            }
            Terminator::Branch {
                condition,
                then,
                otherwise,
            } => {
                self.note_progress(&state, frame, body, block, *condition);
                let bit = self.value_of(&state, frame, *condition);
                if self.expect_initialised(&mut state, &bit) == Flow::Dead {
                    return Ok(());
                }
                let bit = pass::as_term(&mut self.terms, &bit);
                let condition = words::condition(&mut self.terms, bit);
                if then == otherwise {
                    return self.arrive(state, frame, body, block, *then, pending);
                }
                let inverse = self.terms.not(condition);
                for (condition, target) in [(condition, *then), (inverse, *otherwise)] {
                    self.branch(&state, frame, body, block, condition, target, pending)?;
                }
                Ok(())
            }
            Terminator::Switch {
                value,
                cases,
                default,
            } => {
                let value = self.value_of(&state, frame, *value);
                if self.expect_initialised(&mut state, &value) == Flow::Dead {
                    return Ok(());
                }
                let value = pass::as_term(&mut self.terms, &value);
                let width = self.terms.width(value);
                let mut targets: Vec<(BlockId, Vec<TermId>)> = Vec::new();
                let mut hits = Vec::new();
                for (case, target) in cases {
                    let case = self.terms.constant(width, *case);
                    let hit = self.terms.equal(value, case);
                    hits.push(hit);
                    match targets.iter_mut().find(|(block, _)| block == target) {
                        Some((_, list)) => list.push(hit),
                        None => targets.push((*target, vec![hit])),
                    }
                }
                let any = self.terms.any(&hits);
                let none = self.terms.not(any);
                match targets.iter_mut().find(|(block, _)| block == default) {
                    Some((_, list)) => list.push(none),
                    None => targets.push((*default, vec![none])),
                }
                for (target, conditions) in targets {
                    let condition = self.terms.any(&conditions);
                    self.branch(&state, frame, body, block, condition, target, pending)?;
                }
                Ok(())
            }
            Terminator::IndirectJump { address, targets } => {
                let address = self.value_of(&state, frame, *address);
                if self.expect_initialised(&mut state, &address) == Flow::Dead {
                    return Ok(());
                }
                let address = pass::as_term(&mut self.terms, &address);
                let mut hits = Vec::new();
                let mut seen = Vec::new();
                for target in targets {
                    if seen.contains(target) {
                        continue;
                    }
                    seen.push(*target);
                    let label = self.label_address(frame.function, *target);
                    let hit = self.terms.equal(address, label);
                    hits.push(hit);
                    self.branch(&state, frame, body, block, hit, *target, pending)?;
                }
                let any = self.terms.any(&hits);
                let none = self.terms.not(any);
                self.violate(&mut state, Check::Memory, none);
                Ok(())
            }
            Terminator::Return(value) => {
                let value = value.map(|value| self.value_of(&state, frame, value));
                *returned = Some(match returned.take() {
                    None => (state, value),
                    Some((other, other_value)) => {
                        let condition = other.guard;
                        let value = match (other_value, value) {
                            (Some(a), Some(b)) => Some(self.choose(condition, &a, &b)),
                            (a, b) => a.or(b),
                        };
                        (self.merge(other, state, frame)?, value)
                    }
                });
                Ok(())
            }
            Terminator::Unreachable => {
                let always = self.truth();
                self.violate(&mut state, Check::Misuse, always);
                Ok(())
            }
        }
    }

    #[expect(
        clippy::too_many_arguments,
        reason = "an edge of the graph and all around it"
    )]
    fn branch(
        &mut self,
        state: &State,
        frame: &mut Frame,
        body: &Body,
        from: BlockId,
        condition: TermId,
        to: BlockId,
        pending: &mut Pending,
    ) -> Result<(), Error> {
        let guard = self.terms.and(state.guard, condition);
        if self.terms.as_bool(guard) == Some(false) {
            return Ok(());
        }
        let mut state = state.clone();
        state.guard = guard;
        self.learn(&mut state, frame, condition);
        self.arrive(state, frame, body, from, to, pending)
    }

    /// Takes a path along an edge and joins it with those that are there.
    fn arrive(
        &mut self,
        mut state: State,
        frame: &mut Frame,
        body: &Body,
        from: BlockId,
        to: BlockId,
        pending: &mut Pending,
    ) -> Result<(), Error> {
        let iterations = frame.order.follow(from, to, &state.iterations);
        if let Some(repeated) = frame.order.loops.is_back_edge(from, to) {
            let count = iterations.last().copied().unwrap_or(1);
            let only_waits = self.spinning.contains(frame.function, repeated);
            if only_waits && count > SPINS {
                // Without some of its iterations, this is a run just as well.
                self.leave_out(&mut state);
                return Ok(());
            }
            let bound = self.options.loop_bound(frame.function, repeated).max(1);
            if !only_waits && count > bound && !self.may_exceed(frame, repeated, &state) {
                self.findings.note_cut(frame.function, Some(repeated));
                self.cut(&mut state);
                return Ok(());
            }
        }
        let phis = &body.blocks[to].phis;
        if !phis.is_empty() {
            let mut values = Vec::new();
            for phi in phis {
                if let Some((_, operand)) = phi.incoming.iter().find(|(block, _)| *block == from) {
                    values.push((phi.result, self.value_of(&state, frame, *operand)));
                }
            }
            let registers = Rc::make_mut(&mut state.registers);
            registers.extend(values);
        }
        state.iterations = iterations.into();
        let key = frame.order.key(to, &state.iterations);
        let state = match pending.remove(&key) {
            Some((_, other)) => self.merge(other, state, frame)?,
            None => state,
        };
        pending.insert(key, (to, state));
        Ok(())
    }

    /// Loops that count by constants are unwound to their end, unless the user
    /// wants all loops cut.
    fn may_exceed(&self, frame: &Frame, repeated: analysis::LoopId, state: &State) -> bool {
        if self.options.is_bound_strict(frame.function, repeated) {
            return false;
        }
        let depth = frame
            .order
            .nest(frame.block)
            .iter()
            .position(|id| *id == repeated)
            .map_or(0, |position| position + 1);
        let current = &state.iterations[..depth.min(state.iterations.len())];
        frame
            .progress
            .get(&repeated)
            .is_some_and(|progress| progress.moved_in == current)
    }

    /// Notes a comparison of constants that decides whether a loop goes on.
    fn note_progress(
        &mut self,
        state: &State,
        frame: &mut Frame,
        body: &Body,
        block: BlockId,
        condition: Operand,
    ) {
        let nest = frame.order.nest(block).to_vec();
        if nest.is_empty() {
            return;
        }
        let Operand::Value(value) = condition else {
            return;
        };
        let compare = body.blocks[block].insts.iter().rev().find_map(|inst| {
            let data = &body.insts[*inst];
            match &data.op {
                Op::Compare { left, right, .. } if data.result == Some(value) => {
                    Some((*left, *right))
                }
                _ => None,
            }
        });
        let Some((left, right)) = compare else {
            return;
        };
        let left = self.term_of(state, frame, left);
        let right = self.term_of(state, frame, right);
        if self.terms.as_constant(left).is_none() || self.terms.as_constant(right).is_none() {
            return;
        }
        let successors = body.blocks[block].terminator.successors();
        for (depth, id) in nest.iter().enumerate() {
            let data = &frame.order.loops[*id];
            let inside = &data.blocks;
            // Conditions in between may leave a loop too, an assertion for instance,
            // but they do not count its iterations.
            if block != data.header && !data.latches.contains(&block) {
                continue;
            }
            if successors.iter().all(|block| inside.contains(*block)) {
                continue;
            }
            let progress = frame.progress.entry(*id).or_default();
            if progress.operands != Some((left, right)) {
                progress.operands = Some((left, right));
                progress.moved_in = state.iterations[..=depth].to_vec();
            }
        }
    }
}
