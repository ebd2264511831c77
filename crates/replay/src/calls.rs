//! Calls and returns: finding the callee, passing arguments, variadic lists.

use crate::event::Effect;
use crate::image::Code;
use crate::inputs::{InputKind, Inputs};
use crate::machine::{AccessMode, Cut, Flow, Machine, Stop, UnknownCall};
use crate::memory::{ObjectId, Origin};
use crate::shadow::Shadow;
use crate::thread::{Argument, End, Frame, Life, Pending, Phase, Then, Thread};
use crate::value::{Pointer, Value};
use crate::violation::ViolationKind;
use analysis::Site;
use cranelift_entity::EntityRef;
use ir::{Body, Callee, FunctionId, Inst, Operand, Type, ValueId};
use std::collections::BTreeMap;
use std::rc::Rc;

/// Where variadic arguments are laid out.
const VARIADIC_AREA: Origin = Origin::Environment("variadic arguments");

/// Calls in progress in one thread; real stacks end much earlier.
const MAX_DEPTH: usize = 100_000;

/// A call of a library function, as its model sees it.
pub(crate) struct LibraryCall {
    pub function: FunctionId,
    pub args: Vec<Argument>,
    pub result: Option<ValueId>,
    pub result_type: Option<Type>,
    /// It is the thread's turn: visible steps may be taken.
    pub allow: bool,
}

impl LibraryCall {
    pub(crate) fn arg(&self, index: usize) -> Value {
        self.args
            .get(index)
            .map_or(Value::ZERO, |argument| argument.value.clone())
    }
}

impl<'a> Machine<'a> {
    #[expect(clippy::too_many_arguments, reason = "the parts of a call instruction")]
    pub(crate) fn call(
        &mut self,
        thread: &mut Thread,
        inputs: &mut dyn Inputs,
        allow: bool,
        inst: &Inst,
        callee: &Callee,
        args: &[Operand],
        by_value: &[Option<u64>],
    ) -> Result<Flow, Stop> {
        let function = match callee {
            Callee::Direct(function) => *function,
            Callee::Indirect(target) => {
                self.expect_initialised(thread, *target, "which function is called")?;
                self.indirect_callee(thread, *target)?
            }
        };
        let Some(body) = thread
            .frames
            .last()
            .and_then(|f| self.image.body(f.function))
        else {
            return Ok(Flow::Done);
        };
        if let Some(entry) = self.image.library(function) {
            let call = LibraryCall {
                function,
                args: self.arguments(thread, body, args, by_value),
                result: inst.result,
                result_type: inst.result.map(|result| body.values[result].clone()),
                allow,
            };
            self.expect_initialised_arguments(thread, entry, &call)?;
            return self.call_library(thread, inputs, entry, &call);
        }
        let mut arguments = self.arguments(thread, body, args, by_value);
        let is_atomic = self.image.is_atomic(function);
        if is_atomic && !allow {
            return Ok(Flow::Visible(Pending::default()));
        }
        let stack_mark = self.memory.stack_mark(thread.id);
        if let Some(pending) = self.copy_arguments(thread, allow, function, &mut arguments)? {
            return Ok(Flow::Visible(pending));
        }
        thread.atomic_depth += u32::from(is_atomic);
        if self.image.body(function).is_none() {
            let flow = self.call_unknown(thread, inputs, function, inst, body, &arguments);
            // Nobody uses the copies that it was given.
            self.memory.pop_locals(thread.id, stack_mark);
            return flow;
        }
        self.enter(thread, inputs, function, arguments, stack_mark)?;
        Ok(Flow::Done)
    }

    fn indirect_callee(&self, thread: &Thread, target: Operand) -> Result<FunctionId, Stop> {
        let address = self.operand(thread, target).low_bits();
        match self.image.code_at(address) {
            Some(Code::Function(function)) => Ok(function),
            _ if address == 0 => Err(self.violated(
                thread,
                ViolationKind::NullDereference,
                "call through a null pointer",
            )),
            _ => Err(self.violated(
                thread,
                ViolationKind::InvalidPointer,
                "call through a pointer that does not point to a function",
            )),
        }
    }

