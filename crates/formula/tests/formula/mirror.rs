//! Expressions that nobody simplifies, and what they mean.
//!
//! The evaluator follows the definitions of SMT-LIB and shares no code with the
//! crate. [`Expr::build`] makes the term for an expression, [`Generator`] makes
//! random expressions.

use fastrand::Rng;
use formula::{BinaryOp, Range, Sort, TermId, Terms};
use std::rc::Rc;

#[derive(Debug)]
pub(crate) enum Expr {
    Bool(bool),
    Constant(u32, u128),
    /// A variable by its number in the environment, with its sort.
    Variable(usize, Sort),
    Not(Rc<Expr>),
    All(Vec<Rc<Expr>>),
    Any(Vec<Rc<Expr>>),
    Xor(Rc<Expr>, Rc<Expr>),
    Implies(Rc<Expr>, Rc<Expr>),
    Ite(Rc<Expr>, Rc<Expr>, Rc<Expr>),
    Equal(Rc<Expr>, Rc<Expr>),
    UnsignedLess(Rc<Expr>, Rc<Expr>),
    UnsignedLessEqual(Rc<Expr>, Rc<Expr>),
    SignedLess(Rc<Expr>, Rc<Expr>),
    SignedLessEqual(Rc<Expr>, Rc<Expr>),
    Binary(BinaryOp, Rc<Expr>, Rc<Expr>),
    Neg(Rc<Expr>),
    BitNot(Rc<Expr>),
    Concat(Rc<Expr>, Rc<Expr>),
    Extract(Rc<Expr>, u32, u32),
    ZeroExtend(Rc<Expr>, u32),
    SignExtend(Rc<Expr>, u32),
    ToBit(Rc<Expr>),
    IsOne(Rc<Expr>),
}

fn ones(width: u32) -> u128 {
    (0..width).fold(0, |value, bit| value | 1 << bit)
}

fn is_set(value: u128, bit: u32) -> bool {
    value >> bit & 1 == 1
}

fn negate(value: u128, width: u32) -> u128 {
    (ones(width) - value).wrapping_add(1) & ones(width)
}

fn signed_less(a: u128, b: u128, width: u32) -> bool {
    match (is_set(a, width - 1), is_set(b, width - 1)) {
        (true, false) => true,
        (false, true) => false,
        _ => a < b,
    }
}

pub(crate) fn binary(op: BinaryOp, a: u128, b: u128, width: u32) -> u128 {
    let all = ones(width);
    let divide = |a: u128, b: u128| a.checked_div(b).unwrap_or(all);
    let remainder = |a: u128, b: u128| a.checked_rem(b).unwrap_or(a);
    let neg = |a: u128| negate(a, width);
    let (a_sign, b_sign) = (is_set(a, width - 1), is_set(b, width - 1));
    match op {
        BinaryOp::Add => a.wrapping_add(b) & all,
        BinaryOp::Sub => a.wrapping_add(neg(b)) & all,
        BinaryOp::Mul => (0..width)
            .filter(|bit| is_set(b, *bit))
            .fold(0u128, |sum, bit| sum.wrapping_add(a << bit) & all),
        BinaryOp::UnsignedDiv => divide(a, b),
        BinaryOp::UnsignedRem => remainder(a, b),
        BinaryOp::SignedDiv => match (a_sign, b_sign) {
            (false, false) => divide(a, b),
            (true, false) => neg(divide(neg(a), b)),
            (false, true) => neg(divide(a, neg(b))),
            (true, true) => divide(neg(a), neg(b)),
        },
        BinaryOp::SignedRem => match (a_sign, b_sign) {
            (false, false) => remainder(a, b),
            (true, false) => neg(remainder(neg(a), b)),
            (false, true) => remainder(a, neg(b)),
            (true, true) => neg(remainder(neg(a), neg(b))),
        },
        BinaryOp::ShiftLeft => (0..b.min(u128::from(width))).fold(a, |a, _| (a << 1) & all),
        BinaryOp::ShiftRight => (0..b.min(u128::from(width))).fold(a, |a, _| a >> 1),
        BinaryOp::ShiftRightSigned => (0..b.min(u128::from(width)))
            .fold(a, |a, _| a >> 1 | if a_sign { 1 << (width - 1) } else { 0 }),
        BinaryOp::And => a & b,
        BinaryOp::Or => a | b,
        BinaryOp::Xor => (a | b) & !(a & b),
    }
}

