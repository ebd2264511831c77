//! Clauses of random formulas: satisfiable exactly when they should be.

use crate::dpll::{is_true, solve};
use crate::mirror::{Expr, Generator};
use formula::{Blaster, ClauseList, ClauseSink, Cnf, GateEvaluator, Gates, Lit, Literal, Mode};
use formula::{Options, Polarity, TermId, Terms};
use std::rc::Rc;

const ALL_OPTIONS: [Options; 4] = [
    options(Mode::ByPolarity, true),
    options(Mode::ByPolarity, false),
    options(Mode::Full, true),
    options(Mode::Full, false),
];

const fn options(mode: Mode, narrowing: bool) -> Options {
    Options { mode, narrowing }
}

struct Formula {
    generator: Generator,
    terms: Terms,
    variables: Vec<TermId>,
    expr: Rc<Expr>,
    term: TermId,
}

impl Formula {
    /// Over two Booleans and four small numbers.
    fn random(seed: u64) -> Formula {
        let mut generator = Generator::new(seed, &[2, 1 + seed as u32 % 2]);
        let expr = generator.boolean(4);
        let mut terms = Terms::with_fuel(if seed.is_multiple_of(5) { 4 } else { u64::MAX });
        let variables = generator.declare(&mut terms);
        let term = expr.build(&mut terms, &variables);
        Formula {
            generator,
            terms,
            variables,
            expr,
            term,
        }
    }

    /// All values of the variables that are in their ranges.
    fn assignments(&self) -> Vec<Vec<u128>> {
        let mut found = vec![vec![]];
        for range in &self.generator.variables {
            let width = range.as_ref().map_or(1, |range| range.width());
            let allowed = |value: &u128| range.as_ref().is_none_or(|range| range.contains(*value));
            found = found
                .into_iter()
                .flat_map(|prefix: Vec<u128>| {
                    (0..1u128 << width).filter(allowed).map(move |value| {
                        let mut longer = prefix.clone();
                        longer.push(value);
                        longer
                    })
                })
                .collect();
        }
        found
    }
}

/// Assumptions that fix the variables, as far as the solver knows their bits.
fn assume(blaster: &mut Blaster, formula: &Formula, values: &[u128]) -> Vec<Literal> {
    let mut assumed = Vec::new();
    for (variable, value) in formula.variables.iter().zip(values) {
        for (bit, lit) in blaster.bits(&formula.terms, *variable).iter().enumerate() {
            if let Some(literal) = blaster.cnf.known_literal(*lit) {
                let holds = value >> bit & 1 == 1;
                assumed.push(if holds { literal } else { !literal });
            }
        }
    }
    assumed
}

#[test]
fn asserted_formulas_have_the_right_models() {
    for seed in 0..1_500 {
        let formula = Formula::random(seed);
        let assignments = formula.assignments();
        for options in ALL_OPTIONS {
            let mut blaster = Blaster::new(options);
            let mut clauses = ClauseList::new();
            blaster.assert_true(&formula.terms, formula.term, &mut clauses);
            let mut is_satisfiable = false;
            for values in &assignments {
                let expected = formula.expr.value(values) == 1;
                is_satisfiable |= expected;
                let assumed = assume(&mut blaster, &formula, values);
                assert_eq!(
                    solve(&clauses, &assumed).is_some(),
                    expected,
                    "seed {seed}, {options:?}: {:?} with {values:?}",
                    formula.expr
                );
            }
            let model = solve(&clauses, &[]);
            assert_eq!(model.is_some(), is_satisfiable, "seed {seed}, {options:?}");
            if let Some(model) = model {
                check_model(&formula, &blaster, &model, seed);
            }
        }
    }
}

/// The values read from a model satisfy the formula and are in range.
fn check_model(formula: &Formula, blaster: &Blaster, model: &[bool], seed: u64) {
    let mut reader = blaster.reader(&formula.terms, |literal| is_true(model, literal));
    assert!(reader.is_true(formula.term), "seed {seed}: the model read");
    let variables = formula.variables.iter();
    let values: Vec<u128> = variables.map(|variable| reader.value(*variable)).collect();
    assert_eq!(formula.expr.value(&values), 1, "seed {seed}: {values:?}");
    for (range, value) in formula.generator.variables.iter().zip(values) {
        let is_allowed = range.as_ref().is_none_or(|range| range.contains(value));
        assert!(is_allowed, "seed {seed}: {value} should be in {range:?}");
    }
}

