//! What registers hold and where operands are while assembly code is translated.

use super::flags::Flags;
use crate::assembly::{Argument, Base, Constraints, FlagSet, Input, Output, Place, Register};
use crate::ast::{Call, Typed, Value as AstValue};
use crate::lower::body::BodyLowering;
use crate::lower::constants::{mask, sign_extend};
use crate::lower::{Attempt, malformed};
use ir::{BinaryOp, Cast, Comparison, Op, Operand, Ordering, Type};

/// An outcome that may be a reason why the code is not supported.
pub(super) type Reasoned<T> = Attempt<Result<T, String>>;

/// Gives up with a reason, unless there is a value.
macro_rules! known {
    ($outcome:expr) => {
        match $outcome {
            Ok(value) => value,
            Err(why) => return Ok(Err(why)),
        }
    };
}
pub(super) use known;

pub(super) fn refuse<T>(why: impl Into<String>) -> Reasoned<T> {
    Ok(Err(why.into()))
}

#[derive(Clone)]
pub(super) struct Value {
    pub operand: Operand,
    pub ty: Type,
}

/// A register: one by name, or the one that the compiler will choose.
struct Cell {
    /// Nothing is known of bits beyond its type's, unless `is_zero_above`.
    content: Option<Value>,
    is_zero_above: bool,
    /// The type of the output or input that it is.
    ty: Type,
    fixed: Option<Register>,
    /// What constraint it has, if it is no general-purpose register.
    other: Option<String>,
    role: Role,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Role {
    /// Only read by the code. The compiler may have put an output that is not
    /// early into the same register.
    Input,
    /// Only written, and perhaps in the register of an input.
    LateOutput,
    /// A register of its own.
    Own,
}

#[derive(Clone)]
enum Whereabouts {
    Cell(usize),
    Memory(Operand),
    Immediate(i128),
    /// An output in the flags, which no instruction can name.
    Flag,
}

/// What an argument of an instruction denotes.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Target {
    Register { cell: usize, bits: u32 },
    Memory(Operand),
    Immediate(i128),
}

pub(super) struct Machine<'b, 'l, 'm, 'a> {
    pub body: &'b mut BodyLowering<'l, 'm, 'a>,
    cells: Vec<Cell>,
    operands: Vec<Whereabouts>,
    clobbered: Vec<Register>,
    /// An output was written that may share its register with an input; if it is
    /// a certain register, which one.
    overwritten: Option<Option<Register>>,
    pub flags: Flags,
    /// Flags that some instruction or output depends on.
    pub wanted: FlagSet,
    load_order: Ordering,
    store_order: Ordering,
}

impl<'b, 'l, 'm, 'a> Machine<'b, 'l, 'm, 'a> {
    pub(super) fn new(
        body: &'b mut BodyLowering<'l, 'm, 'a>,
        constraints: &Constraints,
        types: &[Type],
        call: &'m Call<'a>,
    ) -> Attempt<Self> {
        let (load_order, store_order) = match constraints.clobbers_memory {
            true => (Ordering::Acquire, Ordering::Release),
            false => (Ordering::Relaxed, Ordering::Relaxed),
        };
        let mut machine = Machine {
            body,
            cells: Vec::new(),
            operands: Vec::new(),
            clobbered: constraints.clobbered.clone(),
            overwritten: None,
            flags: Flags::default(),
            wanted: FlagSet::default(),
            load_order,
            store_order,
        };
        let mut types = types.iter();
        for output in &constraints.outputs {
            let place = match output {
                Output::Memory { argument } => {
                    Whereabouts::Memory(machine.address(call, *argument)?)
                }
                Output::Flag(conditional) => {
                    types.next();
                    machine.wanted = machine.wanted.or(conditional.condition.flags());
                    Whereabouts::Flag
                }
                Output::Value { place, is_early } => {
                    let Some(ty) = types.next() else {
                        return malformed("a type for each output");
                    };
                    let role = if *is_early {
                        Role::Own
                    } else {
                        Role::LateOutput
                    };
                    Whereabouts::Cell(machine.cell(place, ty, role))
                }
            };
            machine.operands.push(place);
        }
        for input in &constraints.inputs {
            let place = machine.input(call, input)?;
            machine.operands.push(place);
        }
        Ok(machine)
    }

    fn cell(&mut self, place: &Place, ty: &Type, role: Role) -> usize {
        let fixed = match place {
            Place::Fixed(register) => Some(*register),
            _ => None,
        };
        if fixed.is_some()
            && let Some(known) = self.cells.iter().position(|cell| cell.fixed == fixed)
        {
            return known;
        }
        self.cells.push(Cell {
            content: None,
            is_zero_above: false,
            ty: ty.clone(),
            fixed,
            other: match place {
                Place::Other(kind) => Some(kind.clone()),
                _ => None,
            },
            role,
        });
        self.cells.len() - 1
    }

