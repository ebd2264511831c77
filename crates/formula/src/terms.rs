//! The store of terms: Boolean and bit-vector expressions, each held once.
//!
//! A term is a function of variables. Equal terms have equal ids, because every
//! constructor looks for an existing node first; operands always have smaller
//! ids than the term over them, so ids are a topological order. The constructors
//! are in the `simplify` module and rewrite what they are asked for; a few
//! operations exist only as constructors (`or`, `implies`, `neg`,
//! `unsigned_less_equal`) and are expressed by others. What a term can evaluate
//! to is its [`Range`], computed when it is made.
//!
//! Terms are never freed: a store lives as long as the formula built from it.

use crate::numbers::{MAX_WIDTH, mask};
use crate::ranges::{Range, transfer};
use cranelift_entity::packed_option::ReservedValue;
use cranelift_entity::{PrimaryMap, SecondaryMap, entity_impl};
use foldhash::fast::FixedState;
use hashbrown::HashTable;
use std::hash::{BuildHasher, Hash};

/// A term of one store. Operands come before the terms over them.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TermId(u32);
entity_impl!(TermId, "e");

/// A free variable, in the order of creation.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct VariableId(u32);
entity_impl!(VariableId, "v");

/// The operands of a conjunction; equal lists have equal ids.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ListId(u32);
entity_impl!(ListId, "list");

#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
struct RangeId(u32);
entity_impl!(RangeId, "range");

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Sort {
    Bool,
    /// A width of 1 to 128 bits.
    BitVec(u32),
}

/// Operations on two bit-vectors of one width, with that width as result.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum BinaryOp {
    Add,
    Sub,
    Mul,
    UnsignedDiv,
    UnsignedRem,
    SignedDiv,
    SignedRem,
    ShiftLeft,
    ShiftRight,
    ShiftRightSigned,
    And,
    Or,
    Xor,
}

impl BinaryOp {
    pub const ALL: [BinaryOp; 13] = [
        BinaryOp::Add,
        BinaryOp::Sub,
        BinaryOp::Mul,
        BinaryOp::UnsignedDiv,
        BinaryOp::UnsignedRem,
        BinaryOp::SignedDiv,
        BinaryOp::SignedRem,
        BinaryOp::ShiftLeft,
        BinaryOp::ShiftRight,
        BinaryOp::ShiftRightSigned,
        BinaryOp::And,
        BinaryOp::Or,
        BinaryOp::Xor,
    ];

    pub fn is_commutative(self) -> bool {
        matches!(
            self,
            BinaryOp::Add | BinaryOp::Mul | BinaryOp::And | BinaryOp::Or | BinaryOp::Xor
        )
    }
}

/// One node. Its sort is kept beside it, see [`Terms::sort`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Term {
    /// A Boolean constant.
    Bool(bool),
    /// A bit-vector constant.
    Constant(u128),
    Variable(VariableId),
    /// Boolean connectives. A disjunction is the negation of a conjunction.
    Not(TermId),
    And(ListId),
    Xor(TermId, TermId),
    /// A condition, and two branches of one sort, Boolean or bit-vector.
    Ite(TermId, TermId, TermId),
    /// Comparisons of two bit-vectors of one width.
    Equal(TermId, TermId),
    UnsignedLess(TermId, TermId),
    SignedLess(TermId, TermId),
    /// Whether a bit-vector of width 1 is 1.
    IsOne(TermId),
    BitNot(TermId),
    Binary(BinaryOp, TermId, TermId),
    /// High part, low part.
    Concat(TermId, TermId),
    /// As many bits as the term is wide, from this bit of the operand upwards.
    Extract(TermId, u32),
    /// From the operand's width to the term's.
    ZeroExtend(TermId),
    SignExtend(TermId),
}

#[derive(Clone, Debug)]
pub struct Variable {
    pub name: String,
    pub sort: Sort,
    /// The values it may take; for a Boolean, those of one bit.
    pub range: Range,
    /// The term for it: itself, or its value if the range has only one.
    pub term: TermId,
}

pub struct Terms {
    nodes: PrimaryMap<TermId, Term>,
    /// 0 for a Boolean, else the number of bits.
    widths: SecondaryMap<TermId, u8>,
    range_ids: SecondaryMap<TermId, RangeId>,
    ids: HashTable<TermId>,
    variables: PrimaryMap<VariableId, Variable>,
    lists: Lists,
    ranges: PrimaryMap<RangeId, Range>,
    ids_of_ranges: HashTable<RangeId>,
    hasher: FixedState,
    /// How many more rewrites the constructors may do.
    pub(crate) fuel: u64,
}

impl Default for Terms {
    fn default() -> Terms {
        Terms::new()
    }
}

