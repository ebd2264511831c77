//! What each instruction does.

use super::flags::{Flags, Kind};
use super::machine::{Machine, Reasoned, Target, Value, known, refuse};
use crate::assembly::{Argument, Base, BitChange, Condition, Instruction, Name, Register};
use crate::lower::constants::mask;
use ir::{BinaryOp, Cast, Comparison, Op, Operand, Ordering, RmwOp, Type};
use std::sync::Arc;

impl Machine<'_, '_, '_, '_> {
    pub(super) fn execute(&mut self, instruction: &Instruction) -> Reasoned<()> {
        if let Some(is_fence) = on_stack(instruction) {
            if !is_fence {
                return refuse("it uses the stack");
            }
            self.fence(Ordering::SequentiallyConsistent);
            self.flags = Flags::default();
            return Ok(Ok(()));
        }
        match instruction.name {
            Name::Nothing => return Ok(Ok(())),
            Name::FullFence => {
                self.fence(Ordering::SequentiallyConsistent);
                return Ok(Ok(()));
            }
            // Neither orders a store before a load.
            Name::LoadFence => {
                self.fence(Ordering::Acquire);
                return Ok(Ok(()));
            }
            Name::StoreFence => {
                self.fence(Ordering::Release);
                return Ok(Ok(()));
            }
            Name::TimeStamp { with_processor } => return Ok(self.time_stamp(with_processor)),
            _ => {}
        }
        let mut targets = Vec::with_capacity(instruction.args.len());
        for argument in &instruction.args {
            targets.push(known!(self.target(argument)?));
        }
        let bits = known!(self.size(instruction, &targets));
        let is_locked = instruction.is_locked;
        let Some((destination, sources)) = targets.split_last() else {
            return refuse("an instruction without arguments");
        };
        if is_locked && !targets.iter().any(|one| matches!(one, Target::Memory(_))) {
            return refuse("it locks what is no memory");
        }
        Ok(match (instruction.name, sources) {
            (Name::CompareExchangePair { half }, []) => {
                self.compare_exchange_pair(*destination, half, is_locked)
            }
            (Name::Set(conditional), []) => {
                let holds = known!(self.holds(conditional));
                let operand = self.cast(Cast::ZeroExtend, holds, Type::Int(8));
                self.write(*destination, 8, int(operand, 8))
            }
            (name, []) => self.unary(name, *destination, bits, is_locked),
            (Name::Move, [source]) => self.move_value(*source, *destination, bits),
            (
                Name::Widen {
                    from,
                    to,
                    is_signed,
                },
                [source],
            ) => {
                let value = known!(self.read(*source, from));
                let value = self.word(value, from);
                let op = match is_signed {
                    true => Cast::SignExtend,
                    false => Cast::ZeroExtend,
                };
                let operand = self.cast(op, value, Type::Int(to));
                self.write(*destination, to, int(operand, to))
            }
            (Name::MoveIf(conditional), [source]) => {
                let condition = known!(self.holds(conditional));
                let then = known!(self.read_word(*source, bits));
                let otherwise = known!(self.read_word(*destination, bits));
                let op = Op::Select {
                    condition,
                    then,
                    otherwise,
                };
                let operand = self.body.emit_new(op, Type::Int(bits));
                self.write(*destination, bits, int(operand, bits))
            }
            (Name::Exchange, [source]) => self.exchange(*source, *destination, bits),
            (Name::ExchangeAdd, [source]) => {
                self.exchange_add(*source, *destination, bits, is_locked)
            }
            (Name::CompareExchange, [source]) => {
                self.compare_exchange(*source, *destination, bits, is_locked)
            }
            (Name::BitTest(change), [source]) => {
                self.bit_test(change, *source, *destination, bits, is_locked)
            }
            (name, [source]) => self.arithmetic(name, *source, *destination, bits, is_locked),
            _ => Err("an instruction with many arguments".into()),
        })
    }

    fn fence(&mut self, ordering: Ordering) {
        self.body.emit(Op::Fence { ordering }, None);
    }

