//! Output: `printf` and its relatives, and the simpler functions.
//!
//! Output itself is no visible step; only strings in shared memory, or a shared
//! buffer that is written, make a call one. How values look is decided in
//! [`format_language`].

pub(super) mod format_language;

use super::plan::{Plan, Planned, Sink, UNLIMITED};
use super::strings::errors;
use super::{Reply, Site};
use crate::footprint::Look;
use crate::machine::{AccessMode, Machine, Stop};
use crate::memory::{AccessFault, Origin};
use crate::shadow::Shadow;
use crate::value::{self, Pointer, Value};
use crate::violation::ViolationKind;
use format_language::{Amount, BadFormat, Directive, Field, MAX_FIELD, Piece};
use ir::Type;
use library::Output;

/// What a stream that the program has opened is.
pub(crate) const STREAM: &str = "a stream";

/// Where formatted text goes.
enum Destination {
    Print(Sink),
    /// A buffer, and how many bytes of it may be used.
    Buffer(Pointer, Option<u64>),
    /// A fresh object, whose address is stored here.
    Fresh(Pointer),
}

/// The arguments that belong to a format. Taking one has no effect on memory, so
/// that a call which has to wait can begin again.
pub(crate) enum Arguments {
    /// Those of the call, from this one on.
    Given(usize),
    /// Those of a `va_list`: where the next one lies. They lie where
    /// [`Machine::start_variadic`] has put them.
    Listed(Pointer),
}

impl<'a> Machine<'a> {
    pub(crate) fn output_model(&mut self, site: &mut Site, op: Output) -> Result<Reply, Stop> {
        self.planned(site, |machine, site, plan| {
            machine.plan_output(site, op, plan)
        })
    }

    fn plan_output(&mut self, site: &mut Site, op: Output, plan: &mut Plan) -> Result<Reply, Stop> {
        match op {
            Output::Puts => {
                let mut text = self.text_arg(site, 0, plan)?;
                text.push(b'\n');
                let count = text.len() as i32;
                plan.add(Planned::Print(Sink::Output, text));
                Ok(Reply::int(count))
            }
            Output::Fputs => {
                let sink = self.stream_arg(site, 1, plan)?;
                let text = self.text_arg(site, 0, plan)?;
                plan.add(Planned::Print(sink, text));
                Ok(Reply::int(1))
            }
            Output::Putchar | Output::Putc => {
                let sink = match op {
                    Output::Putchar => Sink::Output,
                    _ => self.stream_arg(site, 1, plan)?,
                };
                let byte = site.number(0) as u8;
                plan.add(Planned::Print(sink, vec![byte]));
                Ok(Reply::int(i32::from(byte)))
            }
            Output::Fwrite => self.plan_fwrite(site, plan),
            Output::Perror => {
                let mut text = match self.pointer_arg(site, 0).address {
                    0 => Vec::new(),
                    _ => self.text_arg(site, 0, plan)?,
                };
                if !text.is_empty() {
                    text.extend(b": ");
                }
                text.extend(errors::message(self.errno_value(site)).bytes());
                text.push(b'\n');
                plan.add(Planned::Print(Sink::Error, text));
                Ok(Reply::NOTHING)
            }
            Output::Fflush | Output::SetBuffer => Ok(Reply::int(0)),
            formatted => self.plan_formatted(site, formatted, plan),
        }
    }

    /// `write(file, buffer, size)`.
    pub(crate) fn write_outside(&mut self, site: &mut Site) -> Result<Reply, Stop> {
        self.planned(site, |machine, site, plan| {
            let (buffer, len) = (machine.pointer_arg(site, 1), site.number(2));
            let bytes = machine.read_bytes(site, buffer, len, plan)?;
            plan.add(Planned::Print(descriptor(site.int(0)), bytes));
            Ok(Reply::Return(Value::Bits(len)))
        })
    }

