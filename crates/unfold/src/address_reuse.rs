//! Addresses that are used again: an allocation may get the address of a block
//! of the same size that was freed before.
//!
//! Each allocation makes an object of its own, so a stale pointer never reaches
//! what lies at its address now; it only compares equal to pointers that do.
//! Where a block lies is its *home*: the block that got the address first, a
//! constant of the run that its allocation chooses. A home is *vacant* while it
//! can be given away.
//!
//! Only what is compared can tell. Blocks that are compared with each other,
//! directly or by way of others, are a *family*, and addresses are given away
//! within families only. Programs that free memory and compare nothing do not
//! pay for any of this.

use crate::facts::Facts;
use crate::facts::Growth;
use crate::facts::objects::{Content, Object, ObjectId, ObjectKey, Objects};
use crate::omissions::{Maker, Omission};
use crate::pass::{Frame, Pass, State};
use crate::tables::RunConstant;
use formula::{Range, TermId};
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// What passes have found out about addresses.
#[derive(Default)]
pub(crate) struct FreedAddresses {
    /// Blocks that are freed somewhere.
    freed: BTreeSet<ObjectId>,
    /// The family of each block that is compared with others, by a number.
    families: BTreeMap<ObjectId, u32>,
    /// Where blocks may lie, besides at an address of their own.
    homes: HashMap<ObjectId, BTreeSet<ObjectId>>,
    pub growth: Growth,
}

/// An allocation that chooses an address: for whoever replays it.
#[derive(Clone, Copy, Debug)]
pub struct AddressReuse {
    pub execution: usize,
    /// The number of the block that had the address first.
    pub home: TermId,
}

impl FreedAddresses {
    /// A block is freed somewhere.
    pub(crate) fn note_freed(&mut self, object: ObjectId) {
        self.growth.note(self.freed.insert(object));
    }

    /// Two blocks are compared. Only if one has been freed can the other be there.
    fn note_compared(&mut self, objects: &Objects, a: ObjectId, b: ObjectId) {
        let FreedAddresses {
            freed, families, ..
        } = self;
        let (size, other) = (objects[a].size, objects[b].size);
        if size != other || size == 0 || !(freed.contains(&a) || freed.contains(&b)) {
            return;
        }
        let joined = match (families.get(&a).copied(), families.get(&b).copied()) {
            (Some(mine), Some(other)) if mine == other => return,
            (Some(mine), Some(other)) => {
                for family in families.values_mut().filter(|family| **family == other) {
                    *family = mine;
                }
                mine
            }
            (Some(family), None) | (None, Some(family)) => family,
            (None, None) => a.as_u32(),
        };
        families.insert(a, joined);
        families.insert(b, joined);
        self.growth.note(true);
    }

    /// The other blocks whose address a block might get.
    fn relatives(&self, object: ObjectId) -> Vec<ObjectId> {
        let families = &self.families;
        let Some(family) = families.get(&object) else {
            return Vec::new();
        };
        let of_family = families.iter().filter(|(_, other)| *other == family);
        let others = of_family.map(|(other, _)| *other);
        others.filter(|other| *other != object).collect()
    }

    fn has_family(&self, object: ObjectId) -> bool {
        self.families.contains_key(&object)
    }

    fn note_home(&mut self, object: ObjectId, home: ObjectId) {
        let homes = self.homes.entry(object).or_default();
        self.growth.note(homes.insert(home));
    }

    /// All homes that a block may have.
    fn homes(&self, object: ObjectId) -> Vec<ObjectId> {
        let others = self.homes.get(&object).into_iter().flatten();
        std::iter::once(object).chain(others.copied()).collect()
    }

    fn may_meet(&self, a: ObjectId, b: ObjectId) -> bool {
        a != b && {
            let homes = self.homes(b);
            self.homes(a).iter().any(|home| homes.contains(home))
        }
    }
}

impl Facts {
    /// The flag that says whether a home is vacant.
    fn vacancy(&mut self, home: ObjectId) -> ObjectId {
        let key = ObjectKey::Vacant(home);
        let data = &self.objects[home];
        let (owner, name) = (data.owner, format!("vacancy of {}", data.name));
        self.objects.make(key.clone(), || Object {
            key,
            size: 1,
            name,
            is_constant: false,
            owner,
            starts_as: Content::Zero,
        })
    }
}

