//! The format language of `printf`: taking a format apart, and turning values
//! into text byte by byte as glibc does in the "C" locale.
//!
//! Pure functions only: fetching arguments and reading strings from memory is the
//! business of the models. Numbers are exact at any precision.

/// Wider fields are refused: no sensible program has them, and they cost memory.
pub(crate) const MAX_FIELD: u64 = 1 << 20;

/// Part of a format.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Piece<'f> {
    Text(&'f [u8]),
    Directive(Directive),
}

/// A conversion as it is written in the format.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Directive {
    pub flags: Flags,
    pub width: Amount,
    pub precision: Option<Amount>,
    pub length: Length,
    pub conversion: u8,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Flags {
    pub left: bool,
    pub plus: bool,
    pub space: bool,
    pub alternate: bool,
    pub zero: bool,
}

/// A width or precision.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Amount {
    Number(u64),
    /// `*`: an argument says it.
    Argument,
}

/// The size of an integer argument. `size_t` and `ptrdiff_t` are as long as
/// `long`, and `intmax_t` is as long as `long long`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Length {
    Byte,
    Short,
    Int,
    Long,
    LongLong,
}

impl Length {
    pub(crate) fn bits(self, pointer_bytes: u64) -> u32 {
        match self {
            Length::Byte => 8,
            Length::Short => 16,
            Length::Int => 32,
            Length::Long => 8 * pointer_bytes as u32,
            Length::LongLong => 64,
        }
    }
}

/// Why a format cannot be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum BadFormat {
    /// It breaks the rules.
    Invalid(String),
    /// It is fine, but not supported here.
    Unsupported(String),
}

/// A directive whose width and precision are known.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Field {
    pub flags: Flags,
    pub width: usize,
    pub precision: Option<usize>,
}

pub(crate) fn pieces(format: &[u8]) -> Result<Vec<Piece<'_>>, BadFormat> {
    let mut pieces = Vec::new();
    let mut rest = format;
    while !rest.is_empty() {
        let text = rest
            .iter()
            .position(|byte| *byte == b'%')
            .unwrap_or(rest.len());
        if text > 0 {
            pieces.push(Piece::Text(&rest[..text]));
            rest = &rest[text..];
            continue;
        }
        let mut reader = Reader { rest: &rest[1..] };
        let directive = reader.directive()?;
        pieces.push(match directive.conversion {
            // glibc ignores flags and width here.
            b'%' => Piece::Text(b"%"),
            _ => Piece::Directive(directive),
        });
        rest = reader.rest;
    }
    Ok(pieces)
}

/// Reads what the format languages of `printf` and `scanf` have in common.
pub(crate) struct Reader<'f> {
    pub rest: &'f [u8],
}

