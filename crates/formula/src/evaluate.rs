//! Values of terms and of gates, given those of variables and of inputs.
//!
//! Both evaluators remember what they computed, and walk iteratively, so that
//! shared and deep structures cost what they are worth.

use crate::gates::{Gate, Gates, Lit};
use crate::numbers::{apply, from_signed, mask, to_signed};
use crate::terms::{Term, TermId, Terms, VariableId};
use foldhash::fast::FixedState;
use hashbrown::HashMap;

/// Evaluates terms of one store under one assignment of the variables.
pub struct Evaluator<'t, A> {
    terms: &'t Terms,
    assignment: A,
    known: HashMap<TermId, u128, FixedState>,
}

impl<'t, A: Fn(VariableId) -> u128> Evaluator<'t, A> {
    pub fn new(terms: &'t Terms, assignment: A) -> Evaluator<'t, A> {
        Evaluator {
            terms,
            assignment,
            known: HashMap::default(),
        }
    }

    /// The value of a term; a Boolean is 0 or 1.
    pub fn value(&mut self, id: TermId) -> u128 {
        let mut stack = vec![id];
        while let Some(id) = stack.last().copied() {
            if self.known.contains_key(&id) {
                stack.pop();
                continue;
            }
            let before = stack.len();
            self.terms.for_each_operand(id, |operand| {
                if !self.known.contains_key(&operand) {
                    stack.push(operand);
                }
            });
            if stack.len() == before {
                let value = self.computed(id);
                self.known.insert(id, value);
                stack.pop();
            }
        }
        self.known[&id]
    }

    pub fn is_true(&mut self, id: TermId) -> bool {
        self.value(id) == 1
    }

    fn computed(&self, id: TermId) -> u128 {
        let terms = self.terms;
        let value = |id: TermId| self.known[&id];
        let width = |id: TermId| terms.width(id);
        match terms.term(id) {
            Term::Bool(value) => u128::from(value),
            Term::Constant(value) => value,
            Term::Variable(variable) => {
                let width = terms.variable(variable).range.width();
                (self.assignment)(variable) & mask(width)
            }
            Term::Not(a) => 1 - value(a),
            Term::And(list) => u128::from(terms.list(list).iter().all(|a| value(*a) == 1)),
            Term::Xor(a, b) => value(a) ^ value(b),
            Term::Ite(condition, a, b) => value(if value(condition) == 1 { a } else { b }),
            Term::Equal(a, b) => u128::from(value(a) == value(b)),
            Term::UnsignedLess(a, b) => u128::from(value(a) < value(b)),
            Term::SignedLess(a, b) => {
                let width = width(a);
                u128::from(to_signed(value(a), width) < to_signed(value(b), width))
            }
            Term::IsOne(a) => value(a),
            Term::BitNot(a) => !value(a) & mask(width(a)),
            Term::Binary(op, a, b) => apply(op, value(a), value(b), width(a)),
            Term::Concat(high, low) => value(high) << width(low) | value(low),
            Term::Extract(a, low) => value(a) >> low & mask(width(id)),
            Term::ZeroExtend(a) => value(a),
            Term::SignExtend(a) => from_signed(to_signed(value(a), width(a)), width(id)),
        }
    }
}

/// Evaluates gates under one assignment of the inputs.
pub struct GateEvaluator<'g, A> {
    gates: &'g Gates,
    inputs: A,
    known: Vec<Option<bool>>,
}

impl<'g, A: Fn(Lit) -> bool> GateEvaluator<'g, A> {
    /// `inputs` is asked for the values of inputs, as positive literals.
    pub fn new(gates: &'g Gates, inputs: A) -> GateEvaluator<'g, A> {
        GateEvaluator {
            gates,
            inputs,
            known: vec![None; gates.len()],
        }
    }

    pub fn value(&mut self, lit: Lit) -> bool {
        let mut stack = vec![lit];
        while let Some(lit) = stack.last().copied() {
            if self.known[lit.index()].is_some() {
                stack.pop();
                continue;
            }
            let before = stack.len();
            self.gates.for_each_operand(lit, |operand| {
                if self.known[operand.index()].is_none() {
                    stack.push(operand);
                }
            });
            if stack.len() == before {
                self.known[lit.index()] = Some(self.computed(lit.positive()));
                stack.pop();
            }
        }
        self.known_value(lit)
    }

    /// The number that a word of literals stands for.
    pub fn word(&mut self, bits: &[Lit]) -> u128 {
        bits.iter()
            .rev()
            .fold(0, |value, lit| value << 1 | u128::from(self.value(*lit)))
    }

    fn known_value(&self, lit: Lit) -> bool {
        self.known[lit.index()] == Some(!lit.is_negated())
    }

    fn computed(&self, output: Lit) -> bool {
        let value = |lit: Lit| self.known_value(lit);
        match self.gates.gate(output) {
            Gate::True => true,
            Gate::Input { .. } => (self.inputs)(output),
            Gate::And(operands) => self.gates.operands(operands).iter().all(|l| value(*l)),
            Gate::Xor(a, b) => value(a) ^ value(b),
            Gate::Xor3(a, b, c) => value(a) ^ value(b) ^ value(c),
            Gate::Majority(a, b, c) => {
                u8::from(value(a)) + u8::from(value(b)) + u8::from(value(c)) >= 2
            }
            Gate::Ite(c, a, b) => value(if value(c) { a } else { b }),
        }
    }
}
