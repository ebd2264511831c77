//! Where clauses go: the sink trait, and a formula kept in memory.
//!
//! A formula builder writes to a [`ClauseSink`] and need not know whether a
//! solver, a file or a [`Cnf`] is behind it. Nothing here simplifies: clauses
//! are kept as they were given, since a model is later checked against them.

use crate::literal::{Literal, Variable};

/// Takes a formula in conjunctive normal form, clause by clause.
pub trait ClauseSink {
    /// Creates a variable. Numbers are consecutive from 1, in every sink: two
    /// sinks fed in the same way agree on what each number means, which is what
    /// lets solvers exchange clauses.
    fn new_variable(&mut self) -> Variable;

    /// Adds a clause: at least one of these literals is true. No literal at
    /// all makes the formula unsatisfiable; repeated and opposite literals are
    /// allowed.
    ///
    /// *Requires* that the sink created the variables; panics otherwise.
    fn add_clause(&mut self, clause: &[Literal]);
}

impl<S: ClauseSink + ?Sized> ClauseSink for &mut S {
    fn new_variable(&mut self) -> Variable {
        (**self).new_variable()
    }

    fn add_clause(&mut self, clause: &[Literal]) {
        (**self).add_clause(clause);
    }
}

impl<S: ClauseSink + ?Sized> ClauseSink for Box<S> {
    fn new_variable(&mut self) -> Variable {
        (**self).new_variable()
    }

    fn add_clause(&mut self, clause: &[Literal]) {
        (**self).add_clause(clause);
    }
}

/// Hands out consecutive variables, and checks that literals use no others.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct VariableCount(u32);

impl VariableCount {
    pub(crate) fn get(self) -> u32 {
        self.0
    }

    pub(crate) fn create(&mut self) -> Variable {
        let variable = Variable::new(self.0 + 1)
            .expect("a formula should have fewer variables than a solver can number");
        self.0 += 1;
        variable
    }

    #[track_caller]
    pub(crate) fn require(self, literals: &[Literal]) {
        for literal in literals {
            assert!(
                literal.variable().number() <= self.0,
                "literal {literal} should be of one of the {} variables created here",
                self.0
            );
        }
    }
}

/// A formula kept in memory, as given.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Cnf {
    variables: VariableCount,
    /// The literals of all clauses, one clause after the other.
    literals: Vec<Literal>,
    /// Where each clause ends in `literals`.
    ends: Vec<usize>,
}

impl Cnf {
    /// The formula without variables and clauses, which is true.
    pub fn new() -> Self {
        Self::default()
    }

    /// Creates variables until there are this many.
    pub(crate) fn reserve_variables(&mut self, count: u32) {
        assert!(
            count <= Variable::MAX_COUNT,
            "the count should be that of possible variables"
        );
        self.variables.0 = self.variables.0.max(count);
    }

    /// Panics unless the variables of these literals were created here.
    #[track_caller]
    pub(crate) fn require(&self, literals: &[Literal]) {
        self.variables.require(literals);
    }

    /// How many variables were created.
    pub fn variable_count(&self) -> u32 {
        self.variables.get()
    }

    /// How many clauses were added.
    pub fn clause_count(&self) -> usize {
        self.ends.len()
    }

    /// The variables, in the order of their creation.
    pub fn variables(&self) -> impl Iterator<Item = Variable> + use<> {
        (1..=self.variable_count()).filter_map(Variable::new)
    }

    /// The clauses, in the order of their addition.
    pub fn clauses(&self) -> impl Iterator<Item = &[Literal]> {
        let mut start = 0;
        self.ends.iter().map(move |&end| {
            let clause = &self.literals[start..end];
            start = end;
            clause
        })
    }

    /// The first clause in which no literal is true, if there is one. An
    /// assignment for which there is none is a model.
    pub fn first_violated(&self, is_true: impl Fn(Literal) -> bool) -> Option<&[Literal]> {
        self.clauses()
            .find(|clause| !clause.iter().any(|&literal| is_true(literal)))
    }

    /// Gives the whole formula to a sink that has no variables yet.
    pub fn copy_to(&self, sink: &mut impl ClauseSink) {
        for variable in self.variables() {
            let copy = sink.new_variable();
            assert_eq!(
                variable, copy,
                "the sink should be new and number consecutively"
            );
        }
        for clause in self.clauses() {
            sink.add_clause(clause);
        }
    }
}

impl ClauseSink for Cnf {
    fn new_variable(&mut self) -> Variable {
        self.variables.create()
    }

    fn add_clause(&mut self, clause: &[Literal]) {
        self.variables.require(clause);
        self.literals.extend_from_slice(clause);
        self.ends.push(self.literals.len());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keeps_clauses_as_given() {
        let mut cnf = Cnf::new();
        let (a, b) = (cnf.new_variable().positive(), cnf.new_variable().positive());
        let clauses: [&[Literal]; 4] = [&[a, b], &[], &[a, !a, a], &[!b]];
        for clause in clauses {
            cnf.add_clause(clause);
        }
        assert_eq!((cnf.variable_count(), cnf.clause_count()), (2, 4));
        assert_eq!(cnf.clauses().collect::<Vec<_>>(), clauses);

        let mut copy = Cnf::new();
        cnf.copy_to(&mut copy);
        assert_eq!(copy, cnf);
    }

    #[test]
    fn finds_the_violated_clause() {
        let mut cnf = Cnf::new();
        let (a, b) = (cnf.new_variable().positive(), cnf.new_variable().positive());
        cnf.add_clause(&[a, b]);
        cnf.add_clause(&[!a, b]);
        assert_eq!(
            cnf.first_violated(|literal| literal == a || literal == b),
            None
        );
        assert_eq!(
            cnf.first_violated(|literal| literal == a),
            Some(&[!a, b][..])
        );
        assert_eq!(cnf.first_violated(|_| false), Some(&[a, b][..]));
    }

    #[test]
    #[should_panic(expected = "should be of one of the 1 variables")]
    fn a_foreign_variable_is_refused() {
        let mut cnf = Cnf::new();
        cnf.new_variable();
        cnf.add_clause(&[Literal::from_dimacs(-2).unwrap()]);
    }
}
