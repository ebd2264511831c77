//! Execution of single instructions.
//!
//! `execute` carries out one instruction of a thread. If the instruction is a
//! visible step and `allow` is false, it changes nothing and says so; if `allow`
//! is true, it is the thread's turn.

use crate::event::Effect;
use crate::footprint::Look;
use crate::image::Code;
use crate::inputs::{Domain, InputKind, Inputs};
use crate::machine::{AccessMode, Cut, Flow, Machine, Stop};
use crate::memory::ObjectId;
use crate::shadow::Shadow;
use crate::thread::{Pending, Phase, Thread};
use crate::value::{self, Pointer, Value};
use crate::violation::{Property, ViolationKind};
use analysis::Round;
use cranelift_entity::EntityRef;
use ir::{BlockId, Body, Inst, Location, Op, Operand, Ordering, RmwOp, Terminator, Type, ValueId};

impl<'a> Machine<'a> {
    pub(crate) fn execute(
        &mut self,
        thread: &mut Thread,
        inputs: &mut dyn Inputs,
        allow: bool,
    ) -> Result<Flow, Stop> {
        let Some(frame) = thread.frames.last() else {
            return Ok(Flow::Done);
        };
        let Some(body) = self.image.body(frame.function) else {
            return Err(self.unsupported(thread, "a function without body"));
        };
        let block = &body.blocks[frame.block];
        let Some(inst) = block.insts.get(frame.index) else {
            return self.terminate(thread, inputs, body, &block.terminator, allow);
        };
        let inst = &body.insts[*inst];
        let value = match &inst.op {
            Op::Load { .. } | Op::Store { .. } | Op::Rmw { .. } | Op::CompareExchange { .. } => {
                return self.access_memory(thread, inputs, allow, body, inst);
            }
            Op::Call {
                callee,
                args,
                by_value,
            } => return self.call(thread, inputs, allow, inst, callee, args, by_value),
            Op::Local {
                bytes,
                align,
                count,
                ..
            } => Some(self.make_local(thread, *bytes, *align, *count)?),
            Op::Any => {
                let ty = self.result_type(body, inst);
                self.is_answer_open = false;
                let value = self.ask_value(thread, inputs, InputKind::Undefined, &ty)?;
                let (value, shadow) = self.answered(&ty, value);
                self.complete_with(thread, inst.result, Some(value), shadow);
                return Ok(Flow::Done);
            }
            Op::Fence { ordering } => {
                self.fence(thread, *ordering);
                None
            }
            Op::VaStart { list } => {
                self.start_variadic(thread, *list)?;
                None
            }
            Op::VaCopy { to, from } => {
                self.copy_variadic(thread, *to, *from)?;
                None
            }
            Op::SaveStack => {
                let mark = self.memory.stack_mark(thread.id) as u64;
                Some(Value::Pointer(Pointer {
                    address: mark,
                    object: None,
                }))
            }
            Op::RestoreStack { saved } => {
                let mark = self.operand(thread, *saved).low_bits() as usize;
                if !allow && self.are_locals_known(thread, mark) {
                    return Ok(Flow::Visible(Pending::default()));
                }
                self.end_locals(thread, mark);
                None
            }
            Op::Unsupported { what } => return Err(self.unsupported(thread, what.clone())),
            op => {
                if let Some(is_true) = self.decide_comparison(thread, inputs, body, inst)? {
                    self.complete(thread, inst.result, Some(Value::bool(is_true)));
                    return Ok(Flow::Done);
                }
                self.note_open_operands(thread, inst);
                let value = self.compute(thread, body, inst, op)?;
                let shadow = self.computed_shadow(thread, body, inst);
                let (value, shadow) = self.renamed(thread, body, inst, value, shadow);
                self.complete_with(thread, inst.result, Some(value), shadow);
                return Ok(Flow::Done);
            }
        };
        self.complete(thread, inst.result, value);
        Ok(Flow::Done)
    }

