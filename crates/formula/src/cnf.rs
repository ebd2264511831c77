//! From gates to clauses.
//!
//! [`Cnf`] remembers what one solver was told about a graph of gates. Nothing
//! is told until a clause or an assumption needs it: then the gates below its
//! literals get variables and defining clauses, each gate only the half of its
//! definition that the clause relies on (Plaisted and Greenbaum, "A
//! Structure-preserving Clause Form Translation", 1986). For a literal that
//! occurs positively this is the half which says what follows from it. If the
//! other half is needed later it is added, and the variable stays the same.
//!
//! A consequence: in a model, the variable of a gate need not have the value of
//! the gate's function. Values are read off the inputs and computed from there,
//! see [`crate::GateEvaluator`].
//!
//! Several `Cnf` can serve several solvers from one graph. All walks over the
//! graph are iterative, so its depth does not matter.

use crate::gates::{Gate, Gates, Lit};
use clauses::{ClauseSink, Literal};
use foldhash::fast::FixedState;
use hashbrown::HashSet;

/// Which definitions of gates are given.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Mode {
    /// The halves that are needed.
    #[default]
    ByPolarity,
    /// Always both halves (Tseitin), so that the variable of a gate always has
    /// the value of its function.
    Full,
}

/// How a literal will be used.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Polarity {
    /// In clauses and as an assumption: its truth must have consequences.
    Positive,
    /// Only its negation is.
    Negative,
    Both,
}

/// Something that follows from a gate being true, or from its being false.
const POSITIVE: u8 = 1;
const NEGATIVE: u8 = 2;
const BOTH: u8 = 3;

/// A disjunction in a longer clause is spelled out up to this many literals.
const INLINE_LIMIT: usize = 8;

/// What one solver knows of a graph of gates.
#[derive(Clone, Default)]
pub struct Cnf {
    mode: Mode,
    /// The solver's literal for each gate, if it has one.
    literals: Vec<Option<Literal>>,
    /// The halves of each gate's definition that were given.
    halves: Vec<u8>,
    /// A literal that is true, if one was needed.
    true_literal: Option<Literal>,
    /// The facts about inputs that were stated.
    stated: HashSet<Lit, FixedState>,
    clause: Vec<Literal>,
}

impl Cnf {
    pub fn new(mode: Mode) -> Cnf {
        Cnf {
            mode,
            ..Cnf::default()
        }
    }

    /// The solver's literal, if it has one.
    pub fn known_literal(&self, lit: Lit) -> Option<Literal> {
        let literal = self.literals.get(lit.index()).copied().flatten()?;
        Some(negated_if(literal, lit.is_negated()))
    }

    /// The solver's literal, for use in this polarity from now on, for example
    /// as an assumption. It stays the same for other polarities.
    pub fn literal(
        &mut self,
        gates: &Gates,
        lit: Lit,
        polarity: Polarity,
        sink: &mut (impl ClauseSink + ?Sized),
    ) -> Literal {
        if let Some(value) = lit.as_constant() {
            let literal = *self.true_literal.get_or_insert_with(|| {
                let literal = sink.new_variable().positive();
                sink.add_clause(&[literal]);
                literal
            });
            return negated_if(literal, !value);
        }
        let halves = match (polarity, lit.is_negated()) {
            (Polarity::Both, _) => BOTH,
            (Polarity::Positive, false) | (Polarity::Negative, true) => POSITIVE,
            (Polarity::Negative, false) | (Polarity::Positive, true) => NEGATIVE,
        };
        self.require(gates, vec![(lit.index(), halves)], sink);
        self.emitted(lit)
    }

    pub fn assert_true(&mut self, gates: &Gates, lit: Lit, sink: &mut (impl ClauseSink + ?Sized)) {
        self.add_clause(gates, &[lit], sink);
    }

    /// Adds a clause. A conjunction that is a clause by itself is split, a
    /// disjunction in a clause is spelled out; neither then needs a variable.
    pub fn add_clause(
        &mut self,
        gates: &Gates,
        lits: &[Lit],
        sink: &mut (impl ClauseSink + ?Sized),
    ) {
        let mut waiting = vec![lits.to_vec()];
        while let Some(mut clause) = waiting.pop() {
            self.spell_out(gates, &mut clause);
            clause.retain(|lit| *lit != Lit::FALSE);
            clause.sort_unstable_by_key(|lit| (lit.index(), lit.is_negated()));
            clause.dedup();
            let is_true = clause.first() == Some(&Lit::TRUE)
                || clause.windows(2).any(|pair| pair[0] == !pair[1]);
            if is_true {
                continue;
            }
            if let [single] = clause.as_slice()
                && self.is_split(gates, *single)
            {
                let before = waiting.len();
                consequences(gates, *single, |body| waiting.push(body.to_vec()));
                waiting[before..].reverse();
                continue;
            }
            self.emit(gates, &clause, sink);
        }
    }