impl Expr {
    /// 0 for a Boolean.
    pub(crate) fn width(&self) -> u32 {
        match self {
            Expr::Constant(width, _) => *width,
            Expr::Variable(_, Sort::BitVec(width)) => *width,
            Expr::Ite(_, a, _) | Expr::Binary(_, a, _) | Expr::Neg(a) | Expr::BitNot(a) => {
                a.width()
            }
            Expr::Concat(a, b) => a.width() + b.width(),
            Expr::Extract(_, high, low) => high - low + 1,
            Expr::ZeroExtend(_, width) | Expr::SignExtend(_, width) => *width,
            Expr::ToBit(_) => 1,
            _ => 0,
        }
    }

    pub(crate) fn value(&self, variables: &[u128]) -> u128 {
        let value = |e: &Rc<Expr>| e.value(variables);
        let holds = |e: &Rc<Expr>| e.value(variables) == 1;
        let width = self.width();
        match self {
            Expr::Bool(value) => u128::from(*value),
            Expr::Constant(_, value) => *value,
            Expr::Variable(index, _) => variables[*index],
            Expr::Not(a) => u128::from(!holds(a)),
            Expr::All(list) => u128::from(list.iter().all(holds)),
            Expr::Any(list) => u128::from(list.iter().any(holds)),
            Expr::Xor(a, b) => u128::from(holds(a) != holds(b)),
            Expr::Implies(a, b) => u128::from(!holds(a) || holds(b)),
            Expr::Ite(c, a, b) => {
                if holds(c) {
                    value(a)
                } else {
                    value(b)
                }
            }
            Expr::Equal(a, b) => u128::from(value(a) == value(b)),
            Expr::UnsignedLess(a, b) => u128::from(value(a) < value(b)),
            Expr::UnsignedLessEqual(a, b) => u128::from(value(a) <= value(b)),
            Expr::SignedLess(a, b) => u128::from(signed_less(value(a), value(b), a.width())),
            Expr::SignedLessEqual(a, b) => u128::from(!signed_less(value(b), value(a), a.width())),
            Expr::Binary(op, a, b) => binary(*op, value(a), value(b), width),
            Expr::Neg(a) => negate(value(a), width),
            Expr::BitNot(a) => ones(width) - value(a),
            Expr::Concat(a, b) => value(a) << b.width() | value(b),
            Expr::Extract(a, _, low) => value(a) >> low & ones(width),
            Expr::ZeroExtend(a, _) => value(a),
            Expr::SignExtend(a, _) => {
                let fill = ones(width) - ones(a.width());
                value(a)
                    | if is_set(value(a), a.width() - 1) {
                        fill
                    } else {
                        0
                    }
            }
            Expr::ToBit(a) | Expr::IsOne(a) => value(a),
        }
    }

    pub(crate) fn build(&self, terms: &mut Terms, variables: &[TermId]) -> TermId {
        macro_rules! build {
            ($method:ident, $($operand:expr),+) => {{
                let operands = [$($operand.build(terms, variables)),+];
                build!(@call $method operands $($operand),+)
            }};
            (@call $method:ident $o:ident $a:expr) => { terms.$method($o[0]) };
            (@call $method:ident $o:ident $a:expr, $b:expr) => { terms.$method($o[0], $o[1]) };
            (@call $method:ident $o:ident $a:expr, $b:expr, $c:expr) => {
                terms.$method($o[0], $o[1], $o[2])
            };
        }
        match self {
            Expr::Bool(value) => terms.bool(*value),
            Expr::Constant(width, value) => terms.constant(*width, *value),
            Expr::Variable(index, _) => variables[*index],
            Expr::Not(a) => build!(not, a),
            Expr::All(list) => {
                let list: Vec<TermId> = list.iter().map(|e| e.build(terms, variables)).collect();
                terms.all(&list)
            }
            Expr::Any(list) => {
                let list: Vec<TermId> = list.iter().map(|e| e.build(terms, variables)).collect();
                terms.any(&list)
            }
            Expr::Xor(a, b) => build!(xor, a, b),
            Expr::Implies(a, b) => build!(implies, a, b),
            Expr::Ite(c, a, b) => build!(ite, c, a, b),
            Expr::Equal(a, b) => build!(equal, a, b),
            Expr::UnsignedLess(a, b) => build!(unsigned_less, a, b),
            Expr::UnsignedLessEqual(a, b) => build!(unsigned_less_equal, a, b),
            Expr::SignedLess(a, b) => build!(signed_less, a, b),
            Expr::SignedLessEqual(a, b) => build!(signed_less_equal, a, b),
            Expr::Binary(op, a, b) => {
                let (a, b) = (a.build(terms, variables), b.build(terms, variables));
                terms.binary(*op, a, b)
            }
            Expr::Neg(a) => build!(neg, a),
            Expr::BitNot(a) => build!(bit_not, a),
            Expr::Concat(a, b) => build!(concat, a, b),
            Expr::Extract(a, high, low) => {
                let a = a.build(terms, variables);
                terms.extract(a, *high, *low)
            }
            Expr::ZeroExtend(a, width) => {
                let a = a.build(terms, variables);
                terms.zero_extend(a, *width)
            }
            Expr::SignExtend(a, width) => {
                let a = a.build(terms, variables);
                terms.sign_extend(a, *width)
            }
            Expr::ToBit(a) => build!(to_bit, a),
            Expr::IsOne(a) => build!(is_one, a),
        }
    }
}

