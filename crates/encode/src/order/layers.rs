//! The orders that runs under a weak memory model fit, as layers of one [`EventOrder`]
//! that have nothing to do with each other:
//!
//! - *Steps*: each position, in program order, from creations to what is created, from
//!   ends to joins, from what a read sees to the read. Bookkeeping (locks, ends, lives of
//!   blocks) is written and seen in this order. Every run is one such order of steps.
//! - *Places*: what threads do to each single cell of memory fits one order, with what
//!   reads see and the order of its writes. That is coherence of single cells, and
//!   read-modify-writes being atomic, since they are one node.
//! - *Memory*, only if the model has buffers: all accesses, with a part of program order.
//!   A read and a write of the same step are nodes of their own unless the step is a
//!   fence. What a thread reads of its own writes says nothing here.
//!
//! Without a weak model there are only steps, and all cells belong there.

use cranelift_entity::SecondaryMap;
use formula::EventOrder;
use formula::events::EventId;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use unfold::{Access, CellId, Ordering, Strength, ThreadId, Threads};

use super::Steps;
use super::models::{Buffers, Rules};

/// Which writes of two steps come in the same order, whichever cells they are to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Series {
    /// Those that follow the steps.
    Steps,
    /// Those to memory.
    Memory,
    /// Those to one cell.
    Place(CellId),
}

/// In which layers an access has a node.
#[derive(Default)]
pub(super) struct Layers {
    pub is_weak: bool,
    /// All writes of a thread wait in one queue.
    has_one_queue: bool,
    /// So many cells there are; a cell has a number of its own in each layer.
    cells: u32,
    is_memory: SecondaryMap<CellId, bool>,
    counts_readers: SecondaryMap<CellId, bool>,
    places: HashMap<(EventId, CellId), EventId>,
    reads: HashMap<EventId, EventId>,
    writes: HashMap<(EventId, CellId), EventId>,
    /// Nodes in the memory layer of steps that are fences.
    fences: HashMap<EventId, EventId>,
    threads: HashMap<EventId, ThreadId>,
    /// Nodes that are in order if a step is taken that may not be: a fence on a path that
    /// need not lead there.
    pub conditional: Vec<(EventId, EventId, EventId)>,
}

/// An access in a layer: the cell's number there, and the node.
pub(super) type Node = (u32, EventId);

/// Chains of nodes, and pairs that are in order.
struct Draft {
    chains: Vec<Vec<usize>>,
    pairs: Vec<(usize, usize)>,
    /// The same if a step is taken.
    conditional: Vec<(EventId, usize, usize)>,
    count: usize,
}

impl Draft {
    /// Two nodes are in order; if a step is given, only where that is taken.
    fn order(&mut self, if_taken: Option<EventId>, first: usize, second: usize) {
        match if_taken {
            None => self.pairs.push((first, second)),
            Some(step) => self.conditional.push((step, first, second)),
        }
    }

    fn chain(&mut self) -> usize {
        self.chains.push(Vec::new());
        self.chains.len() - 1
    }

    fn node(&mut self, chain: usize) -> usize {
        let node = self.count;
        self.count += 1;
        self.chains[chain].push(node);
        node
    }
}

/// What a step does, as far as layers are concerned.
#[derive(Default)]
struct Doing {
    reads: BTreeSet<CellId>,
    writes: BTreeSet<CellId>,
    strength: Strength,
    /// Every path leads there.
    is_certain: bool,
}