    /// Sets an instruction's result and moves on to the next.
    pub(crate) fn complete(
        &self,
        thread: &mut Thread,
        result: Option<ValueId>,
        value: Option<Value>,
    ) {
        self.complete_with(thread, result, value, Shadow::None);
    }

    /// The same for a result of which some bits were never written.
    pub(crate) fn complete_with(
        &self,
        thread: &mut Thread,
        result: Option<ValueId>,
        value: Option<Value>,
        shadow: Shadow,
    ) {
        if let Some(frame) = thread.frames.last_mut() {
            if let (Some(result), Some(value)) = (result, value) {
                frame.registers[result.index()] = value;
                frame.set_shadow(result, shadow);
            }
            frame.index += 1;
            if frame.phase != Phase::Start {
                frame.phase = Phase::Start;
            }
        }
    }

    pub(crate) fn operand(&self, thread: &Thread, operand: Operand) -> Value {
        match operand {
            Operand::Value(value) => match thread.frames.last() {
                Some(frame) => frame.registers[value.index()].clone(),
                None => Value::ZERO,
            },
            Operand::Const(id) => self.image.constant(id, |global, offset| {
                let object = thread.locals.get(&global);
                Value::Pointer(object.map_or(Pointer::NULL, |object| {
                    self.memory.pointer(*object, offset as u64)
                }))
            }),
        }
    }

    pub(crate) fn pointer_operand(&self, thread: &Thread, operand: Operand) -> Pointer {
        self.as_pointer(&self.operand(thread, operand))
    }

    /// A value used as an address: an integer stands for what lies there.
    pub(crate) fn as_pointer(&self, value: &Value) -> Pointer {
        match value {
            Value::Pointer(pointer) => *pointer,
            other => self.memory.resolve(other.low_bits()),
        }
    }

    pub(crate) fn result_type(&self, body: &Body, inst: &Inst) -> Type {
        match inst.result {
            Some(result) => body.values[result].clone(),
            None => Type::BOOL,
        }
    }

    /// Bits of a scalar type.
    pub(crate) fn width(&self, ty: &Type) -> u32 {
        match ty {
            Type::Int(width) => *width,
            other => 8 * other.bytes(self.memory.pointer_bytes) as u32,
        }
    }

    // Memory.

    fn access_memory(
        &mut self,
        thread: &mut Thread,
        inputs: &mut dyn Inputs,
        allow: bool,
        body: &Body,
        inst: &Inst,
    ) -> Result<Flow, Stop> {
        let (address, ty, ordering, is_write): (_, _, Option<Ordering>, _) = match &inst.op {
            Op::Load {
                address, ordering, ..
            } => (*address, self.result_type(body, inst), *ordering, false),
            Op::Store {
                address,
                value,
                ordering,
                ..
            } => {
                let ty = body.operand_type(self.image.program, *value);
                (*address, ty, *ordering, true)
            }
            Op::Rmw {
                address,
                value,
                ordering,
                ..
            } => {
                let ty = body.operand_type(self.image.program, *value);
                (*address, ty, Some(*ordering), true)
            }
            Op::CompareExchange {
                address,
                replacement,
                success,
                ..
            } => {
                let ty = body.operand_type(self.image.program, *replacement);
                (*address, ty, Some(*success), true)
            }
            _ => return Ok(Flow::Done),
        };
        let mode = AccessMode {
            is_write,
            is_atomic: ordering.is_some(),
        };
        let len = ty.bytes(self.memory.pointer_bytes);
        self.expect_initialised(thread, address, "an address")?;
        let pointer = self.pointer_operand(thread, address);
        let mut pending = Pending::default();
        let Some(target) = self.access(thread, pointer, len, mode, allow, &mut pending)? else {
            return Ok(Flow::Visible(pending));
        };
        if self.is_weak() {
            return self.access_weakly(thread, inputs, inst, target, &ty);
        }
        self.carry_out_access(thread, inputs, inst, target, &ty, false)
    }

