//! The order in which a function's blocks are executed when all paths are merged.
//!
//! Every block has a key, made of its place among the blocks and loops around it
//! and of the iterations of those loops. Executing pending blocks by least key
//! means: all predecessors before their successors, a whole iteration before the
//! next, a whole loop before what follows it.

use analysis::{LoopId, Loops};
use cranelift_entity::{EntitySet, SecondaryMap};
use ir::dominators::Dominators;
use ir::{BlockId, Body, FunctionId, Op, Operand, ValueId};
use std::collections::HashMap;
use std::rc::Rc;

pub(crate) struct BlockOrder {
    pub loops: Loops,
    /// The loops around each block, outermost first.
    nests: SecondaryMap<BlockId, Vec<LoopId>>,
    /// For each of these loops, and last for the block itself: its place among its
    /// siblings.
    places: SecondaryMap<BlockId, Vec<u32>>,
    /// Values that some other block than the one that computes them uses.
    pub crossing: EntitySet<ValueId>,
    /// Addresses of locals that are only loaded and stored.
    pub private: EntitySet<ValueId>,
}

/// Those of all functions, each made when first asked for.
#[derive(Default)]
pub(crate) struct BlockOrders(HashMap<FunctionId, Rc<BlockOrder>>);

impl BlockOrders {
    pub(crate) fn get(&mut self, function: FunctionId, body: &Body) -> Rc<BlockOrder> {
        let order = self.0.entry(function);
        order
            .or_insert_with(|| Rc::new(BlockOrder::of(body)))
            .clone()
    }
}

pub(crate) type Key = Vec<u32>;

impl BlockOrder {
    pub(crate) fn of(body: &Body) -> BlockOrder {
        let loops = Loops::of(body);
        let dominators = Dominators::of(body);
        let order = dominators.reverse_postorder();
        let mut nests: SecondaryMap<BlockId, Vec<LoopId>> = SecondaryMap::new();
        for block in order {
            let mut nest = Vec::new();
            let mut next = loops.innermost(*block);
            while let Some(id) = next {
                nest.push(id);
                next = loops[id].parent;
            }
            nest.reverse();
            nests[*block] = nest;
        }
        let sorted = Sorter {
            body,
            loops: &loops,
            nests: &nests,
            places: HashMap::new(),
        }
        .sort(order);
        let mut places: SecondaryMap<BlockId, Vec<u32>> = SecondaryMap::new();
        for block in order {
            let mut path: Vec<u32> = nests[*block]
                .iter()
                .map(|id| sorted[&Node::Loop(*id)])
                .collect();
            path.push(sorted[&Node::Block(*block)]);
            places[*block] = path;
        }
        BlockOrder {
            crossing: crossing_values(body),
            private: analysis::locals::private(body),
            loops,
            nests,
            places,
        }
    }

    pub(crate) fn key(&self, block: BlockId, iterations: &[u32]) -> Key {
        let places = &self.places[block];
        let mut key = Vec::with_capacity(2 * places.len());
        for (index, place) in places.iter().enumerate() {
            key.push(*place);
            if let Some(iteration) = iterations.get(index) {
                key.push(*iteration);
            }
        }
        key
    }

    pub(crate) fn nest(&self, block: BlockId) -> &[LoopId] {
        &self.nests[block]
    }

    /// The iterations on entering the function at this block.
    pub(crate) fn follow_entry(&self, block: BlockId) -> Vec<u32> {
        vec![1; self.nests[block].len()]
    }

