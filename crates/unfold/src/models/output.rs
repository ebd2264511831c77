//! Output: `printf` and its relatives, to streams and into memory.
//!
//! What is printed to streams concerns nobody; but strings among the arguments
//! are read, and the length is returned. A text is a list of variants, each with
//! a condition and a constant length.

pub(super) mod digits;
pub(super) mod format_language;

use crate::Error;
use crate::calls::{Call, Reply};
use crate::compute::words;
use crate::facts::objects::ObjectKey;
use crate::models::strings::text;
use crate::models::strings::text::{Text, Together};
use crate::pass::{Flow, Frame, Pass, State, Value};
use format_language::{Amount, Directive, Fault, Piece};
use formula::TermId;
use formula::Terms;
use library::Output;
use std::collections::BTreeMap;

/// Ways that a text may look, at most.
const MAX_VARIANTS: usize = 512;

/// One way that a text may look.
pub(super) type Variant = (TermId, Vec<TermId>);

/// Where formatted text goes.
enum Destination {
    Stream,
    /// A buffer, and how many bytes of it may be used.
    Buffer(Option<TermId>),
    /// A fresh object, whose address is stored.
    Fresh,
}

/// The arguments that belong to a format.
pub(crate) enum Arguments {
    /// Those of the call, from this one on.
    Given(usize),
    /// Those of a `va_list`: the address of the next one.
    Listed(TermId),
}

/// A directive whose width and precision are known.
pub(super) struct Field {
    pub directive: Directive,
    pub width: usize,
    pub precision: Option<usize>,
}

/// A formatted call in progress.
struct Printing<'c> {
    frame: &'c Frame,
    call: &'c Call,
    arguments: Arguments,
    together: Together,
}

/// Why no text comes out.
enum NoText {
    /// No path goes on.
    Dead,
    /// It is too hard to say.
    Unknown(&'static str),
}

impl<'p> Pass<'p> {
    pub(crate) fn output_model(
        &mut self,
        state: &mut State,
        frame: &Frame,
        op: Output,
        call: &Call,
    ) -> Result<Reply, Error> {
        let mut together = Together::default();
        let always = self.truth();
        let word = self.word();
        let result = match op {
            Output::Fflush | Output::SetBuffer => return self.reply(0),
            Output::Putchar => self.number(call, 0, 8),
            Output::Putc => {
                if self.use_stream(state, frame, &mut together, call, 1)? == Flow::Dead {
                    return Ok(Reply::Never);
                }
                self.number(call, 0, 8)
            }
            Output::Puts | Output::Fputs | Output::Perror => {
                if op == Output::Fputs
                    && self.use_stream(state, frame, &mut together, call, 1)? == Flow::Dead
                {
                    return Ok(Reply::Never);
                }
                let address = self.argument(call, 0);
                let condition = match op {
                    Output::Perror => self.terms.is_nonzero(address),
                    _ => always,
                };
                let text = self.read_text(state, frame, &mut together, address, None, condition)?;
                let Some(text) = text else {
                    return Ok(Reply::Never);
                };
                let length = self.text_length(&text);
                let one = self.terms.constant(word, 1);
                match op {
                    Output::Puts => self.terms.add(length, one),
                    _ => one,
                }
            }
            Output::Fwrite => {
                if self.use_stream(state, frame, &mut together, call, 3)? == Flow::Dead {
                    return Ok(Reply::Never);
                }
                let address = self.argument(call, 0);
                let count = self.number(call, 2, word);
                let size = self.number(call, 1, word);
                let total = self.terms.mul(count, size);
                let Some(len) = self.terms.as_constant(total).filter(|len| *len <= 1 << 14) else {
                    return Err(self.unsupported(frame, "output of a block of unknown length"));
                };
                let read =
                    self.read_range(state, frame, &mut together, address, len as u64, always)?;
                if read.is_none() {
                    return Ok(Reply::Never);
                }
                let is_empty = words::is_zero(&mut self.terms, size);
                let zero = self.terms.constant(word, 0);
                self.terms.ite(is_empty, zero, count)
            }
            _ => return self.print_formatted(state, frame, op, call),
        };
        match self.carry_out(state, together) {
            Flow::Dead => Ok(Reply::Never),
            Flow::Next => Ok(Reply::Return(result)),
        }
    }

