//! Unfolded threads as text: for people who work on unfolding, and for tests that
//! compare it as a whole.
//!
//! ```text
//! cells
//!   cell0 x: i32 = 0i32, in 0..=2
//! thread0 main, can end
//!   0 main prog.c:9:3 if true
//!     write cell0 (x) := add(x#0, 1i32) if true
//! ```
//!
//! The text depends on the threads alone, and tells all that an encoding sees of
//! them. Terms that nobody uses are not part of it, and neither are the numbers of
//! those that somebody does: they are counted anew. A term that is used once stands
//! where it is used; one that is used more often, or would be too deep, has a line
//! of its own at the end. Constants carry their width (`1i32`).
//!
//! This file only reads. It must not judge: what is wrong with threads is for
//! `verify` to say, and this must print such threads too.

use crate::checks::Check;
use crate::threads::{Access, Moment, Place, Position, Strength, Thread, ThreadId, Threads};
use analysis::{Landmark, Site};
use cranelift_entity::EntityRef;
use formula::{BinaryOp, Range, Sort, Term, TermId, Terms, VariableId};
use ir::{FunctionId, Program};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::{self, Display, Formatter};

/// Operations within each other on one line.
const DEEPEST: u32 = 4;
/// Numbers from here on are hexadecimal: they are addresses, or patterns of bits.
const LARGE: u128 = 1 << 16;

/// Threads as text.
pub struct Text<'t> {
    threads: &'t Threads,
    /// Where names and source lines come from, if there is a program.
    program: Option<&'t Program>,
    names: Names,
}

impl Threads {
    /// The threads as text, with the names and lines of the program that they
    /// belong to.
    pub fn text<'t>(&'t self, program: Option<&'t Program>) -> Text<'t> {
        Text {
            threads: self,
            program,
            names: Names::of(self),
        }
    }

    /// All terms that the threads mention, in the order of the text, as often as
    /// they do.
    pub(crate) fn roots(&self) -> Vec<TermId> {
        let mut roots = Vec::new();
        roots.extend(self.cells.values().map(|cell| cell.initial));
        for thread in self.threads.values() {
            roots.extend(thread.creation.map(|creation| creation.condition));
            for position in &thread.positions {
                position.push_roots(&mut roots);
            }
        }
        roots.extend(self.moments().map(|moment| moment.condition));
        roots
    }

    /// All moments that the threads mention.
    pub(crate) fn moments(&self) -> impl Iterator<Item = &Moment> {
        let violations = self.violations.iter().map(|violation| &violation.moment);
        let sightings = self.sightings.iter().map(|sighting| &sighting.moment);
        violations
            .chain(&self.excluded)
            .chain(&self.stuck)
            .chain(sightings)
    }
}

impl Position {
    /// All terms that it mentions.
    pub(crate) fn push_roots(&self, roots: &mut Vec<TermId>) {
        roots.extend([self.guard, self.own]);
        for access in &self.accesses {
            match access {
                Access::Read {
                    variable: value,
                    condition,
                    ..
                }
                | Access::Write {
                    condition, value, ..
                } => roots.extend([*value, *condition]),
            }
        }
        roots.extend(&self.requires);
        roots.extend(self.joins.iter().map(|(condition, _)| *condition));
        roots.extend(self.uses.iter().map(|usage| usage.condition));
        roots.extend(self.strength.releases.iter().chain(&self.strength.acquires));
        for wait in &self.waits {
            roots.push(wait.until);
            roots.extend(wait.holders.iter().map(|(condition, _)| *condition));
        }
    }
}

/// What terms are called.
struct Names {
    /// Terms with a line of their own, and their numbers.
    defined: BTreeMap<TermId, usize>,
    /// Variables that occur, and their numbers.
    variables: BTreeMap<VariableId, usize>,
    /// Those among them that some step reads.
    read: BTreeSet<VariableId>,
}

impl Names {
    fn of(threads: &Threads) -> Names {
        let terms = &threads.terms;
        let mut uses: BTreeMap<TermId, u32> = BTreeMap::new();
        let mut pending = threads.roots();
        while let Some(id) = pending.pop() {
            // Whoever prints broken threads still wants to see them.
            if id.index() >= terms.len() {
                continue;
            }
            let count = uses.entry(id).or_default();
            *count += 1;
            if *count == 1 {
                terms.for_each_operand(id, |operand| pending.push(operand));
            }
        }
        let mut names = Names {
            defined: BTreeMap::new(),
            variables: BTreeMap::new(),
            read: BTreeSet::new(),
        };
        let mut depths: BTreeMap<TermId, u32> = BTreeMap::new();
        // Operands come before what they are used in.
        for (id, count) in uses {
            if let Term::Variable(variable) = terms.term(id) {
                let number = names.variables.len();
                names.variables.insert(variable, number);
            }
            let mut depth = 0;
            terms.for_each_operand(id, |operand| depth = depth.max(1 + depths[&operand]));
            let is_simple = matches!(terms.term(id), Term::Not(_)) && depth == 1;
            if depth > DEEPEST || (depth > 0 && count > 1 && !is_simple) {
                let number = names.defined.len();
                names.defined.insert(id, number);
                depth = 0;
            }
            depths.insert(id, depth);
        }
        for thread in threads.threads.values() {
            let positions = thread.positions.iter();
            for access in positions.flat_map(|position| &position.accesses) {
                if let Access::Read { variable, .. } = access
                    && variable.index() < terms.len()
                    && let Term::Variable(variable) = terms.term(*variable)
                {
                    names.read.insert(variable);
                }
            }
        }
        names
    }
}

