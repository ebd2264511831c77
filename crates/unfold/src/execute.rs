//! Single instructions: registers, arithmetic, casts, addresses.

use crate::Error;
use crate::compute::builtins::{self, Computed};
use crate::compute::floats;
use crate::compute::words;
use crate::facts::objects::{Content, Object, ObjectId, ObjectKey};
use crate::pass;
use crate::pass::{Flow, Frame, Pass, State, Value};
use formula::{Sort, TermId};
use ir::{BlockId, Body, Builtin, Constant, FunctionId, GlobalId, Inst, Op, Operand, RmwOp, Type};
use std::rc::Rc;

impl<'p> Pass<'p> {
    // Operands.

    pub(crate) fn value_of(&mut self, state: &State, frame: &Frame, operand: Operand) -> Value {
        match operand {
            Operand::Value(id) => match frame.scratch.get(&id).or_else(|| state.registers.get(&id))
            {
                Some(value) => value.clone(),
                // Only code that no path reaches uses what no path has computed.
                None => match self.body(frame.function).map(|body| &body.values[id]) {
                    Some(ty) => self.zero(ty),
                    None => Value::Term(self.terms.constant(1, 0)),
                },
            },
            Operand::Const(id) => {
                let constant = self.program.constant(id);
                self.constant(constant)
            }
        }
    }

    /// A scalar operand.
    pub(crate) fn term_of(&mut self, state: &State, frame: &Frame, operand: Operand) -> TermId {
        let value = self.value_of(state, frame, operand);
        pass::as_term(&mut self.terms, &value)
    }

    pub(crate) fn word(&self) -> u32 {
        8 * self.program.target.pointer_bytes as u32
    }

    pub(crate) fn width_of(&self, ty: &Type) -> u32 {
        match ty {
            Type::Int(bits) => *bits,
            other => 8 * other.bytes(self.program.target.pointer_bytes) as u32,
        }
    }

    pub(crate) fn zero(&mut self, ty: &Type) -> Value {
        match ty {
            Type::Tuple(tuple) => {
                let fields = tuple.fields.iter().map(|(_, ty)| self.zero(ty));
                Value::Tuple(fields.collect())
            }
            scalar => {
                let width = self.width_of(scalar);
                Value::Term(self.terms.constant(width, 0))
            }
        }
    }

    fn constant(&mut self, constant: &Constant) -> Value {
        let word = self.word();
        Value::Term(match constant {
            Constant::Int { bits, value } => self.terms.constant(*bits, *value),
            Constant::Float(bits) => self.terms.constant(32, u128::from(*bits)),
            Constant::Double(bits) => self.terms.constant(64, u128::from(*bits)),
            Constant::Null => self.terms.constant(word, 0),
            Constant::Global { global, offset } => {
                let object = self.global_object(*global);
                self.address(object, *offset)
            }
            Constant::Function(function) => self.function_address(*function),
            Constant::Label(function, block) => self.label_address(*function, *block),
            Constant::Tuple { fields, .. } => {
                let fields: Vec<Value> = fields
                    .iter()
                    .map(|field| {
                        let field = self.program.constant(*field);
                        self.constant(field)
                    })
                    .collect();
                return Value::Tuple(fields.into());
            }
            Constant::Undefined(ty) => return self.zero(ty),
        })
    }

    // Addresses: the object in the high bits, the offset in the low bits.

    pub(crate) fn offset_bits(&self) -> u32 {
        crate::offset_bits(self.program)
    }

    pub(crate) fn address(&mut self, object: ObjectId, offset: i64) -> TermId {
        let base = u128::from(self.facts.objects.number(object)) << self.offset_bits();
        let word = self.word();
        self.terms
            .constant(word, base.wrapping_add(offset as i128 as u128))
    }

    /// The address of an object that is only loaded and stored: wider than a pointer,
    /// so that those that the program can hold are left for others.
    fn private_address(&mut self, object: ObjectId) -> TermId {
        let number = self.facts.objects.private_number(object);
        let width = self.word() + u32::BITS;
        self.terms.constant(width, number << self.offset_bits())
    }

    pub(crate) fn function_address(&mut self, function: FunctionId) -> TermId {
        let object = self.facts.objects.function(self.program, function);
        self.address(object, 0)
    }

