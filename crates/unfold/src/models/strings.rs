//! Strings. Each call that reads or writes memory is one step.

mod characters;
pub(super) mod numbers;
pub(super) mod text;

use crate::Error;
use crate::calls::{Call, Reply};
use crate::compute::characters as classes;
use crate::compute::words;
use crate::facts::objects::{Content, Object, ObjectKey};
use crate::models::strings::text::{Text, Together};
use crate::omissions::Omission;
use crate::pass::{Flow, Frame, Pass, State};
use formula::TermId;
use formula::Terms;
use library::Strings;
use std::collections::BTreeMap;

/// Pairs of bytes that a call may have to look at.
const MAX_PAIRS: usize = 1 << 14;
/// Limits that are not constants, at most.
const LONGEST_UNKNOWN: u64 = 256;

/// A call in progress.
struct Site<'c> {
    frame: &'c Frame,
    call: &'c Call,
    together: Together,
}

impl<'p> Pass<'p> {
    pub(crate) fn strings_model(
        &mut self,
        state: &mut State,
        frame: &Frame,
        op: Strings,
        call: &Call,
    ) -> Result<Reply, Error> {
        if let Some(reply) = self.character_model(state, frame, op, call)? {
            return Ok(reply);
        }
        let together = Together::default();
        let mut site = Site {
            frame,
            call,
            together,
        };
        let site = &mut site;
        let mut error = None;
        let result = match op {
            Strings::Strlen => {
                let text = self.text_argument(state, site, 0, None)?;
                text.map(|text| self.text_length(&text))
            }
            Strings::Strnlen => {
                let limit = self.limit(site, 1);
                let text = self.text_argument(state, site, 0, Some(limit))?;
                text.map(|text| self.text_length(&text))
            }
            Strings::Strcpy | Strings::Stpcpy | Strings::Strlcpy => {
                self.copy_text(state, site, op)?
            }
            Strings::Strncpy | Strings::Stpncpy => self.copy_padded(state, site, op)?,
            Strings::Strcat | Strings::Strncat | Strings::Strlcat => {
                self.append(state, site, op)?
            }
            Strings::Strcmp | Strings::Strncmp | Strings::Strcasecmp | Strings::Strncasecmp => {
                self.compare_texts(state, site, op)?
            }
            Strings::Strchr | Strings::Strchrnul | Strings::Strrchr => {
                self.find_character(state, site, op)?
            }
            Strings::Strstr | Strings::Strspn | Strings::Strcspn | Strings::Strpbrk => {
                self.search(state, site, op)?
            }
            Strings::Strdup => self.duplicate(state, site, None)?,
            Strings::Strndup => {
                let limit = self.limit(site, 1);
                self.duplicate(state, site, Some(limit))?
            }
            Strings::StrtokR => self.cut_word(state, site)?,
            _ => {
                if self.base_of(frame, op, call)?.is_none() {
                    return Ok(Reply::Return(self.refuse_base(state)));
                }
                let Some(text) = self.text_argument(state, site, 0, None)? else {
                    return Ok(Reply::Never);
                };
                let together = &mut site.together;
                let read = self.number_in_text(state, frame, op, call, &text, together)?;
                read.map(|(number, wrong)| {
                    error = Some(wrong);
                    number
                })
            }
        };
        let Some(result) = result else {
            return Ok(Reply::Never);
        };
        let together = std::mem::take(&mut site.together);
        if self.carry_out(state, together) == Flow::Dead {
            return Ok(Reply::Never);
        }
        if let Some((condition, number)) = error {
            let number = self.int(number);
            self.set_errno(state, condition, number);
        }
        Ok(Reply::Return(result))
    }

    fn limit(&mut self, site: &Site, index: usize) -> TermId {
        let word = self.word();
        self.number(site.call, index, word)
    }

    fn text_argument(
        &mut self,
        state: &mut State,
        site: &mut Site,
        index: usize,
        limit: Option<TermId>,
    ) -> Result<Option<Text>, Error> {
        let address = self.argument(site.call, index);
        let always = self.truth();
        let together = &mut site.together;
        self.read_text(state, site.frame, together, address, limit, always)
    }

