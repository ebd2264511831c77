//! What threads access of the program's memory, for those who look for races.
//!
//! Takes note of every access that is part of a step, with its bytes. In the end
//! the bytes that threads compete for are cut into *spots*, such that accesses
//! overlap where they have a spot in common. State of synchronisation objects is
//! no memory of the program, and does not race; nor do accesses under a common
//! lock.
//!
//! Large arrays have no bytes of their own. There is one guess for each of them:
//! the element that two threads compete for. It is enough, since one race is
//! looked for at a time.

use crate::Error;
use crate::access::Targets;
use crate::checks::Check;
use crate::facts::objects::ObjectId;
use crate::large_arrays::SlotFor;
use crate::locksets::Held;
use crate::pass::{Pass, State};
use crate::threads::{SpotId, Thread, ThreadId, Use};
use formula::TermId;
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// How accesses are to be noted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Noting {
    #[default]
    Plain,
    /// Not known before the step is taken.
    Unforeseen,
    /// Somebody else takes note.
    Silent,
}

#[derive(Default)]
pub(crate) struct Races {
    pub noting: Noting,
    noted: BTreeMap<ObjectId, Vec<Noted>>,
}

/// An access to some bytes of an object.
struct Noted {
    thread: ThreadId,
    position: usize,
    offset: u64,
    size: u64,
    condition: TermId,
    mode: Mode,
    is_foreseen: bool,
    /// When the step begins.
    held: Held,
}