impl Layers {
    /// The layers on top of the order of steps, which becomes part of the result.
    pub(super) fn new(
        threads: &Threads,
        rules: &Rules,
        steps: &Steps,
        base: EventOrder,
        (chains, certain): (&[usize], &[(EventId, EventId)]),
    ) -> (Layers, EventOrder) {
        let mut layers = Layers {
            is_weak: rules.is_weak,
            has_one_queue: rules.buffers == Some(Buffers::First),
            cells: threads.cells.len() as u32,
            ..Layers::default()
        };
        if !rules.is_weak {
            return (layers, base);
        }
        for (id, cell) in threads.cells.iter() {
            layers.is_memory[id] = cell.is_memory;
            layers.counts_readers[id] = cell.counts_readers;
        }
        let doings = doings(threads, steps);
        for (id, list) in &doings {
            (layers.threads).extend(list.iter().map(|(event, _)| (*event, *id)));
        }
        let mut draft = Draft {
            chains: Vec::new(),
            pairs: Vec::new(),
            conditional: Vec::new(),
            count: 0,
        };
        let places = layers.draft_places(&doings, &base, &mut draft);
        let memory = (rules.buffers)
            .map(|buffers| draft_memory(threads, &doings, buffers, certain, &mut draft));
        // Numbers follow the chains.
        let first = base.len();
        let mut numbers = vec![EventId(0); draft.count];
        let nodes = draft.chains.iter().flatten();
        for (number, node) in nodes.enumerate() {
            numbers[*node] = EventId((first + number) as u32);
        }
        layers.places = (places.into_iter())
            .map(|(key, node)| (key, numbers[node]))
            .collect();
        if let Some(memory) = memory {
            let number = |node: &usize| numbers[*node];
            let reads = memory.reads.iter();
            layers.reads = reads.map(|(key, node)| (*key, number(node))).collect();
            let writes = memory.writes.iter();
            layers.writes = writes.map(|(key, node)| (*key, number(node))).collect();
            let fences = memory.fences.iter();
            layers.fences = fences.map(|(key, node)| (*key, number(node))).collect();
        }
        let conditional = draft.conditional.iter();
        layers.conditional = conditional
            .map(|(step, first, second)| (*step, numbers[*first], numbers[*second]))
            .collect();
        let mut all_chains = chains.to_vec();
        all_chains.extend(draft.chains.iter().map(Vec::len));
        let mut all = certain.to_vec();
        let pairs = draft.pairs.iter();
        all.extend(pairs.map(|(first, second)| (numbers[*first], numbers[*second])));
        let order = EventOrder::new(&all_chains, &all).expect("layers follow the order of steps");
        (layers, order)
    }

    /// The nodes of accesses to single cells.
    fn draft_places(
        &self,
        doings: &BTreeMap<ThreadId, Vec<(EventId, Doing)>>,
        base: &EventOrder,
        draft: &mut Draft,
    ) -> HashMap<(EventId, CellId), usize> {
        let mut nodes = HashMap::new();
        // By cell: what each thread does to it.
        let mut by_cell: BTreeMap<CellId, Vec<Vec<(EventId, usize)>>> = BTreeMap::new();
        for list in doings.values() {
            let mut own: BTreeMap<CellId, Vec<EventId>> = BTreeMap::new();
            for (event, doing) in list {
                for cell in doing.reads.union(&doing.writes) {
                    if self.is_memory[*cell] {
                        own.entry(*cell).or_default().push(*event);
                    }
                }
            }
            for (cell, events) in own {
                let chain = draft.chain();
                let row: Vec<(EventId, usize)> = (events.iter())
                    .map(|event| (*event, draft.node(chain)))
                    .collect();
                nodes.extend(row.iter().map(|(event, node)| ((*event, cell), *node)));
                by_cell.entry(cell).or_default().push(row);
            }
        }
        for rows in by_cell.values() {
            for (index, one) in rows.iter().enumerate() {
                let others = rows.iter().enumerate().filter(|(other, _)| *other != index);
                for (_, other) in others {
                    let mut last = None;
                    for (event, node) in one {
                        let before =
                            |(first, _): &&(EventId, usize)| base.is_certain(*first, *event);
                        let latest = other.iter().rev().find(before).map(|(_, node)| *node);
                        if latest != last {
                            draft.pairs.extend(latest.map(|latest| (latest, *node)));
                            last = latest;
                        }
                    }
                }
            }
        }
        nodes
    }

    /// Where a step's read of a cell stands.
    pub(super) fn of_read(&self, event: EventId, cell: CellId) -> Vec<Node> {
        let fence = self.fences.get(&event);
        self.of_access(event, cell, fence.or_else(|| self.reads.get(&event)))
    }

    /// Where a step's write of a cell stands.
    pub(super) fn of_write(&self, event: EventId, cell: CellId) -> Vec<Node> {
        let fence = self.fences.get(&event);
        self.of_access(
            event,
            cell,
            fence.or_else(|| self.writes.get(&(event, cell))),
        )
    }

