//! Types, and the attributes of parameters.

use super::{Parser, Result};
use crate::ast::{ParamAttributes, Type, TypeId};
use crate::lex::{Token, unquote};

/// The widest integer LLVM knows.
const MAX_INT_BITS: u32 = 1 << 23;

fn int_bits(word: &str) -> Option<u32> {
    let digits = word.strip_prefix('i')?;
    if !digits.bytes().all(|digit| digit.is_ascii_digit()) {
        return None;
    }
    let bits = digits.parse().ok()?;
    (1..=MAX_INT_BITS).contains(&bits).then_some(bits)
}

fn simple_type(word: &str) -> Option<Type> {
    Some(match word {
        "void" => Type::Void,
        "label" => Type::Label,
        "metadata" => Type::Metadata,
        "float" => Type::Float,
        "double" => Type::Double,
        "half" => Type::ExoticFloat("half"),
        "bfloat" => Type::ExoticFloat("bfloat"),
        "x86_fp80" => Type::ExoticFloat("x86_fp80"),
        "fp128" => Type::ExoticFloat("fp128"),
        "ppc_fp128" => Type::ExoticFloat("ppc_fp128"),
        "ptr" => Type::Pointer { address_space: 0 },
        "token" => Type::Other("token"),
        "x86_mmx" => Type::Other("x86_mmx"),
        "x86_amx" => Type::Other("x86_amx"),
        _ => Type::Int(int_bits(word)?),
    })
}

impl Parser<'_> {
    pub(super) fn at_type(&self) -> bool {
        match self.token {
            Token::Word(word) => word == "target" || simple_type(word).is_some(),
            Token::Local(_) | Token::Punctuation(b'{' | b'[' | b'<') => true,
            _ => false,
        }
    }

    /// Any type, function types and `void` included.
    pub(super) fn any_type(&mut self) -> Result<TypeId> {
        self.nested(Self::any_type_unbounded)
    }

    fn any_type_unbounded(&mut self) -> Result<TypeId> {
        let mut ty = match self.token {
            Token::Word("target") => {
                self.advance();
                self.skip_balanced()?;
                Type::Other("a type of the target's own")
            }
            Token::Word(word) => match simple_type(word) {
                Some(ty) => {
                    self.advance();
                    ty
                }
                None => return self.fail("a type"),
            },
            Token::Local(raw) => {
                let id = self.module.types.named_id(unquote(raw));
                self.advance();
                Type::Named(id)
            }
            Token::Punctuation(b'{') => self.struct_type(false)?,
            Token::Punctuation(b'[') => {
                self.advance();
                let (count, element) = self.sequence_type()?;
                self.expect(b']')?;
                Type::Array { count, element }
            }
            Token::Punctuation(b'<') => {
                self.advance();
                if self.at(b'{') {
                    let ty = self.struct_type(true)?;
                    self.expect(b'>')?;
                    ty
                } else {
                    let is_scalable = self.accept_word("vscale");
                    if is_scalable {
                        self.expect_word("x")?;
                    }
                    let (count, element) = self.sequence_type()?;
                    self.expect(b'>')?;
                    if is_scalable {
                        Type::Other("a scalable vector")
                    } else {
                        Type::Vector { count, element }
                    }
                }
            }
            _ => return self.fail("a type"),
        };
        loop {
            match self.token {
                Token::Punctuation(b'*') => {
                    self.advance();
                    ty = Type::Pointer { address_space: 0 };
                }
                Token::Word("addrspace") => {
                    self.advance();
                    self.expect(b'(')?;
                    let address_space = match self.token {
                        // Named address spaces are for GPUs only.
                        Token::Text(_) => {
                            self.advance();
                            1
                        }
                        _ => self.small_integer()?,
                    };
                    self.expect(b')')?;
                    self.accept(b'*');
                    ty = Type::Pointer { address_space };
                }
                Token::Punctuation(b'(') => {
                    let result = self.module.types.intern(ty);
                    self.function_type_params()?;
                    ty = Type::Function { result };
                }
                _ => return Ok(self.module.types.intern(ty)),
            }
        }
    }

    fn struct_type(&mut self, is_packed: bool) -> Result<Type> {
        self.expect(b'{')?;
        let mut fields = Vec::new();
        while !self.accept(b'}') {
            if !fields.is_empty() {
                self.expect(b',')?;
            }
            fields.push(self.any_type()?);
        }
        Ok(Type::Struct {
            fields: fields.into(),
            is_packed,
        })
    }

    /// `3 x i32`.
    fn sequence_type(&mut self) -> Result<(u64, TypeId)> {
        let count = self.integer()?;
        self.expect_word("x")?;
        Ok((count, self.any_type()?))
    }

    fn function_type_params(&mut self) -> Result<()> {
        self.expect(b'(')?;
        let mut is_first = true;
        while !self.accept(b')') {
            if !is_first {
                self.expect(b',')?;
            }
            is_first = false;
            if self.token == Token::Ellipsis {
                self.advance();
            } else {
                self.any_type()?;
                self.param_attributes()?;
            }
        }
        Ok(())
    }

    /// Attributes after the type of a parameter or argument. Whatever word is not
    /// the start of a value is taken for an attribute.
    pub(super) fn param_attributes(&mut self) -> Result<ParamAttributes> {
        let mut attributes = ParamAttributes::default();
        loop {
            match self.token {
                Token::Word("byval") => {
                    self.advance();
                    if !self.accept(b'(') {
                        return self.fail("`(` and a type");
                    }
                    attributes.by_value = Some(self.any_type()?);
                    self.expect(b')')?;
                }
                Token::Word("align") => {
                    self.advance();
                    if self.at(b'(') {
                        self.skip_balanced()?;
                    } else {
                        self.integer()?;
                    }
                }
                Token::Word(word) if !Self::starts_constant(word) => {
                    attributes.is_in_alloca |= matches!(word, "inalloca" | "preallocated");
                    self.advance();
                    if self.at(b'(') {
                        self.skip_balanced()?;
                    }
                }
                Token::Text(_) => {
                    self.advance();
                    if self.accept(b'=') {
                        self.string()?;
                    }
                }
                _ => return Ok(attributes),
            }
        }
    }
}
