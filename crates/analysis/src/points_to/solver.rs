//! The solver: nodes with sets of locations, and inclusions between them.
//!
//! A *node* stands for a register, or for the pointers kept in some bytes of an
//! object. Its set holds *locations*: offsets in objects. A plain inclusion is an
//! edge; what depends on the content of a set (an access through a pointer, a
//! shift of it, a copy of memory) is a *rule*, which adds edges and locations as
//! sets grow.
//!
//! Solving goes in waves, after Pereira and Berlin (CGO 2009): find the cycles of
//! edges and make each of them one node; send along each edge, in topological
//! order, what it has not carried yet; then let each rule look at what is new in
//! its sets. Every edge and every rule remembers how far it has read the set it
//! reads, so nothing is handled twice. That ends because objects have a limited
//! number of distinct cells and offsets: beyond [`MOST_CELLS`], an object is
//! treated as if it had only one.
//!
//! Nothing here knows of programs, functions or instructions: see
//! [`super::constraints`].

use super::cells::{Cell, ENDLESS, Offsets, gcd};
use super::sets::{LocationId, Numbers, Set};
use std::collections::{HashMap, HashSet};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct NodeId(pub u32);

/// The index of an object. Its meaning is known to whoever made it.
pub(super) type ObjectIndex = u32;

/// How many different offsets an object may be pointed to at, and at how many
/// it may hold pointers, before both are no longer told apart.
pub(super) const MOST_CELLS: usize = 256;

/// How often a rule may move what it has moved itself before it takes its distance
/// as a stride: a pointer that is moved on in a loop soon gets there.
const MOST_STEPS: u8 = 8;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Location {
    pub object: ObjectIndex,
    pub at: Offsets,
}

/// How far the set of a node has been read. When the node becomes part of
/// another one, reading starts again.
#[derive(Clone, Copy)]
struct Reader {
    node: NodeId,
    read: usize,
}

impl Reader {
    fn new(node: NodeId) -> Reader {
        Reader { node, read: 0 }
    }
}

#[derive(Clone, Copy)]
struct Edge {
    to: NodeId,
    read: u32,
}

#[derive(Clone)]
enum Rule {
    /// `to` includes the pointers in `bytes` bytes, `at` bytes behind `address`,
    /// and nothing but what such a load gives.
    Load {
        address: Reader,
        at: i64,
        bytes: u64,
        to: NodeId,
    },
    Store {
        address: Reader,
        at: i64,
        bytes: u64,
        value: NodeId,
        /// The value is a node that only this rule reads.
        is_joint: bool,
    },
    /// `to` includes `from`, moved.
    Move {
        from: Reader,
        bytes: i64,
        stride: u64,
        to: NodeId,
        /// How often this rule has moved what it moved before, per result.
        steps: HashMap<LocationId, u8>,
    },
    /// What is behind `from` gets copied behind `to`, with all pointers, by way of
    /// an object of its own: the buffer holds what is copied, from its start on.
    CopyMemory {
        from: Reader,
        to: Reader,
        bytes: u64,
        buffer: ObjectIndex,
    },
    /// Hands new locations to the owner of the solver, perhaps only those in one
    /// object.
    Watch {
        node: Reader,
        only: Option<ObjectIndex>,
        tag: u32,
    },
}

/// A copy from one object to another: whatever the first holds in `range` is also
/// in the second, at a distance.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct Transfer {
    range: Cell,
    to: ObjectIndex,
    distance: i64,
    stride: u64,
}

#[derive(Clone, Default)]
struct Object {
    writers: Vec<(Cell, NodeId)>,
    readers: Vec<(Cell, NodeId)>,
    transfers: Vec<Transfer>,
    n_locations: usize,
    is_collapsed: bool,
}

/// A location that is new in a watched set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Sighting {
    pub tag: u32,
    pub location: LocationId,
}

pub(super) struct Solver {
    /// The node that stands for a node; itself, until nodes become one.
    parents: Vec<NodeId>,
    sets: Vec<Set>,
    edges: Vec<Vec<Edge>>,
    known_edges: HashSet<(NodeId, NodeId), Numbers>,
    known_transfers: HashSet<(ObjectIndex, Transfer), Numbers>,
    rules: Vec<Rule>,
    objects: Vec<Object>,
    locations: Vec<Location>,
    location_ids: HashMap<Location, LocationId, Numbers>,
    writer_ids: HashMap<(ObjectIndex, Cell), NodeId, Numbers>,
    reader_ids: HashMap<(ObjectIndex, Cell), NodeId, Numbers>,
    has_changed: bool,
}