    fn of_access(&self, event: EventId, cell: CellId, memory: Option<&EventId>) -> Vec<Node> {
        let number = cell.as_u32();
        let is_memory = self.is_memory(cell);
        let mut nodes = Vec::new();
        if !is_memory {
            nodes.push((number, event));
        }
        let place = self.places.get(&(event, cell));
        nodes.extend(place.map(|node| (number + self.cells, *node)));
        // Of bookkeeping, only what operations on synchronisation objects do.
        let memory = match is_memory {
            true => memory,
            false => self.fences.get(&event),
        };
        nodes.extend(memory.map(|node| (number + 2 * self.cells, *node)));
        nodes
    }

    /// Whether the memory model says in which order a cell is written.
    pub(super) fn is_memory(&self, cell: CellId) -> bool {
        self.is_weak && self.is_memory[cell]
    }

    /// Whether a cell counts those who hold a lock together.
    pub(super) fn counts_readers(&self, cell: CellId) -> bool {
        self.counts_readers[cell]
    }

    pub(super) fn series(&self, cell: CellId) -> Series {
        match (self.is_memory(cell), self.has_one_queue) {
            (false, _) => Series::Steps,
            (true, true) => Series::Memory,
            (true, false) => Series::Place(cell),
        }
    }

    /// Whether a number of a cell is one in the layer of all accesses.
    pub(super) fn is_global(&self, number: u32) -> bool {
        number >= 2 * self.cells
    }

    /// The nodes of two steps that are fences.
    pub(super) fn of_fences(&self, first: EventId, second: EventId) -> Option<(EventId, EventId)> {
        Some((*self.fences.get(&first)?, *self.fences.get(&second)?))
    }

    pub(super) fn is_same_thread(&self, first: EventId, second: EventId) -> bool {
        self.threads.get(&first) == self.threads.get(&second)
    }
}

/// What steps do, by thread, in their order.
fn doings(threads: &Threads, steps: &Steps) -> BTreeMap<ThreadId, Vec<(EventId, Doing)>> {
    let mut all = BTreeMap::new();
    for (id, thread) in threads.threads.iter() {
        let mut list: Vec<(EventId, Doing)> = Vec::new();
        for (index, position) in thread.positions.iter().enumerate() {
            let event = steps.of(id, index);
            if list.last().is_none_or(|(last, _)| *last != event) {
                let strength = position.strength;
                let doing = Doing {
                    strength,
                    is_certain: threads.terms.as_bool(position.guard) == Some(true),
                    ..Doing::default()
                };
                list.push((event, doing));
            }
            let Some((_, doing)) = list.last_mut() else {
                continue;
            };
            for access in &position.accesses {
                match access {
                    Access::Read { cell, .. } => doing.reads.insert(*cell),
                    Access::Write { cell, .. } => doing.writes.insert(*cell),
                };
            }
        }
        all.insert(id, list);
    }
    all
}

/// Nodes of the memory layer.
#[derive(Default)]
struct MemoryNodes {
    reads: HashMap<EventId, usize>,
    writes: HashMap<(EventId, CellId), usize>,
    fences: HashMap<EventId, usize>,
}