impl Noted {
    fn races_with(&self, other: &Noted) -> bool {
        self.thread != other.thread
            && self.mode.races_with(other.mode)
            && !self.held.excludes(&other.held)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Mode {
    pub is_write: bool,
    pub is_atomic: bool,
}

impl Mode {
    pub(crate) const READ: Mode = Mode {
        is_write: false,
        is_atomic: false,
    };
    pub(crate) const WRITE: Mode = Mode {
        is_write: true,
        is_atomic: false,
    };

    fn races_with(self, other: Mode) -> bool {
        (self.is_write || other.is_write) && !(self.is_atomic && other.is_atomic)
    }
}

impl<'p> Pass<'p> {
    fn looks_for_races(&self) -> bool {
        self.options.checks.has(Check::Race) && !self.prologue.is_alone()
    }

    /// Takes note of an access to some bytes, unless somebody else does.
    pub(crate) fn note_use(
        &mut self,
        state: &State,
        position: Option<usize>,
        (object, offset, size): (ObjectId, u64, u64),
        condition: TermId,
        mode: Mode,
    ) {
        if self.looks_for_races() && self.races.noting != Noting::Silent {
            self.note_bytes(state, position, (object, offset, size), condition, mode);
        }
    }

    /// Takes note of an access to wherever an address may point.
    pub(crate) fn note_targets(
        &mut self,
        state: &State,
        position: Option<usize>,
        targets: &Targets,
        size: u64,
        mode: Mode,
    ) {
        if !self.looks_for_races() {
            return;
        }
        for target in &targets.list {
            let (object, condition) = (target.object, target.condition);
            match target.element {
                Some(element) => {
                    let (from, to) = (element.number, element.number);
                    self.note_elements(state, position, object, (from, to), condition, mode);
                }
                None => {
                    let bytes = (object, target.offset, size);
                    self.note_bytes(state, position, bytes, condition, mode);
                }
            }
        }
    }

    fn note_bytes(
        &mut self,
        state: &State,
        position: Option<usize>,
        (object, offset, size): (ObjectId, u64, u64),
        condition: TermId,
        mode: Mode,
    ) {
        let data = &self.facts.objects[object];
        if size == 0 || data.is_constant || !data.is_data() {
            return;
        }
        if self.facts.arrays.contains(object) {
            let first = self.element_at(object, offset);
            let last = self.element_at(object, offset + size - 1);
            self.note_elements(state, position, object, (first, last), condition, mode);
            return;
        }
        self.push_use(state, position, (object, offset, size), condition, mode);
    }

    /// Takes note of an access to elements of a large array, the last included.
    fn note_elements(
        &mut self,
        state: &State,
        position: Option<usize>,
        array: ObjectId,
        (first, last): (TermId, TermId),
        condition: TermId,
        mode: Mode,
    ) {
        let Some(slot) = self
            .facts
            .arrays
            .slot(&mut self.facts.objects, array, SlotFor::Raced)
        else {
            return;
        };
        self.note(slot, 0, 1, mode.is_write);
        let raced = self.slot_element(slot);
        let is_meant = match first == last {
            true => self.terms.equal(first, raced),
            false => {
                let after = self.terms.unsigned_less_equal(first, raced);
                let before = self.terms.unsigned_less_equal(raced, last);
                self.terms.and(after, before)
            }
        };
        let condition = self.terms.and(condition, is_meant);
        self.push_use(state, position, (slot, 0, 1), condition, mode);
    }

    fn push_use(
        &mut self,
        state: &State,
        position: Option<usize>,
        (object, offset, size): (ObjectId, u64, u64),
        condition: TermId,
        mode: Mode,
    ) {
        let Some(position) = position else {
            return;
        };
        let mut condition = self.terms.and(state.guard, condition);
        let is_inside = state.atomic.is_some();
        if is_inside {
            // A section may make something, and make it known later.
            let is_known = self.is_known_to_others(state, object);
            condition = self.terms.and(condition, is_known);
        }
        if self.terms.as_bool(condition) == Some(false) {
            return;
        }
        // A section may take locks itself.
        let held = match is_inside || !self.options.reductions.locksets {
            true => Held::default(),
            false => state.held.clone(),
        };
        let noted = Noted {
            thread: self.threads.current(),
            position,
            offset,
            size,
            condition,
            mode: Mode {
                is_atomic: mode.is_atomic || is_inside,
                ..mode
            },
            is_foreseen: !is_inside && self.races.noting != Noting::Unforeseen,
            held,
        };
        self.races.noted.entry(object).or_default().push(noted);
    }

    /// What threads compete for, by thread: uses with their positions.
    pub(crate) fn uses_by_thread(&mut self) -> Result<HashMap<ThreadId, Vec<(usize, Use)>>, Error> {
        let mut uses: HashMap<ThreadId, Vec<(usize, Use)>> = HashMap::new();
        let mut spots = 0;
        for mut list in std::mem::take(&mut self.races.noted).into_values() {
            for noted in &mut list {
                noted.held.retain(|lock| self.facts.sync.is_reliable(lock));
            }
            let mut sweep = Sweep::of(&list);
            while let Some(users) = sweep.next_contested(&mut || self.tick())? {
                let spot = SpotId::from_u32(spots);
                spots += 1;
                for index in users {
                    let noted = &list[*index];
                    let found = Use {
                        spot,
                        condition: noted.condition,
                        is_write: noted.mode.is_write,
                        is_atomic: noted.mode.is_atomic,
                        is_foreseen: noted.is_foreseen,
                    };
                    let all = uses.entry(noted.thread).or_default();
                    all.push((noted.position, found));
                }
            }
        }
        Ok(uses)
    }

    /// Does something with accesses noted in another way.
    pub(crate) fn while_noting<T>(
        &mut self,
        noting: Noting,
        work: impl FnOnce(&mut Self) -> T,
    ) -> T {
        let before = std::mem::replace(&mut self.races.noting, noting);
        let result = work(self);
        self.races.noting = before;
        result
    }
}

impl Thread {
    /// Tells positions what they access.
    pub fn place_uses(&mut self, uses: Vec<(usize, Use)>) {
        for (position, found) in uses {
            self.positions[position].uses.push(found);
        }
    }
}

/// Goes along the bytes of an object, which are cut wherever an access begins or ends.
/// Between two cuts the accesses are the same; so each is looked at where it begins and
/// where it ends, however many there are.
struct Sweep<'n> {
    list: &'n [Noted],
    /// Where accesses begin and end; ends first.
    cuts: Vec<(u64, Change, usize)>,
    next: usize,
    /// The accesses to the bytes at hand.
    users: BTreeSet<usize>,
    /// The same, as far as races are concerned, and how many there are of each.
    kinds: BTreeMap<(ThreadId, Mode, &'n Held), (usize, usize)>,
    is_contested: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Change {
    End,
    Begin,
}

impl<'n> Sweep<'n> {
    fn of(list: &'n [Noted]) -> Sweep<'n> {
        let changes = |(index, noted): (usize, &Noted)| {
            let end = noted.offset + noted.size;
            [
                (noted.offset, Change::Begin, index),
                (end, Change::End, index),
            ]
        };
        let mut cuts: Vec<_> = list.iter().enumerate().flat_map(changes).collect();
        cuts.sort_unstable();
        Sweep {
            list,
            cuts,
            next: 0,
            users: BTreeSet::new(),
            kinds: BTreeMap::new(),
            is_contested: false,
        }
    }

    /// The accesses to the next bytes that different threads compete for.
    fn next_contested(
        &mut self,
        tick: &mut dyn FnMut() -> Result<(), Error>,
    ) -> Result<Option<&BTreeSet<usize>>, Error> {
        while let Some((place, ..)) = self.cuts.get(self.next).copied() {
            tick()?;
            let mut are_new = false;
            while let Some((_, change, index)) =
                (self.cuts.get(self.next)).filter(|(next, ..)| *next == place)
            {
                are_new |= self.change(*change, *index);
                self.next += 1;
            }
            if are_new {
                self.is_contested = self.race();
            }
            if self.is_contested {
                return Ok(Some(&self.users));
            }
        }
        Ok(None)
    }

    /// An access begins or ends. Whether that changes what kinds there are.
    fn change(&mut self, change: Change, index: usize) -> bool {
        let noted = &self.list[index];
        let kind = (noted.thread, noted.mode, &noted.held);
        match change {
            Change::Begin => {
                self.users.insert(index);
                let (_, count) = self.kinds.entry(kind).or_insert((index, 0));
                *count += 1;
                *count == 1
            }
            Change::End => {
                self.users.remove(&index);
                let count = self.kinds.get_mut(&kind).map_or(0, |(_, count)| {
                    *count -= 1;
                    *count
                });
                count == 0 && self.kinds.remove(&kind).is_some()
            }
        }
    }

    fn race(&self) -> bool {
        let users: Vec<&Noted> = (self.kinds.values())
            .map(|(index, _)| &self.list[*index])
            .collect();
        (users.iter().enumerate()).any(|(index, a)| users[..index].iter().any(|b| a.races_with(b)))
    }
}