    fn few_pairs(&self, site: &Site, a: &Text, b: &Text) -> Result<(), Error> {
        if (a.bytes.len() + 1) * (b.bytes.len() + 1) > MAX_PAIRS {
            return Err(self.unsupported(site.frame, "strings that long"));
        }
        Ok(())
    }

    /// `strcpy`, `stpcpy`, and `strlcpy`, which copies only what fits.
    fn copy_text(
        &mut self,
        state: &mut State,
        site: &mut Site,
        op: Strings,
    ) -> Result<Option<TermId>, Error> {
        let Some(mut text) = self.text_argument(state, site, 1, None)? else {
            return Ok(None);
        };
        let length = self.text_length(&text);
        let to = self.argument(site.call, 0);
        let mut is_copied = self.truth();
        if op == Strings::Strlcpy {
            let room = self.limit(site, 2);
            is_copied = self.terms.is_nonzero(room);
            for (at, within) in text.within.iter_mut().enumerate() {
                let fits = text::is_above(&mut self.terms, room, at as u64 + 1);
                *within = self.terms.and(*within, fits);
            }
        }
        if self.terms.as_bool(is_copied) == Some(false) {
            return Ok(Some(length));
        }
        let extent = text.bytes.len() as u64 + 1;
        let together = &mut site.together;
        let Some(targets) = self.open_for_writing(state, site.frame, together, to, extent)? else {
            return Ok(None);
        };
        for at in 0..=text.bytes.len() {
            let reaches = text::reaches(&mut self.terms, &text, at);
            let condition = self.terms.and(reaches, is_copied);
            let byte = text::byte_or_zero(&mut self.terms, &text, at);
            self.plan_write(together, &targets, at as u64, 1, condition, byte);
        }
        Ok(Some(match op {
            Strings::Strcpy => to,
            Strings::Stpcpy => self.terms.add(to, length),
            _ => length,
        }))
    }

    /// `strncpy` and `stpncpy`: the rest is filled with zeros.
    fn copy_padded(
        &mut self,
        state: &mut State,
        site: &mut Site,
        op: Strings,
    ) -> Result<Option<TermId>, Error> {
        let limit = self.limit(site, 2);
        let most = match self.terms.as_constant(limit) {
            Some(limit) => limit as u64,
            None => *self.terms.range(limit).unsigned().end() as u64,
        };
        let is_constant = self.terms.as_constant(limit).is_some();
        if most > if is_constant { 4096 } else { LONGEST_UNKNOWN } {
            return Err(self.unsupported(site.frame, "copying a string that long"));
        }
        let Some(text) = self.text_argument(state, site, 1, Some(limit))? else {
            return Ok(None);
        };
        let to = self.argument(site.call, 0);
        let together = &mut site.together;
        let Some(targets) = self.open_for_writing(state, site.frame, together, to, most)? else {
            return Ok(None);
        };
        for at in 0..most {
            let condition = text::is_above(&mut self.terms, limit, at);
            let byte = text::byte_or_zero(&mut self.terms, &text, at as usize);
            self.plan_write(together, &targets, at, 1, condition, byte);
        }
        let length = self.text_length(&text);
        Ok(Some(match op {
            Strings::Strncpy => to,
            _ => self.terms.add(to, length),
        }))
    }

