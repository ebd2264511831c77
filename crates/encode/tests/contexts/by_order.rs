//! The encoding by order as a subject of the comparison. It has no bound: whatever some
//! run does is found.

use encode::ByOrder;
use fastrand::Rng;
use formula::Mode;
use std::collections::BTreeMap;

use crate::generator::Program;
use crate::oracle::{Subject, check_many};
use crate::simulator::Simulator;

/// More contexts than these programs have positions.
const ENOUGH: usize = 40;

impl Subject for ByOrder {
    fn choose(&self, _program: &Program, rng: &mut Rng) -> Option<(ByOrder, usize)> {
        let subject = ByOrder {
            formula: formula::Options {
                mode: [Mode::ByPolarity, Mode::Full][rng.usize(..2)],
                narrowing: rng.u32(..4) > 0,
            },
            ..*self
        };
        Some((subject, 0))
    }

    fn takes_dishonest(&self) -> bool {
        !self.trusts_conditions
    }

    fn needed(
        &self,
        simulator: &Simulator,
        inputs: &BTreeMap<u32, u128>,
        _limit: usize,
    ) -> Option<usize> {
        let positions = simulator.threads.threads.values();
        let count: usize = positions.map(|thread| thread.positions.len()).sum();
        assert!(count < ENOUGH, "{count} positions");
        let needed = simulator.contexts_needed(inputs, false, ENOUGH);
        needed.map(|_| 0)
    }
}

#[test]
fn agrees_with_enumeration() {
    check_many(6, 1500, &ByOrder::default());
}

#[test]
fn agrees_with_enumeration_where_conditions_mean_nothing() {
    let subject = ByOrder {
        trusts_conditions: false,
        ..ByOrder::default()
    };
    check_many(7, 1500, &subject);
}