impl Reader<'_> {
    pub(crate) fn peek(&self) -> Option<u8> {
        self.rest.first().copied()
    }

    pub(crate) fn skip(&mut self) {
        self.rest = self.rest.get(1..).unwrap_or(&[]);
    }

    pub(crate) fn take(&mut self, wanted: u8) -> bool {
        let is_there = self.peek() == Some(wanted);
        if is_there {
            self.skip();
        }
        is_there
    }

    /// A decimal number, if there is one. What is too large is refused later.
    pub(crate) fn number(&mut self) -> Option<u64> {
        let mut number: Option<u64> = None;
        while let Some(digit @ b'0'..=b'9') = self.peek() {
            let value = number.unwrap_or(0).saturating_mul(10);
            number = Some(value.saturating_add(u64::from(digit - b'0')));
            self.skip();
        }
        number
    }

    pub(crate) fn length(&mut self) -> Length {
        let (length, extra) = match self.rest {
            [b'h', b'h', ..] => (Length::Byte, 2),
            [b'h', ..] => (Length::Short, 1),
            [b'l', b'l', ..] => (Length::LongLong, 2),
            [b'l' | b'z' | b't', ..] => (Length::Long, 1),
            [b'j' | b'q' | b'L', ..] => (Length::LongLong, 1),
            _ => (Length::Int, 0),
        };
        self.rest = &self.rest[extra..];
        length
    }

    /// The rest of a directive, after its percent sign.
    fn directive(&mut self) -> Result<Directive, BadFormat> {
        let flags = self.flags();
        let width = self.amount()?.unwrap_or(Amount::Number(0));
        let precision = if self.take(b'.') {
            Some(self.amount()?.unwrap_or(Amount::Number(0)))
        } else {
            None
        };
        let length = self.length();
        let conversion = self.conversion(length)?;
        Ok(Directive {
            flags,
            width,
            precision,
            length,
            conversion,
        })
    }

    fn flags(&mut self) -> Flags {
        let mut flags = Flags::default();
        loop {
            match self.peek() {
                Some(b'-') => flags.left = true,
                Some(b'+') => flags.plus = true,
                Some(b' ') => flags.space = true,
                Some(b'#') => flags.alternate = true,
                Some(b'0') => flags.zero = true,
                // Grouping: the "C" locale has none.
                Some(b'\'') => {}
                _ => return flags,
            }
            self.skip();
        }
    }

    fn amount(&mut self) -> Result<Option<Amount>, BadFormat> {
        let is_argument = self.take(b'*');
        let number = self.number();
        if self.peek() == Some(b'$') {
            return Err(BadFormat::Unsupported(
                "numbered arguments in formats".to_owned(),
            ));
        }
        Ok(match number {
            _ if is_argument => Some(Amount::Argument),
            number => number.map(Amount::Number),
        })
    }

    fn conversion(&mut self, length: Length) -> Result<u8, BadFormat> {
        let Some(conversion) = self.peek() else {
            return Err(BadFormat::Invalid(
                "the format ends within a conversion".to_owned(),
            ));
        };
        self.skip();
        let unsupported = |what: &str| Err(BadFormat::Unsupported(format!("{what} in formats")));
        match (conversion, length) {
            (b'C' | b'S', _) | (b'c' | b's', Length::Long) => unsupported("wide characters"),
            (b'a' | b'A' | b'e'..=b'g' | b'E'..=b'G', Length::LongLong) => {
                unsupported("long doubles")
            }
            (b'a' | b'A' | b'e'..=b'g' | b'E'..=b'G', _)
            | (b'd' | b'i' | b'u' | b'o' | b'x' | b'X', _)
            | (b'c' | b's' | b'p' | b'n' | b'm' | b'%', _) => Ok(conversion),
            _ => Err(BadFormat::Invalid(format!(
                "the format has a conversion that does not exist: {}",
                (conversion as char).escape_default()
            ))),
        }
    }
}

/// Puts `prefix` and `body` into the field. Zeros go between the two.
fn fill(field: &Field, prefix: &[u8], body: &[u8], with_zeros: bool) -> Vec<u8> {
    let missing = field.width.saturating_sub(prefix.len() + body.len());
    let (left, zeros, right) = match field.flags {
        Flags { left: true, .. } => (0, 0, missing),
        Flags { zero: true, .. } if with_zeros => (0, missing, 0),
        _ => (missing, 0, 0),
    };
    let mut text = vec![b' '; left];
    text.extend(prefix);
    text.resize(text.len() + zeros, b'0');
    text.extend(body);
    text.resize(text.len() + right, b' ');
    text
}

pub(crate) fn string(field: &Field, bytes: &[u8]) -> Vec<u8> {
    let len = field.precision.unwrap_or(usize::MAX).min(bytes.len());
    fill(field, b"", &bytes[..len], false)
}

/// A single character, which the precision does not concern.
pub(crate) fn character(field: &Field, byte: u8) -> Vec<u8> {
    fill(field, b"", &[byte], false)
}

pub(crate) fn pointer(field: &Field, address: u64) -> Vec<u8> {
    if address == 0 {
        return fill(field, b"", b"(nil)", false);
    }
    let mut field = *field;
    field.flags.alternate = true;
    integer(&field, b'p', false, address)
}

/// The sign that a number is written with.
fn sign(flags: Flags, is_negative: bool) -> &'static [u8] {
    match flags {
        _ if is_negative => b"-",
        Flags { plus: true, .. } => b"+",
        Flags { space: true, .. } => b" ",
        _ => b"",
    }
}

