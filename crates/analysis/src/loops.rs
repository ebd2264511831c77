//! The loops of a function body, and how they nest.
//!
//! An edge is a *back edge* when it retreats in reverse postorder, that is when
//! it leads to an ancestor in the depth-first tree (or to the block itself).
//! Every cycle has at least one, so whoever cuts all back edges is left with an
//! acyclic graph. All back edges to one block, the *header*, make one loop: the
//! blocks from which the header can be reached again without passing through
//! anything that precedes it in reverse postorder.
//!
//! In ordinary code these are the natural loops, whose header dominates the
//! rest. Code that jumps into the middle of a loop has cycles without such a
//! header; they are loops here as well, but may also be entered elsewhere than
//! at the header. Either way two loops are disjoint or one contains the other.
//!
//! Unreachable blocks belong to no loop.

use cranelift_entity::{EntitySet, PrimaryMap, SecondaryMap, entity_impl};
use ir::dominators::{Dominators, predecessors};
use ir::{BlockId, Body, Location};
use std::ops::Index;

/// A loop of one function. Ids are in source order: by location, then by the
/// position of the header in reverse postorder.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct LoopId(u32);
entity_impl!(LoopId, "loop");

#[derive(Clone, Debug)]
pub struct Loop {
    pub header: BlockId,
    /// Where the back edges come from, in the order of blocks.
    pub latches: Vec<BlockId>,
    /// The header and everything in inner loops included.
    pub blocks: EntitySet<BlockId>,
    /// The innermost of the loops around this one.
    pub parent: Option<LoopId>,
    /// Where a reader would say that the loop begins.
    pub location: Option<Location>,
}

impl Loop {
    /// The edges that lead from the end of one iteration to the next.
    pub fn back_edges(&self) -> impl Iterator<Item = (BlockId, BlockId)> {
        self.latches.iter().map(|latch| (*latch, self.header))
    }
}

/// All loops of one body.
#[derive(Clone, Debug)]
pub struct Loops {
    loops: PrimaryMap<LoopId, Loop>,
    by_header: SecondaryMap<BlockId, Option<LoopId>>,
    innermost: SecondaryMap<BlockId, Option<LoopId>>,
}

impl Loops {
    pub fn of(body: &Body) -> Loops {
        let graph = Graph::of(body);
        let mut found: Vec<Loop> = graph
            .blocks
            .iter()
            .filter_map(|header| loop_at(body, &graph, *header))
            .collect();
        // The sort is stable, so reverse postorder decides among equals.
        found.sort_by_key(|a_loop| (a_loop.location.is_none(), a_loop.location));
        let mut loops: PrimaryMap<LoopId, Loop> = found.into_iter().collect();

        // From the outside in, so that the last one to claim a block is the
        // innermost; a header that comes later is further inside, or elsewhere.
        let mut outside_in: Vec<LoopId> = loops.keys().collect();
        outside_in.sort_by_key(|id| graph.position[loops[*id].header]);
        let mut by_header = SecondaryMap::new();
        let mut innermost: SecondaryMap<BlockId, Option<LoopId>> = SecondaryMap::new();
        for id in outside_in {
            let header = loops[id].header;
            loops[id].parent = innermost[header];
            by_header[header] = Some(id);
            for block in loops[id].blocks.iter() {
                innermost[block] = Some(id);
            }
        }
        Loops {
            loops,
            by_header,
            innermost,
        }
    }

    pub fn len(&self) -> usize {
        self.loops.len()
    }

    pub fn is_empty(&self) -> bool {
        self.loops.is_empty()
    }

    /// In source order.
    pub fn iter(&self) -> impl Iterator<Item = (LoopId, &Loop)> {
        self.loops.iter()
    }

    /// The loop that the edge starts another iteration of, if it does.
    pub fn is_back_edge(&self, from: BlockId, to: BlockId) -> Option<LoopId> {
        self.loop_with_header(to)
            .filter(|id| self.loops[*id].latches.contains(&from))
    }

    pub fn loop_with_header(&self, block: BlockId) -> Option<LoopId> {
        self.by_header[block]
    }

