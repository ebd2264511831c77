//! Which objects the instructions of a function may access, and how.

use crate::library_calls::{Use, argument_uses};
use crate::meaning::Meaning;
use crate::points_to::{ObjectId, PointsTo, TargetSet};
use ir::{Body, Constant, FunctionId, Initial, InstId, Op, Operand, Program};
use library::{Function, Input, Output, Process};

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Kinds {
    pub reads: bool,
    pub writes: bool,
    pub synchronises: bool,
}

impl Kinds {
    const READ: Kinds = Kinds {
        reads: true,
        writes: false,
        synchronises: false,
    };
    const WRITE: Kinds = Kinds {
        reads: false,
        writes: true,
        synchronises: false,
    };
    const UPDATE: Kinds = Kinds {
        reads: true,
        writes: true,
        synchronises: false,
    };
    const SYNCHRONISE: Kinds = Kinds {
        reads: false,
        writes: false,
        synchronises: true,
    };
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Access {
    pub inst: InstId,
    pub object: ObjectId,
    pub kinds: Kinds,
}

pub(crate) fn accesses(
    program: &Program,
    meaning: &Meaning,
    points_to: &PointsTo,
    function: FunctionId,
    body: &Body,
) -> Vec<Access> {
    let mut finder = Finder {
        program,
        meaning,
        points_to,
        function,
        found: Vec::new(),
    };
    for block in body.blocks.values() {
        for inst in &block.insts {
            finder.inst(*inst, &body.insts[*inst].op);
        }
    }
    finder.found
}

struct Finder<'s> {
    program: &'s Program,
    meaning: &'s Meaning,
    points_to: &'s PointsTo,
    function: FunctionId,
    found: Vec<Access>,
}

impl Finder<'_> {
    fn inst(&mut self, inst: InstId, op: &Op) {
        match op {
            Op::Load { address, .. } => self.access(inst, *address, Kinds::READ),
            Op::Store { address, .. } => self.access(inst, *address, Kinds::WRITE),
            Op::Rmw { address, .. } | Op::CompareExchange { address, .. } => {
                self.access(inst, *address, Kinds::UPDATE);
            }
            Op::VaStart { list } => self.access(inst, *list, Kinds::WRITE),
            Op::VaCopy { to, from } => {
                self.access(inst, *to, Kinds::WRITE);
                self.access(inst, *from, Kinds::READ);
            }
            Op::Call { args, by_value, .. } => {
                for (arg, bytes) in args.iter().zip(by_value) {
                    if bytes.is_some() {
                        self.access(inst, *arg, Kinds::READ);
                    }
                }
                let points_to = self.points_to;
                for callee in points_to.callees(self.function, inst) {
                    self.call(inst, *callee, args);
                }
            }
            _ => {}
        }
    }

    fn call(&mut self, inst: InstId, callee: FunctionId, args: &[Operand]) {
        match self.meaning.entry(callee) {
            Some(entry) if entry.function != Function::Unsupported => {
                let stores = may_store_count(self.program, entry.function, args);
                for (index, arg) in args.iter().enumerate() {
                    for kinds in kinds_of_argument(entry.function, index) {
                        let writes = kinds.writes || (stores && index > 0);
                        self.access(inst, *arg, Kinds { writes, ..kinds });
                    }
                }
                if takes_list(entry.function)
                    && let Some(list) = args.last()
                {
                    self.list(inst, *list);
                }
            }
            None if self.program.functions[callee].body.is_some() => {}
            _ => {
                // Unknown code uses all that it can know.
                let escaped = self.points_to.escaped();
                self.access_all(inst, &escaped, Kinds::UPDATE);
                for arg in args {
                    self.access(inst, *arg, Kinds::UPDATE);
                }
            }
        }
    }

    /// A `va_list`: it leads to the arguments, and those may be pointers that
    /// are read or written as a format says.
    fn list(&mut self, inst: InstId, list: Operand) {
        let mut targets = self.points_to.targets(self.function, list);
        for _ in 0..3 {
            self.access_all(inst, &targets, Kinds::UPDATE);
            targets = self.points_to.pointees_of(&targets);
        }
    }

    fn access(&mut self, inst: InstId, address: Operand, kinds: Kinds) {
        let targets = self.points_to.targets(self.function, address);
        self.access_all(inst, &targets, kinds);
    }

    fn access_all(&mut self, inst: InstId, targets: &TargetSet, kinds: Kinds) {
        self.found.extend(targets.objects().map(|object| Access {
            inst,
            object,
            kinds,
        }));
    }
}

fn kinds_of_argument(function: Function, index: usize) -> Vec<Kinds> {
    let of_use = |kind: &Use| match kind {
        Use::Read => Some(Kinds::READ),
        Use::Write => Some(Kinds::WRITE),
        Use::Synchronise => Some(Kinds::SYNCHRONISE),
        Use::Lend => Some(Kinds::UPDATE),
        Use::Escape => match function {
            // They keep the pointer for others and do not look at what is there.
            Function::Thread(_)
            | Function::C11Thread(_)
            | Function::Keys(_)
            | Function::Process(Process::AtExit | Process::CxaAtExit) => None,
            _ => Some(Kinds::UPDATE),
        },
    };
    argument_uses(function, index)
        .iter()
        .filter_map(of_use)
        .collect()
}

/// Whether a format may ask for the number of characters to be stored (`%n`).
fn may_store_count(program: &Program, function: Function, args: &[Operand]) -> bool {
    let Function::Output(op) = function else {
        return false;
    };
    let format = match op {
        Output::Printf | Output::Vprintf => 0,
        Output::Fprintf
        | Output::Dprintf
        | Output::Sprintf
        | Output::Asprintf
        | Output::Vfprintf
        | Output::Vdprintf
        | Output::Vsprintf
        | Output::Vasprintf
        | Output::PrintfChecked
        | Output::VprintfChecked => 1,
        Output::Snprintf | Output::Vsnprintf | Output::FprintfChecked | Output::VfprintfChecked => {
            2
        }
        Output::SprintfChecked | Output::VsprintfChecked => 3,
        Output::SnprintfChecked | Output::VsnprintfChecked => 4,
        _ => return false,
    };
    match args.get(format).and_then(|arg| text(program, *arg)) {
        Some(text) => text
            .split(|byte| *byte == b'%')
            .skip(1)
            .any(|rest| rest.iter().find(|byte| is_conversion(**byte)) == Some(&b'n')),
        None => true,
    }
}

/// Whether a character in a directive of a format is the one that ends it.
fn is_conversion(byte: u8) -> bool {
    byte.is_ascii_alphabetic() && !b"hlLqjzt".contains(&byte)
}

/// The content of a constant string.
fn text(program: &Program, operand: Operand) -> Option<&[u8]> {
    let Operand::Const(id) = operand else {
        return None;
    };
    let Constant::Global { global, offset } = program.constant(id) else {
        return None;
    };
    let global = &program.globals[*global];
    match &global.initial {
        Initial::Bytes { bytes, .. } if global.is_constant => {
            bytes.get(usize::try_from(*offset).ok()?..)
        }
        _ => None,
    }
}

/// Whether the last argument is a `va_list`.
fn takes_list(function: Function) -> bool {
    matches!(
        function,
        Function::Output(
            Output::Vprintf
                | Output::Vfprintf
                | Output::Vdprintf
                | Output::Vsprintf
                | Output::Vsnprintf
                | Output::Vasprintf
                | Output::VprintfChecked
                | Output::VfprintfChecked
                | Output::VsprintfChecked
                | Output::VsnprintfChecked
        ) | Function::Input(Input::Vsscanf)
    )
}
