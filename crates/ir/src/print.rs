//! A program as text, for people, for snapshots, and for a digest that tells
//! whether two programs are the same.
//!
//! Everything that has influence on how a program runs is in the text, and the
//! same program always gives the same text. What follows a `;` is for the reader
//! only, for instance source lines. Source types are not printed: they only serve
//! to describe memory in reports.
//!
//! The text is written piece by piece, in time linear in its length; nothing is
//! collected first. There is no parser for it, and ids in the program must be in
//! range (see [`crate::verify`]).

mod words;

use crate::body::{Block, BlockId, Body, Callee, Inst, Op, Operand, Ordering, Phi, Terminator};
use crate::program::{
    ConstId, Constant, Function, FunctionId, Global, GlobalId, Initial, Program, Relocation, Symbol,
};
use crate::source::{Location, SourceType, SourceTypeId};
use crate::types::Type;
use std::fmt::{self, Display, Formatter};

/// Bytes of initial data on one line.
const BYTES_PER_LINE: usize = 32;

impl Display for Program {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let pointer_bytes = self.target.pointer_bytes;
        writeln!(f, "target with pointers of {pointer_bytes} bytes")?;
        writeln!(f, "main {}", self.main)?;
        for function in &self.startup {
            writeln!(f, "startup {function}")?;
        }
        for function in &self.cleanup {
            writeln!(f, "cleanup {function}")?;
        }
        for (id, file) in self.files.iter() {
            writeln!(f, "; {id} is {file:?}")?;
        }
        if !self.globals.is_empty() {
            writeln!(f)?;
        }
        for (id, global) in self.globals.iter() {
            write_global(f, self, id, global)?;
        }
        for id in self.functions.keys() {
            write!(f, "\n{}", self.display_function(id))?;
        }
        Ok(())
    }
}

impl Program {
    /// One function, as it is in the text of the whole program.
    pub fn display_function(&self, id: FunctionId) -> impl Display {
        FunctionText { program: self, id }
    }

    /// One instruction without its location, for instance `v7 = load i32 v2`.
    pub fn display_inst<'a>(&'a self, body: &'a Body, inst: &'a Inst) -> impl Display {
        let program = self;
        InstText {
            program,
            body,
            inst,
        }
    }

    /// An operand: a value, or a constant with its type such as `7:i32`.
    pub fn display_operand(&self, operand: Operand) -> impl Display {
        let program = self;
        OperandText { program, operand }
    }
}

impl Display for Type {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Type::Int(bits) => write!(f, "i{bits}"),
            Type::Float => write!(f, "float"),
            Type::Double => write!(f, "double"),
            Type::Pointer => write!(f, "ptr"),
            Type::Tuple(tuple) => {
                write!(f, "{{")?;
                for (i, (offset, ty)) in tuple.fields.iter().enumerate() {
                    write!(f, "{}{offset}: {ty}", comma(i))?;
                }
                write!(f, " | {} align {}}}", tuple.size, tuple.align)
            }
        }
    }
}

/// What goes before the item at this place of a list.
fn comma(place: usize) -> &'static str {
    if place == 0 { "" } else { ", " }
}

fn write_location(
    f: &mut Formatter<'_>,
    program: &Program,
    location: Option<Location>,
) -> fmt::Result {
    match location {
        Some(location) => write!(f, "  ; {}", program.describe_location(location)),
        None => Ok(()),
    }
}

fn write_global(
    f: &mut Formatter<'_>,
    program: &Program,
    id: GlobalId,
    global: &Global,
) -> fmt::Result {
    write!(f, "{id} = global {:?}", global.symbol)?;
    write!(f, " {} bytes align {}", global.bytes, global.align)?;
    let flags = [
        (global.is_constant, " constant"),
        (global.is_thread_local, " thread_local"),
        (global.is_external, " external"),
        (global.initial == Initial::Zero, " zero"),
    ];
    for (is_set, flag) in flags {
        write!(f, "{}", if is_set { flag } else { "" })?;
    }
    if let Some(name) = &global.name {
        write!(f, "  ; {name}")?;
    }
    if let Some(function) = &global.function {
        write!(f, " in {function}")?;
    }
    write_location(f, program, global.location)?;
    writeln!(f)?;
    if let Initial::Bytes { bytes, relocations } = &global.initial {
        write_bytes(f, bytes)?;
        for relocation in relocations {
            write_relocation(f, relocation)?;
        }
    }
    Ok(())
}

