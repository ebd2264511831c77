//! Strings, numbers in strings, and characters.
//!
//! Each call that reads or writes memory is one step, made through a
//! [`Plan`]: these functions must not change memory themselves.

pub(super) mod characters;
pub(super) mod errors;
pub(super) mod numbers;

use super::plan::{Plan, Planned, UNLIMITED};
use super::{EINVAL, Reply, Site};
use crate::machine::{AccessMode, Machine, Stop};
use crate::memory::{ObjectId, Origin};
use crate::value::{Pointer, Value};
use crate::violation::ViolationKind;
use ir::{GlobalId, Type};
use library::Strings;
use std::cmp::Ordering;
use std::rc::Rc;

const ERANGE: i32 = 34;

impl<'a> Machine<'a> {
    pub(crate) fn strings_model(&mut self, site: &mut Site, op: Strings) -> Result<Reply, Stop> {
        if let Some(class) = class_of(op) {
            return self.character_class(site, op, class);
        }
        match op {
            Strings::ToUpper => Ok(Reply::int(characters::to_upper(site.int(0)))),
            Strings::ToLower => Ok(Reply::int(characters::to_lower(site.int(0)))),
            Strings::CtypeClasses | Strings::CtypeToUpper | Strings::CtypeToLower => {
                self.character_table(site, op)
            }
            Strings::Strerror => self.error_message(site),
            _ => self.planned(site, |machine, site, plan| {
                machine.plan_strings(site, op, plan)
            }),
        }
    }

    fn plan_strings(
        &mut self,
        site: &mut Site,
        op: Strings,
        plan: &mut Plan,
    ) -> Result<Reply, Stop> {
        match op {
            Strings::Strlen => {
                let text = self.string_arg(site, 0, UNLIMITED, plan)?;
                Ok(size_reply(text.len()))
            }
            Strings::Strnlen => {
                let text = self.string_arg(site, 0, site.number(1), plan)?;
                Ok(size_reply(text.len()))
            }
            Strings::Strcpy
            | Strings::Stpcpy
            | Strings::Strncpy
            | Strings::Stpncpy
            | Strings::Strlcpy => self.plan_copy(site, op, plan),
            Strings::Strcat | Strings::Strncat | Strings::Strlcat => {
                self.plan_append(site, op, plan)
            }
            Strings::Strcmp | Strings::Strncmp | Strings::Strcasecmp | Strings::Strncasecmp => {
                self.plan_compare(site, op, plan)
            }
            Strings::Strchr | Strings::Strchrnul | Strings::Strrchr => {
                self.plan_find_byte(site, op, plan)
            }
            Strings::Strstr | Strings::Strspn | Strings::Strcspn | Strings::Strpbrk => {
                self.plan_search(site, op, plan)
            }
            Strings::Strdup => self.plan_duplicate(site, UNLIMITED, plan),
            Strings::Strndup => self.plan_duplicate(site, site.number(1), plan),
            Strings::StrtokR => self.plan_token(site, plan),
            Strings::Strtod | Strings::Strtof | Strings::Atof => self.plan_float(site, op, plan),
            _ => self.plan_integer(site, op, plan),
        }
    }

    fn string_arg(
        &mut self,
        site: &mut Site,
        index: usize,
        limit: u64,
        plan: &mut Plan,
    ) -> Result<Vec<u8>, Stop> {
        let pointer = self.pointer_arg(site, index);
        self.read_string(site, pointer, limit, plan)
    }