impl Display for Text<'_> {
    fn fmt(&self, f: &mut Formatter) -> fmt::Result {
        writeln!(f, "cells")?;
        for (id, cell) in self.threads.cells.iter() {
            write!(f, "  {id} {}: i{}", cell.name, cell.width)?;
            writeln!(f, " = {}{}", self.term(cell.initial), In(&cell.range))?;
        }
        for (id, thread) in self.threads.threads.iter() {
            self.write_thread(f, id, thread)?;
        }
        self.write_moments(f)?;
        let terms = &self.threads.terms;
        let inputs = self.names.variables.keys();
        let inputs: Vec<_> = inputs.filter(|id| !self.names.read.contains(id)).collect();
        if !inputs.is_empty() {
            writeln!(f, "inputs")?;
        }
        for id in inputs {
            let variable = terms.variable(*id);
            let sort = match variable.sort {
                Sort::Bool => "bool".to_owned(),
                Sort::BitVec(width) => format!("i{width}"),
            };
            let name = self.variable(*id);
            writeln!(f, "  {name}: {sort}{}", In(&variable.range))?;
        }
        if !self.names.defined.is_empty() {
            writeln!(f, "terms")?;
        }
        for (id, number) in &self.names.defined {
            let definition = Expression {
                text: self,
                id: *id,
                is_defined_here: true,
            };
            writeln!(f, "  t{number} = {definition}")?;
        }
        Ok(())
    }
}

