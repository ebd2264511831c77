//! Input: exact where it comes from a string, and whatever the driver chooses
//! where it comes from outside.
//!
//! Which answers are possible from outside is decided here; the first one always
//! is that there is nothing to read, so that loops over the input can end. How
//! texts are read is decided in [`format_language`].

mod format_language;

use super::output::format_language::Length;
use super::output::{Arguments, STREAM};
use super::plan::{Plan, Planned, Target, UNLIMITED};
use super::strings::characters;
use super::{Reply, Site};
use crate::inputs::{Domain, InputKind};
use crate::machine::{AccessMode, Machine, Stop};
use crate::memory::Origin;
use crate::value::{Pointer, Value};
use format_language::{Conversion, Directive, Item, Kind};
use ir::Type;
use library::Input;

const ENOENT: i32 = 2;
const EOF: i32 = -1;

/// A conversion whose value comes from outside.
struct Wanted {
    conversion: Conversion,
    target: Target,
    /// The bytes that may be written.
    room: u64,
}

impl<'a> Machine<'a> {
    pub(crate) fn input_model(&mut self, site: &mut Site, op: Input) -> Result<Reply, Stop> {
        self.planned(site, |machine, site, plan| {
            machine.plan_input(site, op, plan)
        })
    }

    fn plan_input(&mut self, site: &mut Site, op: Input, plan: &mut Plan) -> Result<Reply, Stop> {
        match op {
            Input::Sscanf => self.plan_sscanf(site, false, plan),
            Input::Vsscanf => self.plan_sscanf(site, true, plan),
            Input::Scanf => self.plan_scanf(site, 0, plan),
            Input::Fscanf => {
                self.stream_arg(site, 0, plan)?;
                self.plan_scanf(site, 1, plan)
            }
            Input::Fgets => self.plan_fgets(site, plan),
            Input::Getchar => self.plan_character(site, plan),
            Input::Getc => {
                self.stream_arg(site, 0, plan)?;
                self.plan_character(site, plan)
            }
            Input::Ungetc => {
                self.stream_arg(site, 1, plan)?;
                let character = site.int(0);
                Ok(Reply::int(if character == EOF {
                    EOF
                } else {
                    character & 0xff
                }))
            }
            Input::Fread => self.plan_fread(site, plan),
            Input::Fopen => self.plan_open_stream(site, plan),
            Input::Fclose => self.plan_close_stream(site, plan),
            Input::Feof => {
                self.stream_arg(site, 0, plan)?;
                Ok(Reply::int(self.answer(site, 1 << 32, plan)? as i32))
            }
            Input::Ferror => {
                self.stream_arg(site, 0, plan)?;
                Ok(Reply::int(0))
            }
            Input::Fileno => {
                self.stream_arg(site, 0, plan)?;
                // One of the three that are always there, or one of a range of their own.
                let number = self.answer(site, 515, plan)? as i32;
                Ok(Reply::int(if number < 3 { number } else { number + 509 }))
            }
            Input::Isatty => Ok(Reply::int(self.answer(site, 2, plan)? as i32)),
        }
    }

    /// One of so many answers from outside; just 0 if the call has to wait.
    fn answer(&mut self, site: &mut Site, count: u64, plan: &Plan) -> Result<u64, Stop> {
        if plan.must_wait {
            return Ok(0);
        }
        let domain = Domain::Below(count);
        let answer = self.ask(site.thread, site.inputs, InputKind::Environment, domain)?;
        Ok(answer as u64)
    }

    /// Bytes from outside.
    fn answer_bytes(&mut self, site: &mut Site, len: u64) -> Result<Vec<u8>, Stop> {
        let mut bytes = Vec::new();
        let mut missing = len;
        while missing > 0 {
            // As many as fit into one answer.
            let piece = missing.min(16);
            let domain = Domain::Bits(8 * piece as u32);
            let answer = self.ask(site.thread, site.inputs, InputKind::Environment, domain)?;
            bytes.extend(&answer.to_le_bytes()[..piece as usize]);
            missing -= piece;
        }
        Ok(bytes)
    }

    // From strings.