    fn arguments(
        &self,
        thread: &Thread,
        body: &Body,
        args: &[Operand],
        by_value: &[Option<u64>],
    ) -> Vec<Argument> {
        let sizes = by_value.iter().copied().chain(std::iter::repeat(None));
        args.iter()
            .zip(sizes)
            .map(|(arg, by_value)| Argument {
                value: self.operand(thread, *arg),
                shadow: self.shadow(thread, *arg),
                ty: body.operand_type(self.image.program, *arg),
                by_value,
            })
            .collect()
    }

    /// Calls a function that nobody defines: it may do anything with its result,
    /// and may remember the pointers it was given.
    fn call_unknown(
        &mut self,
        thread: &mut Thread,
        inputs: &mut dyn Inputs,
        function: FunctionId,
        inst: &Inst,
        body: &Body,
        arguments: &[Argument],
    ) -> Result<Flow, Stop> {
        for argument in arguments {
            self.publish_value(&argument.value);
        }
        let mut shadow = Shadow::None;
        let result = match inst.result {
            Some(result) => {
                let ty = &body.values[result];
                self.is_answer_open = false;
                let value = self.ask_value(thread, inputs, InputKind::UnknownCall, ty)?;
                let (value, answered) = self.answered(ty, value);
                shadow = answered;
                Some(value)
            }
            None => None,
        };
        self.note_unknown_call(thread, function, result.as_ref());
        self.complete_with(thread, inst.result, result, shadow);
        Ok(Flow::Done)
    }

    fn note_unknown_call(&mut self, thread: &Thread, function: FunctionId, result: Option<&Value>) {
        let sites = thread.frames.iter().rev().filter_map(|frame| {
            let body = self.image.body(frame.function)?;
            let inst = *body.blocks[frame.block].insts.get(frame.index)?;
            let site = Site {
                function: frame.function,
                inst,
            };
            Some((body.insts[inst].location.is_some(), site))
        });
        // A relay is where it was called from.
        let mut sites = sites.take(2).collect::<Vec<_>>().into_iter();
        let Some((is_known, site)) = sites.next() else {
            return;
        };
        let site = match sites.next() {
            Some((_, caller)) if !is_known => caller,
            _ => site,
        };
        let returned = result.map(|value| match value {
            Value::Tuple(fields) => fields.first().map_or(0, Value::bits),
            value => value.bits(),
        });
        let call = UnknownCall {
            function,
            site,
            returned,
        };
        let mut known = self.unknown_calls.iter_mut();
        match known.find(|known| (known.function, known.site) == (function, site)) {
            Some(known) => *known = call,
            None => self.unknown_calls.push(call),
        }
    }

    /// Enters a function with a body. Arguments need not fit the parameters:
    /// old-style declarations allow anything.
    fn enter(
        &mut self,
        thread: &mut Thread,
        inputs: &mut dyn Inputs,
        function: FunctionId,
        arguments: Vec<Argument>,
        stack_mark: usize,
    ) -> Result<(), Stop> {
        let data = &self.image.program.functions[function];
        let mut values = Vec::with_capacity(data.params.len());
        let mut shadows = Vec::new();
        for (index, param) in data.params.iter().enumerate() {
            match arguments.get(index) {
                Some(argument) => {
                    shadows.push(self.fit_shadow(&argument.shadow, &param.ty));
                    values.push(self.convert_argument(argument, &param.ty));
                }
                None => {
                    let kind = InputKind::Undefined;
                    self.is_answer_open = false;
                    let value = self.ask_value(thread, inputs, kind, &param.ty)?;
                    let (value, shadow) = self.answered(&param.ty, value);
                    values.push(value);
                    shadows.push(shadow);
                }
            }
        }
        let variadic = arguments.into_iter().skip(data.params.len());
        let variadic: Rc<[Argument]> = if data.is_variadic {
            variadic.collect()
        } else {
            Rc::from([])
        };
        self.push_frame(
            thread,
            function,
            values,
            variadic,
            stack_mark,
            Then::Continue,
        )?;
        if let Some(frame) = thread.frames.last_mut() {
            for (index, shadow) in shadows.into_iter().enumerate() {
                frame.set_shadow(ValueId::new(index), shadow);
            }
        }
        Ok(())
    }