    /// `write(file, buffer, size)`, as this step of the call.
    pub(super) fn write_outside(
        &mut self,
        state: &mut State,
        frame: &Frame,
        call: &Call,
        part: u32,
    ) -> Result<Reply, Error> {
        let mut together = Together::of_part(part);
        let (address, count) = (self.argument(call, 1), self.argument(call, 2));
        let Some(len) = self.terms.as_constant(count).filter(|len| *len <= 1 << 14) else {
            return Err(self.unsupported(frame, "output of a block of unknown length"));
        };
        let always = self.truth();
        let read = self.read_range(state, frame, &mut together, address, len as u64, always)?;
        if read.is_none() {
            return Ok(Reply::Never);
        }
        match self.carry_out(state, together) {
            Flow::Dead => Ok(Reply::Never),
            Flow::Next => Ok(Reply::Return(count)),
        }
    }

    /// A call uses a stream. Only those that the program has opened can be closed;
    /// others are always there, wherever they are.
    pub(crate) fn use_stream(
        &mut self,
        state: &mut State,
        frame: &Frame,
        together: &mut Together,
        call: &Call,
        index: usize,
    ) -> Result<Flow, Error> {
        let stream = self.argument(call, index);
        if self.values.few(&self.terms, stream).is_some() {
            let is_null = words::is_zero(&mut self.terms, stream);
            self.undefined_if(together, is_null);
        }
        let mut targets = self.resolve(frame, stream, 0, false)?;
        targets.list.retain(|target| {
            let object = &self.facts.objects[target.object];
            matches!(object.key, ObjectKey::Heap(_))
        });
        Ok(self.open(state, frame, together, &targets, 1))
    }

    fn print_formatted(
        &mut self,
        state: &mut State,
        frame: &Frame,
        op: Output,
        call: &Call,
    ) -> Result<Reply, Error> {
        let word = self.word();
        let room = self.number(call, 1, word);
        let limited = Destination::Buffer(Some(room));
        let unlimited = Destination::Buffer(None);
        let stream = Destination::Stream;
        // Where the text goes, which argument is the format, and whether the next
        // one is a list of the others.
        let (destination, format, is_list) = match op {
            Output::Printf => (stream, 0, false),
            Output::Vprintf => (stream, 0, true),
            Output::PrintfChecked | Output::Dprintf | Output::Fprintf => (stream, 1, false),
            Output::VprintfChecked | Output::Vdprintf | Output::Vfprintf => (stream, 1, true),
            Output::FprintfChecked => (stream, 2, false),
            Output::VfprintfChecked => (stream, 2, true),
            Output::Sprintf => (unlimited, 1, false),
            Output::Vsprintf => (unlimited, 1, true),
            Output::SprintfChecked => (unlimited, 3, false),
            Output::VsprintfChecked => (unlimited, 3, true),
            Output::Snprintf => (limited, 2, false),
            Output::Vsnprintf => (limited, 2, true),
            Output::SnprintfChecked => (limited, 4, false),
            Output::VsnprintfChecked => (limited, 4, true),
            Output::Asprintf => (Destination::Fresh, 1, false),
            Output::Vasprintf => (Destination::Fresh, 1, true),
            _ => return Err(self.unsupported(frame, "this way to print")),
        };
        let mut together = Together::default();
        let has_stream = matches!(
            op,
            Output::Fprintf | Output::Vfprintf | Output::FprintfChecked | Output::VfprintfChecked
        );
        if has_stream && self.use_stream(state, frame, &mut together, call, 0)? == Flow::Dead {
            return Ok(Reply::Never);
        }
        let arguments = self.arguments_after(state, frame, &mut together, call, format, is_list)?;
        let Some(arguments) = arguments else {
            return Ok(Reply::Never);
        };
        let mut printing = Printing {
            frame,
            call,
            arguments,
            together,
        };
        let variants = match self.render(state, &mut printing, format)? {
            Ok(variants) => Some(variants),
            Err(NoText::Dead) => return Ok(Reply::Never),
            Err(NoText::Unknown(_)) if matches!(destination, Destination::Stream) => None,
            Err(NoText::Unknown(what)) => return Err(self.unsupported(frame, what)),
        };
        let mut together = printing.together;
        if let Arguments::Listed(rest) = printing.arguments
            && variants.is_some()
            && self.leave_list(state, frame, &mut together, call, format + 1, rest)? == Flow::Dead
        {
            return Ok(Reply::Never);
        }
        let Some(variants) = variants else {
            if is_list {
                return Err(self.unsupported(frame, "a list of arguments whose use is not known"));
            }
            let length = self.anything(32);
            return Ok(match self.carry_out(state, together) {
                Flow::Dead => Reply::Never,
                Flow::Next => Reply::Return(length),
            });
        };
        let to = self.argument(call, 0);
        let mut length = length_of(&mut self.terms, &variants);
        let flow = match destination {
            Destination::Stream => Flow::Next,
            Destination::Buffer(room) => {
                self.print_to(state, frame, &mut together, to, room, &variants)?
            }
            Destination::Fresh => {
                let (block, fails) = self.block_with(state, frame, &variants)?;
                let (is_made, failed) = (self.terms.not(fails), self.int(0xffff_ffff));
                length = self.terms.ite(fails, failed, length);
                self.plan_store(state, frame, &mut together, to, block, is_made)?
            }
        };
        if flow == Flow::Dead || self.carry_out(state, together) == Flow::Dead {
            return Ok(Reply::Never);
        }
        Ok(Reply::Return(length))
    }

