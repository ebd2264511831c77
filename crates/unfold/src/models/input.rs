//! Input: exact where it comes from a constant string, and anything at all where
//! it comes from outside.

pub(super) mod format_language;

use crate::Error;
use crate::access::Targets;
use crate::calls::{Call, Reply};
use crate::compute::words;
use crate::facts::objects::{Content, Object, ObjectKey};
use crate::models::output::Arguments;
use crate::models::strings::text;
use crate::models::strings::text::Together;
use crate::pass::{Flow, Frame, Pass, State};
use format_language::{Directive, Item, Kind};
use formula::{Range, TermId};
use library::Input;

const ENOENT: u128 = 2;
const EOF: u128 = 0xffff_ffff;
/// Bytes from outside in one call, at most.
const MAX_BYTES: u64 = 1024;

impl<'p> Pass<'p> {
    pub(crate) fn input_model(
        &mut self,
        state: &mut State,
        frame: &Frame,
        op: Input,
        call: &Call,
    ) -> Result<Reply, Error> {
        let mut together = Together::default();
        let stream = match op {
            Input::Fscanf | Input::Getc | Input::Feof | Input::Ferror | Input::Fileno => Some(0),
            Input::Fclose => Some(0),
            Input::Ungetc => Some(1),
            Input::Fgets => Some(2),
            Input::Fread => Some(3),
            _ => None,
        };
        if let Some(index) = stream
            && self.use_stream(state, frame, &mut together, call, index)? == Flow::Dead
        {
            return Ok(Reply::Never);
        }
        let together = &mut together;
        let result = match op {
            Input::Sscanf => self.scan_string(state, frame, together, call, false)?,
            Input::Vsscanf => self.scan_string(state, frame, together, call, true)?,
            Input::Scanf => self.scan_outside(state, frame, together, call, 0)?,
            Input::Fscanf => self.scan_outside(state, frame, together, call, 1)?,
            Input::Fgets => self.read_line(state, frame, together, call)?,
            Input::Fread => self.read_block(state, frame, together, true, call)?,
            Input::Fopen => self.open_stream(state, frame, together, call)?,
            Input::Fclose => {
                self.close_stream(state, frame, together, call)?;
                Some(self.int(0))
            }
            Input::Getchar | Input::Getc => {
                let answer = self.answer(frame, 257);
                let one = self.terms.constant(64, 1);
                Some(self.terms.sub(answer, one))
            }
            Input::Ungetc => {
                let character = self.number(call, 0, 32);
                let is_eof = words::is_number(&mut self.terms, character, EOF);
                let byte = self.terms.extract(character, 7, 0);
                let byte = self.terms.resize(byte, 32);
                Some(self.terms.ite(is_eof, character, byte))
            }
            Input::Ferror => Some(self.int(0)),
            Input::Feof => Some(self.answer(frame, 1 << 32)),
            Input::Fileno => {
                // One of the three that are always there, or one of a range of their own.
                let number = self.answer(frame, 515);
                let three = self.terms.constant(64, 3);
                let is_standard = self.terms.unsigned_less(number, three);
                let distance = self.terms.constant(64, 509);
                let other = self.terms.add(number, distance);
                Some(self.terms.ite(is_standard, number, other))
            }
            Input::Isatty => Some(self.answer(frame, 2)),
        };
        let Some(result) = result else {
            return Ok(Reply::Never);
        };
        match self.carry_out(state, std::mem::take(together)) {
            Flow::Dead => Ok(Reply::Never),
            Flow::Next => Ok(Reply::Return(result)),
        }
    }

    /// One of so many answers from outside.
    fn answer(&mut self, frame: &Frame, count: u64) -> TermId {
        if count <= 1 {
            return self.terms.constant(64, 0);
        }
        let range = Range::from_unsigned(64, 0..=u128::from(count) - 1);
        let value = self.terms.new_variable_in("answer", range);
        self.threads.note_input(frame, value);
        value
    }

    /// So many bytes from outside, as many as fit into one answer at a time.
    fn answer_bytes(&mut self, frame: &Frame, count: u64) -> Vec<TermId> {
        let mut bytes = Vec::new();
        while (bytes.len() as u64) < count {
            let size = (count - bytes.len() as u64).min(16) as u32;
            let answer = self.input(frame, "bytes", 8 * size);
            for index in 0..size {
                bytes.push(self.terms.extract(answer, 8 * index + 7, 8 * index));
            }
        }
        bytes
    }