impl Solver {
    /// A node whose set is always empty.
    pub(super) const NOTHING: NodeId = NodeId(0);

    pub(super) fn new() -> Solver {
        let mut solver = Solver {
            parents: Vec::new(),
            sets: Vec::new(),
            edges: Vec::new(),
            known_edges: HashSet::default(),
            known_transfers: HashSet::default(),
            rules: Vec::new(),
            objects: Vec::new(),
            locations: Vec::new(),
            location_ids: HashMap::default(),
            writer_ids: HashMap::default(),
            reader_ids: HashMap::default(),
            has_changed: true,
        };
        solver.node();
        solver
    }

    pub(super) fn node(&mut self) -> NodeId {
        let id = NodeId(self.parents.len() as u32);
        self.parents.push(id);
        self.sets.push(Set::default());
        self.edges.push(Vec::new());
        id
    }

    pub(super) fn object(&mut self) -> ObjectIndex {
        self.objects.push(Object::default());
        self.objects.len() as ObjectIndex - 1
    }

    pub(super) fn location(&self, id: LocationId) -> Location {
        self.locations[id as usize]
    }

    pub(super) fn set(&self, node: NodeId) -> &[LocationId] {
        &self.sets[self.find(node).0 as usize].items
    }

    // Constraints.

    pub(super) fn add(&mut self, node: NodeId, object: ObjectIndex, at: Offsets) {
        let location = self.intern(object, at);
        self.insert(node, location);
    }

    /// Everything in `from` is in `to`.
    pub(super) fn copy(&mut self, from: NodeId, to: NodeId) {
        if from == Solver::NOTHING {
            return;
        }
        let (from, to) = (self.find(from), self.find(to));
        if from != to && self.known_edges.insert((from, to)) {
            self.edges[from.0 as usize].push(Edge { to, read: 0 });
            self.has_changed = true;
        }
    }

    pub(super) fn load(&mut self, address: NodeId, at: i64, bytes: u64, to: NodeId) {
        let address = Reader::new(address);
        self.rule(Rule::Load {
            address,
            at,
            bytes,
            to,
        });
    }

    pub(super) fn store(&mut self, address: NodeId, at: i64, bytes: u64, value: NodeId) {
        if value != Solver::NOTHING {
            let address = Reader::new(address);
            self.rule(Rule::Store {
                address,
                at,
                bytes,
                value,
                is_joint: false,
            });
        }
    }

    /// `to` includes `from` moved by `bytes` and any multiple of `stride`.
    pub(super) fn shift(&mut self, from: NodeId, bytes: i64, stride: u64, to: NodeId) {
        if from == Solver::NOTHING {
            return;
        }
        if bytes == 0 && stride == 0 {
            return self.copy(from, to);
        }
        self.rule(Rule::Move {
            from: Reader::new(from),
            bytes,
            stride,
            to,
            steps: HashMap::new(),
        });
    }

    /// Copies memory; without `bytes`, as far as the objects reach.
    pub(super) fn copy_memory(&mut self, from: NodeId, to: NodeId, bytes: Option<u64>) {
        if from == Solver::NOTHING || to == Solver::NOTHING {
            return;
        }
        let buffer = self.object();
        self.rule(Rule::CopyMemory {
            from: Reader::new(from),
            to: Reader::new(to),
            bytes: bytes.map_or(ENDLESS, |bytes| bytes.min(ENDLESS)),
            buffer,
        });
    }

    pub(super) fn watch(&mut self, node: NodeId, only: Option<ObjectIndex>, tag: u32) {
        let node = Reader::new(node);
        self.rule(Rule::Watch { node, only, tag });
    }

    fn rule(&mut self, rule: Rule) {
        self.rules.push(rule);
        self.has_changed = true;
    }

    /// The node of the pointers stored at a place.
    pub(super) fn writer(&mut self, object: ObjectIndex, at: Offsets, bytes: u64) -> NodeId {
        let cell = match self.objects[object as usize].is_collapsed {
            true => Cell::ALL,
            false => Cell { at, bytes },
        };
        if let Some(node) = self.writer_ids.get(&(object, cell)) {
            return *node;
        }
        if self.objects[object as usize].writers.len() >= MOST_CELLS {
            return self.collapse(object);
        }
        self.new_writer(object, cell)
    }

    fn new_writer(&mut self, object: ObjectIndex, cell: Cell) -> NodeId {
        let node = self.node();
        self.writer_ids.insert((object, cell), node);
        let data = &mut self.objects[object as usize];
        data.writers.push((cell, node));
        let readers: Vec<NodeId> = overlapping(&data.readers, cell).collect();
        let transfers = data.transfers.clone();
        for reader in readers {
            self.copy(node, reader);
        }
        for transfer in transfers {
            self.forward(cell, node, transfer);
        }
        node
    }