    /// Plans to store one of several texts, as much as fits, and a zero byte.
    fn print_to(
        &mut self,
        state: &mut State,
        frame: &Frame,
        together: &mut Together,
        to: TermId,
        room: Option<TermId>,
        variants: &[Variant],
    ) -> Result<Flow, Error> {
        if let Some(room) = room
            && self.terms.as_constant(room) == Some(0)
        {
            return Ok(Flow::Next);
        }
        let longest = variants.iter().map(|(_, bytes)| bytes.len()).max();
        let extent = longest.unwrap_or(0) as u64 + 1;
        let Some(targets) = self.open_for_writing(state, frame, together, to, extent)? else {
            return Ok(Flow::Dead);
        };
        let zero = self.terms.constant(8, 0);
        let mut written: BTreeMap<u64, (TermId, TermId)> = BTreeMap::new();
        for (condition, bytes) in variants {
            for (at, byte) in bytes.iter().chain([&zero]).enumerate() {
                let at = at as u64;
                let (mut condition, mut byte) = (*condition, *byte);
                if let Some(room) = room {
                    let fits = text::is_above(&mut self.terms, room, at);
                    condition = self.terms.and(condition, fits);
                    let has_next = text::is_above(&mut self.terms, room, at + 1);
                    byte = self.terms.ite(has_next, byte, zero);
                }
                let new = match written.get(&at) {
                    None => (condition, byte),
                    Some((other, old)) => (
                        self.terms.or(condition, *other),
                        self.terms.ite(condition, byte, *old),
                    ),
                };
                written.insert(at, new);
            }
        }
        for (at, (condition, byte)) in written {
            self.plan_write(together, &targets, at, 1, condition, byte);
        }
        Ok(Flow::Next)
    }

    // Arguments.

    /// The arguments behind the one that is the format; `None` if no path goes on.
    pub(crate) fn arguments_after(
        &mut self,
        state: &mut State,
        frame: &Frame,
        together: &mut Together,
        call: &Call,
        format: usize,
        is_list: bool,
    ) -> Result<Option<Arguments>, Error> {
        if !is_list {
            return Ok(Some(Arguments::Given(format + 1)));
        }
        let list = self.argument(call, format + 1);
        if self.program.target.pointer_bytes == 4 {
            return Ok(Some(Arguments::Listed(list)));
        }
        let place = self.advanced(list, 8);
        let always = self.truth();
        let next = self.read_word(state, frame, together, place, 8, always)?;
        Ok(next.map(Arguments::Listed))
    }

    /// Leaves a `va_list` behind what was taken from it. On 32-bit machines the call
    /// got a copy of it.
    pub(crate) fn leave_list(
        &mut self,
        state: &mut State,
        frame: &Frame,
        together: &mut Together,
        call: &Call,
        list: usize,
        rest: TermId,
    ) -> Result<Flow, Error> {
        if self.program.target.pointer_bytes == 4 {
            return Ok(Flow::Next);
        }
        let list = self.argument(call, list);
        let place = self.advanced(list, 8);
        let always = self.truth();
        self.plan_store(state, frame, together, place, rest, always)
    }

