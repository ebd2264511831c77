//! Constants and constant expressions.

use super::{Parser, Result};
use crate::ast::{CastOp, Constant, Expression, Type, TypeId, TypedConstant};
use crate::lex::{Token, unquote};

pub(super) fn binary_op(word: &str) -> Option<ir::BinaryOp> {
    use ir::BinaryOp::*;
    Some(match word {
        "add" => Add,
        "sub" => Sub,
        "mul" => Mul,
        "udiv" => UnsignedDiv,
        "sdiv" => SignedDiv,
        "urem" => UnsignedRem,
        "srem" => SignedRem,
        "shl" => ShiftLeft,
        "lshr" => LogicalShiftRight,
        "ashr" => ArithmeticShiftRight,
        "and" => And,
        "or" => Or,
        "xor" => Xor,
        _ => return None,
    })
}

pub(super) fn comparison(word: &str) -> Option<ir::Comparison> {
    use ir::Comparison::*;
    Some(match word {
        "eq" => Equal,
        "ne" => NotEqual,
        "ult" => UnsignedLess,
        "ule" => UnsignedLessEqual,
        "ugt" => UnsignedGreater,
        "uge" => UnsignedGreaterEqual,
        "slt" => SignedLess,
        "sle" => SignedLessEqual,
        "sgt" => SignedGreater,
        "sge" => SignedGreaterEqual,
        _ => return None,
    })
}

pub(super) fn cast_op(word: &str) -> Option<CastOp> {
    use ir::Cast::*;
    Some(CastOp::Plain(match word {
        "trunc" => Truncate,
        "zext" => ZeroExtend,
        "sext" => SignExtend,
        "fptosi" => FloatToSigned,
        "fptoui" => FloatToUnsigned,
        "sitofp" => SignedToFloat,
        "uitofp" => UnsignedToFloat,
        "fptrunc" | "fpext" => FloatResize,
        "ptrtoint" | "ptrtoaddr" => PointerToInt,
        "inttoptr" => IntToPointer,
        "bitcast" => return Some(CastOp::Bits),
        "addrspacecast" => return Some(CastOp::AddressSpace),
        _ => return None,
    }))
}

impl<'a> Parser<'a> {
    /// Whether a constant can start with this word.
    pub(super) fn starts_constant(word: &str) -> bool {
        matches!(
            word,
            "null"
                | "none"
                | "undef"
                | "poison"
                | "zeroinitializer"
                | "true"
                | "false"
                | "asm"
                | "getelementptr"
                | "blockaddress"
                | "dso_local_equivalent"
                | "no_cfi"
                | "ptrauth"
                | "splat"
                | "icmp"
                | "fcmp"
                | "select"
                | "extractvalue"
                | "insertvalue"
                | "extractelement"
                | "insertelement"
                | "shufflevector"
                | "fneg"
                | "fadd"
                | "fsub"
                | "fmul"
                | "fdiv"
                | "frem"
        ) || binary_op(word).is_some()
            || cast_op(word).is_some()
    }