    fn plan_sscanf(
        &mut self,
        site: &mut Site,
        is_list: bool,
        plan: &mut Plan,
    ) -> Result<Reply, Stop> {
        let mut arguments = self.arguments_after(site, 1, is_list)?;
        let text = self.read_string(site, self.pointer_arg(site, 0), UNLIMITED, plan)?;
        let directives = self.directives(site, 1, plan)?;
        let scanned = format_language::scan(&directives, &text, self.memory.pointer_bytes);
        for item in scanned.items {
            let place = self.next_place(site, &mut arguments)?;
            self.plan_item(site, place, item, plan)?;
        }
        self.plan_list_end(site, 2, &arguments, plan);
        Ok(Reply::int(scanned.result))
    }

    fn directives(
        &mut self,
        site: &mut Site,
        index: usize,
        plan: &mut Plan,
    ) -> Result<Vec<Directive>, Stop> {
        let format = self.read_string(site, self.pointer_arg(site, index), UNLIMITED, plan)?;
        format_language::directives(&format).map_err(|fault| self.format_fault(site, fault))
    }

    fn next_place(&self, site: &Site, arguments: &mut Arguments) -> Result<Pointer, Stop> {
        let place = self.next_argument(site, arguments, &Type::Pointer)?;
        Ok(self.as_pointer(&place))
    }

    fn plan_item(
        &mut self,
        site: &Site,
        place: Pointer,
        item: Item,
        plan: &mut Plan,
    ) -> Result<(), Stop> {
        let (ty, value) = match item {
            Item::Bytes(bytes) => return self.plan_bytes(site, place, bytes, plan),
            Item::Integer { width, value } => {
                (Type::Int(width), Value::from_bits(width, value.into()))
            }
            Item::Single(value) => (Type::Float, Value::Bits(value.to_bits().into())),
            Item::Double(value) => (Type::Double, Value::Bits(value.to_bits())),
            Item::Pointer(address) => (Type::Pointer, Value::Pointer(self.memory.resolve(address))),
        };
        self.plan_store(site, place, ty, value, plan)
    }

    // From outside.

    fn plan_scanf(
        &mut self,
        site: &mut Site,
        format: usize,
        plan: &mut Plan,
    ) -> Result<Reply, Stop> {
        let directives = self.directives(site, format, plan)?;
        let mut arguments = self.arguments_after(site, format, false)?;
        let mut wanted = Vec::new();
        for directive in directives {
            if let Directive::Conversion(conversion) = directive
                && conversion.is_stored
            {
                let place = self.next_place(site, &mut arguments)?;
                let room = self.room(place, &conversion);
                let target = self.plan_range(site, place, room, AccessMode::WRITE, plan)?;
                wanted.extend(target.map(|target| Wanted {
                    conversion,
                    target,
                    room,
                }));
            }
        }
        let most = wanted
            .iter()
            .filter(|wanted| wanted.conversion.is_counted())
            .count();
        let count = self.answer(site, most as u64 + 2, plan)?;
        if plan.must_wait || count == 0 {
            return Ok(Reply::int(EOF));
        }
        let count = count as usize - 1;
        let mut done = 0;
        for wanted in wanted {
            done += usize::from(wanted.conversion.is_counted());
            if done > count {
                break;
            }
            let effect = self.answer_conversion(site, &wanted)?;
            plan.add(effect);
        }
        Ok(Reply::int(count as i32))
    }

    /// The bytes that a conversion may write. Words without a given width may have
    /// any length; they are taken to fit, since otherwise no use of them is right.
    fn room(&self, place: Pointer, conversion: &Conversion) -> u64 {
        let width = conversion.width.map(|width| width as u64);
        match conversion.kind {
            Kind::Characters => width.unwrap_or(1),
            Kind::Word | Kind::Set(_) => match width {
                Some(width) => width.saturating_add(1),
                None => {
                    let size = place
                        .object
                        .and_then(|id| self.memory.get(id))
                        .map(|o| o.size);
                    let offset = self.memory.offset(place).map_or(0, |(_, offset)| offset);
                    // Not even the shortest word fits into less than 2 bytes.
                    size.unwrap_or(0)
                        .saturating_sub(offset.max(0) as u64)
                        .max(2)
                }
            },
            _ => self
                .conversion_type(conversion)
                .bytes(self.memory.pointer_bytes),
        }
    }

    /// The type of what a conversion stores, if that is a number.
    fn conversion_type(&self, conversion: &Conversion) -> Type {
        let width = conversion.length.bits(self.memory.pointer_bytes);
        match conversion.kind {
            Kind::Float if conversion.length == Length::Long => Type::Double,
            Kind::Float => Type::Float,
            Kind::Pointer => Type::Pointer,
            _ => Type::Int(width),
        }
    }