    /// An access that was checked, and whose turn it is. If it is a compare-exchange, it
    /// may be one that has to fail.
    pub(crate) fn carry_out_access(
        &mut self,
        thread: &mut Thread,
        inputs: &mut dyn Inputs,
        inst: &Inst,
        target: (ObjectId, u64),
        ty: &Type,
        must_fail: bool,
    ) -> Result<Flow, Stop> {
        if !matches!(inst.op, Op::Store { .. }) {
            let len = ty.bytes(self.memory.pointer_bytes);
            self.settle(thread, inputs, target, len, *ty == Type::Pointer)?;
        }
        // From here on shadows are followed.
        let is_open = std::mem::take(&mut self.memory.is_open);
        let shadows = self.accessed_shadows(thread, inst, target, ty);
        let Ok(shadows) = shadows else {
            self.memory.is_open = is_open;
            return shadows.map(|_| Flow::Done);
        };
        let result = match &inst.op {
            Op::Load { .. } => Some(self.load(thread, target, ty)),
            Op::Store { value, .. } => {
                let value = self.operand(thread, *value);
                self.store(thread, target, ty, value, |place, value, was| {
                    Effect::Write { place, value, was }
                });
                None
            }
            Op::Rmw { op, value, .. } => {
                let operand = self.operand(thread, *value);
                Some(self.read_modify_write(thread, target, ty, *op, operand))
            }
            Op::CompareExchange {
                expected,
                replacement,
                ..
            } => {
                let expected = self.operand(thread, *expected);
                let replacement = self.operand(thread, *replacement);
                Some(self.compare_exchange(thread, target, ty, expected, replacement, must_fail))
            }
            _ => None,
        };
        self.memory.is_open = is_open;
        if let Some(stored) = &shadows.stored {
            self.memory.set_shadow(target.0, target.1, ty, stored);
            let is_copied = !matches!(&inst.op, Op::Rmw { op, .. } if *op != RmwOp::Exchange);
            if stored.is_some() && self.leaves_open() && !is_copied {
                self.blank_memory(target, ty);
            }
        }
        let (mut result, mut shadow) = (result, shadows.result);
        if shadow.is_some()
            && self.leaves_open()
            && let (Some(register), Some(value)) = (inst.result, result.take())
            && let Some(body) = thread
                .frame()
                .and_then(|frame| self.image.body(frame.function))
        {
            let (value, left) = self.tidied(&body.values[register], value, shadow);
            (result, shadow) = (Some(value), left);
        }
        self.complete_with(thread, inst.result, result, shadow);
        Ok(Flow::Done)
    }

    /// Reads a settled, checked range.
    pub(crate) fn load(
        &mut self,
        thread: &Thread,
        (object, offset): (ObjectId, u64),
        ty: &Type,
    ) -> Value {
        self.expose_addresses((object, offset), ty);
        let value = self.memory.read(object, offset, ty);
        if self.is_traced(object) {
            let place = self.place(object, offset, ty.bytes(self.memory.pointer_bytes));
            let value = self.format_value(place.ty, ty, &value);
            let place = place.path;
            self.record(thread, Effect::Read { place, value });
        }
        value
    }

    /// An address that is read as a number may come back as a pointer anywhere.
    fn expose_addresses(&mut self, (object, offset): (ObjectId, u64), ty: &Type) {
        if *ty != Type::Pointer {
            let len = ty.bytes(self.memory.pointer_bytes);
            for target in self.memory.pointers_in(object, offset, len) {
                self.memory.publish(target);
            }
        }
    }

    fn is_traced(&self, object: ObjectId) -> bool {
        self.trace.is_some() && self.memory.get(object).is_some_and(|o| o.is_shared)
    }

