//! The format language of `printf`, and how constants look.
//!
//! Pure functions only.

/// Wider fields are refused.
const MAX_FIELD: usize = 1 << 12;

/// Part of a format.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Piece {
    Byte(u8),
    Directive(Directive),
}

/// A conversion as it is written in the format.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Directive {
    pub is_left: bool,
    pub has_plus: bool,
    pub has_space: bool,
    pub is_alternate: bool,
    pub has_zeros: bool,
    pub width: Amount,
    pub precision: Option<Amount>,
    /// Bits of an integer; 0 stands for `long`.
    pub bits: u32,
    pub letter: u8,
}

/// A width or precision.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Amount {
    Number(usize),
    /// `*`: an argument says it.
    Argument,
}

impl Default for Amount {
    fn default() -> Self {
        Amount::Number(0)
    }
}

/// Why a format cannot be used.
#[derive(Debug, PartialEq)]
pub(crate) enum Fault {
    /// It breaks the rules.
    Invalid,
    Unsupported,
}

pub(crate) fn pieces(format: &[u8]) -> Result<Vec<Piece>, Fault> {
    let mut pieces = Vec::new();
    let mut at = 0;
    while let Some(byte) = format.get(at) {
        at += 1;
        if *byte != b'%' {
            pieces.push(Piece::Byte(*byte));
            continue;
        }
        let directive = directive(format, &mut at)?;
        pieces.push(match directive.letter {
            b'%' => Piece::Byte(b'%'),
            _ => Piece::Directive(directive),
        });
    }
    Ok(pieces)
}

fn directive(format: &[u8], at: &mut usize) -> Result<Directive, Fault> {
    let byte = |at: usize| format.get(at).copied().unwrap_or(0);
    let mut directive = Directive::default();
    loop {
        match byte(*at) {
            b'-' => directive.is_left = true,
            b'+' => directive.has_plus = true,
            b' ' => directive.has_space = true,
            b'#' => directive.is_alternate = true,
            b'0' => directive.has_zeros = true,
            b'\'' => {}
            _ => break,
        }
        *at += 1;
    }
    directive.width = amount(format, at)?;
    if byte(*at) == b'.' {
        *at += 1;
        directive.precision = Some(amount(format, at)?);
    }
    directive.bits = length(format, at);
    directive.letter = byte(*at);
    *at += 1;
    match (directive.letter, directive.bits) {
        (b'C' | b'S', _) | (b'c' | b's', 0) => Err(Fault::Unsupported),
        (b'a' | b'A' | b'e'..=b'g' | b'E'..=b'G', 64) => Err(Fault::Unsupported),
        (b'd' | b'i' | b'u' | b'o' | b'x' | b'X' | b'c' | b's' | b'p' | b'n' | b'm' | b'%', _)
        | (b'a' | b'A' | b'e'..=b'g' | b'E'..=b'G', _) => Ok(directive),
        _ => Err(Fault::Invalid),
    }
}

/// The bits of an integer, as the letters before a conversion say; 0 is a `long`.
pub(crate) fn length(format: &[u8], at: &mut usize) -> u32 {
    let (bits, letters) = match &format[(*at).min(format.len())..] {
        [b'h', b'h', ..] => (8, 2),
        [b'h', ..] => (16, 1),
        [b'l', b'l', ..] => (64, 2),
        [b'l' | b'z' | b't', ..] => (0, 1),
        [b'j' | b'q' | b'L', ..] => (64, 1),
        _ => (32, 0),
    };
    *at += letters;
    bits
}

/// A decimal number; 0 if there is none.
pub(crate) fn number(format: &[u8], at: &mut usize) -> usize {
    let mut number = 0usize;
    while let Some(digit @ b'0'..=b'9') = format.get(*at) {
        number = number
            .saturating_mul(10)
            .saturating_add(usize::from(digit - b'0'));
        *at += 1;
    }
    number
}