    pub(super) fn typed_constant(&mut self) -> Result<TypedConstant<'a>> {
        let ty = self.any_type()?;
        let value = self.constant(ty)?;
        Ok(TypedConstant { ty, value })
    }

    pub(super) fn constant(&mut self, ty: TypeId) -> Result<Constant<'a>> {
        self.nested(|parser| parser.constant_unbounded(ty))
    }

    fn constant_unbounded(&mut self, ty: TypeId) -> Result<Constant<'a>> {
        let constant = match self.token {
            Token::Integer(digits) => int_literal(digits),
            Token::Float(literal) => Constant::Float(literal),
            Token::Bytes(raw) => Constant::Bytes(raw),
            Token::Global(raw) => Constant::Symbol(unquote(raw)),
            Token::Word(word) => return self.word_constant(word, ty),
            Token::Punctuation(b'[') => {
                self.advance();
                return self.aggregate(b']');
            }
            Token::Punctuation(b'{') => {
                self.advance();
                return self.aggregate(b'}');
            }
            Token::Punctuation(b'<') => {
                self.advance();
                if !self.accept(b'{') {
                    return self.aggregate(b'>');
                }
                let constant = self.aggregate(b'}')?;
                self.expect(b'>')?;
                return Ok(constant);
            }
            _ => return self.fail("a constant"),
        };
        self.advance();
        Ok(constant)
    }

    fn aggregate(&mut self, close: u8) -> Result<Constant<'a>> {
        let mut elements = Vec::new();
        while !self.accept(close) {
            if !elements.is_empty() {
                self.expect(b',')?;
            }
            elements.push(self.typed_constant()?);
        }
        Ok(Constant::Aggregate(elements))
    }

    fn word_constant(&mut self, word: &'a str, ty: TypeId) -> Result<Constant<'a>> {
        let simple = match word {
            "null" | "none" => Constant::Null,
            "undef" | "poison" => Constant::Undefined,
            "zeroinitializer" => Constant::Zero,
            "true" => Constant::Int(1),
            "false" => Constant::Int(0),
            _ if !Self::starts_constant(word) => return self.fail("a constant"),
            _ => {
                self.advance();
                return self.compound_constant(word, ty);
            }
        };
        self.advance();
        Ok(simple)
    }

    fn compound_constant(&mut self, word: &'a str, ty: TypeId) -> Result<Constant<'a>> {
        match word {
            "blockaddress" => {
                self.expect(b'(')?;
                let function = self.global_name()?;
                self.expect(b',')?;
                let Token::Local(raw) = self.token else {
                    return self.fail("the label of a block");
                };
                let block = unquote(raw);
                self.advance();
                self.expect(b')')?;
                return Ok(Constant::BlockAddress { function, block });
            }
            "dso_local_equivalent" | "no_cfi" => return Ok(Constant::Symbol(self.global_name()?)),
            "splat" => {
                self.expect(b'(')?;
                let element = self.typed_constant()?;
                self.expect(b')')?;
                return Ok(Constant::Splat(Box::new(element)));
            }
            "getelementptr" => {
                self.skip_flags()?;
                self.expect(b'(')?;
                let source = self.any_type()?;
                self.expect(b',')?;
                let base = self.typed_constant()?;
                let mut indices = Vec::new();
                while self.accept(b',') {
                    self.accept_word("inrange");
                    indices.push(self.typed_constant()?);
                }
                self.expect(b')')?;
                return Ok(expression(Expression::ElementPointer {
                    source,
                    base,
                    indices,
                }));
            }
            "select" => {
                self.expect(b'(')?;
                let condition = self.typed_constant()?;
                self.expect(b',')?;
                let then = self.typed_constant()?;
                self.expect(b',')?;
                let otherwise = self.typed_constant()?;
                self.expect(b')')?;
                return Ok(expression(Expression::Select {
                    condition,
                    then,
                    otherwise,
                }));
            }
            "icmp" => {
                self.accept_word("samesign");
                let Token::Word(predicate) = self.token else {
                    return self.fail("a comparison");
                };
                let Some(op) = comparison(predicate) else {
                    return self.fail("a comparison");
                };
                self.advance();
                let (left, right) = self.constant_pair()?;
                return Ok(expression(Expression::Compare { op, left, right }));
            }
            _ => {}
        }
        if let Some(op) = cast_op(word) {
            self.skip_flags()?;
            self.expect(b'(')?;
            let value = self.typed_constant()?;
            self.expect_word("to")?;
            let to = self.any_type()?;
            self.expect(b')')?;
            return Ok(expression(Expression::Cast { op, value, to }));
        }
        if let Some(op) = binary_op(word) {
            self.skip_flags()?;
            let (left, right) = self.constant_pair()?;
            return Ok(expression(Expression::Binary { op, left, right }));
        }
        let what = match word {
            "ptrauth" => "a signed pointer (ptrauth)",
            "asm" => "assembly code as a value",
            _ if matches!(self.module.types.get(ty), Type::Vector { .. }) => "a vector constant",
            _ => "this kind of constant expression",
        };
        while matches!(self.token, Token::Word(_)) {
            self.advance();
        }
        if !self.at(b'(') {
            return self.fail("`(`");
        }
        self.skip_balanced()?;
        Ok(Constant::Unsupported(what))
    }

    fn constant_pair(&mut self) -> Result<(TypedConstant<'a>, TypedConstant<'a>)> {
        self.expect(b'(')?;
        let left = self.typed_constant()?;
        self.expect(b',')?;
        let right = self.typed_constant()?;
        self.expect(b')')?;
        Ok((left, right))
    }

    /// `inbounds nuw inrange(-8, 8)` and whatever else may come to stand there.
    /// Tells whether `nsw` was among them.
    pub(super) fn skip_flags(&mut self) -> Result<bool> {
        let mut no_signed_wrap = false;
        while let Token::Word(word) = self.token {
            match word {
                "nsw" => no_signed_wrap = true,
                "inrange" => {
                    self.advance();
                    if self.at(b'(') {
                        self.skip_balanced()?;
                    }
                    continue;
                }
                "nuw" | "exact" | "inbounds" | "nusw" | "nneg" | "disjoint" | "samesign"
                | "fast" | "nnan" | "ninf" | "nsz" | "arcp" | "contract" | "afn" | "reassoc" => {}
                _ => break,
            }
            self.advance();
        }
        Ok(no_signed_wrap)
    }
}

fn expression(expression: Expression<'_>) -> Constant<'_> {
    Constant::Expression(Box::new(expression))
}

fn int_literal(literal: &str) -> Constant<'_> {
    if let Some(digits) = literal.strip_prefix("u0x").or(literal.strip_prefix("s0x")) {
        let value = u128::from_str_radix(digits, 16);
        return value.map_or(Constant::WideInt, Constant::Int);
    }
    if let Ok(value) = literal.parse::<u128>() {
        return Constant::Int(value);
    }
    // Negative: the bits of the two's complement.
    match literal.parse::<i128>() {
        Ok(value) => Constant::Int(value as u128),
        Err(_) => Constant::WideInt,
    }
}
