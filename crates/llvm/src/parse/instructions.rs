//! Parses function bodies: blocks, instructions and their operands.

use super::constants::{binary_op, cast_op, comparison};
use super::metadata::MetadataArgument;
use super::{Parser, Result};
use crate::ast::{
    BinaryKind, Block, Body, Inst, InstKind, Name, Node, NodeId, Slot, SlotUse, Type, TypeId,
    Typed, Value,
};
use crate::lex::{Token, unquote};
use std::collections::HashMap;

/// The local names of the function being read, and the numbers that nameless
/// parameters, blocks and results get.
#[derive(Default)]
pub(super) struct FunctionNames<'a> {
    slots: Vec<SlotUse>,
    ids: HashMap<Name<'a>, Slot>,
    next_number: u32,
    declarations: HashMap<Slot, NodeId>,
}

impl<'a> FunctionNames<'a> {
    fn slot(&mut self, name: Name<'a>) -> Slot {
        let slots = &mut self.slots;
        *self.ids.entry(name).or_insert_with(|| {
            slots.push(SlotUse::Undefined);
            Slot(slots.len() as u32 - 1)
        })
    }

    /// Gives a name its meaning; `None` if it already has one.
    fn define(&mut self, name: Option<Name<'a>>, meaning: SlotUse) -> Option<Slot> {
        let name = match name {
            Some(name) => {
                if let Ok(number) = name.parse::<u32>() {
                    self.next_number = number.saturating_add(1);
                }
                name
            }
            None => {
                let number = self.next_number;
                self.next_number = number.saturating_add(1);
                Name::Owned(number.to_string())
            }
        };
        let slot = self.slot(name);
        let place = &mut self.slots[slot.0 as usize];
        if *place != SlotUse::Undefined {
            return None;
        }
        *place = meaning;
        Some(slot)
    }

    pub(super) fn define_param(&mut self, name: Option<Name<'a>>, param: u32) {
        self.define(name, SlotUse::Param(param));
    }
}

/// One instruction before it gets a result name.
pub(super) type Parsed<'a> = (TypeId, InstKind<'a>);

fn float_op(word: &str) -> Option<ir::FloatOp> {
    use ir::FloatOp::*;
    Some(match word {
        "fadd" => Add,
        "fsub" => Sub,
        "fmul" => Mul,
        "fdiv" => Div,
        "frem" => Rem,
        _ => return None,
    })
}

fn float_comparison(word: &str) -> Option<ir::FloatComparison> {
    // The first letter says whether unordered operands make it true.
    let (unordered, relation) = match word {
        "true" => (true, "rd"),
        "false" => (false, "none"),
        "ord" => (false, "rd"),
        "uno" => (true, "none"),
        _ => match word.split_at_checked(1)? {
            ("o", relation) => (false, relation),
            ("u", relation) => (true, relation),
            _ => return None,
        },
    };
    let (less, equal, greater) = match relation {
        "eq" => (false, true, false),
        "ne" => (true, false, true),
        "lt" => (true, false, false),
        "le" => (true, true, false),
        "gt" => (false, false, true),
        "ge" => (false, true, true),
        "rd" => (true, true, true),
        "none" => (false, false, false),
        _ => return None,
    };
    Some(ir::FloatComparison {
        less,
        equal,
        greater,
        unordered,
    })
}

fn rmw_op(word: &str) -> Option<ir::RmwOp> {
    use ir::RmwOp::*;
    Some(match word {
        "xchg" => Exchange,
        "add" => Add,
        "sub" => Sub,
        "and" => And,
        "nand" => Nand,
        "or" => Or,
        "xor" => Xor,
        "max" => SignedMax,
        "min" => SignedMin,
        "umax" => UnsignedMax,
        "umin" => UnsignedMin,
        "fadd" => FloatAdd,
        "fsub" => FloatSub,
        _ => return None,
    })
}

