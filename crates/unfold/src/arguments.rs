//! The command line of the program: what was given, and arguments that nobody has
//! given, whose number and characters are inputs.
//!
//! Objects of such arguments are as large as they can get; their extents say how
//! large they are, whatever is looked for.

use crate::compute::words;
use crate::facts::objects::{Content, Object, ObjectId, ObjectKey};
use crate::pass::{Pass, State, Value};
use crate::{MAIN, offset_bits};
use formula::{Range, Sort, TermId};
use library::ARGUMENT_CHARACTERS;

/// Arguments beyond those that were given.
#[derive(Clone, Debug)]
pub struct OpenArguments {
    /// How many there are.
    pub count: TermId,
    /// What each of them says if it is there. After a zero comes nothing.
    pub texts: Vec<Vec<TermId>>,
}

impl Pass<'_> {
    /// The arguments of main: their number, and an array of strings.
    pub(crate) fn command_line(&mut self) -> Vec<Value> {
        let params = &self.program.functions[self.program.main].params;
        let given = self.options.surroundings.arguments.len() as u128;
        let mut values = Vec::new();
        for (index, param) in params.iter().enumerate() {
            let width = self.width_of(&param.ty);
            let value = if index == 0 { given } else { 0 };
            values.push(self.terms.constant(width, value));
        }
        if let Some(number) = values.first_mut() {
            self.open_arguments = self.make_open_arguments();
            if let Some(open) = &self.open_arguments {
                let width = self.terms.width(*number);
                let more = self.terms.resize(open.count, width);
                *number = self.terms.add(*number, more);
            }
        }
        if params.len() > 1 {
            let list = self.argument_list();
            values[1] = self.address(list, 0);
        }
        values.into_iter().map(Value::Term).collect()
    }

    fn make_open_arguments(&mut self) -> Option<OpenArguments> {
        let most = self.options.surroundings.more_arguments;
        if most == 0 {
            return None;
        }
        let range = Range::from_unsigned(32, 0..=u128::from(most));
        let count = self.terms.new_variable_in("arguments", range);
        let text = |pass: &mut Self| {
            let mut is_over = pass.terms.bool(false);
            let zero = pass.terms.constant(8, 0);
            let mut bytes = Vec::new();
            for _ in 0..ARGUMENT_CHARACTERS {
                let byte = pass.terms.new_variable("argument", Sort::BitVec(8));
                let byte = pass.terms.ite(is_over, zero, byte);
                is_over = words::is_zero(&mut pass.terms, byte);
                bytes.push(byte);
            }
            bytes
        };
        let texts = (0..most).map(|_| text(self)).collect();
        Some(OpenArguments { count, texts })
    }

    fn argument_object(&mut self, index: usize, bytes: Vec<u8>) -> ObjectId {
        let key = ObjectKey::Environment("argument", index as u32);
        self.facts.objects.make(key.clone(), || Object {
            key,
            size: bytes.len() as u64,
            name: format!("argv[{index}]"),
            is_constant: false,
            owner: MAIN,
            starts_as: Content::Bytes(bytes.into()),
        })
    }

    /// Makes all strings and the array of their addresses. What is open is filled in
    /// when main begins.
    fn argument_list(&mut self) -> ObjectId {
        let word = self.program.target.pointer_bytes;
        let bits = offset_bits(self.program);
        let mut vector = Vec::new();
        let given = &self.options.surroundings.arguments;
        for (index, argument) in given.iter().enumerate() {
            let mut bytes = argument.clone().into_bytes();
            bytes.push(0);
            let object = self.argument_object(index, bytes);
            let address = u64::from(self.facts.objects.number(object)) << bits;
            vector.extend_from_slice(&address.to_le_bytes()[..word as usize]);
        }
        let more = self.open_arguments.as_ref();
        let more = more.map_or(0, |open| open.texts.len());
        vector.extend(std::iter::repeat_n(0, (more + 1) * word as usize));
        let key = ObjectKey::Environment("arguments", 0);
        self.facts.objects.make(key.clone(), || Object {
            key,
            size: vector.len() as u64,
            name: "argv".to_owned(),
            is_constant: false,
            owner: MAIN,
            starts_as: Content::Bytes(vector.into()),
        })
    }

    /// Puts arguments that are inputs where main finds them.
    pub(crate) fn fill_open_arguments(&mut self, state: &mut State) {
        let params = &self.program.functions[self.program.main].params;
        let Some(open) = self.open_arguments.clone().filter(|_| params.len() > 1) else {
            return;
        };
        let list = self.argument_list();
        let word = self.program.target.pointer_bytes;
        let given = self.options.surroundings.arguments.len();
        let (always, null) = (self.truth(), self.terms.constant(self.word(), 0));
        for (index, text) in open.texts.iter().enumerate() {
            let object = self.argument_object(given + index, vec![0; ARGUMENT_CHARACTERS + 1]);
            let mut len = self.terms.constant(self.word(), 1);
            for (at, byte) in text.iter().enumerate() {
                self.write_at(state, None, object, at as u64, 1, always, *byte);
                let is_there = self.terms.is_nonzero(*byte);
                let longer = self.terms.constant(self.word(), at as u128 + 2);
                len = self.terms.ite(is_there, longer, len);
            }
            self.set_extent(object, len);
            let place = self.terms.constant(32, index as u128);
            let is_there = self.terms.unsigned_less(place, open.count);
            let address = self.address(object, 0);
            let address = self.terms.ite(is_there, address, null);
            let offset = (given + index) as u64 * word;
            self.write_at(state, None, list, offset, word, always, address);
        }
        let count = self.terms.resize(open.count, self.word());
        let fixed = self.terms.constant(self.word(), given as u128 + 1);
        let count = self.terms.add(count, fixed);
        let word = self.terms.constant(self.word(), u128::from(word));
        let size = self.terms.mul(count, word);
        self.set_extent(list, size);
    }
}
