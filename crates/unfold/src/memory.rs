//! One thread's view of memory along a path: the terms that its bytes hold.
//!
//! Memory is copied at every branch and merged at every join, so it is shared
//! until written. It knows nothing of other threads: what they share is kept
//! elsewhere, and the bytes here are then without meaning.

use crate::facts::objects::{Content, ObjectId, Objects};
use formula::{Sort, TermId, Terms};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::rc::Rc;

/// The value of bytes that were never written, fixed when first asked for. The
/// same for all paths and threads.
#[derive(Default)]
pub(crate) struct Fresh {
    bytes: HashMap<(ObjectId, u64), TermId>,
}

impl Fresh {
    /// Whether anybody has asked for such a byte.
    pub(crate) fn is_in_use(&self) -> bool {
        !self.bytes.is_empty()
    }
}

#[derive(Clone, Default)]
pub(crate) struct Memory {
    objects: Rc<HashMap<ObjectId, Rc<Store>>>,
}

/// Written pieces of an object by offset, which never overlap.
#[derive(Clone, Default)]
struct Store {
    segments: BTreeMap<u64, Segment>,
}

#[derive(Clone, Copy, PartialEq)]
struct Segment {
    size: u64,
    content: Written,
}

#[derive(Clone, Copy, PartialEq)]
enum Written {
    Term(TermId),
    /// The same byte throughout.
    Fill(u8),
}

/// What reading needs besides the memory itself.
pub(crate) struct Ground<'a> {
    pub terms: &'a mut Terms,
    pub objects: &'a Objects,
    pub fresh: &'a mut Fresh,
}

impl Ground<'_> {
    /// Bytes as they were before anybody wrote.
    fn untouched(&mut self, object: ObjectId, offset: u64, size: u64) -> TermId {
        let width = 8 * size as u32;
        match &self.objects[object].starts_as {
            Content::Zero => self.terms.constant(width, 0),
            Content::Bytes(bytes) => {
                let at = |index: u64| bytes.get((offset + index) as usize).copied().unwrap_or(0);
                let value = (0..size).fold(0, |value, index| {
                    value | u128::from(at(index)) << (8 * index)
                });
                self.terms.constant(width, value)
            }
            Content::Unknown => {
                let mut value = None;
                for index in 0..size {
                    let byte = *self
                        .fresh
                        .bytes
                        .entry((object, offset + index))
                        .or_insert_with(|| self.terms.new_variable("fresh", Sort::BitVec(8)));
                    value = Some(match value {
                        None => byte,
                        Some(low) => self.terms.concat(byte, low),
                    });
                }
                value.unwrap_or_else(|| self.terms.constant(8, 0))
            }
        }
    }

    fn slice(&mut self, segment: Segment, from: u64, size: u64) -> TermId {
        match segment.content {
            Written::Fill(byte) => {
                let value =
                    (0..size).fold(0, |value, index| value | u128::from(byte) << (8 * index));
                self.terms.constant(8 * size as u32, value)
            }
            Written::Term(term) if from == 0 && size == segment.size => term,
            Written::Term(term) => {
                let low = 8 * from as u32;
                self.terms.extract(term, low + 8 * size as u32 - 1, low)
            }
        }
    }
}

impl Memory {
    /// At most 16 bytes.
    pub(crate) fn read(
        &self,
        ground: &mut Ground,
        object: ObjectId,
        offset: u64,
        size: u64,
    ) -> TermId {
        let Some(store) = self.objects.get(&object) else {
            return ground.untouched(object, offset, size);
        };
        if let Some(segment) = store.segments.get(&offset)
            && segment.size == size
        {
            return ground.slice(*segment, 0, size);
        }
        let end = offset + size;
        let mut value = None;
        let mut at = offset;
        while at < end {
            let (piece, len) = match store.segment_at(at) {
                Some((start, segment)) => {
                    let len = (start + segment.size).min(end) - at;
                    (ground.slice(segment, at - start, len), len)
                }
                None => {
                    let next = store.segments.range(at..).next();
                    let len = next.map_or(end, |(start, _)| *start).min(end) - at;
                    (ground.untouched(object, at, len), len)
                }
            };
            value = Some(match value {
                None => piece,
                Some(low) => ground.terms.concat(piece, low),
            });
            at += len;
        }
        value.unwrap_or_else(|| ground.terms.constant(8, 0))
    }

    pub(crate) fn write(
        &mut self,
        ground: &mut Ground,
        object: ObjectId,
        offset: u64,
        size: u64,
        value: TermId,
    ) {
        let segment = Segment {
            size,
            content: Written::Term(value),
        };
        self.put(ground, object, offset, segment);
    }

    pub(crate) fn fill(
        &mut self,
        ground: &mut Ground,
        object: ObjectId,
        offset: u64,
        size: u64,
        byte: u8,
    ) {
        let segment = Segment {
            size,
            content: Written::Fill(byte),
        };
        self.put(ground, object, offset, segment);
    }

    fn put(&mut self, ground: &mut Ground, object: ObjectId, offset: u64, segment: Segment) {
        let objects = Rc::make_mut(&mut self.objects);
        let store = Rc::make_mut(objects.entry(object).or_default());
        store.clear(ground, offset, segment.size);
        store.segments.insert(offset, segment);
    }

    /// A new object, of which nothing has been written.
    pub(crate) fn create(&mut self, object: ObjectId) {
        Rc::make_mut(&mut self.objects).insert(object, Rc::default());
    }