    fn plan_copy(&mut self, site: &mut Site, op: Strings, plan: &mut Plan) -> Result<Reply, Stop> {
        let (to, limit) = (self.pointer_arg(site, 0), site.number(2));
        match op {
            Strings::Strncpy | Strings::Stpncpy => {
                let mut text = self.string_arg(site, 1, limit, plan)?;
                let end = self.advanced(to, text.len() as u64);
                // Before the padding is made: only now is it known to be of sane length.
                let target = self.plan_range(site, to, limit, AccessMode::WRITE, plan)?;
                if let Some(target) = target.filter(|_| limit > 0) {
                    text.resize(limit as usize, 0);
                    plan.add(Planned::Bytes(target, text));
                }
                Ok(Reply::pointer(if op == Strings::Strncpy {
                    to
                } else {
                    end
                }))
            }
            Strings::Strlcpy => {
                let text = self.string_arg(site, 1, UNLIMITED, plan)?;
                if limit > 0 {
                    self.plan_string(site, to, cut(&text, limit - 1), plan)?;
                }
                Ok(size_reply(text.len()))
            }
            _ => {
                let text = self.string_arg(site, 1, UNLIMITED, plan)?;
                self.plan_string(site, to, &text, plan)?;
                let end = self.advanced(to, text.len() as u64);
                Ok(Reply::pointer(if op == Strings::Strcpy { to } else { end }))
            }
        }
    }

    fn plan_append(
        &mut self,
        site: &mut Site,
        op: Strings,
        plan: &mut Plan,
    ) -> Result<Reply, Stop> {
        let (to, limit) = (self.pointer_arg(site, 0), site.number(2));
        let (room, source_limit) = match op {
            Strings::Strlcat => (limit, UNLIMITED),
            Strings::Strncat => (UNLIMITED, limit),
            _ => (UNLIMITED, UNLIMITED),
        };
        let before = self.string_arg(site, 0, room, plan)?.len() as u64;
        let text = self.string_arg(site, 1, source_limit, plan)?;
        // Nothing fits, not even the zero byte.
        if before < room {
            let end = self.advanced(to, before);
            self.plan_string(site, end, cut(&text, room - before - 1), plan)?;
        }
        Ok(match op {
            Strings::Strlcat => size_reply(before as usize + text.len()),
            _ => Reply::pointer(to),
        })
    }

    fn plan_compare(
        &mut self,
        site: &mut Site,
        op: Strings,
        plan: &mut Plan,
    ) -> Result<Reply, Stop> {
        let limit = match op {
            Strings::Strncmp | Strings::Strncasecmp => site.number(2),
            _ => UNLIMITED,
        };
        let mut left = self.string_arg(site, 0, limit, plan)?;
        let mut right = self.string_arg(site, 1, limit, plan)?;
        if matches!(op, Strings::Strcasecmp | Strings::Strncasecmp) {
            left.make_ascii_lowercase();
            right.make_ascii_lowercase();
        }
        // The zero byte sorts before all others, so the shorter of two strings
        // that agree otherwise is the smaller one.
        Ok(Reply::int(match left.cmp(&right) {
            Ordering::Less => -1,
            Ordering::Equal => 0,
            Ordering::Greater => 1,
        }))
    }

    fn plan_find_byte(
        &mut self,
        site: &mut Site,
        op: Strings,
        plan: &mut Plan,
    ) -> Result<Reply, Stop> {
        let (start, wanted) = (self.pointer_arg(site, 0), site.number(1) as u8);
        let text = self.string_arg(site, 0, UNLIMITED, plan)?;
        let found = match op {
            // The zero byte is part of the string here.
            _ if wanted == 0 => Some(text.len()),
            Strings::Strrchr => text.iter().rposition(|byte| *byte == wanted),
            Strings::Strchrnul => {
                let first = text.iter().position(|byte| *byte == wanted);
                Some(first.unwrap_or(text.len()))
            }
            _ => text.iter().position(|byte| *byte == wanted),
        };
        Ok(self.place_reply(start, found))
    }