    /// How many bits an instruction works on.
    fn size(&self, instruction: &Instruction, targets: &[Target]) -> Result<u32, String> {
        let allowed = self.register_bits();
        let sizes = targets.iter().filter_map(|target| match target {
            Target::Register { bits, .. } => Some(*bits),
            _ => None,
        });
        let (expected, sizes): (Option<u32>, Vec<u32>) = match instruction.name {
            Name::CompareExchangePair { half } if half <= allowed => return Ok(half),
            Name::CompareExchangePair { .. } => return Err("there are no such registers".into()),
            Name::Set(_) => (Some(8), sizes.collect()),
            Name::Widen { from, to, .. } => {
                let expected = [from, to];
                for (target, expected) in targets.iter().zip(expected) {
                    if let Target::Register { bits, .. } = target
                        && *bits != expected
                    {
                        return Err("an operand has another size".into());
                    }
                }
                (Some(to), vec![to])
            }
            _ => (instruction.bits, sizes.collect()),
        };
        let Some(size) = expected.or(sizes.first().copied()) else {
            return Err("the size of its operands is not known".into());
        };
        if sizes.iter().any(|known| *known != size) {
            return Err("an operand has another size".into());
        }
        if size > allowed {
            return Err("there are no such registers".into());
        }
        Ok(size)
    }

    fn read_word(&mut self, target: Target, bits: u32) -> Result<Operand, String> {
        let value = self.read(target, bits)?;
        Ok(self.word(value, bits))
    }

    fn write_fixed(&mut self, register: Register, bits: u32, value: Value) -> Result<(), String> {
        let cell = self.fixed(register)?;
        self.write_cell(cell, bits, value)
    }

    /// What a comparison found. If it was what was expected, the register holds
    /// that value already and keeps its other bits.
    fn write_found(&mut self, register: Register, bits: u32, value: Value) -> Result<(), String> {
        let cell = self.fixed(register)?;
        self.write_cell(cell, bits, value)?;
        self.forget_above(cell);
        Ok(())
    }

    fn read_fixed(&mut self, register: Register, bits: u32) -> Result<Value, String> {
        let cell = self.fixed(register)?;
        self.read_cell(cell, bits)
    }

    fn time_stamp(&mut self, with_processor: bool) -> Result<(), String> {
        for register in [Register::A, Register::D] {
            let operand = self.body.emit_new(Op::Any, Type::Int(32));
            self.write_fixed(register, 32, int(operand, 32))?;
        }
        if with_processor {
            let operand = self.body.emit_new(Op::Any, Type::Int(32));
            self.write_fixed(Register::C, 32, int(operand, 32))?;
        }
        Ok(())
    }

    fn move_value(&mut self, source: Target, destination: Target, bits: u32) -> Result<(), String> {
        let value = match source {
            Target::Memory(_) if matches!(destination, Target::Memory(_)) => {
                return Err("it moves from memory to memory".into());
            }
            Target::Memory(address) if self.holds_pointer(destination) => {
                self.load(address, Type::Pointer)
            }
            _ => self.read(source, bits)?,
        };
        self.write(destination, bits, value)
    }

    // Arithmetic.

    fn unary(
        &mut self,
        name: Name,
        destination: Target,
        bits: u32,
        is_locked: bool,
    ) -> Result<(), String> {
        let one = self.body.int(bits, 1);
        let ones = self.body.int(bits, mask(bits));
        let (op, value, kind) = match name {
            Name::Increment => (RmwOp::Add, one, Some(Kind::Increment)),
            Name::Decrement => (RmwOp::Sub, one, Some(Kind::Decrement)),
            Name::Not => (RmwOp::Xor, ones, None),
            Name::Negate => {
                let old = self.read_word(destination, bits)?;
                let zero = self.body.int(bits, 0);
                let new = self.binary(BinaryOp::Sub, zero, old, bits);
                self.write(destination, bits, int(new, bits))?;
                self.set_flags(Kind::Negate, [old, zero, new], bits);
                return Ok(());
            }
            _ => return Err("an instruction that is not known".into()),
        };
        let old = self.modify(destination, bits, op, value, is_locked)?;
        if let Some(kind) = kind {
            let new = self.modified(op, old, value, bits);
            self.set_flags(kind, [old, value, new], bits);
        }
        Ok(())
    }