    /// Writes a checked range, and records it in the trace as `effect` says.
    pub(crate) fn store(
        &mut self,
        thread: &Thread,
        (object, offset): (ObjectId, u64),
        ty: &Type,
        value: Value,
        effect: impl FnOnce(String, String, String) -> Effect,
    ) {
        self.publish_if_shared(object, &value);
        let len = ty.bytes(self.memory.pointer_bytes);
        let traced = self.is_traced(object).then(|| {
            let place = self.place(object, offset, len);
            let was = if self.memory.is_initialised(object, offset, len) {
                let old = self.memory.read(object, offset, ty);
                self.format_value(place.ty, ty, &old)
            } else {
                "uninitialised".to_owned()
            };
            let new = self.format_value(place.ty, ty, &value);
            (place.path, new, was)
        });
        self.memory.write(object, offset, ty, &value);
        self.sync.overwrite(object, offset, len);
        if let Value::Pointer(pointer) = &value {
            self.learn_type(object, offset, *pointer);
        }
        if let Some((place, value, was)) = traced {
            self.record(thread, effect(place, value, was));
        }
    }

    pub(crate) fn read_modify_write(
        &mut self,
        thread: &Thread,
        target: (ObjectId, u64),
        ty: &Type,
        op: RmwOp,
        operand: Value,
    ) -> Value {
        self.expose_addresses(target, ty);
        let old = self.memory.read(target.0, target.1, ty);
        let new = match op {
            // Exchanging keeps what a pointer points to.
            RmwOp::Exchange => operand,
            _ => {
                let width = self.width(ty);
                let bits = value::rmw(op, old.bits(), operand.bits(), ty, width);
                Value::from_bits(width, bits)
            }
        };
        self.store(thread, target, ty, new, |place, value, was| {
            Effect::Update { place, value, was }
        });
        old
    }

    pub(crate) fn compare_exchange(
        &mut self,
        thread: &Thread,
        target: (ObjectId, u64),
        ty: &Type,
        expected: Value,
        replacement: Value,
        must_fail: bool,
    ) -> Value {
        self.expose_addresses(target, ty);
        let old = self.memory.read(target.0, target.1, ty);
        let is_equal = old.bits() == expected.bits() && !must_fail;
        if is_equal {
            self.store(thread, target, ty, replacement, |place, value, was| {
                Effect::Update { place, value, was }
            });
        } else if self.is_traced(target.0) {
            let place = self.place(target.0, target.1, ty.bytes(self.memory.pointer_bytes));
            let effect = Effect::CompareFailed {
                value: self.format_value(place.ty, ty, &old),
                expected: self.format_value(place.ty, ty, &expected),
                place: place.path,
            };
            self.record(thread, effect);
        }
        Value::Tuple([old, Value::bool(is_equal)].into())
    }

    // Control flow.

