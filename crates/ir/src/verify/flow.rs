//! Blocks and definitions: the shape of the control-flow graph, and that every
//! use of a value comes after its only definition.

use super::{Errors, Rule};
use crate::body::{Block, BlockId, Body, InstId, Operand, Phi, ValueId};
use crate::dominators::{Dominators, predecessors};
use crate::program::Function;
use cranelift_entity::{EntityRef, SecondaryMap};
use std::collections::HashSet;

/// A point in the code. Parameters and phis come at position 0 of their block,
/// its instructions at 1, 2, and so on, its terminator at [`AT_END`].
#[derive(Clone, Copy)]
struct Point {
    block: BlockId,
    position: usize,
}

const AT_END: usize = usize::MAX;

pub(super) fn check(function: &Function, body: &Body, errors: &mut Errors) {
    errors.require(!body.blocks.is_empty(), || {
        "the body has no block".to_string()
    });
    check_params(function, body, errors);
    if body.blocks.is_empty() {
        return;
    }
    let mut flow = Flow {
        body,
        dominators: Dominators::of(body),
        predecessors: predecessors(body),
        definitions: SecondaryMap::new(),
        errors,
    };
    flow.check_entry();
    flow.collect_definitions(function.params.len());
    for (id, block) in body.blocks.iter() {
        // Nothing in an unreachable block ever happens, and compilers leave such
        // blocks behind in odd states.
        if flow.dominators.is_reachable(id) {
            flow.check_block(id, block);
        }
    }
}

fn check_params(function: &Function, body: &Body, errors: &mut Errors) {
    for (place, param) in function.params.iter().enumerate() {
        let found = body.values.get(ValueId::new(place));
        errors.require(found == Some(&param.ty), || {
            let found = found.map_or("missing".to_string(), ToString::to_string);
            format!("parameter {place} is {} but its value is {found}", param.ty)
        });
    }
}

struct Flow<'a> {
    body: &'a Body,
    dominators: Dominators,
    predecessors: SecondaryMap<BlockId, Vec<BlockId>>,
    definitions: SecondaryMap<ValueId, Option<Point>>,
    errors: &'a mut Errors,
}

impl Flow<'_> {
    fn check_entry(&mut self) {
        let entry = Body::ENTRY;
        self.errors
            .require(self.predecessors[entry].is_empty(), || {
                format!(
                    "control comes back to the entry from {}",
                    self.predecessors[entry][0]
                )
            });
        self.errors
            .require(self.body.blocks[entry].phis.is_empty(), || {
                "the entry has phis".to_string()
            });
    }

    fn collect_definitions(&mut self, n_params: usize) {
        let start = Point {
            block: Body::ENTRY,
            position: 0,
        };
        for param in self.body.values.keys().take(n_params) {
            self.define(param, start);
        }
        let mut is_listed: SecondaryMap<InstId, bool> = SecondaryMap::new();
        for (id, block) in self.body.blocks.iter() {
            for phi in &block.phis {
                self.define(
                    phi.result,
                    Point {
                        block: id,
                        position: 0,
                    },
                );
            }
            for (place, &inst) in block.insts.iter().enumerate() {
                let was_listed = std::mem::replace(&mut is_listed[inst], true);
                self.errors
                    .require(!was_listed, || format!("{inst} is listed twice"));
                let position = place + 1;
                if let Some(result) = self.body.insts[inst].result.filter(|_| !was_listed) {
                    self.define(
                        result,
                        Point {
                            block: id,
                            position,
                        },
                    );
                }
            }
        }
    }

    fn define(&mut self, value: ValueId, point: Point) {
        let earlier = self.definitions[value].replace(point);
        self.errors
            .require(earlier.is_none(), || format!("{value} is defined twice"));
    }

    fn check_block(&mut self, id: BlockId, block: &Block) {
        for phi in &block.phis {
            self.check_phi(id, phi);
        }
        for (place, &inst) in block.insts.iter().enumerate() {
            let position = place + 1;
            self.body.insts[inst].op.for_each_operand(|operand| {
                self.check_use(
                    operand,
                    Point {
                        block: id,
                        position,
                    },
                );
            });
        }
        block.terminator.for_each_operand(|operand| {
            self.check_use(
                operand,
                Point {
                    block: id,
                    position: AT_END,
                },
            );
        });
    }

    fn check_phi(&mut self, id: BlockId, phi: &Phi) {
        let result = phi.result;
        let mut covered = HashSet::new();
        for &(block, operand) in &phi.incoming {
            self.errors.require(covered.insert(block), || {
                format!("phi {result} has two entries for {block}")
            });
            self.errors
                .require(self.predecessors[id].contains(&block), || {
                    format!("phi {result} has an entry for {block}, no predecessor of {id}")
                });
            // The value is taken when control leaves the predecessor.
            self.check_use(
                operand,
                Point {
                    block,
                    position: AT_END,
                },
            );
        }
        for &block in &self.predecessors[id] {
            let is_covered = covered.contains(&block) || !self.dominators.is_reachable(block);
            self.errors.require(is_covered, || {
                format!("phi {result} has no entry for {block}")
            });
        }
    }

    fn check_use(&mut self, operand: Operand, at: Point) {
        let Operand::Value(value) = operand else {
            return;
        };
        if !self.dominators.is_reachable(at.block) {
            return;
        }
        let is_defined_before = self.definitions[value].is_some_and(|definition| {
            if definition.block == at.block {
                definition.position < at.position
            } else {
                self.dominators.dominates(definition.block, at.block)
            }
        });
        self.errors
            .require_rule(Rule::Order, is_defined_before, || {
                format!("{value} is used in {} before it is defined", at.block)
            });
    }
}
