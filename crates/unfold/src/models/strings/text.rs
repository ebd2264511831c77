//! Texts in memory, and library calls that touch several places in one step.
//!
//! A text is a chain of conditions: each byte belongs to it if all before it do
//! and it is not zero. Where the bytes are constants, so are the conditions.

use crate::Error;
use crate::access::{Target, Targets};
use crate::checks::Check;
use crate::facts::objects::Content;
use crate::pass::{Flow, Frame, Pass, State};
use crate::validity::Seen;
use formula::TermId;
use formula::Terms;

/// Bytes of a text that are not constants, at most.
const UNKNOWN_BYTES: usize = 256;
/// All bytes of a text, at most.
const ALL_BYTES: u64 = 1 << 14;

/// Bytes up to a zero byte or a limit, whichever comes first.
#[derive(Clone, Default)]
pub(crate) struct Text {
    pub bytes: Vec<TermId>,
    /// Whether each byte belongs to the text. Implies the same of those before it.
    pub within: Vec<TermId>,
}

/// What a call does in one step: everything is read and checked before anything
/// is written.
#[derive(Default)]
pub(crate) struct Together {
    pub position: Option<usize>,
    /// Which step of the call it is.
    part: u32,
    /// Each of these would be undefined.
    wrong: Vec<TermId>,
    writes: Vec<Write>,
}

impl Together {
    /// A step of a call that is not its first.
    pub(crate) fn of_part(part: u32) -> Together {
        Together {
            part,
            ..Together::default()
        }
    }
}

struct Write {
    target: Target,
    size: u64,
    condition: TermId,
    value: TermId,
}

impl<'p> Pass<'p> {
    /// Adds places to a step, of which at most `extent` bytes are of interest.
    pub(crate) fn open(
        &mut self,
        state: &mut State,
        frame: &Frame,
        together: &mut Together,
        targets: &Targets,
        extent: u64,
    ) -> Flow {
        let mut is_noticed = false;
        for target in &targets.list {
            let rest = self.facts.objects[target.object].size - target.offset;
            is_noticed |= self.is_visible(target.object, target.offset, rest.min(extent));
        }
        let anywhere = Targets {
            list: targets.list.clone(),
            valid: self.truth(),
            seen: Seen::AtStep,
            only_where: None,
        };
        // Once the call is a step, everything belongs to it.
        let outside = state.atomic;
        if let Some(position) = together.position {
            state.atomic = Some((position, 1));
        }
        let part = together.part;
        let begun = self.begin_step(state, frame, &anywhere, 0, part, is_noticed);
        state.atomic = outside;
        match begun {
            Ok(position) => {
                together.position = together.position.or(position);
                Flow::Next
            }
            Err(flow) => flow,
        }
    }

    /// When so many bytes lie at a distance from an address.
    fn fits(&mut self, targets: &Targets, at: u64, size: u64) -> TermId {
        let mut fine = Vec::new();
        let mut always_fits = true;
        for target in &targets.list {
            let end = target.offset + at + size;
            if end > self.facts.objects[target.object].size {
                always_fits = false;
                continue;
            }
            let fits = self.extends(target.object, end);
            always_fits &= self.terms.as_bool(fits) == Some(true);
            fine.push(self.terms.and(target.condition, fits));
        }
        match always_fits {
            true => targets.valid,
            false => self.terms.any(&fine),
        }
    }

    /// The step is undefined where the condition holds.
    pub(crate) fn undefined_if(&mut self, together: &mut Together, condition: TermId) {
        if self.terms.as_bool(condition) != Some(false) {
            together.wrong.push(condition);
        }
    }

    /// Requires that so many bytes are there.
    pub(crate) fn require_room(
        &mut self,
        together: &mut Together,
        targets: &Targets,
        at: u64,
        size: u64,
        condition: TermId,
    ) {
        let fits = self.fits(targets, at, size);
        let beyond = self.terms.not(fits);
        let wrong = self.terms.and(condition, beyond);
        self.undefined_if(together, wrong);
    }