    fn answer_conversion(&mut self, site: &mut Site, wanted: &Wanted) -> Result<Planned, Stop> {
        let Wanted {
            conversion,
            target,
            room,
        } = wanted;
        let bytes = match &conversion.kind {
            Kind::Characters => self.answer_bytes(site, *room)?,
            Kind::Word => self.answer_word(site, *room, |byte| !characters::is_space(byte))?,
            Kind::Set(set) => self.answer_word(site, *room, |byte| set.contains(byte))?,
            _ => {
                let ty = self.conversion_type(conversion);
                let value = self.answer_number(site, conversion, &ty)?;
                return Ok(Planned::Store(*target, ty, value));
            }
        };
        Ok(Planned::Bytes(*target, bytes))
    }

    fn answer_number(
        &mut self,
        site: &mut Site,
        conversion: &Conversion,
        ty: &Type,
    ) -> Result<Value, Stop> {
        let Kind::Integer {
            base: 10,
            is_signed,
        } = conversion.kind
        else {
            return self.ask_value(site.thread, site.inputs, InputKind::Environment, ty);
        };
        let (least, count) = match conversion.width {
            Some(width @ 1..=9) => decimal_range(width as u32, is_signed),
            _ => return self.ask_value(site.thread, site.inputs, InputKind::Environment, ty),
        };
        let domain = Domain::Below(count);
        let answer = self.ask(site.thread, site.inputs, InputKind::Environment, domain)?;
        let number = least + answer as i64;
        Ok(Value::from_bits(self.width(ty), number as u128))
    }

    /// A word that is not empty, with its zero byte.
    fn answer_word(
        &mut self,
        site: &mut Site,
        room: u64,
        fits: impl Fn(u8) -> bool,
    ) -> Result<Vec<u8>, Stop> {
        let letters: Vec<u8> = (1..=255).filter(|byte| fits(*byte)).collect();
        let mut word = Vec::new();
        while !letters.is_empty() && (word.len() as u64) + 1 < room {
            // After the first letter, the word may end.
            let ends = usize::from(!word.is_empty());
            let domain = Domain::Below((letters.len() + ends) as u64);
            let answer = self.ask(site.thread, site.inputs, InputKind::Environment, domain)?;
            match (answer as usize)
                .checked_sub(ends)
                .and_then(|index| letters.get(index))
            {
                Some(letter) => word.push(*letter),
                None => break,
            }
        }
        word.push(0);
        Ok(word)
    }

    fn plan_character(&mut self, site: &mut Site, plan: &Plan) -> Result<Reply, Stop> {
        Ok(Reply::int(self.answer(site, 257, plan)? as i32 - 1))
    }

    /// `fgets(buffer, size, stream)`. A file may contain zero bytes; one also stands
    /// for the end of the input here.
    fn plan_fgets(&mut self, site: &mut Site, plan: &mut Plan) -> Result<Reply, Stop> {
        self.stream_arg(site, 2, plan)?;
        let (buffer, size) = (self.pointer_arg(site, 0), site.int(1));
        let null = Reply::pointer(Pointer::NULL);
        if size <= 0 {
            return Ok(null);
        }
        let target = self.plan_range(site, buffer, size as u64, AccessMode::WRITE, plan)?;
        let is_line = self.answer(site, 2, plan)? == 1;
        let Some(target) = target.filter(|_| is_line) else {
            return Ok(null);
        };
        let mut line = Vec::new();
        while line.len() + 1 < size as usize {
            let byte = self.answer(site, 256, plan)? as u8;
            if byte == 0 {
                break;
            }
            line.push(byte);
            if byte == b'\n' {
                break;
            }
        }
        line.push(0);
        plan.add(Planned::Bytes(target, line));
        Ok(Reply::pointer(buffer))
    }

