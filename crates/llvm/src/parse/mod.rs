//! Text of a module to [`Module`]: module level, and what all levels share.
//!
//! A recursive-descent parser with one token of look-ahead. It accepts what clang
//! 14 to 22 write and does not check what LLVM's own verifier checks; lowering
//! refuses what makes no sense. Attributes that do not change what a program
//! means are skipped without knowing them, so that new ones do no harm.
//! Nesting is bounded, so hostile input cannot exhaust the stack.

mod constants;
mod instructions;
mod metadata;
mod terminators;
mod types;

use crate::ast::{
    Alias, Function, Linkage, Module, Name, NodeId, Offset, Param, Type, TypeId, TypedConstant,
    Variable,
};
use crate::lex::{Lexer, Token, unescape, unquote};
use instructions::FunctionNames;

/// Deepest nesting of types, constants and metadata.
const MAX_DEPTH: u32 = 100;

/// Why a text is not understood.
#[derive(Debug)]
pub(crate) struct SyntaxError {
    pub offset: usize,
    pub expected: String,
}

pub(crate) type Result<T> = std::result::Result<T, SyntaxError>;

pub(crate) fn parse(text: &str) -> Result<Module<'_>> {
    let mut lexer = Lexer::new(text);
    let (start, token) = lexer.next();
    let mut parser = Parser {
        text,
        lexer,
        token,
        start,
        depth: 0,
        module: Module::default(),
    };
    if u32::try_from(text.len()).is_err() {
        return parser.fail("a module of less than 4 GiB");
    }
    while parser.token != Token::End {
        parser.entity()?;
    }
    Ok(parser.module)
}

struct Parser<'a> {
    text: &'a str,
    lexer: Lexer<'a>,
    token: Token<'a>,
    /// Where `token` starts.
    start: usize,
    depth: u32,
    module: Module<'a>,
}

/// Everything that may stand between the `=` or `define` and the type.
#[derive(Default)]
struct Prefix {
    linkage: Option<Linkage>,
    is_declaration: bool,
    is_thread_local: bool,
    address_space: u32,
    debug: Option<NodeId>,
}

impl<'a> Parser<'a> {
    fn fail<T>(&self, expected: impl Into<String>) -> Result<T> {
        Err(SyntaxError {
            offset: self.start,
            expected: expected.into(),
        })
    }

    fn advance(&mut self) {
        (self.start, self.token) = self.lexer.next();
    }

    fn offset(&self) -> Offset {
        self.start as Offset
    }

    fn at(&self, punctuation: u8) -> bool {
        self.token == Token::Punctuation(punctuation)
    }

    fn at_word(&self, word: &str) -> bool {
        self.token == Token::Word(word)
    }

    fn accept(&mut self, punctuation: u8) -> bool {
        let found = self.at(punctuation);
        if found {
            self.advance();
        }
        found
    }

    fn accept_word(&mut self, word: &str) -> bool {
        let found = self.at_word(word);
        if found {
            self.advance();
        }
        found
    }

    fn expect(&mut self, punctuation: u8) -> Result<()> {
        if self.accept(punctuation) {
            return Ok(());
        }
        self.fail(format!("`{}`", char::from(punctuation)))
    }

    fn expect_word(&mut self, word: &str) -> Result<()> {
        if self.accept_word(word) {
            return Ok(());
        }
        self.fail(format!("`{word}`"))
    }

    fn integer(&mut self) -> Result<u64> {
        if let Token::Integer(digits) = self.token
            && let Ok(value) = digits.parse()
        {
            self.advance();
            return Ok(value);
        }
        self.fail("a number")
    }

    fn small_integer(&mut self) -> Result<u32> {
        let value = self.integer()?;
        u32::try_from(value).or_else(|_| self.fail("a smaller number"))
    }