    // From strings.

    fn directives(
        &mut self,
        state: &mut State,
        frame: &Frame,
        together: &mut Together,
        call: &Call,
        index: usize,
    ) -> Result<Option<Vec<Directive>>, Error> {
        let always = self.truth();
        let format = self.argument(call, index);
        let Some(format) = self.read_text(state, frame, together, format, None, always)? else {
            return Ok(None);
        };
        let format = text::constant_text(&self.terms, &format);
        match format.and_then(|format| format_language::directives(&format)) {
            Some(directives) => Ok(Some(directives)),
            None => Err(self.unsupported(frame, "such a format for reading")),
        }
    }

    fn scan_string(
        &mut self,
        state: &mut State,
        frame: &Frame,
        together: &mut Together,
        call: &Call,
        is_list: bool,
    ) -> Result<Option<TermId>, Error> {
        let always = self.truth();
        let arguments = self.arguments_after(state, frame, together, call, 1, is_list)?;
        let Some(mut arguments) = arguments else {
            return Ok(None);
        };
        let address = self.argument(call, 0);
        let Some(text) = self.read_text(state, frame, together, address, None, always)? else {
            return Ok(None);
        };
        let Some(directives) = self.directives(state, frame, together, call, 1)? else {
            return Ok(None);
        };
        let Some(text) = text::constant_text(&self.terms, &text) else {
            return Err(self.unsupported(frame, "reading values from a string that is not known"));
        };
        let Some(scanned) = format_language::scan(&directives, &text, self.word()) else {
            return Err(self.unsupported(frame, "reading floating-point numbers by a format"));
        };
        for item in scanned.items {
            let place = self.next_place(state, frame, together, call, &mut arguments)?;
            let Some(place) = place else {
                return Ok(None);
            };
            let bytes = match item {
                Item::Bytes(bytes) => bytes,
                Item::Integer { bits, value } => value.to_le_bytes()[..bits as usize / 8].to_vec(),
            };
            let extent = bytes.len() as u64;
            let Some(targets) = self.open_for_writing(state, frame, together, place, extent)?
            else {
                return Ok(None);
            };
            for ((at, len), value) in chunks(&bytes) {
                let value = self.terms.constant(8 * len as u32, value);
                self.plan_write(together, &targets, at, len, always, value);
            }
        }
        if let Arguments::Listed(rest) = arguments
            && self.leave_list(state, frame, together, call, 2, rest)? == Flow::Dead
        {
            return Ok(None);
        }
        Ok(Some(self.int(u128::from(scanned.result as u32))))
    }

    fn next_place(
        &mut self,
        state: &mut State,
        frame: &Frame,
        together: &mut Together,
        call: &Call,
        arguments: &mut Arguments,
    ) -> Result<Option<TermId>, Error> {
        let size = self.program.target.pointer_bytes;
        self.next_argument(state, frame, together, call, arguments, size, false)
    }

    // From outside.

    fn scan_outside(
        &mut self,
        state: &mut State,
        frame: &Frame,
        together: &mut Together,
        call: &Call,
        format: usize,
    ) -> Result<Option<TermId>, Error> {
        let Some(directives) = self.directives(state, frame, together, call, format)? else {
            return Ok(None);
        };
        let mut arguments = Arguments::Given(format + 1);
        let mut wanted = Vec::new();
        for directive in directives {
            let Directive::Conversion(conversion) = directive else {
                continue;
            };
            if !conversion.is_stored {
                continue;
            }
            let place = self.next_place(state, frame, together, call, &mut arguments)?;
            let Some(place) = place else {
                return Ok(None);
            };
            let targets = self.resolve(frame, place, 0, true)?;
            let room = self.room(&targets, &conversion);
            if room > MAX_BYTES {
                return Err(self.unsupported(frame, "reading words that long"));
            }
            if self.open(state, frame, together, &targets, room) == Flow::Dead {
                return Ok(None);
            }
            let always = self.truth();
            self.require_room(together, &targets, 0, room, always);
            wanted.push((conversion, targets, room));
        }
        let is_counted = |kind: &Kind| *kind != Kind::Position;
        let most = wanted
            .iter()
            .filter(|(it, ..)| is_counted(&it.kind))
            .count();
        let count = self.answer(frame, most as u64 + 2);
        let mut done = 0;
        let last = wanted.len();
        for (index, (conversion, targets, room)) in wanted.into_iter().enumerate() {
            done += u64::from(is_counted(&conversion.kind));
            // The first answer is that there is nothing to read.
            let condition = text::is_above(&mut self.terms, count, done);
            let letters = match &conversion.kind {
                Kind::Word(letters) => letters,
                Kind::Characters => {
                    let bytes = self.answer_bytes(frame, room);
                    for (at, byte) in bytes.into_iter().enumerate() {
                        self.plan_write(together, &targets, at as u64, 1, condition, byte);
                    }
                    continue;
                }
                _ => {
                    let value = self.answer_number(frame, &conversion);
                    let size = u64::from(self.terms.width(value)) / 8;
                    self.plan_write(together, &targets, 0, size, condition, value);
                    continue;
                }
            };
            if index + 1 < last {
                // How many inputs a word takes depends on its length.
                return Err(self.unsupported(frame, "reading anything after a word"));
            }
            self.answer_word(frame, together, &targets, room, letters, condition);
        }
        let one = self.terms.constant(64, 1);
        Ok(Some(self.terms.sub(count, one)))
    }

