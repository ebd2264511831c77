//! Random expressions: simplified terms, ranges and gates against the mirror.

use crate::mirror::Generator;
use formula::{Blaster, Evaluator, GateEvaluator, Lit, Mode, Options, TermId, Terms};
use std::collections::HashMap;

/// Checks one random expression under a few assignments.
fn check(seed: u64, widths: &[u32], depth: u32) {
    let mut generator = Generator::new(seed, widths);
    let width = widths[seed as usize % widths.len()];
    let expr = generator.word(width, depth);
    let fuel = match seed % 4 {
        0 => generator.rng.u64(0..30),
        _ => u64::MAX,
    };
    let mut terms = Terms::with_fuel(fuel);
    let variables = generator.declare(&mut terms);
    let term = expr.build(&mut terms, &variables);
    let all_terms: Vec<TermId> = {
        let mut found = vec![term];
        let mut index = 0;
        while index < found.len() {
            terms.for_each_operand(found[index], |operand| found.push(operand));
            index += 1;
            if found.len() > 5000 {
                break;
            }
        }
        found.sort();
        found.dedup();
        found
    };
    let mut blasters = [true, false].map(|narrowing| {
        Blaster::new(Options {
            mode: Mode::ByPolarity,
            narrowing,
        })
    });
    let bits = blasters.each_mut().map(|b| b.bits(&terms, term));
    let inputs = blasters.each_mut().map(|blaster| {
        let words = variables.iter().map(|v| blaster.bits(&terms, *v));
        words.collect::<Vec<_>>()
    });
    for _ in 0..6 {
        let values = generator.assignment();
        let expected = expr.value(&values);
        let of_variable: HashMap<_, _> = terms
            .variables()
            .zip(&values)
            .map(|((variable, _), value)| (variable, *value))
            .collect();
        let mut evaluator = Evaluator::new(&terms, |variable| of_variable[&variable]);
        assert_eq!(
            evaluator.value(term),
            expected,
            "seed {seed}, widths {widths:?}, fuel {fuel}: {expr:?} with {values:?}"
        );
        for id in &all_terms {
            let value = evaluator.value(*id);
            assert!(
                terms.range(*id).contains(value),
                "seed {seed}: {value} of {:?} should be in {:?}",
                terms.term(*id),
                terms.range(*id)
            );
        }
        for ((blaster, bits), words) in blasters.iter().zip(&bits).zip(&inputs) {
            let mut value_of = HashMap::new();
            for (word, value) in words.iter().zip(&values) {
                for (bit, lit) in word.iter().enumerate() {
                    let bit_value = value >> bit & 1 == 1;
                    if let Some(constant) = lit.as_constant() {
                        assert_eq!(constant, bit_value, "seed {seed}: a constant bit");
                    } else {
                        let known = value_of.insert(*lit, bit_value);
                        assert!(known.is_none_or(|known| known == bit_value), "seed {seed}");
                    }
                }
            }
            let mut gates = GateEvaluator::new(&blaster.gates, |lit: Lit| value_of[&lit]);
            assert_eq!(
                gates.word(bits),
                expected,
                "seed {seed}, as gates: {expr:?} with {values:?}"
            );
            // What was stated about the inputs holds for values in range.
            for lit in words.iter().flatten().filter(|lit| !lit.is_constant()) {
                if let Some(fact) = blaster.gates.fact_of(*lit) {
                    assert!(gates.value(fact), "seed {seed}: the range as a fact");
                }
            }
        }
    }
}

#[test]
fn small_widths() {
    for seed in 0..30_000 {
        check(seed, &[1, 2, 3, 4], 4);
    }
}

#[test]
fn bytes() {
    for seed in 0..8_000 {
        check(seed, &[8, 3], 4);
    }
}

#[test]
fn common_widths() {
    for seed in 0..3_000 {
        check(seed, &[32, 8], 3);
        check(seed, &[16, 32], 3);
        check(seed, &[64, 32], 3);
    }
}

#[test]
fn greatest_widths() {
    for seed in 0..2_000 {
        check(seed, &[128, 64], 2);
        check(seed, &[127, 5], 2);
    }
}