    fn plan_search(
        &mut self,
        site: &mut Site,
        op: Strings,
        plan: &mut Plan,
    ) -> Result<Reply, Stop> {
        let start = self.pointer_arg(site, 0);
        let text = self.string_arg(site, 0, UNLIMITED, plan)?;
        let wanted = self.string_arg(site, 1, UNLIMITED, plan)?;
        let first = |is_wanted: bool| text.iter().position(|b| wanted.contains(b) == is_wanted);
        Ok(match op {
            Strings::Strspn => size_reply(first(false).unwrap_or(text.len())),
            Strings::Strcspn => size_reply(first(true).unwrap_or(text.len())),
            Strings::Strpbrk => self.place_reply(start, first(true)),
            _ => self.place_reply(start, find(&text, &wanted)),
        })
    }

    /// A pointer to a place in a string, or null.
    fn place_reply(&self, start: Pointer, found: Option<usize>) -> Reply {
        Reply::pointer(match found {
            Some(at) => self.advanced(start, at as u64),
            None => Pointer::NULL,
        })
    }

    fn plan_duplicate(
        &mut self,
        site: &mut Site,
        limit: u64,
        plan: &mut Plan,
    ) -> Result<Reply, Stop> {
        let mut text = self.string_arg(site, 0, limit, plan)?;
        if plan.must_wait {
            return Ok(Reply::NOTHING);
        }
        text.push(0);
        self.new_block(site, text, plan).map(Reply::pointer)
    }

    /// A fresh heap object with this content, or null. Only for plans that need
    /// not wait.
    pub(crate) fn new_block(
        &mut self,
        site: &mut Site,
        content: Vec<u8>,
        plan: &mut Plan,
    ) -> Result<Pointer, Stop> {
        let block = self.allocate(site, content.len() as u64, 16, false)?;
        if let Some(object) = block.object {
            plan.add(Planned::Bytes((object, 0), content));
        }
        Ok(block)
    }

    /// `strtok_r(string or null, delimiters, &state)`.
    fn plan_token(&mut self, site: &mut Site, plan: &mut Plan) -> Result<Reply, Stop> {
        let state = self.pointer_arg(site, 2);
        let mut start = self.pointer_arg(site, 0);
        if start.address == 0 {
            let saved = self.read_value(site, state, &Type::Pointer, plan)?;
            start = self.as_pointer(&saved);
        }
        let text = self.read_string(site, start, UNLIMITED, plan)?;
        let delimiters = self.string_arg(site, 1, UNLIMITED, plan)?;
        let token = token(&text, &delimiters);
        let mut rest = self.advanced(start, token.end as u64);
        if token.end < text.len() {
            self.plan_store(site, rest, Type::Int(8), Value::ZERO, plan)?;
            rest = self.advanced(rest, 1);
        }
        self.plan_store(site, state, Type::Pointer, Value::Pointer(rest), plan)?;
        Ok(self.place_reply(start, (!token.is_empty()).then_some(token.start)))
    }

    fn plan_integer(
        &mut self,
        site: &mut Site,
        op: Strings,
        plan: &mut Plan,
    ) -> Result<Reply, Stop> {
        let is_strto = !matches!(op, Strings::Atoi | Strings::Atol | Strings::Atoll);
        let base = if is_strto { site.number(2) as u32 } else { 10 };
        if base == 1 || base > 36 {
            plan.add(Planned::SetErrno(EINVAL));
            return Ok(Reply::NOTHING);
        }
        let text = self.string_arg(site, 0, UNLIMITED, plan)?;
        let symbol = &self.image.program.functions[site.call.function].symbol;
        let number = numbers::integer(&text, base, symbol.starts_with("__isoc23_"));
        if is_strto {
            self.plan_end(site, number.length, plan)?;
        }
        let long = 8 * self.memory.pointer_bytes as u32;
        let fitted = match op {
            Strings::Strtoul => number.unsigned(long),
            Strings::Strtoull => number.unsigned(64),
            Strings::Strtoll | Strings::Atoll => number.signed(64),
            // `atoi` reads a `long` too, and cuts it.
            _ => number.signed(long),
        };
        if fitted.is_out_of_range {
            plan.add(Planned::SetErrno(ERANGE));
        }
        Ok(Reply::Return(Value::Bits(fitted.value)))
    }

