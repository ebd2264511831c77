//! Threads: create, join, exit, detach.

use super::{EBUSY, ETIMEDOUT, Reply, Site};
use crate::event::Effect;
use crate::footprint::Look;
use crate::image::Code;
use crate::inputs::InputKind;
use crate::machine::{AccessMode, Machine, Stop};
use crate::thread::{End, Life, Pending, Then, Thread, Wait};
use crate::value::{Pointer, Value};
use crate::violation::ViolationKind;
use cranelift_entity::EntityRef;
use ir::{FunctionId, Type, ValueId};
use library::Thread as ThreadOp;
use std::rc::Rc;

impl<'a> Machine<'a> {
    pub(crate) fn thread_model(&mut self, site: &mut Site, op: ThreadOp) -> Result<Reply, Stop> {
        match op {
            ThreadOp::Create => {
                let (attributes, start, argument) =
                    (self.pointer_arg(site, 1), site.arg(2), site.arg(3));
                let is_detached = self.attribute(attributes, 0) == 1;
                let word = Type::Int(8 * self.memory.pointer_bytes as u32);
                self.create(site, &start, argument, &word, is_detached)
            }
            ThreadOp::Join => self.join(site, Wait::Join),
            ThreadOp::TryJoin => self.join_now(site, EBUSY),
            ThreadOp::TimedJoin => self.join_now(site, ETIMEDOUT),
            ThreadOp::Exit => {
                let value = site.arg(0);
                self.leave_thread(site, value)
            }
            ThreadOp::SelfId => Ok(Reply::Return(Value::Bits(handle(site.thread.id)))),
            ThreadOp::Detach => self.detach(site),
            ThreadOp::Equal => Ok(Reply::int(i32::from(site.number(0) == site.number(1)))),
            ThreadOp::AttrInit => self.init_attributes(site),
            ThreadOp::AttrSet(attribute) => self.set_attribute(site, attribute),
            ThreadOp::AttrGet(attribute) => self.get_attribute(site, attribute),
            ThreadOp::AttrSetScope => Ok(self.set_scope(site)),
            ThreadOp::AttrSetStackSize => Ok(self.set_stack_size(site)),
            ThreadOp::Yield | ThreadOp::AttrDestroy | ThreadOp::AttrOther | ThreadOp::Hint => {
                Ok(Reply::int(0))
            }
        }
    }

    /// Starts a thread. `handle_type` is the type of the thread number that the
    /// caller wants stored.
    pub(crate) fn create(
        &mut self,
        site: &mut Site,
        start: &Value,
        argument: Value,
        handle_type: &Type,
        is_detached: bool,
    ) -> Result<Reply, Stop> {
        let result = self.pointer_arg(site, 0);
        let len = handle_type.bytes(self.memory.pointer_bytes);
        if !site.call.allow {
            return Ok(Reply::Wait(self.pending_write(site, result, len)));
        }
        let function = self.function_behind(site.thread, start)?;
        let target = self.model_access(
            site,
            result,
            len,
            AccessMode::WRITE,
            &mut Pending::default(),
        )?;
        let name = self.image.program.functions[function].name.clone();
        let mut created = self.new_thread(&name)?;
        created.is_detached = is_detached;
        created.blocked = site.thread.blocked;
        created.created_at = self.location(site.thread);
        if let Some((object, offset)) = target {
            let number = Value::Bits(handle(created.id));
            self.memory.write(object, offset, handle_type, &number);
        }
        self.publish_value(&argument);
        let effect = Effect::Create {
            thread: created.id,
            function: name,
        };
        self.record(site.thread, effect);
        self.push_call(&mut created, function, &[argument], Then::Drop)?;
        if let (true, Some(frame)) = (self.leaves_open(), created.frames.last_mut())
            && let Some(argument) = site.call.args.last()
            && !self.image.program.functions[function].params.is_empty()
        {
            frame.set_shadow(ValueId::new(0), argument.shadow.clone());
        }
        created.is_atomic_start = self.image.is_atomic(function);
        // Its local work, up to its first visible step, is done right away. Its
        // place must be taken meanwhile.
        let id = created.id;
        self.begin_thread(site.thread, id);
        self.threads.push(Rc::new(Thread::vacant()));
        self.begin_local_work(site.thread, id, created, site.inputs)?;
        Ok(Reply::int(0))
    }

    pub(crate) fn function_behind(
        &self,
        thread: &Thread,
        pointer: &Value,
    ) -> Result<FunctionId, Stop> {
        match self.image.code_at(pointer.low_bits()) {
            Some(Code::Function(function)) => Ok(function),
            _ => Err(self.violated(
                thread,
                ViolationKind::InvalidPointer,
                "a function is expected here, but the pointer does not point to one",
            )),
        }
    }

    /// Finds the thread that a handle stands for, which must be one that somebody
    /// may still join or detach.
    fn joinable(&self, site: &Site, verb: &str) -> Result<usize, Stop> {
        let misuse = |what: &str| {
            let message = format!("{verb} of {what}");
            Err(self.violated(site.thread, ViolationKind::Misuse, message))
        };
        let number = site.number(0);
        let Some(target) = number
            .checked_sub(1)
            .map(|id| id as usize)
            .filter(|id| *id < self.threads.len())
        else {
            self.footprint.note(Look::ThreadCount);
            return misuse(&format!("what is no thread: {number}"));
        };
        self.footprint.note(Look::Handle(target));
        // A thread that is taking its turn is away from its place.
        let thread = match target == site.thread.id {
            true => &*site.thread,
            false => &*self.threads[target],
        };
        if thread.is_joined {
            return misuse(&format!("thread {target}, which was joined before"));
        }
        if thread.is_detached {
            return misuse(&format!("thread {target}, which is detached"));
        }
        Ok(target)
    }

