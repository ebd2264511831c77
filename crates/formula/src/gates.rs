//! Gates: a graph of Boolean functions over inputs, each function held once.
//!
//! A [`Lit`] names the output of a gate or its negation. Building a gate folds
//! constants, looks one level into its operands and finds an existing gate for
//! the same function of the same operands; it tells no solver anything. The
//! graph is acyclic by construction, so ids are a topological order, and every
//! gate is a function of the inputs. What a solver gets to see of it, and when,
//! is decided in [`crate::cnf`].
//!
//! Functions of whole words of literals are in [`crate::words`].

use foldhash::fast::FixedState;
use hashbrown::{HashMap, HashTable};
use std::fmt;
use std::hash::BuildHasher;
use std::num::NonZeroI32;
use std::ops::Not;

/// The output of a gate, or its negation. Not a literal of a solver: see
/// [`crate::Cnf::literal`].
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Lit(NonZeroI32);

impl Lit {
    pub const TRUE: Lit = Lit(NonZeroI32::new(1).unwrap());
    pub const FALSE: Lit = Lit(NonZeroI32::new(-1).unwrap());

    fn of_gate(index: usize) -> Lit {
        let number = i32::try_from(index + 1).ok().and_then(NonZeroI32::new);
        Lit(number.expect("the number of gates should fit 31 bits"))
    }

    /// 1 is true; the sign is that of the literal.
    pub fn number(self) -> i32 {
        self.0.get()
    }

    /// Which gate this is the output of, from 0.
    pub fn index(self) -> usize {
        self.0.get().unsigned_abs() as usize - 1
    }

    pub fn is_negated(self) -> bool {
        self.0.get() < 0
    }

    pub fn is_constant(self) -> bool {
        self.index() == 0
    }

    pub fn constant(value: bool) -> Lit {
        if value { Lit::TRUE } else { Lit::FALSE }
    }

    /// The value of a constant.
    pub fn as_constant(self) -> Option<bool> {
        self.is_constant().then_some(!self.is_negated())
    }

    /// The literal itself, or its negation.
    pub fn negated_if(self, negate: bool) -> Lit {
        if negate { !self } else { self }
    }

    /// The output of the gate, without negation.
    pub fn positive(self) -> Lit {
        self.negated_if(self.is_negated())
    }
}

impl Not for Lit {
    type Output = Lit;

    fn not(self) -> Lit {
        Lit(-self.0)
    }
}

impl fmt::Debug for Lit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0)
    }
}

impl fmt::Display for Lit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0)
    }
}

/// What a gate computes. The first operand of `Xor`, `Xor3` and `Majority` is
/// positive, and so are all operands of the former two.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Gate {
    True,
    /// Free, with the value that it has where nothing depends on it.
    Input {
        default: bool,
    },
    And(Operands),
    Xor(Lit, Lit),
    /// The sum bit of a full adder.
    Xor3(Lit, Lit, Lit),
    /// The carry of a full adder.
    Majority(Lit, Lit, Lit),
    Ite(Lit, Lit, Lit),
}

/// A list of literals in the store of its gates.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Operands {
    start: u32,
    len: u32,
}

/// Conjunctions of more operands are taken as they are, unless constant.
const PAIRWISE_LIMIT: usize = 6;

/// Gates between two questions whether there is room for more.
const ROOM_EVERY: usize = 1 << 16;

/// Says whether there is room for more gates.
pub type Room = Box<dyn FnMut() -> bool + Send>;

/// A look into a conjunction goes through no more than so many operands.
const LOOK_LIMIT: usize = 8;

pub struct Gates {
    gates: Vec<Gate>,
    operands: Vec<Lit>,
    conjunctions: HashTable<u32>,
    others: HashTable<u32>,
    facts: Vec<Lit>,
    fact_of_input: HashMap<u32, u32, FixedState>,
    hasher: FixedState,
    room: Option<Room>,
    is_full: bool,
}

impl Default for Gates {
    fn default() -> Gates {
        Gates::new()
    }
}

impl Gates {
    pub fn new() -> Gates {
        Gates {
            gates: vec![Gate::True],
            operands: Vec::new(),
            conjunctions: HashTable::new(),
            others: HashTable::new(),
            facts: Vec::new(),
            fact_of_input: HashMap::default(),
            hasher: FixedState::default(),
            room: None,
            is_full: false,
        }
    }

