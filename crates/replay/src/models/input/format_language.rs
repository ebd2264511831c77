//! The format language of `scanf`: taking a format apart, and reading a text as it
//! says, with the habits of glibc.
//!
//! Pure functions only: storing what was read is the business of the models.

use crate::models::output::format_language::{BadFormat, Length, Reader};
use crate::models::strings::characters::is_space;
use crate::models::strings::numbers;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Directive {
    /// Any amount of white space, none too.
    Space,
    Literal(u8),
    Conversion(Conversion),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Conversion {
    /// The value goes to an argument: there is no `*`.
    pub is_stored: bool,
    pub width: Option<usize>,
    pub length: Length,
    pub kind: Kind,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Base 0 means that the prefix says it.
    Integer {
        base: u32,
        is_signed: bool,
    },
    Float,
    Characters,
    Word,
    /// A word of these bytes only.
    Set(ByteSet),
    /// `%n`: how much has been read.
    Position,
    Pointer,
}

/// One flag per byte.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ByteSet(Box<[bool; 256]>);

impl ByteSet {
    pub(super) fn contains(&self, byte: u8) -> bool {
        self.0[usize::from(byte)]
    }
}

impl Conversion {
    /// It counts in the result of the call.
    pub(super) fn is_counted(&self) -> bool {
        self.is_stored && self.kind != Kind::Position
    }
}

/// A value to store, in the order of the arguments.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Item {
    /// An integer of so many bits.
    Integer {
        width: u32,
        value: u64,
    },
    Single(f32),
    Double(f64),
    Pointer(u64),
    /// Bytes, with the zero at the end if there is to be one.
    Bytes(Vec<u8>),
}

/// What became of a text.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Scanned {
    pub items: Vec<Item>,
    /// The result of the call.
    pub result: i32,
}

pub(crate) fn directives(format: &[u8]) -> Result<Vec<Directive>, BadFormat> {
    let mut directives = Vec::new();
    let mut reader = Reader { rest: format };
    while let Some(byte) = reader.peek() {
        reader.skip();
        match byte {
            byte if is_space(byte) => directives.push(Directive::Space),
            // Unlike other literals, this one skips white space.
            b'%' if reader.take(b'%') => {
                directives.extend([Directive::Space, Directive::Literal(b'%')]);
            }
            b'%' => directives.push(Directive::Conversion(conversion(&mut reader)?)),
            literal => directives.push(Directive::Literal(literal)),
        }
    }
    Ok(directives)
}

fn conversion(reader: &mut Reader) -> Result<Conversion, BadFormat> {
    let is_stored = !reader.take(b'*');
    let width = reader.number().filter(|width| *width > 0);
    let unsupported = |what: &str| Err(BadFormat::Unsupported(format!("{what} in formats")));
    if reader.peek() == Some(b'$') {
        return unsupported("numbered arguments");
    }
    if reader.peek() == Some(b'm') {
        return unsupported("memory allocated by scanf");
    }
    let length = reader.length();
    let Some(letter) = reader.peek() else {
        return Err(BadFormat::Invalid(
            "the format ends within a conversion".to_owned(),
        ));
    };
    reader.skip();
    let kind = match (letter, length) {
        (b'c' | b's' | b'[', Length::Long) | (b'C' | b'S', _) => {
            return unsupported("wide characters");
        }
        (b'a' | b'A' | b'e'..=b'g' | b'E'..=b'G', Length::LongLong) => {
            return unsupported("long doubles");
        }
        (b'a' | b'A' | b'e'..=b'g' | b'E'..=b'G', _) => Kind::Float,
        (b'd', _) => integer(10, true),
        (b'i', _) => integer(0, true),
        (b'u', _) => integer(10, false),
        (b'o', _) => integer(8, false),
        (b'x' | b'X', _) => integer(16, false),
        (b'p', _) => Kind::Pointer,
        (b'c', _) => Kind::Characters,
        (b's', _) => Kind::Word,
        (b'[', _) => Kind::Set(byte_set(reader)?),
        (b'n', _) => Kind::Position,
        _ => {
            return Err(BadFormat::Invalid(format!(
                "the format has a conversion that does not exist: {}",
                (letter as char).escape_default()
            )));
        }
    };
    Ok(Conversion {
        is_stored,
        width: width.map(|width| usize::try_from(width).unwrap_or(usize::MAX)),
        length,
        kind,
    })
}

fn integer(base: u32, is_signed: bool) -> Kind {
    Kind::Integer { base, is_signed }
}

/// The rest of a set, after its opening bracket.
fn byte_set(reader: &mut Reader) -> Result<ByteSet, BadFormat> {
    let is_negated = reader.take(b'^');
    let mut members = Box::new([is_negated; 256]);
    let mut is_first = true;
    loop {
        let Some(byte) = reader.peek() else {
            return Err(BadFormat::Invalid(
                "the format ends within a set".to_owned(),
            ));
        };
        reader.skip();
        if byte == b']' && !is_first {
            return Ok(ByteSet(members));
        }
        is_first = false;
        let last = match reader.rest {
            [b'-', last, ..] if *last != b']' && *last >= byte => {
                reader.rest = &reader.rest[2..];
                *last
            }
            _ => byte,
        };
        for member in byte..=last {
            members[usize::from(member)] = !is_negated;
        }
    }
}

