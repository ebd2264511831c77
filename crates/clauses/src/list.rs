//! A formula in memory: clauses as they were given, to be counted, checked, copied to
//! solvers or written to files.

use crate::sink::{ClauseSink, VariableCount};
use crate::{Literal, Variable};

/// A formula kept in memory, as given.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ClauseList {
    variables: VariableCount,
    /// The literals of all clauses, one clause after the other.
    literals: Vec<Literal>,
    /// Where each clause ends in `literals`.
    ends: Vec<usize>,
}

impl ClauseList {
    /// The formula without variables and clauses, which is true.
    pub fn new() -> Self {
        Self::default()
    }

    /// Creates variables until there are this many.
    pub fn reserve_variables(&mut self, count: u32) {
        self.variables.reserve(count);
    }

    /// Panics unless the variables of these literals were created here.
    #[track_caller]
    pub fn require(&self, literals: &[Literal]) {
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

    /// How many literals they have together.
    pub fn literal_count(&self) -> usize {
        self.literals.len()
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

impl ClauseSink for ClauseList {
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
        let mut list = ClauseList::new();
        let (a, b) = (
            list.new_variable().positive(),
            list.new_variable().positive(),
        );
        let clauses: [&[Literal]; 4] = [&[a, b], &[], &[a, !a, a], &[!b]];
        for clause in clauses {
            list.add_clause(clause);
        }
        assert_eq!((list.variable_count(), list.clause_count()), (2, 4));
        assert_eq!(list.clauses().collect::<Vec<_>>(), clauses);

        let mut copy = ClauseList::new();
        list.copy_to(&mut copy);
        assert_eq!(copy, list);
    }

    #[test]
    fn finds_the_violated_clause() {
        let mut list = ClauseList::new();
        let (a, b) = (
            list.new_variable().positive(),
            list.new_variable().positive(),
        );
        list.add_clause(&[a, b]);
        list.add_clause(&[!a, b]);
        assert_eq!(
            list.first_violated(|literal| literal == a || literal == b),
            None
        );
        assert_eq!(
            list.first_violated(|literal| literal == a),
            Some(&[!a, b][..])
        );
        assert_eq!(list.first_violated(|_| false), Some(&[a, b][..]));
    }

    #[test]
    #[should_panic(expected = "should be of one of the 1 variables")]
    fn a_foreign_variable_is_refused() {
        let mut list = ClauseList::new();
        list.new_variable();
        list.add_clause(&[Literal::from_dimacs(-2).unwrap()]);
    }
}
