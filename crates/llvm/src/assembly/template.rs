//! Templates of assembly code in AT&T's syntax, as LLVM passes them on: operands
//! are `$0` or `${0:b}`, a dollar sign is `$$`.

use super::Register;

/// One instruction of a template.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Instruction {
    pub name: Name,
    /// Said by a suffix: `l` is 32.
    pub bits: Option<u32>,
    pub is_locked: bool,
    /// The last one is the destination.
    pub args: Vec<Argument>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Name {
    /// Waits a little, or loads into a cache: nothing that a program can see.
    Nothing,
    FullFence,
    LoadFence,
    StoreFence,
    /// Reads the time stamp counter; the processor's number, too, if asked to.
    TimeStamp {
        with_processor: bool,
    },
    Move,
    /// Moves a value of `from` bits, widened.
    Widen {
        from: u32,
        to: u32,
        is_signed: bool,
    },
    Exchange,
    ExchangeAdd,
    CompareExchange,
    /// Of twice that many bits, between memory and pairs of registers.
    CompareExchangePair {
        half: u32,
    },
    Add,
    Sub,
    And,
    Or,
    Xor,
    Compare,
    Test,
    Increment,
    Decrement,
    Negate,
    Not,
    SubtractCarry,
    BitTest(BitChange),
    Set(Conditional),
    MoveIf(Conditional),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BitChange {
    None,
    Set,
    Reset,
    Complement,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Argument {
    Immediate(i128),
    Register(Register, u32),
    /// Operand of the assembly code, perhaps with a letter that chooses a part.
    Operand(usize, Option<char>),
    Memory {
        displacement: i64,
        base: Base,
        index: Option<(Base, i64)>,
    },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Base {
    Register(Register, u32),
    Operand(usize, Option<char>),
}

/// A condition on the flags; each has an opposite.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Condition {
    Overflow,
    Below,
    Equal,
    BelowEqual,
    Sign,
    Parity,
    Less,
    LessEqual,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Conditional {
    pub condition: Condition,
    pub is_negated: bool,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct FlagSet {
    pub carry: bool,
    pub zero: bool,
    pub sign: bool,
    pub overflow: bool,
    pub parity: bool,
}

impl Condition {
    pub(crate) fn named(name: &str) -> Option<Conditional> {
        use Condition::*;
        let (condition, is_negated) = match name {
            "o" => (Overflow, false),
            "no" => (Overflow, true),
            "b" | "c" | "nae" => (Below, false),
            "ae" | "nb" | "nc" => (Below, true),
            "e" | "z" => (Equal, false),
            "ne" | "nz" => (Equal, true),
            "be" | "na" => (BelowEqual, false),
            "a" | "nbe" => (BelowEqual, true),
            "s" => (Sign, false),
            "ns" => (Sign, true),
            "p" | "pe" => (Parity, false),
            "np" | "po" => (Parity, true),
            "l" | "nge" => (Less, false),
            "ge" | "nl" => (Less, true),
            "le" | "ng" => (LessEqual, false),
            "g" | "nle" => (LessEqual, true),
            _ => return None,
        };
        Some(Conditional {
            condition,
            is_negated,
        })
    }

    /// The flags that it depends on.
    pub(crate) fn flags(self) -> FlagSet {
        let mut flags = FlagSet::default();
        match self {
            Condition::Overflow => flags.overflow = true,
            Condition::Below => flags.carry = true,
            Condition::Equal => flags.zero = true,
            Condition::BelowEqual => (flags.carry, flags.zero) = (true, true),
            Condition::Sign => flags.sign = true,
            Condition::Parity => flags.parity = true,
            Condition::Less => (flags.sign, flags.overflow) = (true, true),
            Condition::LessEqual => {
                (flags.zero, flags.sign, flags.overflow) = (true, true, true);
            }
        }
        flags
    }
}

impl FlagSet {
    pub(crate) fn or(self, other: FlagSet) -> FlagSet {
        FlagSet {
            carry: self.carry || other.carry,
            zero: self.zero || other.zero,
            sign: self.sign || other.sign,
            overflow: self.overflow || other.overflow,
            parity: self.parity || other.parity,
        }
    }
}

impl Instruction {
    /// The flags whose values it depends on.
    pub(crate) fn flags_read(&self) -> FlagSet {
        match self.name {
            Name::Set(conditional) | Name::MoveIf(conditional) => conditional.condition.flags(),
            Name::SubtractCarry => Condition::Below.flags(),
            _ => FlagSet::default(),
        }
    }
}

/// The instructions of a template. Fails with the text that cannot be read.
pub(crate) fn parse(template: &str) -> Result<Vec<Instruction>, String> {
    let text = without_comments(&first_dialect(template)?);
    let mut instructions = Vec::new();
    // Prefixes may stand on lines of their own.
    let mut prefixes = Prefixes::default();
    for piece in text.split([';', '\n']) {
        let mut rest = piece.trim();
        loop {
            let (word, after) = match rest.split_once(char::is_whitespace) {
                Some((word, after)) => (word, after.trim()),
                None => (rest, ""),
            };
            match word {
                "" => break,
                "lock" => prefixes.is_locked = true,
                "rep" | "repz" | "repe" => prefixes.is_repeated = true,
                _ => {
                    let failed = || piece.trim().to_owned();
                    let instruction = instruction(word, after, prefixes).ok_or_else(failed)?;
                    instructions.push(instruction);
                    prefixes = Prefixes::default();
                    break;
                }
            }
            rest = after;
        }
    }
    if prefixes.is_locked || prefixes.is_repeated {
        return Err(template.trim().to_owned());
    }
    Ok(instructions)
}

/// The same for ARM, of which only fences and pauses are known.
pub(crate) fn parse_arm(template: &str) -> Result<Vec<Instruction>, String> {
    let mut instructions = Vec::new();
    for piece in without_comments(template).split([';', '\n']) {
        let words: Vec<_> = piece.split_whitespace().collect();
        let name = match words[..] {
            [] => continue,
            ["nop" | "yield" | "isb"] => Name::Nothing,
            ["dmb" | "dsb", _] | ["dmb" | "dsb"] => Name::FullFence,
            _ => return Err(piece.trim().to_owned()),
        };
        instructions.push(Instruction {
            name,
            bits: None,
            is_locked: false,
            args: Vec::new(),
        });
    }
    Ok(instructions)
}

#[derive(Clone, Copy, Default)]
struct Prefixes {
    is_locked: bool,
    is_repeated: bool,
}

/// `$(att$|intel$)` is a choice of dialects, the first of which is meant.
fn first_dialect(template: &str) -> Result<String, String> {
    let mut text = String::with_capacity(template.len());
    let mut rest = template;
    while let Some(start) = rest.find("$(") {
        text.push_str(&rest[..start]);
        let unclosed = || template.trim().to_owned();
        let end = start + rest[start..].find("$)").ok_or_else(unclosed)?;
        let choices = &rest[start + 2..end];
        text.push_str(choices.split("$|").next().unwrap_or_default());
        rest = &rest[end + 2..];
    }
    text.push_str(rest);
    Ok(text)
}

fn without_comments(template: &str) -> String {
    let mut text = String::with_capacity(template.len());
    let mut rest = template;
    while let Some((before, after)) = rest.split_once("/*") {
        text.push_str(before);
        rest = after.split_once("*/").map_or("", |(_, after)| after);
    }
    text.push_str(rest);
    let lines = text.lines().map(|line| match line.split_once('#') {
        Some((code, _)) => code,
        None => line,
    });
    lines.collect::<Vec<_>>().join("\n")
}

fn instruction(word: &str, args: &str, prefixes: Prefixes) -> Option<Instruction> {
    let word = word.to_ascii_lowercase();
    let (name, bits) = name(&word)?;
    // The only repetition that is one instruction.
    if prefixes.is_repeated && word != "nop" {
        return None;
    }
    let args = match args.is_empty() {
        true => Vec::new(),
        false => split_arguments(args)
            .into_iter()
            .map(argument)
            .collect::<Option<_>>()?,
    };
    let instruction = Instruction {
        name,
        bits,
        is_locked: prefixes.is_locked,
        args,
    };
    has_right_shape(&instruction).then_some(instruction)
}

fn name(word: &str) -> Option<(Name, Option<u32>)> {
    if let Some(name) = exact_name(word) {
        return Some((name, None));
    }
    let bits = suffix_bits(word.chars().last()?)?;
    let base = exact_name(&word[..word.len() - 1])?;
    sized(base).then_some((base, Some(bits)))
}

fn suffix_bits(suffix: char) -> Option<u32> {
    Some(match suffix {
        'b' => 8,
        'w' => 16,
        'l' => 32,
        'q' => 64,
        _ => return None,
    })
}

/// Whether an instruction takes a suffix for its size.
fn sized(name: Name) -> bool {
    !matches!(
        name,
        Name::Nothing
            | Name::FullFence
            | Name::LoadFence
            | Name::StoreFence
            | Name::TimeStamp { .. }
            | Name::CompareExchangePair { .. }
            | Name::Set(_)
            | Name::Widen { .. }
    )
}

fn exact_name(word: &str) -> Option<Name> {
    Some(match word {
        "pause" | "nop" | "prefetchnta" | "prefetcht0" | "prefetcht1" | "prefetcht2"
        | "prefetchw" | "clflush" | "clflushopt" | "clwb" => Name::Nothing,
        "mfence" => Name::FullFence,
        "lfence" => Name::LoadFence,
        "sfence" => Name::StoreFence,
        "rdtsc" => Name::TimeStamp {
            with_processor: false,
        },
        "rdtscp" => Name::TimeStamp {
            with_processor: true,
        },
        "mov" | "movabs" => Name::Move,
        "xchg" => Name::Exchange,
        "xadd" => Name::ExchangeAdd,
        "cmpxchg" => Name::CompareExchange,
        "cmpxchg8b" => Name::CompareExchangePair { half: 32 },
        "cmpxchg16b" => Name::CompareExchangePair { half: 64 },
        "add" => Name::Add,
        "sub" => Name::Sub,
        "and" => Name::And,
        "or" => Name::Or,
        "xor" => Name::Xor,
        "cmp" => Name::Compare,
        "test" => Name::Test,
        "inc" => Name::Increment,
        "dec" => Name::Decrement,
        "neg" => Name::Negate,
        "not" => Name::Not,
        "sbb" => Name::SubtractCarry,
        "bt" => Name::BitTest(BitChange::None),
        "bts" => Name::BitTest(BitChange::Set),
        "btr" => Name::BitTest(BitChange::Reset),
        "btc" => Name::BitTest(BitChange::Complement),
        _ => {
            if let Some(condition) = word.strip_prefix("set") {
                return Condition::named(condition).map(Name::Set);
            }
            if let Some(condition) = word.strip_prefix("cmov") {
                return Condition::named(condition).map(Name::MoveIf);
            }
            let (kind, is_signed) = match word.strip_prefix("movz") {
                Some(kind) => (kind, false),
                None => (word.strip_prefix("movs")?, true),
            };
            let [from, to] = kind.as_bytes() else {
                return None;
            };
            let from = suffix_bits(char::from(*from))?;
            let to = suffix_bits(char::from(*to))?;
            let is_known = from < to && (is_signed || from < 32);
            return is_known.then_some(Name::Widen {
                from,
                to,
                is_signed,
            });
        }
    })
}

/// Whether the number of arguments is right, and only what can be locked is.
fn has_right_shape(instruction: &Instruction) -> bool {
    let expected = match instruction.name {
        Name::Nothing => {
            // Caches are told an address, pauses nothing.
            return !instruction.is_locked && instruction.args.len() <= 1;
        }
        Name::FullFence | Name::LoadFence | Name::StoreFence | Name::TimeStamp { .. } => 0,
        Name::CompareExchangePair { .. }
        | Name::Increment
        | Name::Decrement
        | Name::Negate
        | Name::Not
        | Name::Set(_) => 1,
        _ => 2,
    };
    let can_be_locked = matches!(
        instruction.name,
        Name::Exchange
            | Name::ExchangeAdd
            | Name::CompareExchange
            | Name::CompareExchangePair { .. }
            | Name::Add
            | Name::Sub
            | Name::And
            | Name::Or
            | Name::Xor
            | Name::Increment
            | Name::Decrement
            | Name::Not
            | Name::BitTest(BitChange::Set | BitChange::Reset | BitChange::Complement)
    );
    instruction.args.len() == expected && (can_be_locked || !instruction.is_locked)
}

/// At commas that are not within parentheses.
fn split_arguments(text: &str) -> Vec<&str> {
    let mut args = Vec::new();
    let (mut depth, mut start) = (0, 0);
    for (index, c) in text.char_indices() {
        match c {
            '(' => depth += 1,
            ')' => depth -= 1,
            ',' if depth == 0 => {
                args.push(text[start..index].trim());
                start = index + 1;
            }
            _ => {}
        }
    }
    args.push(text[start..].trim());
    args
}

fn argument(text: &str) -> Option<Argument> {
    if let Some(immediate) = text.strip_prefix("$$") {
        return Some(Argument::Immediate(number(immediate)?));
    }
    if let Some(inner) = text.strip_suffix(')') {
        let (displacement, inner) = inner.split_once('(')?;
        let displacement = match displacement.trim() {
            "" => 0,
            displacement => i64::try_from(number(displacement)?).ok()?,
        };
        let mut parts = inner.split(',').map(str::trim);
        let base = base(parts.next()?)?;
        let index = match parts.next() {
            None => None,
            Some(index) => Some((self::base(index)?, parts.next().map_or(Some(1), scale)?)),
        };
        return parts.next().is_none().then_some(Argument::Memory {
            displacement,
            base,
            index,
        });
    }
    Some(match base(text)? {
        Base::Register(register, bits) => Argument::Register(register, bits),
        Base::Operand(operand, part) => Argument::Operand(operand, part),
    })
}

fn scale(text: &str) -> Option<i64> {
    matches!(text, "1" | "2" | "4" | "8").then(|| text.parse().ok())?
}

fn base(text: &str) -> Option<Base> {
    if let Some(name) = text.strip_prefix('%') {
        let (register, bits) = Register::named(name)?;
        return Some(Base::Register(register, bits));
    }
    let operand = text.strip_prefix('$')?;
    let Some(operand) = operand.strip_prefix('{') else {
        return Some(Base::Operand(plain_number(operand)?, None));
    };
    let operand = operand.strip_suffix('}')?;
    match operand.split_once(':') {
        None => Some(Base::Operand(plain_number(operand)?, None)),
        Some((operand, part)) => {
            let part = part.chars().next().filter(|_| part.len() == 1)?;
            Some(Base::Operand(plain_number(operand)?, Some(part)))
        }
    }
}

fn plain_number(text: &str) -> Option<usize> {
    let is_plain = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    is_plain.then(|| text.parse().ok())?
}

/// Decimal, octal or hexadecimal, as assemblers read them.
fn number(text: &str) -> Option<i128> {
    let text = text.trim();
    let (is_negative, digits) = match text.strip_prefix('-') {
        Some(digits) => (true, digits),
        None => (false, text),
    };
    if !digits
        .bytes()
        .all(|byte| byte.is_ascii_hexdigit() || byte == b'x')
    {
        return None;
    }
    let value = if let Some(digits) = digits.strip_prefix("0x") {
        u64::from_str_radix(digits, 16).ok()?
    } else if digits.len() > 1 && digits.starts_with('0') {
        u64::from_str_radix(digits, 8).ok()?
    } else {
        digits.parse().ok()?
    };
    let value = i128::from(value);
    Some(if is_negative { -value } else { value })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(template: &str) -> Vec<(Name, bool)> {
        let instructions = parse(template).unwrap();
        let names = instructions
            .iter()
            .map(|known| (known.name, known.is_locked));
        names.collect()
    }

    #[test]
    fn several_instructions_and_prefixes() {
        let equal = Condition::named("e").unwrap();
        let exchange = (Name::CompareExchange, true);
        let set = (Name::Set(equal), false);
        assert_eq!(names("lock; cmpxchgl $2,$1; sete $0"), [exchange, set]);
        assert_eq!(
            names("lock\n\tcmpxchgq $2, $1\n\tsetz $0\n"),
            [exchange, set]
        );
        assert_eq!(names("rep; nop"), [(Name::Nothing, false)]);
        assert_eq!(names("rep nop # wait"), [(Name::Nothing, false)]);
        assert_eq!(names(" /* nothing */ \n\t# at all"), []);
    }

    #[test]
    fn sizes_are_suffixes_unless_they_belong_to_the_name() {
        let bits = |template: &str| parse(template).unwrap()[0].bits;
        assert_eq!(bits("sub $0,$1"), None);
        assert_eq!(bits("subb $0,$1"), Some(8));
        assert_eq!(bits("lock btsl $0,$1"), Some(32));
        assert_eq!(bits("cmovll $0,$1"), Some(32));
        assert_eq!(bits("cmovl $0,$1"), None);
        assert_eq!(bits("setb $0"), None);
    }

    #[test]
    fn arguments_of_all_kinds() {
        let args = |template: &str| parse(template).unwrap().remove(0).args;
        let operand = |number| Argument::Operand(number, None);
        assert_eq!(args("movl $$-5,$0"), [Argument::Immediate(-5), operand(0)]);
        assert_eq!(
            args("xchgb ${0:b},$1"),
            [Argument::Operand(0, Some('b')), operand(1)]
        );
        let memory = Argument::Memory {
            displacement: 8,
            base: Base::Operand(1, None),
            index: Some((Base::Register(Register::C, 64), 4)),
        };
        assert_eq!(args("mov 8($1,%rcx,4),$0"), [memory, operand(0)]);
    }

    #[test]
    fn fences_of_other_processors() {
        let known = parse_arm("dmb ish; yield").unwrap();
        assert_eq!(known.len(), 2);
        assert_eq!(known[0].name, Name::FullFence);
        assert!(parse_arm("mfence").is_err());
    }

    #[test]
    fn dialects_are_a_choice() {
        let chosen = parse("$(movl $1,$0$|mov $0,$1$)").unwrap();
        assert_eq!(chosen, parse("movl $1,$0").unwrap());
    }

    #[test]
    fn everything_else_is_refused() {
        for template in [
            "cpuid",
            "syscall",
            "jmp 1f",
            "1: nop",
            "lock; movl $0,$1",
            "lock; negl $0",
            "lock",
            "rep; movsb",
            "addl $0",
            "movl %fs:0,$0",
            "movl $0,%ah",
            "movl 4+$0,$1",
            "movl $$foo,$0",
            "$(nop",
            "cmpxchg8b $0,$1",
            "setq $0",
            "movzlq $0,$1",
        ] {
            assert!(parse(template).is_err(), "{template}");
        }
    }
}