impl Terms {
    pub fn new() -> Terms {
        Terms::with_fuel(u64::MAX)
    }

    /// A store that stops simplifying after so many rewrites, which tells by
    /// bisection which of them breaks something.
    pub fn with_fuel(fuel: u64) -> Terms {
        let mut terms = Terms {
            nodes: PrimaryMap::new(),
            widths: SecondaryMap::new(),
            range_ids: SecondaryMap::with_default(RangeId(0)),
            ids: HashTable::new(),
            variables: PrimaryMap::new(),
            lists: Lists::default(),
            ranges: PrimaryMap::new(),
            ids_of_ranges: HashTable::new(),
            hasher: FixedState::default(),
            fuel,
        };
        terms.bool(false);
        terms.bool(true);
        terms
    }

    /// What is left of the fuel that the store was made with.
    pub fn fuel(&self) -> u64 {
        self.fuel
    }

    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    pub fn term(&self, id: TermId) -> Term {
        self.nodes[id]
    }

    pub fn sort(&self, id: TermId) -> Sort {
        match self.widths[id] {
            0 => Sort::Bool,
            width => Sort::BitVec(u32::from(width)),
        }
    }

    pub fn is_bool(&self, id: TermId) -> bool {
        self.widths[id] == 0
    }

    /// # Panics
    /// If the term is Boolean.
    pub fn width(&self, id: TermId) -> u32 {
        let width = u32::from(self.widths[id]);
        assert!(width != 0, "{id} should be a bit-vector");
        width
    }

    /// The values that a term can take; a Boolean is like one bit.
    pub fn range(&self, id: TermId) -> &Range {
        &self.ranges[self.range_ids[id]]
    }

    /// The operands of a conjunction.
    pub fn list(&self, id: ListId) -> &[TermId] {
        self.lists.get(id)
    }

    pub fn variable(&self, id: VariableId) -> &Variable {
        &self.variables[id]
    }

    pub fn variables(&self) -> impl Iterator<Item = (VariableId, &Variable)> {
        self.variables.iter()
    }

    /// The value of a bit-vector constant.
    pub fn as_constant(&self, id: TermId) -> Option<u128> {
        match self.nodes[id] {
            Term::Constant(value) => Some(value),
            _ => None,
        }
    }

    /// The value of a Boolean constant.
    pub fn as_bool(&self, id: TermId) -> Option<bool> {
        match self.nodes[id] {
            Term::Bool(value) => Some(value),
            _ => None,
        }
    }

    pub fn bool(&mut self, value: bool) -> TermId {
        self.intern(Term::Bool(value), Sort::Bool)
    }

    /// A constant; bits of the value beyond the width are dropped.
    pub fn constant(&mut self, width: u32, value: u128) -> TermId {
        self.intern(Term::Constant(value & mask(width)), Sort::BitVec(width))
    }

    /// A new variable, different from every other even if the name is not.
    pub fn new_variable(&mut self, name: impl Into<String>, sort: Sort) -> TermId {
        let width = match sort {
            Sort::Bool => 1,
            Sort::BitVec(width) => width,
        };
        self.declare(name.into(), sort, Range::full(width))
    }

    /// A new bit-vector variable that is known to be in a range. Whoever blasts
    /// or exports it states the range as a fact.
    pub fn new_variable_in(&mut self, name: impl Into<String>, range: Range) -> TermId {
        self.declare(name.into(), Sort::BitVec(range.width()), range)
    }

    fn declare(&mut self, name: String, sort: Sort, range: Range) -> TermId {
        let variable = self.variables.push(Variable {
            name,
            sort,
            range,
            term: TermId::reserved_value(),
        });
        let term = self.intern(Term::Variable(variable), sort);
        self.variables[variable].term = term;
        term
    }

    /// Calls `f` with each operand, in order.
    pub fn for_each_operand(&self, id: TermId, mut f: impl FnMut(TermId)) {
        match self.nodes[id] {
            Term::Bool(_) | Term::Constant(_) | Term::Variable(_) => {}
            Term::Not(a)
            | Term::IsOne(a)
            | Term::BitNot(a)
            | Term::Extract(a, _)
            | Term::ZeroExtend(a)
            | Term::SignExtend(a) => f(a),
            Term::Xor(a, b)
            | Term::Equal(a, b)
            | Term::UnsignedLess(a, b)
            | Term::SignedLess(a, b)
            | Term::Binary(_, a, b)
            | Term::Concat(a, b) => {
                f(a);
                f(b);
            }
            Term::Ite(condition, a, b) => {
                f(condition);
                f(a);
                f(b);
            }
            Term::And(list) => self.lists.get(list).iter().copied().for_each(f),
        }
    }