    pub(crate) fn label_address(&mut self, function: FunctionId, block: BlockId) -> TermId {
        let object = self.facts.objects.label(function, block);
        self.address(object, 0)
    }

    pub(crate) fn global_object(&mut self, global: GlobalId) -> ObjectId {
        if self.program.globals[global].is_thread_local {
            self.facts
                .objects
                .thread_local(self.program, self.threads.current(), global)
        } else {
            self.facts.objects.global(global)
        }
    }

    // Instructions.

    pub(crate) fn run_inst(
        &mut self,
        state: &mut State,
        frame: &mut Frame,
        body: &'p Body,
        inst: &'p Inst,
    ) -> Result<Flow, Error> {
        let value = match &inst.op {
            Op::Load { .. } | Op::Store { .. } | Op::Rmw { .. } | Op::CompareExchange { .. } => {
                self.threads.count_execution(frame, state);
                let address = self.accessed_address(state, frame, &inst.op);
                if self.interrupt_access(state, frame, address)? == Flow::Dead {
                    return Ok(Flow::Dead);
                }
                return self.access_memory(state, frame, body, inst);
            }
            Op::Call {
                callee,
                args,
                by_value,
            } => {
                self.threads.count_execution(frame, state);
                return self.call(state, frame, body, inst, callee, args, by_value);
            }
            Op::Any => {
                self.threads.count_execution(frame, state);
                match inst.result.map(|result| body.values[result].clone()) {
                    Some(Type::Tuple(_)) | None => {
                        return Err(self.unsupported(frame, "an undefined aggregate"));
                    }
                    Some(ty) => {
                        let width = self.width_of(&ty);
                        Value::Term(self.input(frame, "undefined", width))
                    }
                }
            }
            Op::Local {
                variable,
                bytes,
                count,
                ..
            } => {
                let name = variable.map(|local| body.locals[local].name.clone());
                if let Some(count) = count {
                    let count = self.value_of(state, frame, *count);
                    if self.expect_initialised(state, &count) == Flow::Dead {
                        return Ok(Flow::Dead);
                    }
                }
                let local = self.make_local(state, frame, *bytes, *count, name)?;
                let is_private = inst
                    .result
                    .is_some_and(|result| frame.order.private.contains(result));
                Value::Term(match is_private {
                    true => self.private_address(local),
                    false => self.address(local, 0),
                })
            }
            Op::Fence { ordering } => {
                self.threads.count_execution(frame, state);
                return Ok(self.fence(state, frame, *ordering));
            }
            Op::SaveStack => {
                let word = self.word();
                Value::Term(self.terms.constant(word, frame.locals.len() as u128))
            }
            Op::RestoreStack { saved } => {
                self.restore_stack(state, frame, *saved)?;
                return Ok(Flow::Next);
            }
            Op::VaStart { list } => return self.start_variadic(state, frame, *list),
            Op::VaCopy { to, from } => return self.copy_variadic(state, frame, *to, *from),
            Op::Unsupported { what } => return Err(self.unsupported(frame, what.clone())),
            op => match self.compute(state, frame, body, inst, op)? {
                Some(value) => self.with_shadow(state, frame, body, inst, value),
                None => return Ok(Flow::Dead),
            },
        };
        self.set_register(state, frame, inst.result, value);
        Ok(Flow::Next)
    }

    fn accessed_address(&mut self, state: &State, frame: &Frame, op: &Op) -> TermId {
        match op {
            Op::Load { address, .. }
            | Op::Store { address, .. }
            | Op::Rmw { address, .. }
            | Op::CompareExchange { address, .. } => self.term_of(state, frame, *address),
            _ => self.int(0),
        }
    }

    fn make_local(
        &mut self,
        state: &mut State,
        frame: &mut Frame,
        bytes: u64,
        count: Option<Operand>,
        name: Option<String>,
    ) -> Result<ObjectId, Error> {
        let count = count.map(|count| self.term_of(state, frame, count));
        let most = match count {
            None => 1,
            Some(count) => self.greatest(frame, count, "a local array")?,
        };
        let key = ObjectKey::Local(self.instance(frame, state, 0));
        let owner = self.threads.current();
        let size = bytes.saturating_mul(most);
        self.check_size(frame, size)?;
        let object = self.facts.objects.make(key.clone(), || Object {
            key,
            size,
            name: name.unwrap_or_else(|| "local".to_owned()),
            is_constant: false,
            owner,
            starts_as: Content::Unknown,
        });
        if let Some(count) = count {
            self.facts.objects.enlarge(object, size);
            let count = self.terms.resize(count, self.word());
            let bytes = self.terms.constant(self.word(), u128::from(bytes));
            let extent = self.terms.mul(count, bytes);
            self.note_extent(state, object, extent);
        }
        state.memory.create(object);
        self.track_unwritten(state, object);
        frame.locals.push(object);
        Ok(object)
    }