    /// Takes the next argument, of so many bytes; `None` if no path goes on, be it
    /// that there is none.
    #[expect(clippy::too_many_arguments, reason = "the parts of a call")]
    pub(crate) fn next_argument(
        &mut self,
        state: &mut State,
        frame: &Frame,
        together: &mut Together,
        call: &Call,
        arguments: &mut Arguments,
        size: u64,
        is_float: bool,
    ) -> Result<Option<TermId>, Error> {
        let width = 8 * size as u32;
        match arguments {
            Arguments::Given(next) => {
                *next += 1;
                let argument = call.args.get(*next - 1);
                let fits = |argument: &&crate::calls::Argument| {
                    argument.by_value.is_none() && argument.ty.is_float() == is_float
                };
                match argument.filter(fits).map(|argument| &argument.value) {
                    Some(Value::Term(term) | Value::Partly(term, _)) => {
                        Ok(Some(self.terms.resize(*term, width)))
                    }
                    _ => {
                        let always = self.truth();
                        self.undefined_if(together, always);
                        Ok(Some(self.terms.constant(width, 0)))
                    }
                }
            }
            Arguments::Listed(next) => {
                let word = self.program.target.pointer_bytes;
                let address = *next;
                *next = self.advanced(address, size.next_multiple_of(word));
                let always = self.truth();
                self.read_word(state, frame, together, address, size, always)
            }
        }
    }

    // Text.

    fn render(
        &mut self,
        state: &mut State,
        printing: &mut Printing,
        format: usize,
    ) -> Result<Result<Vec<Variant>, NoText>, Error> {
        let address = self.argument(printing.call, format);
        let always = self.truth();
        let frame = printing.frame;
        let text = self.read_text(state, frame, &mut printing.together, address, None, always)?;
        let Some(text) = text else {
            return Ok(Err(NoText::Dead));
        };
        let Some(format) = text::constant_text(&self.terms, &text) else {
            return Ok(Err(NoText::Unknown("a format that is not known")));
        };
        let pieces = match format_language::pieces(&format) {
            Ok(pieces) => pieces,
            Err(Fault::Unsupported) => return Err(self.unsupported(frame, "such a format")),
            Err(Fault::Invalid) => {
                self.undefined_if(&mut printing.together, always);
                Vec::new()
            }
        };
        let mut variants = vec![(always, Vec::new())];
        let mut unknown = None;
        for piece in pieces {
            let directive = match piece {
                Piece::Byte(byte) => {
                    let byte = self.terms.constant(8, u128::from(byte));
                    variants.iter_mut().for_each(|(_, bytes)| bytes.push(byte));
                    continue;
                }
                Piece::Directive(directive) => directive,
            };
            if directive.letter == b'n' {
                let Some(place) = self.take(state, printing, self.pointer_size(), false)? else {
                    return Ok(Err(NoText::Dead));
                };
                if unknown.is_some() {
                    return Ok(Err(NoText::Unknown(
                        "the length of a text that is not known",
                    )));
                }
                let length = length_of(&mut self.terms, &variants);
                let bits = self.bits_of(&directive);
                let length = self.terms.resize(length, bits);
                let together = &mut printing.together;
                if self.plan_store(state, frame, together, place, length, always)? == Flow::Dead {
                    return Ok(Err(NoText::Dead));
                }
                continue;
            }
            // Arguments are looked at even if the text is lost.
            match self.converted(state, printing, directive)? {
                Ok(more) => match appended(&mut self.terms, &variants, &more) {
                    Some(longer) => variants = longer,
                    None => unknown = Some("a text that may look in so many ways"),
                },
                Err(NoText::Dead) => return Ok(Err(NoText::Dead)),
                Err(NoText::Unknown(what)) => unknown = Some(what),
            }
        }
        Ok(match unknown {
            None => Ok(variants),
            Some(what) => Err(NoText::Unknown(what)),
        })
    }

    fn pointer_size(&self) -> u64 {
        self.program.target.pointer_bytes
    }

    fn bits_of(&self, directive: &Directive) -> u32 {
        match directive.bits {
            0 => self.word(),
            bits => bits,
        }
    }

