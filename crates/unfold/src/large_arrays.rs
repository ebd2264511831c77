//! LargeArrays with too many elements to look at each of them.
//!
//! Such an array has no bytes of its own. Each read of it has a *slot* for the one
//! element that it means, whose number is guessed beforehand: a constant of the run,
//! which the read then requires to be right. A slot holds the value of its element;
//! every write to the array goes to all slots, under the condition that it is theirs
//! that is meant. So reads are matched with writes, pair by pair, and the number
//! of elements does not matter. Reads of the same known element share a slot.
//!
//! All accesses must have the same size, and must not overlap in part. An object
//! for which that turns out to be wrong is no such array in the next pass.

use crate::Error;
use crate::access::{Element, Target, Targets};
use crate::facts::Growth;
use crate::facts::objects::{Content, Instance, Object, ObjectId, ObjectKey, Objects};
use crate::pass::{Flow, Frame, Pass, State};
use crate::races::Mode;
use crate::tables::RunConstant;
use crate::values::Places;
use formula::{Range, TermId};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// Slots of one array, at most.
const MAX_SLOTS: usize = 2048;

/// What a slot is for.
#[derive(Clone, PartialEq, Eq, Hash)]
pub(crate) enum SlotFor {
    /// The element at this offset.
    Offset(u64),
    /// The element that a read means.
    Read(Instance),
    /// The element that threads compete for. It holds no value.
    Raced,
}

#[derive(Default)]
pub(crate) struct LargeArrays {
    arrays: BTreeMap<ObjectId, Array>,
    /// Objects that cannot be such arrays after all.
    irregular: BTreeSet<ObjectId>,
    /// One that the current pass has found not to be used as it must be.
    misused: Option<ObjectId>,
    pub growth: Growth,
}

struct Array {
    /// The size of accesses, a power of two.
    unit: u64,
    /// What remains when the offset of an access is divided by the unit.
    rest: u64,
    slots: Rc<[ObjectId]>,
}

impl LargeArrays {
    pub(crate) fn begin_pass(&mut self) {
        self.misused = None;
    }

    pub(crate) fn contains(&self, object: ObjectId) -> bool {
        let arrays = &self.arrays;
        !arrays.is_empty() && arrays.contains_key(&object)
    }

    /// Makes an object such an array. Returns whether that is possible.
    pub(crate) fn make(&mut self, object: ObjectId, unit: u64, step: u64, rest: u64) -> bool {
        let is_regular = unit.is_power_of_two() && unit <= 16 && step.is_multiple_of(unit);
        let was_wrong = self.irregular.contains(&object);
        if !is_regular || was_wrong || self.contains(object) {
            return false;
        }
        self.growth.note(true);
        let array = Array {
            unit,
            rest: rest % unit,
            slots: Rc::from([]),
        };
        self.arrays.insert(object, array);
        true
    }

    pub(crate) fn slots(&self, array: ObjectId) -> Rc<[ObjectId]> {
        let array = self.arrays.get(&array);
        array.map_or_else(|| Rc::from([]), |array| array.slots.clone())
    }

    /// Those that hold a value.
    fn value_slots(&self, objects: &Objects, array: ObjectId) -> Vec<ObjectId> {
        let slots = self.slots(array);
        let holds_value =
            |slot: &ObjectId| !matches!(objects[*slot].key, ObjectKey::Slot(_, SlotFor::Raced));
        slots.iter().copied().filter(holds_value).collect()
    }

    /// The slot of that name, made if there is none.
    pub(crate) fn slot(
        &mut self,
        objects: &mut Objects,
        array: ObjectId,
        wanted: SlotFor,
    ) -> Option<ObjectId> {
        let unit = self.arrays.get(&array)?.unit;
        let data = &objects[array];
        let starts_as = match (&wanted, &data.starts_as) {
            (_, content) if content.is_zero() => Content::Zero,
            (SlotFor::Offset(at), Content::Bytes(bytes)) => {
                let bytes = bytes.iter().skip(*at as usize).take(unit as usize);
                Content::Bytes(bytes.copied().collect())
            }
            (SlotFor::Read(_), Content::Bytes(_)) => Content::Unknown,
            (_, content) => content.clone(),
        };
        let (owner, name) = (data.owner, format!("element of {}", data.name));
        let key = ObjectKey::Slot(array, wanted);
        let slot = objects.make(key.clone(), || Object {
            key,
            size: unit,
            name,
            is_constant: false,
            owner,
            starts_as,
        });
        let array = self.arrays.get_mut(&array)?;
        if !array.slots.contains(&slot) {
            self.growth.note(true);
            array.slots = array.slots.iter().copied().chain([slot]).collect();
        }
        Some(slot)
    }
}