    /// The node of everything that reading a place may give.
    pub(super) fn reader(&mut self, object: ObjectIndex, at: Offsets, bytes: u64) -> NodeId {
        let cell = match self.objects[object as usize].is_collapsed {
            true => Cell::ALL,
            false => Cell { at, bytes },
        };
        if let Some(node) = self.reader_ids.get(&(object, cell)) {
            return *node;
        }
        let node = self.node();
        self.reader_ids.insert((object, cell), node);
        let data = &mut self.objects[object as usize];
        data.readers.push((cell, node));
        let writers: Vec<NodeId> = overlapping(&data.writers, cell).collect();
        for writer in writers {
            self.copy(writer, node);
        }
        node
    }

    /// What reading a place may give, once all is solved.
    pub(super) fn content(&self, object: ObjectIndex, at: Offsets, bytes: u64) -> Vec<LocationId> {
        let writers = overlapping(&self.objects[object as usize].writers, Cell { at, bytes });
        let mut found: Vec<LocationId> = writers
            .flat_map(|node| self.set(node).iter().copied())
            .collect();
        found.sort_unstable();
        found.dedup();
        found
    }

    /// Gives up telling the offsets of an object apart.
    fn collapse(&mut self, object: ObjectIndex) -> NodeId {
        let data = &mut self.objects[object as usize];
        data.is_collapsed = true;
        let writers = std::mem::take(&mut data.writers);
        let all = self.new_writer(object, Cell::ALL);
        for (cell, writer) in writers {
            self.writer_ids.insert((object, cell), all);
            self.copy(writer, all);
        }
        all
    }

    fn intern(&mut self, object: ObjectIndex, at: Offsets) -> LocationId {
        let data = &mut self.objects[object as usize];
        let is_full = data.is_collapsed || data.n_locations >= MOST_CELLS;
        let exact = Location { object, at };
        if let Some(id) = self.location_ids.get(&exact) {
            return *id;
        }
        let location = match is_full {
            true => Location {
                object,
                at: Offsets::ANY,
            },
            false => exact,
        };
        if let Some(id) = self.location_ids.get(&location) {
            return *id;
        }
        data.n_locations += 1;
        let id = self.locations.len() as LocationId;
        self.locations.push(location);
        self.location_ids.insert(location, id);
        id
    }

    fn insert(&mut self, node: NodeId, location: LocationId) {
        let node = self.find(node);
        self.has_changed |= self.sets[node.0 as usize].insert(location);
    }

    fn find(&self, mut node: NodeId) -> NodeId {
        while self.parents[node.0 as usize] != node {
            node = self.parents[node.0 as usize];
        }
        node
    }

    // Solving.

    /// Solves until something is seen by a watch, or until nothing changes any
    /// more: then the answer is empty.
    pub(super) fn solve(&mut self) -> Vec<Sighting> {
        let mut sightings = Vec::new();
        while self.has_changed && sightings.is_empty() {
            self.has_changed = false;
            for node in self.unite_cycles() {
                self.send(node);
            }
            self.unite_rules();
            self.apply_rules(&mut sightings);
        }
        sightings
    }

    fn send(&mut self, node: NodeId) {
        let from = node.0 as usize;
        let mut edges = std::mem::take(&mut self.edges[from]);
        for edge in &mut edges {
            edge.to = self.find(edge.to);
        }
        edges.retain(|edge| edge.to != node);
        // Edges to nodes that became one carry the same from now on.
        edges.sort_unstable_by_key(|edge| (edge.to, u32::MAX - edge.read));
        edges.dedup_by_key(|edge| edge.to);
        let set = std::mem::take(&mut self.sets[from]);
        for edge in &mut edges {
            if (edge.read as usize) < set.items.len() {
                let target = &mut self.sets[edge.to.0 as usize];
                self.has_changed |= target.insert_all(&set, edge.read as usize);
                edge.read = set.items.len() as u32;
            }
        }
        self.sets[from] = set;
        self.edges[from] = edges;
    }