    fn text_arg(
        &mut self,
        site: &mut Site,
        index: usize,
        plan: &mut Plan,
    ) -> Result<Vec<u8>, Stop> {
        let pointer = self.pointer_arg(site, index);
        self.read_string(site, pointer, UNLIMITED, plan)
    }

    fn plan_fwrite(&mut self, site: &mut Site, plan: &mut Plan) -> Result<Reply, Stop> {
        let sink = self.stream_arg(site, 3, plan)?;
        let (buffer, size, count) = (self.pointer_arg(site, 0), site.number(1), site.number(2));
        if size == 0 || count == 0 {
            return Ok(Reply::NOTHING);
        }
        let bytes = self.read_bytes(site, buffer, size.saturating_mul(count), plan)?;
        plan.add(Planned::Print(sink, bytes));
        Ok(Reply::Return(Value::Bits(count)))
    }

    /// The stream that a call uses.
    pub(crate) fn stream_arg(
        &mut self,
        site: &Site,
        index: usize,
        plan: &mut Plan,
    ) -> Result<Sink, Stop> {
        self.use_stream(site, index, false, plan)
    }

    /// Uses or closes a stream. Streams have locks of their own, so using one in
    /// two threads is no race; but one thread may close it before the other uses
    /// it.
    pub(crate) fn use_stream(
        &mut self,
        site: &Site,
        index: usize,
        closes: bool,
        plan: &mut Plan,
    ) -> Result<Sink, Stop> {
        let stream = self.pointer_arg(site, index);
        let Some(object) = stream.object else {
            return Err(if stream.address == 0 {
                let message = "the stream is a null pointer";
                self.violated(site.thread, ViolationKind::NullDereference, message)
            } else {
                self.access_violation(site.thread, AccessFault::Wild, 1, false)
            });
        };
        match self.memory.even_dead(object).map(|data| &data.origin) {
            Some(Origin::Environment("stdout")) => Ok(Sink::Output),
            _ if self.image.standard_error == Some(object) => Ok(Sink::Error),
            Some(Origin::Environment(STREAM)) => {
                let mode = AccessMode {
                    is_write: closes,
                    is_atomic: true,
                };
                self.plan_range(site, stream, 1, mode, plan)?;
                Ok(Sink::Nowhere)
            }
            _ => Ok(Sink::Nowhere),
        }
    }

    fn errno_value(&self, site: &Site) -> i32 {
        let read = |object| self.memory.read(object, 0, &Type::Int(32)).low_bits() as i32;
        site.thread.errno.map_or(0, read)
    }

    fn plan_formatted(
        &mut self,
        site: &mut Site,
        op: Output,
        plan: &mut Plan,
    ) -> Result<Reply, Stop> {
        let first = self.pointer_arg(site, 0);
        let limited = Destination::Buffer(first, Some(site.number(1)));
        let unlimited = Destination::Buffer(first, None);
        let output = Destination::Print(Sink::Output);
        // Where the text goes, which argument is the format, and whether the next
        // one is a list of the others.
        let (destination, format, is_list) = match op {
            Output::Printf => (output, 0, false),
            Output::Vprintf => (output, 0, true),
            Output::PrintfChecked => (output, 1, false),
            Output::VprintfChecked => (output, 1, true),
            Output::Dprintf => (Destination::Print(descriptor(site.int(0))), 1, false),
            Output::Vdprintf => (Destination::Print(descriptor(site.int(0))), 1, true),
            Output::Sprintf => (unlimited, 1, false),
            Output::Vsprintf => (unlimited, 1, true),
            Output::SprintfChecked => (unlimited, 3, false),
            Output::VsprintfChecked => (unlimited, 3, true),
            Output::Snprintf => (limited, 2, false),
            Output::Vsnprintf => (limited, 2, true),
            Output::SnprintfChecked => (limited, 4, false),
            Output::VsnprintfChecked => (limited, 4, true),
            Output::Asprintf => (Destination::Fresh(first), 1, false),
            Output::Vasprintf => (Destination::Fresh(first), 1, true),
            on_stream => {
                let sink = Destination::Print(self.stream_arg(site, 0, plan)?);
                match on_stream {
                    Output::FprintfChecked => (sink, 2, false),
                    Output::VfprintfChecked => (sink, 2, true),
                    Output::Vfprintf => (sink, 1, true),
                    _ => (sink, 1, false),
                }
            }
        };
        let mut arguments = self.arguments_after(site, format, is_list)?;
        let format_text = self.text_arg(site, format, plan)?;
        let is_stored = !matches!(destination, Destination::Print(_));
        let text = self.render(site, &format_text, &mut arguments, is_stored, plan)?;
        // Nobody reads what is printed; but its length is told.
        self.is_answer_open |= plan.is_text_open;
        self.plan_list_end(site, format + 1, &arguments, plan);
        self.plan_text(site, destination, text, plan)
    }

