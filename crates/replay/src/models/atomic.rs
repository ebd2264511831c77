//! Atomic operations that compilers leave to a library, on objects of any size.

use super::{Reply, Site};
use crate::event::Effect;
use crate::machine::{AccessMode, Machine, Stop};
use crate::memory::ObjectId;
use crate::snapshot::Snapshot;
use crate::thread::Pending;
use crate::value::{Pointer, Value};
use crate::weak::{Act, Order, Turn};
use ir::{RmwOp, Type};
use library::Atomic;

const ATOMIC_READ: AccessMode = AccessMode {
    is_write: false,
    is_atomic: true,
};

const ATOMIC_WRITE: AccessMode = AccessMode {
    is_write: true,
    is_atomic: true,
};

/// Where the desired value of a compare-exchange comes from.
enum Source {
    Bytes(Vec<u8>),
    Argument(usize),
}

impl<'a> Machine<'a> {
    pub(crate) fn atomic_model(&mut self, site: &mut Site, op: Atomic) -> Result<Reply, Stop> {
        let is_generic = matches!(
            op,
            Atomic::Load
                | Atomic::Store
                | Atomic::Exchange
                | Atomic::CompareExchange
                | Atomic::CompareExchangeSized
        );
        if is_generic && self.is_weak() {
            let what = "an atomic operation on an object of any size under a weak memory model";
            return Err(self.unsupported(site.thread, what));
        }
        let rmw = match op {
            Atomic::ExchangeSized => RmwOp::Exchange,
            Atomic::FetchAdd => RmwOp::Add,
            Atomic::FetchSub => RmwOp::Sub,
            Atomic::FetchAnd => RmwOp::And,
            Atomic::FetchOr => RmwOp::Or,
            Atomic::FetchXor => RmwOp::Xor,
            Atomic::FetchNand => RmwOp::Nand,
            Atomic::ThreadFence => {
                self.add_fence(site.thread, Order::of_number(site.number(0)));
                return Ok(Reply::NOTHING);
            }
            Atomic::SignalFence => return Ok(Reply::NOTHING),
            Atomic::IsLockFree => {
                return Ok(Reply::int(i32::from(matches!(
                    site.number(0),
                    1 | 2 | 4 | 8
                ))));
            }
            Atomic::LoadSized => return self.atomic_load(site),
            Atomic::StoreSized => {
                let (ty, value) = (self.argument_type(site, 1), site.arg(1));
                return self.atomic_store(site, &ty, value, 2);
            }
            Atomic::FlagClear => {
                return self.atomic_store(site, &Type::Int(8), Value::ZERO, 1);
            }
            Atomic::FlagTestAndSet => {
                let set = Value::Bits(1);
                return self.atomic_update(site, RmwOp::Exchange, &Type::Int(8), set, 1);
            }
            Atomic::CompareExchangeSized => {
                let ty = self.argument_type(site, 2);
                let len = ty.bytes(self.memory.pointer_bytes);
                let desired = site.arg(2).bits().to_le_bytes()[..len as usize].to_vec();
                return self.generic_compare_exchange(site, 0, 1, len, Source::Bytes(desired));
            }
            Atomic::Load => return self.generic_copy(site, 1, 2, None),
            Atomic::Store => return self.generic_copy(site, 2, 1, None),
            Atomic::Exchange => return self.generic_copy(site, 2, 1, Some(3)),
            Atomic::CompareExchange => {
                let len = site.number(0);
                return self.generic_compare_exchange(site, 1, 2, len, Source::Argument(3));
            }
        };
        let (ty, operand) = (self.argument_type(site, 1), site.arg(1));
        self.atomic_update(site, rmw, &ty, operand, 2)
    }

    fn argument_type(&self, site: &Site, index: usize) -> Type {
        let argument = site.call.args.get(index);
        argument.map_or(Type::Int(32), |argument| argument.ty.clone())
    }

    /// The object of the first argument, if it is the thread's turn.
    fn atomic_target(
        &mut self,
        site: &mut Site,
        ty: &Type,
        mode: AccessMode,
    ) -> Result<Result<(ObjectId, u64), Reply>, Stop> {
        let pointer = self.pointer_arg(site, 0);
        let len = ty.bytes(self.memory.pointer_bytes);
        let mut pending = Pending::default();
        match self.model_access(site, pointer, len, mode, &mut pending)? {
            Some(target) => {
                self.settle(site.thread, site.inputs, target, len, false)?;
                Ok(Ok(target))
            }
            None => Ok(Err(Reply::Wait(pending))),
        }
    }

    /// Under a weak memory model: what the access sees, and where it comes. Functions
    /// without an argument for the order have the strongest.
    fn begin_atomic(
        &mut self,
        site: &mut Site,
        act: fn(Order) -> Act,
        order: usize,
        target: (ObjectId, u64),
        ty: &Type,
    ) -> Result<Option<Turn>, Stop> {
        if !self.is_weak() {
            return Ok(None);
        }
        self.take_noted();
        let order = match site.call.args.get(order) {
            Some(_) => Order::of_number(site.number(order)),
            None => Order::SequentiallyConsistent,
        };
        let len = ty.bytes(self.memory.pointer_bytes);
        let turn = self.begin_turn(site.thread, site.inputs, act(order), target, len)?;
        self.settle(site.thread, site.inputs, target, len, false)?;
        Ok(turn)
    }

    fn atomic_load(&mut self, site: &mut Site) -> Result<Reply, Stop> {
        let ty = site.call.result_type.clone().unwrap_or(Type::Int(32));
        let target = match self.atomic_target(site, &ty, ATOMIC_READ)? {
            Ok(target) => target,
            Err(reply) => return Ok(reply),
        };
        let turn = self.begin_atomic(site, Act::Read, 1, target, &ty)?;
        let value = self.load(site.thread, target, &ty);
        self.end_turn(site.thread, turn);
        Ok(Reply::Return(value))
    }