    /// States that two literals are equal. If one is a gate that the solver has
    /// not seen, it simply takes the literal of the other.
    pub fn equate(&mut self, gates: &Gates, a: Lit, b: Lit, sink: &mut (impl ClauseSink + ?Sized)) {
        let is_new = |cnf: &Cnf, lit: Lit| {
            !lit.is_constant() && !gates.is_input(lit) && cnf.known_literal(lit).is_none()
        };
        for (old, new) in [(a, b), (b, a)] {
            if is_new(self, new) && !old.is_constant() && old.index() != new.index() {
                let literal = self.literal(gates, old, Polarity::Both, sink);
                // The first may have needed the second.
                if is_new(self, new) {
                    self.grow(gates);
                    self.literals[new.index()] = Some(negated_if(literal, new.is_negated()));
                    self.require(gates, vec![(new.index(), BOTH)], sink);
                    return;
                }
            }
        }
        self.add_clause(gates, &[!a, b], sink);
        self.add_clause(gates, &[a, !b], sink);
    }

    /// The values of inputs in a model, for [`crate::GateEvaluator`]. An input
    /// that the solver has not seen has its default.
    pub fn input_values<'a>(
        &'a self,
        gates: &'a Gates,
        model: impl Fn(Literal) -> bool + 'a,
    ) -> impl Fn(Lit) -> bool + 'a {
        move |input| match (self.known_literal(input), gates.gate(input)) {
            (Some(literal), _) => model(literal),
            (None, Gate::Input { default }) => default != input.is_negated(),
            (None, _) => false,
        }
    }

    /// Replaces disjunctions by their literals.
    fn spell_out(&self, gates: &Gates, clause: &mut Vec<Lit>) {
        let is_alone = clause.len() == 1;
        for index in 0..clause.len() {
            let lit = clause[index];
            let Gate::And(operands) = gates.gate(lit) else {
                continue;
            };
            let operands = gates.operands(operands);
            let is_short = is_alone || operands.len() <= INLINE_LIMIT;
            if lit.is_negated() && is_short && !self.has_halves(lit, NEGATIVE) {
                clause[index] = Lit::FALSE;
                clause.extend(operands.iter().map(|operand| !*operand));
            }
        }
    }

    /// Whether a literal is better asserted through its consequences.
    fn is_split(&self, gates: &Gates, lit: Lit) -> bool {
        let is_disjunction = matches!(gates.gate(lit), Gate::And(_)) && lit.is_negated();
        !gates.is_input(lit) && !is_disjunction && !self.has_halves(lit, half_of(lit))
    }

    fn has_halves(&self, lit: Lit, halves: u8) -> bool {
        let given = self.halves.get(lit.index()).copied().unwrap_or(0);
        given & halves == halves
    }

    fn emit(&mut self, gates: &Gates, clause: &[Lit], sink: &mut (impl ClauseSink + ?Sized)) {
        let needed = clause.iter().map(|lit| (lit.index(), half_of(*lit)));
        self.require(gates, needed.collect(), sink);
        self.clause.clear();
        for lit in clause {
            let literal = self.emitted(*lit);
            self.clause.push(literal);
        }
        sink.add_clause(&self.clause);
    }

    fn emitted(&self, lit: Lit) -> Literal {
        let literal = self.literals[lit.index()];
        let literal = literal.expect("a literal should be required before it is used");
        negated_if(literal, lit.is_negated())
    }

    fn grow(&mut self, gates: &Gates) {
        if self.literals.len() < gates.len() {
            self.literals.resize(gates.len(), None);
            self.halves.resize(gates.len(), 0);
        }
    }

    /// Gives the halves of definitions that are missing below some gates.
    fn require(
        &mut self,
        gates: &Gates,
        needed: Vec<(usize, u8)>,
        sink: &mut (impl ClauseSink + ?Sized),
    ) {
        self.grow(gates);
        let mut missing = self.missing_below(gates, needed);
        // In the order of gates, so that variables are numbered bottom-up.
        missing.sort_unstable();
        let mut facts = Vec::new();
        for (index, _) in &missing {
            let lit = gates.output(*index);
            if self.literals[*index].is_none() {
                self.literals[*index] = Some(sink.new_variable().positive());
                facts.extend(gates.fact_of(lit));
            }
        }
        for (index, halves) in missing {
            let lit = gates.output(index);
            if halves & POSITIVE != 0 {
                self.define(gates, lit, sink);
            }
            if halves & NEGATIVE != 0 {
                self.define(gates, !lit, sink);
            }
        }
        for fact in facts {
            if self.stated.insert(fact) {
                self.add_clause(gates, &[fact], sink);
            }
        }
    }

    /// The gates and halves below some gates that were not given yet; marks
    /// them as given.
    fn missing_below(&mut self, gates: &Gates, mut stack: Vec<(usize, u8)>) -> Vec<(usize, u8)> {
        let mut missing = Vec::new();
        while let Some((index, halves)) = stack.pop() {
            let lit = gates.output(index);
            // An input has no definition; that it was visited is all to know.
            let wanted = if self.mode == Mode::Full || gates.is_input(lit) {
                BOTH
            } else {
                halves
            };
            let new = wanted & !self.halves[index];
            if new == 0 {
                continue;
            }
            self.halves[index] |= new;
            missing.push((index, new));
            for output in [lit, !lit] {
                if new & half_of(output) != 0 {
                    operands_with_halves(gates, output, |operand, half| {
                        stack.push((operand.index(), half));
                    });
                }
            }
        }
        missing
    }

    /// The clauses for what follows from one literal.
    fn define(&mut self, gates: &Gates, output: Lit, sink: &mut (impl ClauseSink + ?Sized)) {
        let negated_output = self.emitted(!output);
        let mut clause = std::mem::take(&mut self.clause);
        consequences(gates, output, |body| {
            clause.clear();
            clause.push(negated_output);
            clause.extend(body.iter().map(|lit| self.emitted(*lit)));
            sink.add_clause(&clause);
        });
        self.clause = clause;
    }
}