    /// The smallest loop that contains the block.
    pub fn innermost(&self, block: BlockId) -> Option<LoopId> {
        self.innermost[block]
    }

    pub fn location(&self, id: LoopId) -> Option<Location> {
        self.loops[id].location
    }

    /// What users call the loop: `main.0` is the first loop of `main`.
    pub fn name(&self, function: &str, id: LoopId) -> String {
        format!("{function}.{}", id.as_u32())
    }
}

impl Index<LoopId> for Loops {
    type Output = Loop;

    fn index(&self, id: LoopId) -> &Loop {
        &self.loops[id]
    }
}

/// The loop at `header`, its parent still unknown, if a back edge leads there.
fn loop_at(body: &Body, graph: &Graph, header: BlockId) -> Option<Loop> {
    let start = graph.position[header];
    let mut latches = graph.predecessors[header].clone();
    latches.retain(|from| graph.position[*from] >= start);
    if latches.is_empty() {
        return None;
    }

    // Walk backwards from the latches. Stopping at blocks that precede the
    // header keeps the walk below the header in the depth-first tree: a block
    // outside of that subtree which comes later in reverse postorder was left
    // before the header was found, so it cannot have an edge into the subtree.
    let mut blocks = EntitySet::new();
    blocks.insert(header);
    let mut pending = latches.clone();
    while let Some(block) = pending.pop() {
        if graph.position[block] >= start && blocks.insert(block) {
            pending.extend(&graph.predecessors[block]);
        }
    }
    let location = location_of(body, header)
        .or_else(|| blocks.iter().find_map(|block| location_of(body, block)));
    Some(Loop {
        header,
        latches,
        blocks,
        parent: None,
        location,
    })
}

/// The earliest position in a block. A block starts in the file of its first
/// located instruction; code from other files is there by `#include`.
fn location_of(body: &Body, block: BlockId) -> Option<Location> {
    let block = &body.blocks[block];
    let mut locations = block
        .insts
        .iter()
        .map(|inst| body.insts[*inst].location)
        .chain([block.terminator_location])
        .flatten()
        // Compilers give line 0 to code that stands nowhere in the source.
        .filter(|location| location.line != 0)
        .peekable();
    let file = locations.peek()?.file;
    locations.filter(|location| location.file == file).min()
}

/// The graph of a body, as needed to tell which way an edge leads.
struct Graph {
    /// The reachable blocks in reverse postorder.
    blocks: Vec<BlockId>,
    /// Places in `blocks`. Unreachable blocks have none, which is less than any
    /// place, so edges from them never count as leading backwards.
    position: SecondaryMap<BlockId, Option<usize>>,
    predecessors: SecondaryMap<BlockId, Vec<BlockId>>,
}