impl Text<'_> {
    fn term(&self, id: TermId) -> Expression<'_> {
        Expression {
            text: self,
            id,
            is_defined_here: false,
        }
    }

    fn variable(&self, id: VariableId) -> String {
        let name = &self.threads.terms.variable(id).name;
        match self.names.variables.get(&id) {
            Some(number) => format!("{name}#{number}"),
            None => name.clone(),
        }
    }

    fn write_thread(&self, f: &mut Formatter, id: ThreadId, thread: &Thread) -> fmt::Result {
        write!(f, "{id} {}", thread.name)?;
        if let Some(creation) = &thread.creation {
            write!(
                f,
                ", made by {} at {} if {}",
                creation.thread,
                creation.position,
                self.term(creation.condition)
            )?;
        }
        if thread.can_end {
            write!(f, ", can end")?;
        }
        if thread.quiet_before > 0 {
            write!(f, ", quiet before {}", thread.quiet_before)?;
        }
        if thread.skips_before > 0 {
            write!(f, ", skips before {}", thread.skips_before)?;
        }
        writeln!(f)?;
        for (index, position) in thread.positions.iter().enumerate() {
            self.write_position(f, index, position)?;
        }
        Ok(())
    }

    fn write_position(&self, f: &mut Formatter, index: usize, position: &Position) -> fmt::Result {
        write!(f, "  {index} {}", self.place(position.step.place))?;
        if let (Some(program), Some(location)) = (self.program, position.step.location) {
            write!(f, " {}", program.describe_location(location))?;
        }
        if position.step.part > 0 {
            write!(f, " part {}", position.step.part)?;
        }
        write!(f, " if {}", self.term(position.guard))?;
        if self.threads.terms.as_bool(position.own) != Some(false) {
            write!(f, ", own if {}", self.term(position.own))?;
        }
        writeln!(f)?;
        for access in &position.accesses {
            match access {
                Access::Read {
                    cell,
                    variable,
                    condition,
                } => {
                    write!(f, "    read {} as ", self.cell(*cell))?;
                    write!(f, "{}", self.term(*variable))?;
                    self.write_range(f, *variable)?;
                    writeln!(f, " if {}", self.term(*condition))?;
                }
                Access::Write {
                    cell,
                    condition,
                    value,
                } => writeln!(
                    f,
                    "    write {} := {} if {}",
                    self.cell(*cell),
                    self.term(*value),
                    self.term(*condition)
                )?,
            }
        }
        self.write_strength(f, &position.strength)?;
        for condition in &position.requires {
            writeln!(f, "    requires {}", self.term(*condition))?;
        }
        for (condition, thread) in &position.joins {
            writeln!(f, "    joins {thread} if {}", self.term(*condition))?;
        }
        for usage in &position.uses {
            let kind = match usage.is_write {
                true => "writes",
                false => "reads",
            };
            let atomic = if usage.is_atomic { " atomically" } else { "" };
            let foreseen = if usage.is_foreseen { ", foreseen" } else { "" };
            let (spot, condition) = (usage.spot, self.term(usage.condition));
            writeln!(f, "    {kind} {spot}{atomic} if {condition}{foreseen}")?;
        }
        for wait in &position.waits {
            write!(f, "    waits until {}", self.term(wait.until))?;
            for (condition, thread) in &wait.holders {
                write!(f, ", for {thread} if {}", self.term(*condition))?;
            }
            writeln!(f)?;
        }
        Ok(())
    }

    /// What a step means to weak memory models, if anything.
    fn write_strength(&self, f: &mut Formatter, strength: &Strength) -> fmt::Result {
        let Strength {
            order,
            if_it_fails,
            fence,
            is_sync,
            releases,
            acquires,
            is_alone,
        } = strength;
        let orders = [
            ("accesses", order),
            ("fails", if_it_fails),
            ("fence", fence),
        ];
        for (what, order) in orders {
            if let Some(order) = order {
                writeln!(f, "    {what} {order:?}")?;
            }
        }
        if *is_sync {
            let alone = if *is_alone { " alone" } else { "" };
            writeln!(f, "    synchronises{alone}")?;
        }
        for (what, condition) in [("releases", releases), ("acquires", acquires)] {
            if let Some(condition) = condition {
                writeln!(f, "    {what} if {}", self.term(*condition))?;
            }
        }
        Ok(())
    }

    /// The values of a variable, at the only place where it is introduced.
    fn write_range(&self, f: &mut Formatter, variable: TermId) -> fmt::Result {
        let terms = &self.threads.terms;
        if variable.index() < terms.len()
            && let Term::Variable(variable) = terms.term(variable)
        {
            write!(f, "{}", In(&terms.variable(variable).range))?;
        }
        Ok(())
    }

    fn write_moments(&self, f: &mut Formatter) -> fmt::Result {
        for violation in &self.threads.violations {
            let check = check_name(violation.check);
            let place = self.place(violation.place);
            write!(f, "violation {check} at {place}")?;
            self.write_moment(f, &violation.moment)?;
        }
        for moment in &self.threads.excluded {
            write!(f, "excluded")?;
            self.write_moment(f, moment)?;
        }
        for moment in &self.threads.stuck {
            write!(f, "stuck")?;
            self.write_moment(f, moment)?;
        }
        for sighting in &self.threads.sightings {
            let landmark = match sighting.landmark {
                Landmark::Inst(site) => format!("instruction of {}", self.site(site)),
                Landmark::End(function, block) => {
                    format!("end of {block} of {}", self.function(function))
                }
                Landmark::UnknownCall(callee, site) => {
                    format!("call of {} by {}", self.function(callee), self.site(site))
                }
            };
            write!(f, "sighting {landmark}")?;
            self.write_moment(f, &sighting.moment)?;
        }
        Ok(())
    }

    fn write_moment(&self, f: &mut Formatter, moment: &Moment) -> fmt::Result {
        let relation = match moment.is_within {
            true => "within",
            false => "after",
        };
        let (thread, after) = (moment.thread, moment.after);
        writeln!(
            f,
            ", {thread} {relation} {after} if {}",
            self.term(moment.condition)
        )
    }

    fn cell(&self, id: crate::CellId) -> String {
        match self.threads.cells.get(id) {
            Some(cell) => format!("{id} ({})", cell.name),
            None => id.to_string(),
        }
    }

    fn place(&self, place: Place) -> String {
        match place {
            // Numbers of instructions depend on the compiler, and the source line
            // tells more.
            Place::Inst(function, inst) => match self.program {
                Some(_) => self.function(function),
                None => format!("{function} {inst}"),
            },
            Place::Return(function) => format!("return from {}", self.function(function)),
            Place::End => "end".to_owned(),
            Place::Exit => "exit".to_owned(),
            Place::Start => "start".to_owned(),
        }
    }

    fn site(&self, site: Site) -> String {
        let function = self.function(site.function);
        let location = self.program.and_then(|program| {
            let body = program.functions.get(site.function)?.body.as_ref()?;
            let location = body.insts.get(site.inst)?.location?;
            Some(program.describe_location(location))
        });
        match location {
            Some(location) => format!("{function} {location}"),
            None => format!("{function} {}", site.inst),
        }
    }

    fn function(&self, id: FunctionId) -> String {
        let function = self.program.and_then(|program| program.functions.get(id));
        function.map_or_else(|| id.to_string(), |function| function.name.clone())
    }
}