pub(crate) fn integer(field: &Field, conversion: u8, is_negative: bool, magnitude: u64) -> Vec<u8> {
    let mut digits = match conversion {
        _ if magnitude == 0 && field.precision == Some(0) => String::new(),
        b'o' => format!("{magnitude:o}"),
        b'x' | b'p' => format!("{magnitude:x}"),
        b'X' => format!("{magnitude:X}"),
        _ => format!("{magnitude}"),
    };
    let missing = field.precision.unwrap_or(0).saturating_sub(digits.len());
    digits.insert_str(0, &"0".repeat(missing));
    let mut prefix = match conversion {
        b'd' | b'i' | b'p' => sign(field.flags, is_negative).to_vec(),
        _ => Vec::new(),
    };
    match conversion {
        _ if !field.flags.alternate => {}
        b'o' if !digits.starts_with('0') => digits.insert(0, '0'),
        b'x' | b'p' if magnitude != 0 => prefix.extend(b"0x"),
        b'X' if magnitude != 0 => prefix.extend(b"0X"),
        _ => {}
    }
    fill(field, &prefix, digits.as_bytes(), field.precision.is_none())
}

pub(crate) fn float(field: &Field, conversion: u8, value: f64) -> Vec<u8> {
    let mut prefix = sign(field.flags, value.is_sign_negative()).to_vec();
    let magnitude = value.abs();
    let precision = field.precision;
    let alternate = field.flags.alternate;
    let mut body = match conversion.to_ascii_lowercase() {
        _ if value.is_nan() => "nan".to_owned(),
        _ if value.is_infinite() => "inf".to_owned(),
        b'f' => fixed(magnitude, precision.unwrap_or(6), alternate),
        b'e' => scientific(magnitude, precision.unwrap_or(6), alternate),
        b'g' => general(magnitude, precision.unwrap_or(6), alternate),
        _ => {
            prefix.extend(b"0x");
            hexadecimal(magnitude, precision, alternate)
        }
    };
    if conversion.is_ascii_uppercase() {
        prefix.make_ascii_uppercase();
        body.make_ascii_uppercase();
    }
    fill(field, &prefix, body.as_bytes(), value.is_finite())
}

/// No double has more digits than this, in whichever notation, so what follows
/// are zeros (and the standard library's own limit is not much larger).
const MAX_DIGITS: usize = 1100;

fn fixed(value: f64, precision: usize, alternate: bool) -> String {
    let exact = precision.min(MAX_DIGITS);
    let mut text = format!("{value:.exact$}");
    text.push_str(&"0".repeat(precision - exact));
    if precision == 0 && alternate {
        text.push('.');
    }
    text
}

/// The digits before and after the point, and the exponent.
fn decimal_parts(value: f64, precision: usize) -> (String, i32) {
    let exact = precision.min(MAX_DIGITS);
    let text = format!("{value:.exact$e}");
    let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    let zeros = "0".repeat(precision - exact);
    (format!("{mantissa}{zeros}"), exponent.parse().unwrap_or(0))
}

fn with_exponent(mut mantissa: String, exponent: i32) -> String {
    let sign = if exponent < 0 { '-' } else { '+' };
    mantissa.push_str(&format!("e{sign}{:02}", exponent.unsigned_abs()));
    mantissa
}

fn scientific(value: f64, precision: usize, alternate: bool) -> String {
    let (mut mantissa, exponent) = decimal_parts(value, precision);
    if precision == 0 && alternate {
        mantissa.push('.');
    }
    with_exponent(mantissa, exponent)
}

/// The shorter of the two notations, as the C standard defines it.
fn general(value: f64, precision: usize, alternate: bool) -> String {
    let digits = precision.max(1);
    let (mut mantissa, exponent) = decimal_parts(value, digits - 1);
    if exponent < -4 || i64::from(exponent) >= digits as i64 {
        if alternate {
            return scientific(value, digits - 1, true);
        }
        strip_zeros(&mut mantissa);
        return with_exponent(mantissa, exponent);
    }
    let after_point = (digits as i64 - 1 - i64::from(exponent)) as usize;
    let mut text = fixed(value, after_point, alternate);
    if !alternate {
        strip_zeros(&mut text);
    }
    text
}

fn strip_zeros(text: &mut String) {
    if text.contains('.') {
        let kept = text.trim_end_matches('0').trim_end_matches('.').len();
        text.truncate(kept);
    }
}

