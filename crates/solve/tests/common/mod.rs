//! Formulas to solve, and a way to solve them that cannot be wrong.

#![allow(dead_code, reason = "each test file uses its own part")]

use solve::{ClauseList, ClauseSink, Literal, Outcome, SatSolver, Variable};

/// All models of a formula over a few variables, as a truth table: bit `m` is
/// set if the assignment whose bits are those of `m` is a model.
#[derive(Clone)]
pub(crate) struct Models {
    variables: u32,
    table: Vec<u64>,
}

impl Models {
    /// How many variables a table can have in reasonable memory and time.
    const MAX_VARIABLES: u32 = 20;

    pub(crate) fn of(cnf: &ClauseList) -> Self {
        let variables = cnf.variable_count();
        assert!(variables <= Self::MAX_VARIABLES);
        let assignments = 1_usize << variables;
        let word = if assignments < 64 {
            (1 << assignments) - 1
        } else {
            u64::MAX
        };
        let mut models = Self {
            variables,
            table: vec![word; assignments.div_ceil(64)],
        };
        for clause in cnf.clauses() {
            models.require(clause);
        }
        models
    }

    /// Keeps the models in which one of these literals is true.
    pub(crate) fn require(&mut self, clause: &[Literal]) {
        for (index, word) in self.table.iter_mut().enumerate() {
            *word &= clause
                .iter()
                .fold(0, |bits, literal| bits | column(*literal, index));
        }
    }

    pub(crate) fn under(&self, assumptions: &[Literal]) -> Self {
        let mut models = self.clone();
        for assumption in assumptions {
            models.require(&[*assumption]);
        }
        models
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.table.iter().all(|word| *word == 0)
    }

    /// Whether the clause is true in all models.
    pub(crate) fn imply(&self, clause: &[Literal]) -> bool {
        let negation: Vec<Literal> = clause.iter().map(|literal| !*literal).collect();
        self.under(&negation).is_empty()
    }
}

/// Which of the 64 assignments of a word make a literal true.
fn column(literal: Literal, word: usize) -> u64 {
    const WITHIN: [u64; 6] = [
        0xaaaa_aaaa_aaaa_aaaa,
        0xcccc_cccc_cccc_cccc,
        0xf0f0_f0f0_f0f0_f0f0,
        0xff00_ff00_ff00_ff00,
        0xffff_0000_ffff_0000,
        0xffff_ffff_0000_0000,
    ];
    let index = literal.variable().index();
    let bits = match WITHIN.get(index) {
        Some(bits) => *bits,
        None if word >> (index - 6) & 1 == 1 => u64::MAX,
        None => 0,
    };
    if literal.is_positive() { bits } else { !bits }
}

/// A random formula of mixed clauses, among which units and clauses that
/// repeat a literal or are always true. Often easy.
pub(crate) fn random_formula(variables: u32, random: &mut fastrand::Rng) -> ClauseList {
    let ratio = 3.0 + 2.5 * random.f64();
    build(variables, ratio, || random_clause(variables, random))
}

/// A random formula of clauses over three different variables, about as many
/// as makes half of such formulas unsatisfiable. Hard for its size.
pub(crate) fn random_3sat(variables: u32, random: &mut fastrand::Rng) -> ClauseList {
    let all: Vec<u32> = (1..=variables).collect();
    build(variables, 4.26, || {
        let chosen = random.choose_multiple(&all, 3);
        chosen
            .iter()
            .map(|number| Variable::new(**number).unwrap().literal(random.bool()))
            .collect()
    })
}

fn build(variables: u32, ratio: f64, mut clause: impl FnMut() -> Vec<Literal>) -> ClauseList {
    let mut cnf = ClauseList::new();
    for _ in 0..variables {
        cnf.new_variable();
    }
    for _ in 0..(ratio * f64::from(variables)).ceil() as usize {
        cnf.add_clause(&clause());
    }
    cnf
}

pub(crate) fn random_clause(variables: u32, random: &mut fastrand::Rng) -> Vec<Literal> {
    let length = match random.u32(0..40) {
        0 => 1,
        1..4 => 2,
        4..6 => 4,
        _ => 3,
    };
    (0..length)
        .map(|_| random_literal(variables, random))
        .collect()
}

pub(crate) fn random_literal(variables: u32, random: &mut fastrand::Rng) -> Literal {
    Variable::new(random.u32(1..=variables))
        .unwrap()
        .literal(random.bool())
}

/// Up to a few random assumptions; they may repeat or contradict each other.
pub(crate) fn random_assumptions(variables: u32, random: &mut fastrand::Rng) -> Vec<Literal> {
    (0..random.usize(0..6))
        .map(|_| random_literal(variables, random))
        .collect()
}

/// Says that `holes + 1` pigeons sit in as many holes, each in one of its own.
/// Unsatisfiable, and hard to see for a solver that only resolves clauses.
pub(crate) fn pigeonhole(holes: usize, sink: &mut impl ClauseSink) {
    let pigeons: Vec<Vec<Literal>> = (0..=holes)
        .map(|_| (0..holes).map(|_| sink.new_variable().positive()).collect())
        .collect();
    for pigeon in &pigeons {
        sink.add_clause(pigeon);
    }
    for (index, first) in pigeons.iter().enumerate() {
        for second in &pigeons[index + 1..] {
            for (a, b) in first.iter().zip(second) {
                sink.add_clause(&[!*a, !*b]);
            }
        }
    }
}

/// Checks an outcome, and everything that can be read after it, against the
/// truth table of the formula.
pub(crate) fn check_result(
    solver: &impl SatSolver,
    outcome: &Outcome,
    cnf: &ClauseList,
    models: &Models,
    assumptions: &[Literal],
) {
    let context = || {
        format!(
            "{assumptions:?} with {:?}",
            cnf.clauses().collect::<Vec<_>>()
        )
    };
    let satisfiable = !models.under(assumptions).is_empty();
    let expected = if satisfiable {
        Outcome::Satisfiable
    } else {
        Outcome::Unsatisfiable
    };
    assert_eq!(*outcome, expected, "{}", context());
    if satisfiable {
        let is_true = |literal| {
            let value = solver.value(literal).expect("a model should be complete");
            assert_eq!(solver.value(!literal), Some(!value));
            value
        };
        assert_eq!(cnf.first_violated(is_true), None, "{}", context());
        assert!(
            assumptions.iter().all(|literal| is_true(*literal)),
            "{}",
            context()
        );
        assert_eq!(solver.failed(), []);
    } else {
        let failed = solver.failed();
        assert!(
            failed.iter().all(|literal| assumptions.contains(literal)),
            "{}",
            context()
        );
        assert!(
            assumptions
                .iter()
                .all(|a| solver.is_failed(*a) == failed.contains(a))
        );
        assert!(
            models.under(failed).is_empty(),
            "{failed:?} of {}",
            context()
        );
        assert!(
            cnf.variables()
                .all(|variable| solver.value(variable.positive()).is_none())
        );
    }
}