    fn read_byte(
        &mut self,
        state: &State,
        frame: &Frame,
        position: Option<usize>,
        targets: &Targets,
        at: u64,
        condition: TermId,
    ) -> TermId {
        let mut value = None;
        for target in targets.list.iter().rev() {
            let object = &self.facts.objects[target.object];
            let offset = target.offset + at;
            if offset >= object.size {
                continue;
            }
            let is_unwritten = matches!(object.starts_as, Content::Unknown)
                && !state.memory.has_written(target.object, offset, 1);
            let when = self.terms.and(condition, target.condition);
            let here = self.read_at(state, position, target.object, offset, 1, when);
            if is_unwritten && position.is_none() && targets.list.len() == 1 {
                self.threads.note_input(frame, here);
            }
            value = Some(match value {
                None => here,
                Some(other) => self.terms.ite(target.condition, here, other),
            });
        }
        value.unwrap_or_else(|| self.terms.constant(8, 0))
    }

    /// Reads a text, if the condition holds; `None` if no path goes on.
    pub(crate) fn read_text(
        &mut self,
        state: &mut State,
        frame: &Frame,
        together: &mut Together,
        address: TermId,
        limit: Option<TermId>,
        condition: TermId,
    ) -> Result<Option<Text>, Error> {
        let targets = self.resolve(frame, address, 0, false)?;
        if self.open(state, frame, together, &targets, u64::MAX) == Flow::Dead {
            return Ok(None);
        }
        let mut text = Text::default();
        let mut goes_on = condition;
        let mut unknown = 0;
        for at in 0..=ALL_BYTES {
            self.tick()?;
            if let Some(limit) = limit {
                let more = is_above(&mut self.terms, limit, at);
                goes_on = self.terms.and(goes_on, more);
            }
            if self.terms.as_bool(goes_on) == Some(false) {
                return Ok(Some(text));
            }
            self.require_room(together, &targets, at, 1, goes_on);
            let fits = self.fits(&targets, at, 1);
            goes_on = self.terms.and(goes_on, fits);
            if self.terms.as_bool(goes_on) == Some(false) {
                return Ok(Some(text));
            }
            let byte = self.read_byte(state, frame, together.position, &targets, at, goes_on);
            let is_part = self.terms.is_nonzero(byte);
            goes_on = self.terms.and(goes_on, is_part);
            if self.terms.as_bool(goes_on) == Some(false) {
                return Ok(Some(text));
            }
            text.bytes.push(byte);
            text.within.push(goes_on);
            unknown += usize::from(self.terms.as_bool(goes_on).is_none());
            if unknown > UNKNOWN_BYTES {
                break;
            }
        }
        let what = format!("a string of more than {UNKNOWN_BYTES} unknown bytes");
        Err(self.unsupported(frame, what))
    }

    /// Reads so many bytes, if the condition holds; `None` if no path goes on.
    pub(crate) fn read_range(
        &mut self,
        state: &mut State,
        frame: &Frame,
        together: &mut Together,
        address: TermId,
        size: u64,
        condition: TermId,
    ) -> Result<Option<Vec<TermId>>, Error> {
        let targets = self.resolve(frame, address, 0, false)?;
        if self.open(state, frame, together, &targets, size) == Flow::Dead {
            return Ok(None);
        }
        if size > 0 {
            self.require_room(together, &targets, size - 1, 1, condition);
        }
        let bytes = (0..size)
            .map(|at| self.read_byte(state, frame, together.position, &targets, at, condition))
            .collect();
        Ok(Some(bytes))
    }

    /// Reads a number or a pointer; `None` if no path goes on.
    pub(crate) fn read_word(
        &mut self,
        state: &mut State,
        frame: &Frame,
        together: &mut Together,
        address: TermId,
        size: u64,
        condition: TermId,
    ) -> Result<Option<TermId>, Error> {
        let targets = self.resolve(frame, address, size, false)?;
        if self.open(state, frame, together, &targets, size) == Flow::Dead {
            return Ok(None);
        }
        self.require_room(together, &targets, 0, size, condition);
        let values = self.load_from(state, together.position, &targets, &[(0, size)]);
        Ok(values.first().copied())
    }

    /// Finds places to write to and adds them to the step; `None` if no path goes
    /// on.
    pub(crate) fn open_for_writing(
        &mut self,
        state: &mut State,
        frame: &Frame,
        together: &mut Together,
        address: TermId,
        extent: u64,
    ) -> Result<Option<Targets>, Error> {
        let targets = self.resolve(frame, address, 0, true)?;
        Ok(match self.open(state, frame, together, &targets, extent) {
            Flow::Dead => None,
            Flow::Next => Some(targets),
        })
    }