    /// The bytes that a conversion may write. Words without a given width fit.
    fn room(&self, targets: &Targets, conversion: &format_language::Conversion) -> u64 {
        match &conversion.kind {
            Kind::Characters => conversion.width.unwrap_or(1),
            Kind::Word(_) => conversion.width.map_or_else(
                || {
                    let rests = targets
                        .list
                        .iter()
                        .map(|target| self.facts.objects[target.object].size - target.offset);
                    rests.min().unwrap_or(0).max(2)
                },
                |width| width.saturating_add(1),
            ),
            _ => u64::from(self.bits_in(conversion)) / 8,
        }
    }

    fn bits_in(&self, conversion: &format_language::Conversion) -> u32 {
        match (&conversion.kind, conversion.bits) {
            (Kind::Pointer, _) => self.word(),
            (Kind::Float, 0) => 64,
            (_, 0) => self.word(),
            (_, bits) => bits,
        }
    }

    fn answer_number(&mut self, frame: &Frame, conversion: &format_language::Conversion) -> TermId {
        let bits = self.bits_in(conversion);
        if let Kind::Integer {
            base: 10,
            is_signed,
        } = conversion.kind
            && let Some(width @ 1..=9) = conversion.width
        {
            // A sign takes one character.
            let most = 10i64.pow(width as u32) - 1;
            let least = match is_signed {
                true => 1 - 10i64.pow(width as u32 - 1),
                false => 0,
            };
            let answer = self.answer(frame, (most - least + 1) as u64);
            let least = self.terms.constant(64, least as i128 as u128);
            let number = self.terms.add(answer, least);
            return self.terms.resize(number, bits);
        }
        self.input(frame, "number", bits)
    }

    /// A word that is not empty, of these letters, with its zero byte.
    fn answer_word(
        &mut self,
        frame: &Frame,
        together: &mut Together,
        targets: &Targets,
        room: u64,
        letters: &[u8],
        condition: TermId,
    ) {
        let mut goes_on = condition;
        let zero = self.terms.constant(8, 0);
        for at in 0..room {
            let mut byte = zero;
            let mut next = self.terms.bool(false);
            if at + 1 < room && !letters.is_empty() {
                // After the first letter, the word may end.
                let ends = u64::from(at > 0);
                let answer = self.answer(frame, letters.len() as u64 + ends);
                let first = self.terms.constant(64, u128::from(ends));
                let index = self.terms.sub(answer, first);
                let is_letter = self.terms.unsigned_less_equal(first, answer);
                let letter = self.letter(index, letters);
                byte = self.terms.ite(is_letter, letter, zero);
                next = self.terms.and(goes_on, is_letter);
            }
            self.plan_write(together, targets, at, 1, goes_on, byte);
            goes_on = next;
        }
    }