/// Writes the lines that are not all zero, each with its offset.
fn write_bytes(f: &mut Formatter<'_>, bytes: &[u8]) -> fmt::Result {
    for (line, bytes) in bytes.chunks(BYTES_PER_LINE).enumerate() {
        if bytes.iter().all(|&byte| byte == 0) {
            continue;
        }
        write!(f, "  {:#06x}: ", line * BYTES_PER_LINE)?;
        for byte in bytes {
            write!(f, "{byte:02x}")?;
        }
        writeln!(f)?;
    }
    Ok(())
}

fn write_relocation(f: &mut Formatter<'_>, relocation: &Relocation) -> fmt::Result {
    write!(f, "  {:#06x}: address of ", relocation.offset)?;
    match relocation.symbol {
        Symbol::Global(global) => write!(f, "{global}")?,
        Symbol::Function(function) => write!(f, "{function}")?,
        Symbol::Label(function, block) => write!(f, "{function}.{block}")?,
    }
    write_addend(f, relocation.addend)?;
    writeln!(f)
}

fn write_addend(f: &mut Formatter<'_>, addend: i64) -> fmt::Result {
    match addend {
        0 => Ok(()),
        _ => write!(f, "{addend:+}"),
    }
}

struct FunctionText<'a> {
    program: &'a Program,
    id: FunctionId,
}

impl Display for FunctionText<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let function = &self.program.functions[self.id];
        let keyword = if function.body.is_some() {
            "define"
        } else {
            "declare"
        };
        write!(f, "{keyword} {} {:?}", self.id, function.symbol)?;
        self.write_params(f, function)?;
        match &function.result {
            Some(ty) => write!(f, " -> {ty}")?,
            None => write!(f, " -> void")?,
        }
        if function.name != function.symbol {
            write!(f, "  ; {}", function.name)?;
        }
        write_location(f, self.program, function.location)?;
        writeln!(f)?;
        let Some(body) = &function.body else {
            return Ok(());
        };
        for (id, local) in body.locals.iter() {
            write!(f, "  ; {id} is {}", local.name)?;
            write_location(f, self.program, local.location)?;
            writeln!(f)?;
        }
        for (id, block) in body.blocks.iter() {
            self.write_block(f, body, id, block)?;
        }
        Ok(())
    }
}

impl FunctionText<'_> {
    fn write_params(&self, f: &mut Formatter<'_>, function: &Function) -> fmt::Result {
        write!(f, "(")?;
        for (i, param) in function.params.iter().enumerate() {
            write!(f, "{}v{i}: {}", comma(i), param.ty)?;
            if let Some(bytes) = param.by_value {
                write!(f, " by_value {bytes}")?;
            }
        }
        if function.is_variadic {
            write!(f, "{}...", comma(function.params.len()))?;
        }
        write!(f, ")")
    }

    fn write_block(
        &self,
        f: &mut Formatter<'_>,
        body: &Body,
        id: BlockId,
        block: &Block,
    ) -> fmt::Result {
        writeln!(f, "{id}:")?;
        for phi in &block.phis {
            self.write_phi(f, body, phi)?;
        }
        for &inst in &block.insts {
            let inst = &body.insts[inst];
            write!(f, "  {}", self.program.display_inst(body, inst))?;
            write_location(f, self.program, inst.location)?;
            writeln!(f)?;
        }
        write!(f, "  ")?;
        self.write_terminator(f, &block.terminator)?;
        write_location(f, self.program, block.terminator_location)?;
        writeln!(f)
    }

    fn write_phi(&self, f: &mut Formatter<'_>, body: &Body, phi: &Phi) -> fmt::Result {
        write!(f, "  {} = phi {} ", phi.result, body.values[phi.result])?;
        for (i, &(block, operand)) in phi.incoming.iter().enumerate() {
            let operand = self.program.display_operand(operand);
            write!(f, "{}{block}: {operand}", comma(i))?;
        }
        writeln!(f)
    }

    fn write_terminator(&self, f: &mut Formatter<'_>, terminator: &Terminator) -> fmt::Result {
        let show = |operand: &Operand| self.program.display_operand(*operand);
        match terminator {
            Terminator::Jump(target) => write!(f, "jump {target}"),
            Terminator::Branch {
                condition,
                then,
                otherwise,
            } => write!(f, "branch {} {then} else {otherwise}", show(condition)),
            Terminator::Switch {
                value,
                cases,
                default,
            } => {
                write!(f, "switch {}", show(value))?;
                for (case, target) in cases {
                    write!(f, " {case}: {target},")?;
                }
                write!(f, " else {default}")
            }
            Terminator::IndirectJump { address, targets } => {
                write!(f, "jump_to {} of ", show(address))?;
                for (i, target) in targets.iter().enumerate() {
                    write!(f, "{}{target}", comma(i))?;
                }
                Ok(())
            }
            Terminator::Return(Some(value)) => write!(f, "return {}", show(value)),
            Terminator::Return(None) => write!(f, "return"),
            Terminator::Unreachable => write!(f, "unreachable"),
        }
    }
}