    fn terminate(
        &mut self,
        thread: &mut Thread,
        inputs: &mut dyn Inputs,
        body: &Body,
        terminator: &Terminator,
        allow: bool,
    ) -> Result<Flow, Stop> {
        match terminator {
            Terminator::Jump(target) => {
                if is_endless(body, *target) {
                    let name = thread.frames.last().map_or(String::new(), |frame| {
                        self.image.program.functions[frame.function].name.clone()
                    });
                    return Err(Stop::Endless(name));
                }
                self.jump(thread, body, *target)?;
            }
            Terminator::Branch {
                condition,
                then,
                otherwise,
            } => {
                let shadow = self.shadow(thread, *condition);
                let is_true = match self.decide(thread, inputs, &shadow, 2)? {
                    Some(way) => way != 0,
                    None => {
                        self.expect_clean(thread, &shadow, "a condition")?;
                        self.operand(thread, *condition).low_bits() & 1 != 0
                    }
                };
                self.jump(thread, body, if is_true { *then } else { *otherwise })?;
            }
            Terminator::Switch {
                value,
                cases,
                default,
            } => {
                let case = self.choose_case(thread, inputs, body, *value, cases)?;
                let case = case.and_then(|case| cases.get(case));
                self.jump(thread, body, case.map_or(*default, |(_, target)| *target))?;
            }
            Terminator::IndirectJump { address, .. } => {
                self.expect_initialised(thread, *address, "the target of a jump")?;
                let address = self.operand(thread, *address).low_bits();
                let function = thread.frames.last().map(|frame| frame.function);
                match self.image.code_at(address) {
                    Some(Code::Label(of, block)) if Some(of) == function => {
                        self.jump(thread, body, block)?;
                    }
                    _ => {
                        return Err(self.violated(
                            thread,
                            ViolationKind::InvalidPointer,
                            "jump to something that is not a label of this function",
                        ));
                    }
                }
            }
            Terminator::Return(value) => {
                let mark = thread.frames.last().map_or(0, |frame| frame.stack_mark);
                if !allow && self.are_locals_known(thread, mark) {
                    return Ok(Flow::Visible(Pending::default()));
                }
                let shadow = value.map_or(Shadow::None, |value| self.shadow(thread, value));
                let value = value.map(|value| self.operand(thread, value));
                self.return_from(thread, value, shadow);
            }
            Terminator::Unreachable => {
                return Err(self.violated(
                    thread,
                    ViolationKind::Misuse,
                    "control reaches a place that the program promises never to reach",
                ));
            }
        }
        Ok(Flow::Done)
    }

    /// Which case of a switch is taken.
    fn choose_case(
        &mut self,
        thread: &mut Thread,
        inputs: &mut dyn Inputs,
        body: &Body,
        selects_by: Operand,
        cases: &[(u128, BlockId)],
    ) -> Result<Option<usize>, Stop> {
        let shadow = self.shadow(thread, selects_by);
        if shadow.is_some() {
            let width = self.width(&body.operand_type(self.image.program, selects_by));
            let numbers: Vec<u128> = cases.iter().map(|(case, _)| *case).collect();
            let decided = self.decide_case(thread, inputs, selects_by, &numbers, width)?;
            if decided.is_some() {
                return Ok(decided);
            }
        }
        if let Some(way) = self.decide(thread, inputs, &shadow, cases.len() as u64 + 1)? {
            return Ok(Some(way as usize));
        }
        self.expect_clean(thread, &shadow, "what a switch selects by")?;
        let bits = self.operand(thread, selects_by).bits();
        Ok(cases.iter().position(|(case, _)| *case == bits))
    }

    /// Whether a thread may have been where it is now at the same point of a loop, all
    /// being as it was.
    fn may_come_back(&self, thread: &Thread, from: BlockId, to: BlockId) -> bool {
        let Some(frame) = thread.frames.last() else {
            return false;
        };
        let loops = self.image.loops(frame.function);
        let Some(id) = loops.and_then(|loops| loops.is_back_edge(from, to)) else {
            return false;
        };
        match self.image.round(frame.function, id) {
            Round::Any => true,
            Round::Creates => false,
            Round::Counts(counter) => {
                let counted = self.own_number(thread, counter.address, counter.width);
                counted.is_none_or(|value| counter.has_passed(value))
            }
        }
    }

    /// What a variable of the thread holds whose address is in a register; nothing if
    /// that is not certain.
    fn own_number(&self, thread: &Thread, address: ValueId, width: u32) -> Option<u64> {
        let frame = thread.frames.last()?;
        let Value::Pointer(pointer) = frame.registers[address.index()] else {
            return None;
        };
        let object = self.memory.peek(pointer.object?)?;
        let len = u64::from(width / 8);
        let is_plain = object.size == len && !object.is_shared && object.is_initialised(0, len);
        if !is_plain || object.shadow.iter().any(|bits| *bits != 0) {
            return None;
        }
        let mut word = [0; 8];
        word[..len as usize].copy_from_slice(&object.bytes);
        Some(u64::from_le_bytes(word))
    }

