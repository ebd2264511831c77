//! Calls: finding the callee, passing arguments, variadic lists.

use crate::Error;
use crate::access::Part;
use crate::checks::Check;
use crate::facts::objects::{Content, FrameKey, Object, ObjectId, ObjectKey};
use crate::omissions::Way;
use crate::pass;
use crate::pass::{Flow, Frame, Pass, State, Value};
use crate::shadows;
use analysis::Landmark;
use formula::TermId;
use ir::{Body, Callee, FunctionId, Inst, Operand, Type};
use std::rc::Rc;

#[derive(Clone)]
pub(crate) struct Argument {
    pub value: Value,
    pub ty: Type,
    /// It points to so many bytes, of which the callee gets a copy.
    pub by_value: Option<u64>,
}

/// Arguments as the callee gets them, and the copies made for it.
type Passed = (Vec<Argument>, Vec<ObjectId>);

/// A call, as a library model sees it.
pub(crate) struct Call {
    pub function: FunctionId,
    pub args: Vec<Argument>,
    pub result: Option<Type>,
    /// Tells the calls of one instruction apart.
    pub index: u32,
}

/// What a library model says.
pub(crate) enum Reply {
    Return(TermId),
    /// Without a result.
    Nothing,
    /// No path returns.
    Never,
}

impl<'p> Pass<'p> {
    #[expect(clippy::too_many_arguments, reason = "the parts of a call instruction")]
    pub(crate) fn call(
        &mut self,
        state: &mut State,
        frame: &mut Frame,
        body: &'p Body,
        inst: &'p Inst,
        callee: &Callee,
        args: &[Operand],
        by_value: &[Option<u64>],
    ) -> Result<Flow, Error> {
        let sizes = by_value.iter().copied().chain(std::iter::repeat(None));
        let args: Vec<Argument> = args
            .iter()
            .zip(sizes)
            .map(|(arg, by_value)| Argument {
                value: self.value_of(state, frame, *arg),
                ty: body.operand_type(self.program, *arg),
                by_value,
            })
            .collect();
        let result = inst.result.map(|result| body.values[result].clone());
        let functions = match callee {
            Callee::Direct(function) => {
                let always = self.truth();
                vec![(always, *function)]
            }
            Callee::Indirect(target) => {
                let target = self.value_of(state, frame, *target);
                if self.expect_initialised(state, &target) == Flow::Dead {
                    return Ok(Flow::Dead);
                }
                let address = pass::as_term(&mut self.terms, &target);
                let functions = self.functions_behind(address);
                let any: Vec<TermId> = functions.iter().map(|(when, _)| *when).collect();
                let any = self.terms.any(&any);
                let none = self.terms.not(any);
                if self.violate(state, Check::Memory, none) == Flow::Dead {
                    return Ok(Flow::Dead);
                }
                functions
            }
        };
        let outcome = if let [(_, function)] = functions.as_slice() {
            let call = Call {
                function: *function,
                args,
                result,
                index: 0,
            };
            let taken = std::mem::replace(state, placeholder(state));
            self.call_function(taken, frame, &call)?
        } else {
            let mut merged: Option<(State, Option<Value>)> = None;
            let is_only_path = std::mem::replace(&mut frame.is_only_path, false);
            for (condition, function) in functions {
                let mut path = state.clone();
                path.guard = self.terms.and(path.guard, condition);
                if self.terms.as_bool(path.guard) == Some(false) {
                    continue;
                }
                let call = Call {
                    function,
                    args: args.clone(),
                    result: result.clone(),
                    index: 0,
                };
                let Some((path, value)) = self.call_function(path, frame, &call)? else {
                    continue;
                };
                merged = Some(match merged {
                    None => (path, value),
                    Some((other, old)) => {
                        let value = match (old, value) {
                            (Some(a), Some(b)) => Some(self.choose(other.guard, &a, &b)),
                            (a, b) => a.or(b),
                        };
                        (self.merge(other, path, frame)?, value)
                    }
                });
            }
            frame.is_only_path = is_only_path;
            merged
        };
        let Some((next, value)) = outcome else {
            return Ok(Flow::Dead);
        };
        *state = next;
        if let (Some(_), Some(value)) = (inst.result, value) {
            self.set_register(state, frame, inst.result, value);
        }
        Ok(Flow::Next)
    }