    /// `order` is the argument that says the memory order.
    fn atomic_store(
        &mut self,
        site: &mut Site,
        ty: &Type,
        value: Value,
        order: usize,
    ) -> Result<Reply, Stop> {
        let target = match self.atomic_target(site, ty, ATOMIC_WRITE)? {
            Ok(target) => target,
            Err(reply) => return Ok(reply),
        };
        let turn = self.begin_atomic(site, Act::Write, order, target, ty)?;
        self.store(site.thread, target, ty, value, |place, value, was| {
            Effect::Write { place, value, was }
        });
        self.end_turn(site.thread, turn);
        Ok(Reply::NOTHING)
    }

    fn atomic_update(
        &mut self,
        site: &mut Site,
        op: RmwOp,
        ty: &Type,
        operand: Value,
        order: usize,
    ) -> Result<Reply, Stop> {
        let target = match self.atomic_target(site, ty, ATOMIC_WRITE)? {
            Ok(target) => target,
            Err(reply) => return Ok(reply),
        };
        let turn = self.begin_atomic(site, Act::Update, order, target, ty)?;
        let old = self.read_modify_write(site.thread, target, ty, op, operand);
        self.end_turn(site.thread, turn);
        Ok(Reply::Return(old))
    }

    /// Copies between two arguments; the old content of the target may go to a
    /// third.
    fn generic_copy(
        &mut self,
        site: &mut Site,
        from: usize,
        to: usize,
        old: Option<usize>,
    ) -> Result<Reply, Stop> {
        let len = site.number(0);
        // Argument 1 is the atomic object; the others are the caller's own.
        let mode = |index: usize, is_write: bool| AccessMode {
            is_write,
            is_atomic: index == 1,
        };
        let mut pending = Pending::default();
        let (from_place, to_place) = (self.pointer_arg(site, from), self.pointer_arg(site, to));
        let source = self.model_access(site, from_place, len, mode(from, false), &mut pending)?;
        let target = self.model_access(site, to_place, len, mode(to, true), &mut pending)?;
        let kept = match old {
            Some(index) => {
                let place = self.pointer_arg(site, index);
                let kept = self.model_access(site, place, len, mode(index, true), &mut pending)?;
                Some(kept)
            }
            None => None,
        };
        let (Some(source), Some(target)) = (source, target) else {
            return Ok(Reply::Wait(pending));
        };
        let value = self.memory.snapshot(source.0, source.1, len);
        match kept {
            Some(None) => return Ok(Reply::Wait(pending)),
            Some(Some((object, offset))) => {
                let before = self.memory.snapshot(target.0, target.1, len);
                self.restore_published(object, offset, &before);
            }
            None => {}
        }
        self.restore_published(target.0, target.1, &value);
        self.record_generic(site, len, to == 1);
        Ok(Reply::NOTHING)
    }

    fn generic_compare_exchange(
        &mut self,
        site: &mut Site,
        object: usize,
        expected: usize,
        len: u64,
        desired: Source,
    ) -> Result<Reply, Stop> {
        let mut pending = Pending::default();
        let (object, expected) = (
            self.pointer_arg(site, object),
            self.pointer_arg(site, expected),
        );
        let target = self.model_access(site, object, len, ATOMIC_WRITE, &mut pending)?;
        let compared = self.model_access(site, expected, len, AccessMode::WRITE, &mut pending)?;
        let (Some(target), Some(compared)) = (target, compared) else {
            return Ok(Reply::Wait(pending));
        };
        self.settle(site.thread, site.inputs, target, len, false)?;
        self.settle(site.thread, site.inputs, compared, len, false)?;
        let current = self.memory.snapshot(target.0, target.1, len);
        let is_equal = current.bytes == self.memory.bytes(compared.0, compared.1, len);
        if is_equal {
            match desired {
                Source::Bytes(bytes) => self.memory.write_bytes(target.0, target.1, &bytes),
                Source::Argument(index) => {
                    let place = self.pointer_arg(site, index);
                    let mut pending = Pending::default();
                    let Some((from, offset)) =
                        self.model_access(site, place, len, AccessMode::READ, &mut pending)?
                    else {
                        return Ok(Reply::Wait(pending));
                    };
                    let value = self.memory.snapshot(from, offset, len);
                    self.restore_published(target.0, target.1, &value);
                }
            }
        } else {
            self.restore_published(compared.0, compared.1, &current);
        }
        self.record_generic(site, len, is_equal);
        Ok(Reply::int(i32::from(is_equal)))
    }

    fn restore_published(&mut self, object: ObjectId, offset: u64, snapshot: &Snapshot) {
        if self
            .memory
            .get(object)
            .is_some_and(|object| object.is_shared)
        {
            for (_, target) in &snapshot.pointers {
                self.memory.publish(*target);
            }
        }
        self.memory.restore(object, offset, &snapshot.written());
    }

    /// Names the atomic object in the trace; its value is too large to show.
    fn record_generic(&mut self, site: &Site, len: u64, is_write: bool) {
        let pointer: Pointer = self.pointer_arg(site, usize::from(site.call.args.len() != 5));
        let Ok((object, offset)) = self.memory.check(pointer, len, false) else {
            return;
        };
        if self.trace.is_none() || !self.is_shared(site, pointer) {
            return;
        }
        let place = self.place(object, offset, len).path;
        let value = format!("{len} bytes");
        let effect = if is_write {
            let was = String::new();
            Effect::Update { place, value, was }
        } else {
            Effect::Read { place, value }
        };
        self.record(site.thread, effect);
    }
}
