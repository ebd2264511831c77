//! Cuts LLVM IR text into tokens.
//!
//! Tokens are slices of the text; nothing is copied or unescaped here. The lexer
//! never fails: a character that starts no token becomes [`Token::Unknown`], and
//! the parser complains about it where it stands.

use std::borrow::Cow;

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Token<'a> {
    End,
    /// A keyword, type name, attribute, or `x` as in `[3 x i8]`.
    Word(&'a str),
    /// A name directly followed by a colon: a block label or a metadata field.
    Label(&'a str),
    /// `%name`, `%12` or `%"name"`, without the sigil but with the quotes.
    Local(&'a str),
    Global(&'a str),
    Comdat(&'a str),
    /// `#12`.
    AttributeGroup,
    /// `#dbg_declare` and its siblings, without the sigil.
    Record(&'a str),
    MetadataId(u32),
    /// `!dbg` or `!DILocation`, without the sigil.
    MetadataName(&'a str),
    Bang,
    Integer(&'a str),
    /// Decimal with a point, or any of the hexadecimal forms.
    Float(&'a str),
    /// What stands between two quotes, escapes untouched.
    Text(&'a str),
    /// The same for `c"..."`.
    Bytes(&'a str),
    Punctuation(u8),
    Ellipsis,
    Unknown(char),
}

#[derive(Clone)]
pub(crate) struct Lexer<'a> {
    text: &'a str,
    position: usize,
}

fn is_name_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'$' | b'.' | b'_' | b'-')
}

impl<'a> Lexer<'a> {
    pub(crate) fn new(text: &'a str) -> Self {
        Lexer { text, position: 0 }
    }

    /// Continues at `position`, which must be the start of a token.
    pub(crate) fn seek(&mut self, position: usize) {
        self.position = position;
    }

    pub(crate) fn skip_line(&mut self) {
        let rest = &self.text.as_bytes()[self.position..];
        let length = rest.iter().position(|byte| *byte == b'\n');
        self.position += length.unwrap_or(rest.len());
    }

    fn byte_at(&self, position: usize) -> u8 {
        self.text.as_bytes().get(position).copied().unwrap_or(0)
    }

    fn skip_blanks_and_comments(&mut self) {
        loop {
            match self.byte_at(self.position) {
                b' ' | b'\n' | b'\t' | b'\r' => self.position += 1,
                b';' => self.skip_line(),
                0 if self.position < self.text.len() => self.position += 1,
                _ => return,
            }
        }
    }

    fn end_of_name(&self, start: usize) -> usize {
        let mut end = start;
        while is_name_byte(self.byte_at(end)) {
            end += 1;
        }
        end
    }

    /// The end of a quoted text whose opening quote is at `start`: the position
    /// of the closing quote, or of the end of the text.
    fn closing_quote(&self, start: usize) -> usize {
        let rest = self.text.as_bytes().get(start + 1..).unwrap_or_default();
        let length = rest.iter().position(|byte| *byte == b'"');
        length.map_or(self.text.len(), |length| start + 1 + length)
    }

    /// A name after a sigil: plain, or quoted (the quotes are kept).
    fn name(&mut self, start: usize) -> &'a str {
        let end = if self.byte_at(start) == b'"' {
            (self.closing_quote(start) + 1).min(self.text.len())
        } else {
            self.end_of_name(start)
        };
        self.position = end;
        &self.text[start..end]
    }

    /// The next token and where it starts.
    pub(crate) fn next(&mut self) -> (usize, Token<'a>) {
        self.skip_blanks_and_comments();
        let start = self.position;
        let token = if start >= self.text.len() {
            Token::End
        } else {
            self.token(start)
        };
        (start, token)
    }

    fn token(&mut self, start: usize) -> Token<'a> {
        let first = self.byte_at(start);
        let second = self.byte_at(start + 1);
        match first {
            b'%' => Token::Local(self.name(start + 1)),
            b'@' => Token::Global(self.name(start + 1)),
            b'$' if second == b'"' => Token::Comdat(self.name(start + 1)),
            b'#' if second.is_ascii_digit() => {
                self.name(start + 1);
                Token::AttributeGroup
            }
            b'#' => Token::Record(self.name(start + 1)),
            b'!' if second.is_ascii_digit() => {
                let digits = self.name(start + 1);
                match digits.parse() {
                    Ok(id) => Token::MetadataId(id),
                    Err(_) => Token::Unknown('!'),
                }
            }
            b'!' if second.is_ascii_alphabetic() || second == b'_' => {
                Token::MetadataName(self.name(start + 1))
            }
            b'!' => self.single(Token::Bang),
            b'"' => self.quoted(start),
            b'c' if second == b'"' => {
                let end = self.closing_quote(start + 1);
                self.position = (end + 1).min(self.text.len());
                Token::Bytes(&self.text[start + 2..end])
            }
            b'(' | b')' | b'{' | b'}' | b'[' | b']' | b'<' | b'>' | b',' | b'=' | b'*' | b'|'
            | b':' | b'^' | b'/' => self.single(Token::Punctuation(first)),
            b'+' | b'-' if second.is_ascii_digit() => self.number(start),
            b'0'..=b'9' => self.number(start),
            b'.' if self.text[start..].starts_with("...") => {
                self.position = start + 3;
                Token::Ellipsis
            }
            _ if is_name_byte(first) => self.word(start),
            _ => {
                let unknown = self.text[start..].chars().next().unwrap_or(' ');
                self.position = start + unknown.len_utf8();
                Token::Unknown(unknown)
            }
        }
    }

    fn single(&mut self, token: Token<'a>) -> Token<'a> {
        self.position += 1;
        token
    }

    fn quoted(&mut self, start: usize) -> Token<'a> {
        let end = self.closing_quote(start);
        if self.byte_at(end + 1) == b':' {
            self.position = end + 2;
            return Token::Label(&self.text[start..end + 1]);
        }
        self.position = (end + 1).min(self.text.len());
        Token::Text(&self.text[start + 1..end])
    }

    fn word(&mut self, start: usize) -> Token<'a> {
        let word = self.name(start);
        if self.byte_at(self.position) == b':' {
            self.position += 1;
            return Token::Label(word);
        }
        if word.starts_with('$') && word.len() > 1 {
            return Token::Comdat(&word[1..]);
        }
        // Exact bit patterns, as in `f0x3F800000`, `u0xFF`.
        if word[1..].starts_with("0x") && word.len() > 3 {
            match word.as_bytes()[0] {
                b'f' => return Token::Float(word),
                b'u' | b's' => return Token::Integer(word),
                _ => {}
            }
        }
        Token::Word(word)
    }

    fn number(&mut self, start: usize) -> Token<'a> {
        let digits = start + usize::from(matches!(self.byte_at(start), b'+' | b'-'));
        let mut end = digits;
        while self.byte_at(end).is_ascii_digit() {
            end += 1;
        }
        match self.byte_at(end) {
            // Names may start with digits: `5:`, `0entry:`, `-1.`.
            b':' => {
                self.position = end + 1;
                return Token::Label(&self.text[start..end]);
            }
            b'x' if end == digits + 1 && self.byte_at(digits) == b'0' => {
                end += 1;
                while self.byte_at(end).is_ascii_alphanumeric() {
                    end += 1;
                }
                self.position = end;
                return Token::Float(&self.text[start..end]);
            }
            b'.' => {
                end += 1;
                while self.byte_at(end).is_ascii_digit() {
                    end += 1;
                }
                if matches!(self.byte_at(end), b'e' | b'E') {
                    end += 1;
                    if matches!(self.byte_at(end), b'+' | b'-') {
                        end += 1;
                    }
                    while self.byte_at(end).is_ascii_digit() {
                        end += 1;
                    }
                }
                self.position = end;
                return Token::Float(&self.text[start..end]);
            }
            byte if is_name_byte(byte) && self.byte_at(start) != b'+' => return self.word(start),
            _ => {}
        }
        self.position = end;
        Token::Integer(&self.text[start..end])
    }
}

/// Resolves the escapes `\5C` and `\\` of LLVM's quoted texts.
pub(crate) fn unescape_bytes(raw: &str) -> Vec<u8> {
    let raw = raw.as_bytes();
    let mut bytes = Vec::with_capacity(raw.len());
    let mut position = 0;
    while let Some(&byte) = raw.get(position) {
        position += 1;
        if byte == b'\\' {
            let digits = raw.get(position..position + 2).unwrap_or_default();
            let value = std::str::from_utf8(digits)
                .ok()
                .filter(|digits| digits.bytes().all(|digit| digit.is_ascii_hexdigit()))
                .and_then(|digits| u8::from_str_radix(digits, 16).ok());
            if let Some(value) = value {
                bytes.push(value);
                position += 2;
                continue;
            }
            if raw.get(position) == Some(&b'\\') {
                position += 1;
            }
        }
        bytes.push(byte);
    }
    bytes
}

/// The text that a quoted slice (without its quotes) stands for.
pub(crate) fn unescape(raw: &str) -> Cow<'_, str> {
    if !raw.contains('\\') {
        return Cow::Borrowed(raw);
    }
    let bytes = unescape_bytes(raw);
    Cow::Owned(String::from_utf8_lossy(&bytes).into_owned())
}

/// The name that a [`Token::Local`], [`Token::Global`] or [`Token::Label`] stands
/// for. A leading `\01` asks for no mangling and is not part of the name.
pub(crate) fn unquote(raw: &str) -> Cow<'_, str> {
    let Some(quoted) = raw.strip_prefix('"') else {
        return Cow::Borrowed(raw);
    };
    let quoted = quoted.strip_suffix('"').unwrap_or(quoted);
    unescape(quoted.strip_prefix("\\01").unwrap_or(quoted))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tokens(text: &str) -> Vec<Token<'_>> {
        let mut lexer = Lexer::new(text);
        let mut tokens = Vec::new();
        loop {
            match lexer.next().1 {
                Token::End => return tokens,
                token => tokens.push(token),
            }
        }
    }

    #[test]
    fn names_numbers_and_labels() {
        assert_eq!(
            tokens("5: %x.1 = add i32 -3, @\"a b\" ; comment\n \"q\": for.end: 1.5e+00 0xK3F ..."),
            vec![
                Token::Label("5"),
                Token::Local("x.1"),
                Token::Punctuation(b'='),
                Token::Word("add"),
                Token::Word("i32"),
                Token::Integer("-3"),
                Token::Punctuation(b','),
                Token::Global("\"a b\""),
                Token::Label("\"q\""),
                Token::Label("for.end"),
                Token::Float("1.5e+00"),
                Token::Float("0xK3F"),
                Token::Ellipsis,
            ]
        );
    }

    #[test]
    fn metadata_attributes_and_strings() {
        assert_eq!(
            tokens("#0 !dbg !12 !{!\"x\"} #dbg_declare c\"a\\00\" $foo = comdat"),
            vec![
                Token::AttributeGroup,
                Token::MetadataName("dbg"),
                Token::MetadataId(12),
                Token::Bang,
                Token::Punctuation(b'{'),
                Token::Bang,
                Token::Text("x"),
                Token::Punctuation(b'}'),
                Token::Record("dbg_declare"),
                Token::Bytes("a\\00"),
                Token::Comdat("foo"),
                Token::Punctuation(b'='),
                Token::Word("comdat"),
            ]
        );
    }

    #[test]
    fn unterminated_texts_end_with_the_file() {
        assert_eq!(tokens("\"abc"), vec![Token::Text("abc")]);
        assert_eq!(tokens("@\"abc"), vec![Token::Global("\"abc")]);
        assert_eq!(tokens("c\""), vec![Token::Bytes("")]);
        assert_eq!(tokens("é"), vec![Token::Unknown('é')]);
    }

    #[test]
    fn escapes() {
        assert_eq!(unescape_bytes("a\\00\\5Cb\\\\c\\zz\\"), b"a\0\\b\\c\\zz\\");
        assert_eq!(unquote("\"\\01foo\""), "foo");
        assert_eq!(unquote("plain"), "plain");
    }
}