    /// The functions that a pointer may point to, each with its condition.
    pub(crate) fn functions_behind(&mut self, address: TermId) -> Vec<(TermId, FunctionId)> {
        let word = self.word();
        let bits = self.offset_bits();
        let few = self.values.reach(&self.terms, address).few;
        let mut found = Vec::new();
        for value in few.iter() {
            let Some(object) = self.facts.objects.numbered(*value >> bits) else {
                continue;
            };
            if let ObjectKey::Function(function) = self.facts.objects[object].key
                && value & ((1 << bits) - 1) == 0
            {
                let constant = self.terms.constant(word, *value);
                let condition = self.terms.equal(address, constant);
                found.push((condition, function));
            }
        }
        found
    }

    pub(crate) fn call_function(
        &mut self,
        mut state: State,
        frame: &mut Frame,
        call: &Call,
    ) -> Result<Option<(State, Option<Value>)>, Error> {
        let function = &self.program.functions[call.function];
        let entry = library::lookup(&function.symbol);
        let has_body = function.body.is_some();
        if let Some(entry) =
            entry.filter(|entry| !has_body || library::overrides_body(entry.function))
        {
            if self.expect_initialised_arguments(&mut state, entry, call) == Flow::Dead {
                return Ok(None);
            }
            let reply = self.library_call(&mut state, frame, entry, call)?;
            return Ok(match reply {
                Reply::Never => None,
                Reply::Nothing => {
                    let value = call.result.as_ref().map(|ty| self.zero(ty));
                    Some((state, value))
                }
                Reply::Return(term) => {
                    let value = call.result.as_ref().map(|ty| match ty {
                        Type::Tuple(_) => self.zero(ty),
                        scalar => {
                            let width = self.width_of(scalar);
                            Value::Term(self.terms.resize(term, width))
                        }
                    });
                    Some((state, value))
                }
            });
        }
        if !has_body {
            let site = self.site(frame);
            self.sight(&state, Landmark::UnknownCall(call.function, site));
            let Some((args, copies)) = self.copy_arguments(&mut state, frame, call)? else {
                return Ok(None);
            };
            for argument in &args {
                if let Some(term) = argument.value.term() {
                    self.publish(&mut state, term);
                }
            }
            // Nobody uses the copies that it was given.
            self.forget_locals(&mut state, &copies);
            let value = match &call.result {
                None => None,
                Some(Type::Tuple(_)) => {
                    return Err(
                        self.unsupported(frame, "an unknown function that returns a struct")
                    );
                }
                Some(ty) => {
                    let width = self.width_of(ty);
                    Some(Value::Term(self.input(frame, "unknown call", width)))
                }
            };
            return Ok(Some((state, value)));
        }
        let depth = self.whereabouts.depth_of(call.function);
        if depth as u64 > u64::from(self.options.unwind) {
            self.findings.note_cut(call.function, None);
            self.cut(&mut state);
            return Ok(None);
        }
        let is_atomic = library::is_atomic_function(&function.symbol);
        if is_atomic {
            self.enter_atomic(&mut state, frame)?;
        }
        let Some((mut args, copies)) = self.copy_arguments(&mut state, frame, call)? else {
            return Ok(None);
        };
        let instance = self.instance(frame, &state, call.index);
        let id = self
            .facts
            .objects
            .frame(FrameKey::Call(instance, call.function));
        let mut values = Vec::new();
        let variadic: Vec<(TermId, u64)> = if function.is_variadic {
            let rest = args.split_off(args.len().min(function.params.len()));
            let mut list = Vec::new();
            for argument in rest {
                if argument.by_value.is_some() {
                    return Err(self.unsupported(frame, "a struct as variadic argument"));
                }
                let Some(term) = argument.value.term() else {
                    return Err(self.unsupported(frame, "a struct as variadic argument"));
                };
                self.lose(argument.value.shadow(), Way::VariadicArguments);
                let size = argument.ty.bytes(self.program.target.pointer_bytes);
                list.push((term, size));
            }
            list
        } else {
            Vec::new()
        };
        for (index, param) in function.params.iter().enumerate() {
            let value = match args.get(index) {
                Some(argument) => self.convert(&argument.value, &param.ty),
                None => match &param.ty {
                    Type::Tuple(_) => self.zero(&param.ty),
                    scalar => {
                        let width = self.width_of(scalar);
                        Value::Term(self.input(frame, "missing argument", width))
                    }
                },
            };
            values.push(value);
        }
        let mut callee = self.new_frame(id, call.function, values, state.guard)?;
        callee.variadic = variadic.into();
        callee.locals = copies;
        callee.caller_is_only_path = frame.is_only_path;
        callee.execution = frame.execution;
        callee.called_at = Some(self.site(frame));
        let mut returned = self.run_function(state, callee)?;
        if is_atomic && let Some((state, _)) = &mut returned {
            self.leave_atomic(state);
        }
        Ok(returned)
    }

