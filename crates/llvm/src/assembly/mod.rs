//! Assembly code for x86 as text: which instructions a template has, and where
//! its operands live. It knows no values and gives no instruction a meaning; what
//! it cannot read it says, and nobody guesses.

mod constraints;
mod template;

pub(crate) use constraints::{Constraints, Input, Output, Place, parse as parse_constraints};
pub(crate) use template::{
    Argument, Base, BitChange, Condition, Conditional, FlagSet, Instruction, Name,
    parse as parse_template, parse_arm,
};

/// A general-purpose register, whatever part of it is meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Register(u8);

impl Register {
    pub(crate) const A: Register = Register(0);
    pub(crate) const B: Register = Register(1);
    pub(crate) const C: Register = Register(2);
    pub(crate) const D: Register = Register(3);
    pub(crate) const STACK: Register = Register(7);

    /// The register of that name (without `%`) and how many of its bits are meant.
    /// The second bytes (`ah`) are left out.
    pub(crate) fn named(name: &str) -> Option<(Register, u32)> {
        const OLD: [&str; 8] = ["a", "b", "c", "d", "si", "di", "bp", "sp"];
        for (number, old) in OLD.into_iter().enumerate() {
            let register = Register(number as u8);
            let is_letter = old.len() == 1;
            let word = if is_letter {
                format!("{old}x")
            } else {
                old.to_owned()
            };
            let bits = match name.strip_suffix(word.as_str()) {
                Some("r") => 64,
                Some("e") => 32,
                Some("") => 16,
                _ if name.strip_prefix(old) == Some("l") => 8,
                _ => continue,
            };
            return Some((register, bits));
        }
        let rest = name.strip_prefix('r')?;
        let digits = rest.trim_end_matches(|c: char| c.is_ascii_alphabetic());
        let number: u8 = digits.parse().ok().filter(|n| (8..16).contains(n))?;
        let bits = match &rest[digits.len()..] {
            "" => 64,
            "d" => 32,
            "w" => 16,
            "b" => 8,
            _ => return None,
        };
        Some((Register(number), bits))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_registers() {
        assert_eq!(Register::named("rax"), Some((Register::A, 64)));
        assert_eq!(Register::named("eax"), Some((Register::A, 32)));
        assert_eq!(Register::named("ax"), Some((Register::A, 16)));
        assert_eq!(Register::named("al"), Some((Register::A, 8)));
        assert_eq!(Register::named("sil"), Some((Register(4), 8)));
        assert_eq!(Register::named("rsp"), Some((Register::STACK, 64)));
        assert_eq!(Register::named("r8"), Some((Register(8), 64)));
        assert_eq!(Register::named("r15d"), Some((Register(15), 32)));
        for other in ["ah", "r16", "xmm0", "fs", "", "r", "x", "l", "cc"] {
            assert_eq!(Register::named(other), None, "{other}");
        }
    }
}