    fn argument(call: &'m Call<'a>, argument: usize) -> Attempt<&'m Typed<'a>> {
        match call.args.get(argument) {
            Some((arg, _)) => Ok(arg),
            None => malformed("one more argument"),
        }
    }

    fn address(&mut self, call: &'m Call<'a>, argument: usize) -> Attempt<Operand> {
        let arg = Self::argument(call, argument)?;
        if self.body.value_type(arg.ty)? != Type::Pointer {
            return malformed("a pointer");
        }
        self.body.operand(arg)
    }

    fn input(&mut self, call: &'m Call<'a>, input: &Input) -> Attempt<Whereabouts> {
        let (argument, tied) = match input {
            Input::Placed {
                place: Place::Memory,
                argument,
            } => return Ok(Whereabouts::Memory(self.address(call, *argument)?)),
            Input::Placed { argument, .. } => (*argument, None),
            Input::Tied { operand, argument } => (*argument, Some(*operand)),
        };
        let arg = Self::argument(call, argument)?;
        let ty = self.body.value_type(arg.ty)?;
        if let Input::Placed {
            place: Place::Immediate,
            ..
        } = input
            && let (Type::Int(bits), AstValue::Constant(constant)) = (&ty, &arg.value)
        {
            let folded = self
                .body
                .lowering
                .fold(self.body.module, arg.ty, constant)?;
            if let Some(scalar) = folded.filter(|scalar| scalar.symbol.is_none()) {
                return Ok(Whereabouts::Immediate(sign_extend(scalar.value, *bits)));
            }
        }
        let operand = self.body.operand(arg)?;
        let cell = match (tied, input) {
            (Some(tied), _) => match self.operands.get(tied) {
                Some(Whereabouts::Cell(cell)) => {
                    self.cells[*cell].role = Role::Own;
                    *cell
                }
                Some(Whereabouts::Memory(_)) if ty == Type::Pointer => {
                    return Ok(Whereabouts::Memory(operand));
                }
                _ => return malformed("an output to share a register with"),
            },
            (None, Input::Placed { place, .. }) => {
                let cell = self.cell(place, &ty, Role::Input);
                if self.cells[cell].role == Role::LateOutput {
                    self.cells[cell].role = Role::Own;
                }
                cell
            }
            (None, Input::Tied { .. }) => return malformed("an output to share a register with"),
        };
        self.cells[cell].content = Some(Value { operand, ty });
        Ok(Whereabouts::Cell(cell))
    }

    // Arguments of instructions.

    pub(super) fn register_bits(&self) -> u32 {
        self.body.lowering.pointer_bits()
    }

    /// A register that the code names itself.
    pub(super) fn fixed(&mut self, register: Register) -> Result<usize, String> {
        let is_it = |cell: &Cell| cell.fixed == Some(register);
        if let Some(known) = self.cells.iter().position(is_it) {
            return Ok(known);
        }
        if !self.clobbered.contains(&register) {
            return Err("it uses a register that is neither operand nor clobbered".into());
        }
        let ty = Type::Int(self.register_bits());
        Ok(self.cell(&Place::Fixed(register), &ty, Role::Own))
    }

    fn base(&mut self, base: Base) -> Reasoned<Target> {
        Ok(Ok(match base {
            Base::Register(register, bits) => {
                let cell = known!(self.fixed(register));
                Target::Register { cell, bits }
            }
            Base::Operand(number, part) => match self.operands.get(number).cloned() {
                Some(Whereabouts::Cell(cell)) => {
                    let bits = known!(self.part_bits(cell, part));
                    Target::Register { cell, bits }
                }
                Some(Whereabouts::Memory(address)) => {
                    known!(self.is_still_there(None));
                    known!(only_sizes(part));
                    Target::Memory(address)
                }
                Some(Whereabouts::Immediate(value)) => {
                    known!(only_sizes(part));
                    Target::Immediate(value)
                }
                Some(Whereabouts::Flag) | None => {
                    return refuse(format!("it has no operand {number}"));
                }
            },
        }))
    }

    fn part_bits(&self, cell: usize, part: Option<char>) -> Result<u32, String> {
        if let Some(kind) = &self.cells[cell].other {
            return Err(format!(
                "an operand is in a register of another kind: {kind}"
            ));
        }
        Ok(match part {
            None => match self.cells[cell].ty {
                Type::Int(bits @ (8 | 16 | 32 | 64)) => bits,
                Type::Pointer => self.register_bits(),
                _ => return Err("an operand fits no register".into()),
            },
            Some('b') => 8,
            Some('w') => 16,
            Some('k') => 32,
            Some('q') => 64,
            Some(other) => return Err(format!("the operand modifier `{other}`")),
        })
    }