/// Why reading stopped early.
enum Failure {
    EndOfText,
    Mismatch,
}

/// Reads a text as the directives say.
pub(crate) fn scan(directives: &[Directive], text: &[u8], pointer_bytes: u64) -> Scanned {
    let mut scanner = Scanner {
        text,
        at: 0,
        pointer_bytes,
    };
    let mut scanned = Scanned {
        items: Vec::new(),
        result: 0,
    };
    for directive in directives {
        let outcome = match directive {
            Directive::Space => {
                scanner.skip_space();
                Ok(())
            }
            Directive::Literal(literal) => scanner.literal(*literal),
            Directive::Conversion(conversion) => scanner.convert(conversion).map(|item| {
                if conversion.is_stored {
                    scanned.items.push(item);
                    scanned.result += i32::from(conversion.is_counted());
                }
            }),
        };
        match outcome {
            Ok(()) => {}
            Err(Failure::EndOfText) if scanned.result == 0 => {
                scanned.result = -1;
                break;
            }
            Err(_) => break,
        }
    }
    scanned
}

struct Scanner<'t> {
    text: &'t [u8],
    at: usize,
    pointer_bytes: u64,
}

impl<'t> Scanner<'t> {
    fn rest(&self) -> &'t [u8] {
        &self.text[self.at..]
    }

    fn skip_space(&mut self) {
        self.at += self
            .rest()
            .iter()
            .take_while(|byte| is_space(**byte))
            .count();
    }

    fn literal(&mut self, literal: u8) -> Result<(), Failure> {
        match self.rest().first() {
            None => Err(Failure::EndOfText),
            Some(byte) if *byte == literal => {
                self.at += 1;
                Ok(())
            }
            Some(_) => Err(Failure::Mismatch),
        }
    }

    fn convert(&mut self, conversion: &Conversion) -> Result<Item, Failure> {
        if conversion.kind == Kind::Position {
            return Ok(self.integer_item(conversion.length, self.at as u64));
        }
        if !matches!(conversion.kind, Kind::Characters | Kind::Set(_)) {
            self.skip_space();
        }
        if self.rest().is_empty() {
            return Err(Failure::EndOfText);
        }
        let width = conversion
            .width
            .unwrap_or(usize::MAX)
            .min(self.rest().len());
        let field = &self.rest()[..width];
        match &conversion.kind {
            Kind::Integer { base, is_signed } => {
                let long = 8 * self.pointer_bytes as u32;
                // glibc reads a number that is at least a `long` and cuts it.
                let width = conversion.length.bits(self.pointer_bytes).max(long);
                let number = self.integer(field, *base)?;
                let value = if *is_signed {
                    number.signed(width).value
                } else {
                    number.unsigned(width).value
                };
                Ok(self.integer_item(conversion.length, value))
            }
            Kind::Pointer => {
                let number = self.integer(field, 16)?;
                Ok(Item::Pointer(
                    number.unsigned(8 * self.pointer_bytes as u32).value,
                ))
            }
            Kind::Float => self.float(field, conversion.length),
            Kind::Characters => {
                let count = conversion.width.unwrap_or(1).min(field.len());
                self.at += count;
                Ok(Item::Bytes(field[..count].to_vec()))
            }
            Kind::Word => self.word(field, |byte| !is_space(byte)),
            Kind::Set(set) => self.word(field, |byte| set.contains(byte)),
            Kind::Position => Err(Failure::Mismatch),
        }
    }

    fn integer_item(&self, length: Length, value: u64) -> Item {
        let width = length.bits(self.pointer_bytes);
        Item::Integer { width, value }
    }

    fn integer(&mut self, field: &[u8], base: u32) -> Result<numbers::Integer, Failure> {
        let number = numbers::integer(field, base, false);
        if number.length == 0 {
            return Err(Failure::Mismatch);
        }
        let mut taken = number.length;
        // Of `0x` without digits, glibc takes both characters.
        let is_prefix = matches!(field.get(taken), Some(b'x' | b'X'))
            && number.magnitude == 0
            && matches!(&field[..taken], [b'0'] | [b'-' | b'+', b'0']);
        if is_prefix && matches!(base, 0 | 16) {
            taken += 1;
        }
        self.at += taken;
        Ok(number)
    }

    fn float(&mut self, field: &[u8], length: Length) -> Result<Item, Failure> {
        let number = numbers::float(field).ok_or(Failure::Mismatch)?;
        let mut taken = number.length;
        if number.is_nan() {
            // No parentheses here.
            let sign = usize::from(matches!(field[0], b'-' | b'+'));
            taken = taken.min(sign + 3);
        } else {
            let letter = if number.is_hexadecimal() { b'p' } else { b'e' };
            // Of an exponent without digits, glibc takes all there is.
            let begins = |byte: &u8| byte.to_ascii_lowercase() == letter;
            if field[..taken].iter().all(|byte| !begins(byte))
                && field.get(taken).is_some_and(begins)
            {
                taken += 1;
                taken += usize::from(matches!(field.get(taken), Some(b'-' | b'+')));
            }
        }
        self.at += taken;
        Ok(match length {
            Length::Long => Item::Double(number.double().value),
            _ => Item::Single(number.single().value),
        })
    }

    fn word(&mut self, field: &[u8], fits: impl Fn(u8) -> bool) -> Result<Item, Failure> {
        let count = field.iter().take_while(|byte| fits(**byte)).count();
        if count == 0 {
            return Err(Failure::Mismatch);
        }
        self.at += count;
        let mut bytes = field[..count].to_vec();
        bytes.push(0);
        Ok(Item::Bytes(bytes))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, format: &str, result: i32, items: &[Item]) {
        let directives = directives(format.as_bytes()).expect("the format should be valid");
        let scanned = scan(&directives, text.as_bytes(), 8);
        assert_eq!(scanned.result, result, "{text:?} as {format:?}");
        assert_eq!(scanned.items, items, "{text:?} as {format:?}");
    }

    fn int(value: i32) -> Item {
        Item::Integer {
            width: 32,
            value: i64::from(value) as u64,
        }
    }

    fn word(text: &str) -> Item {
        let mut bytes = text.as_bytes().to_vec();
        bytes.push(0);
        Item::Bytes(bytes)
    }

    #[test]
    fn integers() {
        check("-", "%d", 0, &[]);
        check("", "%d", -1, &[]);
        check("  ", "%d", -1, &[]);
        check("x", "%d", 0, &[]);
        check("0xg", "%x%n", 1, &[int(0), int(2)]);
        check("-0x", "%x%n", 1, &[int(0), int(3)]);
        check("007", "%i", 1, &[int(7)]);
        check("+5", "%d", 1, &[int(5)]);
        check("12", "%1d%1d", 2, &[int(1), int(2)]);
        check("1,2", "%d,%d", 2, &[int(1), int(2)]);
        check("1 ,2", "%d,%d", 1, &[int(1)]);
        let huge = Item::Integer {
            width: 32,
            value: i64::MAX as u64,
        };
        check("99999999999999999999", "%d", 1, &[huge]);
        let byte = Item::Integer { width: 8, value: 7 };
        check("7", "%hhu", 1, &[byte]);
        check("0x10", "%p", 1, &[Item::Pointer(16)]);
    }

    #[test]
    fn literals_and_suppression() {
        check("abc", "abd%d", 0, &[]);
        check("ab", "abd%d", -1, &[]);
        check("5", "%*d%d", -1, &[]);
        check("5 6", "%*d%d%n", 1, &[int(6), int(3)]);
        check("3 %", "%d %%%n", 1, &[int(3), int(3)]);
        check("3x", "%d %%%n", 1, &[int(3)]);
        check("", "%n", 0, &[int(0)]);
        check("", "x%n", -1, &[]);
    }

    #[test]
    fn characters_words_and_sets() {
        check("abc", "%5c", 1, &[Item::Bytes(b"abc".to_vec())]);
        check("  x", "%c", 1, &[Item::Bytes(b" ".to_vec())]);
        check("  x", " %c", 1, &[Item::Bytes(b"x".to_vec())]);
        check("12abc", "%2d%s", 2, &[int(12), word("abc")]);
        check("]a-z", "%[]a-]%n", 1, &[word("]a-"), int(3)]);
        check("abcz9", "%[a-z]", 1, &[word("abcz")]);
        check("abc", "%[^b]%n", 1, &[word("a"), int(1)]);
        check("b", "%[a]", 0, &[]);
        check("", "%[a]", -1, &[]);
        check("", "%c", -1, &[]);
    }

    #[test]
    fn floats() {
        let single = |value: f32| Item::Single(value);
        check("1ex", "%f%n", 1, &[single(1.0), int(2)]);
        check("1e+", "%f%n", 1, &[single(1.0), int(3)]);
        check("infx", "%f%n", 1, &[single(f32::INFINITY), int(3)]);
        check("in", "%f", 0, &[]);
        check("0x1p3", "%f", 1, &[single(8.0)]);
        check("1.5.2", "%f%f", 2, &[single(1.5), single(0.2)]);
        check(".", "%f", 0, &[]);
        check("1e5", "%2f%n", 1, &[single(1.0), int(2)]);
        check("0.1", "%lf", 1, &[Item::Double(0.1)]);
        check("nan(12)z", "%*f%n", 0, &[int(3)]);
    }

    #[test]
    fn bad_formats() {
        assert!(matches!(directives(b"%"), Err(BadFormat::Invalid(_))));
        assert!(matches!(directives(b"%[a"), Err(BadFormat::Invalid(_))));
        assert!(matches!(directives(b"%y"), Err(BadFormat::Invalid(_))));
        assert!(matches!(directives(b"%ms"), Err(BadFormat::Unsupported(_))));
        assert!(matches!(directives(b"%Lf"), Err(BadFormat::Unsupported(_))));
    }
}
