//! Where the course of a program may depend on where in memory its objects are.
//!
//! Whoever gives each object one address, as an interpreter or a checker does,
//! looks at one layout of many. For most programs that is all the same: to copy
//! addresses, to compare them for equality, to walk through an array, to put
//! marks into the low bits of an address and take them away works alike
//! everywhere. It does not if an address is shifted, multiplied or cut (as hash
//! functions do), if more bits of it are looked at on their own than its object is
//! aligned to, or if addresses of different objects are put in order.
//!
//! Some things are taken for granted. Pointers of which one at least was moved
//! through an array are compared within that array, as C demands. And an address
//! that is read byte by byte, or told by its text, is put together again. Besides,
//! a program that never converts a pointer to a number is taken not to compute with
//! addresses: numbers in the same struct as pointers would be taken for these
//! otherwise.

use crate::Site;
use crate::points_to::{AbstractObject, ObjectId, PointsTo, TargetSet};
use ir::{
    BinaryOp, Body, Builtin, Cast, Comparison, Constant, FunctionId, Inst, Op, Operand, Program,
    Type,
};

/// What is not a variable is aligned to that many bytes at least.
const ALIGNMENT: u64 = 16;

/// Numbers this close to either end of the address space are no object's address.
const MARGIN: u128 = 4096;

/// The first instruction that makes a difference between layouts, if any does.
pub fn first_dependence(program: &Program) -> Option<Site> {
    let bodies = || {
        let functions = program.functions.iter();
        functions.filter_map(|(id, function)| Some((id, function.body.as_ref()?)))
    };
    let mut has_numbers = false;
    let mut is_suspect = false;
    for (_, body) in bodies() {
        for inst in body.insts.values() {
            match &inst.op {
                Op::Cast { op, .. } => has_numbers |= *op == Cast::PointerToInt,
                Op::Compare { op, left, .. } => {
                    is_suspect |= is_order(*op) && is_pointer(program, body, *left);
                }
                _ => {}
            }
        }
    }
    if !has_numbers && !is_suspect {
        return None;
    }
    let points_to = PointsTo::of(program);
    bodies()
        .filter(|(function, _)| points_to.is_reached(*function))
        .find_map(|(function, body)| {
            let reader = Reader {
                program,
                points_to: &points_to,
                function,
                body,
                has_numbers,
            };
            let mut insts = body.insts.iter();
            let (inst, _) = insts.find(|(_, inst)| reader.depends(inst))?;
            Some(Site { function, inst })
        })
}

fn is_pointer(program: &Program, body: &Body, operand: Operand) -> bool {
    body.operand_type(program, operand) == Type::Pointer
}

fn is_order(op: Comparison) -> bool {
    !matches!(op, Comparison::Equal | Comparison::NotEqual)
}

fn looks_at_bits(op: Builtin) -> bool {
    matches!(
        op,
        Builtin::CountOnes
            | Builtin::CountLeadingZeros
            | Builtin::CountTrailingZeros
            | Builtin::ByteSwap
            | Builtin::BitReverse
            | Builtin::SignedMax
            | Builtin::SignedMin
            | Builtin::UnsignedMax
            | Builtin::UnsignedMin
            | Builtin::FunnelShiftLeft
            | Builtin::FunnelShiftRight
            | Builtin::SignedMulOverflow
            | Builtin::UnsignedMulOverflow
            | Builtin::ExtendedFromSigned
            | Builtin::ExtendedFromUnsigned
    )
}

struct Reader<'a> {
    program: &'a Program,
    points_to: &'a PointsTo,
    function: FunctionId,
    body: &'a Body,
    /// Whether the program makes numbers of pointers.
    has_numbers: bool,
}

