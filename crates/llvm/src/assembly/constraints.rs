//! The constraints of assembly code as LLVM writes them: `=r,=*m,0,*m,~{memory}`.

use super::Register;
use super::template::{Condition, Conditional};

/// Where an operand lives.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    /// Any register, or whatever else holds a value.
    Any,
    /// The same; a constant stands in the code itself.
    Immediate,
    /// This one.
    Fixed(Register),
    /// In memory; the argument is its address.
    Memory,
    /// Some other kind of register, named in messages only.
    Other(String),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Output {
    Value {
        place: Place,
        /// Written before all inputs are read, so in a register of its own.
        is_early: bool,
    },
    /// Memory at the address that is this argument.
    Memory { argument: usize },
    /// Whether a condition on the flags holds.
    Flag(Conditional),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Input {
    Placed {
        place: Place,
        argument: usize,
    },
    /// In the register of that operand.
    Tied {
        operand: usize,
        argument: usize,
    },
}

/// Operands are numbered: outputs first, then inputs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Constraints {
    pub outputs: Vec<Output>,
    pub inputs: Vec<Input>,
    pub clobbered: Vec<Register>,
    /// The code may read or write any memory, as far as the compiler knows.
    pub clobbers_memory: bool,
}

/// Fails with the constraint that cannot be read.
pub(crate) fn parse(text: &str) -> Result<Constraints, String> {
    let mut parsed = Constraints::default();
    let mut argument = 0;
    for constraint in text.split(',').filter(|constraint| !constraint.is_empty()) {
        if let Some(clobber) = constraint.strip_prefix('~') {
            parsed.clobber(clobber.trim_matches(['{', '}']));
        } else if let Some(output) = constraint.strip_prefix('=') {
            let is_early = output.contains('&');
            let output = output.replace('&', "");
            let output = if let Some(flag) = flag_name(&output) {
                let condition = Condition::named(flag);
                Output::Flag(condition.ok_or_else(|| constraint.to_owned())?)
            } else if output.starts_with('*') {
                argument += 1;
                Output::Memory {
                    argument: argument - 1,
                }
            } else {
                let place = place(&output).ok_or_else(|| constraint.to_owned())?;
                Output::Value { place, is_early }
            };
            parsed.outputs.push(output);
        } else {
            let input = constraint.trim_start_matches('%');
            parsed.inputs.push(if let Ok(operand) = input.parse() {
                Input::Tied { operand, argument }
            } else if input.starts_with('*') {
                let place = Place::Memory;
                Input::Placed { place, argument }
            } else {
                let place = place(input).ok_or_else(|| constraint.to_owned())?;
                Input::Placed { place, argument }
            });
            argument += 1;
        }
    }
    Ok(parsed)
}

impl Constraints {
    fn clobber(&mut self, name: &str) {
        if name == "memory" {
            self.clobbers_memory = true;
        } else if let Some((register, _)) = Register::named(name) {
            self.clobbered.push(register);
        }
    }
}

/// `z` of `{@ccz}`.
fn flag_name(output: &str) -> Option<&str> {
    output.strip_prefix("{@cc")?.strip_suffix('}')
}

fn place(constraint: &str) -> Option<Place> {
    if let Some(name) = constraint.strip_prefix('{') {
        let name = name.strip_suffix('}')?;
        return Some(match Register::named(name) {
            Some((register, _)) => Place::Fixed(register),
            None => Place::Other(name.to_owned()),
        });
    }
    // What an alternative in memory holds is a copy of the value, so that it is
    // the same as a register. Constants of all kinds are values, too.
    let is_constant = |letter: char| "ginIJKLMNOGeZsEF".contains(letter);
    let is_value = |letter: char| is_constant(letter) || "rqQRlmoV".contains(letter);
    if constraint.is_empty() {
        None
    } else if constraint.chars().all(is_value) && constraint.contains(is_constant) {
        Some(Place::Immediate)
    } else if constraint.chars().all(is_value) {
        Some(Place::Any)
    } else {
        Some(Place::Other(constraint.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn operands_and_arguments_are_numbered_apart() {
        let parsed = parse("=q,=*m,={ax},r,*m,2,~{memory},~{flags},~{rcx}").unwrap();
        let value = |place| Output::Value {
            place,
            is_early: false,
        };
        let outputs = [
            value(Place::Any),
            Output::Memory { argument: 0 },
            value(Place::Fixed(Register::A)),
        ];
        assert_eq!(parsed.outputs, outputs);
        let inputs = [
            Input::Placed {
                place: Place::Any,
                argument: 1,
            },
            Input::Placed {
                place: Place::Memory,
                argument: 2,
            },
            Input::Tied {
                operand: 2,
                argument: 3,
            },
        ];
        assert_eq!(parsed.inputs, inputs);
        assert_eq!(parsed.clobbered, [Register::C]);
        assert!(parsed.clobbers_memory);
    }

    #[test]
    fn flags_and_early_outputs() {
        let parsed = parse("={@ccnz},=&r").unwrap();
        let flag = Output::Flag(Condition::named("nz").unwrap());
        let early = Output::Value {
            place: Place::Any,
            is_early: true,
        };
        assert_eq!(parsed.outputs, [flag, early]);
        assert!(parse("={@ccq}").is_err());
    }

    #[test]
    fn other_registers_are_kept_apart() {
        let other = |name: &str| Place::Other(name.to_owned());
        assert_eq!(place("x"), Some(other("x")));
        assert_eq!(place("{st}"), Some(other("st")));
        assert_eq!(place("imr"), Some(Place::Immediate));
        assert_eq!(place("q"), Some(Place::Any));
        assert_eq!(place(""), None);
    }
}