    /// Calls a function from outside any instruction.
    pub(crate) fn push_call(
        &mut self,
        thread: &mut Thread,
        function: FunctionId,
        arguments: &[Value],
        then: Then,
    ) -> Result<(), Stop> {
        let data = &self.image.program.functions[function];
        if data.body.is_none() {
            let what = format!("starting {}, which has no body", data.name);
            return Err(self.unsupported(thread, what));
        }
        let values = data
            .params
            .iter()
            .enumerate()
            .map(|(index, param)| match arguments.get(index) {
                Some(value) => value.clone(),
                None => Value::zero(&param.ty),
            })
            .collect();
        let mark = self.memory.stack_mark(thread.id);
        self.push_frame(thread, function, values, Rc::from([]), mark, then)
    }

    fn push_frame(
        &mut self,
        thread: &mut Thread,
        function: FunctionId,
        mut registers: Vec<Value>,
        variadic: Rc<[Argument]>,
        stack_mark: usize,
        then: Then,
    ) -> Result<(), Stop> {
        let Some(body) = self.image.body(function) else {
            return Ok(());
        };
        let recursion = || Cut::Recursion {
            function,
            name: self.image.program.functions[function].name.clone(),
        };
        if let Some(limit) = self.config.unwind {
            let depth = thread.frames.iter().filter(|f| f.function == function);
            if depth.count() as u64 > u64::from(limit) {
                return Err(self.beyond_bound(thread, recursion()));
            }
        }
        if thread.frames.len() >= MAX_DEPTH {
            return Err(Stop::Cut(recursion()));
        }
        registers.resize(body.values.len(), Value::ZERO);
        thread.frames.push(Frame {
            function,
            block: Body::ENTRY,
            index: 0,
            registers,
            shadows: BTreeMap::new(),
            stack_mark,
            variadic,
            loop_counts: Vec::new(),
            then,
            phase: Phase::Start,
        });
        Ok(())
    }

    /// Structs passed by value: the callee gets copies of its own. Reading shared
    /// memory for that is a visible step; `Some` says that it must wait.
    fn copy_arguments(
        &mut self,
        thread: &Thread,
        allow: bool,
        function: FunctionId,
        arguments: &mut [Argument],
    ) -> Result<Option<Pending>, Stop> {
        let params = &self.image.program.functions[function].params;
        for (index, argument) in arguments.iter_mut().enumerate() {
            let declared = params.get(index).and_then(|param| param.by_value);
            argument.by_value = declared.or(argument.by_value);
        }
        let mut pending = Pending::default();
        let mut sources = Vec::new();
        let mut must_wait = false;
        for (index, argument) in arguments.iter().enumerate() {
            let Some(size) = argument.by_value.filter(|size| *size > 0) else {
                continue;
            };
            self.expect_clean(thread, &argument.shadow, "an address")?;
            let pointer = self.as_pointer(&argument.value);
            match self.access(thread, pointer, size, AccessMode::READ, allow, &mut pending)? {
                Some(place) => sources.push((index, place, size)),
                None => must_wait = true,
            }
        }
        if must_wait {
            return Ok(Some(pending));
        }
        for (index, (object, offset), size) in sources {
            if self.trace.is_some() && self.memory.get(object).is_some_and(|o| o.is_shared) {
                let place = self.place(object, offset, size).path;
                let value = format!("{size} bytes copied");
                self.record(thread, Effect::Read { place, value });
            }
            let snapshot = self.memory.snapshot(object, offset, size);
            let origin = Origin::Environment("an argument passed by value");
            let copy = self.memory.push_local(thread.id, origin, size, 16)?;
            self.memory.restore(copy, 0, &snapshot);
            arguments[index].value = Value::Pointer(self.memory.pointer(copy, 0));
            arguments[index].shadow = Shadow::None;
        }
        Ok(None)
    }