impl Graph {
    fn of(body: &Body) -> Graph {
        let blocks = Dominators::of(body).reverse_postorder().to_vec();
        let mut position = SecondaryMap::new();
        for (index, block) in blocks.iter().enumerate() {
            position[*block] = Some(index);
        }
        Graph {
            blocks,
            position,
            predecessors: predecessors(body),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ir::source::FileId;
    use ir::{Block, ConstId, Inst, Op, Operand, Terminator};

    fn block(index: u32) -> BlockId {
        BlockId::from_u32(index)
    }

    fn at(line: u32) -> Location {
        Location {
            file: FileId::from_u32(0),
            line,
            column: 1,
        }
    }

    /// A body with the given successors; block `i` is at line `lines[i]`, and
    /// nowhere if that is 0.
    fn body(successors: &[&[u32]], lines: &[u32]) -> Body {
        let any = Operand::Const(ConstId::from_u32(0));
        let mut body = Body::default();
        for (index, targets) in successors.iter().enumerate() {
            let terminator = match targets {
                [] => Terminator::Return(None),
                [target] => Terminator::Jump(block(*target)),
                [first, rest @ ..] => Terminator::Switch {
                    value: any,
                    cases: rest.iter().map(|target| (0, block(*target))).collect(),
                    default: block(*first),
                },
            };
            let line = lines.get(index).copied().unwrap_or(0);
            body.blocks.push(Block {
                phis: Vec::new(),
                insts: Vec::new(),
                terminator,
                terminator_location: (line > 0).then(|| at(line)),
            });
        }
        body
    }

    /// One line per loop: its name, header, latches, blocks, parent.
    fn describe(successors: &[&[u32]]) -> Vec<String> {
        let loops = Loops::of(&body(successors, &[]));
        loops
            .iter()
            .map(|(id, found)| {
                let list = |blocks: Vec<BlockId>| {
                    let names: Vec<_> = blocks.iter().map(|b| b.as_u32().to_string()).collect();
                    names.join(" ")
                };
                let parent = found.parent.map_or("none".into(), |id| loops.name("f", id));
                format!(
                    "{}: header {}, latches {}, blocks {}, parent {parent}",
                    loops.name("f", id),
                    found.header.as_u32(),
                    list(found.latches.clone()),
                    list(found.blocks.iter().collect()),
                )
            })
            .collect()
    }

    #[test]
    fn a_body_without_cycles_has_no_loops() {
        let diamond = body(&[&[1, 2], &[3], &[3], &[]], &[]);
        assert!(Loops::of(&diamond).is_empty());
    }

    #[test]
    fn nested_loops() {
        // 1 is the outer header, 2 the inner one with body 3; 4 closes the outer.
        let nested: &[&[u32]] = &[&[1], &[2, 5], &[3, 4], &[2], &[1], &[]];
        assert_eq!(
            describe(nested),
            [
                "f.0: header 1, latches 4, blocks 1 2 3 4, parent none",
                "f.1: header 2, latches 3, blocks 2 3, parent f.0",
            ]
        );
        let loops = Loops::of(&body(nested, &[]));
        let outer = loops.loop_with_header(block(1));
        let inner = loops.loop_with_header(block(2));
        assert_eq!(loops.len(), 2);
        assert_eq!(loops.innermost(block(0)), None);
        assert_eq!(loops.innermost(block(3)), inner);
        assert_eq!(loops.innermost(block(4)), outer);
        assert_eq!(loops.innermost(block(5)), None);
        assert_eq!(loops.loop_with_header(block(3)), None);
        assert_eq!(loops.is_back_edge(block(3), block(2)), inner);
        assert_eq!(loops.is_back_edge(block(4), block(1)), outer);
        assert_eq!(loops.is_back_edge(block(1), block(2)), None);
    }

    #[test]
    fn back_edges_to_one_header_make_one_loop() {
        let shared: &[&[u32]] = &[&[1], &[2, 3, 4], &[1], &[1], &[]];
        assert_eq!(
            describe(shared),
            ["f.0: header 1, latches 2 3, blocks 1 2 3, parent none"]
        );
        let loops = Loops::of(&body(shared, &[]));
        let edges: Vec<_> = loops[LoopId::from_u32(0)].back_edges().collect();
        assert_eq!(edges, [(block(2), block(1)), (block(3), block(1))]);
    }

    #[test]
    fn a_block_can_be_a_loop_of_its_own() {
        assert_eq!(
            describe(&[&[1], &[1, 1, 2], &[]]),
            ["f.0: header 1, latches 1, blocks 1, parent none"]
        );
        // The entry too.
        assert_eq!(
            describe(&[&[0]]),
            ["f.0: header 0, latches 0, blocks 0, parent none"]
        );
    }

    #[test]
    fn a_cycle_with_two_entries_is_a_loop_without_what_leads_to_it() {
        // 1 and 2 jump to each other, and 0 jumps to both. Which of the two is
        // the header follows from the order of the successors.
        assert_eq!(
            describe(&[&[1, 2], &[2, 3], &[1], &[]]),
            ["f.0: header 1, latches 2, blocks 1 2, parent none"]
        );
    }

    #[test]
    fn a_cycle_with_two_entries_nests_in_the_loop_around_it() {
        // 1 is the header of an ordinary loop around the cycle of 2 and 3.
        let irreducible: &[&[u32]] = &[&[1], &[2, 3, 5], &[3], &[2, 4], &[1], &[]];
        assert_eq!(
            describe(irreducible),
            [
                "f.0: header 1, latches 4, blocks 1 2 3 4, parent none",
                "f.1: header 2, latches 3, blocks 2 3, parent f.0",
            ]
        );
    }

    #[test]
    fn unreachable_blocks_belong_to_no_loop() {
        // 2 and 3 form a cycle that jumps into the loop at 1 but is never run.
        assert_eq!(
            describe(&[&[1], &[1], &[3], &[2, 1]]),
            ["f.0: header 1, latches 1, blocks 1, parent none"]
        );
    }

    #[test]
    fn loops_are_numbered_in_source_order() {
        // The loop at block 2 stands before the one at block 1 in the source,
        // as after a jump backwards; the one at block 3 stands nowhere.
        let loops = Loops::of(&body(&[&[1], &[1, 2], &[2, 3], &[3]], &[1, 30, 20, 0]));
        let headers: Vec<_> = loops.iter().map(|(_, found)| found.header).collect();
        assert_eq!(headers, [block(2), block(1), block(3)]);
        assert_eq!(loops.location(LoopId::from_u32(0)), Some(at(20)));
        assert_eq!(loops.location(LoopId::from_u32(2)), None);
    }

    #[test]
    fn a_loop_begins_at_the_smallest_line_of_its_header() {
        let mut do_while = body(&[&[1], &[1, 2], &[]], &[1, 9, 10]);
        for line in [0, 8, 7] {
            let inst = do_while.insts.push(Inst {
                op: Op::SaveStack,
                result: None,
                location: Some(at(line)),
            });
            do_while.blocks[block(1)].insts.push(inst);
        }
        let loops = Loops::of(&do_while);
        assert_eq!(loops.location(LoopId::from_u32(0)), Some(at(7)));
    }

    #[test]
    fn a_header_without_location_takes_that_of_the_loop() {
        let loops = Loops::of(&body(&[&[1], &[2, 3], &[1], &[]], &[1, 0, 5, 6]));
        assert_eq!(loops.location(LoopId::from_u32(0)), Some(at(5)));
    }

    /// Every property that the module promises, on many small random graphs.
    #[test]
    fn cutting_back_edges_leaves_no_cycle_and_loops_nest() {
        let mut state = 1u32;
        let mut random = |below: u32| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 16) % below
        };
        for _ in 0..2000 {
            let count = 2 + random(7);
            let graph: Vec<Vec<u32>> = (0..count)
                .map(|_| (0..random(4)).map(|_| random(count)).collect())
                .collect();
            let slices: Vec<&[u32]> = graph.iter().map(Vec::as_slice).collect();
            let body = body(&slices, &[]);
            let loops = Loops::of(&body);
            check_promises(&body, &loops);
        }
    }