    /// Plans to write at a distance from an address, if the condition holds.
    pub(crate) fn plan_write(
        &mut self,
        together: &mut Together,
        targets: &Targets,
        at: u64,
        size: u64,
        condition: TermId,
        value: TermId,
    ) {
        if self.terms.as_bool(condition) == Some(false) {
            return;
        }
        self.require_room(together, targets, at, size, condition);
        for target in &targets.list {
            let object = &self.facts.objects[target.object];
            let place = Target {
                offset: target.offset + at,
                ..*target
            };
            if place.offset + size <= object.size {
                let condition = self.terms.and(condition, target.condition);
                together.writes.push(Write {
                    target: place,
                    size,
                    condition,
                    value,
                });
            }
        }
    }

    /// Stores a number through a pointer, if the condition holds.
    pub(crate) fn plan_store(
        &mut self,
        state: &mut State,
        frame: &Frame,
        together: &mut Together,
        address: TermId,
        value: TermId,
        condition: TermId,
    ) -> Result<Flow, Error> {
        let size = u64::from(self.terms.width(value)) / 8;
        let targets = self.resolve(frame, address, size, true)?;
        if self.open(state, frame, together, &targets, size) == Flow::Dead {
            return Ok(Flow::Dead);
        }
        self.plan_write(together, &targets, 0, size, condition, value);
        Ok(Flow::Next)
    }

    /// Checks what was planned and does it.
    pub(crate) fn carry_out(&mut self, state: &mut State, together: Together) -> Flow {
        let wrong = self.terms.any(&together.wrong);
        let fine = self.terms.not(wrong);
        if self.expect(state, Check::Memory, together.position, fine) == Flow::Dead {
            return Flow::Dead;
        }
        for write in together.writes {
            let Target { object, offset, .. } = write.target;
            self.write_at(
                state,
                together.position,
                object,
                offset,
                write.size,
                write.condition,
                write.value,
            );
        }
        Flow::Next
    }

    // Texts.

    pub(crate) fn text_length(&mut self, text: &Text) -> TermId {
        let word = self.word();
        let mut length = self.terms.constant(word, text.bytes.len() as u128);
        for at in (0..text.bytes.len()).rev() {
            let here = self.terms.constant(word, at as u128);
            length = self.terms.ite(text.within[at], length, here);
        }
        length
    }

    /// So many bytes further on.
    pub(crate) fn advanced(&mut self, address: TermId, by: u64) -> TermId {
        let word = self.word();
        let by = self.terms.constant(word, u128::from(by));
        self.terms.add(address, by)
    }
}

/// A byte of the text, or zero behind its end.
pub(crate) fn byte_or_zero(terms: &mut Terms, text: &Text, at: usize) -> TermId {
    let zero = terms.constant(8, 0);
    match text.bytes.get(at) {
        None => zero,
        Some(byte) => terms.ite(text.within[at], *byte, zero),
    }
}

/// The bytes, if all are constants.
pub(crate) fn constant_text(terms: &Terms, text: &Text) -> Option<Vec<u8>> {
    let is_certain = |within: &TermId| terms.as_bool(*within) == Some(true);
    if !text.within.iter().all(is_certain) {
        return None;
    }
    let byte = |byte: &TermId| terms.as_constant(*byte).map(|byte| byte as u8);
    text.bytes.iter().map(byte).collect()
}

/// Whether a text has exactly so many bytes.
pub(crate) fn ends_at(terms: &mut Terms, text: &Text, len: usize) -> TermId {
    let comes_this_far = reaches(terms, text, len);
    let longer = reaches(terms, text, len + 1);
    let ends = terms.not(longer);
    terms.and(comes_this_far, ends)
}

/// Whether a number is above a constant.
pub(crate) fn is_above(terms: &mut Terms, number: TermId, least: u64) -> TermId {
    let width = terms.width(number);
    let least = terms.constant(width, u128::from(least));
    terms.unsigned_less(least, number)
}

/// Whether a text has at least so many bytes.
pub(crate) fn reaches(terms: &mut Terms, text: &Text, len: usize) -> TermId {
    match len.checked_sub(1) {
        None => terms.bool(true),
        Some(last) => match text.within.get(last) {
            Some(within) => *within,
            None => terms.bool(false),
        },
    }
}