    /// Makes every cycle of edges one node. Returns the nodes that are left, such
    /// that edges lead from earlier to later ones.
    fn unite_cycles(&mut self) -> Vec<NodeId> {
        // Tarjan's algorithm, without recursion.
        const UNSEEN: u32 = u32::MAX;
        let n_nodes = self.parents.len();
        for node in 0..n_nodes {
            self.parents[node] = self.find(NodeId(node as u32));
        }
        let mut numbers = vec![UNSEEN; n_nodes];
        let mut lowest = vec![0u32; n_nodes];
        let mut is_open = vec![false; n_nodes];
        let mut open: Vec<u32> = Vec::new();
        let mut path: Vec<(u32, usize)> = Vec::new();
        let mut components: Vec<Vec<u32>> = Vec::new();
        let mut next = 0;
        for root in 0..n_nodes as u32 {
            if numbers[root as usize] != UNSEEN || self.parents[root as usize].0 != root {
                continue;
            }
            path.push((root, 0));
            while let Some((node, position)) = path.last_mut() {
                let (at, edge) = (*node as usize, *position);
                if edge == 0 {
                    numbers[at] = next;
                    lowest[at] = next;
                    next += 1;
                    open.push(*node);
                    is_open[at] = true;
                }
                if let Some(edge) = self.edges[at].get(edge) {
                    *position += 1;
                    let to = self.find(edge.to).0;
                    if numbers[to as usize] == UNSEEN {
                        path.push((to, 0));
                    } else if is_open[to as usize] {
                        lowest[at] = lowest[at].min(numbers[to as usize]);
                    }
                    // A node without edges must not be entered twice, nor one
                    // whose first edge has been followed.
                    continue;
                }
                path.pop();
                if let Some((parent, _)) = path.last() {
                    let parent = *parent as usize;
                    lowest[parent] = lowest[parent].min(lowest[at]);
                }
                if lowest[at] == numbers[at] {
                    let mut component = Vec::new();
                    while let Some(member) = open.pop() {
                        is_open[member as usize] = false;
                        component.push(member);
                        if member as usize == at {
                            break;
                        }
                    }
                    components.push(component);
                }
            }
        }
        components.reverse();
        let unite = |component: Vec<u32>| self.unite(component);
        components.into_iter().map(unite).collect()
    }

    fn unite(&mut self, mut members: Vec<u32>) -> NodeId {
        // The one with the largest set has the most to lose from starting again.
        let size = |node: &u32| (self.sets[*node as usize].items.len(), u32::MAX - *node);
        let largest = members.iter().copied().max_by_key(size).unwrap_or(0);
        members.retain(|member| *member != largest);
        let into = NodeId(largest);
        for member in members {
            let member = member as usize;
            self.parents[member] = into;
            let set = std::mem::take(&mut self.sets[member]);
            for item in set.items {
                self.sets[largest as usize].insert(item);
            }
            let edges = std::mem::take(&mut self.edges[member]);
            for edge in edges {
                let to = self.find(edge.to);
                if to != into && self.known_edges.insert((into, to)) {
                    self.edges[largest as usize].push(Edge { to, read: 0 });
                }
            }
        }
        into
    }

    /// Nodes that became one leave rules behind that do the same twice.
    fn unite_rules(&mut self) {
        let mut loads: HashMap<(NodeId, i64, u64), NodeId, Numbers> = HashMap::default();
        let mut stores: HashMap<(NodeId, i64, u64), usize, Numbers> = HashMap::default();
        let mut rules: Vec<Rule> = Vec::with_capacity(self.rules.len());
        for rule in std::mem::take(&mut self.rules) {
            match &rule {
                Rule::Load {
                    address,
                    at,
                    bytes,
                    to,
                } => {
                    let key = (self.find(address.node), *at, *bytes);
                    if let Some(first) = loads.get(&key) {
                        self.copy(*first, *to);
                        continue;
                    }
                    loads.insert(key, *to);
                }
                Rule::Store {
                    address,
                    at,
                    bytes,
                    value,
                    ..
                } => {
                    let key = (self.find(address.node), *at, *bytes);
                    if let Some(first) = stores.get(&key) {
                        self.join_stores(&mut rules[*first], *value);
                        continue;
                    }
                    stores.insert(key, rules.len());
                }
                _ => {}
            }
            rules.push(rule);
        }
        self.rules = rules;
    }

    /// Lets one rule store another value as well.
    fn join_stores(&mut self, rule: &mut Rule, other: NodeId) {
        if let Rule::Store {
            address,
            value,
            is_joint,
            ..
        } = rule
        {
            if !*is_joint {
                let joint = self.node();
                self.copy(*value, joint);
                *is_joint = true;
                *value = joint;
                address.read = 0;
            }
            self.copy(other, *value);
        }
    }