    /// The letter with a number, of letters in ascending order.
    fn letter(&mut self, index: TermId, letters: &[u8]) -> TermId {
        let low = self.terms.extract(index, 7, 0);
        let mut result = self.terms.constant(8, 0);
        // Runs of letters without a gap, the last one first.
        let mut end = letters.len();
        while end > 0 {
            let mut start = end - 1;
            while start > 0 && letters[start - 1] + 1 == letters[start] {
                start -= 1;
            }
            let distance = u128::from(letters[start]) - start as u128;
            let distance = self.terms.constant(8, distance);
            let here = self.terms.add(low, distance);
            let limit = self.terms.constant(64, end as u128);
            let is_before = self.terms.unsigned_less(index, limit);
            result = self.terms.ite(is_before, here, result);
            end = start;
        }
        result
    }

    /// `fgets(buffer, size, stream)`. A zero byte also stands for the end.
    fn read_line(
        &mut self,
        state: &mut State,
        frame: &Frame,
        together: &mut Together,
        call: &Call,
    ) -> Result<Option<TermId>, Error> {
        let (buffer, size) = (self.argument(call, 0), self.number(call, 1, 32));
        let word = self.word();
        let null = self.terms.constant(word, 0);
        let Some(size) = self.terms.as_constant(size) else {
            return Err(self.unsupported(frame, "reading a line of unknown length"));
        };
        let size = i64::from(size as u32 as i32);
        if size <= 0 {
            return Ok(Some(null));
        }
        if size as u64 > MAX_BYTES {
            return Err(self.unsupported(frame, "reading lines that long"));
        }
        let size = size as u64;
        let Some(targets) = self.open_for_writing(state, frame, together, buffer, size)? else {
            return Ok(None);
        };
        let always = self.truth();
        self.require_room(together, &targets, 0, size, always);
        let answer = self.answer(frame, 2);
        let is_line = self.terms.is_nonzero(answer);
        let mut goes_on = is_line;
        let zero = self.terms.constant(8, 0);
        let never = self.terms.bool(false);
        for at in 0..size {
            let (byte, next) = if at + 1 < size && self.terms.as_bool(goes_on) != Some(false) {
                let answer = self.answer(frame, 256);
                let byte = self.terms.extract(answer, 7, 0);
                let is_more = self.terms.is_nonzero(byte);
                (byte, self.terms.and(goes_on, is_more))
            } else {
                (zero, never)
            };
            self.plan_write(together, &targets, at, 1, goes_on, byte);
            // A line end is followed by a zero byte.
            let is_end = words::is_number(&mut self.terms, byte, u128::from(b'\n'));
            let ends = self.terms.and(next, is_end);
            if at + 1 < size {
                self.plan_write(together, &targets, at + 1, 1, ends, zero);
            }
            let no_end = self.terms.not(is_end);
            goes_on = self.terms.and(next, no_end);
        }
        Ok(Some(self.terms.ite(is_line, buffer, null)))
    }

    /// `fread(buffer, size, count, stream)` and `read(file, buffer, size)`.
    fn read_block(
        &mut self,
        state: &mut State,
        frame: &Frame,
        together: &mut Together,
        is_stream: bool,
        call: &Call,
    ) -> Result<Option<TermId>, Error> {
        let word = self.word();
        let buffer = self.argument(call, usize::from(!is_stream));
        let count = self.number(call, 2, word);
        let size = match is_stream {
            true => self.number(call, 1, word),
            false => self.terms.constant(word, 1),
        };
        let constants = (self.terms.as_constant(size), self.terms.as_constant(count));
        let (Some(size), Some(count)) = constants else {
            return Err(self.unsupported(frame, "reading a block of unknown length"));
        };
        if is_stream && (size == 0 || count == 0) {
            return Ok(Some(self.terms.constant(word, 0)));
        }
        if size.saturating_mul(count) > u128::from(MAX_BYTES) {
            return Err(self.unsupported(frame, "reading blocks that long"));
        }
        let (size, count) = (size as u64, count as u64);
        let len = size * count;
        let Some(targets) = self.open_for_writing(state, frame, together, buffer, len)? else {
            return Ok(None);
        };
        let always = self.truth();
        if len > 0 {
            self.require_room(together, &targets, 0, len, always);
        }
        // Nothing, so many items, or failure of `read`.
        let answers = count + if is_stream { 1 } else { 2 };
        let got = self.answer(frame, answers);
        let most = self.terms.constant(64, u128::from(count));
        let is_failure = self.terms.unsigned_less(most, got);
        let is_success = self.terms.not(is_failure);
        let bytes = self.answer_bytes(frame, len);
        for (at, byte) in bytes.into_iter().enumerate() {
            let is_read = text::is_above(&mut self.terms, got, at as u64 / size);
            let condition = self.terms.and(is_read, is_success);
            self.plan_write(together, &targets, at as u64, 1, condition, byte);
        }
        let failure = self.terms.constant(64, u128::from(u64::MAX));
        Ok(Some(self.terms.ite(is_failure, failure, got)))
    }