fn ordering(word: &str) -> Option<ir::Ordering> {
    use ir::Ordering::*;
    Some(match word {
        "unordered" => Unordered,
        "monotonic" => Relaxed,
        "acquire" => Acquire,
        "release" => Release,
        "acq_rel" => AcquireRelease,
        "seq_cst" => SequentiallyConsistent,
        _ => return None,
    })
}

impl<'a> Parser<'a> {
    pub(super) fn body(&mut self, names: FunctionNames<'a>) -> Result<Body<'a>> {
        self.expect(b'{')?;
        let mut reader = BodyReader {
            parser: self,
            names,
            block_names: HashMap::new(),
            blocks: Vec::new(),
        };
        while !reader.parser.at(b'}') {
            reader.block()?;
        }
        if reader.blocks.is_empty() {
            return reader.parser.fail("a block");
        }
        let body = Body {
            slots: reader.names.slots,
            block_names: reader.block_names,
            blocks: reader.blocks,
            declarations: reader.names.declarations,
        };
        self.advance();
        Ok(body)
    }
}

pub(super) struct BodyReader<'p, 'a> {
    pub(super) parser: &'p mut Parser<'a>,
    names: FunctionNames<'a>,
    block_names: HashMap<Name<'a>, u32>,
    blocks: Vec<Block<'a>>,
}

impl<'a> BodyReader<'_, 'a> {
    fn block(&mut self) -> Result<()> {
        let number = self.blocks.len() as u32;
        let name = match self.parser.token {
            Token::Label(raw) => {
                self.parser.advance();
                Some(unquote(raw))
            }
            _ => None,
        };
        let known_name = match &name {
            Some(name) => name.clone(),
            None => Name::Owned(self.names.next_number.to_string()),
        };
        if self.names.define(name, SlotUse::Block(number)).is_none() {
            return self.parser.fail("another name for this block");
        }
        self.block_names.insert(known_name, number);
        let mut insts = Vec::new();
        loop {
            match self.parser.token {
                Token::Record(kind) => insts.extend(self.debug_record(kind)?),
                Token::Word("uselistorder" | "uselistorder_bb") => {
                    let start = self.parser.start;
                    self.parser.skip_line_of(start);
                }
                _ => {
                    let inst = self.instruction(number, insts.len() as u32)?;
                    let is_last = inst.kind.is_terminator();
                    insts.push(inst);
                    if is_last {
                        break;
                    }
                }
            }
        }
        // Use-list orders stand between the last block and the brace.
        while let Token::Word("uselistorder" | "uselistorder_bb") = self.parser.token {
            let start = self.parser.start;
            self.parser.skip_line_of(start);
        }
        self.blocks.push(Block { insts });
        Ok(())
    }