    /// A scalar argument as the parameter's type; old declarations allow anything.
    fn convert(&mut self, value: &Value, ty: &Type) -> Value {
        match (value, ty) {
            (Value::Term(term), Type::Tuple(_)) => Value::Term(*term),
            (Value::Term(term), scalar) => {
                let width = self.width_of(scalar);
                Value::Term(self.terms.resize(*term, width))
            }
            (Value::Partly(term, shadow), scalar) if !matches!(scalar, Type::Tuple(_)) => {
                let width = self.width_of(scalar);
                let term = self.terms.resize(*term, width);
                let shadow = self.terms.resize(*shadow, width);
                shadows::partly(&mut self.terms, term, Some(shadow))
            }
            (other, _) => other.clone(),
        }
    }

    pub(crate) fn enter_atomic(&mut self, state: &mut State, frame: &Frame) -> Result<(), Error> {
        self.refuse_if_weak(frame, "an atomic section")?;
        state.atomic = Some(match state.atomic {
            Some((position, depth)) => (position, depth + 1),
            None if self.prologue.is_alone() => (usize::MAX, 1),
            None => (self.position(frame, state, 0), 1),
        });
        if let Some((usize::MAX, _)) = state.atomic {
            // Nobody else runs, so there is nothing to keep out.
            state.atomic = None;
        }
        Ok(())
    }

    pub(crate) fn leave_atomic(&mut self, state: &mut State) {
        state.atomic = match state.atomic {
            Some((position, depth)) if depth > 1 => Some((position, depth - 1)),
            _ => None,
        };
    }

    /// Structs passed by value are copied; `None` if no path goes on.
    fn copy_arguments(
        &mut self,
        state: &mut State,
        frame: &Frame,
        call: &Call,
    ) -> Result<Option<Passed>, Error> {
        let mut args = call.args.clone();
        let mut copies = Vec::new();
        for (index, argument) in args.iter_mut().enumerate() {
            let Some(size) = argument.by_value else {
                continue;
            };
            let Some(address) = argument.value.term() else {
                continue;
            };
            if self.expect_initialised(state, &argument.value) == Flow::Dead {
                return Ok(None);
            }
            let parts = split(size);
            let loaded = self.load(state, frame, address, size, &parts, copies.len() as u32)?;
            let Ok(bytes) = loaded else {
                return Ok(None);
            };
            let key = ObjectKey::Local(self.instance(frame, state, 1 + index as u32));
            let owner = self.threads.current();
            let copy = self.facts.objects.make(key.clone(), || Object {
                key,
                size,
                name: "argument".to_owned(),
                is_constant: false,
                owner,
                starts_as: Content::Unknown,
            });
            state.memory.create(copy);
            self.track_unwritten(state, copy);
            let always = self.truth();
            let position = self.is_visible(copy, 0, size);
            let position = position.then(|| self.position(frame, state, copies.len() as u32));
            for ((offset, len), word) in parts.iter().zip(bytes) {
                self.write_word(state, position, (copy, *offset, *len), always, word);
            }
            argument.value = Value::Term(self.address(copy, 0));
            copies.push(copy);
        }
        Ok(Some((args, copies)))
    }