    // Files.

    /// `read(file, buffer, size)`, as this step of the call.
    pub(super) fn read_outside(
        &mut self,
        state: &mut State,
        frame: &Frame,
        call: &Call,
        part: u32,
    ) -> Result<Reply, Error> {
        let mut together = Together::of_part(part);
        let read = self.read_block(state, frame, &mut together, false, call)?;
        let Some(result) = read else {
            return Ok(Reply::Never);
        };
        match self.carry_out(state, together) {
            Flow::Dead => Ok(Reply::Never),
            Flow::Next => Ok(Reply::Return(result)),
        }
    }

    /// Whether a file can be opened; `None` if no path goes on.
    pub(super) fn open_outside(
        &mut self,
        state: &mut State,
        frame: &Frame,
        call: &Call,
    ) -> Result<Option<TermId>, Error> {
        let mut together = Together::default();
        let opened = self.open_file(state, frame, &mut together, call)?;
        let Some(fails) = opened else {
            return Ok(None);
        };
        match self.carry_out(state, together) {
            Flow::Dead => Ok(None),
            Flow::Next => Ok(Some(self.terms.not(fails))),
        }
    }

    /// Reads names, and asks whether there is such a file: returns whether not.
    fn open_file(
        &mut self,
        state: &mut State,
        frame: &Frame,
        together: &mut Together,
        call: &Call,
    ) -> Result<Option<TermId>, Error> {
        let always = self.truth();
        for index in 0..call.args.len() {
            if call.args[index].ty == ir::Type::Pointer {
                let name = self.argument(call, index);
                let text = self.read_text(state, frame, together, name, None, always)?;
                if text.is_none() {
                    return Ok(None);
                }
            }
        }
        let answer = self.answer(frame, 2);
        let failed = words::is_zero(&mut self.terms, answer);
        let error = self.int(ENOENT);
        self.set_errno(state, failed, error);
        Ok(Some(failed))
    }

    fn open_stream(
        &mut self,
        state: &mut State,
        frame: &Frame,
        together: &mut Together,
        call: &Call,
    ) -> Result<Option<TermId>, Error> {
        let Some(failed) = self.open_file(state, frame, together, call)? else {
            return Ok(None);
        };
        let key = ObjectKey::Heap(self.instance(frame, state, 300));
        let owner = self.threads.current();
        let object = self.facts.objects.make(key.clone(), || Object {
            key,
            size: 1,
            name: "a stream".to_owned(),
            is_constant: false,
            owner,
            starts_as: Content::Zero,
        });
        state.memory.create(object);
        let word = self.word();
        let (null, stream) = (self.terms.constant(word, 0), self.address(object, 0));
        Ok(Some(self.terms.ite(failed, null, stream)))
    }

    fn close_stream(
        &mut self,
        state: &mut State,
        frame: &Frame,
        together: &mut Together,
        call: &Call,
    ) -> Result<(), Error> {
        let stream = self.argument(call, 0);
        let targets = self.resolve(frame, stream, 0, false)?;
        let dead = self.terms.constant(8, 0);
        for target in &targets.list {
            let key = ObjectKey::Alive(target.object);
            if let Some(alive) = self.facts.objects.find(&key) {
                let position = together.position;
                self.write_at(state, position, alive, 0, 1, target.condition, dead);
            }
        }
        Ok(())
    }
}

/// Bytes in pieces of at most 8, as numbers.
fn chunks(bytes: &[u8]) -> impl Iterator<Item = ((u64, u64), u128)> {
    let is_number = matches!(bytes.len(), 1 | 2 | 4 | 8);
    let size = if is_number { bytes.len() } else { 1 };
    bytes.chunks(size).enumerate().map(move |(index, chunk)| {
        let value = chunk
            .iter()
            .rev()
            .fold(0, |value, byte| value << 8 | u128::from(*byte));
        (((index * size) as u64, chunk.len() as u64), value)
    })
}