    fn string(&mut self) -> Result<&'a str> {
        if let Token::Text(text) = self.token {
            self.advance();
            return Ok(text);
        }
        self.fail("a quoted text")
    }

    fn global_name(&mut self) -> Result<Name<'a>> {
        if let Token::Global(raw) = self.token {
            self.advance();
            return Ok(unquote(raw));
        }
        self.fail("a global name")
    }

    /// Runs `inner` one level deeper, or refuses.
    fn nested<T>(&mut self, inner: impl FnOnce(&mut Self) -> Result<T>) -> Result<T> {
        if self.depth >= MAX_DEPTH {
            return self.fail(format!("less than {MAX_DEPTH} levels of nesting"));
        }
        self.depth += 1;
        let result = inner(self);
        self.depth -= 1;
        result
    }

    /// Skips `(...)`, `[...]` or `{...}` whatever it contains.
    fn skip_balanced(&mut self) -> Result<()> {
        let mut open = 0u32;
        loop {
            match self.token {
                Token::Punctuation(b'(' | b'[' | b'{') => open += 1,
                Token::Punctuation(b')' | b']' | b'}') => open = open.saturating_sub(1),
                Token::End => return self.fail("a closing bracket"),
                _ => {}
            }
            self.advance();
            if open == 0 {
                return Ok(());
            }
        }
    }

    /// Skips to the end of the line on which `start` is.
    fn skip_line_of(&mut self, start: usize) {
        self.lexer = Lexer::new(self.text);
        self.lexer.seek(start);
        self.lexer.skip_line();
        self.advance();
    }

    fn pointer_type(&mut self) -> TypeId {
        let pointer = Type::Pointer { address_space: 0 };
        self.module.types.intern(pointer)
    }

    fn refuse(&mut self, offset: Offset, what: impl Into<String>) {
        self.module
            .unsupported
            .get_or_insert_with(|| (offset, what.into()));
    }

    // Module level.

    fn entity(&mut self) -> Result<()> {
        match self.token {
            Token::Word("define") => self.function(true),
            Token::Word("declare") => self.function(false),
            Token::Word("target") => self.target(),
            Token::Word("source_filename") => {
                self.advance();
                self.expect(b'=')?;
                self.string()?;
                Ok(())
            }
            Token::Word("module") => {
                let offset = self.offset();
                self.advance();
                self.expect_word("asm")?;
                if !self.string()?.trim().is_empty() {
                    self.refuse(offset, "assembly code outside functions");
                }
                Ok(())
            }
            Token::Word("attributes") => {
                self.advance();
                if self.token != Token::AttributeGroup {
                    return self.fail("the number of an attribute group");
                }
                self.advance();
                self.expect(b'=')?;
                if !self.at(b'{') {
                    return self.fail("`{`");
                }
                self.skip_balanced()
            }
            Token::Word("uselistorder" | "uselistorder_bb") | Token::Punctuation(b'^') => {
                self.skip_line_of(self.start);
                Ok(())
            }
            Token::Comdat(_) => {
                self.advance();
                self.expect(b'=')?;
                self.expect_word("comdat")?;
                match self.token {
                    Token::Word(_) => self.advance(),
                    _ => return self.fail("a kind of comdat"),
                }
                Ok(())
            }
            Token::Local(raw) => self.named_type(unquote(raw)),
            Token::Global(raw) => self.variable(unquote(raw)),
            Token::MetadataId(id) => self.metadata_definition(id),
            Token::MetadataName(_) => {
                self.advance();
                self.expect(b'=')?;
                if self.token != Token::Bang {
                    return self.fail("`!{`");
                }
                self.advance();
                if !self.at(b'{') {
                    return self.fail("`!{`");
                }
                self.skip_balanced()
            }
            _ => self.fail("a definition or declaration"),
        }
    }

    fn target(&mut self) -> Result<()> {
        self.advance();
        let is_layout = match self.token {
            Token::Word("datalayout") => true,
            Token::Word("triple") => false,
            _ => return self.fail("`datalayout` or `triple`"),
        };
        self.advance();
        self.expect(b'=')?;
        let text = Some(unescape(self.string()?));
        if is_layout {
            self.module.data_layout = text;
        } else {
            self.module.triple = text;
        }
        Ok(())
    }

    fn named_type(&mut self, name: Name<'a>) -> Result<()> {
        self.advance();
        self.expect(b'=')?;
        self.expect_word("type")?;
        let id = self.module.types.named_id(name);
        if !self.accept_word("opaque") {
            let body = self.any_type()?;
            self.module.types.define_named(id, body);
        }
        Ok(())
    }

    /// Linkage and other words before the type of a global entity; stops at the
    /// first token that `is_end` accepts.
    fn prefix(&mut self, is_end: impl Fn(&Self) -> bool) -> Result<Prefix> {
        let mut prefix = Prefix::default();
        while !is_end(self) {
            match self.token {
                Token::Word("thread_local") => prefix.is_thread_local = true,
                Token::Word("addrspace") => {
                    self.advance();
                    self.expect(b'(')?;
                    prefix.address_space = self.small_integer()?;
                    self.expect(b')')?;
                    continue;
                }
                Token::Word(word) => {
                    if let Some(linkage) = linkage(word) {
                        prefix.linkage = Some(linkage);
                    }
                    if matches!(word, "external" | "extern_weak") {
                        prefix.is_declaration = true;
                    }
                }
                Token::MetadataName(name) => {
                    let debug = self.attachment()?;
                    if name == "dbg" {
                        prefix.debug = debug;
                    }
                    continue;
                }
                Token::Punctuation(b'(') => {
                    self.skip_balanced()?;
                    continue;
                }
                // `cc 10`, `align 8`, `"attribute"="value"`.
                Token::Integer(_) | Token::Text(_) | Token::Punctuation(b'=') => {}
                _ => return self.fail("a type"),
            }
            self.advance();
        }
        Ok(prefix)
    }

    fn variable(&mut self, name: Name<'a>) -> Result<()> {
        let offset = self.offset();
        self.advance();
        self.expect(b'=')?;
        let prefix = self.prefix(|parser| {
            matches!(
                parser.token,
                Token::Word("global" | "constant" | "alias" | "ifunc")
            )
        })?;
        let linkage = prefix.linkage.unwrap_or(Linkage::External);
        let keyword = self.token;
        self.advance();
        match keyword {
            Token::Word("alias") => {
                self.any_type()?;
                self.expect(b',')?;
                let target = self.alias_target()?;
                self.variable_properties()?;
                self.module.aliases.push(Alias {
                    name,
                    linkage,
                    target,
                });
                return Ok(());
            }
            Token::Word("ifunc") => {
                self.any_type()?;
                self.expect(b',')?;
                self.alias_target()?;
                self.variable_properties()?;
                self.refuse(offset, format!("the indirect function `{name}` (ifunc)"));
                return Ok(());
            }
            _ => {}
        }
        let ty = self.any_type()?;
        let initial = if prefix.is_declaration {
            None
        } else {
            Some(self.constant(ty)?)
        };
        let (align, debug) = self.variable_properties()?;
        self.module.variables.push(Variable {
            name,
            offset,
            linkage,
            is_thread_local: prefix.is_thread_local,
            is_constant: keyword == Token::Word("constant"),
            address_space: prefix.address_space,
            ty,
            initial,
            align,
            debug,
        });
        Ok(())
    }

    /// A typed constant, or a constant expression without its type.
    fn alias_target(&mut self) -> Result<TypedConstant<'a>> {
        match self.token {
            Token::Word(word) if Self::starts_constant(word) => {
                let ty = self.pointer_type();
                let value = self.constant(ty)?;
                Ok(TypedConstant { ty, value })
            }
            _ => self.typed_constant(),
        }
    }

    /// `, section "x", align 4, comdat($y), !dbg !3 #0` and the like.
    fn variable_properties(&mut self) -> Result<(Option<u64>, Option<NodeId>)> {
        let mut align = None;
        let mut debug = None;
        loop {
            if self.token == Token::AttributeGroup {
                self.advance();
                continue;
            }
            if !self.accept(b',') {
                return Ok((align, debug));
            }
            match self.token {
                Token::Word("align") => {
                    self.advance();
                    align = Some(self.integer()?);
                }
                Token::Word("section" | "partition" | "code_model") => {
                    self.advance();
                    self.string()?;
                }
                Token::Word(_) => {
                    self.advance();
                    if self.at(b'(') {
                        self.skip_balanced()?;
                    }
                }
                Token::MetadataName(name) => {
                    let node = self.attachment()?;
                    if name == "dbg" && debug.is_none() {
                        debug = node;
                    }
                }
                _ => return self.fail("a property of a global variable"),
            }
        }
    }

    fn function(&mut self, is_definition: bool) -> Result<()> {
        self.advance();
        let prefix = self.prefix(Self::at_type)?;
        let result = self.any_type()?;
        let name = self.global_name()?;
        let mut names = FunctionNames::default();
        let mut params = Vec::new();
        let mut is_variadic = false;
        self.expect(b'(')?;
        while !self.accept(b')') {
            if !params.is_empty() {
                self.expect(b',')?;
            }
            if self.token == Token::Ellipsis {
                self.advance();
                is_variadic = true;
                self.expect(b')')?;
                break;
            }
            let ty = self.any_type()?;
            let attributes = self.param_attributes()?;
            let param = params.len() as u32;
            if let Token::Local(raw) = self.token {
                names.define_param(Some(unquote(raw)), param);
                self.advance();
            } else {
                names.define_param(None, param);
            }
            params.push(Param { ty, attributes });
        }
        let suffix_debug = self.function_suffix()?;
        let body = if is_definition {
            Some(self.body(names)?)
        } else {
            None
        };
        // Intrinsics are recognised by name where they are called.
        if is_definition || !name.starts_with("llvm.") {
            self.module.functions.push(Function {
                name,
                linkage: prefix.linkage.unwrap_or(Linkage::External),
                result,
                params,
                is_variadic,
                debug: suffix_debug.or(prefix.debug),
                body,
            });
        }
        Ok(())
    }

    /// Attributes and attachments between the parameters and the body.
    fn function_suffix(&mut self) -> Result<Option<NodeId>> {
        let mut debug = None;
        loop {
            match self.token {
                Token::Word("define" | "declare" | "target" | "attributes" | "module")
                | Token::Word("source_filename" | "uselistorder" | "uselistorder_bb") => {
                    return Ok(debug);
                }
                Token::Word("personality" | "prefix" | "prologue") => {
                    self.advance();
                    self.typed_constant()?;
                }
                Token::Word(_)
                | Token::AttributeGroup
                | Token::Text(_)
                | Token::Integer(_)
                | Token::Punctuation(b'=') => self.advance(),
                Token::Punctuation(b'(') => self.skip_balanced()?,
                Token::MetadataName(name) => {
                    // A named metadata definition may follow a declaration.
                    let mut ahead = self.lexer.clone();
                    if ahead.next().1 == Token::Punctuation(b'=') {
                        return Ok(debug);
                    }
                    let node = self.attachment()?;
                    if name == "dbg" {
                        debug = node;
                    }
                }
                _ => return Ok(debug),
            }
        }
    }
}

fn linkage(word: &str) -> Option<Linkage> {
    Some(match word {
        "private" | "internal" => Linkage::Internal,
        "external" => Linkage::External,
        "weak" | "weak_odr" | "linkonce" | "linkonce_odr" => Linkage::Weak,
        "common" => Linkage::Common,
        "available_externally" => Linkage::AvailableExternally,
        "extern_weak" => Linkage::ExternalWeak,
        "appending" => Linkage::Appending,
        _ => return None,
    })
}