    fn append(
        &mut self,
        state: &mut State,
        site: &mut Site,
        op: Strings,
    ) -> Result<Option<TermId>, Error> {
        let limit = self.limit(site, 2);
        let (room, source_limit) = match op {
            Strings::Strlcat => (Some(limit), None),
            Strings::Strncat => (None, Some(limit)),
            _ => (None, None),
        };
        let Some(before) = self.text_argument(state, site, 0, room)? else {
            return Ok(None);
        };
        let Some(text) = self.text_argument(state, site, 1, source_limit)? else {
            return Ok(None);
        };
        self.few_pairs(site, &before, &text)?;
        let to = self.argument(site.call, 0);
        let extent = (before.bytes.len() + text.bytes.len()) as u64 + 1;
        let together = &mut site.together;
        let Some(targets) = self.open_for_writing(state, site.frame, together, to, extent)? else {
            return Ok(None);
        };
        // What each byte becomes, and when.
        let mut written: BTreeMap<usize, (TermId, TermId)> = BTreeMap::new();
        for start in 0..=before.bytes.len() {
            let begins = text::ends_at(&mut self.terms, &before, start);
            if self.terms.as_bool(begins) == Some(false) {
                continue;
            }
            for at in 0..=text.bytes.len() {
                let reaches = text::reaches(&mut self.terms, &text, at);
                let mut condition = self.terms.and(begins, reaches);
                let mut byte = text::byte_or_zero(&mut self.terms, &text, at);
                if let Some(room) = room {
                    let fits = text::is_above(&mut self.terms, room, (start + at) as u64);
                    condition = self.terms.and(condition, fits);
                    let has_next = text::is_above(&mut self.terms, room, (start + at) as u64 + 1);
                    let zero = self.terms.constant(8, 0);
                    byte = self.terms.ite(has_next, byte, zero);
                }
                let new = match written.get(&(start + at)) {
                    None => (condition, byte),
                    Some((other, old)) => (
                        self.terms.or(condition, *other),
                        self.terms.ite(condition, byte, *old),
                    ),
                };
                written.insert(start + at, new);
            }
        }
        for (at, (condition, byte)) in written {
            self.plan_write(together, &targets, at as u64, 1, condition, byte);
        }
        if op != Strings::Strlcat {
            return Ok(Some(to));
        }
        let (first, second) = (self.text_length(&before), self.text_length(&text));
        Ok(Some(self.terms.add(first, second)))
    }

    fn compare_texts(
        &mut self,
        state: &mut State,
        site: &mut Site,
        op: Strings,
    ) -> Result<Option<TermId>, Error> {
        let limit = match op {
            Strings::Strncmp | Strings::Strncasecmp => Some(self.limit(site, 2)),
            _ => None,
        };
        let Some(left) = self.text_argument(state, site, 0, limit)? else {
            return Ok(None);
        };
        let Some(right) = self.text_argument(state, site, 1, limit)? else {
            return Ok(None);
        };
        let ignores_case = matches!(op, Strings::Strcasecmp | Strings::Strncasecmp);
        let (less, equal, greater) = (self.int(0xffff_ffff), self.int(0), self.int(1));
        let mut result = equal;
        for at in (0..left.bytes.len().max(right.bytes.len())).rev() {
            let (mut a, mut b) = (
                text::byte_or_zero(&mut self.terms, &left, at),
                text::byte_or_zero(&mut self.terms, &right, at),
            );
            if ignores_case {
                (a, b) = (
                    classes::lower_case(&mut self.terms, a),
                    classes::lower_case(&mut self.terms, b),
                );
            }
            let is_less = self.terms.unsigned_less(a, b);
            let is_greater = self.terms.unsigned_less(b, a);
            // Behind the end of both, nothing differs any more.
            result = self.terms.ite(is_greater, greater, result);
            result = self.terms.ite(is_less, less, result);
        }
        Ok(Some(result))
    }

    fn find_character(
        &mut self,
        state: &mut State,
        site: &mut Site,
        op: Strings,
    ) -> Result<Option<TermId>, Error> {
        let Some(text) = self.text_argument(state, site, 0, None)? else {
            return Ok(None);
        };
        let start = self.argument(site.call, 0);
        let wanted = self.number(site.call, 1, 8);
        let length = self.text_length(&text);
        let end = self.terms.add(start, length);
        let word = self.word();
        let null = self.terms.constant(word, 0);
        // The zero byte is part of the string here.
        let is_end = words::is_zero(&mut self.terms, wanted);
        let otherwise = if op == Strings::Strchrnul { end } else { null };
        let mut result = self.terms.ite(is_end, end, otherwise);
        let mut places: Vec<usize> = (0..text.bytes.len()).collect();
        if op != Strings::Strrchr {
            places.reverse();
        }
        for at in places {
            let is_equal = self.terms.equal(text.bytes[at], wanted);
            let hit = self.terms.and(text.within[at], is_equal);
            let place = self.advanced(start, at as u64);
            result = self.terms.ite(hit, place, result);
        }
        Ok(Some(result))
    }