    fn convert_argument(&self, argument: &Argument, to: &Type) -> Value {
        match (&argument.ty, to) {
            (from, to) if from == to => argument.value.clone(),
            (_, Type::Pointer) => Value::Pointer(self.as_pointer(&argument.value)),
            (_, Type::Tuple(_)) => Value::zero(to),
            _ => Value::from_bits(self.width(to), argument.value.bits()),
        }
    }

    pub(crate) fn return_from(
        &mut self,
        thread: &mut Thread,
        value: Option<Value>,
        shadow: Shadow,
    ) {
        if let Some(frame) = thread.frames.last() {
            self.end_locals(thread, frame.stack_mark);
        }
        let Some(frame) = thread.frames.pop() else {
            return;
        };
        if !thread.saved.is_empty() {
            let depth = thread.frames.len();
            thread.saved.retain(|saved| saved.depth <= depth);
        }
        if let Some(counter) = &mut self.counter {
            counter.note_return(thread.id, frame.function);
        }
        if self.image.is_atomic(frame.function) {
            thread.atomic_depth = thread.atomic_depth.saturating_sub(1);
        }
        match frame.then {
            Then::Continue => {
                let result = thread.frames.last().and_then(|caller| {
                    let body = self.image.body(caller.function)?;
                    let inst = body.blocks[caller.block].insts.get(caller.index)?;
                    body.insts[*inst].result
                });
                // A function that was declared with another type may return less
                // than is expected of it.
                let value = result.map(|_| value.unwrap_or(Value::ZERO));
                let value = self.fit_result(thread, result, value);
                let shadow = self.fit_result_shadow(thread, result, &shadow);
                self.complete_with(thread, result, value, shadow);
            }
            Then::Resume => {
                self.note_open(&shadow);
                if let Some(caller) = thread.frames.last_mut() {
                    let returned = value.map_or(0, |value| value.low_bits() as i32);
                    match &mut caller.phase {
                        Phase::Sorting { order, .. } | Phase::Searching { order, .. } => {
                            *order = Some(returned);
                        }
                        _ => {}
                    }
                }
            }
            Then::Unblock(signals) => thread.blocked = signals,
            Then::Drop => {
                if thread.frames.is_empty() && thread.life == Life::Running {
                    thread.is_result_open = self.leaves_open() && shadow.is_some();
                    // It has no name then.
                    let value = value.filter(|_| !thread.is_result_open);
                    thread.life = Life::Ending(if thread.id == 0 {
                        let code = value.map_or(0, |value| value.low_bits() as i32);
                        End::Process(code)
                    } else {
                        End::Thread(value.unwrap_or(Value::Pointer(Pointer::NULL)))
                    });
                }
            }
        }
    }

    fn fit_result(
        &self,
        thread: &Thread,
        result: Option<ValueId>,
        value: Option<Value>,
    ) -> Option<Value> {
        let (result, value) = (result?, value?);
        let body = self.image.body(thread.frames.last()?.function)?;
        Some(match (&body.values[result], value) {
            (Type::Pointer, value @ Value::Pointer(_)) => value,
            (Type::Pointer, value) => Value::Pointer(self.as_pointer(&value)),
            (Type::Tuple(_), value @ Value::Tuple(_)) => value,
            (ty @ Type::Tuple(_), _) => Value::zero(ty),
            (ty, value) => Value::from_bits(self.width(ty), value.bits()),
        })
    }