    fn take(
        &mut self,
        state: &mut State,
        printing: &mut Printing,
        size: u64,
        is_float: bool,
    ) -> Result<Option<TermId>, Error> {
        self.next_argument(
            state,
            printing.frame,
            &mut printing.together,
            printing.call,
            &mut printing.arguments,
            size,
            is_float,
        )
    }

    /// A width or precision, as a signed number.
    fn amount(
        &mut self,
        state: &mut State,
        printing: &mut Printing,
        amount: Amount,
    ) -> Result<Result<i64, NoText>, Error> {
        let Amount::Argument = amount else {
            let Amount::Number(number) = amount else {
                return Ok(Ok(0));
            };
            return Ok(Ok(number as i64));
        };
        let Some(value) = self.take(state, printing, 4, false)? else {
            return Ok(Err(NoText::Dead));
        };
        Ok(match self.terms.as_constant(value) {
            Some(value) if (value as u32 as i32).unsigned_abs() <= 4096 => {
                Ok(i64::from(value as u32 as i32))
            }
            _ => Err(NoText::Unknown("a field whose width is not known")),
        })
    }

    /// The ways in which a directive may come out.
    fn converted(
        &mut self,
        state: &mut State,
        printing: &mut Printing,
        mut directive: Directive,
    ) -> Result<Result<Vec<Variant>, NoText>, Error> {
        // What is not known must not keep the argument from being taken.
        let mut unknown = None;
        let mut amounts = [0, -1];
        let wanted = [Some(directive.width), directive.precision];
        for (found, wanted) in amounts.iter_mut().zip(wanted) {
            let Some(wanted) = wanted else {
                continue;
            };
            match self.amount(state, printing, wanted)? {
                Ok(amount) => *found = amount,
                Err(NoText::Dead) => return Ok(Err(NoText::Dead)),
                Err(problem) => unknown = Some(problem),
            }
        }
        directive.is_left |= amounts[0] < 0;
        let field = Field {
            directive,
            width: amounts[0].unsigned_abs() as usize,
            precision: usize::try_from(amounts[1]).ok(),
        };
        let always = self.truth();
        let word = self.pointer_size();
        let text = match directive.letter {
            b'c' => {
                let Some(value) = self.take(state, printing, 4, false)? else {
                    return Ok(Err(NoText::Dead));
                };
                let byte = self.terms.extract(value, 7, 0);
                Ok(vec![(
                    always,
                    filled(&mut self.terms, &field, &[], &[byte], false),
                )])
            }
            b's' => {
                let Some(address) = self.take(state, printing, word, false)? else {
                    return Ok(Err(NoText::Dead));
                };
                self.convert_string(state, printing, &field, address)?
            }
            b'm' => Err(NoText::Unknown("the text of an error")),
            b'p' => {
                let Some(address) = self.take(state, printing, word, false)? else {
                    return Ok(Err(NoText::Dead));
                };
                match self.terms.as_constant(address) {
                    Some(0) => {
                        let text = constant_bytes(&mut self.terms, b"(nil)");
                        Ok(vec![(
                            always,
                            filled(&mut self.terms, &field, &[], &text, false),
                        )])
                    }
                    _ => Err(NoText::Unknown("an address as text")),
                }
            }
            b'd' | b'i' | b'u' | b'o' | b'x' | b'X' => {
                let bits = self.bits_of(&directive);
                let size = u64::from(bits.max(32)) / 8;
                let Some(value) = self.take(state, printing, size, false)? else {
                    return Ok(Err(NoText::Dead));
                };
                let value = self.terms.resize(value, bits);
                Ok(digits::convert_integer(&mut self.terms, &field, value))
            }
            letter => {
                let Some(value) = self.take(state, printing, 8, true)? else {
                    return Ok(Err(NoText::Dead));
                };
                match self.terms.as_constant(value) {
                    _ if letter.eq_ignore_ascii_case(&b'a') => Err(NoText::Unknown(
                        "a floating-point number in hexadecimal notation",
                    )),
                    None => Err(NoText::Unknown("a floating-point number as text")),
                    Some(bits) => {
                        let value = f64::from_bits(bits as u64);
                        let alternate = directive.is_alternate;
                        let body =
                            format_language::float(value, letter, field.precision, alternate);
                        let body = constant_bytes(&mut self.terms, body.as_bytes());
                        let sign = sign_of(&mut self.terms, &field, value.is_sign_negative());
                        let text = filled(&mut self.terms, &field, &sign, &body, value.is_finite());
                        Ok(vec![(always, text)])
                    }
                }
            }
        };
        Ok(match unknown {
            Some(problem) => Err(problem),
            None => text,
        })
    }