    fn search(
        &mut self,
        state: &mut State,
        site: &mut Site,
        op: Strings,
    ) -> Result<Option<TermId>, Error> {
        let Some(text) = self.text_argument(state, site, 0, None)? else {
            return Ok(None);
        };
        let Some(wanted) = self.text_argument(state, site, 1, None)? else {
            return Ok(None);
        };
        self.few_pairs(site, &text, &wanted)?;
        let start = self.argument(site.call, 0);
        let word = self.word();
        let mut result = match op {
            Strings::Strspn | Strings::Strcspn => self.text_length(&text),
            _ => self.terms.constant(word, 0),
        };
        for at in (0..=text.bytes.len()).rev() {
            let hit = if op == Strings::Strstr {
                occurs_at(&mut self.terms, &text, at, &wanted)
            } else if at == text.bytes.len() {
                continue;
            } else {
                let mut stops = is_among(&mut self.terms, text.bytes[at], &wanted);
                if op == Strings::Strspn {
                    stops = self.terms.not(stops);
                }
                self.terms.and(text.within[at], stops)
            };
            let place = match op {
                Strings::Strspn | Strings::Strcspn => self.terms.constant(word, at as u128),
                _ => self.advanced(start, at as u64),
            };
            result = self.terms.ite(hit, place, result);
        }
        Ok(Some(result))
    }

    fn duplicate(
        &mut self,
        state: &mut State,
        site: &mut Site,
        limit: Option<TermId>,
    ) -> Result<Option<TermId>, Error> {
        let Some(text) = self.text_argument(state, site, 0, limit)? else {
            return Ok(None);
        };
        let lengths = 0..=text.bytes.len();
        let variants = lengths.map(|len| {
            let bytes = text.bytes[..len].to_vec();
            (text::ends_at(&mut self.terms, &text, len), bytes)
        });
        let variants: Vec<_> = variants.collect();
        let (block, _) = self.block_with(state, site.frame, &variants)?;
        Ok(Some(block))
    }

    /// A fresh block for one of several texts, and its zero byte. Making it is not
    /// a step: functions that allocate on the way do not wait for that. Null if there
    /// is no memory; also says when that is.
    pub(crate) fn block_with(
        &mut self,
        state: &mut State,
        frame: &Frame,
        variants: &[(TermId, Vec<TermId>)],
    ) -> Result<(TermId, TermId), Error> {
        let fails = match self.options.surroundings.malloc_may_fail {
            true => self.is_allocation_lost(frame),
            false => self.terms.bool(false),
        };
        let (is_made, error) = (self.terms.not(fails), self.int(super::ENOMEM));
        self.set_errno(state, fails, error);
        if self.options.can_free && self.options.surroundings.address_reuse {
            self.findings.note_omission(Omission::AddressReuse);
        }
        let mut block = None;
        let owner = self.threads.current();
        let zero = self.terms.constant(8, 0);
        // A block of its own for each length, since sizes are exact.
        let mut index = 0;
        for (condition, bytes) in variants {
            index += 1;
            if self.terms.as_bool(*condition) == Some(false) {
                continue;
            }
            let key = ObjectKey::Heap(self.instance(frame, state, 1000 + index));
            let object = self.facts.objects.make(key.clone(), || Object {
                key,
                size: bytes.len() as u64 + 1,
                name: "a copy of a string".to_owned(),
                is_constant: false,
                owner,
                starts_as: Content::Unknown,
            });
            state.memory.create(object);
            let always = self.truth();
            // Nobody else knows the block yet, so it does not matter when exactly.
            let size = bytes.len() as u64 + 1;
            let position = self.aside(state, frame, object, (0, size));
            for (at, byte) in bytes.iter().chain([&zero]).enumerate() {
                self.write_at(state, position, object, at as u64, 1, always, *byte);
            }
            let is_this = self.terms.and(*condition, is_made);
            self.note_block_aside(state, frame, object, is_this);
            let address = self.address(object, 0);
            block = Some(match block {
                None => address,
                Some(other) => self.terms.ite(*condition, address, other),
            });
        }
        match block {
            Some(block) => {
                let word = self.word();
                let null = self.terms.constant(word, 0);
                Ok((self.terms.ite(fails, null, block), fails))
            }
            None => Err(self.unsupported(frame, "a string of no length at all")),
        }
    }