/// The values of a variable or cell, if they are not all of its width.
struct In<'t>(&'t Range);

impl Display for In<'_> {
    fn fmt(&self, f: &mut Formatter) -> fmt::Result {
        let full = Range::full(self.0.width());
        let (unsigned, signed) = (self.0.unsigned(), self.0.signed());
        if unsigned != full.unsigned() {
            let (min, max) = unsigned.into_inner();
            write!(f, ", in {}..={}", Number(min), Number(max))?;
        } else if signed != full.signed() {
            let (min, max) = signed.into_inner();
            write!(f, ", in {min}..={max}")?;
        }
        // What the interval says already is not said again.
        let (zeros, ones) = (self.0.known_zeros(), self.0.known_ones());
        let implied = Range::from_unsigned(self.0.width(), self.0.unsigned());
        if (zeros, ones) != (implied.known_zeros(), implied.known_ones()) {
            write!(f, ", without {zeros:#x}, with {ones:#x}")?;
        }
        Ok(())
    }
}

struct Number(u128);

impl Display for Number {
    fn fmt(&self, f: &mut Formatter) -> fmt::Result {
        match self.0 {
            large @ LARGE.. => write!(f, "{large:#x}"),
            small => write!(f, "{small}"),
        }
    }
}

/// A term where it is used, or where it is defined.
struct Expression<'t> {
    text: &'t Text<'t>,
    id: TermId,
    is_defined_here: bool,
}

impl Display for Expression<'_> {
    fn fmt(&self, f: &mut Formatter) -> fmt::Result {
        let (id, terms) = (self.id, &self.text.threads.terms);
        if id.index() >= terms.len() {
            return write!(f, "missing {id}");
        }
        if let Some(number) = self.text.names.defined.get(&id)
            && !self.is_defined_here
        {
            return write!(f, "t{number}");
        }
        let mut separator = match terms.term(id) {
            Term::Bool(value) => return write!(f, "{value}"),
            Term::Constant(value) => {
                return write!(f, "{}i{}", Number(value), terms.width(id));
            }
            Term::Variable(variable) => return f.write_str(&self.text.variable(variable)),
            _ => "",
        };
        write!(f, "{}(", operation(terms, id))?;
        let mut result = Ok(());
        terms.for_each_operand(id, |operand| {
            let operand = self.text.term(operand);
            result = result.and_then(|()| write!(f, "{separator}{operand}"));
            separator = ", ";
        });
        result?;
        write!(f, ")")
    }
}

/// What a term does to its operands.
fn operation(terms: &Terms, id: TermId) -> String {
    let to = |name: &str| format!("{name}{}", terms.width(id));
    let name = match terms.term(id) {
        Term::Bool(_) | Term::Constant(_) | Term::Variable(_) => "",
        Term::Not(_) => "not",
        Term::And(_) => "and",
        Term::Xor(..) => "xor",
        Term::Ite(..) => "ite",
        Term::Equal(..) => "equal",
        Term::UnsignedLess(..) => "unsigned_less",
        Term::SignedLess(..) => "signed_less",
        Term::IsOne(_) => "is_one",
        Term::BitNot(_) => "bit_not",
        Term::Binary(op, ..) => match op {
            BinaryOp::Add => "add",
            BinaryOp::Sub => "sub",
            BinaryOp::Mul => "mul",
            BinaryOp::UnsignedDiv => "unsigned_div",
            BinaryOp::UnsignedRem => "unsigned_rem",
            BinaryOp::SignedDiv => "signed_div",
            BinaryOp::SignedRem => "signed_rem",
            BinaryOp::ShiftLeft => "shift_left",
            BinaryOp::ShiftRight => "shift_right",
            BinaryOp::ShiftRightSigned => "shift_right_signed",
            BinaryOp::And => "bit_and",
            BinaryOp::Or => "bit_or",
            BinaryOp::Xor => "bit_xor",
        },
        Term::Concat(..) => "concat",
        Term::Extract(_, low) => return format!("bits{}..{}", low, low + terms.width(id)),
        Term::ZeroExtend(_) => return to("zero_extend"),
        Term::SignExtend(_) => return to("sign_extend"),
    };
    name.to_owned()
}

fn check_name(check: Check) -> &'static str {
    match check {
        Check::Assert => "assertion",
        Check::Deadlock => "deadlock",
        Check::Memory => "memory",
        Check::Leak => "leak",
        Check::Cleanup => "cleanup",
        Check::Uninitialised => "uninitialised",
        Check::Misuse => "misuse",
        Check::Arithmetic => "arithmetic",
        Check::Overflow => "overflow",
        Check::Conversion => "conversion",
        Check::Race => "race",
        Check::Unwind => "unwind",
    }
}