fn draft_memory(
    threads: &Threads,
    doings: &BTreeMap<ThreadId, Vec<(EventId, Doing)>>,
    buffers: Buffers,
    certain: &[(EventId, EventId)],
    draft: &mut Draft,
) -> MemoryNodes {
    let mut nodes = MemoryNodes::default();
    let mut starts: HashMap<EventId, usize> = HashMap::new();
    for list in doings.values() {
        let mut queue = Queue::new(buffers, draft);
        starts.extend(list.first().map(|(event, _)| (*event, queue.latest)));
        for (event, doing) in list {
            let is_memory = |cell: &&CellId| threads.cells[**cell].is_memory;
            let reads: Vec<CellId> = doing.reads.iter().filter(is_memory).copied().collect();
            let writes: Vec<CellId> = doing.writes.iter().filter(is_memory).copied().collect();
            let strength = &doing.strength;
            let if_taken = (!doing.is_certain).then_some(*event);
            let is_atomic_update =
                strength.order.is_some() && !reads.is_empty() && !writes.is_empty();
            let is = |order: Option<Ordering>| order == Some(Ordering::SequentiallyConsistent);
            if strength.is_sync || is_atomic_update || is(strength.fence) {
                let fence = queue.fence(if_taken, draft);
                nodes.fences.insert(*event, fence);
                continue;
            }
            if is_release(strength.fence) || is_release(strength.order) && !writes.is_empty() {
                queue.barrier(if_taken, draft);
            }
            if !reads.is_empty() {
                nodes.reads.insert(*event, queue.read(draft));
            }
            for (cell, node) in queue.write(&writes, draft) {
                nodes.writes.insert((*event, cell), node);
            }
            if is(strength.order) && !writes.is_empty() {
                queue.fence(if_taken, draft);
            }
        }
    }
    // What creates a thread comes before all of it, and its end before who waits for it.
    for (first, second) in certain {
        let Some(first) = nodes.fences.get(first) else {
            continue;
        };
        let seconds = [starts.get(second), nodes.fences.get(second)];
        (draft.pairs).extend(
            seconds
                .into_iter()
                .flatten()
                .map(|second| (*first, *second)),
        );
    }
    nodes
}

fn is_release(order: Option<Ordering>) -> bool {
    matches!(
        order,
        Some(Ordering::Release | Ordering::AcquireRelease | Ordering::SequentiallyConsistent)
    )
}

/// The accesses of a thread on their way to memory.
struct Queue {
    buffers: Buffers,
    /// Reads and fences are in one chain, and this is the last of them.
    chain: usize,
    latest: usize,
    /// By buffer: its chain, and the last write in it.
    writes: BTreeMap<Option<CellId>, (usize, usize)>,
    barriers: usize,
    barrier: Option<usize>,
}

impl Queue {
    /// Begins with a fence: whatever made the thread is over.
    fn new(buffers: Buffers, draft: &mut Draft) -> Queue {
        let chain = draft.chain();
        Queue {
            buffers,
            chain,
            latest: draft.node(chain),
            writes: BTreeMap::new(),
            barriers: draft.chain(),
            barrier: None,
        }
    }

    fn read(&mut self, draft: &mut Draft) -> usize {
        self.latest = draft.node(self.chain);
        self.latest
    }

    /// Everything comes before it or after it, if it is taken. To be among the reads is
    /// harmless if not: only what waits in buffers is held up.
    fn fence(&mut self, if_taken: Option<EventId>, draft: &mut Draft) -> usize {
        let fence = self.read(draft);
        let pending = self.writes.values().map(|(_, last)| *last);
        for last in pending.chain(self.barrier) {
            draft.order(if_taken, last, fence);
        }
        fence
    }

    /// Writes come before it or after it, if it is taken.
    fn barrier(&mut self, if_taken: Option<EventId>, draft: &mut Draft) {
        let barrier = draft.node(self.barriers);
        for (_, last) in self.writes.values() {
            draft.order(if_taken, *last, barrier);
        }
        self.barrier = Some(barrier);
    }

    /// Writes of one step. No read comes later than they do that was there before.
    fn write(&mut self, cells: &[CellId], draft: &mut Draft) -> Vec<(CellId, usize)> {
        let mut nodes: BTreeMap<Option<CellId>, usize> = BTreeMap::new();
        let mut found = Vec::new();
        for cell in cells {
            let buffer = match self.buffers {
                Buffers::First => None,
                Buffers::ByCell => Some(*cell),
            };
            let node = match nodes.get(&buffer) {
                Some(node) => *node,
                None => {
                    let known = self.writes.get(&buffer).map(|(chain, _)| *chain);
                    let chain = known.unwrap_or_else(|| draft.chain());
                    let node = draft.node(chain);
                    self.writes.insert(buffer, (chain, node));
                    draft.pairs.push((self.latest, node));
                    draft
                        .pairs
                        .extend(self.barrier.map(|barrier| (barrier, node)));
                    nodes.insert(buffer, node);
                    node
                }
            };
            found.push((*cell, node));
        }
        found
    }
}