    /// `#dbg_declare(ptr %x, !5, !DIExpression(), !6)`, `#dbg_label(!5, !6)`.
    fn debug_record(&mut self, kind: &str) -> Result<Option<Inst<'a>>> {
        let offset = self.parser.offset();
        self.parser.advance();
        if !matches!(kind, "dbg_declare" | "dbg_label") {
            if !self.parser.at(b'(') {
                return self.parser.fail("`(`");
            }
            self.parser.skip_balanced()?;
            return Ok(None);
        }
        self.parser.expect(b'(')?;
        let mut arguments = Vec::new();
        while !self.parser.accept(b')') {
            if !arguments.is_empty() {
                self.parser.expect(b',')?;
            }
            arguments.push(self.metadata_argument()?);
        }
        if kind == "dbg_declare" {
            self.declare(&arguments);
        }
        let (&[MetadataArgument::Node(label), MetadataArgument::Node(place)], "dbg_label") =
            (&arguments[..], kind)
        else {
            return Ok(None);
        };
        Ok(Some(Inst {
            offset,
            result: None,
            ty: self.parser.module.types.intern(Type::Void),
            kind: InstKind::Label(label),
            debug: Some(place),
        }))
    }

    pub(super) fn metadata_argument(&mut self) -> Result<MetadataArgument<'a>> {
        let names = &mut self.names;
        self.parser
            .metadata_argument(|_, raw| names.slot(unquote(raw)))
    }

    pub(super) fn declare(&mut self, arguments: &[MetadataArgument<'a>]) {
        let [
            MetadataArgument::Local(slot),
            MetadataArgument::Node(variable),
            expression,
            ..,
        ] = arguments
        else {
            return;
        };
        // With any operation in the expression the variable is not simply what
        // the alloca holds (it may hold the variable's address).
        let is_plain = match expression {
            MetadataArgument::Inline(Node { fields, .. }) => fields.is_empty(),
            _ => false,
        };
        if is_plain {
            self.names.declarations.entry(*slot).or_insert(*variable);
        }
    }

    fn instruction(&mut self, block: u32, index: u32) -> Result<Inst<'a>> {
        let mut name = None;
        if let Token::Local(raw) = self.parser.token {
            name = Some(unquote(raw));
            self.parser.advance();
            self.parser.expect(b'=')?;
        }
        let offset = self.parser.offset();
        let Token::Word(opcode) = self.parser.token else {
            return self.parser.fail("an instruction");
        };
        self.parser.advance();
        let (ty, mut kind) = self.operation(opcode)?;
        let (align, debug) = self.suffix()?;
        if let InstKind::Alloca { align: place, .. } = &mut kind {
            *place = align;
        }
        let has_result = !self.parser.module.types.is_void(ty);
        if !has_result && name.is_some() {
            return self
                .parser
                .fail("no name for an instruction without result");
        }
        let result = if has_result {
            let slot = self.names.define(name, SlotUse::Inst { block, index });
            if slot.is_none() {
                return self.parser.fail("another name for this result");
            }
            slot
        } else {
            None
        };
        Ok(Inst {
            offset,
            result,
            ty,
            kind,
            debug,
        })
    }

    /// `, align 4, !dbg !5, !range !{...}`.
    fn suffix(&mut self) -> Result<(Option<u64>, Option<NodeId>)> {
        let mut align = None;
        let mut debug = None;
        while self.parser.accept(b',') {
            match self.parser.token {
                Token::Word("align") => {
                    self.parser.advance();
                    align = Some(self.parser.integer()?);
                }
                Token::Word("addrspace") => {
                    self.parser.advance();
                    self.parser.skip_balanced()?;
                }
                Token::MetadataName(name) => {
                    let node = self.parser.attachment()?;
                    if name == "dbg" {
                        debug = node;
                    }
                }
                _ => return self.parser.fail("an alignment or metadata"),
            }
        }
        Ok((align, debug))
    }

    pub(super) fn void(&mut self) -> TypeId {
        self.parser.module.types.intern(Type::Void)
    }

    // Operands.

    pub(super) fn value(&mut self, ty: TypeId) -> Result<Value<'a>> {
        if let Token::Local(raw) = self.parser.token {
            self.parser.advance();
            return Ok(Value::Local(self.names.slot(unquote(raw))));
        }
        Ok(Value::Constant(self.parser.constant(ty)?))
    }

    pub(super) fn typed(&mut self) -> Result<Typed<'a>> {
        let ty = self.parser.any_type()?;
        let value = self.value(ty)?;
        Ok(Typed { ty, value })
    }

    /// `, i32 %x`.
    pub(super) fn next_typed(&mut self) -> Result<Typed<'a>> {
        self.parser.expect(b',')?;
        self.typed()
    }

    /// `i32 %x, %y`.
    fn typed_pair(&mut self) -> Result<(Typed<'a>, Typed<'a>)> {
        let left = self.typed()?;
        self.parser.expect(b',')?;
        let value = self.value(left.ty)?;
        let right = Typed { ty: left.ty, value };
        Ok((left, right))
    }

    pub(super) fn label(&mut self) -> Result<Slot> {
        self.parser.expect_word("label")?;
        let Token::Local(raw) = self.parser.token else {
            return self.parser.fail("a label");
        };
        self.parser.advance();
        Ok(self.names.slot(unquote(raw)))
    }

    fn path(&mut self) -> Result<Vec<u32>> {
        let mut path = Vec::new();
        // A comma may also introduce an attachment.
        while self.parser.at(b',') {
            let mut ahead = self.parser.lexer.clone();
            if !matches!(ahead.next().1, Token::Integer(_)) {
                break;
            }
            self.parser.advance();
            path.push(self.parser.small_integer()?);
        }
        if path.is_empty() {
            return self.parser.fail("a field number");
        }
        Ok(path)
    }

    fn field_type(&mut self, mut ty: TypeId, path: &[u32]) -> Result<TypeId> {
        for index in path {
            match self.parser.module.types.field(ty, u64::from(*index)) {
                Some(field) => ty = field,
                None => return self.parser.fail("the number of an existing field"),
            }
        }
        Ok(ty)
    }

    /// The type of a comparison of values of type `ty`.
    fn comparison_type(&mut self, ty: TypeId) -> TypeId {
        let types = &mut self.parser.module.types;
        let bool_type = types.intern(Type::Int(1));
        match *types.get(ty) {
            Type::Vector { count, .. } => types.intern(Type::Vector {
                count,
                element: bool_type,
            }),
            _ => bool_type,
        }
    }

    /// `syncscope("singlethread") acquire`, either part may be missing.
    fn optional_ordering(&mut self) -> Result<Option<ir::Ordering>> {
        if self.parser.accept_word("syncscope") {
            self.parser.skip_balanced()?;
        }
        if let Token::Word(word) = self.parser.token
            && let Some(ordering) = ordering(word)
        {
            self.parser.advance();
            return Ok(Some(ordering));
        }
        Ok(None)
    }

    fn ordering(&mut self) -> Result<ir::Ordering> {
        match self.optional_ordering()? {
            Some(ordering) => Ok(ordering),
            None => self.parser.fail("a memory order"),
        }
    }

    // Operations.

    fn operation(&mut self, opcode: &'a str) -> Result<Parsed<'a>> {
        if let Some(op) = binary_op(opcode) {
            let no_signed_wrap = self.parser.skip_flags()?;
            let (left, right) = self.typed_pair()?;
            return Ok((
                left.ty,
                InstKind::Binary {
                    op: BinaryKind::Int(op),
                    left,
                    right,
                    no_signed_wrap,
                },
            ));
        }
        if let Some(op) = float_op(opcode) {
            self.parser.skip_flags()?;
            let (left, right) = self.typed_pair()?;
            return Ok((
                left.ty,
                InstKind::Binary {
                    op: BinaryKind::Float(op),
                    left,
                    right,
                    no_signed_wrap: false,
                },
            ));
        }
        if let Some(op) = cast_op(opcode) {
            self.parser.skip_flags()?;
            let value = self.typed()?;
            self.parser.expect_word("to")?;
            let to = self.parser.any_type()?;
            return Ok((to, InstKind::Cast { op, value }));
        }
        match opcode {
            "alloca" | "load" | "store" | "fence" | "cmpxchg" | "atomicrmw" => {
                self.memory_operation(opcode)
            }
            "ret" | "br" | "switch" | "indirectbr" | "invoke" | "callbr" | "resume"
            | "unreachable" | "cleanupret" | "catchret" | "catchswitch" => self.terminator(opcode),
            "tail" | "musttail" | "notail" => {
                self.parser.expect_word("call")?;
                self.call()
            }
            "call" => self.call(),
            "icmp" | "fcmp" => self.compare(opcode == "fcmp"),
            _ => self.other_operation(opcode),
        }
    }

    fn compare(&mut self, is_float: bool) -> Result<Parsed<'a>> {
        self.parser.skip_flags()?;
        let Token::Word(predicate) = self.parser.token else {
            return self.parser.fail("a comparison");
        };
        self.parser.advance();
        let (left, right) = self.typed_pair()?;
        let ty = self.comparison_type(left.ty);
        let kind = if is_float {
            float_comparison(predicate).map(|op| InstKind::FloatCompare { op, left, right })
        } else {
            comparison(predicate).map(|op| InstKind::Compare { op, left, right })
        };
        match kind {
            Some(kind) => Ok((ty, kind)),
            None => self.parser.fail("a comparison"),
        }
    }

    fn memory_operation(&mut self, opcode: &str) -> Result<Parsed<'a>> {
        let void = self.void();
        match opcode {
            "alloca" => {
                self.parser.accept_word("inalloca");
                self.parser.accept_word("swifterror");
                let ty = self.parser.any_type()?;
                let mut count = None;
                if self.parser.at(b',') {
                    let mut ahead = self.parser.lexer.clone();
                    if let Token::Word(word) = ahead.next().1
                        && word.starts_with('i')
                    {
                        count = Some(self.next_typed()?);
                    }
                }
                let pointer = self.parser.pointer_type();
                let align = None;
                Ok((pointer, InstKind::Alloca { ty, count, align }))
            }
            "load" => {
                self.parser.accept_word("atomic");
                let is_volatile = self.parser.accept_word("volatile");
                let ty = self.parser.any_type()?;
                let address = self.next_typed()?;
                let ordering = self.optional_ordering()?;
                let load = InstKind::Load {
                    address,
                    ordering,
                    is_volatile,
                };
                Ok((ty, load))
            }
            "store" => {
                self.parser.accept_word("atomic");
                let is_volatile = self.parser.accept_word("volatile");
                let value = self.typed()?;
                let address = self.next_typed()?;
                let ordering = self.optional_ordering()?;
                let store = InstKind::Store {
                    value,
                    address,
                    ordering,
                    is_volatile,
                };
                Ok((void, store))
            }
            "fence" => {
                let start = self.parser.start;
                let ordering = self.ordering()?;
                let scope = &self.parser.text[start..self.parser.start];
                let is_shared = !scope.contains("\"singlethread\"");
                Ok((void, InstKind::Fence(is_shared.then_some(ordering))))
            }
            "cmpxchg" => {
                let is_weak = self.parser.accept_word("weak");
                self.parser.accept_word("volatile");
                let address = self.typed()?;
                let expected = self.next_typed()?;
                let replacement = self.next_typed()?;
                let success = self.ordering()?;
                let failure = self.ordering()?;
                let types = &mut self.parser.module.types;
                let flag = types.intern(Type::Int(1));
                let ty = types.intern(Type::Struct {
                    fields: [expected.ty, flag].into(),
                    is_packed: false,
                });
                let exchange = InstKind::CompareExchange {
                    address,
                    expected,
                    replacement,
                    success,
                    failure,
                    is_weak,
                };
                Ok((ty, exchange))
            }
            _ => {
                self.parser.accept_word("volatile");
                let Token::Word(name) = self.parser.token else {
                    return self.parser.fail("an atomic operation");
                };
                self.parser.advance();
                let address = self.typed()?;
                let value = self.next_typed()?;
                let ordering = self.ordering()?;
                let ty = value.ty;
                let rmw = InstKind::Rmw {
                    op: rmw_op(name).ok_or(name),
                    address,
                    ordering,
                    value,
                };
                Ok((ty, rmw))
            }
        }
    }

    fn other_operation(&mut self, opcode: &str) -> Result<Parsed<'a>> {
        match opcode {
            "getelementptr" => {
                self.parser.skip_flags()?;
                let source = self.parser.any_type()?;
                let base = self.next_typed()?;
                let mut indices = Vec::new();
                while self.parser.at(b',') {
                    let mut ahead = self.parser.lexer.clone();
                    if matches!(ahead.next().1, Token::MetadataName(_)) {
                        break;
                    }
                    indices.push(self.next_typed()?);
                }
                let ty = base.ty;
                let kind = InstKind::ElementPointer {
                    source,
                    base,
                    indices,
                };
                Ok((ty, kind))
            }
            "fneg" => {
                self.parser.skip_flags()?;
                let value = self.typed()?;
                Ok((value.ty, InstKind::FloatNegate(value)))
            }
            "freeze" => {
                let value = self.typed()?;
                Ok((value.ty, InstKind::Freeze(value)))
            }
            "select" => {
                self.parser.skip_flags()?;
                let condition = self.typed()?;
                let then = self.next_typed()?;
                let otherwise = self.next_typed()?;
                let ty = then.ty;
                let kind = InstKind::Select {
                    condition,
                    then,
                    otherwise,
                };
                Ok((ty, kind))
            }
            "extractvalue" => {
                let tuple = self.typed()?;
                let path = self.path()?;
                let ty = self.field_type(tuple.ty, &path)?;
                Ok((ty, InstKind::Extract { tuple, path }))
            }
            "insertvalue" => {
                let tuple = self.typed()?;
                let field = self.next_typed()?;
                let path = self.path()?;
                if self.field_type(tuple.ty, &path)? != field.ty {
                    return self.parser.fail("a field of the inserted value's type");
                }
                let ty = tuple.ty;
                let kind = InstKind::Insert { tuple, field, path };
                Ok((ty, kind))
            }
            "extractelement" => {
                let vector = self.typed()?;
                let index = self.next_typed()?;
                let ty = self.field_type(vector.ty, &[0])?;
                Ok((ty, InstKind::ExtractElement { vector, index }))
            }
            "insertelement" => {
                let vector = self.typed()?;
                let element = self.next_typed()?;
                let index = self.next_typed()?;
                let ty = vector.ty;
                let kind = InstKind::InsertElement {
                    vector,
                    element,
                    index,
                };
                Ok((ty, kind))
            }
            "shufflevector" => {
                let left = self.typed()?;
                let right = self.next_typed()?;
                let mask = self.next_typed()?;
                let element = self.field_type(left.ty, &[0])?;
                let types = &mut self.parser.module.types;
                let count = match types.get(mask.ty) {
                    Type::Vector { count, .. } => *count,
                    _ => return self.parser.fail("a vector"),
                };
                let ty = types.intern(Type::Vector { count, element });
                Ok((ty, InstKind::Shuffle { left, right, mask }))
            }
            "phi" => {
                self.parser.skip_flags()?;
                let ty = self.parser.any_type()?;
                let mut incoming = Vec::new();
                while incoming.is_empty() || self.phi_continues() {
                    if !incoming.is_empty() {
                        self.parser.expect(b',')?;
                    }
                    self.parser.expect(b'[')?;
                    let value = self.value(ty)?;
                    self.parser.expect(b',')?;
                    let Token::Local(raw) = self.parser.token else {
                        return self.parser.fail("a label");
                    };
                    self.parser.advance();
                    let block = self.names.slot(unquote(raw));
                    self.parser.expect(b']')?;
                    incoming.push((Typed { ty, value }, block));
                }
                Ok((ty, InstKind::Phi(incoming)))
            }
            "va_arg" => {
                self.typed()?;
                self.parser.expect(b',')?;
                let ty = self.parser.any_type()?;
                let what = "reading a variadic argument (va_arg)".into();
                Ok((ty, InstKind::Unsupported(what)))
            }
            "landingpad" => {
                let ty = self.parser.any_type()?;
                self.parser.accept_word("cleanup");
                while self.parser.accept_word("catch") || self.parser.accept_word("filter") {
                    self.parser.typed_constant()?;
                }
                let what = "handling of a C++ exception".into();
                Ok((ty, InstKind::Unsupported(what)))
            }
            "catchpad" | "cleanuppad" => {
                let start = self.parser.start;
                self.parser.skip_line_of(start);
                let ty = self.parser.module.types.intern(Type::Other("token"));
                let what = "handling of an exception".into();
                Ok((ty, InstKind::Unsupported(what)))
            }
            _ => self.parser.fail("an instruction"),
        }
    }

    fn phi_continues(&mut self) -> bool {
        let mut ahead = self.parser.lexer.clone();
        self.parser.at(b',') && ahead.next().1 == Token::Punctuation(b'[')
    }
}