#[test]
fn polarities_can_be_asked_for_one_by_one() {
    for seed in 0..1_500 {
        let formula = Formula::random(seed);
        let mut blaster = Blaster::default();
        let mut clauses = ClauseList::new();
        let order = match seed % 3 {
            0 => [Polarity::Positive, Polarity::Negative],
            1 => [Polarity::Negative, Polarity::Positive],
            _ => [Polarity::Both, Polarity::Both],
        };
        let mut asked = Vec::new();
        let mut literals = Vec::new();
        for polarity in order {
            literals.push(blaster.solver_literal(
                &formula.terms,
                formula.term,
                polarity,
                &mut clauses,
            ));
            asked.push(polarity);
            for values in formula.assignments() {
                let expected = formula.expr.value(&values) == 1;
                let assumed = assume(&mut blaster, &formula, &values);
                for (wanted, other) in [(true, Polarity::Positive), (false, Polarity::Negative)] {
                    if asked.contains(&other) || asked.contains(&Polarity::Both) {
                        let mut assumed = assumed.clone();
                        assumed.push(if wanted { literals[0] } else { !literals[0] });
                        assert_eq!(
                            solve(&clauses, &assumed).is_some(),
                            expected == wanted,
                            "seed {seed}: {:?} with {values:?}",
                            formula.expr
                        );
                    }
                }
            }
        }
        assert_eq!(literals[0], literals[1], "seed {seed}");
        let before = clauses.clause_count();
        let terms = &formula.terms;
        blaster.solver_literal(terms, formula.term, Polarity::Both, &mut clauses);
        assert_eq!(
            clauses.clause_count(),
            before,
            "seed {seed}: nothing is left to say"
        );
    }
}

#[test]
fn several_clauses_in_sequence() {
    for seed in 0..600 {
        let mut formula = Formula::random(seed);
        let others: Vec<Rc<Expr>> = (0..4).map(|_| formula.generator.boolean(3)).collect();
        let ids: Vec<TermId> = others
            .iter()
            .map(|e| e.build(&mut formula.terms, &formula.variables))
            .collect();
        for options in [ALL_OPTIONS[0], ALL_OPTIONS[2]] {
            let mut blaster = Blaster::new(options);
            let mut clauses = ClauseList::new();
            blaster.assert_clause(&formula.terms, &[formula.term, ids[0]], &mut clauses);
            blaster.assert_clause(&formula.terms, &[ids[0], ids[1], ids[2]], &mut clauses);
            let lits = [ids[2], ids[3]].map(|id| !blaster.literal(&formula.terms, id));
            blaster.add_clause(&lits, &mut clauses);
            let is_satisfiable = formula.assignments().iter().any(|values| {
                let holds = |e: &Rc<Expr>| e.value(values) == 1;
                (holds(&formula.expr) || holds(&others[0]))
                    && others[..3].iter().any(holds)
                    && !(holds(&others[2]) && holds(&others[3]))
            });
            assert_eq!(
                solve(&clauses, &[]).is_some(),
                is_satisfiable,
                "seed {seed}"
            );
        }
    }
}

#[test]
fn equated_literals_are_equal() {
    let mut rng = fastrand::Rng::with_seed(1);
    for round in 0..400 {
        let mut gates = Gates::new();
        let inputs = gates.inputs(4);
        let mut lits = inputs.clone();
        lits.push(Lit::TRUE);
        for _ in 0..8 {
            let mut pick = || lits[rng.usize(0..lits.len())].negated_if(rng.bool());
            let (a, b, c) = (pick(), pick(), pick());
            let lit = match rng.u8(0..5) {
                0 => gates.all(&[a, b, c]),
                1 => gates.xor(a, b),
                2 => gates.ite(a, b, c),
                3 => gates.majority(a, b, c),
                _ => gates.xor3(a, b, c),
            };
            lits.push(lit);
        }
        let mut cnf = Cnf::new(Mode::ByPolarity);
        let mut clauses = ClauseList::new();
        let mut pick = || lits[rng.usize(0..lits.len())].negated_if(rng.bool());
        let pairs = [(pick(), pick()), (pick(), pick())];
        let wanted = pick();
        for (a, b) in pairs {
            cnf.equate(&gates, a, b, &mut clauses);
        }
        cnf.assert_true(&gates, wanted, &mut clauses);
        for bits in 0..16 {
            let value_of = |lit: Lit| {
                let index = inputs.iter().position(|input| *input == lit).unwrap();
                bits >> index & 1 == 1
            };
            let mut evaluator = GateEvaluator::new(&gates, value_of);
            let mut holds = |lit| evaluator.value(lit);
            let expected = pairs.iter().all(|(a, b)| holds(*a) == holds(*b)) && holds(wanted);
            let assumed: Vec<Literal> = inputs
                .iter()
                .filter_map(|input| {
                    let literal = cnf.known_literal(*input)?;
                    Some(if value_of(*input) { literal } else { !literal })
                })
                .collect();
            assert_eq!(
                solve(&clauses, &assumed).is_some(),
                expected,
                "round {round}"
            );
        }
    }
}

