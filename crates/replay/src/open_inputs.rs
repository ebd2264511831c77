//! Inputs that are left open: their value is chosen only when it decides about
//! something.
//!
//! A value that is open is 0 with a shadow on all its bits, which spreads as that of
//! memory that was never written does (see [`crate::shadow`]). As long as nothing
//! depends on such bits, the run stands for the runs with all values. Where
//! something does, the run says so ([`Look::Open`]) and goes on with 0; what follows
//! then means nothing, and whoever drives it has to begin again with values.
//!
//! Only the prover does so, and only if nobody looks for memory that was never
//! written, since both use the same shadows.

use crate::footprint::Look;
use crate::inputs::{Domain, InputKind};
use crate::machine::Machine;
use crate::shadow::Shadow;
use crate::thread::Thread;
use crate::violation::Property;
use ir::{BinaryOp, Cast, Inst, Op, Type};

/// Inputs of more bits than this may be left open.
const NARROW: u32 = 1;

/// The kinds of inputs that are left open.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct OpenInputs {
    pub nondet: bool,
    /// Memory that was never written, and values that the language leaves open.
    pub unwritten: bool,
    pub unknown_calls: bool,
}

impl OpenInputs {
    pub const NONE: OpenInputs = OpenInputs {
        nondet: false,
        unwritten: false,
        unknown_calls: false,
    };

    pub const ALL: OpenInputs = OpenInputs {
        nondet: true,
        unwritten: true,
        unknown_calls: true,
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
        let depends = match &inst.op {
            Op::Binary {
                op: BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul,
                no_signed_wrap,
                ..
            } => *no_signed_wrap && self.config.checks.has(Property::Overflow),
            Op::Binary { op, .. } => !matches!(op, BinaryOp::And | BinaryOp::Or | BinaryOp::Xor),
            Op::Cast { op, .. } => !matches!(
                op,
                Cast::Truncate | Cast::ZeroExtend | Cast::SignExtend | Cast::Reinterpret
            ),
            _ => false,
        };
        if depends {
            inst.op
                .for_each_operand(|operand| self.note_open(&self.shadow(thread, operand)));
        }
    }
}
