//! Inputs that are left open: their value is chosen only when it decides about
//! something.
//!
//! A value that is open is 0 with a shadow on all its bits, which spreads as that of
//! memory that was never written does (see [`crate::shadow`]). As long as nothing
//! depends on such bits, the run stands for the runs with all values. Where
//! something does, the run says so ([`Look::Open`]) and goes on with 0; what follows
//! then means nothing, and whoever drives it has to begin again with values.
//!
//! Where all that depends on them is which way to go, both ways may be taken instead
//! ([`OpenInputs::decides`]). Whatever the value is, the run with that value goes one of
//! them, so together they stand for all runs. If the value has a name
//! ([`crate::open_names`]), later decisions know of the earlier ones; else some runs are
//! among them that there are not. Either way it is not known with which value something
//! goes wrong, so nothing that does is told, while nothing going wrong is certain.
//!
//! Only the prover does so, and only if nobody looks for memory that was never
//! written, since both use the same shadows.

use crate::footprint::Look;
use crate::inputs::{Domain, InputKind, Inputs};
use crate::machine::{Machine, Stop};
use crate::shadow::Shadow;
use crate::thread::Thread;
use crate::value::truncate;
use crate::violation::Property;
use ir::{BinaryOp, Cast, Constant, Inst, Op, Operand, Type};

/// Inputs of more bits than this may be left open.
const NARROW: u32 = 1;

/// The kinds of inputs that are left open.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct OpenInputs {
    pub nondet: bool,
    /// Memory that was never written, and values that the language leaves open.
    pub unwritten: bool,
    pub unknown_calls: bool,
    /// Branches that depend on them go both ways.
    pub decides: bool,
}

impl OpenInputs {
    pub const NONE: OpenInputs = OpenInputs {
        nondet: false,
        unwritten: false,
        unknown_calls: false,
        decides: false,
    };

    pub const ALL: OpenInputs = OpenInputs {
        nondet: true,
        unwritten: true,
        unknown_calls: true,
        decides: true,
    };

    pub(crate) fn has(self, kind: InputKind, domain: Domain) -> bool {
        let is_wide = match domain {
            Domain::Bits(width) => width > NARROW,
            Domain::Pointer(_) => true,
            Domain::Below(_) => false,
        };
        is_wide
            && match kind {
                InputKind::Nondet => self.nondet,
                InputKind::Uninitialised | InputKind::Undefined => self.unwritten,
                InputKind::UnknownCall => self.unknown_calls,
                _ => false,
            }
    }
}

impl<'a> Machine<'a> {
    pub(crate) fn leaves_open(&self) -> bool {
        self.open_inputs != OpenInputs::NONE
    }

    /// The shadow of a value that was just asked for.
    pub(crate) fn answered_shadow(&self, ty: &Type) -> Shadow {
        match self.is_answer_open {
            true => Shadow::full(ty, |ty| self.width(ty)),
            false => Shadow::None,
        }
    }

    /// Which of so many ways to go, if that depends on what is open and is chosen.
    pub(crate) fn decide(
        &mut self,
        thread: &Thread,
        inputs: &mut dyn Inputs,
        shadow: &Shadow,
        ways: u64,
    ) -> Result<Option<u128>, Stop> {
        match shadow.is_some() && self.open_inputs.decides {
            true => {
                self.footprint.note(Look::Guess);
                let domain = Domain::Below(ways);
                let way = self.ask(thread, inputs, InputKind::Decision, domain)?;
                Ok(Some(way))
            }
            false => Ok(None),
        }
    }

    /// Something depends on a shadow, if there is one.
    pub(crate) fn note_open(&self, shadow: &Shadow) {
        if shadow.is_some() && self.leaves_open() {
            self.footprint.note(Look::Open);
        }
    }

    /// Whether an operation goes wrong, or makes addresses known, may depend on bits
    /// that are open.
    pub(crate) fn note_open_operands(&self, thread: &Thread, inst: &Inst) {
        if !self.leaves_open() || thread.frames.last().is_none_or(|f| f.shadows.is_empty()) {
            return;
        }
        if let Op::Binary { op, right, .. } = &inst.op
            && self.depends_on_right_only(*op, *right)
        {
            return self.note_open(&self.shadow(thread, *right));
        }
        let depends = match &inst.op {
            Op::Binary {
                op: BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul,
                no_signed_wrap,
                ..
            } => *no_signed_wrap && self.config.checks.has(Property::Overflow),
            Op::Binary { op, .. } => !matches!(op, BinaryOp::And | BinaryOp::Or | BinaryOp::Xor),
            Op::Cast { op, .. } => !matches!(
                op,
                Cast::Truncate
                    | Cast::ZeroExtend
                    | Cast::SignExtend
                    | Cast::Reinterpret
                    | Cast::SignedToFloat
                    | Cast::UnsignedToFloat
            ),
            _ => false,
        };
        if depends {
            inst.op
                .for_each_operand(|operand| self.note_open(&self.shadow(thread, operand)));
        }
    }

    /// Whether it is up to the right operand alone if an operation goes wrong.
    fn depends_on_right_only(&self, op: BinaryOp, right: Operand) -> bool {
        match op {
            BinaryOp::UnsignedDiv
            | BinaryOp::UnsignedRem
            | BinaryOp::LogicalShiftRight
            | BinaryOp::ArithmeticShiftRight => true,
            // The least number divided by -1 is too large.
            BinaryOp::SignedDiv | BinaryOp::SignedRem => match right {
                Operand::Const(constant) => match self.image.program.constant(constant) {
                    Constant::Int { bits, value } => *value != truncate(u128::MAX, *bits),
                    _ => false,
                },
                Operand::Value(_) => false,
            },
            _ => false,
        }
    }
}