    fn arithmetic(
        &mut self,
        name: Name,
        source: Target,
        destination: Target,
        bits: u32,
        is_locked: bool,
    ) -> Result<(), String> {
        let is_same = source == destination && matches!(source, Target::Register { .. });
        let zero = self.body.int(bits, 0);
        // What a register minus itself is does not depend on it.
        match name {
            Name::SubtractCarry if is_same => {
                let carry = self.holds(Condition::named("c").ok_or("no carry")?)?;
                let carry = self.cast(Cast::ZeroExtend, carry, Type::Int(bits));
                let result = self.binary(BinaryOp::Sub, zero, carry, bits);
                self.write(destination, bits, int(result, bits))?;
                self.set_flags(Kind::Subtract, [zero, carry, result], bits);
                return Ok(());
            }
            Name::Sub | Name::Xor if is_same => {
                self.write(destination, bits, int(zero, bits))?;
                self.set_flags(Kind::Logic, [zero; 3], bits);
                return Ok(());
            }
            _ => {}
        }
        let value = self.read_word(source, bits)?;
        let (op, kind) = match name {
            Name::Add => (RmwOp::Add, Kind::Add),
            Name::Sub => (RmwOp::Sub, Kind::Subtract),
            Name::And => (RmwOp::And, Kind::Logic),
            Name::Or => (RmwOp::Or, Kind::Logic),
            Name::Xor => (RmwOp::Xor, Kind::Logic),
            Name::Compare | Name::Test => {
                let old = self.read_word(destination, bits)?;
                let (op, kind) = match name {
                    Name::Compare => (RmwOp::Sub, Kind::Subtract),
                    _ => (RmwOp::And, Kind::Logic),
                };
                let result = self.modified(op, old, value, bits);
                self.set_flags(kind, [old, value, result], bits);
                return Ok(());
            }
            _ => return Err("an instruction that is not known".into()),
        };
        let old = self.modify(destination, bits, op, value, is_locked)?;
        let new = self.modified(op, old, value, bits);
        self.set_flags(kind, [old, value, new], bits);
        Ok(())
    }

    /// Changes a place, and gives its old value.
    fn modify(
        &mut self,
        destination: Target,
        bits: u32,
        op: RmwOp,
        value: Operand,
        is_locked: bool,
    ) -> Result<Operand, String> {
        if let (true, Target::Memory(address)) = (is_locked, destination) {
            let op = Op::Rmw {
                op,
                address,
                value,
                ordering: Ordering::SequentiallyConsistent,
            };
            return Ok(self.body.emit_new(op, Type::Int(bits)));
        }
        if is_locked {
            return Err("it locks what is no memory".into());
        }
        let old = self.read_word(destination, bits)?;
        let new = self.modified(op, old, value, bits);
        self.write(destination, bits, int(new, bits))?;
        Ok(old)
    }

    fn modified(&mut self, op: RmwOp, old: Operand, value: Operand, bits: u32) -> Operand {
        let op = match op {
            RmwOp::Add => BinaryOp::Add,
            RmwOp::Sub => BinaryOp::Sub,
            RmwOp::And => BinaryOp::And,
            RmwOp::Or => BinaryOp::Or,
            _ => BinaryOp::Xor,
        };
        self.binary(op, old, value, bits)
    }

    // Exchanges.

    /// With memory it is locked even if it does not say so.
    fn exchange(&mut self, source: Target, destination: Target, bits: u32) -> Result<(), String> {
        let (register, address) = match (source, destination) {
            (Target::Memory(address), register) | (register, Target::Memory(address)) => {
                (register, address)
            }
            _ => {
                let first = self.read(source, bits)?;
                let second = self.read(destination, bits)?;
                self.write(source, bits, second)?;
                return self.write(destination, bits, first);
            }
        };
        let Target::Register { .. } = register else {
            return Err("it exchanges no register".into());
        };
        let mut value = self.read(register, bits)?;
        if self.holds_pointer(register) {
            value = pointer(self.pointer(value));
        }
        let op = Op::Rmw {
            op: RmwOp::Exchange,
            address,
            value: value.operand,
            ordering: Ordering::SequentiallyConsistent,
        };
        let operand = self.body.emit_new(op, value.ty.clone());
        let ty = value.ty;
        self.write(register, bits, Value { operand, ty })
    }