#[test]
fn at_most_one_counts() {
    for n in 0..=11 {
        let mut gates = Gates::new();
        let lits = gates.inputs(n);
        let at_most = gates.at_most_one(&lits);
        let exactly = gates.exactly_one(&lits);
        let mut cnf = Cnf::new(Mode::ByPolarity);
        let mut clauses = ClauseList::new();
        let at_most = cnf.literal(&gates, at_most, Polarity::Both, &mut clauses);
        let exactly = cnf.literal(&gates, exactly, Polarity::Both, &mut clauses);
        for bits in 0u32..1 << n {
            let assumed: Vec<Literal> = lits
                .iter()
                .enumerate()
                .filter_map(|(index, lit)| {
                    let literal = cnf.known_literal(*lit)?;
                    Some(if bits >> index & 1 == 1 {
                        literal
                    } else {
                        !literal
                    })
                })
                .collect();
            let model = solve(&clauses, &assumed).expect("definitions should be satisfiable");
            assert_eq!(is_true(&model, at_most), bits.count_ones() <= 1);
            assert_eq!(is_true(&model, exactly), bits.count_ones() == 1);
        }
    }
}

/// A sink that starts in the middle, as a solver with clauses of its own does.
struct Offset(ClauseList);

impl ClauseSink for Offset {
    fn new_variable(&mut self) -> clauses::Variable {
        while self.0.variable_count() < 100 {
            self.0.new_variable();
        }
        self.0.new_variable()
    }

    fn add_clause(&mut self, clause: &[Literal]) {
        self.0.add_clause(clause);
    }
}

fn numbers(clauses: &ClauseList) -> Vec<Vec<i32>> {
    let clauses = clauses.clauses();
    clauses
        .map(|clause| clause.iter().map(|literal| literal.to_dimacs()).collect())
        .collect()
}

#[test]
fn one_graph_serves_several_solvers() {
    let mut gates = Gates::new();
    let (a, b) = (gates.input(), gates.input());
    let both = gates.and(a, b);
    let mut first = (Cnf::new(Mode::ByPolarity), ClauseList::new());
    let mut second = (Cnf::new(Mode::Full), Offset(ClauseList::new()));
    let x = first
        .0
        .literal(&gates, both, Polarity::Positive, &mut first.1);
    let y = second
        .0
        .literal(&gates, both, Polarity::Positive, &mut second.1);
    assert_eq!((x.to_dimacs(), y.to_dimacs()), (3, 103));
    assert_eq!(numbers(&first.1), [&[-3, 1][..], &[-3, 2]]);
    assert_eq!(
        numbers(&second.1.0),
        [&[-103, 101][..], &[-103, 102], &[103, -101, -102]]
    );
}

#[test]
fn variables_can_be_bound_to_literals() {
    let mut terms = Terms::new();
    let x = terms.new_variable("x", formula::Sort::BitVec(3));
    let five = terms.constant(3, 5);
    let is_five = terms.equal(x, five);
    let mut blaster = Blaster::default();
    let a = blaster.gates.input();
    let b = blaster.gates.input();
    blaster.bind(&terms, x, &[a, b, !b]);
    let expected = blaster.gates.and(a, !b);
    assert_eq!(blaster.literal(&terms, is_five), expected);
    let mut clauses = ClauseList::new();
    blaster.assert_true(&terms, is_five, &mut clauses);
    let model = solve(&clauses, &[]).unwrap();
    let mut reader = blaster.reader(&terms, |literal| is_true(&model, literal));
    assert_eq!(reader.value(x), 5);
}
