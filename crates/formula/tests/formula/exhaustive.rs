//! Every operation on all values of small widths, with a variable or a constant
//! in each place.

use crate::mirror;
use formula::{BinaryOp, Blaster, Evaluator, GateEvaluator, Lit, Options, Sort, TermId, Terms};

/// A term over `x` and `y`, both of the width, and its value.
type Build = fn(&mut Terms, TermId, TermId) -> TermId;
type Meaning = fn(u128, u128, u32) -> u128;

fn signed(value: u128, width: u32) -> i128 {
    let value = value as i128;
    if value >> (width - 1) & 1 == 1 {
        value - (1 << width)
    } else {
        value
    }
}

const CASES: &[(&str, Build, Meaning)] = &[
    ("equal", Terms::equal, |x, y, _| u128::from(x == y)),
    ("different", Terms::different, |x, y, _| u128::from(x != y)),
    ("ult", Terms::unsigned_less, |x, y, _| u128::from(x < y)),
    ("ule", Terms::unsigned_less_equal, |x, y, _| {
        u128::from(x <= y)
    }),
    ("slt", Terms::signed_less, |x, y, w| {
        u128::from(signed(x, w) < signed(y, w))
    }),
    ("sle", Terms::signed_less_equal, |x, y, w| {
        u128::from(signed(x, w) <= signed(y, w))
    }),
    (
        "neg",
        |t, x, _| t.neg(x),
        |x, _, w| ((1 << w) - x) & ((1 << w) - 1),
    ),
    ("not", |t, x, _| t.bit_not(x), |x, _, w| (1 << w) - 1 - x),
    ("concat", Terms::concat, |x, y, w| x << w | y),
    (
        "zero_extend",
        |t, x, _| t.zero_extend(x, t.width(x) + 3),
        |x, _, _| x,
    ),
    (
        "sign_extend",
        |t, x, _| t.sign_extend(x, t.width(x) + 3),
        |x, _, w| (signed(x, w) as u128) & ((1 << (w + 3)) - 1),
    ),
    (
        "extract",
        |t, x, _| t.extract(x, t.width(x) - 1, t.width(x) / 2),
        |x, _, w| x >> (w / 2),
    ),
    (
        "ite",
        |t, x, y| {
            let less = t.unsigned_less(x, y);
            t.ite(less, x, y)
        },
        |x, y, _| x.min(y),
    ),
    (
        "nonzero",
        |t, x, _| t.is_nonzero(x),
        |x, _, _| u128::from(x != 0),
    ),
];

/// One operation at one width.
struct Case<'a> {
    name: &'a str,
    width: u32,
    build: &'a dyn Fn(&mut Terms, TermId, TermId) -> TermId,
    meaning: &'a dyn Fn(u128, u128, u32) -> u128,
}

impl Case<'_> {
    fn check(&self) {
        self.check_places([None, None]);
        for value in 0..1 << self.width {
            self.check_places([Some(value), None]);
            self.check_places([None, Some(value)]);
            self.check_places([Some(value), Some(value / 2)]);
        }
    }

    /// Compares a term with its meaning, for all values where there is no
    /// constant.
    fn check_places(&self, constants: [Option<u128>; 2]) {
        let width = self.width;
        for (fuel, narrowing) in [(u64::MAX, true), (u64::MAX, false), (0, true), (3, true)] {
            let mut terms = Terms::with_fuel(fuel);
            let operands = constants.map(|constant| match constant {
                Some(value) => terms.constant(width, value),
                None => terms.new_variable("x", Sort::BitVec(width)),
            });
            let term = (self.build)(&mut terms, operands[0], operands[1]);
            let mut blaster = Blaster::new(Options {
                narrowing,
                ..Options::default()
            });
            let words = operands.map(|operand| blaster.bits(&terms, operand));
            let bits = blaster.bits(&terms, term);
            let all = |constant: Option<u128>| match constant {
                Some(value) => value..value + 1,
                None => 0..1 << width,
            };
            let pairs = all(constants[0]).flat_map(|x| all(constants[1]).map(move |y| (x, y)));
            for (x, y) in pairs {
                let expected = (self.meaning)(x, y, width);
                let says = format!("{} of {x} and {y}, {width} bits, fuel {fuel}", self.name);
                let value_of = |variable| {
                    let is_first = terms.variable(variable).term == operands[0];
                    if is_first { x } else { y }
                };
                let mut evaluator = Evaluator::new(&terms, value_of);
                assert_eq!(evaluator.value(term), expected, "{says}");
                assert!(terms.range(term).contains(expected), "{says}");
                let input = |lit: Lit| {
                    let bit_of = |word: &[Lit], value: u128| {
                        let bit = word.iter().position(|l| *l == lit)?;
                        Some(value >> bit & 1 == 1)
                    };
                    bit_of(&words[0], x).or(bit_of(&words[1], y)).unwrap()
                };
                let mut gates = GateEvaluator::new(&blaster.gates, input);
                assert_eq!(gates.word(&bits), expected, "{says}, as gates");
            }
        }
    }
}

#[test]
fn binary_operations() {
    for op in BinaryOp::ALL {
        for width in 1..=4 {
            Case {
                name: &format!("{op:?}"),
                width,
                build: &|terms, x, y| terms.binary(op, x, y),
                meaning: &|x, y, width| mirror::binary(op, x, y, width),
            }
            .check();
        }
    }
}

#[test]
fn other_operations() {
    for (name, build, meaning) in CASES {
        for width in 1..=4 {
            Case {
                name,
                width,
                build,
                meaning,
            }
            .check();
        }
    }
}

#[test]
fn connectives() {
    // Over the three bits of `x`, as Booleans.
    type Connective = fn(&mut Terms, &[TermId]) -> TermId;
    type Function = fn(&[bool]) -> bool;
    let cases: [(Connective, Function); 7] = [
        (|t, b| t.not(b[0]), |b| !b[0]),
        (|t, b| t.all(b), |b| b.iter().all(|x| *x)),
        (|t, b| t.any(b), |b| b.iter().any(|x| *x)),
        (|t, b| t.xor(b[0], b[1]), |b| b[0] != b[1]),
        (|t, b| t.equal(b[0], b[1]), |b| b[0] == b[1]),
        (|t, b| t.implies(b[0], b[1]), |b| !b[0] || b[1]),
        (
            |t, b| t.ite(b[0], b[1], b[2]),
            |b| if b[0] { b[1] } else { b[2] },
        ),
    ];
    for (build, meaning) in cases {
        Case {
            name: "connective",
            width: 3,
            build: &|terms, x, _| {
                let mut bit = |index| {
                    let bit = terms.extract(x, index, index);
                    terms.is_one(bit)
                };
                let bools = [bit(0), bit(1), bit(2)];
                let result = build(terms, &bools);
                terms.to_bit(result)
            },
            meaning: &|x, _, _| u128::from(meaning(&[x & 1 == 1, x & 2 == 2, x & 4 == 4])),
        }
        .check();
    }
}
