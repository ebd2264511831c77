//! Which variable an address inside one function belongs to, as far as that is
//! plain to see, and what is done with it.
//!
//! Only what is derived from a variable by offsets is followed, not what is
//! stored somewhere and loaded again. So an address that is unknown here may
//! still belong to any variable whose address *escapes*; a local variable whose
//! address does not escape is private to its call.

use crate::library_calls::{Use, argument_uses};
use crate::meaning::Meaning;
use cranelift_entity::{EntitySet, SecondaryMap};
use ir::{
    Body, Callee, Constant, GlobalId, Inst, InstId, Op, Operand, Program, Terminator, Type, ValueId,
};
use library::{Function, Process};

/// A variable: a local one is named by the instruction that makes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Object {
    Local(InstId),
    Global(GlobalId),
}

/// A place in a variable; an offset that is not constant is unknown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Place {
    pub object: Object,
    pub offset: Option<i64>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Known {
    /// No definition was looked at yet.
    #[default]
    Nothing,
    At(Place),
    Elsewhere,
}

impl Known {
    fn join(self, other: Known) -> Known {
        match (self, other) {
            (Known::Nothing, known) | (known, Known::Nothing) => known,
            (Known::At(a), Known::At(b)) if a.object == b.object => Known::At(Place {
                object: a.object,
                offset: a.offset.filter(|_| a.offset == b.offset),
            }),
            _ => Known::Elsewhere,
        }
    }
}

/// The facts about one body.
pub(super) struct Addresses<'p> {
    program: &'p Program,
    body: &'p Body,
    places: SecondaryMap<ValueId, Known>,
    /// Values that some instruction, phi or terminator uses.
    used: EntitySet<ValueId>,
    /// Addresses of the C library's own data, such as `errno` and `*stdout`.
    of_library: EntitySet<ValueId>,
    escaping: EntitySet<InstId>,
}