    fn plan_text(
        &mut self,
        site: &mut Site,
        destination: Destination,
        text: Vec<u8>,
        plan: &mut Plan,
    ) -> Result<Reply, Stop> {
        let count = text.len() as i32;
        match destination {
            Destination::Print(sink) => plan.add(Planned::Print(sink, text)),
            Destination::Buffer(_, Some(0)) => {}
            Destination::Buffer(buffer, limit) => {
                let room = limit.map_or(u64::MAX, |limit| limit - 1);
                let kept = room.min(text.len() as u64) as usize;
                self.plan_string(site, buffer, &text[..kept], plan)?;
            }
            Destination::Fresh(place) => {
                let word = self.memory.pointer_bytes;
                let target = self.plan_range(site, place, word, AccessMode::WRITE, plan)?;
                let Some(target) = target.filter(|_| !plan.must_wait) else {
                    return Ok(Reply::NOTHING);
                };
                let mut content = text;
                content.push(0);
                let block = self.new_block(site, content, plan)?;
                if block.address == 0 {
                    return Ok(Reply::int(-1));
                }
                plan.add(Planned::Store(target, Type::Pointer, Value::Pointer(block)));
            }
        }
        Ok(Reply::int(count))
    }

    // Arguments.

    /// The arguments of the format that is argument number `format`.
    pub(crate) fn arguments_after(
        &self,
        site: &Site,
        format: usize,
        is_list: bool,
    ) -> Result<Arguments, Stop> {
        if !is_list {
            return Ok(Arguments::Given(format + 1));
        }
        let list = self.pointer_arg(site, format + 1);
        let word = self.memory.pointer_bytes;
        if word == 4 {
            return Ok(Arguments::Listed(list));
        }
        let place = self.advanced(list, 8);
        let (object, offset) = self
            .memory
            .check(place, word, false)
            .map_err(|fault| self.access_violation(site.thread, fault, word, false))?;
        let position = self.memory.read(object, offset, &Type::Pointer);
        Ok(Arguments::Listed(self.as_pointer(&position)))
    }

    /// Plans to leave a `va_list` behind the arguments that were taken from it. On
    /// 32-bit machines the caller's list does not move: the call got a copy.
    pub(crate) fn plan_list_end(
        &mut self,
        site: &Site,
        list: usize,
        arguments: &Arguments,
        plan: &mut Plan,
    ) {
        let Arguments::Listed(position) = arguments else {
            return;
        };
        let place = self.advanced(self.pointer_arg(site, list), 8);
        let word = self.memory.pointer_bytes;
        if word == 8
            && let Ok(target) = self.memory.check(place, word, true)
        {
            plan.add(Planned::Store(
                target,
                Type::Pointer,
                Value::Pointer(*position),
            ));
        }
    }

    /// Takes the next argument.
    pub(crate) fn next_argument(
        &self,
        site: &Site,
        arguments: &mut Arguments,
        ty: &Type,
    ) -> Result<Value, Stop> {
        self.note_open(&next_shadow(site, arguments));
        self.take_argument(site, arguments, ty)
    }