struct OperandText<'a> {
    program: &'a Program,
    operand: Operand,
}

impl Display for OperandText<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self.operand {
            Operand::Value(value) => write!(f, "{value}"),
            Operand::Const(id) => write_constant(f, self.program, id),
        }
    }
}

fn write_constant(f: &mut Formatter<'_>, program: &Program, id: ConstId) -> fmt::Result {
    match program.constant(id) {
        Constant::Int { bits, value } => match signed(*bits, *value) {
            Some(signed) => write!(f, "{signed}:i{bits}"),
            None => write!(f, "{value}:i{bits}"),
        },
        // Only finite numbers can be told apart by their decimal form.
        Constant::Float(pattern) => match f32::from_bits(*pattern) {
            value if value.is_finite() => write!(f, "{value:?}:float"),
            _ => write!(f, "{pattern:#010x}:float"),
        },
        Constant::Double(pattern) => match f64::from_bits(*pattern) {
            value if value.is_finite() => write!(f, "{value:?}:double"),
            _ => write!(f, "{pattern:#018x}:double"),
        },
        Constant::Null => write!(f, "null"),
        Constant::Global { global, offset } => {
            write!(f, "{global}")?;
            write_addend(f, *offset)
        }
        Constant::Function(function) => write!(f, "{function}"),
        Constant::Label(function, block) => write!(f, "{function}.{block}"),
        Constant::Tuple { ty, fields } => {
            write!(f, "(")?;
            for (i, &field) in fields.iter().enumerate() {
                write!(f, "{}", comma(i))?;
                write_constant(f, program, field)?;
            }
            write!(f, "):{ty}")
        }
        Constant::Undefined(ty) => write!(f, "undefined:{ty}"),
    }
}

/// Small numbers below zero read better with a sign. A single bit has none.
fn signed(bits: u32, value: u128) -> Option<i128> {
    let unused = 128u32.checked_sub(bits).filter(|_| bits > 1)?;
    Some((value << unused) as i128 >> unused)
}

struct InstText<'a> {
    program: &'a Program,
    body: &'a Body,
    inst: &'a Inst,
}