impl<'p> Pass<'p> {
    /// The number of the element at an offset.
    pub(crate) fn element_at(&mut self, array: ObjectId, offset: u64) -> TermId {
        let (shift, width) = self.element_layout(array);
        self.terms.constant(width, u128::from(offset >> shift))
    }

    /// The number of the element that an address means.
    fn element(&mut self, array: ObjectId, address: TermId) -> TermId {
        let (shift, _) = self.element_layout(array);
        let top = self.offset_bits() - 1;
        self.terms.extract(address, top, shift)
    }

    fn element_layout(&self, array: ObjectId) -> (u32, u32) {
        let unit = self.facts.arrays.arrays.get(&array).map_or(1, |a| a.unit);
        let shift = unit.trailing_zeros();
        (shift, self.offset_bits() - shift)
    }

    /// The element that a slot is about.
    pub(crate) fn slot_element(&mut self, slot: ObjectId) -> TermId {
        let known = self.tables.constants.get(RunConstant::Element, slot);
        if let Some(element) = known {
            return element;
        }
        let element = match self.facts.objects[slot].key.clone() {
            ObjectKey::Slot(array, SlotFor::Offset(offset)) => self.element_at(array, offset),
            ObjectKey::Slot(array, SlotFor::Read(_) | SlotFor::Raced) => {
                let (shift, width) = self.element_layout(array);
                let last = self.facts.objects[array].size.saturating_sub(1) >> shift;
                let range = Range::from_unsigned(width, 0..=u128::from(last));
                self.terms.new_variable_in("element", range)
            }
            _ => self.terms.constant(1, 0),
        };
        self.tables
            .constants
            .set(RunConstant::Element, slot, element);
        element
    }

    /// The offsets of the elements that an access at a known place covers.
    fn covered(&mut self, array: ObjectId, offset: u64, size: u64) -> Vec<u64> {
        let Some(Array { unit, rest, .. }) = self.facts.arrays.arrays.get(&array) else {
            return Vec::new();
        };
        if offset % unit != *rest || !size.is_multiple_of(*unit) {
            self.irregular(array);
            return Vec::new();
        }
        (0..size / unit)
            .map(|index| offset + index * unit)
            .collect()
    }

    /// An array is not used as it must be.
    pub(crate) fn irregular(&mut self, array: ObjectId) {
        self.facts.arrays.misused.get_or_insert(array);
    }

    /// Starts anew if an array is not used as it must be.
    pub(crate) fn check_arrays(&mut self) -> Result<(), Error> {
        match self.facts.arrays.misused.take() {
            None => Ok(()),
            Some(array) => {
                self.facts.arrays.arrays.remove(&array);
                self.facts.arrays.irregular.insert(array);
                Err(Error::Again)
            }
        }
    }

    fn slot(&mut self, array: ObjectId, wanted: SlotFor) -> Option<ObjectId> {
        // Two slots of one element do not know of each other.
        let starts_as_zero = self.facts.objects[array].starts_as.is_zero();
        self.findings.note_coarse(!starts_as_zero);
        let (shift, _) = self.element_layout(array);
        let elements = (self.facts.objects[array].size >> shift) as usize;
        // With more slots than elements, one would rather look at each element.
        if self.facts.arrays.slots(array).len() > elements.min(MAX_SLOTS) {
            self.irregular(array);
        }
        self.facts
            .arrays
            .slot(&mut self.facts.objects, array, wanted)
    }

    /// Reads elements at a known offset.
    pub(crate) fn read_elements(
        &mut self,
        state: &State,
        position: Option<usize>,
        array: ObjectId,
        (offset, size): (u64, u64),
        condition: TermId,
    ) -> TermId {
        let mut value = None;
        for at in self.covered(array, offset, size) {
            let Some(slot) = self.slot(array, SlotFor::Offset(at)) else {
                continue;
            };
            let unit = self.facts.objects[slot].size;
            let part = self.read_at(state, position, slot, 0, unit, condition);
            value = Some(match value {
                None => part,
                Some(low) => self.terms.concat(part, low),
            });
        }
        value.unwrap_or_else(|| self.terms.constant(8 * size as u32, 0))
    }