    /// Asks `room` now and then from here on. When it says no, gates that would
    /// be new are constants instead, for good: see [`Gates::is_full`].
    pub fn limit(&mut self, room: Option<Room>) {
        self.room = room;
    }

    /// Whether gates are missing, so that nothing here means what it should.
    pub fn is_full(&self) -> bool {
        self.is_full
    }

    /// How many gates there are, inputs included.
    pub fn len(&self) -> usize {
        self.gates.len()
    }

    pub fn is_empty(&self) -> bool {
        self.gates.is_empty()
    }

    /// The gate of which this is the output or its negation.
    pub fn gate(&self, lit: Lit) -> Gate {
        self.gates[lit.index()]
    }

    pub fn is_input(&self, lit: Lit) -> bool {
        matches!(self.gate(lit), Gate::Input { .. })
    }

    pub fn operands(&self, operands: Operands) -> &[Lit] {
        let start = operands.start as usize;
        &self.operands[start..start + operands.len as usize]
    }

    /// The output of a gate by its index.
    pub fn output(&self, index: usize) -> Lit {
        debug_assert!(index < self.gates.len(), "there should be such a gate");
        Lit::of_gate(index)
    }

    /// Calls `f` with each operand, in order.
    pub fn for_each_operand(&self, lit: Lit, mut f: impl FnMut(Lit)) {
        match self.gate(lit) {
            Gate::True | Gate::Input { .. } => {}
            Gate::And(operands) => self.operands(operands).iter().copied().for_each(f),
            Gate::Xor(a, b) => {
                f(a);
                f(b);
            }
            Gate::Xor3(a, b, c) | Gate::Majority(a, b, c) | Gate::Ite(a, b, c) => {
                f(a);
                f(b);
                f(c);
            }
        }
    }

    /// A new input, false where nothing depends on it.
    pub fn input(&mut self) -> Lit {
        self.input_with_default(false)
    }

    pub fn input_with_default(&mut self, default: bool) -> Lit {
        self.push(Gate::Input { default })
    }

    /// New inputs, the least significant bit first.
    pub fn inputs(&mut self, width: usize) -> Vec<Lit> {
        (0..width).map(|_| self.input()).collect()
    }

    /// States something about inputs that holds by definition. A solver learns
    /// of it as soon as it needs one of them. An input is in one fact at most.
    pub fn constrain(&mut self, inputs: &[Lit], fact: Lit) {
        if fact == Lit::TRUE {
            return;
        }
        let number = self.facts.len() as u32;
        self.facts.push(fact);
        for lit in inputs {
            if self.is_input(*lit) {
                let previous = self.fact_of_input.insert(lit.index() as u32, number);
                debug_assert!(
                    previous.is_none_or(|previous| previous == number),
                    "an input should be in one fact"
                );
            }
        }
    }

    /// What was stated about an input.
    pub fn fact_of(&self, input: Lit) -> Option<Lit> {
        let number = self.fact_of_input.get(&(input.index() as u32))?;
        Some(self.facts[*number as usize])
    }

    /// The same gate as [`Gates::all`] of both makes, sooner: by far most
    /// conjunctions have two operands.
    pub fn and(&mut self, mut a: Lit, mut b: Lit) -> Lit {
        loop {
            if b.index() < a.index() {
                std::mem::swap(&mut a, &mut b);
            }
            if let Some(value) = a.as_constant() {
                return if value { b } else { Lit::FALSE };
            }
            let simpler = self.given(a, b);
            if simpler != a {
                a = simpler;
                continue;
            }
            let simpler = self.given(b, a);
            if simpler == b {
                return self.intern_conjunction(&[a, b]);
            }
            b = simpler;
        }
    }

    pub fn or(&mut self, a: Lit, b: Lit) -> Lit {
        !self.and(!a, !b)
    }

    pub fn implies(&mut self, a: Lit, b: Lit) -> Lit {
        !self.and(a, !b)
    }

    /// The disjunction; false if there are no operands.
    pub fn any(&mut self, lits: &[Lit]) -> Lit {
        let negated: Vec<Lit> = lits.iter().map(|lit| !*lit).collect();
        !self.conjunction(negated)
    }