    /// `fread(buffer, size, count, stream)`.
    fn plan_fread(&mut self, site: &mut Site, plan: &mut Plan) -> Result<Reply, Stop> {
        self.stream_arg(site, 3, plan)?;
        let (buffer, size, count) = (self.pointer_arg(site, 0), site.number(1), site.number(2));
        if size == 0 || count == 0 {
            return Ok(Reply::NOTHING);
        }
        let len = size.saturating_mul(count);
        let target = self.plan_range(site, buffer, len, AccessMode::WRITE, plan)?;
        let got = self.answer(site, count.saturating_add(1), plan)?;
        if let Some(target) = target.filter(|_| got > 0) {
            let bytes = self.answer_bytes(site, size.saturating_mul(got))?;
            plan.add(Planned::Bytes(target, bytes));
        }
        Ok(Reply::Return(Value::Bits(got)))
    }

    /// Whether a file can be opened; the names among the arguments are read.
    pub(crate) fn opens_file(&mut self, site: &mut Site) -> Result<bool, Stop> {
        let reply = self.planned(site, |machine, site, plan| {
            machine.read_names(site, plan)?;
            let opens = machine.answer(site, 2, plan)? == 1;
            if !opens {
                plan.add(Planned::SetErrno(ENOENT));
            }
            Ok(Reply::int(i32::from(opens)))
        })?;
        Ok(matches!(reply, Reply::Return(value) if value.low_bits() != 0))
    }

    /// `read(file, buffer, size)`.
    pub(crate) fn read_outside(&mut self, site: &mut Site) -> Result<Reply, Stop> {
        self.planned(site, |machine, site, plan| machine.plan_read(site, plan))
    }

    fn plan_read(&mut self, site: &mut Site, plan: &mut Plan) -> Result<Reply, Stop> {
        let (buffer, size) = (self.pointer_arg(site, 1), site.number(2));
        let target = self.plan_range(site, buffer, size, AccessMode::WRITE, plan)?;
        // Nothing, so many bytes, or failure.
        let got = self.answer(site, size.saturating_add(2), plan)?;
        if got > size {
            return Ok(Reply::Return(Value::Bits(u64::MAX)));
        }
        if let Some(target) = target.filter(|_| got > 0) {
            let bytes = self.answer_bytes(site, got)?;
            plan.add(Planned::Bytes(target, bytes));
        }
        Ok(Reply::Return(Value::Bits(got)))
    }

    // Files.

    /// Reads the strings among the arguments: names and modes of files.
    fn read_names(&mut self, site: &mut Site, plan: &mut Plan) -> Result<(), Stop> {
        for index in 0..site.call.args.len() {
            if site.call.args[index].ty == Type::Pointer {
                self.read_string(site, self.pointer_arg(site, index), UNLIMITED, plan)?;
            }
        }
        Ok(())
    }

    fn plan_open_stream(&mut self, site: &mut Site, plan: &mut Plan) -> Result<Reply, Stop> {
        self.read_names(site, plan)?;
        if self.answer(site, 2, plan)? == 0 {
            plan.add(Planned::SetErrno(ENOENT));
            return Ok(Reply::pointer(Pointer::NULL));
        }
        let origin = Origin::Environment(STREAM);
        let stream = self
            .memory
            .add_heap(site.thread.id, origin, 1, 16, true, None)?;
        Ok(Reply::pointer(self.memory.pointer(stream, 0)))
    }

    fn plan_close_stream(&mut self, site: &mut Site, plan: &mut Plan) -> Result<Reply, Stop> {
        self.use_stream(site, 0, true, plan)?;
        let stream = self.pointer_arg(site, 0).object;
        let is_ours = |origin: &Origin| *origin == Origin::Environment(STREAM);
        if let Some(stream) = stream
            && self
                .memory
                .get(stream)
                .is_some_and(|data| is_ours(&data.origin))
        {
            plan.add(Planned::Close(stream));
        }
        Ok(Reply::int(0))
    }
}

/// The smallest decimal number of at most so many characters, and how many there
/// are. A sign takes one character.
fn decimal_range(width: u32, is_signed: bool) -> (i64, u64) {
    let power = |digits: u32| 10i64.saturating_pow(digits);
    let most = power(width) - 1;
    let least = if is_signed { 1 - power(width - 1) } else { 0 };
    (least, (most - least + 1) as u64)
}

#[cfg(test)]
mod tests {
    use super::decimal_range;

    #[test]
    fn numbers_of_limited_width() {
        assert_eq!(decimal_range(1, true), (0, 10));
        assert_eq!(decimal_range(2, true), (-9, 109));
        assert_eq!(decimal_range(2, false), (0, 100));
        assert_eq!(decimal_range(9, true), (-99_999_999, 1_099_999_999));
    }
}
