//! Classes of characters in the "C" locale, glibc's tables of them, and texts
//! that the C library itself keeps.

use crate::calls::{Call, Reply};
use crate::checks::Check;
use crate::compute::characters;
use crate::compute::words;
use crate::facts::objects::{Content, Object, ObjectId, ObjectKey};
use crate::pass::{Flow, Frame, Pass, State};
use crate::{Error, MAIN};
use formula::TermId;
use library::Strings;

/// No message about an error is longer.
const LONGEST_MESSAGE: u64 = 64;

type Ranges = &'static [(u8, u8)];

/// The classes of glibc: the bit of each, and its members.
const CLASSES: [(Strings, u16, Ranges); 12] = [
    (Strings::IsBlank, 0x0001, &[(9, 9), (32, 32)]),
    (Strings::IsCntrl, 0x0002, &[(0, 31), (127, 127)]),
    (
        Strings::IsPunct,
        0x0004,
        &[(33, 47), (58, 64), (91, 96), (123, 126)],
    ),
    (Strings::IsAlnum, 0x0008, &[(48, 57), (65, 90), (97, 122)]),
    (Strings::IsUpper, 0x0100, &[(65, 90)]),
    (Strings::IsLower, 0x0200, &[(97, 122)]),
    (Strings::IsAlpha, 0x0400, &[(65, 90), (97, 122)]),
    (Strings::IsDigit, 0x0800, &[(48, 57)]),
    (Strings::IsXdigit, 0x1000, &[(48, 57), (65, 70), (97, 102)]),
    (Strings::IsSpace, 0x2000, &[(9, 13), (32, 32)]),
    (Strings::IsPrint, 0x4000, &[(32, 126)]),
    (Strings::IsGraph, 0x8000, &[(33, 126)]),
];

impl<'p> Pass<'p> {
    /// Functions that do not look at the program's memory; `None` for others.
    pub(crate) fn character_model(
        &mut self,
        state: &mut State,
        frame: &Frame,
        op: Strings,
        call: &Call,
    ) -> Result<Option<Reply>, Error> {
        if let Some((_, bit, ranges)) = CLASSES.iter().find(|(class, ..)| *class == op) {
            return Ok(Some(self.tell_class(state, call, *bit, ranges)));
        }
        Ok(Some(match op {
            Strings::ToUpper | Strings::ToLower => {
                let character = self.number(call, 0, 32);
                let byte = self.terms.extract(character, 7, 0);
                let byte = match op {
                    Strings::ToUpper => characters::upper_case(&mut self.terms, byte),
                    _ => characters::lower_case(&mut self.terms, byte),
                };
                let changed = self.terms.resize(byte, 32);
                let is_eof = words::is_number(&mut self.terms, character, 0xffff_ffff);
                let is_character = characters::is_character(&mut self.terms, character);
                let kept = self.terms.not(is_character);
                let kept = self.terms.or(kept, is_eof);
                Reply::Return(self.terms.ite(kept, character, changed))
            }
            Strings::CtypeClasses | Strings::CtypeToUpper | Strings::CtypeToLower => {
                let object = self.character_table(op);
                Reply::Return(self.address(object, 0))
            }
            Strings::Strerror => Reply::Return(self.error_message(state, frame)),
            _ => return Ok(None),
        }))
    }

    fn tell_class(&mut self, state: &mut State, call: &Call, bit: u16, ranges: Ranges) -> Reply {
        let character = self.number(call, 0, 32);
        let is_character = characters::is_character(&mut self.terms, character);
        let is_other = self.terms.not(is_character);
        if self.terms.as_bool(is_other) != Some(false)
            && self.violate(state, Check::Misuse, is_other) == Flow::Dead
        {
            return Reply::Never;
        }
        let low = self.terms.extract(character, 7, 0);
        let is_member = characters::is_in(&mut self.terms, low, ranges);
        // Negative characters are in no class.
        let limit = self.int(256);
        let is_byte = self.terms.unsigned_less(character, limit);
        let is_member = self.terms.and(is_member, is_byte);
        let (yes, no) = (self.int(u128::from(bit)), self.int(0));
        Reply::Return(self.terms.ite(is_member, yes, no))
    }

    /// A pointer to the entry of character 0, and the table it points into, in one
    /// object.
    fn character_table(&mut self, op: Strings) -> ObjectId {
        const TABLE: u64 = 16;
        let mut content = Vec::new();
        for character in -128i32..256 {
            match op {
                Strings::CtypeClasses => {
                    let byte = u8::try_from(character).ok();
                    let classes = CLASSES.iter().filter(|(_, _, ranges)| {
                        let is_in = |byte: u8| {
                            ranges
                                .iter()
                                .any(|(first, last)| (*first..=*last).contains(&byte))
                        };
                        byte.is_some_and(is_in)
                    });
                    let bits = classes.fold(0, |bits, (_, bit, _)| bits | bit);
                    content.extend(bits.to_le_bytes());
                }
                _ => {
                    let byte = character as u8;
                    let changed = match op {
                        Strings::CtypeToUpper => byte.to_ascii_uppercase(),
                        _ => byte.to_ascii_lowercase(),
                    };
                    let entry = if character == -1 {
                        -1
                    } else {
                        i32::from(changed)
                    };
                    content.extend(entry.to_le_bytes());
                }
            }
        }
        let name = match op {
            Strings::CtypeClasses => "classes of characters",
            Strings::CtypeToUpper => "upper-case characters",
            _ => "lower-case characters",
        };
        let key = ObjectKey::Environment(name, 0);
        if let Some(object) = self.facts.objects.find(&key) {
            return object;
        }
        let zero = TABLE + content.len() as u64 / 384 * 128;
        let object = self.facts.objects.make(key.clone(), || Object {
            key,
            size: TABLE + content.len() as u64,
            name: name.to_owned(),
            is_constant: true,
            owner: MAIN,
            starts_as: Content::Zero,
        });
        let number = u64::from(self.facts.objects.number(object));
        let address = (number << self.offset_bits()) + zero;
        let mut bytes =
            address.to_le_bytes()[..self.program.target.pointer_bytes as usize].to_vec();
        bytes.resize(TABLE as usize, 0);
        bytes.extend(content);
        self.facts
            .objects
            .set_start(object, Content::Bytes(bytes.into()));
        object
    }

    /// The name of the only locale there is.
    pub(crate) fn locale_name(&mut self) -> TermId {
        let key = ObjectKey::Environment("name of the locale", 0);
        let object = self.facts.objects.make(key.clone(), || Object {
            key,
            size: 2,
            name: "the name of the locale".to_owned(),
            is_constant: true,
            owner: MAIN,
            starts_as: Content::Bytes((*b"C\0").into()),
        });
        self.address(object, 0)
    }

    /// Some text about an error. What it says is left open.
    fn error_message(&mut self, state: &mut State, frame: &Frame) -> TermId {
        let key = ObjectKey::Local(self.instance(frame, state, 200));
        let owner = self.threads.current();
        let object = self.facts.objects.make(key.clone(), || Object {
            key,
            size: LONGEST_MESSAGE,
            name: "an error message".to_owned(),
            is_constant: true,
            owner,
            starts_as: Content::Zero,
        });
        state.memory.create(object);
        for at in 0..LONGEST_MESSAGE - 1 {
            let byte = self.anything(8);
            let ground = &mut self.ground();
            state.memory.write(ground, object, at, 1, byte);
        }
        self.address(object, 0)
    }
}