/// Hexadecimal notation without its `0x`. The digit before the point is 1, but
/// for zero and subnormal numbers 0, and rounding may make it 2.
fn hexadecimal(value: f64, precision: Option<usize>, alternate: bool) -> String {
    const FRACTION_DIGITS: usize = 13;
    let bits = value.to_bits();
    let fraction = bits & ((1 << 52) - 1);
    let (lead, exponent) = match (bits >> 52) as i64 & 0x7ff {
        0 if fraction == 0 => (0, 0),
        0 => (0, -1022),
        biased => (1, biased - 1023),
    };
    let all = lead << 52 | fraction;
    let kept = precision.unwrap_or(FRACTION_DIGITS).min(FRACTION_DIGITS);
    let rounded = round_bits(all, 4 * (FRACTION_DIGITS - kept) as u32);
    let lead = rounded >> (4 * kept);
    let fraction = rounded & ((1 << (4 * kept)) - 1);
    let mut digits = match kept {
        0 => String::new(),
        _ => format!("{fraction:0kept$x}"),
    };
    match precision {
        None => digits.truncate(digits.trim_end_matches('0').len()),
        Some(precision) => digits.push_str(&"0".repeat(precision - kept)),
    }
    let point = if alternate || !digits.is_empty() {
        "."
    } else {
        ""
    };
    let sign = if exponent < 0 { '-' } else { '+' };
    format!("{lead}{point}{digits}p{sign}{}", exponent.abs())
}