    pub(super) fn target(&mut self, argument: &Argument) -> Reasoned<Target> {
        let (displacement, base, index) = match *argument {
            Argument::Immediate(value) => return Ok(Ok(Target::Immediate(value))),
            Argument::Register(register, bits) => {
                return self.base(Base::Register(register, bits));
            }
            Argument::Operand(number, part) => return self.base(Base::Operand(number, part)),
            Argument::Memory {
                displacement,
                base,
                index,
            } => (displacement, base, index),
        };
        let base = known!(self.address_register(base)?);
        let base = self.pointer(base);
        let mut terms = Vec::new();
        if let Some((index, scale)) = index {
            let index = known!(self.address_register(index)?);
            let bits = self.register_bits();
            terms.push((self.word(index, bits), scale));
        }
        if displacement == 0 && terms.is_empty() {
            return Ok(Ok(Target::Memory(base)));
        }
        let op = Op::Offset {
            base,
            bytes: displacement,
            terms,
            record: None,
        };
        Ok(Ok(Target::Memory(self.body.emit_new(op, Type::Pointer))))
    }

    fn address_register(&mut self, base: Base) -> Reasoned<Value> {
        match known!(self.base(base)?) {
            Target::Register { cell, bits } if bits == self.register_bits() => {
                Ok(self.read_cell(cell, bits))
            }
            _ => refuse("an address is in no whole register"),
        }
    }

    // Registers.

    /// Fails when an output may have taken the register of an input by now.
    fn is_still_there(&self, fixed: Option<Register>) -> Result<(), String> {
        match self.overwritten {
            Some(output) if output.is_none() || fixed.is_none() => {
                Err("an output is written before all inputs are read, and has no `&`".into())
            }
            _ => Ok(()),
        }
    }

    pub(super) fn read_cell(&mut self, cell: usize, bits: u32) -> Result<Value, String> {
        let known = &self.cells[cell];
        if known.role == Role::Input {
            self.is_still_there(known.fixed)?;
        }
        let is_zero_above = known.is_zero_above;
        let Some(value) = known.content.clone() else {
            return Err("it reads a register that nothing was put into".into());
        };
        let known_bits = match value.ty {
            Type::Pointer => self.register_bits(),
            Type::Int(bits) => bits,
            _ => return Err("a register holds no integer".into()),
        };
        if known_bits == bits {
            return Ok(value);
        }
        if known_bits < bits && !is_zero_above {
            return Err("it reads more of a register than was put into it".into());
        }
        let operand = self.word(value, bits);
        Ok(Value {
            operand,
            ty: Type::Int(bits),
        })
    }

    pub(super) fn write_cell(
        &mut self,
        cell: usize,
        bits: u32,
        value: Value,
    ) -> Result<(), String> {
        let known = &self.cells[cell];
        if known.role == Role::Input {
            return Err("it writes to a register that is an input only".into());
        }
        if known.role == Role::LateOutput {
            // Two outputs in certain registers: those are different ones.
            self.overwritten = Some(match self.overwritten {
                Some(None) => None,
                _ => known.fixed,
            });
        }
        let old = known.content.clone();
        let old_bits = match old.as_ref().map(|old| &old.ty) {
            Some(Type::Int(bits)) => *bits,
            Some(Type::Pointer) => self.register_bits(),
            Some(_) => return Err("a register holds no integer".into()),
            None => 0,
        };
        if bits >= 32 || old_bits <= bits {
            let known = &mut self.cells[cell];
            // Writing 32 bits clears those above; writing fewer leaves them.
            known.is_zero_above = bits == 32 || bits < 32 && known.is_zero_above;
            known.content = Some(value);
            return Ok(());
        }
        let Some(old) = old else {
            return Ok(());
        };
        let old = self.word(old, old_bits);
        let above = self.body.int(old_bits, mask(old_bits) & !mask(bits));
        let above = self.binary(BinaryOp::And, old, above, old_bits);
        let below = self.word(value, old_bits);
        let operand = self.binary(BinaryOp::Or, above, below, old_bits);
        self.cells[cell].content = Some(Value {
            operand,
            ty: Type::Int(old_bits),
        });
        Ok(())
    }

    /// Nothing more is known of the bits above those last written.
    pub(super) fn forget_above(&mut self, cell: usize) {
        self.cells[cell].is_zero_above = false;
    }

    /// Whether a register is to hold an address in the end.
    pub(super) fn holds_pointer(&self, target: Target) -> bool {
        match target {
            Target::Register { cell, bits } => {
                self.cells[cell].ty == Type::Pointer && bits == self.register_bits()
            }
            _ => false,
        }
    }

    // Values.

    pub(super) fn read(&mut self, target: Target, bits: u32) -> Result<Value, String> {
        let ty = Type::Int(bits);
        match target {
            Target::Register { cell, .. } => self.read_cell(cell, bits),
            Target::Immediate(value) => {
                let operand = self.body.int(bits, value as u128 & mask(bits));
                Ok(Value { operand, ty })
            }
            Target::Memory(address) => Ok(self.load(address, ty)),
        }
    }

