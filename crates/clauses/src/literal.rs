//! Variables and literals of a propositional formula.
//!
//! Both are small copyable numbers with a type of their own, so that a
//! variable cannot be passed for a literal, nor either for a plain integer.
//! They are numbered and printed as the DIMACS format does: variables from 1,
//! a negated variable as a negative number. Nothing here knows any formula or
//! solver; whether a variable exists is the business of whoever created it.

use std::fmt;
use std::num::NonZeroI32;
use std::ops::Not;

/// A propositional variable, numbered from 1.
///
/// The order is that of creation in one sink; it has no meaning otherwise.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Variable(NonZeroI32);

/// A variable or its negation.
///
/// The order is that of the DIMACS numbers, good for sorting and nothing else.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Literal(NonZeroI32);

impl Variable {
    /// How many variables a formula can have at most.
    pub const MAX_COUNT: u32 = i32::MAX as u32;

    /// The variable with this number, or `None` if there can be no such
    /// variable: numbers go from 1 to [`Self::MAX_COUNT`].
    pub fn new(number: u32) -> Option<Self> {
        let number = i32::try_from(number).ok()?;
        NonZeroI32::new(number).map(Self)
    }

    /// The number in DIMACS, from 1.
    pub fn number(self) -> u32 {
        self.0.get().unsigned_abs()
    }

    /// The position in an array with one entry per variable, from 0.
    pub fn index(self) -> usize {
        self.number() as usize - 1
    }

    /// The literal that is true when the variable is.
    pub fn positive(self) -> Literal {
        Literal(self.0)
    }

    /// The literal that is true when the variable is false.
    pub fn negative(self) -> Literal {
        Literal(-self.0)
    }

    /// The literal that is true when the variable has this value.
    pub fn literal(self, value: bool) -> Literal {
        if value {
            self.positive()
        } else {
            self.negative()
        }
    }
}

impl Literal {
    /// The literal with this DIMACS number, or `None` for the two numbers that
    /// stand for no literal: 0 and the most negative one, whose negation would
    /// not fit.
    pub fn from_dimacs(number: i32) -> Option<Self> {
        if number == i32::MIN {
            return None;
        }
        NonZeroI32::new(number).map(Self)
    }

    /// The number in DIMACS: that of the variable, negative if negated.
    pub fn to_dimacs(self) -> i32 {
        self.0.get()
    }

    /// The variable without the sign.
    pub fn variable(self) -> Variable {
        Variable(self.0.abs())
    }

    /// Whether this is the variable itself rather than its negation.
    pub fn is_positive(self) -> bool {
        self.0.is_positive()
    }
}

impl Not for Literal {
    type Output = Literal;

    fn not(self) -> Literal {
        Literal(-self.0)
    }
}

impl From<Variable> for Literal {
    fn from(variable: Variable) -> Literal {
        variable.positive()
    }
}

impl fmt::Display for Variable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl fmt::Display for Literal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

// Clauses in test failures are long enough without the type names.
impl fmt::Debug for Variable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl fmt::Debug for Literal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_signs() {
        let three = Variable::new(3).unwrap();
        assert_eq!((three.number(), three.index()), (3, 2));
        assert_eq!(three.positive().to_dimacs(), 3);
        assert_eq!(three.negative().to_dimacs(), -3);
        assert_eq!(!three.positive(), three.literal(false));
        assert_eq!(!!three.positive(), Literal::from(three));
        assert_eq!(three.negative().variable(), three);
        assert!(three.positive().is_positive() && !three.negative().is_positive());
        assert_eq!(
            format!("{three} {} {:?}", !three.positive(), three.positive()),
            "3 -3 3"
        );
    }

    #[test]
    fn numbers_that_are_no_literal() {
        assert_eq!(Literal::from_dimacs(0), None);
        assert_eq!(Literal::from_dimacs(i32::MIN), None);
        assert!(Literal::from_dimacs(-i32::MAX).is_some());
        assert_eq!(Variable::new(0), None);
        assert!(Variable::new(Variable::MAX_COUNT).is_some());
        assert_eq!(Variable::new(Variable::MAX_COUNT + 1), None);
    }

    #[test]
    fn an_optional_literal_costs_nothing() {
        assert_eq!(size_of::<Option<Literal>>(), size_of::<i32>());
    }
}