    fn plan_float(&mut self, site: &mut Site, op: Strings, plan: &mut Plan) -> Result<Reply, Stop> {
        let text = self.string_arg(site, 0, UNLIMITED, plan)?;
        let number = numbers::float(&text);
        if op != Strings::Atof {
            let length = number.as_ref().map_or(0, |number| number.length);
            self.plan_end(site, length, plan)?;
        }
        let Some(number) = number else {
            return Ok(Reply::NOTHING);
        };
        let (bits, is_out_of_range) = if op == Strings::Strtof {
            let fitted = number.single();
            (u64::from(fitted.value.to_bits()), fitted.is_out_of_range)
        } else {
            let fitted = number.double();
            (fitted.value.to_bits(), fitted.is_out_of_range)
        };
        if is_out_of_range {
            plan.add(Planned::SetErrno(ERANGE));
        }
        Ok(Reply::Return(Value::Bits(bits)))
    }

    /// Stores where a number ends, if the caller wants to know.
    fn plan_end(&mut self, site: &Site, length: usize, plan: &mut Plan) -> Result<(), Stop> {
        let place = self.pointer_arg(site, 1);
        if place.address == 0 {
            return Ok(());
        }
        let end = self.advanced(self.pointer_arg(site, 0), length as u64);
        self.plan_store(site, place, Type::Pointer, Value::Pointer(end), plan)
    }

    fn character_class(&mut self, site: &Site, op: Strings, class: u16) -> Result<Reply, Stop> {
        let character = site.int(0);
        if !characters::DOMAIN.contains(&character) {
            let function = format!("{op:?}").to_ascii_lowercase();
            let message = format!("{function} of {character}, which is no character");
            return Err(self.violated(site.thread, ViolationKind::Misuse, message));
        }
        Ok(Reply::int(i32::from(
            characters::classes(character) & class,
        )))
    }

    // The tables and messages that the C library itself keeps in memory.

    /// A pointer to a pointer to the entry of character 0, as glibc's macros want
    /// it. Both are in one object: the pointer first, then the table.
    fn character_table(&mut self, site: &mut Site, op: Strings) -> Result<Reply, Stop> {
        const TABLE: u64 = 16;
        let numbers = characters::DOMAIN;
        let content: Vec<u8> = match op {
            Strings::CtypeClasses => numbers
                .flat_map(|c| characters::classes(c).to_le_bytes())
                .collect(),
            Strings::CtypeToUpper => numbers
                .flat_map(|c| characters::to_upper(c).to_le_bytes())
                .collect(),
            _ => numbers
                .flat_map(|c| characters::to_lower(c).to_le_bytes())
                .collect(),
        };
        let which = Some(match op {
            Strings::CtypeClasses => 0,
            Strings::CtypeToUpper => 1,
            _ => 2,
        });
        let size = TABLE + content.len() as u64;
        let object = self.library_object(site, which, size, |machine, object| {
            machine.memory.write_bytes(object, TABLE, &content);
            let entry_bytes = content.len() / characters::DOMAIN.len();
            let zero = TABLE + 128 * entry_bytes as u64;
            let entry = Value::Pointer(machine.memory.pointer(object, zero));
            machine.memory.write(object, 0, &Type::Pointer, &entry);
        })?;
        Ok(Reply::pointer(self.memory.pointer(object, 0)))
    }

    /// The name of the only locale there is.
    pub(crate) fn locale_name(&mut self, site: &mut Site) -> Result<Reply, Stop> {
        // After the character tables.
        let name = b"C\0";
        let object = self.library_object(site, Some(3), 2, |machine, object| {
            machine.memory.write_bytes(object, 0, name);
        })?;
        Ok(Reply::pointer(self.memory.pointer(object, 0)))
    }