impl<'p> Addresses<'p> {
    /// `None` if the function has no body.
    pub(super) fn of(
        program: &'p Program,
        function: &'p ir::Function,
        meaning: &Meaning,
    ) -> Option<Addresses<'p>> {
        let body = function.body.as_ref()?;
        let mut addresses = Addresses {
            program,
            body,
            places: SecondaryMap::new(),
            used: EntitySet::new(),
            of_library: EntitySet::new(),
            escaping: EntitySet::new(),
        };
        for param in body.values.keys().take(function.params.len()) {
            addresses.places[param] = Known::Elsewhere;
        }
        while addresses.find_places() {}
        addresses.find_used();
        addresses.find_library_data(meaning);
        let mut escaping = EntitySet::new();
        addresses.for_each_use(meaning, |place, kind| {
            if let (Object::Local(local), Use::Escape) = (place.object, kind) {
                escaping.insert(local);
            }
        });
        addresses.escaping = escaping;
        Some(addresses)
    }

    /// The place that an operand is the address of.
    pub(super) fn place(&self, operand: Operand) -> Option<Place> {
        match self.known(operand) {
            Known::At(place) => Some(place),
            Known::Nothing | Known::Elsewhere => None,
        }
    }

    pub(super) fn is_escaping(&self, local: InstId) -> bool {
        self.escaping.contains(local)
    }

    /// Whether an access through this operand may touch memory that other
    /// threads can see.
    pub(super) fn may_be_shared(&self, operand: Operand) -> bool {
        let is_pointer = self.body.operand_type(self.program, operand) == Type::Pointer;
        match (self.place(operand), operand) {
            (Some(place), _) => match place.object {
                Object::Local(local) => self.is_escaping(local),
                Object::Global(global) => is_shared(self.program, global),
            },
            (None, Operand::Const(_)) => false,
            (None, Operand::Value(value)) => is_pointer && !self.of_library.contains(value),
        }
    }

    /// Everything that is done with the address of a variable, except for
    /// deriving other addresses and comparing.
    pub(super) fn for_each_use(&self, meaning: &Meaning, mut visit: impl FnMut(Place, Use)) {
        let mut note = |operand: Operand, kind: Use| {
            if let Some(place) = self.place(operand) {
                visit(place, kind);
            }
        };
        for block in self.body.blocks.values() {
            for phi in &block.phis {
                if self.known(Operand::Value(phi.result)) == Known::Elsewhere {
                    phi.incoming
                        .iter()
                        .for_each(|(_, operand)| note(*operand, Use::Escape));
                }
            }
            for inst in &block.insts {
                self.uses_of_inst(meaning, &self.body.insts[*inst], &mut note);
            }
            if let Terminator::Return(Some(value)) = block.terminator {
                note(value, Use::Escape);
            }
        }
    }

    fn uses_of_inst(&self, meaning: &Meaning, inst: &Inst, note: &mut impl FnMut(Operand, Use)) {
        match &inst.op {
            Op::Load { address, .. } => note(*address, Use::Read),
            Op::Store { address, value, .. } => {
                note(*address, Use::Write);
                note(*value, Use::Escape);
            }
            Op::Rmw { address, value, .. }
            | Op::CompareExchange {
                address,
                replacement: value,
                ..
            } => {
                note(*address, Use::Read);
                note(*address, Use::Write);
                note(*value, Use::Escape);
            }
            Op::Select {
                then, otherwise, ..
            } if self.place_of_result(inst).is_none() => {
                note(*then, Use::Escape);
                note(*otherwise, Use::Escape);
            }
            Op::Cast { value, .. } => note(*value, Use::Escape),
            Op::Insert { field, .. } => note(*field, Use::Escape),
            Op::Call {
                callee,
                args,
                by_value,
            } => self.uses_of_call(meaning, inst, callee, args, by_value, note),
            _ => {}
        }
    }

    fn uses_of_call(
        &self,
        meaning: &Meaning,
        inst: &Inst,
        callee: &Callee,
        args: &[Operand],
        by_value: &[Option<u64>],
        note: &mut impl FnMut(Operand, Use),
    ) {
        let library = meaning.of_callee(callee);
        // Where the result is of interest it may well be one of the arguments.
        let hands_back = inst.result.is_some_and(|result| {
            self.body.values[result] == Type::Pointer && self.used.contains(result)
        });
        for (index, arg) in args.iter().enumerate() {
            if by_value.get(index).is_some_and(Option::is_some) {
                note(*arg, Use::Read);
                continue;
            }
            match library {
                Some(function) => {
                    argument_uses(function, index)
                        .iter()
                        .for_each(|kind| note(*arg, *kind));
                    if hands_back {
                        note(*arg, Use::Escape);
                    }
                }
                None => note(*arg, Use::Escape),
            }
        }
    }

    fn known(&self, operand: Operand) -> Known {
        match operand {
            Operand::Value(value) => self.places[value],
            Operand::Const(id) => match self.program.constant(id) {
                Constant::Global { global, offset } => Known::At(Place {
                    object: Object::Global(*global),
                    offset: Some(*offset),
                }),
                _ => Known::Elsewhere,
            },
        }
    }

    fn place_of_result(&self, inst: &Inst) -> Option<Place> {
        self.place(Operand::Value(inst.result?))
    }

    /// One round over all definitions; whether anything is new.
    fn find_places(&mut self) -> bool {
        let body = self.body;
        let mut is_changed = false;
        let mut define = |this: &mut Self, value: ValueId, known: Known| {
            let joined = this.places[value].join(known);
            is_changed |= joined != this.places[value];
            this.places[value] = joined;
        };
        for block in body.blocks.values() {
            for phi in &block.phis {
                for (_, operand) in &phi.incoming {
                    let known = self.known(*operand);
                    define(self, phi.result, known);
                }
            }
            for id in &block.insts {
                let inst = &body.insts[*id];
                if let Some(result) = inst.result {
                    let known = self.defined(*id, &inst.op);
                    define(self, result, known);
                }
            }
        }
        is_changed
    }

    fn defined(&self, id: InstId, op: &Op) -> Known {
        match op {
            Op::Local { .. } => Known::At(Place {
                object: Object::Local(id),
                offset: Some(0),
            }),
            Op::Offset {
                base, bytes, terms, ..
            } => match self.known(*base) {
                Known::At(place) => Known::At(Place {
                    object: place.object,
                    offset: place
                        .offset
                        .filter(|_| terms.is_empty())
                        .and_then(|offset| offset.checked_add(*bytes)),
                }),
                known => known,
            },
            Op::Select {
                then, otherwise, ..
            } => self.known(*then).join(self.known(*otherwise)),
            _ => Known::Elsewhere,
        }
    }

    fn find_used(&mut self) {
        let used = &mut self.used;
        let mut note = |operand: Operand| {
            if let Operand::Value(value) = operand {
                used.insert(value);
            }
        };
        for block in self.body.blocks.values() {
            let incoming = block.phis.iter().flat_map(|phi| &phi.incoming);
            incoming.for_each(|(_, operand)| note(*operand));
            for inst in &block.insts {
                self.body.insts[*inst].op.for_each_operand(&mut note);
            }
            block.terminator.for_each_operand(&mut note);
        }
    }

    fn find_library_data(&mut self, meaning: &Meaning) {
        for inst in self.body.insts.values() {
            let is_of_library = match &inst.op {
                Op::Load { address, .. } => matches!(
                    self.place(*address).map(|place| place.object),
                    Some(Object::Global(global)) if self.program.globals[global].is_external
                ),
                Op::Call { callee, .. } => {
                    let errno = Function::Process(Process::ErrnoLocation);
                    meaning.of_callee(callee) == Some(errno)
                }
                _ => false,
            };
            if let Some(result) = inst.result.filter(|_| is_of_library) {
                self.of_library.insert(result);
            }
        }
    }
}

/// Whether a variable can be seen by several threads and can change.
pub(super) fn is_shared(program: &Program, global: GlobalId) -> bool {
    let global = &program.globals[global];
    !global.is_constant && !global.is_thread_local && !global.is_external
}
