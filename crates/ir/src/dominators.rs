//! Dominators of a control-flow graph: block `a` dominates block `b` if every
//! path from the entry to `b` goes through `a`.
//!
//! The algorithm is the iterative one of Cooper, Harvey and Kennedy, "A Simple,
//! Fast Dominance Algorithm" (2001). It visits the blocks in reverse postorder
//! until nothing changes, which for the graphs of C programs is nearly always
//! after two rounds. The tree that comes out is numbered afterwards, so that a
//! question about two blocks takes constant time.
//!
//! Blocks that cannot be reached from the entry have no dominators. This module
//! looks at terminators only, never at instructions; all block ids in them must
//! be in range.

use crate::body::{BlockId, Body};
use cranelift_entity::SecondaryMap;

/// The blocks from which control may come to each block: each listed once, in
/// order, including those that cannot be reached themselves.
pub fn predecessors(body: &Body) -> SecondaryMap<BlockId, Vec<BlockId>> {
    let mut predecessors: SecondaryMap<BlockId, Vec<BlockId>> = SecondaryMap::new();
    for (block, data) in body.blocks.iter() {
        for successor in data.terminator.successors() {
            let known = &mut predecessors[successor];
            // A block's edges are visited together, so a repetition is the last one.
            if known.last() != Some(&block) {
                known.push(block);
            }
        }
    }
    predecessors
}

/// The dominator tree of one body.
#[derive(Clone, Debug)]
pub struct Dominators {
    reverse_postorder: Vec<BlockId>,
    nodes: SecondaryMap<BlockId, Node>,
}

/// What is known about one block. Unreachable blocks keep the default.
#[derive(Clone, Copy, Debug, Default)]
struct Node {
    is_reachable: bool,
    /// Place in reverse postorder.
    order: u32,
    immediate: Option<BlockId>,
    /// Blocks below this one in the tree, and only they, are first visited
    /// after `entered` and no later than `left`.
    entered: u32,
    left: u32,
}

impl Dominators {
    pub fn of(body: &Body) -> Self {
        let mut dominators = Dominators {
            reverse_postorder: reverse_postorder(body),
            nodes: SecondaryMap::new(),
        };
        for (order, &block) in (0..).zip(&dominators.reverse_postorder) {
            let node = &mut dominators.nodes[block];
            node.is_reachable = true;
            node.order = order;
        }
        dominators.find_immediate(body);
        dominators.number_tree();
        dominators
    }

    /// Whether some path from the entry leads to the block.
    pub fn is_reachable(&self, block: BlockId) -> bool {
        self.nodes[block].is_reachable
    }

    /// The last block before this one that all paths go through. The entry and
    /// unreachable blocks have none.
    pub fn immediate(&self, block: BlockId) -> Option<BlockId> {
        self.nodes[block].immediate
    }

    /// Whether every path from the entry to `b` goes through `a`. Every block
    /// dominates itself; otherwise both must be reachable.
    pub fn dominates(&self, a: BlockId, b: BlockId) -> bool {
        let (above, below) = (&self.nodes[a], &self.nodes[b]);
        a == b
            || above.is_reachable
                && below.is_reachable
                && (above.entered..=above.left).contains(&below.entered)
    }

    /// The reachable blocks, each after all its predecessors except along edges
    /// that go back in a loop.
    pub fn reverse_postorder(&self) -> &[BlockId] {
        &self.reverse_postorder
    }

    fn find_immediate(&mut self, body: &Body) {
        let Some((&entry, others)) = self.reverse_postorder.split_first() else {
            return;
        };
        let predecessors = predecessors(body);
        // During the search the entry is its own dominator, which ends walks up.
        self.nodes[entry].immediate = Some(entry);
        let mut has_changed = true;
        while has_changed {
            has_changed = false;
            for &block in others {
                let immediate = predecessors[block]
                    .iter()
                    .copied()
                    .filter(|&predecessor| self.nodes[predecessor].immediate.is_some())
                    .reduce(|a, b| common_dominator(&self.nodes, a, b));
                has_changed |= self.nodes[block].immediate != immediate;
                self.nodes[block].immediate = immediate;
            }
        }
        self.nodes[entry].immediate = None;
    }

    /// Visits the tree depth first and notes when each block is entered and left.
    fn number_tree(&mut self) {
        let mut children: SecondaryMap<BlockId, Vec<BlockId>> = SecondaryMap::new();
        for &block in &self.reverse_postorder {
            if let Some(parent) = self.nodes[block].immediate {
                children[parent].push(block);
            }
        }
        let mut entered = 0;
        let mut path: Vec<BlockId> = self
            .reverse_postorder
            .first()
            .copied()
            .into_iter()
            .collect();
        while let Some(&block) = path.last() {
            let node = &mut self.nodes[block];
            if node.entered == 0 {
                entered += 1;
                node.entered = entered;
            }
            match children[block].pop() {
                Some(child) => path.push(child),
                None => {
                    node.left = entered;
                    path.pop();
                }
            }
        }
    }
}

/// The closest block that dominates both, as far as known at the moment.
fn common_dominator(
    nodes: &SecondaryMap<BlockId, Node>,
    mut a: BlockId,
    mut b: BlockId,
) -> BlockId {
    let up = |block: BlockId| {
        let immediate = nodes[block].immediate;
        immediate.expect("a block on the way up should have been visited")
    };
    while a != b {
        if nodes[a].order > nodes[b].order {
            a = up(a);
        } else {
            b = up(b);
        }
    }
    a
}

