//! Arguments of the program that nobody has given: whether they are there, and what
//! they say, are inputs. All of it is asked for before anything runs.

use crate::inputs::{Domain, Input, InputKind, Inputs};
use crate::machine::{Machine, Stop};
use crate::memory::Origin;
use crate::thread::Thread;
use crate::value::{Pointer, Value};
use ir::Type;
use library::ARGUMENT_CHARACTERS;

/// The arguments among the inputs of a run, as text; `None` if they are no inputs.
/// There may be fewer texts than arguments, if nobody could look at them.
pub fn arguments_among(inputs: &[Input]) -> Option<(u64, Vec<String>)> {
    let mut inputs = (inputs.iter())
        .filter(|input| input.kind == InputKind::Argument)
        .map(|input| input.value)
        .peekable();
    let count = u64::try_from(inputs.next()?).unwrap_or(0);
    let mut texts = Vec::new();
    while inputs.peek().is_some() {
        let characters = inputs.by_ref().take(ARGUMENT_CHARACTERS);
        let bytes: Vec<u8> = characters
            .map(|value| value as u8)
            .take_while(|byte| *byte != 0)
            .collect();
        texts.push(bytes.escape_ascii().to_string());
    }
    Some((count, texts))
}

impl<'a> Machine<'a> {
    /// What `main` is called with.
    pub(crate) fn arguments_of_main(
        &mut self,
        thread: &Thread,
        inputs: &mut dyn Inputs,
    ) -> Result<Vec<Value>, Stop> {
        let mut values = self.image.main_arguments.clone();
        let most = u64::from(self.config.surroundings.more_arguments);
        let Some(given) = values.first().map(Value::low_bits).filter(|_| most > 0) else {
            return Ok(values);
        };
        let more = self.ask(thread, inputs, InputKind::Argument, Domain::Below(most + 1))?;
        let more = u64::try_from(more).unwrap_or(0);
        values[0] = Value::Bits(given + more);
        if let Some(Value::Pointer(Pointer {
            object: Some(old), ..
        })) = values.get(1).cloned()
        {
            let word = self.memory.pointer_bytes;
            let origin = Origin::Environment("arguments of main");
            let size = (given + more + 1) * word;
            let list = self.memory.add_global(origin, size, 16)?;
            for index in 0..given + more {
                let text = match index < given {
                    true => self.memory.read(old, index * word, &Type::Pointer),
                    false => self.open_argument(thread, inputs)?,
                };
                self.memory.write(list, index * word, &Type::Pointer, &text);
            }
            self.memory.publish(list);
            values[1] = Value::Pointer(self.memory.pointer(list, 0));
        }
        Ok(values)
    }

    /// Characters are asked for up to the first that is zero.
    fn open_argument(&mut self, thread: &Thread, inputs: &mut dyn Inputs) -> Result<Value, Stop> {
        let mut bytes = Vec::new();
        while bytes.len() < ARGUMENT_CHARACTERS {
            let byte = self.ask(thread, inputs, InputKind::Argument, Domain::Bits(8))? as u8;
            if byte == 0 {
                break;
            }
            bytes.push(byte);
        }
        bytes.push(0);
        let origin = Origin::Environment("arguments of main");
        let text = self.memory.add_global(origin, bytes.len() as u64, 16)?;
        self.memory.write_bytes(text, 0, &bytes);
        Ok(Value::Pointer(self.memory.pointer(text, 0)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inputs_are_told_as_arguments() {
        let input = |kind, value| Input {
            thread: 0,
            kind,
            value,
        };
        let argument = |value| input(InputKind::Argument, value);
        let mut inputs = vec![input(InputKind::Nondet, 5)];
        assert_eq!(arguments_among(&inputs), None);
        inputs.push(argument(3));
        assert_eq!(arguments_among(&inputs), Some((3, Vec::new())));
        // Eight characters need no zero after them.
        inputs.extend([b'a'; 8].map(|byte| argument(u128::from(byte))));
        inputs.extend([argument(0), argument(b'"'.into()), argument(0)]);
        let texts = ["aaaaaaaa", "", "\\\""].map(str::to_owned).to_vec();
        assert_eq!(arguments_among(&inputs), Some((3, texts)));
    }
}