fn amount(format: &[u8], at: &mut usize) -> Result<Amount, Fault> {
    let amount = if format.get(*at) == Some(&b'*') {
        *at += 1;
        Amount::Argument
    } else {
        Amount::Number(number(format, at))
    };
    let is_numbered = format.get(*at) == Some(&b'$');
    match amount {
        _ if is_numbered => Err(Fault::Unsupported),
        Amount::Number(number) if number > MAX_FIELD => Err(Fault::Unsupported),
        amount => Ok(amount),
    }
}

/// A floating-point number without sign and padding.
pub(crate) fn float(
    value: f64,
    letter: u8,
    precision: Option<usize>,
    is_alternate: bool,
) -> String {
    let magnitude = value.abs();
    let digits = precision.unwrap_or(6);
    let text = match letter.to_ascii_lowercase() {
        _ if value.is_nan() => "nan".to_owned(),
        _ if value.is_infinite() => "inf".to_owned(),
        b'f' => fixed(magnitude, digits, is_alternate),
        b'e' => scientific(magnitude, digits, is_alternate),
        _ => general(magnitude, digits.max(1), is_alternate),
    };
    match letter {
        b'E'..=b'G' => text.to_ascii_uppercase(),
        _ => text,
    }
}

fn fixed(value: f64, digits: usize, is_alternate: bool) -> String {
    let point = if digits == 0 && is_alternate { "." } else { "" };
    format!("{value:.digits$}{point}")
}

/// Mantissa and exponent.
fn parts(value: f64, digits: usize) -> (String, i32) {
    let text = format!("{value:.digits$e}");
    match text.split_once('e') {
        Some((mantissa, exponent)) => (mantissa.to_owned(), exponent.parse().unwrap_or(0)),
        None => (text, 0),
    }
}

fn joined(mantissa: &str, exponent: i32) -> String {
    let sign = if exponent < 0 { '-' } else { '+' };
    format!("{mantissa}e{sign}{:02}", exponent.abs())
}

fn scientific(value: f64, digits: usize, is_alternate: bool) -> String {
    let (mantissa, exponent) = parts(value, digits);
    let point = if digits == 0 && is_alternate { "." } else { "" };
    joined(&format!("{mantissa}{point}"), exponent)
}

/// The shorter of the two notations, without zeros at the end.
fn general(value: f64, digits: usize, is_alternate: bool) -> String {
    let (mantissa, exponent) = parts(value, digits - 1);
    let trimmed = |text: String| match is_alternate || !text.contains('.') {
        true => text,
        false => text.trim_end_matches('0').trim_end_matches('.').to_owned(),
    };
    if exponent < -4 || exponent >= digits as i32 {
        return match is_alternate {
            true => scientific(value, digits - 1, true),
            false => joined(&trimmed(mantissa), exponent),
        };
    }
    let behind_point = (digits as i32 - 1 - exponent) as usize;
    trimmed(fixed(value, behind_point, is_alternate))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats_are_taken_apart() {
        let Ok(pieces) = pieces(b"a%-08.3lx%%") else {
            panic!("the format should be valid");
        };
        let directive = Directive {
            is_left: true,
            has_zeros: true,
            width: Amount::Number(8),
            precision: Some(Amount::Number(3)),
            bits: 0,
            letter: b'x',
            ..Directive::default()
        };
        let expected = [
            Piece::Byte(b'a'),
            Piece::Directive(directive),
            Piece::Byte(b'%'),
        ];
        assert_eq!(pieces, expected);
        assert_eq!(super::pieces(b"%"), Err(Fault::Invalid));
        assert_eq!(super::pieces(b"%ls"), Err(Fault::Unsupported));
    }

    #[test]
    fn floats() {
        assert_eq!(float(1.5, b'f', None, false), "1.500000");
        assert_eq!(float(-1234.5, b'e', Some(2), false), "1.23e+03");
        assert_eq!(float(0.0001, b'g', None, false), "0.0001");
        assert_eq!(float(1e10, b'G', None, false), "1E+10");
        assert_eq!(float(100.0, b'g', None, false), "100");
    }
}