    /// The large arrays that an address may point into, as targets.
    pub(crate) fn find_elements(
        &mut self,
        address: TermId,
        size: u64,
        is_write: bool,
        patterns: &[Places],
    ) -> Result<Vec<Target>, Error> {
        let mut found: Vec<Target> = Vec::new();
        for pattern in patterns {
            let object = self.facts.objects.numbered(u128::from(pattern.object));
            let Some((object, array)) =
                object.and_then(|object| Some((object, self.facts.arrays.arrays.get(&object)?)))
            else {
                continue;
            };
            let is_regular = size == array.unit
                && u64::from(pattern.step).is_multiple_of(array.unit)
                && u64::from(pattern.rest) % array.unit == array.rest;
            let data = &self.facts.objects[object];
            if !is_regular || size > data.size {
                self.irregular(object);
                continue;
            }
            let is_known = found.iter().any(|target| target.object == object);
            if is_known || is_write && data.is_constant {
                continue;
            }
            let last = u128::from(data.size - size);
            let (bits, top) = (self.offset_bits(), self.word() - 1);
            let (high, low) = (
                self.terms.extract(address, top, bits),
                self.terms.extract(address, bits - 1, 0),
            );
            let number = u128::from(self.facts.objects.number(object));
            let number = self.terms.constant(top + 1 - bits, number);
            let last = self.terms.constant(bits, last);
            let is_inside = [
                self.terms.equal(high, number),
                self.terms.unsigned_less_equal(low, last),
            ];
            let low = self.terms.resize(low, top + 1);
            let len = self.terms.constant(top + 1, u128::from(size));
            let end = self.terms.add(low, len);
            let fits = self.extends_to(object, end);
            let condition = self.terms.all(&[is_inside[0], is_inside[1], fits]);
            let number = self.element(object, address);
            found.push(Target {
                object,
                offset: 0,
                condition,
                element: Some(Element { number, slot: None }),
            });
        }
        self.check_arrays()?;
        Ok(found)
    }

    /// Guesses which elements a read will mean.
    pub(crate) fn guess_elements(
        &mut self,
        state: &State,
        frame: &Frame,
        targets: &mut Targets,
    ) -> Result<(), Error> {
        for (index, target) in targets.list.iter_mut().enumerate() {
            if let Some(element) = &mut target.element {
                let instance = self.instance(frame, state, index as u32);
                element.slot = self.slot(target.object, SlotFor::Read(instance));
            }
        }
        self.check_arrays()
    }

    /// The guesses must be right.
    pub(crate) fn confirm_guesses(
        &mut self,
        state: &mut State,
        position: Option<usize>,
        targets: &Targets,
    ) -> Flow {
        for target in &targets.list {
            if let Some(Element {
                number,
                slot: Some(slot),
            }) = target.element
            {
                let guess = self.slot_element(slot);
                let is_right = self.terms.equal(guess, number);
                let is_right = self.terms.implies(target.condition, is_right);
                if self.demand(state, position, is_right) == Flow::Dead {
                    return Flow::Dead;
                }
            }
        }
        Flow::Next
    }

    /// Writes elements at a known offset.
    pub(crate) fn write_elements(
        &mut self,
        state: &mut State,
        position: Option<usize>,
        array: ObjectId,
        (offset, size): (u64, u64),
        condition: TermId,
        value: TermId,
    ) {
        for at in self.covered(array, offset, size) {
            let element = self.element_at(array, at);
            let unit = self.facts.arrays.arrays.get(&array).map_or(1, |a| a.unit);
            let low = 8 * (at - offset) as u32;
            let part = self.terms.extract(value, low + 8 * unit as u32 - 1, low);
            self.write_element(state, position, array, element, condition, part);
        }
    }

    pub(crate) fn write_element(
        &mut self,
        state: &mut State,
        position: Option<usize>,
        array: ObjectId,
        element: TermId,
        condition: TermId,
        value: TermId,
    ) {
        for slot in self.facts.arrays.value_slots(&self.facts.objects, array) {
            let number = self.slot_element(slot);
            let is_meant = self.terms.equal(number, element);
            let condition = self.terms.and(condition, is_meant);
            if self.terms.as_bool(condition) != Some(false) {
                let unit = self.facts.objects[slot].size;
                self.write_at(state, position, slot, 0, unit, condition, value);
            }
        }
    }

    /// Writes the same byte to all elements of a range.
    pub(crate) fn fill_elements(
        &mut self,
        state: &mut State,
        position: Option<usize>,
        array: ObjectId,
        (offset, size): (u64, u64),
        byte: u8,
    ) {
        let always = self.truth();
        self.note_use(state, position, (array, offset, size), always, Mode::WRITE);
        let covered = self.covered(array, offset, size);
        let (Some(first), Some(last)) = (covered.first(), covered.last()) else {
            return;
        };
        let (first, last) = (
            self.element_at(array, *first),
            self.element_at(array, *last),
        );
        for slot in self.facts.arrays.value_slots(&self.facts.objects, array) {
            let number = self.slot_element(slot);
            let is_meant = [
                self.terms.unsigned_less_equal(first, number),
                self.terms.unsigned_less_equal(number, last),
            ];
            let condition = self.terms.all(&is_meant);
            let unit = self.facts.objects[slot].size;
            let value = (0..unit).fold(0, |all, at| all | u128::from(byte) << (8 * at));
            let value = self.terms.constant(8 * unit as u32, value);
            self.write_at(state, position, slot, 0, unit, condition, value);
        }
    }
}