impl Display for InstText<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        if let Some(result) = self.inst.result {
            write!(f, "{result} = ")?;
        }
        let (op, show) = (&self.inst.op, |operand| {
            self.program.display_operand(operand)
        });
        match op {
            Op::Any => self.head(f, "any"),
            Op::Local {
                variable,
                bytes,
                align,
                count,
            } => {
                self.head(f, "local")?;
                write!(f, " {bytes} bytes align {align}")?;
                if let Some(count) = count {
                    write!(f, " times {}", show(*count))?;
                }
                match variable {
                    Some(variable) => write!(f, "  ; {}", self.body.locals[*variable].name),
                    None => Ok(()),
                }
            }
            Op::Load {
                address,
                ordering,
                is_volatile,
            } => {
                self.head(f, "load")?;
                write!(f, " {}", show(*address))?;
                write_access(f, *ordering, *is_volatile)
            }
            Op::Store {
                address,
                value,
                ordering,
                is_volatile,
            } => {
                write!(f, "store {}, {}", show(*value), show(*address))?;
                write_access(f, *ordering, *is_volatile)
            }
            Op::Rmw {
                op,
                address,
                value,
                ordering,
            } => {
                self.head(f, format_args!("atomic_{op}"))?;
                write!(f, " {}, {} {ordering}", show(*address), show(*value))
            }
            Op::CompareExchange {
                address,
                expected,
                replacement,
                success,
                failure,
                is_weak,
            } => {
                self.head(f, "compare_exchange")?;
                write!(f, " {}", if *is_weak { "weak " } else { "" })?;
                let (expected, replacement) = (show(*expected), show(*replacement));
                write!(f, "{}, {expected}, {replacement}", show(*address))?;
                write!(f, " {success} {failure}")
            }
            Op::Fence { ordering } => write!(f, "fence {ordering}"),
            Op::Binary {
                op, no_signed_wrap, ..
            } => {
                self.head_and_operands(f, op)?;
                write!(
                    f,
                    "{}",
                    if *no_signed_wrap {
                        " no_signed_wrap"
                    } else {
                        ""
                    }
                )
            }
            Op::FloatBinary { op, .. } => self.head_and_operands(f, op),
            Op::FloatNegate { .. } => self.head_and_operands(f, "float_negate"),
            Op::Compare { op, .. } => self.head_and_operands(f, op),
            Op::FloatCompare { op, .. } => self.head_and_operands(f, op),
            Op::Cast { op, .. } => self.head_and_operands(f, op),
            Op::Offset {
                base,
                bytes,
                terms,
                record,
            } => {
                self.head(f, "offset")?;
                write!(f, " {}, {bytes}", show(*base))?;
                for (index, scale) in terms {
                    write!(f, ", {} * {scale}", show(*index))?;
                }
                self.write_record(f, *record)
            }
            Op::Select { .. } => self.head_and_operands(f, "select"),
            Op::Extract { path, .. } => {
                self.head_and_operands(f, "extract")?;
                write_path(f, path)
            }
            Op::Insert { path, .. } => {
                self.head_and_operands(f, "insert")?;
                write_path(f, path)
            }
            Op::Call {
                callee,
                args,
                by_value,
            } => {
                self.head(f, "call")?;
                match callee {
                    Callee::Direct(id) => {
                        write!(f, " {id} {:?}(", self.program.functions[*id].symbol)?;
                    }
                    Callee::Indirect(target) => write!(f, " {}(", show(*target))?,
                }
                for (i, arg) in args.iter().enumerate() {
                    write!(f, "{}{}", comma(i), show(*arg))?;
                    if let Some(Some(bytes)) = by_value.get(i) {
                        write!(f, " by_value {bytes}")?;
                    }
                }
                write!(f, ")")
            }
            Op::Builtin { op, .. } => self.head_and_operands(f, op),
            Op::VaStart { .. } => self.head_and_operands(f, "va_start"),
            Op::VaCopy { .. } => self.head_and_operands(f, "va_copy"),
            Op::SaveStack => self.head(f, "save_stack"),
            Op::RestoreStack { .. } => self.head_and_operands(f, "restore_stack"),
            Op::Unsupported { what } => {
                self.head(f, "unsupported")?;
                write!(f, " {what:?}")
            }
        }
    }
}

impl InstText<'_> {
    /// The operation's word and the type of its result.
    fn head(&self, f: &mut Formatter<'_>, word: impl Display) -> fmt::Result {
        match self.inst.result {
            Some(result) => write!(f, "{word} {}", self.body.values[result]),
            None => write!(f, "{word}"),
        }
    }

    /// The form of all operations that have nothing but operands.
    fn head_and_operands(&self, f: &mut Formatter<'_>, word: impl Display) -> fmt::Result {
        self.head(f, word)?;
        let (mut outcome, mut place) = (Ok(()), 0);
        self.inst.op.for_each_operand(|operand| {
            let operand = self.program.display_operand(operand);
            let separator = if place == 0 { " " } else { ", " };
            outcome = outcome.and_then(|()| write!(f, "{separator}{operand}"));
            place += 1;
        });
        outcome
    }

    fn write_record(&self, f: &mut Formatter<'_>, record: Option<SourceTypeId>) -> fmt::Result {
        match record.map(|ty| &self.program.source_types[ty]) {
            Some(SourceType::Record {
                name: Some(name), ..
            }) => write!(f, "  ; in {name}"),
            _ => Ok(()),
        }
    }
}

fn write_access(
    f: &mut Formatter<'_>,
    ordering: Option<Ordering>,
    is_volatile: bool,
) -> fmt::Result {
    if let Some(ordering) = ordering {
        write!(f, " {ordering}")?;
    }
    write!(f, "{}", if is_volatile { " volatile" } else { "" })
}

fn write_path(f: &mut Formatter<'_>, path: &[u32]) -> fmt::Result {
    write!(f, " at ")?;
    for (i, field) in path.iter().enumerate() {
        write!(f, "{}{field}", if i == 0 { "" } else { "." })?;
    }
    Ok(())
}

#[cfg(test)]
mod tests;
