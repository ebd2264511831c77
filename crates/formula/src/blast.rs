//! Bit-blasting: from terms to gates.
//!
//! Each bit-vector becomes a signed word (see [`crate::words`]) that is only as
//! long as its value needs, as far as its range or its literals show; higher
//! bits repeat the last literal. Operations work on such words, so that the
//! width of a C type costs nothing where small numbers are stored in it.
//!
//! A blasted term keeps its literals for good. Only gates are built; what a
//! solver is told goes through [`Cnf`].

use crate::cnf::{Cnf, Mode, Polarity};
use crate::evaluate::{Evaluator, GateEvaluator};
use crate::gates::{Gates, Lit};
use crate::numbers::{from_signed, mask};
use crate::ranges::Range;
use crate::terms::{BinaryOp, Term, TermId, Terms, VariableId};
use crate::words::{constant_bits, extend, trim};
use clauses::{ClauseSink, Literal};
use cranelift_entity::SecondaryMap;

#[derive(Clone, Copy, Debug)]
pub struct Options {
    pub mode: Mode,
    /// Whether ranges shorten words. Without, the result is the same function.
    pub narrowing: bool,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            mode: Mode::default(),
            narrowing: true,
        }
    }
}

/// Where the literals of a term are; no length if it was not blasted.
#[derive(Clone, Copy, Default)]
struct Word {
    start: u32,
    len: u8,
}

/// The gates for the terms of one store, and what one solver knows of them.
pub struct Blaster {
    pub gates: Gates,
    pub cnf: Cnf,
    narrowing: bool,
    words: SecondaryMap<TermId, Word>,
    literals: Vec<Lit>,
}

impl Default for Blaster {
    fn default() -> Blaster {
        Blaster::new(Options::default())
    }
}

impl Blaster {
    pub fn new(options: Options) -> Blaster {
        Blaster {
            gates: Gates::new(),
            cnf: Cnf::new(options.mode),
            narrowing: options.narrowing,
            words: SecondaryMap::new(),
            literals: Vec::new(),
        }
    }

    /// The literal of a Boolean term.
    pub fn literal(&mut self, terms: &Terms, id: TermId) -> Lit {
        assert!(terms.is_bool(id), "{id} should be Boolean");
        self.blast(terms, id);
        self.word(id)[0]
    }

    /// The literals of a bit-vector, the least significant first; a Boolean has
    /// one.
    pub fn bits(&mut self, terms: &Terms, id: TermId) -> Vec<Lit> {
        self.blast(terms, id);
        let width = terms.range(id).width();
        extend(self.word(id), width as usize)
    }

    /// As few literals as the term needs as a signed word.
    pub fn signed_word(&mut self, terms: &Terms, id: TermId) -> &[Lit] {
        self.blast(terms, id);
        self.word(id)
    }

    /// Uses literals that are built elsewhere for a variable. They must be in
    /// the variable's range whenever the formula holds.
    ///
    /// # Panics
    /// If the variable already has other literals.
    pub fn bind(&mut self, terms: &Terms, id: TermId, bits: &[Lit]) {
        assert!(
            matches!(terms.term(id), Term::Variable(_)) && self.words[id].len == 0,
            "{id} should be a variable that was not blasted"
        );
        assert_eq!(
            bits.len(),
            terms.range(id).width() as usize,
            "there should be a literal for each bit of {id}"
        );
        self.store(id, bits.to_vec());
    }

    pub fn assert_true(
        &mut self,
        terms: &Terms,
        id: TermId,
        sink: &mut (impl ClauseSink + ?Sized),
    ) {
        self.assert_clause(terms, &[id], sink);
    }

    /// States that at least one of some Boolean terms holds.
    pub fn assert_clause(
        &mut self,
        terms: &Terms,
        ids: &[TermId],
        sink: &mut (impl ClauseSink + ?Sized),
    ) {
        let lits: Vec<Lit> = ids.iter().map(|id| self.literal(terms, *id)).collect();
        self.cnf.add_clause(&self.gates, &lits, sink);
    }