impl<'p> Pass<'p> {
    fn may_reuse(&self) -> bool {
        self.options.can_free && self.options.surroundings.address_reuse
    }

    /// The objects that a word may point to.
    pub(crate) fn objects_in(&mut self, word: TermId) -> BTreeSet<ObjectId> {
        let bits = self.offset_bits();
        let reach = self.values.reach(&self.terms, word);
        let single = reach.few.iter().map(|value| value >> bits);
        let within = reach.within.iter().map(|places| u128::from(places.object));
        let numbers = single.chain(within);
        numbers
            .filter_map(|number| self.facts.objects.numbered(number))
            .collect()
    }

    /// The heap blocks among them.
    pub(crate) fn blocks_in(&mut self, word: TermId) -> BTreeSet<ObjectId> {
        let mut found = self.objects_in(word);
        found.retain(|object| matches!(self.facts.objects[*object].key, ObjectKey::Heap(_)));
        found
    }

    /// Both words as they compare: blocks at one address are one and the same.
    pub(crate) fn as_compared(&mut self, a: TermId, b: TermId) -> (TermId, TermId) {
        if !self.may_reuse() || a == b || self.terms.width(a) != self.word() {
            return (a, b);
        }
        let (left, right) = (self.blocks_in(a), self.blocks_in(b));
        let mut can_meet = false;
        for one in &left {
            for other in right.iter().filter(|other| *other != one) {
                self.facts
                    .freed
                    .note_compared(&self.facts.objects, *one, *other);
                can_meet |= self.facts.freed.may_meet(*one, *other);
            }
        }
        match can_meet {
            true => (self.placed(a, &left), self.placed(b, &right)),
            false => (a, b),
        }
    }

    /// Equality as the program sees it.
    pub(crate) fn equal_words(&mut self, a: TermId, b: TermId) -> TermId {
        let (a, b) = self.as_compared(a, b);
        self.terms.equal(a, b)
    }

    /// A word that may point to some blocks, with the home in place of the block.
    fn placed(&mut self, word: TermId, blocks: &BTreeSet<ObjectId>) -> TermId {
        let bits = self.offset_bits();
        let top = self.word() - 1;
        let (block, offset) = (
            self.terms.extract(word, top, bits),
            self.terms.extract(word, bits - 1, 0),
        );
        let mut home = block;
        for object in blocks {
            if self.facts.freed.homes(*object).len() > 1 {
                let number = self.block_number(*object);
                let is_it = self.terms.equal(block, number);
                let its_home = self.home(*object);
                home = self.terms.ite(is_it, its_home, home);
            }
        }
        self.terms.concat(home, offset)
    }

    fn block_number(&mut self, object: ObjectId) -> TermId {
        let width = self.word() - self.offset_bits();
        let number = u128::from(self.facts.objects.number(object));
        self.terms.constant(width, number)
    }

    /// Where a block lies. The same for all threads, since an allocation happens at
    /// most once.
    fn home(&mut self, object: ObjectId) -> TermId {
        if let Some(home) = self.tables.constants.get(RunConstant::Home, object) {
            return home;
        }
        let width = self.word() - self.offset_bits();
        let homes = self.facts.freed.homes(object);
        let numbers = homes
            .iter()
            .map(|home| u128::from(self.facts.objects.number(*home)));
        let range = numbers
            .map(|number| Range::constant(width, number))
            .reduce(|all, one| all.join(&one))
            .unwrap_or_else(|| Range::full(width));
        let home = match range.as_constant() {
            Some(number) => self.terms.constant(width, number),
            None => self.terms.new_variable_in("home", range),
        };
        self.tables.constants.set(RunConstant::Home, object, home);
        home
    }

    fn lies_at(&mut self, object: ObjectId, home: ObjectId) -> TermId {
        let (lies, number) = (self.home(object), self.block_number(home));
        self.terms.equal(lies, number)
    }

    /// Whether other threads may notice that a block takes an address.
    pub(crate) fn is_taking_visible(&mut self, object: ObjectId) -> bool {
        let homes = match self.may_reuse() {
            true => self.facts.freed.relatives(object),
            false => Vec::new(),
        };
        self.is_any_visible(homes)
    }