impl Reader<'_> {
    fn depends(&self, inst: &Inst) -> bool {
        match &inst.op {
            Op::Binary {
                op, left, right, ..
            } => match op {
                BinaryOp::Add | BinaryOp::Sub => false,
                BinaryOp::And | BinaryOp::Or | BinaryOp::Xor => {
                    let is_changed = |address: &Operand, by: &Operand| {
                        self.is_address(*address) && !self.is_about_marks(*op, *address, *by)
                    };
                    is_changed(left, right) || is_changed(right, left)
                }
                _ => self.is_address(*left) || self.is_address(*right),
            },
            Op::Compare { op, left, right } => is_order(*op) && self.is_arranged(*left, *right),
            Op::Cast {
                op: Cast::Truncate | Cast::PointerToInt,
                value,
            } => self.is_cut(inst) && self.is_address(*value),
            Op::Builtin { op, args } => {
                looks_at_bits(*op) && args.iter().any(|arg| self.is_address(*arg))
            }
            _ => false,
        }
    }

    /// Whether there is no room for a whole address in the result.
    fn is_cut(&self, inst: &Inst) -> bool {
        let bits = 8 * self.program.target.pointer_bytes;
        inst.result
            .is_some_and(|value| match self.body.values[value] {
                Type::Int(width) => u64::from(width) < bits,
                _ => false,
            })
    }

    /// Whether it may be an address, as a whole or after some computation.
    fn is_address(&self, operand: Operand) -> bool {
        self.targets(operand).objects().next().is_some()
    }

    fn targets(&self, operand: Operand) -> TargetSet {
        match self.has_numbers || is_pointer(self.program, self.body, operand) {
            true => self.points_to.targets(self.function, operand),
            false => TargetSet::default(),
        }
    }

    /// Whether all bits of an address that depend on the layout are left as they
    /// are, or nothing of them is left.
    fn is_about_marks(&self, op: BinaryOp, address: Operand, by: Operand) -> bool {
        let Some((bits, value)) = self.constant(by) else {
            // Marks need not be constant.
            return op == BinaryOp::Or && !self.is_address(by);
        };
        let objects = self.targets(address);
        let alignments = objects.objects().map(|object| self.alignment(object));
        let marks = u128::from(alignments.min().unwrap_or(ALIGNMENT));
        let inverse = !value & (u128::MAX >> (128 - bits));
        value < marks || (op == BinaryOp::And && inverse < marks)
    }

    fn alignment(&self, object: ObjectId) -> u64 {
        match self.points_to.object(object) {
            AbstractObject::Global(global) | AbstractObject::ThreadLocal(global) => {
                self.program.globals[global].align
            }
            AbstractObject::Local { function, inst } => {
                let body = self.program.functions[function].body.as_ref();
                match body.map(|body| &body.insts[inst].op) {
                    Some(Op::Local { align, .. }) => *align,
                    _ => ALIGNMENT,
                }
            }
            _ => ALIGNMENT,
        }
    }

    fn constant(&self, operand: Operand) -> Option<(u32, u128)> {
        let Operand::Const(id) = operand else {
            return None;
        };
        match self.program.constant(id) {
            Constant::Int { bits, value } if *bits > 0 => Some((*bits, *value)),
            _ => None,
        }
    }

    /// Whether two values are put in order of which one at least is an address,
    /// and not one within the same object as the other.
    fn is_arranged(&self, left: Operand, right: Operand) -> bool {
        let (a, b) = (self.targets(left), self.targets(right));
        let is_number = |set: &TargetSet| set.objects().next().is_none();
        match (is_number(&a), is_number(&b)) {
            (true, true) => false,
            (false, false) => self.may_be_apart(&a, &b),
            (true, false) => self.may_be_an_address(left),
            (false, true) => self.may_be_an_address(right),
        }
    }

    /// Whether a number could be as large as an address.
    fn may_be_an_address(&self, number: Operand) -> bool {
        if let Operand::Const(id) = number
            && matches!(self.program.constant(id), Constant::Null)
        {
            return false;
        }
        match self.constant(number) {
            Some((bits, value)) => {
                let most = u128::MAX >> (128 - bits);
                (MARGIN..=most - MARGIN.min(most)).contains(&value)
            }
            // Nothing is known of where it points, so it was read from nowhere.
            None => !is_pointer(self.program, self.body, number),
        }
    }

    /// Whether two addresses may belong to different objects. Those that were moved
    /// through an array belong to the same.
    fn may_be_apart(&self, a: &TargetSet, b: &TargetSet) -> bool {
        let is_fixed = |set: &TargetSet| set.iter().all(|target| target.offsets.is_exact());
        if !is_fixed(a) || !is_fixed(b) {
            return false;
        }
        let mut objects = a.objects().chain(b.objects());
        let Some(first) = objects.next() else {
            return false;
        };
        objects.any(|object| object != first) || self.is_many(first)
    }

    fn is_many(&self, object: ObjectId) -> bool {
        !matches!(
            self.points_to.object(object),
            AbstractObject::Global(_) | AbstractObject::Function(_)
        )
    }
}
