//! The format language of `scanf`, and what constant texts mean under it.
//!
//! Pure functions only.

use crate::models::output::format_language::{length, number};

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Directive {
    /// Any amount of white space, none too.
    Space,
    Literal(u8),
    Conversion(Conversion),
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Conversion {
    /// The value goes to an argument: there is no `*`.
    pub is_stored: bool,
    pub width: Option<u64>,
    /// Bits of an integer; 0 stands for `long`.
    pub bits: u32,
    pub kind: Kind,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Kind {
    /// Base 0 means that the prefix says it.
    Integer {
        base: u32,
        is_signed: bool,
    },
    Float,
    Pointer,
    Characters,
    /// Of these letters, in ascending order. Only `%s` skips white space before it.
    Word(Vec<u8>),
    /// `%n`: how much has been read.
    Position,
}

/// A value to store, in the order of the arguments.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Item {
    Integer { bits: u32, value: u64 },
    Bytes(Vec<u8>),
}

pub(crate) struct Scanned {
    pub items: Vec<Item>,
    pub result: i32,
}

fn is_space(byte: u8) -> bool {
    byte == b' ' || (9..=13).contains(&byte)
}

/// `None` if the format is not one that is known here.
pub(crate) fn directives(format: &[u8]) -> Option<Vec<Directive>> {
    let mut directives = Vec::new();
    let mut at = 0;
    while let Some(byte) = format.get(at) {
        at += 1;
        match byte {
            byte if is_space(*byte) => directives.push(Directive::Space),
            b'%' if format.get(at) == Some(&b'%') => {
                at += 1;
                directives.extend([Directive::Space, Directive::Literal(b'%')]);
            }
            b'%' => directives.extend(conversion(format, &mut at)?),
            literal => directives.push(Directive::Literal(*literal)),
        }
    }
    Some(directives)
}

fn conversion(format: &[u8], at: &mut usize) -> Option<Vec<Directive>> {
    let is_stored = format.get(*at) != Some(&b'*');
    *at += usize::from(!is_stored);
    let width = Some(number(format, at) as u64).filter(|width| *width > 0);
    let bits = length(format, at);
    let letter = format.get(*at).copied()?;
    *at += 1;
    let integer = |base, is_signed| Kind::Integer { base, is_signed };
    let kind = match (letter, bits) {
        (b'c' | b's' | b'[', 0) | (b'e'..=b'g' | b'E'..=b'G', 64) => return None,
        (b'd', _) => integer(10, true),
        (b'i', _) => integer(0, true),
        (b'u', _) => integer(10, false),
        (b'o', _) => integer(8, false),
        (b'x' | b'X', _) => integer(16, false),
        (b'p', _) => Kind::Pointer,
        (b'e'..=b'g' | b'E'..=b'G' | b'a' | b'A', _) => Kind::Float,
        (b'c', _) => Kind::Characters,
        (b's', _) => Kind::Word((1..=255).filter(|byte| !is_space(*byte)).collect()),
        (b'[', _) => Kind::Word(letters(format, at)?),
        (b'n', _) => Kind::Position,
        _ => return None,
    };
    let skips_space = !matches!(letter, b'c' | b'[' | b'n');
    let conversion = Directive::Conversion(Conversion {
        is_stored,
        width,
        bits,
        kind,
    });
    Some(match skips_space {
        true => vec![Directive::Space, conversion],
        false => vec![conversion],
    })
}

/// The letters of a set, after its opening bracket.
fn letters(format: &[u8], at: &mut usize) -> Option<Vec<u8>> {
    let is_negated = format.get(*at) == Some(&b'^');
    *at += usize::from(is_negated);
    let mut members = [false; 256];
    let start = *at;
    loop {
        let first = format.get(*at).copied()?;
        *at += 1;
        if first == b']' && *at > start + 1 {
            break;
        }
        let mut last = first;
        if let (Some(b'-'), Some(end)) = (format.get(*at), format.get(*at + 1))
            && *end != b']'
            && *end >= first
        {
            last = *end;
            *at += 2;
        }
        members[usize::from(first)..=usize::from(last)].fill(true);
    }
    let is_letter = |byte: &u8| members[usize::from(*byte)] != is_negated;
    Some((1..=255).filter(is_letter).collect())
}

/// Reads a text as the directives say, on a machine with words of so many bits;
/// `None` if it would have to read a floating-point number.
pub(crate) fn scan(directives: &[Directive], text: &[u8], word: u32) -> Option<Scanned> {
    let mut scanned = Scanned {
        items: Vec::new(),
        result: 0,
    };
    let mut at = 0;
    for directive in directives {
        let is_over = at >= text.len();
        match directive {
            Directive::Space => {
                while text.get(at).is_some_and(|byte| is_space(*byte)) {
                    at += 1;
                }
                continue;
            }
            Directive::Literal(literal) if text.get(at) == Some(literal) => {
                at += 1;
                continue;
            }
            Directive::Conversion(conversion) => {
                if conversion.kind == Kind::Float {
                    return None;
                }
                let is_position = conversion.kind == Kind::Position;
                if !is_over || is_position {
                    let field = &text[at..];
                    let width = conversion.width.unwrap_or(u64::MAX).min(field.len() as u64);
                    let field = &field[..width as usize];
                    if let Some((item, taken)) = convert(conversion, field, at, word) {
                        at += taken;
                        if conversion.is_stored {
                            scanned.items.push(item);
                            scanned.result += i32::from(!is_position);
                        }
                        continue;
                    }
                }
            }
            Directive::Literal(_) => {}
        }
        if is_over && scanned.result == 0 {
            scanned.result = -1;
        }
        break;
    }
    Some(scanned)
}

/// What a conversion makes of a field that is not empty, and how much it takes.
fn convert(
    conversion: &Conversion,
    field: &[u8],
    position: usize,
    word: u32,
) -> Option<(Item, usize)> {
    let bits = match conversion.bits {
        0 => word,
        bits => bits,
    };
    match &conversion.kind {
        Kind::Position => {
            let value = position as u64;
            Some((Item::Integer { bits, value }, 0))
        }
        Kind::Characters => {
            let count = conversion.width.unwrap_or(1).min(field.len() as u64) as usize;
            Some((Item::Bytes(field[..count].to_vec()), count))
        }
        Kind::Word(letters) => {
            let is_letter = |byte: &&u8| letters.contains(byte);
            let count = field.iter().take_while(is_letter).count();
            let mut bytes = field[..count].to_vec();
            bytes.push(0);
            (count > 0).then_some((Item::Bytes(bytes), count))
        }
        Kind::Integer { base, is_signed } => {
            let (value, taken) = integer(field, *base, *is_signed, bits.max(word))?;
            Some((Item::Integer { bits, value }, taken))
        }
        Kind::Pointer => {
            let (value, taken) = integer(field, 16, false, word)?;
            Some((Item::Integer { bits: word, value }, taken))
        }
        Kind::Float => None,
    }
}

/// The integer at the start of a field, made to fit so many bits.
fn integer(field: &[u8], base: u32, is_signed: bool, bits: u32) -> Option<(u64, usize)> {
    let byte = |at: usize| field.get(at).copied().unwrap_or(0);
    let sign = usize::from(matches!(byte(0), b'+' | b'-'));
    let is_hex = byte(sign) == b'0' && matches!(byte(sign + 1), b'x' | b'X');
    let (prefix, base) = match base {
        0 | 16 if is_hex => (2, 16),
        0 if byte(sign) == b'0' => (0, 8),
        0 => (0, 10),
        base => (0, base),
    };
    let digits = field[(sign + prefix).min(field.len())..].iter();
    let digits: Vec<u32> = digits
        .map_while(|byte| (*byte as char).to_digit(base))
        .collect();
    if digits.is_empty() && prefix == 0 {
        return None;
    }
    let magnitude = digits.iter().fold(0u128, |number, digit| {
        number
            .saturating_mul(base.into())
            .saturating_add((*digit).into())
    });
    let is_negative = byte(0) == b'-';
    let limit = match (is_signed, is_negative) {
        (false, _) => (1u128 << bits) - 1,
        (true, false) => (1u128 << (bits - 1)) - 1,
        (true, true) => 1u128 << (bits - 1),
    };
    let value = match magnitude > limit {
        true if !is_signed => return Some((limit as u64, sign + prefix + digits.len())),
        true => limit,
        false => magnitude,
    };
    let value = match is_negative {
        true => (value as u64).wrapping_neg(),
        false => value as u64,
    };
    Some((value, sign + prefix + digits.len()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str, format: &str) -> (i32, Vec<Item>) {
        let directives = directives(format.as_bytes()).expect("the format should be known");
        let scanned = scan(&directives, text.as_bytes(), 64).expect("no floats here");
        (scanned.result, scanned.items)
    }

    fn int(value: i32) -> Item {
        let value = i64::from(value) as u64;
        Item::Integer { bits: 32, value }
    }

    #[test]
    fn values_from_text() {
        assert_eq!(
            read(" 12,-3", "%d,%d%n"),
            (2, vec![int(12), int(-3), int(6)])
        );
        assert_eq!(read("0x1f", "%i"), (1, vec![int(31)]));
        let word = Item::Bytes(b"ab\0".to_vec());
        assert_eq!(read("ab9", "%[a-c]%d"), (2, vec![word, int(9)]));
        assert_eq!(read("", "%d"), (-1, vec![]));
        assert_eq!(read("x", "%d"), (0, vec![]));
        assert_eq!(read("5 6", "%*d%d"), (1, vec![int(6)]));
    }
}