fn reverse_postorder(body: &Body) -> Vec<BlockId> {
    let Some(entry) = body.blocks.keys().next() else {
        return Vec::new();
    };
    let mut order = Vec::new();
    let mut is_seen: SecondaryMap<BlockId, bool> = SecondaryMap::new();
    is_seen[entry] = true;
    // The path of the search, each block with the successors still to visit. Not
    // recursive, because generated programs have very long chains of blocks.
    let mut path = vec![(entry, body.blocks[entry].terminator.successors())];
    while let Some((block, successors)) = path.last_mut() {
        match successors.pop() {
            Some(successor) if !is_seen[successor] => {
                is_seen[successor] = true;
                path.push((successor, body.blocks[successor].terminator.successors()));
            }
            Some(_) => {}
            None => {
                order.push(*block);
                path.pop();
            }
        }
    }
    order.reverse();
    order
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::body::{Block, Terminator};

    /// A body without instructions whose blocks have these successors.
    fn graph(successors: &[&[u32]]) -> Body {
        let mut body = Body::default();
        for targets in successors {
            body.blocks.push(Block {
                phis: Vec::new(),
                insts: Vec::new(),
                terminator: Terminator::IndirectJump {
                    address: crate::Operand::Value(crate::ValueId::from_u32(0)),
                    targets: targets
                        .iter()
                        .map(|&target| BlockId::from_u32(target))
                        .collect(),
                },
                terminator_location: None,
            });
        }
        body
    }

    fn immediate(successors: &[&[u32]]) -> Vec<Option<u32>> {
        let body = graph(successors);
        let dominators = Dominators::of(&body);
        let number = |block: BlockId| dominators.immediate(block).map(BlockId::as_u32);
        body.blocks.keys().map(number).collect()
    }

    #[test]
    fn joins_are_dominated_by_their_fork() {
        let diamond: &[&[u32]] = &[&[1, 2], &[3], &[3], &[]];
        assert_eq!(immediate(diamond), [None, Some(0), Some(0), Some(0)]);
    }

    #[test]
    fn loops_are_dominated_by_their_header() {
        let nested: &[&[u32]] = &[&[1], &[2, 5], &[3, 4], &[2], &[1], &[]];
        assert_eq!(
            immediate(nested),
            [None, Some(0), Some(1), Some(2), Some(2), Some(1)]
        );
    }

    #[test]
    fn loops_with_two_entries_are_dominated_by_neither() {
        let irreducible: &[&[u32]] = &[&[1, 2], &[5], &[4, 3], &[4], &[3, 5], &[4]];
        assert_eq!(
            immediate(irreducible),
            [None, Some(0), Some(0), Some(0), Some(0), Some(0)]
        );
    }

    #[test]
    fn unreachable_blocks_are_outside() {
        let body = graph(&[&[2], &[2], &[]]);
        let dominators = Dominators::of(&body);
        let block = BlockId::from_u32;
        assert!(!dominators.is_reachable(block(1)));
        assert_eq!(dominators.immediate(block(1)), None);
        assert_eq!(dominators.immediate(block(2)), Some(block(0)));
        assert!(dominators.dominates(block(1), block(1)));
        assert!(!dominators.dominates(block(1), block(2)));
        assert!(!dominators.dominates(block(0), block(1)));
        assert_eq!(dominators.reverse_postorder(), [block(0), block(2)]);
        assert_eq!(predecessors(&body)[block(2)], [block(0), block(1)]);
    }

    #[test]
    fn dominance_is_reachability_without_the_dominator() {
        let graphs: &[&[&[u32]]] = &[
            &[],
            &[&[]],
            &[&[1, 2], &[5], &[4, 3], &[4], &[3, 5], &[4]],
            &[&[1], &[2, 5], &[3, 4], &[2], &[1], &[]],
            &[&[1, 1], &[2, 3, 4], &[3], &[4, 1], &[5, 2], &[6, 4], &[0]],
        ];
        for successors in graphs {
            let dominators = Dominators::of(&graph(successors));
            for a in 0..successors.len() {
                for b in 0..successors.len() {
                    assert_eq!(
                        dominators
                            .dominates(BlockId::from_u32(a as u32), BlockId::from_u32(b as u32)),
                        !reaches_without(successors, a, b),
                        "{a} {b} in {successors:?}"
                    );
                }
            }
        }
    }

    fn reaches_without(successors: &[&[u32]], avoided: usize, goal: usize) -> bool {
        let mut seen = vec![false; successors.len()];
        let mut open = vec![0];
        while let Some(block) = open.pop() {
            if block != avoided && !std::mem::replace(&mut seen[block], true) {
                open.extend(successors[block].iter().map(|&next| next as usize));
            }
        }
        seen[goal]
    }

    #[test]
    fn long_chains_do_not_exhaust_the_stack() {
        let chain: Vec<Vec<u32>> = (1..=50_000).map(|next| vec![next % 50_000]).collect();
        let chain: Vec<&[u32]> = chain.iter().map(Vec::as_slice).collect();
        let dominators = Dominators::of(&graph(&chain));
        assert!(dominators.dominates(BlockId::from_u32(1), BlockId::from_u32(49_999)));
    }
}