    fn jump(&mut self, thread: &mut Thread, body: &Body, to: BlockId) -> Result<(), Stop> {
        let Some(frame) = thread.frames.last() else {
            return Ok(());
        };
        let from = frame.block;
        if self.footprint.is_watched() && self.may_come_back(thread, from, to) {
            self.footprint.note(Look::Turn);
            self.note_round();
        }
        if self.config.unwind.is_some() || !self.config.unwind_loops.is_empty() {
            self.count_loop(thread, from, to)?;
        }
        // All phis read the values from before the jump.
        let phis = &body.blocks[to].phis;
        let mut values = Vec::new();
        for phi in phis {
            let incoming = phi.incoming.iter().find(|(block, _)| *block == from);
            values.push(match incoming {
                None => (Value::ZERO, Shadow::None),
                Some((_, value)) => (self.operand(thread, *value), self.shadow(thread, *value)),
            });
        }
        if let Some(frame) = thread.frames.last_mut() {
            for (phi, (value, shadow)) in phis.iter().zip(values) {
                frame.registers[phi.result.index()] = value;
                frame.set_shadow(phi.result, shadow);
            }
            frame.block = to;
            frame.index = 0;
        }
        Ok(())
    }

    fn count_loop(&mut self, thread: &mut Thread, from: BlockId, to: BlockId) -> Result<(), Stop> {
        let Some(frame) = thread.frames.last_mut() else {
            return Ok(());
        };
        let Some(loops) = self.image.loops(frame.function) else {
            return Ok(());
        };
        let Some(header) = loops.loop_with_header(to) else {
            return Ok(());
        };
        let single = self.config.unwind_loops.get(&(frame.function, to));
        let limit = single.copied().or(self.config.unwind);
        // What is not bounded is not counted, so that states stay the same.
        let Some(limit) = limit.filter(|limit| *limit < u32::MAX) else {
            return Ok(());
        };
        frame
            .loop_counts
            .retain(|(id, _)| *id != header || loops.is_back_edge(from, to).is_some());
        let position = frame.loop_counts.iter().position(|(id, _)| *id == header);
        let count = match position {
            Some(position) => {
                frame.loop_counts[position].1 += 1;
                frame.loop_counts[position].1
            }
            None => {
                frame.loop_counts.push((header, 1));
                1
            }
        };
        if count > limit {
            let function = frame.function;
            let cut = Cut::Loop {
                function,
                id: header,
                place: self.image.describe_loop(function, header),
            };
            return Err(self.beyond_bound(thread, cut));
        }
        Ok(())
    }

    /// A bound on loops or recursion is reached: that is a violation, if somebody
    /// looks for it.
    pub(crate) fn beyond_bound(&self, thread: &Thread, cut: Cut) -> Stop {
        if !self.config.checks.has(Property::Unwind) {
            return Stop::Cut(cut);
        }
        let message = match &cut {
            Cut::Loop { place, .. } => format!("the loop at {place} goes beyond its bound"),
            Cut::Recursion { name, .. } => format!("the recursion of {name} goes beyond its bound"),
            _ => return Stop::Cut(cut),
        };
        self.violated(thread, ViolationKind::Unwinding, message)
    }

    /// The location of the instruction a thread stands at, for allocations.
    pub(crate) fn call_site(&self, thread: &Thread) -> Option<Location> {
        self.location(thread)
    }

    /// A number below `count`, chosen by the driver.
    pub(crate) fn ask_index(
        &mut self,
        thread: &Thread,
        inputs: &mut dyn Inputs,
        kind: InputKind,
        count: usize,
    ) -> Result<usize, Stop> {
        let choice = self.ask(thread, inputs, kind, Domain::Below(count as u64))?;
        Ok(choice as usize)
    }
}

/// A block that does nothing but jump to itself, as in `while (1);`.
fn is_endless(body: &Body, block: BlockId) -> bool {
    let data = &body.blocks[block];
    data.insts.is_empty() && data.terminator == Terminator::Jump(block)
}