    fn error_message(&mut self, site: &mut Site) -> Result<Reply, Stop> {
        // After the character tables and the name of the locale.
        const FIRST: u32 = 4;
        let number = site.int(0);
        let mut message = errors::message(number).into_bytes();
        message.push(0);
        let which = errors::is_known(number).then_some(FIRST + number.unsigned_abs());
        let size = message.len() as u64;
        let object = self.library_object(site, which, size, |machine, object| {
            machine.memory.write_bytes(object, 0, &message);
        })?;
        Ok(Reply::pointer(self.memory.pointer(object, 0)))
    }

    /// A constant object of the C library, made when the thread first needs it. Like
    /// thread-local variables, each thread has its own, so that using them is no
    /// visible step; they are kept with these, under numbers that no variable has.
    /// Those without a number are made anew each time.
    fn library_object(
        &mut self,
        site: &mut Site,
        which: Option<u32>,
        size: u64,
        fill: impl FnOnce(&mut Self, ObjectId),
    ) -> Result<ObjectId, Stop> {
        let id = which.map(|number| GlobalId::from_u32(u32::MAX - 1 - number));
        if let Some(object) = id.and_then(|id| site.thread.locals.get(&id)) {
            return Ok(*object);
        }
        let origin = Origin::Environment("a table of the C library");
        let object = self
            .memory
            .add_heap(site.thread.id, origin, size, 16, true, None)?;
        fill(self, object);
        self.memory.set_constant(object);
        if let Some(id) = id {
            Rc::make_mut(&mut site.thread.locals).insert(id, object);
        }
        Ok(object)
    }
}

fn size_reply(size: usize) -> Reply {
    Reply::Return(Value::Bits(size as u64))
}

/// At most so much of a text.
fn cut(text: &[u8], limit: u64) -> &[u8] {
    &text[..text.len().min(usize::try_from(limit).unwrap_or(usize::MAX))]
}

fn find(text: &[u8], wanted: &[u8]) -> Option<usize> {
    if wanted.is_empty() {
        return Some(0);
    }
    text.windows(wanted.len())
        .position(|window| window == wanted)
}

/// The first piece of a text between delimiters; empty, at the end, if there is none.
fn token(text: &[u8], delimiters: &[u8]) -> std::ops::Range<usize> {
    let next = |from: usize, is_delimiter: bool| {
        let found = text[from..]
            .iter()
            .position(|b| delimiters.contains(b) == is_delimiter);
        found.map_or(text.len(), |at| from + at)
    };
    let start = next(0, false);
    start..next(start, true)
}

/// The class that a function tests.
fn class_of(op: Strings) -> Option<u16> {
    Some(match op {
        Strings::IsAlpha => characters::ALPHABETIC,
        Strings::IsDigit => characters::DIGIT,
        Strings::IsAlnum => characters::ALPHANUMERIC,
        Strings::IsSpace => characters::SPACE,
        Strings::IsBlank => characters::BLANK,
        Strings::IsUpper => characters::UPPER,
        Strings::IsLower => characters::LOWER,
        Strings::IsPunct => characters::PUNCTUATION,
        Strings::IsPrint => characters::PRINTABLE,
        Strings::IsGraph => characters::GRAPHIC,
        Strings::IsCntrl => characters::CONTROL,
        Strings::IsXdigit => characters::HEX_DIGIT,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens() {
        assert_eq!(token(b"  one two", b" "), 2..5);
        assert_eq!(token(b"one", b" "), 0..3);
        assert_eq!(token(b",;,", b",;"), 3..3);
        assert_eq!(token(b"", b" "), 0..0);
        assert_eq!(token(b"a b", b""), 0..3);
    }

    #[test]
    fn substrings() {
        assert_eq!(find(b"abcabd", b"abd"), Some(3));
        assert_eq!(find(b"ab", b"abc"), None);
        assert_eq!(find(b"", b""), Some(0));
    }

    #[test]
    fn cutting() {
        assert_eq!(cut(b"abc", 2), b"ab");
        assert_eq!(cut(b"abc", UNLIMITED), b"abc");
    }
}
