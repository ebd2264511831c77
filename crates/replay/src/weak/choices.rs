//! What a model leaves open for the next event of a run: which writes a read may
//! see, and where a write may come in the order of writes.
//!
//! Each possibility is tried: the event is added, the model is asked, the event is
//! taken away again. What is newest is always possible, and comes first.

use super::graph::{Event, EventId, Graph, Kind, Piece, Range};
use super::model::Model;

/// Accesses that overlap without being the same have more than one possibility:
/// no model says what that means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct MixedSizes;

/// Whose turn it is, and with what: an event without sources and values.
pub(crate) struct Trial<'g> {
    pub graph: &'g mut Graph,
    pub model: &'g dyn Model,
    pub event: Event,
}

impl Trial<'_> {
    fn range(&self) -> Option<Range> {
        self.event.range().copied()
    }

    /// What a read may see, the newest first. A read-modify-write comes right after
    /// that. The pieces are those of each answer.
    pub(crate) fn sources(&mut self) -> Result<Vec<Vec<Piece>>, MixedSizes> {
        let Some(range) = self.range() else {
            return Ok(Vec::new());
        };
        let known = self.known(&range);
        let groups = self.groups(&range);
        let newest: Vec<Piece> = groups.iter().filter_map(Group::newest).collect();
        let mut answers = vec![newest];
        for group in &groups {
            for source in group.older().iter().rev() {
                if known.is_some_and(|known| self.graph.position(*source) < known) {
                    break;
                }
                let piece = group.piece(*source);
                let event = self.seeing(piece);
                let allows = match event.is_update() {
                    true => self.allows_write(event, self.graph.position(*source) + 1),
                    false => self.allows_read(event),
                };
                if !allows {
                    continue;
                }
                if !self.is_uniform(&range, group, *source) {
                    return Err(MixedSizes);
                }
                answers.push(vec![piece]);
            }
        }
        Ok(answers)
    }

    /// Where a write may come in the order of its object, the last place first.
    pub(crate) fn places(&mut self) -> Result<Vec<usize>, MixedSizes> {
        let Some(range) = self.range() else {
            return Ok(Vec::new());
        };
        let known = self.known(&range);
        let mut answers = vec![self.graph.order(range.object).len()];
        for later in self.graph.writes_to(&range).into_iter().rev() {
            let event = &self.graph.events[later];
            let Some(other) = event.range().copied().filter(|_| !event.is_initial()) else {
                continue;
            };
            let position = self.graph.position(later);
            if known.is_some_and(|known| position <= known) {
                break;
            }
            if other == range {
                if self.allows_write(self.event.clone(), position) {
                    answers.push(position);
                }
            } else if self.may_precede(&range, &other, position) {
                return Err(MixedSizes);
            }
        }
        Ok(answers)
    }

    /// Whether a write may come before one of another size, as far as the bytes of
    /// both are concerned.
    fn may_precede(&mut self, range: &Range, other: &Range, position: usize) -> bool {
        let offset = range.offset.max(other.offset);
        let common = Range {
            object: range.object,
            offset,
            len: range.end().min(other.end()) - offset,
        };
        let event = Event {
            kind: Kind::Write(common),
            ..self.event.clone()
        };
        self.allows_write(event, position)
    }

    /// The newest write to all of a range that the thread has seen or made: under every
    /// model, what it does next is no older. That saves asking.
    fn known(&self, range: &Range) -> Option<usize> {
        let own = self.graph.events.iter().enumerate().filter(|(_, event)| {
            let is_all = event.range().is_some_and(|other| other.contains(range));
            event.thread == self.event.thread && is_all
        });
        let positions = own.filter_map(|(id, event)| match event.pieces.as_slice() {
            _ if event.writes() => Some(self.graph.position(id)),
            [piece] => Some(self.graph.position(piece.source)),
            _ => None,
        });
        positions.max()
    }

    fn allows_read(&mut self, event: Event) -> bool {
        self.graph.push(event);
        let allows = self.model.allows(self.graph);
        self.graph.pop();
        allows
    }

    fn allows_write(&mut self, event: Event, position: usize) -> bool {
        self.graph.push_write(event, position);
        let allows = self.model.allows(self.graph);
        self.graph.pop();
        allows
    }

    fn seeing(&self, piece: Piece) -> Event {
        Event {
            pieces: vec![piece],
            ..self.event.clone()
        }
    }

    /// An older write can be seen on its own only if it, and all that is newer, is
    /// of the size of the access.
    fn is_uniform(&self, range: &Range, group: &Group, source: EventId) -> bool {
        let is_all = group.offset == range.offset && group.len == range.len;
        let from = group.writes.iter().skip_while(|write| **write != source);
        is_all
            && from.into_iter().all(|write| {
                let event = &self.graph.events[*write];
                match &event.kind {
                    Kind::Initial(initial) => initial.contains(range),
                    _ => event.range() == Some(range),
                }
            })
    }

    /// The bytes of a range, those together that the same writes have written.
    fn groups(&self, range: &Range) -> Vec<Group> {
        let writes = self.graph.writes_to(range);
        let mut borders = vec![range.offset, range.end()];
        for write in &writes {
            if let Some(other) = self.graph.events[*write].range() {
                let inside = [other.offset, other.end()].into_iter();
                borders.extend(inside.filter(|at| (range.offset..range.end()).contains(at)));
            }
        }
        borders.sort_unstable();
        borders.dedup();
        let groups = borders.windows(2).map(|border| {
            let bytes = Range {
                object: range.object,
                offset: border[0],
                len: border[1] - border[0],
            };
            let covers = |write: &EventId| {
                let other = self.graph.events[*write].range();
                other.is_some_and(|other| other.contains(&bytes))
            };
            Group {
                offset: bytes.offset,
                len: bytes.len,
                writes: writes.iter().copied().filter(covers).collect(),
            }
        });
        groups.collect()
    }
}

/// Bytes that the same writes have written, in their order.
struct Group {
    offset: u64,
    len: u64,
    writes: Vec<EventId>,
}

impl Group {
    fn piece(&self, source: EventId) -> Piece {
        Piece {
            offset: self.offset,
            len: self.len,
            source,
        }
    }

    fn older(&self) -> &[EventId] {
        self.writes.split_last().map_or(&[], |(_, older)| older)
    }

    fn newest(&self) -> Option<Piece> {
        self.writes.last().map(|newest| self.piece(*newest))
    }
}