/// Random expressions over a few variables, with much sharing.
pub(crate) struct Generator {
    pub rng: Rng,
    /// For a Boolean, none.
    pub variables: Vec<Option<Range>>,
    widths: Vec<u32>,
    pool: Vec<Rc<Expr>>,
}

impl Generator {
    /// Bit-vectors have the given widths, except where bits are rearranged.
    pub(crate) fn new(seed: u64, widths: &[u32]) -> Generator {
        let mut generator = Generator {
            rng: Rng::with_seed(seed),
            variables: vec![None, None],
            widths: widths.to_vec(),
            pool: Vec::new(),
        };
        for width in widths {
            for _ in 0..2 {
                let range = generator.range(*width);
                generator.variables.push(Some(range));
            }
        }
        generator
    }

    fn range(&mut self, width: u32) -> Range {
        let a = self.number(width);
        let b = self.number(width);
        match self.rng.u8(0..6) {
            0 => Range::from_unsigned(width, a.min(b)..=a.max(b)),
            1 => {
                let signed = |value| formula::numbers::to_signed(value, width);
                let (a, b) = (signed(a), signed(b));
                Range::from_signed(width, a.min(b)..=a.max(b))
            }
            2 => Range::from_bits(width, a & !b, a & b),
            _ => Range::full(width),
        }
    }

    /// A number of this width, often one at an end of something.
    pub(crate) fn number(&mut self, width: u32) -> u128 {
        let all = ones(width);
        let number = match self.rng.u8(0..8) {
            0 => 0,
            1 => 1,
            2 => all,
            3 => 1 << (width - 1),
            4 => 1 << self.rng.u32(0..width),
            5 => negate(self.rng.u128(0..8) & all, width),
            6 => self.rng.u128(0..16),
            _ => self.rng.u128(..),
        };
        number & all
    }

    /// Values for the variables, each in its range.
    pub(crate) fn assignment(&mut self) -> Vec<u128> {
        let variables = self.variables.clone();
        variables
            .iter()
            .map(|range| {
                let Some(range) = range else {
                    return self.rng.u128(0..2);
                };
                for _ in 0..20 {
                    let value = self.number(range.width());
                    if range.contains(value) {
                        return value;
                    }
                }
                let (min, max) = range.unsigned().into_inner();
                for value in [range.some_value(), min, max] {
                    if range.contains(value) {
                        return value;
                    }
                }
                panic!("no value found in {range:?}")
            })
            .collect()
    }

    pub(crate) fn declare(&self, terms: &mut Terms) -> Vec<TermId> {
        self.variables
            .iter()
            .enumerate()
            .map(|(index, range)| match range {
                None => terms.new_variable(format!("b{index}"), Sort::Bool),
                Some(range) => terms.new_variable_in(format!("x{index}"), range.clone()),
            })
            .collect()
    }