    fn check_promises(body: &Body, loops: &Loops) {
        // Removing blocks without uncut predecessors must remove all reachable ones.
        let graph = Graph::of(body);
        let mut remaining = graph.blocks.clone();
        while !remaining.is_empty() {
            let ready = remaining.iter().position(|to| {
                graph.predecessors[*to].iter().all(|from| {
                    !remaining.contains(from) || loops.is_back_edge(*from, *to).is_some()
                })
            });
            remaining.remove(ready.expect("a cycle is left"));
        }

        for (id, found) in loops.iter() {
            assert!(
                found
                    .latches
                    .iter()
                    .all(|latch| found.blocks.contains(*latch))
            );
            for (other_id, other) in loops.iter() {
                let common = |a: &Loop, b: &Loop| a.blocks.iter().any(|x| b.blocks.contains(x));
                let within = |a: &Loop, b: &Loop| a.blocks.iter().all(|x| b.blocks.contains(x));
                if id != other_id && common(found, other) {
                    assert!(within(found, other) != within(other, found));
                }
                let is_ancestor =
                    std::iter::successors(found.parent, |parent| loops[*parent].parent)
                        .any(|ancestor| ancestor == other_id);
                assert_eq!(is_ancestor, id != other_id && within(found, other));
            }
        }
    }
}