    pub(super) fn write(&mut self, target: Target, bits: u32, value: Value) -> Result<(), String> {
        match target {
            Target::Register { cell, .. } => self.write_cell(cell, bits, value),
            Target::Immediate(_) => Err("it writes to a constant".into()),
            Target::Memory(address) => {
                let op = Op::Store {
                    address,
                    value: value.operand,
                    ordering: Some(self.store_order),
                    is_volatile: false,
                };
                self.body.emit(op, None);
                Ok(())
            }
        }
    }

    pub(super) fn load(&mut self, address: Operand, ty: Type) -> Value {
        let op = Op::Load {
            address,
            ordering: Some(self.load_order),
            is_volatile: false,
        };
        let operand = self.body.emit_new(op, ty.clone());
        Value { operand, ty }
    }

    /// A value as an integer, cut or filled with zeros.
    pub(super) fn word(&mut self, value: Value, bits: u32) -> Operand {
        let (operand, known) = match value.ty {
            Type::Int(known) => (value.operand, known),
            _ => {
                let known = self.register_bits();
                (
                    self.cast(Cast::PointerToInt, value.operand, Type::Int(known)),
                    known,
                )
            }
        };
        match known.cmp(&bits) {
            std::cmp::Ordering::Equal => operand,
            std::cmp::Ordering::Less => self.cast(Cast::ZeroExtend, operand, Type::Int(bits)),
            std::cmp::Ordering::Greater => self.cast(Cast::Truncate, operand, Type::Int(bits)),
        }
    }

    pub(super) fn pointer(&mut self, value: Value) -> Operand {
        match value.ty {
            Type::Int(_) => self.cast(Cast::IntToPointer, value.operand, Type::Pointer),
            _ => value.operand,
        }
    }

    pub(super) fn cast(&mut self, op: Cast, value: Operand, ty: Type) -> Operand {
        self.body.emit_new(Op::Cast { op, value }, ty)
    }

    pub(super) fn binary(
        &mut self,
        op: BinaryOp,
        left: Operand,
        right: Operand,
        bits: u32,
    ) -> Operand {
        let op = Op::Binary {
            op,
            left,
            right,
            no_signed_wrap: false,
        };
        self.body.emit_new(op, Type::Int(bits))
    }

    pub(super) fn compare(&mut self, op: Comparison, left: Operand, right: Operand) -> Operand {
        let op = Op::Compare { op, left, right };
        self.body.emit_new(op, Type::BOOL)
    }

    // Results.

    /// The outputs that the call yields, each of its type.
    pub(super) fn results(&mut self, outputs: &[Output], types: &[Type]) -> Reasoned<Vec<Operand>> {
        let mut results = Vec::with_capacity(types.len());
        for (number, output) in outputs.iter().enumerate() {
            let Some(ty) = types.get(results.len()) else {
                continue;
            };
            let result = match (output, self.operands.get(number).cloned()) {
                (Output::Memory { .. }, _) => continue,
                (Output::Flag(conditional), _) => {
                    let holds = known!(self.holds(*conditional));
                    match ty {
                        Type::Int(1) => holds,
                        Type::Int(_) => self.cast(Cast::ZeroExtend, holds, ty.clone()),
                        _ => return refuse("a flag is no integer"),
                    }
                }
                (Output::Value { .. }, Some(Whereabouts::Cell(cell))) => {
                    known!(self.result(cell, ty))
                }
                (Output::Value { .. }, _) => return malformed("an output"),
            };
            results.push(result);
        }
        Ok(Ok(results))
    }

    fn result(&mut self, cell: usize, ty: &Type) -> Result<Operand, String> {
        let content = self.cells[cell].content.clone();
        match (content, ty) {
            // Whatever happened to be there.
            (None, Type::Tuple(_)) => Err("an output is a struct".into()),
            (None, _) => Ok(self.body.emit_new(Op::Any, ty.clone())),
            (Some(value), _) if value.ty == *ty => Ok(value.operand),
            (Some(_), Type::Int(bits)) => {
                let value = self.read_cell(cell, *bits)?;
                Ok(self.word(value, *bits))
            }
            (Some(_), Type::Pointer) => {
                let bits = self.register_bits();
                let value = self.read_cell(cell, bits)?;
                Ok(self.pointer(value))
            }
            _ => Err("an output differs from its input in type".into()),
        }
    }
}

/// Parts of what is no register are chosen by the instruction alone.
fn only_sizes(part: Option<char>) -> Result<(), String> {
    match part {
        None | Some('b' | 'w' | 'k' | 'q') => Ok(()),
        Some(other) => Err(format!("the operand modifier `{other}`")),
    }
}
