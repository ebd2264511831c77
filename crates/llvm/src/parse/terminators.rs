//! The ends of blocks, and calls (some of which are ends of blocks).

use super::constants::{binary_op, cast_op};
use super::instructions::{BodyReader, Parsed};
use super::metadata::MetadataArgument;
use super::{Parser, Result};
use crate::ast::{
    Assembly, Call, Callee, InstKind, ParamAttributes, Slot, Type, TypeId, Typed, TypedConstant,
    Value,
};
use crate::lex::Token;

fn is_opcode(word: &str) -> bool {
    matches!(
        word,
        "ret"
            | "br"
            | "switch"
            | "indirectbr"
            | "invoke"
            | "callbr"
            | "resume"
            | "unreachable"
            | "cleanupret"
            | "catchret"
            | "catchswitch"
            | "fneg"
            | "fadd"
            | "fsub"
            | "fmul"
            | "fdiv"
            | "frem"
            | "extractelement"
            | "insertelement"
            | "shufflevector"
            | "extractvalue"
            | "insertvalue"
            | "alloca"
            | "load"
            | "store"
            | "fence"
            | "cmpxchg"
            | "atomicrmw"
            | "getelementptr"
            | "icmp"
            | "fcmp"
            | "phi"
            | "select"
            | "freeze"
            | "call"
            | "tail"
            | "musttail"
            | "notail"
            | "va_arg"
            | "landingpad"
            | "catchpad"
            | "cleanuppad"
            | "to"
    ) || binary_op(word).is_some()
        || cast_op(word).is_some()
}

impl<'a> BodyReader<'_, 'a> {
    pub(super) fn terminator(&mut self, opcode: &str) -> Result<Parsed<'a>> {
        let void = self.void();
        let kind = match opcode {
            "ret" => {
                let ty = self.parser.any_type()?;
                if ty == void {
                    InstKind::Return(None)
                } else {
                    let value = self.value(ty)?;
                    InstKind::Return(Some(Typed { ty, value }))
                }
            }
            "br" if self.parser.at_word("label") => InstKind::Jump(self.label()?),
            "br" => {
                let condition = self.typed()?;
                self.parser.expect(b',')?;
                let then = self.label()?;
                self.parser.expect(b',')?;
                let otherwise = self.label()?;
                InstKind::Branch {
                    condition,
                    then,
                    otherwise,
                }
            }
            "switch" => {
                let value = self.typed()?;
                self.parser.expect(b',')?;
                let default = self.label()?;
                self.parser.expect(b'[')?;
                let mut cases = Vec::new();
                while !self.parser.accept(b']') {
                    let TypedConstant { ty, value } = self.parser.typed_constant()?;
                    self.parser.expect(b',')?;
                    cases.push((TypedConstant { ty, value }, self.label()?));
                }
                InstKind::Switch {
                    value,
                    cases,
                    default,
                }
            }
            "indirectbr" => {
                let address = self.typed()?;
                self.parser.expect(b',')?;
                let targets = self.labels()?;
                InstKind::IndirectJump { address, targets }
            }
            "invoke" => {
                let (ty, call, _) = self.call_parts()?;
                self.parser.expect_word("to")?;
                let normal = self.label()?;
                self.parser.expect_word("unwind")?;
                self.label()?;
                let call = Box::new(call);
                return Ok((ty, InstKind::Invoke { call, normal }));
            }
            "callbr" => {
                let (ty, _, _) = self.call_parts()?;
                self.parser.expect_word("to")?;
                self.label()?;
                self.labels()?;
                let what = "assembly code that jumps (asm goto)".into();
                return Ok((ty, InstKind::UnsupportedTerminator(what)));
            }
            "resume" => {
                self.typed()?;
                InstKind::UnsupportedTerminator("throwing a C++ exception on".into())
            }
            "unreachable" => InstKind::Unreachable,
            _ => {
                let start = self.parser.start;
                self.parser.skip_line_of(start);
                let ty = match opcode {
                    "catchswitch" => self.parser.module.types.intern(Type::Other("token")),
                    _ => void,
                };
                let what = "handling of an exception".into();
                return Ok((ty, InstKind::UnsupportedTerminator(what)));
            }
        };
        Ok((void, kind))
    }

    fn labels(&mut self) -> Result<Vec<Slot>> {
        let mut labels = Vec::new();
        self.parser.expect(b'[')?;
        while !self.parser.accept(b']') {
            if !labels.is_empty() {
                self.parser.expect(b',')?;
            }
            labels.push(self.label()?);
        }
        Ok(labels)
    }

    // Calls.

    pub(super) fn call(&mut self) -> Result<Parsed<'a>> {
        let (ty, call, metadata) = self.call_parts()?;
        match (call.intrinsic(), &metadata[..]) {
            (Some("dbg.declare"), _) => self.declare(&metadata),
            (Some("dbg.label"), &[MetadataArgument::Node(label)]) => {
                return Ok((ty, InstKind::Label(label)));
            }
            _ => {}
        }
        Ok((ty, InstKind::Call(Box::new(call))))
    }

    fn call_parts(&mut self) -> Result<(TypeId, Call<'a>, Vec<MetadataArgument<'a>>)> {
        self.parser.prefix(Parser::at_type)?;
        let mut ty = self.parser.any_type()?;
        if let Type::Function { result } = self.parser.module.types.get(ty) {
            ty = *result;
        }
        let callee = if self.parser.accept_word("asm") {
            let mut is_intel = false;
            while let Token::Word(word) = self.parser.token {
                is_intel |= word == "inteldialect";
                self.parser.advance();
            }
            let template = self.parser.string()?;
            self.parser.expect(b',')?;
            let constraints = self.parser.string()?;
            Callee::Asm(Assembly {
                template,
                constraints,
                is_intel,
            })
        } else {
            let ty = self.parser.pointer_type();
            let value = self.value(ty)?;
            Callee::Value(Typed { ty, value })
        };
        let (args, metadata) = self.call_args()?;
        // Attributes and operand bundles.
        loop {
            match self.parser.token {
                Token::AttributeGroup | Token::Text(_) | Token::Punctuation(b'=') => {
                    self.parser.advance();
                }
                Token::Word(word) if !is_opcode(word) && !word.starts_with("uselistorder") => {
                    self.parser.advance();
                }
                Token::Punctuation(b'(' | b'[') => self.parser.skip_balanced()?,
                _ => break,
            }
        }
        Ok((ty, Call { callee, args }, metadata))
    }

    #[expect(
        clippy::type_complexity,
        reason = "two lists that are taken apart at once"
    )]
    fn call_args(
        &mut self,
    ) -> Result<(Vec<(Typed<'a>, ParamAttributes)>, Vec<MetadataArgument<'a>>)> {
        let metadata_type = self.parser.module.types.intern(Type::Metadata);
        let mut args = Vec::new();
        let mut metadata = Vec::new();
        self.parser.expect(b'(')?;
        while !self.parser.accept(b')') {
            if !args.is_empty() {
                self.parser.expect(b',')?;
            }
            let ty = self.parser.any_type()?;
            if ty == metadata_type {
                metadata.push(self.metadata_argument()?);
                let value = Value::Metadata;
                args.push((Typed { ty, value }, ParamAttributes::default()));
                continue;
            }
            let attributes = self.parser.param_attributes()?;
            let value = self.value(ty)?;
            args.push((Typed { ty, value }, attributes));
        }
        Ok((args, metadata))
    }
}