    /// The node as given, made if there is none. A term with only one possible
    /// value is replaced by that value, as a last rewrite.
    pub(crate) fn intern(&mut self, term: Term, sort: Sort) -> TermId {
        let width = match sort {
            Sort::Bool => 0,
            Sort::BitVec(width) => {
                assert!(
                    (1..=MAX_WIDTH).contains(&width),
                    "a width should be between 1 and 128 bits"
                );
                width as u8
            }
        };
        let hash = self.hasher.hash_one((term, width));
        let is_same = |id: &TermId| self.nodes[*id] == term && self.widths[*id] == width;
        if let Some(id) = self.ids.find(hash, is_same) {
            return *id;
        }
        let range = self.range_of(term, sort);
        if let Some(value) = range.as_constant()
            && !matches!(term, Term::Constant(_) | Term::Bool(_))
            && let Sort::BitVec(width) = sort
            && self.fuel > 0
        {
            self.fuel -= 1;
            return self.constant(width, value);
        }
        let id = self.nodes.push(term);
        self.widths[id] = width;
        self.range_ids[id] = self.intern_range(range);
        let rehash = |id: &TermId| self.hasher.hash_one((self.nodes[*id], self.widths[*id]));
        self.ids.insert_unique(hash, id, rehash);
        id
    }

    pub(crate) fn intern_list(&mut self, operands: &[TermId]) -> ListId {
        self.lists.intern(operands, &self.hasher)
    }

    /// The negation of a Boolean if it exists, without making it.
    pub(crate) fn existing_negation(&self, id: TermId) -> Option<TermId> {
        if let Term::Not(operand) = self.nodes[id] {
            return Some(operand);
        }
        let term = Term::Not(id);
        let hash = self.hasher.hash_one((term, 0u8));
        let found = self.ids.find(hash, |other| self.nodes[*other] == term);
        found.copied()
    }

    fn intern_range(&mut self, range: Range) -> RangeId {
        let hash = self.hasher.hash_one(&range);
        if let Some(id) = self
            .ids_of_ranges
            .find(hash, |id| self.ranges[*id] == range)
        {
            return *id;
        }
        let id = self.ranges.push(range);
        let rehash = |id: &RangeId| self.hasher.hash_one(&self.ranges[*id]);
        self.ids_of_ranges.insert_unique(hash, id, rehash);
        id
    }

    fn range_of(&self, term: Term, sort: Sort) -> Range {
        let Sort::BitVec(width) = sort else {
            return match term {
                Term::Bool(value) => Range::constant(1, u128::from(value)),
                Term::Variable(variable) => self.variables[variable].range.clone(),
                _ => Range::full(1),
            };
        };
        match term {
            Term::Constant(value) => Range::constant(width, value),
            Term::Variable(variable) => self.variables[variable].range.clone(),
            Term::Ite(_, a, b) => self.range(a).join(self.range(b)),
            Term::BitNot(a) => transfer::bit_not(self.range(a)),
            Term::Binary(op, a, b) => transfer::binary(op, self.range(a), self.range(b)),
            Term::Concat(high, low) => transfer::concat(self.range(high), self.range(low)),
            Term::Extract(a, low) => transfer::extract(self.range(a), low, width),
            Term::ZeroExtend(a) => transfer::zero_extend(self.range(a), width),
            Term::SignExtend(a) => transfer::sign_extend(self.range(a), width),
            _ => unreachable!("{term:?} should be Boolean"),
        }
    }
}

/// Lists of operands in one pool, each held once.
#[derive(Default)]
struct Lists {
    pool: Vec<TermId>,
    /// Where each list ends; it begins where the one before ends.
    ends: PrimaryMap<ListId, u32>,
    ids: HashTable<ListId>,
}

impl Lists {
    fn get(&self, id: ListId) -> &[TermId] {
        slice_of(&self.pool, &self.ends, id)
    }

    fn intern(&mut self, operands: &[TermId], hasher: &FixedState) -> ListId {
        let Lists { pool, ends, ids } = self;
        let hash = hash_of(operands, hasher);
        if let Some(id) = ids.find(hash, |id| slice_of(pool, ends, *id) == operands) {
            return *id;
        }
        pool.extend_from_slice(operands);
        let id = ends.push(pool.len() as u32);
        ids.insert_unique(hash, id, |id| hash_of(slice_of(pool, ends, *id), hasher));
        id
    }
}

fn hash_of(operands: &(impl Hash + ?Sized), hasher: &FixedState) -> u64 {
    hasher.hash_one(operands)
}

fn slice_of<'p>(pool: &'p [TermId], ends: &PrimaryMap<ListId, u32>, id: ListId) -> &'p [TermId] {
    let start = match id.0 {
        0 => 0,
        index => ends[ListId(index - 1)],
    };
    &pool[start as usize..ends[id] as usize]
}