    /// The conjunction; true if there are no operands.
    pub fn all(&mut self, lits: &[Lit]) -> Lit {
        self.conjunction(lits.to_vec())
    }

    fn conjunction(&mut self, mut list: Vec<Lit>) -> Lit {
        loop {
            if let [a, b] = list.as_slice() {
                return self.and(*a, *b);
            }
            list.retain(|lit| *lit != Lit::TRUE);
            list.sort_unstable_by_key(|lit| (lit.index(), lit.is_negated()));
            list.dedup();
            let is_false = list.first() == Some(&Lit::FALSE)
                || list.windows(2).any(|pair| pair[0] == !pair[1]);
            if is_false {
                return Lit::FALSE;
            }
            if list.len() > PAIRWISE_LIMIT || !self.simplify_each_other(&mut list) {
                break;
            }
        }
        match list.as_slice() {
            [] => Lit::TRUE,
            [single] => *single,
            _ => self.intern_conjunction(&list),
        }
    }

    /// Simplifies one operand of a conjunction by another, if it can. Whatever
    /// is replaced becomes something that was built earlier, so this ends.
    fn simplify_each_other(&self, list: &mut [Lit]) -> bool {
        for index in 0..list.len() {
            for other in 0..list.len() {
                if index != other {
                    let simpler = self.given(list[index], list[other]);
                    if simpler != list[index] {
                        list[index] = simpler;
                        return true;
                    }
                }
            }
        }
        false
    }

    /// Something equal to `lit` wherever `condition` holds; looks one level
    /// deep and never builds a gate.
    fn given(&self, lit: Lit, condition: Lit) -> Lit {
        if lit.index() == condition.index() {
            return Lit::constant(lit == condition);
        }
        if let Gate::And(operands) = self.gate(condition)
            && !condition.is_negated()
        {
            let operands = self.operands(operands);
            for operand in operands.iter().take(LOOK_LIMIT) {
                if operand.index() == lit.index() {
                    return Lit::constant(*operand == lit);
                }
            }
        }
        let is_condition = |operand: Lit| operand.index() == condition.index();
        let simpler = match self.gate(lit) {
            Gate::And(operands) => {
                let operands = self.operands(operands);
                let found = operands
                    .iter()
                    .take(LOOK_LIMIT)
                    .position(|l| is_condition(*l));
                match found {
                    Some(index) if operands[index] != condition => Some(Lit::FALSE),
                    Some(index) if operands.len() == 2 => Some(operands[1 - index]),
                    _ => None,
                }
            }
            Gate::Xor(a, b) if is_condition(a) => Some(b.negated_if(a == condition)),
            Gate::Xor(a, b) if is_condition(b) => Some(a.negated_if(b == condition)),
            Gate::Ite(c, a, b) if is_condition(c) => Some(if c == condition { a } else { b }),
            _ => None,
        };
        simpler.map_or(lit, |simpler| simpler.negated_if(lit.is_negated()))
    }

    pub fn xor(&mut self, a: Lit, b: Lit) -> Lit {
        if let Some(value) = a.as_constant() {
            return b.negated_if(value);
        }
        if let Some(value) = b.as_constant() {
            return a.negated_if(value);
        }
        if a.index() == b.index() {
            return Lit::constant(a != b);
        }
        let negate = a.is_negated() != b.is_negated();
        let (a, b) = (a.positive(), b.positive());
        let (a, b) = if a.index() < b.index() {
            (a, b)
        } else {
            (b, a)
        };
        self.intern(Gate::Xor(a, b)).negated_if(negate)
    }

    /// Whether two literals are equal.
    pub fn iff(&mut self, a: Lit, b: Lit) -> Lit {
        !self.xor(a, b)
    }

    /// The parity of three literals: the sum bit of a full adder.
    pub fn xor3(&mut self, a: Lit, b: Lit, c: Lit) -> Lit {
        let negate = a.is_negated() ^ b.is_negated() ^ c.is_negated();
        let mut list = [a.positive(), b.positive(), c.positive()];
        list.sort_unstable_by_key(|lit| lit.index());
        let [a, b, c] = list;
        // Constants come first, and what is equal is side by side.
        if a.is_constant() || a == b {
            let rest = if a == b { c } else { self.xor(b, c) };
            return rest.negated_if(negate ^ (a.is_constant() && a != b));
        }
        if b == c {
            return a.negated_if(negate);
        }
        self.intern(Gate::Xor3(a, b, c)).negated_if(negate)
    }