    /// Lays the variadic arguments out as words, one after the other, and makes the
    /// list say that all registers are used up.
    pub(crate) fn start_variadic(
        &mut self,
        state: &mut State,
        frame: &mut Frame,
        list: Operand,
    ) -> Result<Flow, Error> {
        let word = self.program.target.pointer_bytes;
        let list = self.term_of(state, frame, list);
        let mut places = Vec::new();
        let mut end: u64 = 0;
        for (_, size) in frame.variadic.iter() {
            if *size > word {
                return Err(self.unsupported(frame, "a variadic argument of more than a word"));
            }
            places.push(end);
            end += size.next_multiple_of(word);
        }
        let key = ObjectKey::Local(self.instance(frame, state, 100));
        let owner = self.threads.current();
        let area = self.facts.objects.make(key.clone(), || Object {
            key,
            size: end.max(1),
            name: "variadic arguments".to_owned(),
            is_constant: false,
            owner,
            starts_as: Content::Unknown,
        });
        state.memory.create(area);
        self.track_unwritten(state, area);
        frame.locals.push(area);
        let always = self.truth();
        let position = self.is_visible(area, 0, end);
        let position = position.then(|| self.position(frame, state, 0));
        for ((term, size), place) in frame.variadic.clone().iter().zip(places) {
            let bytes = self.terms.resize(*term, 8 * *size as u32);
            self.write_at(state, position, area, place, *size, always, bytes);
        }
        let area = self.address(area, 0);
        let mut parts: Vec<(Part, TermId)> = Vec::new();
        if word == 4 {
            parts.push(((0, 4), area));
        } else {
            let (general, floating) = (self.terms.constant(32, 48), self.terms.constant(32, 176));
            parts.push(((0, 4), general));
            parts.push(((4, 4), floating));
            parts.push(((8, 8), area));
            let zero = self.terms.constant(64, 0);
            parts.push(((16, 8), zero));
        }
        let size = if word == 4 { 4 } else { 24 };
        self.store(state, frame, list, size, &parts, 0)
    }
}

impl<'p> Pass<'p> {
    pub(crate) fn copy_variadic(
        &mut self,
        state: &mut State,
        frame: &Frame,
        to: Operand,
        from: Operand,
    ) -> Result<Flow, Error> {
        let (to, from) = (
            self.term_of(state, frame, to),
            self.term_of(state, frame, from),
        );
        let word = self.program.target.pointer_bytes;
        let size = if word == 4 { 4 } else { 24 };
        let parts = split(size);
        let values = match self.load(state, frame, from, size, &parts, 0)? {
            Ok(values) => values,
            Err(flow) => return Ok(flow),
        };
        let values = values.into_iter().map(|(value, _)| value);
        let parts: Vec<(Part, TermId)> = parts.into_iter().zip(values).collect();
        self.store(state, frame, to, size, &parts, 1)
    }
}

/// Cuts a block into parts of at most 8 bytes.
pub(crate) fn split(size: u64) -> Vec<Part> {
    let mut parts = Vec::new();
    let mut at = 0;
    while at < size {
        let len = (size - at).min(8);
        parts.push((at, len));
        at += len;
    }
    parts
}

/// Stands in for a state that is on its way through a call.
fn placeholder(state: &State) -> State {
    State {
        guard: state.guard,
        ok: state.ok,
        after: state.after,
        last_steps: Vec::new(),
        memory: crate::memory::Memory::default(),
        unwritten: crate::unwritten::Unwritten::default(),
        published: crate::published::Published::default(),
        registers: Rc::default(),
        atomic: None,
        iterations: Rc::from([]),
        bounds: Rc::default(),
        unnoticed: Vec::new(),
        held: crate::locksets::Held::default(),
        cleanups: Rc::from([]),
    }
}