    fn exchange_add(
        &mut self,
        source: Target,
        destination: Target,
        bits: u32,
        is_locked: bool,
    ) -> Result<(), String> {
        let Target::Register { .. } = source else {
            return Err("it exchanges no register".into());
        };
        let value = self.read_word(source, bits)?;
        if let Target::Register { .. } = destination {
            let old = self.read_word(destination, bits)?;
            let new = self.modified(RmwOp::Add, old, value, bits);
            self.write(source, bits, int(old, bits))?;
            self.write(destination, bits, int(new, bits))?;
            self.set_flags(Kind::Add, [old, value, new], bits);
            return Ok(());
        }
        let old = self.modify(destination, bits, RmwOp::Add, value, is_locked)?;
        self.write(source, bits, int(old, bits))?;
        if self.wanted != Default::default() {
            let new = self.modified(RmwOp::Add, old, value, bits);
            self.set_flags(Kind::Add, [old, value, new], bits);
        }
        Ok(())
    }

    fn compare_exchange(
        &mut self,
        source: Target,
        destination: Target,
        bits: u32,
        is_locked: bool,
    ) -> Result<(), String> {
        let expected = self.read_fixed(Register::A, bits)?;
        let replacement = self.read(source, bits)?;
        let is_pointer = [&expected, &replacement]
            .iter()
            .any(|value| value.ty == Type::Pointer);
        let (expected, replacement) = if is_pointer {
            let expected = self.pointer(expected);
            (pointer(expected), pointer(self.pointer(replacement)))
        } else {
            (expected, replacement)
        };
        let (old, is_equal) = self.swap(destination, bits, &expected, replacement, is_locked)?;
        if self.wanted != Default::default() {
            let accumulator = self.word(expected, bits);
            let found = self.word(old.clone(), bits);
            let result = self.binary(BinaryOp::Sub, accumulator, found, bits);
            self.set_flags(Kind::Subtract, [accumulator, found, result], bits);
            self.flags.zero = Some(is_equal);
        }
        self.write_found(Register::A, bits, old)
    }

    fn compare_exchange_pair(
        &mut self,
        destination: Target,
        half: u32,
        is_locked: bool,
    ) -> Result<(), String> {
        let Target::Memory(_) = destination else {
            return Err("it exchanges no memory".into());
        };
        let whole = 2 * half;
        let expected = self.pair(Register::D, Register::A, half)?;
        let replacement = self.pair(Register::C, Register::B, half)?;
        let (old, is_equal) = self.swap(destination, whole, &expected, replacement, is_locked)?;
        let shift = self.body.int(whole, u128::from(half));
        let high = self.binary(BinaryOp::LogicalShiftRight, old.operand, shift, whole);
        let high = self.word(int(high, whole), half);
        let low = self.word(old, half);
        self.write_found(Register::A, half, int(low, half))?;
        self.write_found(Register::D, half, int(high, half))?;
        self.flags.zero = Some(is_equal);
        Ok(())
    }

    fn pair(&mut self, high: Register, low: Register, half: u32) -> Result<Value, String> {
        let whole = 2 * half;
        let high = self.read_fixed(high, half)?;
        let high = self.word(high, whole);
        let low = self.read_fixed(low, half)?;
        let low = self.word(low, whole);
        let shift = self.body.int(whole, u128::from(half));
        let high = self.binary(BinaryOp::ShiftLeft, high, shift, whole);
        let operand = self.binary(BinaryOp::Or, high, low, whole);
        Ok(int(operand, whole))
    }

    /// Replaces what is there if it is `expected`: what was there, and whether.
    fn swap(
        &mut self,
        destination: Target,
        bits: u32,
        expected: &Value,
        replacement: Value,
        is_locked: bool,
    ) -> Result<(Value, Operand), String> {
        let ty = expected.ty.clone();
        if let (true, Target::Memory(address)) = (is_locked, destination) {
            let bytes = u64::from(bits / 8);
            let outcome = Type::Tuple(Arc::new(ir::Tuple {
                fields: vec![(0, ty.clone()), (bytes, Type::BOOL)],
                size: 2 * bytes,
                align: bytes,
            }));
            let op = Op::CompareExchange {
                address,
                expected: expected.operand,
                replacement: replacement.operand,
                success: Ordering::SequentiallyConsistent,
                failure: Ordering::SequentiallyConsistent,
                is_weak: false,
            };
            let tuple = self.body.emit_new(op, outcome);
            let mut field = |index, ty| {
                let path = vec![index];
                self.body.emit_new(Op::Extract { tuple, path }, ty)
            };
            let operand = field(0, ty.clone());
            let is_equal = field(1, Type::BOOL);
            return Ok((Value { operand, ty }, is_equal));
        }
        let old = match destination {
            Target::Memory(address) => self.load(address, ty.clone()),
            _ => {
                let value = self.read(destination, bits)?;
                match ty {
                    Type::Pointer => pointer(self.pointer(value)),
                    _ => int(self.word(value, bits), bits),
                }
            }
        };
        let is_equal = self.compare(Comparison::Equal, expected.operand, old.operand);
        let op = Op::Select {
            condition: is_equal,
            then: replacement.operand,
            otherwise: old.operand,
        };
        // The processor writes back the old value if they differ.
        let operand = self.body.emit_new(op, ty.clone());
        self.write(destination, bits, Value { operand, ty })?;
        Ok((old, is_equal))
    }