fn negated_if(literal: Literal, is_negated: bool) -> Literal {
    if is_negated { !literal } else { literal }
}

/// The half of the definition of a gate that says what follows from a literal.
fn half_of(lit: Lit) -> u8 {
    if lit.is_negated() { NEGATIVE } else { POSITIVE }
}

/// The operands from which something must follow if something is to follow from
/// a literal: those that occur in its consequences.
fn operands_with_halves(gates: &Gates, output: Lit, mut f: impl FnMut(Lit, u8)) {
    match gates.gate(output) {
        Gate::True | Gate::Input { .. } => {}
        Gate::And(operands) => {
            for lit in gates.operands(operands) {
                f(*lit, half_of(lit.negated_if(output.is_negated())));
            }
        }
        Gate::Xor(a, b) => [a, b].into_iter().for_each(|lit| f(lit, BOTH)),
        Gate::Xor3(a, b, c) => [a, b, c].into_iter().for_each(|lit| f(lit, BOTH)),
        Gate::Majority(a, b, c) => {
            for lit in [a, b, c] {
                f(lit, half_of(lit.negated_if(output.is_negated())));
            }
        }
        Gate::Ite(c, a, b) => {
            f(c, BOTH);
            for lit in [a, b] {
                f(lit, half_of(lit.negated_if(output.is_negated())));
            }
        }
    }
}

/// Calls `f` with clauses that together say what follows from a literal.
fn consequences(gates: &Gates, output: Lit, mut f: impl FnMut(&[Lit])) {
    let negate = output.is_negated();
    match gates.gate(output) {
        Gate::True | Gate::Input { .. } => {}
        Gate::And(operands) => {
            let operands = gates.operands(operands);
            if negate {
                let negated: Vec<Lit> = operands.iter().map(|lit| !*lit).collect();
                f(&negated);
            } else {
                operands.iter().for_each(|lit| f(&[*lit]));
            }
        }
        Gate::Xor(a, b) => {
            let b = b.negated_if(negate);
            f(&[a, b]);
            f(&[!a, !b]);
        }
        Gate::Xor3(a, b, c) => {
            let c = c.negated_if(negate);
            f(&[a, b, c]);
            f(&[a, !b, !c]);
            f(&[!a, b, !c]);
            f(&[!a, !b, c]);
        }
        Gate::Majority(a, b, c) => {
            let [a, b, c] = [a, b, c].map(|lit| lit.negated_if(negate));
            f(&[a, b]);
            f(&[a, c]);
            f(&[b, c]);
        }
        Gate::Ite(c, a, b) => {
            let [a, b] = [a, b].map(|lit| lit.negated_if(negate));
            f(&[!c, a]);
            f(&[c, b]);
            // Follows from the other two, but only after a decision.
            f(&[a, b]);
        }
    }
}
