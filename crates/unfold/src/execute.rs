//! Single instructions: registers, arithmetic, casts, addresses.

use crate::facts::objects::{Content, Object, ObjectId, ObjectKey};
use crate::pass::{Flow, Frame, Pass, State, Value};
use crate::{Error, floats};
use formula::{BinaryOp as Word, Sort, TermId};
use ir::{
    BlockId, Body, Builtin, Cast, Comparison, Constant, FunctionId, GlobalId, Inst, Op, Operand,
    RmwOp, Type,
};
use std::rc::Rc;

impl<'p> Pass<'p> {
    // Operands.

    pub fn value_of(&mut self, state: &State, frame: &Frame, operand: Operand) -> Value {
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
    pub fn term_of(&mut self, state: &State, frame: &Frame, operand: Operand) -> TermId {
        let value = self.value_of(state, frame, operand);
        self.term(&value)
    }

    /// A value as a scalar.
    pub fn term(&mut self, value: &Value) -> TermId {
        match value {
            Value::Term(term) | Value::Partly(term, _) => *term,
            Value::Tuple(_) => self.terms.constant(1, 0),
        }
    }

    pub fn word(&self) -> u32 {
        8 * self.program.target.pointer_bytes as u32
    }

    pub fn width_of(&self, ty: &Type) -> u32 {
        match ty {
            Type::Int(bits) => *bits,
            other => 8 * other.bytes(self.program.target.pointer_bytes) as u32,
        }
    }

    pub fn zero(&mut self, ty: &Type) -> Value {
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

    pub fn offset_bits(&self) -> u32 {
        crate::offset_bits(self.program)
    }

    pub fn address(&mut self, object: ObjectId, offset: i64) -> TermId {
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

    pub fn function_address(&mut self, function: FunctionId) -> TermId {
        let object = self.facts.objects.function(self.program, function);
        self.address(object, 0)
    }

    pub fn label_address(&mut self, function: FunctionId, block: BlockId) -> TermId {
        let object = self.facts.objects.label(function, block);
        self.address(object, 0)
    }

    pub fn global_object(&mut self, global: GlobalId) -> ObjectId {
        if self.program.globals[global].is_thread_local {
            self.facts
                .objects
                .thread_local(self.program, self.threads.current(), global)
        } else {
            self.facts.objects.global(global)
        }
    }

    // Instructions.

    pub fn run_inst(
        &mut self,
        state: &mut State,
        frame: &mut Frame,
        body: &'p Body,
        inst: &'p Inst,
    ) -> Result<Flow, Error> {
        let value = match &inst.op {
            Op::Load { .. } | Op::Store { .. } | Op::Rmw { .. } | Op::CompareExchange { .. } => {
                self.count_execution(frame, state);
                return self.access_memory(state, frame, body, inst);
            }
            Op::Call {
                callee,
                args,
                by_value,
            } => {
                self.count_execution(frame, state);
                return self.call(state, frame, body, inst, callee, args, by_value);
            }
            Op::Any => {
                self.count_execution(frame, state);
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
            Op::Fence { .. } => return Ok(Flow::Next),
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

    pub fn check_size(&self, frame: &Frame, size: u64) -> Result<(), Error> {
        if size >= 1 << self.offset_bits() {
            return Err(self.unsupported(frame, format!("an object of {size} bytes")));
        }
        Ok(())
    }

    /// The greatest value a size can have.
    pub fn greatest(&mut self, frame: &Frame, term: TermId, what: &str) -> Result<u64, Error> {
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

    pub fn upper_bound(&mut self, term: TermId) -> u128 {
        match self.values.few(&self.terms, term) {
            Some(few) => few.last().copied().unwrap_or(0),
            None => *self.terms.range(term).unsigned().end(),
        }
    }

    /// A 1-bit word as a condition.
    pub fn condition(&mut self, bit: TermId) -> TermId {
        if self.terms.is_bool(bit) {
            return bit;
        }
        match self.terms.width(bit) {
            1 => self.terms.is_one(bit),
            _ => self.terms.is_nonzero(bit),
        }
    }

    pub fn is_zero(&mut self, term: TermId) -> TermId {
        let nonzero = self.terms.is_nonzero(term);
        self.terms.not(nonzero)
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
                let holds = self.compare(*op, a, b);
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
                self.cast(*op, a, &from, result, result_width)
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
                let condition = self.condition(condition);
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

    pub fn compare(&mut self, op: Comparison, a: TermId, b: TermId) -> TermId {
        match op {
            Comparison::Equal => self.terms.equal(a, b),
            Comparison::NotEqual => self.terms.different(a, b),
            Comparison::UnsignedLess => self.terms.unsigned_less(a, b),
            Comparison::UnsignedLessEqual => self.terms.unsigned_less_equal(a, b),
            Comparison::UnsignedGreater => self.terms.unsigned_less(b, a),
            Comparison::UnsignedGreaterEqual => self.terms.unsigned_less_equal(b, a),
            Comparison::SignedLess => self.terms.signed_less(a, b),
            Comparison::SignedLessEqual => self.terms.signed_less_equal(a, b),
            Comparison::SignedGreater => self.terms.signed_less(b, a),
            Comparison::SignedGreaterEqual => self.terms.signed_less_equal(b, a),
        }
    }

    /// Applies a function to constants. What is not constant gives any value at
    /// all, which is too much rather than too little.
    pub fn on_constants(
        &mut self,
        args: &[TermId],
        width: u32,
        f: impl Fn(&[u128]) -> u128,
    ) -> TermId {
        let constants: Option<Vec<u128>> = args
            .iter()
            .map(|arg| self.terms.as_constant(*arg))
            .collect();
        match constants {
            Some(values) => self.terms.constant(width, f(&values)),
            None => self.anything(width),
        }
    }

    /// A number about which nothing is said, though the program says something.
    pub fn anything(&mut self, width: u32) -> TermId {
        self.findings.note_coarse(true);
        self.terms.new_variable("coarse", Sort::BitVec(width))
    }

    fn cast(&mut self, op: Cast, a: TermId, from: &Type, to: Option<&Type>, width: u32) -> TermId {
        match op {
            Cast::Truncate | Cast::ZeroExtend | Cast::PointerToInt | Cast::IntToPointer => {
                self.terms.resize(a, width)
            }
            Cast::SignExtend => self.terms.resize_signed(a, width),
            Cast::Reinterpret => a,
            Cast::FloatToSigned
            | Cast::FloatToUnsigned
            | Cast::SignedToFloat
            | Cast::UnsignedToFloat
            | Cast::FloatResize => {
                let from = from.clone();
                let to = to.cloned().unwrap_or(Type::Double);
                self.on_constants(&[a], width, move |v| floats::cast(op, v[0], &from, &to))
            }
        }
    }

    /// The new value of a cell after an atomic read-modify-write.
    pub fn read_modify_write(&mut self, op: RmwOp, old: TermId, operand: TermId) -> TermId {
        match op {
            RmwOp::Exchange => operand,
            RmwOp::Add => self.terms.add(old, operand),
            RmwOp::Sub => self.terms.sub(old, operand),
            RmwOp::And => self.terms.bit_and(old, operand),
            RmwOp::Nand => {
                let both = self.terms.bit_and(old, operand);
                self.terms.bit_not(both)
            }
            RmwOp::Or => self.terms.bit_or(old, operand),
            RmwOp::Xor => self.terms.bit_xor(old, operand),
            RmwOp::SignedMax | RmwOp::SignedMin => {
                let less = self.terms.signed_less(old, operand);
                let is_max = op == RmwOp::SignedMax;
                let (a, b) = if is_max {
                    (operand, old)
                } else {
                    (old, operand)
                };
                self.terms.ite(less, a, b)
            }
            RmwOp::UnsignedMax | RmwOp::UnsignedMin => {
                let less = self.terms.unsigned_less(old, operand);
                let is_max = op == RmwOp::UnsignedMax;
                let (a, b) = if is_max {
                    (operand, old)
                } else {
                    (old, operand)
                };
                self.terms.ite(less, a, b)
            }
            RmwOp::FloatAdd | RmwOp::FloatSub => {
                let width = self.terms.width(old);
                let ty = if width == 32 {
                    Type::Float
                } else {
                    Type::Double
                };
                let op = if op == RmwOp::FloatAdd {
                    ir::FloatOp::Add
                } else {
                    ir::FloatOp::Sub
                };
                self.on_constants(&[old, operand], width, move |v| floats::binary(op, v, &ty))
            }
        }
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
        let pair = |pass: &mut Self, value: TermId, overflow: TermId| {
            let overflow = pass.terms.to_bit(overflow);
            Ok(Value::Tuple(Rc::from([
                Value::Term(value),
                Value::Term(overflow),
            ])))
        };
        let term = match (op, args) {
            (Builtin::Abs, [a, ..]) => {
                let zero = self.terms.constant(width, 0);
                let negative = self.terms.signed_less(*a, zero);
                let negated = self.terms.neg(*a);
                self.terms.ite(negative, negated, *a)
            }
            (Builtin::SignedMax, [a, b]) => self.read_modify_write(RmwOp::SignedMax, *a, *b),
            (Builtin::SignedMin, [a, b]) => self.read_modify_write(RmwOp::SignedMin, *a, *b),
            (Builtin::UnsignedMax, [a, b]) => self.read_modify_write(RmwOp::UnsignedMax, *a, *b),
            (Builtin::UnsignedMin, [a, b]) => self.read_modify_write(RmwOp::UnsignedMin, *a, *b),
            (Builtin::CountOnes, [a, ..]) => {
                let mut sum = self.terms.constant(width, 0);
                for bit in 0..width {
                    let bit = self.terms.extract(*a, bit, bit);
                    let bit = self.terms.resize(bit, width);
                    sum = self.terms.add(sum, bit);
                }
                sum
            }
            (Builtin::CountTrailingZeros | Builtin::CountLeadingZeros, [a, ..]) => {
                let mut count = self.terms.constant(width, u128::from(width));
                for index in 0..width {
                    // The last one to be looked at decides.
                    let (bit, zeros) = if op == Builtin::CountTrailingZeros {
                        (width - 1 - index, width - 1 - index)
                    } else {
                        (index, width - 1 - index)
                    };
                    let bit = self.terms.extract(*a, bit, bit);
                    let is_set = self.terms.is_one(bit);
                    let zeros = self.terms.constant(width, u128::from(zeros));
                    count = self.terms.ite(is_set, zeros, count);
                }
                count
            }
            (Builtin::ByteSwap | Builtin::BitReverse, [a, ..]) => {
                let step = if op == Builtin::ByteSwap { 8 } else { 1 };
                let mut value = None;
                for index in 0..width / step {
                    let piece = self
                        .terms
                        .extract(*a, step * index + step - 1, step * index);
                    value = Some(match value {
                        None => piece,
                        Some(high) => self.terms.concat(high, piece),
                    });
                }
                value.unwrap_or(*a)
            }
            (Builtin::SignedAddOverflow | Builtin::SignedSubOverflow, [a, b]) if width < 128 => {
                let op = match op {
                    Builtin::SignedAddOverflow => Word::Add,
                    _ => Word::Sub,
                };
                let (value, overflow) = self.signed_exactly(op, *a, *b);
                return pair(self, value, overflow);
            }
            (Builtin::SignedMulOverflow, [a, b]) if width <= 64 => {
                let (value, overflow) = self.signed_exactly(Word::Mul, *a, *b);
                return pair(self, value, overflow);
            }
            (Builtin::UnsignedAddOverflow | Builtin::UnsignedSubOverflow, [a, b])
                if width < 128 =>
            {
                let (x, y) = (
                    self.terms.zero_extend(*a, width + 1),
                    self.terms.zero_extend(*b, width + 1),
                );
                let exact = if op == Builtin::UnsignedAddOverflow {
                    self.terms.add(x, y)
                } else {
                    self.terms.sub(x, y)
                };
                let value = self.terms.extract(exact, width - 1, 0);
                let top = self.terms.extract(exact, width, width);
                let overflow = self.terms.is_one(top);
                return pair(self, value, overflow);
            }
            (Builtin::UnsignedMulOverflow, [a, b]) if width <= 64 => {
                let (x, y) = (
                    self.terms.zero_extend(*a, 2 * width),
                    self.terms.zero_extend(*b, 2 * width),
                );
                let exact = self.terms.mul(x, y);
                let value = self.terms.extract(exact, width - 1, 0);
                let back = self.terms.zero_extend(value, 2 * width);
                let overflow = self.terms.different(back, exact);
                return pair(self, value, overflow);
            }
            (Builtin::FunnelShiftLeft | Builtin::FunnelShiftRight, [a, b, shift])
                if width <= 64 =>
            {
                let modulus = self.terms.constant(width, u128::from(width));
                let shift = self.terms.unsigned_rem(*shift, modulus);
                let both = self.terms.concat(*a, *b);
                let shift = self.terms.zero_extend(shift, 2 * width);
                if op == Builtin::FunnelShiftLeft {
                    let shifted = self.terms.shift_left(both, shift);
                    self.terms.extract(shifted, 2 * width - 1, width)
                } else {
                    let shifted = self.terms.shift_right(both, shift);
                    self.terms.extract(shifted, width - 1, 0)
                }
            }
            (Builtin::FloatAbs, [a]) => {
                let mask = self.terms.constant(width, (1 << (width - 1)) - 1);
                self.terms.bit_and(*a, mask)
            }
            _ if ty.is_float() => {
                let ty = ty.clone();
                self.on_constants(args, result_width, move |v| floats::builtin(op, v, &ty))
            }
            _ => return Err(self.unsupported(frame, format!("the builtin {op:?}"))),
        };
        let is_float = ty.is_float();
        let term = if is_float || self.terms.width(term) == result_width {
            term
        } else {
            self.terms.resize(term, result_width)
        };
        Ok(Value::Term(term))
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