    /// The same if nothing but the text depends on it.
    fn printed_argument(
        &self,
        site: &Site,
        arguments: &mut Arguments,
        ty: &Type,
        plan: &mut Plan,
    ) -> Result<Value, Stop> {
        plan.is_text_open |= self.leaves_open() && next_shadow(site, arguments).is_some();
        self.take_argument(site, arguments, ty)
    }

    fn take_argument(
        &self,
        site: &Site,
        arguments: &mut Arguments,
        ty: &Type,
    ) -> Result<Value, Stop> {
        let misuse =
            |message: String| Err(self.violated(site.thread, ViolationKind::Misuse, message));
        let missing = || "the format needs more arguments than there are".to_owned();
        let value = match arguments {
            Arguments::Given(next) => {
                let Some(argument) = site.call.args.get(*next) else {
                    return misuse(missing());
                };
                *next += 1;
                if argument.by_value.is_some() || argument.ty.is_float() != ty.is_float() {
                    return misuse(format!(
                        "argument {next} does not have the type that the format says"
                    ));
                }
                argument.value.clone()
            }
            Arguments::Listed(position) => {
                let word = self.memory.pointer_bytes;
                let size = ty.bytes(word);
                let Ok((object, offset)) = self.memory.check(*position, size, false) else {
                    return misuse(missing());
                };
                *position = self.advanced(*position, size.next_multiple_of(word));
                self.memory.read(object, offset, ty)
            }
        };
        Ok(match ty {
            Type::Pointer => Value::Pointer(self.as_pointer(&value)),
            _ => Value::from_bits(self.width(ty), value.bits()),
        })
    }

    pub(crate) fn format_fault(&self, site: &Site, fault: BadFormat) -> Stop {
        match fault {
            BadFormat::Invalid(message) => {
                self.violated(site.thread, ViolationKind::Misuse, message)
            }
            BadFormat::Unsupported(what) => self.unsupported(site.thread, what),
        }
    }

    // Text.

    /// The text that a format and its arguments make. If it is going to be stored
    /// in memory, addresses in it may be found there.
    fn render(
        &mut self,
        site: &mut Site,
        format: &[u8],
        arguments: &mut Arguments,
        is_stored: bool,
        plan: &mut Plan,
    ) -> Result<Vec<u8>, Stop> {
        let pieces =
            format_language::pieces(format).map_err(|fault| self.format_fault(site, fault))?;
        let mut text = Vec::new();
        for piece in pieces {
            match piece {
                Piece::Text(bytes) => text.extend(bytes),
                Piece::Directive(directive) if directive.conversion == b'n' => {
                    let place = self.next_argument(site, arguments, &Type::Pointer)?;
                    let place = self.as_pointer(&place);
                    if plan.is_text_open {
                        self.footprint.note(Look::Open);
                    }
                    let width = directive.length.bits(self.memory.pointer_bytes);
                    let count = Value::from_bits(width, text.len() as u128);
                    self.plan_store(site, place, Type::Int(width), count, plan)?;
                }
                Piece::Directive(directive) => {
                    let field = self.field(site, &directive, arguments)?;
                    let bytes =
                        self.convert(site, &directive, &field, arguments, is_stored, plan)?;
                    text.extend(bytes);
                }
            }
        }
        Ok(text)
    }

    /// Finds out width and precision.
    fn field(
        &self,
        site: &Site,
        directive: &Directive,
        arguments: &mut Arguments,
    ) -> Result<Field, Stop> {
        let mut flags = directive.flags;
        let width = self.amount(site, directive.width, arguments)?;
        flags.left |= width < 0;
        let precision = match directive.precision {
            Some(amount) => self.amount(site, amount, arguments)?,
            None => -1,
        };
        // A negative precision is none.
        let precision = u64::try_from(precision).ok();
        let width = width.unsigned_abs();
        // That of a string only limits it.
        let makes_digits = directive.conversion != b's';
        if width > MAX_FIELD || precision.is_some_and(|p| p > MAX_FIELD && makes_digits) {
            return Err(self.unsupported(site.thread, "output with such wide fields"));
        }
        Ok(Field {
            flags,
            width: width as usize,
            precision: precision.map(|precision| precision as usize),
        })
    }