    pub(crate) fn check_size(&self, frame: &Frame, size: u64) -> Result<(), Error> {
        if size >= 1 << self.offset_bits() {
            return Err(self.unsupported(frame, format!("an object of {size} bytes")));
        }
        Ok(())
    }

    /// The greatest value a size can have.
    pub(crate) fn greatest(
        &mut self,
        frame: &Frame,
        term: TermId,
        what: &str,
    ) -> Result<u64, Error> {
        if let Some(value) = self.terms.as_constant(term) {
            return Ok(value as u64);
        }
        let greatest = self.upper_bound(term);
        if greatest > 1 << 16 {
            return Err(self.unsupported(frame, format!("{what} whose size is not known")));
        }
        self.findings.note_coarse(true);
        Ok(greatest as u64)
    }

    pub(crate) fn upper_bound(&mut self, term: TermId) -> u128 {
        match self.values.few(&self.terms, term) {
            Some(few) => few.last().copied().unwrap_or(0),
            None => *self.terms.range(term).unsigned().end(),
        }
    }

    /// Computes without memory; `None` if no path goes on.
    fn compute(
        &mut self,
        state: &mut State,
        frame: &Frame,
        body: &Body,
        inst: &Inst,
        op: &Op,
    ) -> Result<Option<Value>, Error> {
        let result = inst.result.map(|result| &body.values[result]);
        let result_width = result.map_or(1, |ty| match ty {
            Type::Tuple(_) => 1,
            scalar => self.width_of(scalar),
        });
        let program = self.program;
        let term = match op {
            Op::Binary {
                op,
                left,
                right,
                no_signed_wrap,
            } => {
                let a = self.term_of(state, frame, *left);
                let b = self.term_of(state, frame, *right);
                if *no_signed_wrap {
                    self.check_overflow(state, frame, *op, a, b)?;
                }
                match self.binary(state, *op, a, b) {
                    Some(term) => {
                        self.note_computed(term);
                        term
                    }
                    None => return Ok(None),
                }
            }
            Op::Compare { op, left, right } => {
                let a = self.term_of(state, frame, *left);
                let b = self.term_of(state, frame, *right);
                let (a, b) = self.as_compared(a, b);
                let holds = words::compare(&mut self.terms, *op, a, b);
                self.terms.to_bit(holds)
            }
            Op::FloatBinary { op, left, right } => {
                let ty = body.operand_type(program, *left);
                let (a, b) = (
                    self.term_of(state, frame, *left),
                    self.term_of(state, frame, *right),
                );
                let op = *op;
                self.on_constants(&[a, b], result_width, move |v| floats::binary(op, v, &ty))
            }
            Op::FloatNegate { value } => {
                let a = self.term_of(state, frame, *value);
                let width = self.terms.width(a);
                let sign = self.terms.constant(width, 1 << (width - 1));
                self.terms.bit_xor(a, sign)
            }
            Op::FloatCompare { op, left, right } => {
                let ty = body.operand_type(program, *left);
                let (a, b) = (
                    self.term_of(state, frame, *left),
                    self.term_of(state, frame, *right),
                );
                let op = *op;
                self.on_constants(&[a, b], 1, move |v| floats::compare(op, v, &ty))
            }
            Op::Cast { op, value } => {
                let from = body.operand_type(program, *value);
                let a = self.term_of(state, frame, *value);
                if from == Type::Pointer && result != Some(&Type::Pointer) {
                    // As a number it may come back as a pointer anywhere.
                    self.publish(state, a);
                }
                let terms = &mut self.terms;
                let cast = words::cast(terms, *op, a, &from, result, result_width);
                self.or_anything(cast, result_width)
            }
            Op::Offset {
                base, bytes, terms, ..
            } => {
                let word = self.word();
                let mut address = self.term_of(state, frame, *base);
                let bytes = self.terms.constant(word, *bytes as i128 as u128);
                address = self.terms.add(address, bytes);
                for (index, scale) in terms {
                    let index = self.term_of(state, frame, *index);
                    let index = self.terms.resize_signed(index, word);
                    let scale = self.terms.constant(word, *scale as i128 as u128);
                    let product = self.terms.mul(index, scale);
                    address = self.terms.add(address, product);
                }
                address
            }
            Op::Select {
                condition,
                then,
                otherwise,
            } => {
                let condition = self.term_of(state, frame, *condition);
                let condition = words::condition(&mut self.terms, condition);
                let a = self.value_of(state, frame, *then);
                let b = self.value_of(state, frame, *otherwise);
                return Ok(Some(self.choose(condition, &a, &b)));
            }
            Op::Extract { tuple, path } => {
                let mut value = self.value_of(state, frame, *tuple);
                for index in path {
                    if let Value::Tuple(fields) = &value {
                        value = fields[*index as usize].clone();
                    }
                }
                return Ok(Some(value));
            }
            Op::Insert { tuple, field, path } => {
                let tuple = self.value_of(state, frame, *tuple);
                let field = self.value_of(state, frame, *field);
                return Ok(Some(insert(tuple, path, field)));
            }
            Op::Builtin { op, args } => {
                let ty = args
                    .first()
                    .map_or(Type::Int(32), |arg| body.operand_type(program, *arg));
                let args: Vec<TermId> = args
                    .iter()
                    .map(|arg| self.term_of(state, frame, *arg))
                    .collect();
                return self.builtin(frame, *op, &args, &ty, result_width).map(Some);
            }
            _ => return Err(self.unsupported(frame, "this instruction")),
        };
        Ok(Some(Value::Term(term)))
    }

