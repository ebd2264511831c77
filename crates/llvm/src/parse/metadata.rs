//! Metadata: debug information, kept as named fields.

use super::{Parser, Result};
use crate::ast::{Field, Node, NodeId, Slot};
use crate::lex::Token;

/// An argument of type `metadata`.
pub(super) enum MetadataArgument<'a> {
    Local(Slot),
    Node(NodeId),
    Inline(Node<'a>),
    Other,
}

impl<'a> Parser<'a> {
    pub(super) fn metadata_definition(&mut self, id: NodeId) -> Result<()> {
        // Numbers are dense in real modules; a made-up one must not make us
        // allocate gigabytes.
        if id as usize > self.text.len() {
            return self.fail("a smaller metadata number");
        }
        self.advance();
        self.expect(b'=')?;
        self.accept_word("distinct");
        // Very old modules write a type here.
        self.accept_word("metadata");
        if let Some(node) = self.node()? {
            self.module.metadata.insert(id, node);
        }
        Ok(())
    }

    /// `!{...}`, `!"text"` or `!DIFile(...)`; `None` if it is nothing of interest.
    fn node(&mut self) -> Result<Option<Node<'a>>> {
        self.nested(Self::node_unbounded)
    }

    fn node_unbounded(&mut self) -> Result<Option<Node<'a>>> {
        match self.token {
            Token::Bang => {
                self.advance();
                if let Token::Text(_) = self.token {
                    self.advance();
                    return Ok(None);
                }
                self.expect(b'{')?;
                let fields = self.fields(b'}')?;
                Ok(Some(Node { kind: "", fields }))
            }
            Token::MetadataName(kind) => {
                self.advance();
                self.expect(b'(')?;
                let fields = self.fields(b')')?;
                Ok(Some(Node { kind, fields }))
            }
            // `!1 = !0` does not exist; typed values do in old modules.
            _ if self.at_type() => {
                self.typed_constant()?;
                Ok(None)
            }
            _ => self.fail("a metadata node"),
        }
    }

    fn fields(&mut self, close: u8) -> Result<Vec<(&'a str, Field<'a>)>> {
        let mut fields = Vec::new();
        while !self.accept(close) {
            if !fields.is_empty() {
                self.expect(b',')?;
            }
            let name = match self.token {
                Token::Label(name) => {
                    self.advance();
                    name
                }
                _ => "",
            };
            fields.push((name, self.field()?));
        }
        Ok(fields)
    }

    fn field(&mut self) -> Result<Field<'a>> {
        let field = match self.token {
            Token::MetadataId(id) => Field::Node(id),
            Token::Integer(digits) => digits.parse().map_or(Field::Other, Field::Int),
            Token::Text(text) => Field::Text(text),
            Token::Bang | Token::MetadataName(_) => {
                self.node()?;
                return Ok(Field::Other);
            }
            Token::Word("null") => Field::Other,
            Token::Word(_) | Token::Punctuation(_) | Token::Local(_) if self.at_type() => {
                self.advance_typed_value()?;
                return Ok(Field::Other);
            }
            Token::Word(word) => {
                self.advance();
                if !self.at(b'|') {
                    return Ok(Field::Word(word));
                }
                let mut words = vec![word];
                while self.accept(b'|') {
                    match self.token {
                        Token::Word(word) => words.push(word),
                        Token::Integer(_) => {}
                        _ => return self.fail("a flag"),
                    }
                    self.advance();
                }
                return Ok(Field::Flags(words));
            }
            _ => return self.fail("a metadata field"),
        };
        self.advance();
        Ok(field)
    }

    /// A typed value whose meaning is of no interest, in or outside functions.
    fn advance_typed_value(&mut self) -> Result<()> {
        let ty = self.any_type()?;
        if let Token::Local(_) = self.token {
            self.advance();
            return Ok(());
        }
        self.constant(ty)?;
        Ok(())
    }

    /// `!dbg !12`; other forms of the value are understood and dropped.
    pub(super) fn attachment(&mut self) -> Result<Option<NodeId>> {
        self.advance();
        if let Token::MetadataId(id) = self.token {
            self.advance();
            return Ok(Some(id));
        }
        self.node()?;
        Ok(None)
    }

    /// What stands after `metadata` in an argument list, or in a debug record.
    pub(super) fn metadata_argument(
        &mut self,
        local: impl FnOnce(&mut Self, &'a str) -> Slot,
    ) -> Result<MetadataArgument<'a>> {
        match self.token {
            Token::MetadataId(id) => {
                self.advance();
                Ok(MetadataArgument::Node(id))
            }
            Token::Bang | Token::MetadataName(_) => Ok(match self.node()? {
                Some(node) => MetadataArgument::Inline(node),
                None => MetadataArgument::Other,
            }),
            _ => {
                let ty = self.any_type()?;
                if let Token::Local(raw) = self.token {
                    self.advance();
                    return Ok(MetadataArgument::Local(local(self, raw)));
                }
                self.constant(ty)?;
                Ok(MetadataArgument::Other)
            }
        }
    }
}