    fn amount(&self, site: &Site, amount: Amount, arguments: &mut Arguments) -> Result<i64, Stop> {
        Ok(match amount {
            Amount::Number(number) => i64::try_from(number).unwrap_or(i64::MAX),
            Amount::Argument => {
                let value = self.next_argument(site, arguments, &Type::Int(32))?;
                i64::from(value.low_bits() as i32)
            }
        })
    }

    fn convert(
        &mut self,
        site: &mut Site,
        directive: &Directive,
        field: &Field,
        arguments: &mut Arguments,
        is_stored: bool,
        plan: &mut Plan,
    ) -> Result<Vec<u8>, Stop> {
        let conversion = directive.conversion;
        Ok(match conversion {
            b'c' => {
                let value = self.printed_argument(site, arguments, &Type::Int(32), plan)?;
                format_language::character(field, value.low_bits() as u8)
            }
            b's' => {
                let value = self.next_argument(site, arguments, &Type::Pointer)?;
                let bytes = self.string_argument(site, &value, field, plan)?;
                format_language::string(field, &bytes)
            }
            b'm' => {
                format_language::string(field, errors::message(self.errno_value(site)).as_bytes())
            }
            b'p' => {
                let value = self.next_argument(site, arguments, &Type::Pointer)?;
                let text = format_language::pointer(field, value.low_bits());
                if is_stored {
                    plan.add(Planned::Publish(value));
                }
                text
            }
            b'd' | b'i' | b'u' | b'o' | b'x' | b'X' => {
                let width = directive.length.bits(self.memory.pointer_bytes);
                // Small integers come as `int`.
                let ty = Type::Int(width.max(32));
                let bits = self.printed_argument(site, arguments, &ty, plan)?.bits();
                let is_signed = matches!(conversion, b'd' | b'i');
                let number = if is_signed {
                    value::sign_extend(bits, width)
                } else {
                    value::truncate(bits, width) as i128
                };
                let magnitude = number.unsigned_abs() as u64;
                format_language::integer(field, conversion, number < 0, magnitude)
            }
            _ => {
                let value = self.printed_argument(site, arguments, &Type::Double, plan)?;
                format_language::float(field, conversion, f64::from_bits(value.low_bits()))
            }
        })
    }

    fn string_argument(
        &mut self,
        site: &mut Site,
        value: &Value,
        field: &Field,
        plan: &mut Plan,
    ) -> Result<Vec<u8>, Stop> {
        const NULL: &[u8] = b"(null)";
        let pointer = self.as_pointer(value);
        if pointer.address == 0 {
            // As glibc does it: the whole word or nothing.
            let fits = field
                .precision
                .is_none_or(|precision| precision >= NULL.len());
            return Ok(if fits { NULL.to_vec() } else { Vec::new() });
        }
        let limit = field
            .precision
            .map_or(UNLIMITED, |precision| precision as u64);
        self.read_string(site, pointer, limit, plan)
    }
}

/// The shadow of the next argument. Those in lists have none: whoever made the list
/// has seen to that.
fn next_shadow(site: &Site, arguments: &Arguments) -> Shadow {
    match arguments {
        Arguments::Given(next) => {
            let argument = site.call.args.get(*next);
            argument.map_or(Shadow::None, |argument| argument.shadow.clone())
        }
        Arguments::Listed(_) => Shadow::None,
    }
}

/// Which argument the first is that is only printed, if a function prints.
pub(crate) fn first_printed(op: Output) -> Option<usize> {
    match op {
        Output::Printf => Some(1),
        Output::Fprintf | Output::Dprintf | Output::PrintfChecked => Some(2),
        Output::FprintfChecked => Some(3),
        _ => None,
    }
}

/// Where output to a file number goes.
fn descriptor(number: i32) -> Sink {
    match number {
        1 => Sink::Output,
        2 => Sink::Error,
        _ => Sink::Nowhere,
    }
}