    /// Whether at least two of three literals hold: the carry of a full adder.
    pub fn majority(&mut self, a: Lit, b: Lit, c: Lit) -> Lit {
        let mut list = [a, b, c];
        list.sort_unstable_by_key(|lit| lit.index());
        let [a, b, c] = list;
        for (x, y, other) in [(a, b, c), (b, c, a)] {
            if x.index() == y.index() {
                return if x == y { x } else { other };
            }
        }
        if let Some(value) = a.as_constant() {
            return if value { self.or(b, c) } else { self.and(b, c) };
        }
        // The majority of the negations is the negation of the majority.
        let negate = a.is_negated();
        let gate = Gate::Majority(
            a.negated_if(negate),
            b.negated_if(negate),
            c.negated_if(negate),
        );
        self.intern(gate).negated_if(negate)
    }

    /// `a` if the condition holds, else `b`.
    pub fn ite(&mut self, condition: Lit, a: Lit, b: Lit) -> Lit {
        if let Some(value) = condition.as_constant() {
            return if value { a } else { b };
        }
        let a = self.given(a, condition);
        let b = self.given(b, !condition);
        if a == b {
            return a;
        }
        if a == !b {
            return !self.xor(condition, a);
        }
        match (a.as_constant(), b.as_constant()) {
            (Some(true), _) => return self.or(condition, b),
            (Some(false), _) => return self.and(!condition, b),
            (_, Some(true)) => return self.or(!condition, a),
            (_, Some(false)) => return self.and(condition, a),
            _ => {}
        }
        let (condition, a, b) = if condition.is_negated() {
            (!condition, b, a)
        } else {
            (condition, a, b)
        };
        let negate = a.is_negated();
        let gate = Gate::Ite(condition, a.negated_if(negate), b.negated_if(negate));
        self.intern(gate).negated_if(negate)
    }

    fn has_no_room(&mut self) -> bool {
        if !self.is_full
            && self.gates.len().is_multiple_of(ROOM_EVERY)
            && let Some(room) = &mut self.room
        {
            self.is_full = !room();
        }
        self.is_full
    }

    fn push(&mut self, gate: Gate) -> Lit {
        let lit = Lit::of_gate(self.gates.len());
        self.gates.push(gate);
        lit
    }

    fn intern(&mut self, gate: Gate) -> Lit {
        let hash = self.hasher.hash_one(gate);
        let found = self
            .others
            .find(hash, |index| self.gates[*index as usize] == gate);
        if let Some(index) = found {
            return Lit::of_gate(*index as usize);
        }
        if self.has_no_room() {
            return Lit::TRUE;
        }
        let lit = self.push(gate);
        let (gates, hasher) = (&self.gates, &self.hasher);
        let rehash = |index: &u32| hasher.hash_one(gates[*index as usize]);
        self.others.insert_unique(hash, lit.index() as u32, rehash);
        lit
    }

    fn intern_conjunction(&mut self, list: &[Lit]) -> Lit {
        let hash = self.hasher.hash_one(list);
        let found = self
            .conjunctions
            .find(hash, |index| self.conjunction_at(*index) == list);
        if let Some(index) = found {
            return Lit::of_gate(*index as usize);
        }
        if self.has_no_room() {
            return Lit::TRUE;
        }
        let operands = Operands {
            start: u32::try_from(self.operands.len()).expect("operands should fit 32 bits"),
            len: list.len() as u32,
        };
        self.operands.extend_from_slice(list);
        let lit = self.push(Gate::And(operands));
        let mut table = std::mem::take(&mut self.conjunctions);
        table.insert_unique(hash, lit.index() as u32, |index| {
            self.hasher.hash_one(self.conjunction_at(*index))
        });
        self.conjunctions = table;
        lit
    }

    fn conjunction_at(&self, index: u32) -> &[Lit] {
        match self.gates[index as usize] {
            Gate::And(operands) => self.operands(operands),
            _ => &[],
        }
    }
}
