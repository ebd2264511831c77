//! Where clauses go: the trait, and the count of variables that every sink keeps.
//!
//! Nothing here simplifies: clauses are passed on as they were given, since a model is
//! later checked against them.

use crate::{Literal, Variable};

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
pub struct VariableCount(u32);

impl VariableCount {
    /// How many there are.
    pub fn get(self) -> u32 {
        self.0
    }

    /// The next one.
    pub fn create(&mut self) -> Variable {
        let variable = Variable::new(self.0 + 1)
            .expect("a formula should have fewer variables than a solver can number");
        self.0 += 1;
        variable
    }

    /// Creates variables until there are this many.
    pub fn reserve(&mut self, count: u32) {
        assert!(
            count <= Variable::MAX_COUNT,
            "the count should be that of possible variables"
        );
        self.0 = self.0.max(count);
    }

    /// Panics unless the variables of these literals were created here.
    #[track_caller]
    pub fn require(self, literals: &[Literal]) {
        for literal in literals {
            assert!(
                literal.variable().number() <= self.0,
                "literal {literal} should be of one of the {} variables created here",
                self.0
            );
        }
    }
}