    /// Whether other threads may notice that a block leaves its address.
    pub(crate) fn is_leaving_visible(&mut self, object: ObjectId) -> bool {
        let homes = match self.may_reuse() && self.facts.freed.has_family(object) {
            true => self.facts.freed.homes(object),
            false => Vec::new(),
        };
        self.is_any_visible(homes)
    }

    fn is_any_visible(&mut self, homes: Vec<ObjectId>) -> bool {
        homes.into_iter().any(|home| {
            let vacancy = self.facts.vacancy(home);
            self.is_visible(vacancy, 0, 1)
        })
    }

    /// A new block takes an address, where it is made: one of its own, or a vacant one.
    pub(crate) fn take_address(
        &mut self,
        state: &mut State,
        frame: &Frame,
        position: Option<usize>,
        object: ObjectId,
        is_made: TermId,
    ) {
        let execution = frame.execution;
        let thread = self.threads.current();
        self.tables.allocations.note(object, thread, execution);
        if !self.may_reuse() {
            return;
        }
        let always = self.truth();
        let mut offers = Vec::new();
        for home in self.facts.freed.relatives(object) {
            let vacancy = self.facts.vacancy(home);
            let flag = self.read_at(state, position, vacancy, 0, 1, always);
            let is_vacant = self.terms.is_nonzero(flag);
            if self.terms.as_bool(is_vacant) != Some(false) {
                self.facts.freed.note_home(object, home);
                offers.push((home, vacancy, is_vacant));
            }
        }
        let mut possible = vec![self.lies_at(object, object)];
        for (home, _, is_vacant) in &offers {
            let is_there = self.lies_at(object, *home);
            possible.push(self.terms.and(is_there, *is_vacant));
        }
        possible.push(self.terms.not(is_made));
        let possible = self.terms.any(&possible);
        self.demand(state, position, possible);
        let taken = self.terms.constant(8, 0);
        for (home, vacancy, _) in &offers {
            let is_there = self.lies_at(object, *home);
            let is_taken = self.terms.and(is_there, is_made);
            self.write_at(state, position, *vacancy, 0, 1, is_taken, taken);
        }
        if !offers.is_empty() {
            let home = self.home(object);
            self.work()
                .trail
                .reuses
                .push(AddressReuse { execution, home });
        }
    }

    /// A block whose address is its own for sure, although others might be meant.
    pub(crate) fn keep_apart(&mut self, object: ObjectId, maker: Maker) {
        if self.may_reuse() && self.facts.freed.has_family(object) {
            self.findings.note_omission(Omission::OwnAddress(maker));
        }
    }

    /// A block is freed where the condition holds: its address becomes vacant.
    pub(crate) fn leave_address(
        &mut self,
        state: &mut State,
        position: Option<usize>,
        object: ObjectId,
        condition: TermId,
    ) {
        if !self.may_reuse() {
            return;
        }
        self.facts.freed.note_freed(object);
        if !self.facts.freed.has_family(object) {
            return;
        }
        let vacant = self.terms.constant(8, 1);
        for home in self.facts.freed.homes(object) {
            let is_there = self.lies_at(object, home);
            let condition = self.terms.and(condition, is_there);
            let vacancy = self.facts.vacancy(home);
            self.write_at(state, position, vacancy, 0, 1, condition, vacant);
        }
    }

    /// Computing with the address of a freed block loses track of the block: the
    /// result means what lies there by now.
    pub(crate) fn note_computed(&mut self, result: TermId) {
        if !self.may_reuse()
            || self.facts.freed.freed.is_empty()
            || self.terms.width(result) != self.word()
        {
            return;
        }
        let blocks = self.blocks_in(result);
        let sizes: Vec<u64> = blocks
            .iter()
            .filter(|block| self.facts.freed.freed.contains(block))
            .map(|block| self.facts.objects[*block].size)
            .collect();
        let heap = self.facts.objects.iter().map(|(_, data)| data);
        let can_be_another = heap
            .filter(|data| matches!(data.key, ObjectKey::Heap(_)) && sizes.contains(&data.size))
            .nth(1)
            .is_some();
        if can_be_another {
            self.findings.note_omission(Omission::ComputedAddress);
        }
    }
}