    fn reuse(&mut self, width: u32) -> Option<Rc<Expr>> {
        if self.rng.u8(0..3) != 0 {
            return None;
        }
        let fitting: Vec<&Rc<Expr>> = self.pool.iter().filter(|e| e.width() == width).collect();
        let chosen = fitting.get(self.rng.usize(0..fitting.len().max(1)))?;
        Some(Rc::clone(chosen))
    }

    fn any_width(&mut self) -> u32 {
        self.widths[self.rng.usize(0..self.widths.len())]
    }

    pub(crate) fn boolean(&mut self, depth: u32) -> Rc<Expr> {
        if let Some(expr) = self.reuse(0) {
            return expr;
        }
        let next = depth.saturating_sub(1);
        let width = self.any_width();
        let expr = match self.rng.u8(0..if depth == 0 { 2 } else { 20 }) {
            0 if self.rng.u8(0..4) == 0 => Expr::Bool(self.rng.bool()),
            0 | 1 => Expr::Variable(self.rng.usize(0..2), Sort::Bool),
            2 | 3 => Expr::Not(self.boolean(next)),
            4 | 5 => Expr::All((0..self.rng.u8(0..5)).map(|_| self.boolean(next)).collect()),
            6 | 7 => Expr::Any((0..self.rng.u8(0..5)).map(|_| self.boolean(next)).collect()),
            8 => Expr::Xor(self.boolean(next), self.boolean(next)),
            9 => Expr::Implies(self.boolean(next), self.boolean(next)),
            10 => Expr::Ite(self.boolean(next), self.boolean(next), self.boolean(next)),
            11 => Expr::Equal(self.boolean(next), self.boolean(next)),
            12 => Expr::IsOne(self.word(1, next)),
            13 | 14 => Expr::Equal(self.word(width, next), self.word(width, next)),
            15 | 16 => Expr::UnsignedLess(self.word(width, next), self.word(width, next)),
            17 => Expr::UnsignedLessEqual(self.word(width, next), self.word(width, next)),
            18 => Expr::SignedLess(self.word(width, next), self.word(width, next)),
            _ => Expr::SignedLessEqual(self.word(width, next), self.word(width, next)),
        };
        self.keep(expr)
    }

    pub(crate) fn word(&mut self, width: u32, depth: u32) -> Rc<Expr> {
        if let Some(expr) = self.reuse(width) {
            return expr;
        }
        let next = depth.saturating_sub(1);
        let expr = match self.rng.u8(0..if depth == 0 { 5 } else { 24 }) {
            0 | 1 => Expr::Constant(width, self.number(width)),
            2..5 => {
                let fits = |range: &Option<Range>| {
                    range.as_ref().is_some_and(|range| range.width() == width)
                };
                let fitting: Vec<usize> = (0..self.variables.len())
                    .filter(|index| fits(&self.variables[*index]))
                    .collect();
                match fitting.get(self.rng.usize(0..fitting.len().max(1))) {
                    Some(index) => Expr::Variable(*index, Sort::BitVec(width)),
                    None => Expr::Constant(width, self.number(width)),
                }
            }
            5..8 => Expr::Ite(
                self.boolean(next),
                self.word(width, next),
                self.word(width, next),
            ),
            8 => Expr::Neg(self.word(width, next)),
            9 => Expr::BitNot(self.word(width, next)),
            10 | 11 if width > 1 => {
                let low = self.rng.u32(1..width);
                Expr::Concat(self.word(width - low, next), self.word(low, next))
            }
            12 | 13 => {
                let whole = self.any_width().max(width);
                let low = self.rng.u32(0..=whole - width);
                Expr::Extract(self.word(whole, next), low + width - 1, low)
            }
            14 | 15 => {
                let part = self.rng.u32(1..=width);
                Expr::ZeroExtend(self.word(part, next), width)
            }
            16 | 17 => {
                let part = self.rng.u32(1..=width);
                Expr::SignExtend(self.word(part, next), width)
            }
            10 | 18 if width == 1 => Expr::ToBit(self.boolean(next)),
            _ => {
                let op = BinaryOp::ALL[self.rng.usize(0..BinaryOp::ALL.len())];
                Expr::Binary(op, self.word(width, next), self.word(width, next))
            }
        };
        self.keep(expr)
    }

    fn keep(&mut self, expr: Expr) -> Rc<Expr> {
        let expr = Rc::new(expr);
        self.pool.push(Rc::clone(&expr));
        expr
    }
}