    /// The iterations after a jump.
    pub(crate) fn follow(&self, from: BlockId, to: BlockId, iterations: &[u32]) -> Vec<u32> {
        let (source, target) = (self.nest(from), self.nest(to));
        if let Some(repeated) = self.loops.is_back_edge(from, to) {
            let depth = source
                .iter()
                .position(|id| *id == repeated)
                .unwrap_or(source.len().saturating_sub(1));
            let mut next = iterations[..=depth.min(iterations.len() - 1)].to_vec();
            if let Some(last) = next.last_mut() {
                *last += 1;
            }
            return next;
        }
        let common = source
            .iter()
            .zip(target)
            .take_while(|(a, b)| a == b)
            .count();
        let mut next = iterations[..common].to_vec();
        next.resize(target.len(), 1);
        next
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Node {
    Block(BlockId),
    Loop(LoopId),
}

/// Sorts blocks and inner loops within each loop, and within the function.
struct Sorter<'a> {
    body: &'a Body,
    loops: &'a Loops,
    nests: &'a SecondaryMap<BlockId, Vec<LoopId>>,
    places: HashMap<Node, u32>,
}

impl Sorter<'_> {
    fn sort(mut self, order: &[BlockId]) -> HashMap<Node, u32> {
        let mut regions: HashMap<Option<LoopId>, Vec<BlockId>> = HashMap::new();
        for block in order {
            regions.entry(None).or_default().push(*block);
            for id in &self.nests[*block] {
                regions.entry(Some(*id)).or_default().push(*block);
            }
        }
        for (region, blocks) in regions {
            self.sort_region(region, &blocks);
        }
        self.places
    }

    /// The child of the region that a block belongs to.
    fn child(&self, region: Option<LoopId>, block: BlockId) -> Node {
        let nest = &self.nests[block];
        let depth = match region {
            None => 0,
            Some(id) => nest
                .iter()
                .position(|other| *other == id)
                .map_or(0, |p| p + 1),
        };
        match nest.get(depth) {
            Some(inner) => Node::Loop(*inner),
            None => Node::Block(block),
        }
    }

    fn sort_region(&mut self, region: Option<LoopId>, blocks: &[BlockId]) {
        let mut inside = EntitySet::with_capacity(self.body.blocks.len());
        for block in blocks {
            inside.insert(*block);
        }
        let mut nodes = Vec::new();
        let mut successors: HashMap<Node, Vec<Node>> = HashMap::new();
        for block in blocks {
            let node = self.child(region, *block);
            let list = successors.entry(node).or_insert_with(|| {
                nodes.push(node);
                Vec::new()
            });
            for next in self.body.blocks[*block].terminator.successors() {
                if inside.contains(next) && self.loops.is_back_edge(*block, next).is_none() {
                    let target = self.child(region, next);
                    if target != node && !list.contains(&target) {
                        list.push(target);
                    }
                }
            }
        }
        // Depth-first, in the order of blocks; the reversed order of leaving is
        // topological, since without back edges there is no cycle.
        let mut left = Vec::new();
        let mut seen: HashMap<Node, bool> = HashMap::new();
        for start in nodes {
            if seen.contains_key(&start) {
                continue;
            }
            seen.insert(start, true);
            let mut stack = vec![(start, 0)];
            while let Some((node, index)) = stack.last_mut() {
                let next = successors
                    .get(node)
                    .and_then(|list| list.get(*index))
                    .copied();
                *index += 1;
                match next {
                    Some(next) => {
                        if seen.insert(next, true).is_none() {
                            stack.push((next, 0));
                        }
                    }
                    None => {
                        left.push(*node);
                        stack.pop();
                    }
                }
            }
        }
        for (place, node) in left.into_iter().rev().enumerate() {
            self.places.insert(node, place as u32);
        }
    }
}

fn crossing_values(body: &Body) -> EntitySet<ValueId> {
    let mut defined_in: SecondaryMap<ValueId, Option<BlockId>> = SecondaryMap::new();
    for (id, block) in body.blocks.iter() {
        for phi in &block.phis {
            defined_in[phi.result] = Some(id);
        }
        for inst in &block.insts {
            if let Some(result) = body.insts[*inst].result {
                defined_in[result] = Some(id);
            }
        }
    }
    let mut crossing = EntitySet::with_capacity(body.values.len());
    for (id, block) in body.blocks.iter() {
        let mut visit = |operand: Operand, at: BlockId| {
            if let Operand::Value(value) = operand
                && defined_in[value] != Some(at)
            {
                crossing.insert(value);
            }
        };
        for phi in &block.phis {
            for (from, operand) in &phi.incoming {
                visit(*operand, *from);
            }
        }
        for inst in &block.insts {
            let op: &Op = &body.insts[*inst].op;
            op.for_each_operand(|operand| visit(operand, id));
        }
        block
            .terminator
            .for_each_operand(|operand| visit(operand, id));
    }
    crossing
}
