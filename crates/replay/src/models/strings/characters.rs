//! The classes of characters in the "C" locale, as glibc numbers them.
//!
//! Only ASCII characters belong to any class. glibc also answers for the negative
//! values that a `char` can have, so its tables start at -128.

/// Bits of a table entry, and what the functions return for a member.
pub(crate) const BLANK: u16 = 0x0001;
pub(crate) const CONTROL: u16 = 0x0002;
pub(crate) const PUNCTUATION: u16 = 0x0004;
pub(crate) const ALPHANUMERIC: u16 = 0x0008;
pub(crate) const UPPER: u16 = 0x0100;
pub(crate) const LOWER: u16 = 0x0200;
pub(crate) const ALPHABETIC: u16 = 0x0400;
pub(crate) const DIGIT: u16 = 0x0800;
pub(crate) const HEX_DIGIT: u16 = 0x1000;
pub(crate) const SPACE: u16 = 0x2000;
pub(crate) const PRINTABLE: u16 = 0x4000;
pub(crate) const GRAPHIC: u16 = 0x8000;

/// The characters that the tables answer for: those of `char`, signed or not.
pub(crate) const DOMAIN: std::ops::Range<i32> = -128..256;

/// White space, as the functions that read numbers skip it.
pub(crate) fn is_space(byte: u8) -> bool {
    classes(i32::from(byte)) & SPACE != 0
}

/// All classes a character belongs to.
pub(crate) fn classes(character: i32) -> u16 {
    let Some(byte) = u8::try_from(character).ok().filter(u8::is_ascii) else {
        return 0;
    };
    let is_space = byte == b' ' || (b'\t'..=b'\r').contains(&byte);
    let members = [
        (BLANK, byte == b' ' || byte == b'\t'),
        (CONTROL, byte.is_ascii_control()),
        (PUNCTUATION, byte.is_ascii_punctuation()),
        (ALPHANUMERIC, byte.is_ascii_alphanumeric()),
        (UPPER, byte.is_ascii_uppercase()),
        (LOWER, byte.is_ascii_lowercase()),
        (ALPHABETIC, byte.is_ascii_alphabetic()),
        (DIGIT, byte.is_ascii_digit()),
        (HEX_DIGIT, byte.is_ascii_hexdigit()),
        (SPACE, is_space),
        (PRINTABLE, byte.is_ascii_graphic() || byte == b' '),
        (GRAPHIC, byte.is_ascii_graphic()),
    ];
    members
        .into_iter()
        .filter(|(_, is_member)| *is_member)
        .fold(0, |all, (class, _)| all | class)
}

pub(crate) fn to_upper(character: i32) -> i32 {
    convert(character, |byte| byte.to_ascii_uppercase())
}

pub(crate) fn to_lower(character: i32) -> i32 {
    convert(character, |byte| byte.to_ascii_lowercase())
}

/// EOF stays itself, other negative characters become those of `unsigned char`.
fn convert(character: i32, to: impl Fn(u8) -> u8) -> i32 {
    match character {
        -1 => -1,
        -128..=255 => i32::from(to(character as u8)),
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_are_those_of_glibc() {
        let check = |character: u8, expected: u16| {
            assert_eq!(classes(i32::from(character)), expected, "{character}");
        };
        check(0, 0x0002);
        check(b'\t', 0x2003);
        check(b'\n', 0x2002);
        check(0x0b, 0x2002);
        check(b' ', 0x6001);
        check(b'!', 0xc004);
        check(b'7', 0xd808);
        check(b'F', 0xd508);
        check(b'G', 0xc508);
        check(b'f', 0xd608);
        check(b'z', 0xc608);
        check(127, 0x0002);
        check(200, 0);
        assert_eq!(classes(-1), 0);
        assert_eq!(classes(1000), 0);
    }

    #[test]
    fn case_conversion_keeps_eof() {
        assert_eq!(to_upper(i32::from(b'q')), i32::from(b'Q'));
        assert_eq!(to_lower(i32::from(b'Q')), i32::from(b'q'));
        assert_eq!(to_upper(-1), -1);
        assert_eq!(to_upper(-2), 254);
        assert_eq!(to_lower(255), 255);
        assert_eq!(to_lower(i32::MIN), i32::MIN);
    }
}