    fn convert_string(
        &mut self,
        state: &mut State,
        printing: &mut Printing,
        field: &Field,
        address: TermId,
    ) -> Result<Result<Vec<Variant>, NoText>, Error> {
        let is_null = words::is_zero(&mut self.terms, address);
        let is_text = self.terms.not(is_null);
        let word = self.word();
        let limit = field
            .precision
            .map(|limit| self.terms.constant(word, limit as u128));
        let (frame, together) = (printing.frame, &mut printing.together);
        let mut text = Some(Text::default());
        if self.terms.as_bool(is_text) != Some(false) {
            text = self.read_text(state, frame, together, address, limit, is_text)?;
        }
        let Some(text) = text else {
            return Ok(Err(NoText::Dead));
        };
        let mut variants = Vec::new();
        for len in 0..=text.bytes.len() {
            let ends = text::ends_at(&mut self.terms, &text, len);
            let condition = self.terms.and(is_text, ends);
            if self.terms.as_bool(condition) != Some(false) {
                let bytes = filled(&mut self.terms, field, &[], &text.bytes[..len], false);
                variants.push((condition, bytes));
            }
        }
        if self.terms.as_bool(is_null) != Some(false) {
            // As glibc does it: the whole word or nothing.
            let word: &[u8] = match field.precision {
                Some(0..=5) => b"",
                _ => b"(null)",
            };
            let word = constant_bytes(&mut self.terms, word);
            variants.push((is_null, filled(&mut self.terms, field, &[], &word, false)));
        }
        Ok(Ok(variants))
    }
}

pub(super) fn appended(
    terms: &mut Terms,
    variants: &[Variant],
    more: &[Variant],
) -> Option<Vec<Variant>> {
    let mut longer = Vec::new();
    for (condition, bytes) in variants {
        for (other, rest) in more {
            let both = terms.and(*condition, *other);
            if terms.as_bool(both) != Some(false) {
                longer.push((both, [bytes.as_slice(), rest].concat()));
            }
        }
    }
    (longer.len() <= MAX_VARIANTS).then_some(longer)
}

pub(super) fn constant_bytes(terms: &mut Terms, bytes: &[u8]) -> Vec<TermId> {
    let constant = |byte: &u8| terms.constant(8, u128::from(*byte));
    bytes.iter().map(constant).collect()
}

/// Prefix and body in their field. Zeros go between the two.
pub(super) fn filled(
    terms: &mut Terms,
    field: &Field,
    prefix: &[TermId],
    body: &[TermId],
    allows_zeros: bool,
) -> Vec<TermId> {
    let missing = field.width.saturating_sub(prefix.len() + body.len());
    let (space, zero) = (
        terms.constant(8, u128::from(b' ')),
        terms.constant(8, u128::from(b'0')),
    );
    let mut text = Vec::new();
    let pads_with_zeros = field.directive.has_zeros && allows_zeros;
    if !field.directive.is_left && !pads_with_zeros {
        text.resize(missing, space);
    }
    text.extend(prefix);
    if !field.directive.is_left && pads_with_zeros {
        text.resize(text.len() + missing, zero);
    }
    text.extend(body);
    if field.directive.is_left {
        text.resize(text.len() + missing, space);
    }
    text
}

pub(super) fn length_of(terms: &mut Terms, variants: &[Variant]) -> TermId {
    let mut length = terms.constant(32, 0);
    for (condition, bytes) in variants {
        let here = terms.constant(32, bytes.len() as u128);
        length = terms.ite(*condition, here, length);
    }
    length
}

pub(super) fn sign_of(terms: &mut Terms, field: &Field, is_negative: bool) -> Vec<TermId> {
    let sign: &[u8] = match field.directive {
        _ if is_negative => b"-",
        Directive { has_plus: true, .. } => b"+",
        Directive {
            has_space: true, ..
        } => b" ",
        _ => b"",
    };
    constant_bytes(terms, sign)
}
