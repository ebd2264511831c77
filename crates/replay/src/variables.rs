//! Variables of the environment: whether each is there, and what it says, are inputs,
//! asked for before anything runs. Only those have a place that the program asks for by
//! a constant name; all others are not there.

use crate::inputs::{Domain, Input, InputKind, Inputs};
use crate::machine::{Machine, Stop};
use crate::thread::Thread;
use crate::value::Pointer;
use library::ARGUMENT_CHARACTERS;

/// The variables among the inputs of a run, as text; in the order of their names in
/// [`analysis::outside::variables`].
pub fn variables_among(inputs: &[Input]) -> Vec<Option<String>> {
    let mut inputs = (inputs.iter())
        .filter(|input| input.kind == InputKind::Variable)
        .map(|input| input.value);
    let mut variables = Vec::new();
    while let Some(is_there) = inputs.next() {
        let mut text = Vec::new();
        if is_there != 0 {
            let characters = inputs.by_ref().take(ARGUMENT_CHARACTERS);
            for value in characters {
                match value as u8 {
                    0 => break,
                    byte => text.push(byte),
                }
            }
        }
        variables.push((is_there != 0).then(|| text.escape_ascii().to_string()));
    }
    variables
}

impl<'a> Machine<'a> {
    pub(crate) fn fill_variables(
        &mut self,
        thread: &Thread,
        inputs: &mut dyn Inputs,
    ) -> Result<(), Stop> {
        for (_, object) in &self.image.variables {
            let kind = InputKind::Variable;
            let is_there = self.ask(thread, inputs, kind, Domain::Below(2))? != 0;
            self.kernel.variables.push(is_there);
            if !is_there {
                continue;
            }
            let mut bytes = [0; ARGUMENT_CHARACTERS + 1];
            for byte in &mut bytes[..ARGUMENT_CHARACTERS] {
                *byte = self.ask(thread, inputs, kind, Domain::Bits(8))? as u8;
                if *byte == 0 {
                    break;
                }
            }
            self.memory.write_bytes(*object, 0, &bytes);
        }
        Ok(())
    }

    /// What a variable says, or null.
    pub(crate) fn variable(&self, name: &[u8]) -> Pointer {
        let mut variables = self.image.variables.iter();
        let index = variables.position(|(known, _)| known.as_bytes() == name);
        match index.filter(|index| self.kernel.variables.get(*index) == Some(&true)) {
            Some(index) => self.memory.pointer(self.image.variables[index].1, 0),
            None => Pointer::NULL,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inputs_are_told_as_variables() {
        let input = |value: u8| Input {
            thread: 0,
            kind: InputKind::Variable,
            value: value.into(),
        };
        let mut inputs = vec![input(0), input(1), input(b'h'), input(b'i'), input(0)];
        inputs.push(input(1));
        // Eight characters need no zero after them.
        inputs.extend([b'a'; 8].map(input));
        inputs.push(input(0));
        let texts = variables_among(&inputs);
        let texts: Vec<Option<&str>> = texts.iter().map(Option::as_deref).collect();
        assert_eq!(texts, [None, Some("hi"), Some("aaaaaaaa"), None]);
    }
}