    /// Whether some part of an object is exactly this term.
    pub(crate) fn holds(&self, object: ObjectId, term: TermId) -> bool {
        self.objects.get(&object).is_some_and(|store| {
            let mut segments = store.segments.values();
            segments.any(|segment| segment.content == Written::Term(term))
        })
    }

    /// Puts another term wherever an object holds exactly this one.
    pub(crate) fn replace(&mut self, object: ObjectId, old: TermId, new: TermId) {
        if let Some(store) = Rc::make_mut(&mut self.objects).get_mut(&object) {
            for segment in Rc::make_mut(store).segments.values_mut() {
                if segment.content == Written::Term(old) {
                    segment.content = Written::Term(new);
                }
            }
        }
    }

    /// Whether some of the bytes were written.
    pub(crate) fn has_written(&self, object: ObjectId, offset: u64, size: u64) -> bool {
        self.objects.get(&object).is_some_and(|store| {
            store.segment_at(offset).is_some()
                || store.segments.range(offset..offset + size).next().is_some()
        })
    }

    /// Whether it knows an object that is made on the way.
    pub(crate) fn has(&self, object: ObjectId) -> bool {
        self.objects.contains_key(&object)
    }

    pub(crate) fn forget(&mut self, object: ObjectId) {
        if self.objects.contains_key(&object) {
            Rc::make_mut(&mut self.objects).remove(&object);
        }
    }

    /// What this memory holds where the condition is true, and the other where it
    /// is false.
    pub(crate) fn merge(&mut self, ground: &mut Ground, condition: TermId, other: &Memory) {
        if Rc::ptr_eq(&self.objects, &other.objects) {
            return;
        }
        let mut ids: Vec<ObjectId> = self.objects.keys().copied().collect();
        ids.extend(
            other
                .objects
                .keys()
                .filter(|id| !self.objects.contains_key(*id)),
        );
        // The order of terms must not depend on that of a hash table.
        ids.sort_unstable();
        let empty = Rc::new(Store::default());
        for object in ids {
            let is_made_on_the_way = ground.objects.is_made_on_the_way(object);
            let (mine, theirs) = match (self.objects.get(&object), other.objects.get(&object)) {
                // It exists only on one of the paths.
                (None, Some(theirs)) if is_made_on_the_way => {
                    let theirs = theirs.clone();
                    Rc::make_mut(&mut self.objects).insert(object, theirs);
                    continue;
                }
                (Some(_), None) if is_made_on_the_way => continue,
                (mine, theirs) => (mine.unwrap_or(&empty), theirs.unwrap_or(&empty)),
            };
            if Rc::ptr_eq(mine, theirs) || mine.segments == theirs.segments {
                continue;
            }
            let merged = mine.merged(ground, condition, theirs, object);
            Rc::make_mut(&mut self.objects).insert(object, Rc::new(merged));
        }
    }
}

impl Store {
    fn segment_at(&self, offset: u64) -> Option<(u64, Segment)> {
        let (start, segment) = self.segments.range(..=offset).next_back()?;
        (start + segment.size > offset).then_some((*start, *segment))
    }

    /// Makes room: what overlaps is cut off.
    fn clear(&mut self, ground: &mut Ground, offset: u64, size: u64) {
        let end = offset + size;
        let first = self.segment_at(offset).map_or(offset, |(start, _)| start);
        let hit: Vec<(u64, Segment)> = self
            .segments
            .range(first..end)
            .map(|(start, segment)| (*start, *segment))
            .collect();
        for (start, segment) in hit {
            self.segments.remove(&start);
            let segment_end = start + segment.size;
            let mut keep = |from: u64, to: u64| {
                let content = match segment.content {
                    Written::Fill(byte) => Written::Fill(byte),
                    Written::Term(_) => {
                        Written::Term(ground.slice(segment, from - start, to - from))
                    }
                };
                let size = to - from;
                self.segments.insert(from, Segment { size, content });
            };
            if start < offset {
                keep(start, offset);
            }
            if segment_end > end {
                keep(end, segment_end);
            }
        }
    }

    fn merged(
        &self,
        ground: &mut Ground,
        condition: TermId,
        other: &Store,
        object: ObjectId,
    ) -> Store {
        let mut bounds = BTreeSet::new();
        for store in [self, other] {
            for (start, segment) in &store.segments {
                bounds.insert(*start);
                bounds.insert(start + segment.size);
            }
        }
        let bounds: Vec<u64> = bounds.into_iter().collect();
        let mut segments = BTreeMap::new();
        let mut skip_to = 0;
        for pair in bounds.windows(2) {
            let (start, end) = (pair[0], pair[1]);
            if start < skip_to {
                continue;
            }
            let (mine, theirs) = (self.segment_at(start), other.segment_at(start));
            if mine.is_none() && theirs.is_none() {
                continue;
            }
            // Where both agree, a segment stays whole.
            if let (Some((at, segment)), Some(same)) = (mine, theirs)
                && (at, segment) == same
                && at == start
            {
                segments.insert(start, segment);
                skip_to = start + segment.size;
                continue;
            }
            let mut at = start;
            while at < end {
                let size = (end - at).min(16);
                let mut side = |found: Option<(u64, Segment)>| match found {
                    Some((start, segment)) => ground.slice(segment, at - start, size),
                    None => ground.untouched(object, at, size),
                };
                let (a, b) = (side(mine), side(theirs));
                let value = ground.terms.ite(condition, a, b);
                let content = Written::Term(value);
                segments.insert(at, Segment { size, content });
                at += size;
            }
        }
        Store { segments }
    }
}