    /// States that at least one of some literals holds.
    pub fn add_clause(&mut self, lits: &[Lit], sink: &mut (impl ClauseSink + ?Sized)) {
        self.cnf.add_clause(&self.gates, lits, sink);
    }

    /// The solver's literal for a Boolean term, see [`Cnf::literal`].
    pub fn solver_literal(
        &mut self,
        terms: &Terms,
        id: TermId,
        polarity: Polarity,
        sink: &mut (impl ClauseSink + ?Sized),
    ) -> Literal {
        let lit = self.literal(terms, id);
        self.cnf.literal(&self.gates, lit, polarity, sink)
    }

    /// Reads values of terms out of a solver's model, also of terms that the
    /// solver was not told about. Variables that it does not know are zero, or
    /// the least value in their range.
    pub fn reader<'a>(
        &'a self,
        terms: &'a Terms,
        model: impl Fn(Literal) -> bool + 'a,
    ) -> Evaluator<'a, impl Fn(VariableId) -> u128> {
        let inputs = self.cnf.input_values(&self.gates, model);
        let evaluator = std::cell::RefCell::new(GateEvaluator::new(&self.gates, inputs));
        Evaluator::new(terms, move |variable| {
            let variable = terms.variable(variable);
            if self.words[variable.term].len == 0 {
                return variable.range.some_value();
            }
            let bits = extend(self.word(variable.term), variable.range.width() as usize);
            evaluator.borrow_mut().word(&bits)
        })
    }

    /// Empty if the term was not blasted.
    fn word(&self, id: TermId) -> &[Lit] {
        let word = self.words[id];
        &self.literals[word.start as usize..word.start as usize + usize::from(word.len)]
    }

    fn store(&mut self, id: TermId, mut bits: Vec<Lit>) {
        trim(&mut bits);
        self.words[id] = Word {
            start: u32::try_from(self.literals.len()).expect("literals should fit 32 bits"),
            len: bits.len() as u8,
        };
        self.literals.extend_from_slice(&bits);
    }

    fn blast(&mut self, terms: &Terms, id: TermId) {
        let mut stack = vec![id];
        while let Some(id) = stack.last().copied() {
            if self.words[id].len > 0 {
                stack.pop();
                continue;
            }
            let before = stack.len();
            terms.for_each_operand(id, |operand| {
                if self.words[operand].len == 0 {
                    stack.push(operand);
                }
            });
            if stack.len() == before {
                let bits = self.computed(terms, id);
                self.store(id, bits);
                stack.pop();
            }
        }
    }

    fn computed(&mut self, terms: &Terms, id: TermId) -> Vec<Lit> {
        if terms.is_bool(id) {
            return vec![self.truth_from_operands(terms, id)];
        }
        let range = terms.range(id);
        let mut bits = match terms.term(id) {
            Term::Variable(_) => return self.inputs_in(range),
            term => self.bits_from_operands(terms, term, range),
        };
        if self.narrowing {
            apply_range(&mut bits, range);
        }
        bits
    }

    fn truth_from_operands(&mut self, terms: &Terms, id: TermId) -> Lit {
        match terms.term(id) {
            Term::Bool(value) => Lit::constant(value),
            Term::Variable(_) => self.gates.input(),
            Term::Not(a) => !self.word(a)[0],
            Term::And(list) => {
                let operands = terms.list(list).iter();
                let lits: Vec<Lit> = operands.map(|a| self.word(*a)[0]).collect();
                self.gates.all(&lits)
            }
            Term::Xor(a, b) => {
                let (a, b) = (self.word(a)[0], self.word(b)[0]);
                self.gates.xor(a, b)
            }
            Term::Ite(condition, a, b) => {
                let [condition, a, b] = [condition, a, b].map(|a| self.word(a)[0]);
                self.gates.ite(condition, a, b)
            }
            Term::Equal(a, b) => {
                let (a, b) = self.words_of_one_length(a, b);
                self.gates.equal_bits(&a, &b)
            }
            // Repeating the last literals of both keeps the unsigned order too.
            Term::UnsignedLess(a, b) => {
                let (a, b) = self.words_of_one_length(a, b);
                self.gates.less_bits(&a, &b)
            }
            Term::SignedLess(a, b) => {
                let (a, b) = self.words_of_one_length(a, b);
                self.gates.signed_less_bits(&a, &b)
            }
            Term::IsOne(a) => self.word(a)[0],
            term => unreachable!("{term:?} should not be Boolean"),
        }
    }

    fn words_of_one_length(&self, a: TermId, b: TermId) -> (Vec<Lit>, Vec<Lit>) {
        let (a, b) = (self.word(a), self.word(b));
        let len = a.len().max(b.len());
        (extend(a, len), extend(b, len))
    }

    fn bits_from_operands(&mut self, terms: &Terms, term: Term, range: &Range) -> Vec<Lit> {
        let width = range.width() as usize;
        match term {
            Term::Constant(value) => constant_bits(value, width),
            Term::Ite(condition, a, b) => {
                let (a, b) = self.words_of_one_length(a, b);
                let condition = self.word(condition)[0];
                self.gates.ite_bits(condition, &a, &b)
            }
            Term::BitNot(a) => self.word(a).iter().map(|lit| !*lit).collect(),
            Term::Binary(op, a, b) => self.binary(terms, op, a, b, range),
            Term::Concat(high, low) => {
                let mut bits = extend(self.word(low), terms.width(low) as usize);
                bits.extend_from_slice(self.word(high));
                bits
            }
            Term::Extract(a, low) => {
                extend(self.word(a), low as usize + width).split_off(low as usize)
            }
            Term::ZeroExtend(a) => {
                let mut bits = self.word(a).to_vec();
                if bits.last() != Some(&Lit::FALSE) {
                    bits = extend(&bits, terms.width(a) as usize);
                    bits.push(Lit::FALSE);
                }
                bits
            }
            Term::SignExtend(a) => self.word(a).to_vec(),
            _ => unreachable!("{term:?} should be Boolean, or a variable"),
        }
    }

    fn binary(
        &mut self,
        terms: &Terms,
        op: BinaryOp,
        a: TermId,
        b: TermId,
        range: &Range,
    ) -> Vec<Lit> {
        let width = range.width() as usize;
        // Higher bits than these need not be computed.
        let limit = if self.narrowing {
            range.width_needed_signed() as usize
        } else {
            width
        };
        let x = self.word(a).to_vec();
        let y = self.word(b).to_vec();
        match op {
            BinaryOp::Add => self.gates.add_signed(&x, &y, false, limit),
            BinaryOp::Sub => self.gates.add_signed(&x, &y, true, limit),
            BinaryOp::Mul => self.gates.multiply_signed(&x, &y, limit),
            BinaryOp::And | BinaryOp::Or | BinaryOp::Xor => {
                let (x, y) = self.words_of_one_length(a, b);
                let pairs = x.into_iter().zip(y);
                pairs
                    .take(limit)
                    .map(|(x, y)| match op {
                        BinaryOp::And => self.gates.and(x, y),
                        BinaryOp::Or => self.gates.or(x, y),
                        _ => self.gates.xor(x, y),
                    })
                    .collect()
            }
            BinaryOp::ShiftLeft => {
                let x = extend(&x, limit);
                self.gates.shift_left_bits(&x, &unsigned(&y, width))
            }
            // A word that ends in zero is not negative: zeros come from above.
            BinaryOp::ShiftRight if x.last() != Some(&Lit::FALSE) => {
                let x = extend(&x, width);
                let amount = unsigned(&y, width);
                self.gates.shift_right_bits(&x, &amount, Lit::FALSE)
            }
            BinaryOp::ShiftRight | BinaryOp::ShiftRightSigned => {
                let top = x[x.len() - 1];
                self.gates.shift_right_bits(&x, &unsigned(&y, width), top)
            }
            BinaryOp::UnsignedDiv | BinaryOp::UnsignedRem => {
                let is_zero = self.is_zero(terms, b);
                self.unsigned_division(op, &x, &y, width, is_zero)
            }
            BinaryOp::SignedDiv | BinaryOp::SignedRem => {
                let exponent = terms
                    .as_constant(b)
                    .filter(|k| k.is_power_of_two() && *k != 1 << (width - 1))
                    .map(|k| k.trailing_zeros() as usize);
                if let Some(exponent) = exponent {
                    return self.signed_division_by_power(op, &x, exponent, width);
                }
                let is_zero = self.is_zero(terms, b);
                self.signed_division(op, &x, &y, width, is_zero)
            }
        }
    }

    fn is_zero(&mut self, terms: &Terms, id: TermId) -> Lit {
        if self.narrowing && !terms.range(id).contains(0) {
            return Lit::FALSE;
        }
        let zero: Vec<Lit> = self.word(id).iter().map(|lit| !*lit).collect();
        self.gates.all(&zero)
    }

    fn unsigned_division(
        &mut self,
        op: BinaryOp,
        x: &[Lit],
        y: &[Lit],
        width: usize,
        is_zero: Lit,
    ) -> Vec<Lit> {
        let dividend = unsigned(x, width);
        let (mut quotient, mut rest) = self.gates.divide_bits(&dividend, &unsigned(y, width));
        if op == BinaryOp::UnsignedDiv {
            // By zero all bits are ones; those that were computed already are.
            if quotient.len() < width {
                quotient.push(is_zero);
            }
            return quotient;
        }
        rest.resize(dividend.len(), Lit::FALSE);
        let mut rest = self.gates.ite_bits(is_zero, &dividend, &rest);
        if rest.len() < width {
            rest.push(Lit::FALSE);
        }
        rest
    }

    /// Divides the magnitudes and sets the sign afterwards.
    fn signed_division(
        &mut self,
        op: BinaryOp,
        x: &[Lit],
        y: &[Lit],
        width: usize,
        is_zero: Lit,
    ) -> Vec<Lit> {
        let (x_sign, y_sign) = (x[x.len() - 1], y[y.len() - 1]);
        let dividend = self.magnitude(x);
        let divisor = self.magnitude(y);
        let (quotient, rest) = self.gates.divide_bits(&dividend, &divisor);
        let len = (dividend.len() + 1).max(x.len()).min(width);
        if op == BinaryOp::SignedDiv {
            let is_negative = self.gates.xor(x_sign, y_sign);
            let quotient = self.with_sign(quotient, is_negative, len);
            // 1 for a negative dividend, else -1.
            let mut by_zero = vec![!x_sign; quotient.len()];
            by_zero[0] = Lit::TRUE;
            self.gates.ite_bits(is_zero, &by_zero, &quotient)
        } else {
            let rest = self.with_sign(rest, x_sign, len);
            self.gates.ite_bits(is_zero, &extend(x, len), &rest)
        }
    }

    /// The absolute value of a signed word, as an unsigned one of its length.
    fn magnitude(&mut self, x: &[Lit]) -> Vec<Lit> {
        let negated = self.gates.negate_bits(x);
        let mut bits = self.gates.ite_bits(x[x.len() - 1], &negated, x);
        while bits.len() > 1 && bits.last() == Some(&Lit::FALSE) {
            bits.pop();
        }
        bits
    }

    fn with_sign(&mut self, mut magnitude: Vec<Lit>, is_negative: Lit, len: usize) -> Vec<Lit> {
        magnitude.resize(len, Lit::FALSE);
        let negated = self.gates.negate_bits(&magnitude);
        self.gates.ite_bits(is_negative, &negated, &magnitude)
    }

    /// By 2^exponent, with rounding towards zero.
    fn signed_division_by_power(
        &mut self,
        op: BinaryOp,
        x: &[Lit],
        exponent: usize,
        width: usize,
    ) -> Vec<Lit> {
        let sign = x[x.len() - 1];
        if op == BinaryOp::SignedRem {
            // The low bits, with all ones above if the result is negative.
            let mut rest = extend(x, exponent);
            let is_not_zero = self.gates.any(&rest);
            rest.push(self.gates.and(sign, is_not_zero));
            return rest;
        }
        // A negative dividend is moved up to the next multiple.
        let mut bias = vec![sign; exponent];
        bias.push(Lit::FALSE);
        let moved = self.gates.add_signed(x, &bias, false, width);
        let len = moved.len().max(exponent + 1);
        extend(&moved, len).split_off(exponent)
    }

    /// New inputs for a variable, with its range stated as a fact about them.
    fn inputs_in(&mut self, range: &Range) -> Vec<Lit> {
        let width = range.width() as usize;
        let (len, known) = if self.narrowing {
            let known = range.known_zeros() | range.known_ones();
            (range.width_needed_signed() as usize, known)
        } else {
            (width, 0)
        };
        let value = range.some_value();
        let bits: Vec<Lit> = (0..len)
            .map(|bit| {
                if known >> bit & 1 == 1 {
                    Lit::constant(range.known_ones() >> bit & 1 == 1)
                } else {
                    self.gates.input_with_default(value >> bit & 1 == 1)
                }
            })
            .collect();
        let fact = self.is_in_range(&extend(&bits, width), range);
        self.gates.constrain(&bits, fact);
        bits
    }

    fn is_in_range(&mut self, bits: &[Lit], range: &Range) -> Lit {
        let width = bits.len();
        let gates = &mut self.gates;
        let (min, max) = range.unsigned().into_inner();
        let mut facts = vec![
            !gates.less_bits(bits, &constant_bits(min, width)),
            !gates.less_bits(&constant_bits(max, width), bits),
        ];
        let (min, max) = range.signed().into_inner();
        let signed = |value| constant_bits(from_signed(value, range.width()), width);
        facts.push(!gates.signed_less_bits(bits, &signed(min)));
        facts.push(!gates.signed_less_bits(&signed(max), bits));
        for (index, lit) in bits.iter().enumerate() {
            if range.known_zeros() >> index & 1 == 1 {
                facts.push(!*lit);
            } else if range.known_ones() >> index & 1 == 1 {
                facts.push(*lit);
            }
        }
        gates.all(&facts)
    }
}

/// A signed word as an unsigned one, which may have to be as wide as the type.
fn unsigned(bits: &[Lit], width: usize) -> Vec<Lit> {
    let mut bits = match bits.last() {
        Some(&Lit::FALSE) => bits.to_vec(),
        _ => extend(bits, width),
    };
    while bits.len() > 1 && bits.last() == Some(&Lit::FALSE) {
        bits.pop();
    }
    bits
}

/// Replaces literals that the range determines, and cuts those that repeat.
fn apply_range(bits: &mut Vec<Lit>, range: &Range) {
    bits.truncate(range.width_needed_signed() as usize);
    let top = bits.len() - 1;
    let (zeros, ones) = (range.known_zeros(), range.known_ones());
    for (index, lit) in bits.iter_mut().enumerate() {
        // The last literal stands for all higher bits: any of them will do.
        let mask = if index == top {
            !mask(top as u32)
        } else {
            1 << index
        };
        if zeros & mask != 0 {
            *lit = Lit::FALSE;
        } else if ones & mask != 0 {
            *lit = Lit::TRUE;
        }
    }
}