    // Bits.

    fn bit_test(
        &mut self,
        change: BitChange,
        source: Target,
        destination: Target,
        bits: u32,
        is_locked: bool,
    ) -> Result<(), String> {
        if bits == 8 {
            return Err("bits of bytes cannot be tested".into());
        }
        let (number, destination) = self.bit_place(source, destination, bits)?;
        let one = self.body.int(bits, 1);
        let bit_mask = self.binary(BinaryOp::ShiftLeft, one, number, bits);
        let (op, value) = match change {
            BitChange::None => (None, bit_mask),
            BitChange::Set => (Some(RmwOp::Or), bit_mask),
            BitChange::Complement => (Some(RmwOp::Xor), bit_mask),
            BitChange::Reset => {
                let ones = self.body.int(bits, mask(bits));
                let others = self.binary(BinaryOp::Xor, bit_mask, ones, bits);
                (Some(RmwOp::And), others)
            }
        };
        let old = match op {
            Some(op) => self.modify(destination, bits, op, value, is_locked)?,
            None => self.read_word(destination, bits)?,
        };
        let bit = self.binary(BinaryOp::And, old, bit_mask, bits);
        let zero = self.body.int(bits, 0);
        let is_set = self.compare(Comparison::NotEqual, bit, zero);
        self.set_tested_bit(is_set);
        Ok(())
    }

    /// The number of the bit within a word, and the word: in memory, a bit whose
    /// number is in a register may lie before or behind the operand.
    fn bit_place(
        &mut self,
        source: Target,
        destination: Target,
        bits: u32,
    ) -> Result<(Operand, Target), String> {
        let within = self.body.int(bits, u128::from(bits - 1));
        let number = self.read_word(source, bits)?;
        let place = self.binary(BinaryOp::And, number, within, bits);
        let (Target::Register { .. }, Target::Memory(base)) = (source, destination) else {
            return match source {
                Target::Memory(_) => Err("the number of a bit is in memory".into()),
                _ => Ok((place, destination)),
            };
        };
        let shift = self.body.int(bits, u128::from(bits.trailing_zeros()));
        let word = self.binary(BinaryOp::ArithmeticShiftRight, number, shift, bits);
        let op = Op::Offset {
            base,
            bytes: 0,
            terms: vec![(word, i64::from(bits / 8))],
            record: None,
        };
        let address = self.body.emit_new(op, Type::Pointer);
        Ok((place, Target::Memory(address)))
    }
}

fn int(operand: Operand, bits: u32) -> Value {
    Value {
        operand,
        ty: Type::Int(bits),
    }
}

fn pointer(operand: Operand) -> Value {
    Value {
        operand,
        ty: Type::Pointer,
    }
}

/// For instructions on the top of the stack: whether they change nothing, which
/// makes a fence of them if they are locked.
fn on_stack(instruction: &Instruction) -> Option<bool> {
    let is_stack = |argument: &Argument| {
        matches!(
            argument,
            Argument::Memory {
                base: Base::Register(Register::STACK, _),
                ..
            } | Argument::Register(Register::STACK, _)
        )
    };
    if !instruction.args.iter().any(is_stack) {
        return None;
    }
    let neutral = match instruction.name {
        Name::Add | Name::Sub | Name::Or | Name::Xor => 0,
        Name::And => -1,
        _ => return Some(false),
    };
    let [Argument::Immediate(value), Argument::Memory { .. }] = instruction.args[..] else {
        return Some(false);
    };
    Some(instruction.is_locked && value == neutral)
}