    // Variadic arguments. They are laid out in memory as the x86 calling
    // conventions put them on the stack; the list then points there. On x86-64 it
    // also says that all registers have been used up.

    pub(crate) fn start_variadic(
        &mut self,
        thread: &mut Thread,
        list: Operand,
    ) -> Result<(), Stop> {
        let list = self.pointer_operand(thread, list);
        let Some(variadic) = thread.frames.last().map(|frame| frame.variadic.clone()) else {
            return Ok(());
        };
        let word = self.memory.pointer_bytes;
        let mut places = Vec::new();
        let mut end: u64 = 0;
        for argument in variadic.iter() {
            let size = argument.by_value.unwrap_or_else(|| argument.ty.bytes(word));
            // 16-byte scalars are aligned on x86-64 only.
            if word == 8 && argument.by_value.is_none() && size == 16 && argument.ty.is_int() {
                end = end.next_multiple_of(16);
            }
            places.push(end);
            end += size.next_multiple_of(word);
        }
        let area = self.memory.push_local(thread.id, VARIADIC_AREA, end, 16)?;
        for (argument, place) in variadic.iter().zip(places) {
            self.note_open(&argument.shadow);
            match argument.by_value {
                Some(size) => self.copy_variadic_struct(thread, argument, size, area, place)?,
                None => self
                    .memory
                    .write(area, place, &argument.ty, &argument.value),
            }
        }
        let area = Value::Pointer(self.memory.pointer(area, 0));
        let size = self.list_size();
        let (object, offset) = self
            .memory
            .check(list, size, true)
            .map_err(|fault| self.access_violation(thread, fault, size, true))?;
        if word == 4 {
            self.memory.write(object, offset, &Type::Pointer, &area);
        } else {
            let (int, used_up) = (Type::Int(32), [48, 176]);
            self.memory
                .write(object, offset, &int, &Value::Bits(used_up[0]));
            self.memory
                .write(object, offset + 4, &int, &Value::Bits(used_up[1]));
            self.memory.write(object, offset + 8, &Type::Pointer, &area);
            let none = Value::Pointer(Pointer::NULL);
            self.memory
                .write(object, offset + 16, &Type::Pointer, &none);
        }
        Ok(())
    }

    pub(crate) fn is_variadic_area(&self, value: &Value) -> bool {
        let Value::Pointer(pointer) = value else {
            return false;
        };
        let object = pointer.object.and_then(|object| self.memory.get(object));
        object.is_some_and(|object| object.origin == VARIADIC_AREA)
    }

    fn copy_variadic_struct(
        &mut self,
        thread: &Thread,
        argument: &Argument,
        size: u64,
        area: ObjectId,
        place: u64,
    ) -> Result<(), Stop> {
        let source = self.as_pointer(&argument.value);
        let (object, offset) = self
            .memory
            .check(source, size, false)
            .map_err(|fault| self.access_violation(thread, fault, size, false))?;
        let snapshot = self.memory.snapshot(object, offset, size);
        self.memory.restore(area, place, &snapshot);
        Ok(())
    }

    /// Bytes of a `va_list`.
    fn list_size(&self) -> u64 {
        if self.memory.pointer_bytes == 4 {
            4
        } else {
            24
        }
    }

    pub(crate) fn copy_variadic(
        &mut self,
        thread: &Thread,
        to: Operand,
        from: Operand,
    ) -> Result<(), Stop> {
        let (to, from) = (
            self.pointer_operand(thread, to),
            self.pointer_operand(thread, from),
        );
        let size = self.list_size();
        let (source, at) = self
            .memory
            .check(from, size, false)
            .map_err(|fault| self.access_violation(thread, fault, size, false))?;
        let snapshot = self.memory.snapshot(source, at, size);
        let (target, at) = self
            .memory
            .check(to, size, true)
            .map_err(|fault| self.access_violation(thread, fault, size, true))?;
        self.memory.restore(target, at, &snapshot);
        Ok(())
    }
}