    fn apply_rules(&mut self, sightings: &mut Vec<Sighting>) {
        let mut index = 0;
        while index < self.rules.len() {
            // A rule may add nodes and edges, but no rules.
            let mut rules = std::mem::take(&mut self.rules);
            for rule in &mut rules[index..] {
                self.apply(rule, sightings);
            }
            index = rules.len();
            rules.append(&mut self.rules);
            self.rules = rules;
        }
    }

    /// What is new in a set since it was last read.
    fn news(&self, reader: &mut Reader) -> Vec<LocationId> {
        let node = self.find(reader.node);
        if node != reader.node {
            *reader = Reader::new(node);
        }
        let items = &self.sets[node.0 as usize].items;
        let news = items[reader.read..].to_vec();
        reader.read = items.len();
        news
    }

    fn apply(&mut self, rule: &mut Rule, sightings: &mut Vec<Sighting>) {
        match rule {
            Rule::Load {
                address,
                at,
                bytes,
                to,
            } => {
                for location in self.news(address) {
                    let Location { object, at: base } = self.location(location);
                    let reader = self.reader(object, base.moved(*at, 0), *bytes);
                    self.copy(reader, *to);
                }
            }
            Rule::Store {
                address,
                at,
                bytes,
                value,
                ..
            } => {
                // Most stores are of numbers: those need no cells.
                if self.set(*value).is_empty() {
                    return;
                }
                for location in self.news(address) {
                    let Location { object, at: base } = self.location(location);
                    let writer = self.writer(object, base.moved(*at, 0), *bytes);
                    self.copy(*value, writer);
                }
            }
            Rule::Move {
                from,
                bytes,
                stride,
                to,
                steps,
            } => {
                for location in self.news(from) {
                    let Location { object, at } = self.location(location);
                    if !at.is_exact() || *stride != 0 {
                        let moved = self.intern(object, at.moved(*bytes, *stride));
                        self.insert(*to, moved);
                        continue;
                    }
                    let n_steps = steps.get(&location).map_or(1, |n_steps| n_steps + 1);
                    let stride = match n_steps > MOST_STEPS {
                        true => bytes.unsigned_abs(),
                        false => 0,
                    };
                    let moved = self.intern(object, at.moved(*bytes, stride));
                    steps.entry(moved).or_insert(n_steps);
                    self.insert(*to, moved);
                }
            }
            Rule::CopyMemory {
                from,
                to,
                bytes,
                buffer,
            } => {
                for source in self.news(from) {
                    let Location { object, at } = self.location(source);
                    self.transfer(
                        object,
                        Transfer {
                            range: Cell { at, bytes: *bytes },
                            to: *buffer,
                            distance: at.start.wrapping_neg(),
                            stride: at.stride,
                        },
                    );
                }
                for target in self.news(to) {
                    let Location { object, at } = self.location(target);
                    let stride = gcd(at.stride, self.distance_within(from.node, object, at));
                    self.transfer(
                        *buffer,
                        Transfer {
                            range: Cell::ALL,
                            to: object,
                            distance: at.start,
                            stride,
                        },
                    );
                }
            }
            Rule::Watch { node, only, tag } => {
                for location in self.news(node) {
                    if only.is_none_or(|only| self.location(location).object == only) {
                        let tag = *tag;
                        sightings.push(Sighting { tag, location });
                    }
                }
            }
        }
    }

    /// How far a copy of memory moves what is in one object within it, for all
    /// its sources: copies of copies go on in that stride.
    fn distance_within(&self, sources: NodeId, object: ObjectIndex, at: Offsets) -> u64 {
        let mut stride = 0;
        for source in self.set(sources) {
            let source = self.location(*source);
            if source.object == object {
                let distance = at.start.wrapping_sub(source.at.start);
                stride = gcd(stride, distance.unsigned_abs());
            }
        }
        stride
    }

    fn transfer(&mut self, from: ObjectIndex, transfer: Transfer) {
        if !self.known_transfers.insert((from, transfer)) {
            return;
        }
        let data = &mut self.objects[from as usize];
        data.transfers.push(transfer);
        for (cell, node) in data.writers.clone() {
            self.forward(cell, node, transfer);
        }
    }

    fn forward(&mut self, cell: Cell, node: NodeId, transfer: Transfer) {
        if cell.overlaps(transfer.range) {
            let at = cell.at.moved(transfer.distance, transfer.stride);
            let writer = self.writer(transfer.to, at, cell.bytes);
            self.copy(node, writer);
        }
    }
}

fn overlapping(cells: &[(Cell, NodeId)], cell: Cell) -> impl Iterator<Item = NodeId> {
    let found = cells.iter().filter(move |(other, _)| other.overlaps(cell));
    found.map(|(_, node)| *node)
}