    /// The same, for a join: nobody can wait for itself.
    fn joined(&self, site: &Site) -> Result<usize, Stop> {
        if site.number(0) == handle(site.thread.id) {
            let message = "join of the calling thread itself";
            return Err(self.violated(site.thread, ViolationKind::Misuse, message));
        }
        self.joinable(site, "join")
    }

    pub(crate) fn join(
        &mut self,
        site: &mut Site,
        wait: impl FnOnce(usize) -> Wait,
    ) -> Result<Reply, Stop> {
        let target = match self.joined(site) {
            Ok(target) => target,
            // What is wrong with the handle can still change before the step.
            Err(_) if !site.call.allow => return Ok(Reply::Wait(Pending::default())),
            Err(stop) => return Err(stop),
        };
        if let Some(reply) = self.gate(site, wait(target))? {
            return Ok(reply);
        }
        self.complete_join(site, target)
    }

    /// A step that will also write through a pointer (unless it is null). What is
    /// wrong with the pointer is found out at the step.
    pub(crate) fn pending_write(&mut self, site: &Site, place: Pointer, len: u64) -> Pending {
        let mut pending = Pending::default();
        if place.address != 0 {
            let mode = AccessMode::WRITE;
            let _ = self.access(site.thread, place, len, mode, false, &mut pending);
        }
        pending
    }

    fn complete_join(&mut self, site: &mut Site, target: usize) -> Result<Reply, Stop> {
        self.footprint.note(Look::Thread(target));
        self.join_thread(site.thread, target);
        let joined = Rc::make_mut(&mut self.threads[target]);
        joined.is_joined = true;
        let is_open = joined.is_result_open;
        let result = match &joined.life {
            Life::Finished(value) => value.clone(),
            _ => Value::Pointer(Pointer::NULL),
        };
        let place = self.pointer_arg(site, 1);
        if place.address != 0 {
            let ty = self.join_result_type(site);
            let len = ty.bytes(self.memory.pointer_bytes);
            let mut pending = Pending::default();
            if let Some((object, offset)) =
                self.model_access(site, place, len, AccessMode::WRITE, &mut pending)?
            {
                self.publish_if_shared(object, &result);
                self.memory.write(object, offset, &ty, &result);
                if is_open {
                    self.memory.shade(object, offset, len, true);
                }
            }
        }
        self.record(site.thread, Effect::Join { thread: target });
        Ok(Reply::int(0))
    }

    /// POSIX threads return pointers, C11 threads return ints.
    fn join_result_type(&self, site: &Site) -> Type {
        let symbol = &self.image.program.functions[site.call.function].symbol;
        if symbol == "thrd_join" {
            Type::Int(32)
        } else {
            Type::Pointer
        }
    }

    fn join_now(&mut self, site: &mut Site, otherwise: i32) -> Result<Reply, Stop> {
        if let Some(reply) = self.gate(site, Wait::Nothing)? {
            return Ok(reply);
        }
        let target = self.joined(site)?;
        self.footprint.note(Look::Thread(target));
        match self.threads[target].is_finished() {
            true => self.complete_join(site, target),
            false => Ok(Reply::int(otherwise)),
        }
    }

    fn detach(&mut self, site: &mut Site) -> Result<Reply, Stop> {
        if let Some(reply) = self.gate(site, Wait::Nothing)? {
            return Ok(reply);
        }
        let target = self.joinable(site, "detach")?;
        self.footprint.note(Look::Thread(target));
        match target == site.thread.id {
            true => site.thread.is_detached = true,
            false => Rc::make_mut(&mut self.threads[target]).is_detached = true,
        }
        Ok(Reply::int(0))
    }

    /// Leaves all functions of a thread; only its clean-up is left.
    pub(crate) fn end_thread(&mut self, site: &mut Site, value: Value) -> Reply {
        if !site.call.allow && self.are_locals_known(site.thread, 0) {
            return Reply::Wait(Pending::default());
        }
        self.end_locals(site.thread, 0);
        let is_open = self.leaves_open() && site.call.args.iter().any(|arg| arg.shadow.is_some());
        let thread = &mut *site.thread;
        thread.frames.clear();
        thread.saved.clear();
        thread.leaving = None;
        thread.atomic_depth = 0;
        thread.life = Life::Ending(End::Thread(value));
        thread.is_result_open = is_open;
        Reply::NOTHING
    }

    /// Whether something that may time out does so now.
    pub(crate) fn times_out(&mut self, site: &mut Site) -> Result<bool, Stop> {
        let choice = self.ask_index(site.thread, site.inputs, InputKind::Timeout, 2)?;
        Ok(choice == 1)
    }
}

/// The number that stands for a thread; 0 is none.
pub(crate) fn handle(thread: usize) -> u64 {
    thread as u64 + 1
}