/// Drops low bits, rounding to the nearest value, and halves to the even one.
fn round_bits(value: u64, drop: u32) -> u64 {
    if drop == 0 {
        return value;
    }
    let half = 1 << (drop - 1);
    let (kept, rest) = (value >> drop, value & ((1 << drop) - 1));
    kept + u64::from(rest > half || (rest == half && kept & 1 == 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The format's only directive, with all amounts given as numbers.
    fn field(format: &str) -> (Field, u8) {
        let pieces = pieces(format.as_bytes()).expect("the format should be valid");
        let [Piece::Directive(directive)] = &pieces[..] else {
            panic!("{format} should be one directive");
        };
        let number = |amount: Amount| match amount {
            Amount::Number(number) => number as usize,
            Amount::Argument => panic!("{format} should have no arguments as amounts"),
        };
        let field = Field {
            flags: directive.flags,
            width: number(directive.width),
            precision: directive.precision.map(number),
        };
        (field, directive.conversion)
    }

    fn text(bytes: Vec<u8>) -> String {
        String::from_utf8(bytes).expect("the text should be ASCII")
    }

    #[track_caller]
    fn check_int(format: &str, value: i64, expected: &str) {
        let (field, conversion) = field(format);
        let is_negative = value < 0 && matches!(conversion, b'd' | b'i');
        let actual = integer(&field, conversion, is_negative, value.unsigned_abs());
        assert_eq!(text(actual), expected, "{format}");
    }

    #[track_caller]
    fn check_float(format: &str, value: f64, expected: &str) {
        let (field, conversion) = field(format);
        assert_eq!(text(float(&field, conversion, value)), expected, "{format}");
    }

    #[test]
    fn formats_are_taken_apart() {
        let directive = |conversion, length| Directive {
            flags: Flags::default(),
            width: Amount::Number(0),
            precision: None,
            length,
            conversion,
        };
        assert_eq!(
            pieces(b"a%lldb%5%%*.*s"),
            Ok(vec![
                Piece::Text(b"a"),
                Piece::Directive(directive(b'd', Length::LongLong)),
                Piece::Text(b"b"),
                Piece::Text(b"%"),
                Piece::Directive(Directive {
                    width: Amount::Argument,
                    precision: Some(Amount::Argument),
                    ..directive(b's', Length::Int)
                }),
            ])
        );
        assert!(matches!(pieces(b"100%"), Err(BadFormat::Invalid(_))));
        assert!(matches!(pieces(b"%y"), Err(BadFormat::Invalid(_))));
        assert!(matches!(pieces(b"%1$d"), Err(BadFormat::Unsupported(_))));
        assert!(matches!(pieces(b"%Lf"), Err(BadFormat::Unsupported(_))));
        assert!(matches!(pieces(b"%ls"), Err(BadFormat::Unsupported(_))));
    }

    #[test]
    fn integers() {
        check_int("%d", i64::MIN, "-9223372036854775808");
        check_int("%#.0o", 0, "0");
        check_int("%#o", 8, "010");
        check_int("%#x", 0, "0");
        check_int("%#.3o", 8, "010");
        check_int("%.0d", 0, "");
        check_int("%5.0d", 0, "     ");
        check_int("%+.0d", 0, "+");
        check_int("%#10.4x", 255, "    0x00ff");
        check_int("%#010x", 255, "0x000000ff");
        check_int("%-#10X", 255, "0XFF      ");
        check_int("% d", 5, " 5");
        check_int("%+5d", 5, "   +5");
        check_int("%05d", -5, "-0005");
        check_int("%-05d", -5, "-5   ");
        check_int("%05.3d", -5, " -005");
        check_int("%+u", 5, "5");
    }

    #[test]
    fn strings_characters_and_pointers() {
        let on_string = |format: &str, value: &[u8]| text(string(&field(format).0, value));
        assert_eq!(on_string("%05s", b"ab"), "   ab");
        assert_eq!(on_string("%-5s", b"ab"), "ab   ");
        assert_eq!(on_string("%6.3s", b"abcdef"), "   abc");
        assert_eq!(text(character(&field("%-3.0c").0, b'x')), "x  ");
        let on_pointer = |format: &str, address| text(pointer(&field(format).0, address));
        assert_eq!(on_pointer("%+p", 0x1234), "+0x1234");
        assert_eq!(on_pointer("%010p", 0x1234), "0x00001234");
        assert_eq!(on_pointer("%.10p", 0x1234), "0x0000001234");
        assert_eq!(on_pointer("%.3p", 0), "(nil)");
        assert_eq!(on_pointer("%8p", 0), "   (nil)");
    }

    #[test]
    fn fixed_and_scientific_notation() {
        check_float("%.0f", 0.5, "0");
        check_float("%.0f", 1.5, "2");
        check_float("%.0f", 2.5, "2");
        check_float("%#.0f", 3.0, "3.");
        check_float("%.3f", 2.0005, "2.001");
        check_float("%f", -0.0, "-0.000000");
        check_float("%010.2f", -4.126, "-000004.13");
        check_float("%.1f", 1e22, "10000000000000000000000.0");
        check_float("%e", 0.0, "0.000000e+00");
        check_float("%.0e", 12345.0, "1e+04");
        check_float("%#.0e", 12345.0, "1.e+04");
        check_float("%E", 1e-300, "1.000000E-300");
        check_float("%.25e", 0.1, "1.0000000000000000555111512e-01");
        let long = text(float(&field("%.70000f").0, b'f', 5e-324));
        assert_eq!(long.len(), 70002);
        assert!(long.trim_end_matches('0').ends_with("533447265625"));
    }

    #[test]
    fn general_notation() {
        check_float("%g", 0.0001, "0.0001");
        check_float("%g", 0.00001, "1e-05");
        check_float("%g", 123456.0, "123456");
        check_float("%g", 1234567.0, "1.23457e+06");
        check_float("%g", 999999.5, "1e+06");
        check_float("%g", 100000.0, "100000");
        check_float("%#g", 1.0, "1.00000");
        check_float("%.3g", 1234.0, "1.23e+03");
        check_float("%.0g", 1234.0, "1e+03");
        check_float("%#.0g", 1.0, "1.");
        check_float("%g", -0.0, "-0");
        check_float("%g", 0.0, "0");
        check_float("%.17g", 0.1, "0.10000000000000001");
        check_float("%G", 1e100, "1E+100");
    }

    #[test]
    fn hexadecimal_notation() {
        check_float("%a", 1.0, "0x1p+0");
        check_float("%a", -0.0, "-0x0p+0");
        check_float("%a", 0.1, "0x1.999999999999ap-4");
        check_float("%.0a", 1.5, "0x2p+0");
        check_float("%.0a", 2.5, "0x1p+1");
        check_float("%.1a", 1.97, "0x2.0p+0");
        check_float("%.3a", 0.1, "0x1.99ap-4");
        check_float("%A", 1.1, "0X1.199999999999AP+0");
        check_float("%#.0a", 1.0, "0x1.p+0");
        check_float("%a", 5e-324, "0x0.0000000000001p-1022");
        check_float("%.2a", 2e-310, "0x0.02p-1022");
        check_float("%020a", -1.0, "-0x00000000000001p+0");
        check_float("%.20a", 0.1, "0x1.999999999999a0000000p-4");
    }

    #[test]
    fn infinity_and_not_a_number() {
        check_float("%010f", f64::INFINITY, "       inf");
        check_float("%-10f", f64::NEG_INFINITY, "-inf      ");
        check_float("%+e", f64::INFINITY, "+inf");
        check_float("% g", f64::NAN.copysign(1.0), " nan");
        check_float("%F", f64::NAN.copysign(-1.0), "-NAN");
        check_float("%A", f64::INFINITY, "INF");
    }
}