    /// `strtok_r(string or null, delimiters, &state)`.
    fn cut_word(&mut self, state: &mut State, site: &mut Site) -> Result<Option<TermId>, Error> {
        let given = self.argument(site.call, 0);
        let place = self.argument(site.call, 2);
        let size = self.program.target.pointer_bytes;
        let is_null = words::is_zero(&mut self.terms, given);
        let frame = site.frame;
        let mut start = given;
        if self.terms.as_bool(is_null) != Some(false) {
            let together = &mut site.together;
            let saved = self.read_word(state, frame, together, place, size, is_null)?;
            let Some(saved) = saved else {
                return Ok(None);
            };
            start = self.terms.ite(is_null, saved, given);
        }
        let always = self.truth();
        let together = &mut site.together;
        let Some(text) = self.read_text(state, frame, together, start, None, always)? else {
            return Ok(None);
        };
        let Some(delimiters) = self.text_argument(state, site, 1, None)? else {
            return Ok(None);
        };
        self.few_pairs(site, &text, &delimiters)?;
        let word = self.word();
        let length = self.text_length(&text);
        let mut result = self.terms.constant(word, 0);
        let mut rest = self.terms.add(start, length);
        let mut begun = self.terms.bool(false);
        let mut is_over = self.terms.bool(false);
        let mut cuts = Vec::new();
        for at in 0..text.bytes.len() {
            let is_delimiter = is_among(&mut self.terms, text.bytes[at], &delimiters);
            let is_letter = self.terms.not(is_delimiter);
            let is_idle = self.terms.not(begun);
            let begins = self.terms.all(&[text.within[at], is_letter, is_idle]);
            let here = self.advanced(start, at as u64);
            result = self.terms.ite(begins, here, result);
            let is_open = self.terms.not(is_over);
            let ends = (self.terms).all(&[text.within[at], begun, is_delimiter, is_open]);
            let behind = self.advanced(start, at as u64 + 1);
            rest = self.terms.ite(ends, behind, rest);
            cuts.push(ends);
            begun = self.terms.or(begun, begins);
            is_over = self.terms.or(is_over, ends);
        }
        if self.terms.as_bool(is_over) != Some(false) {
            let extent = cuts.len() as u64;
            let together = &mut site.together;
            let Some(targets) = self.open_for_writing(state, frame, together, start, extent)?
            else {
                return Ok(None);
            };
            let zero = self.terms.constant(8, 0);
            for (at, ends) in cuts.into_iter().enumerate() {
                self.plan_write(together, &targets, at as u64, 1, ends, zero);
            }
        }
        let together = &mut site.together;
        match self.plan_store(state, frame, together, place, rest, always)? {
            Flow::Dead => Ok(None),
            Flow::Next => Ok(Some(result)),
        }
    }
}

/// Whether a byte is one of a text's.
pub(super) fn is_among(terms: &mut Terms, byte: TermId, set: &Text) -> TermId {
    let mut hits = Vec::new();
    for (member, within) in set.bytes.iter().zip(&set.within) {
        let is_equal = terms.equal(byte, *member);
        hits.push(terms.and(*within, is_equal));
    }
    terms.any(&hits)
}

pub(super) fn occurs_at(terms: &mut Terms, text: &Text, at: usize, wanted: &Text) -> TermId {
    let mut all = vec![text::reaches(terms, text, at)];
    for (index, (byte, within)) in wanted.bytes.iter().zip(&wanted.within).enumerate() {
        let here = text::byte_or_zero(terms, text, at + index);
        let is_equal = terms.equal(here, *byte);
        all.push(terms.implies(*within, is_equal));
    }
    terms.all(&all)
}