    /// Applies a function to constants. What is not constant gives any value at
    /// all, which is too much rather than too little.
    pub(crate) fn on_constants(
        &mut self,
        args: &[TermId],
        width: u32,
        f: impl Fn(&[u128]) -> u128,
    ) -> TermId {
        let result = words::on_constants(&mut self.terms, args, width, f);
        self.or_anything(result, width)
    }

    /// A result, or any value at all if nothing is known of it.
    fn or_anything(&mut self, result: Option<TermId>, width: u32) -> TermId {
        result.unwrap_or_else(|| self.anything(width))
    }

    /// A number about which nothing is said, though the program says something.
    pub(crate) fn anything(&mut self, width: u32) -> TermId {
        self.findings.note_coarse(true);
        self.terms.new_variable("coarse", Sort::BitVec(width))
    }

    /// The new value of a cell after an atomic read-modify-write.
    pub(crate) fn read_modify_write(&mut self, op: RmwOp, old: TermId, operand: TermId) -> TermId {
        let result = words::read_modify_write(&mut self.terms, op, old, operand);
        let width = self.terms.width(old);
        self.or_anything(result, width)
    }

    fn builtin(
        &mut self,
        frame: &Frame,
        op: Builtin,
        args: &[TermId],
        ty: &Type,
        result_width: u32,
    ) -> Result<Value, Error> {
        let width = self.width_of(ty);
        Ok(
            match builtins::builtin(&mut self.terms, op, args, (ty, width), result_width) {
                Computed::Word(term) => Value::Term(term),
                Computed::WithOverflow(term, overflow) => {
                    let overflow = self.terms.to_bit(overflow);
                    Value::Tuple(Rc::from([Value::Term(term), Value::Term(overflow)]))
                }
                Computed::Anything => Value::Term(self.anything(result_width)),
                Computed::Unsupported => {
                    return Err(self.unsupported(frame, format!("the builtin {op:?}")));
                }
            },
        )
    }
}

fn insert(tuple: Value, path: &[u32], field: Value) -> Value {
    match (tuple, path) {
        (_, []) => field,
        (Value::Tuple(fields), [first, rest @ ..]) => {
            let mut fields = fields.to_vec();
            let index = *first as usize;
            fields[index] = insert(fields[index].clone(), rest, field);
            Value::Tuple(fields.into())
        }
        (other, _) => other,
    }
}
