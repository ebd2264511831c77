//! The process: ending it, `errno`, sorting and searching, random numbers.

use super::pages::PAGE;
use super::plan::UNLIMITED;
use super::{Reply, Site};
use crate::event::Effect;
use crate::footprint::Look;
use crate::image::Code;
use crate::inputs::{Domain, InputKind};
use crate::machine::{AccessMode, Machine, Stop};
use crate::memory::Origin;
use crate::thread::{End, Life, Pending, Phase, Then, Thread, Wait};
use crate::value::{self, Pointer, Value};
use crate::violation::ViolationKind;
use ir::Type;
use library::Process;

/// The largest value of `rand`.
const RAND_BITS: u32 = 31;

impl<'a> Machine<'a> {
    pub(crate) fn process_model(&mut self, site: &mut Site, op: Process) -> Result<Reply, Stop> {
        match op {
            Process::Abort => {
                // Like every end of the process, it is a step of its own: the
                // others may do much before it.
                if let Some(reply) = self.gate(site, Wait::Nothing)? {
                    return Ok(reply);
                }
                Err(Stop::Aborted)
            }
            Process::Exit | Process::ExitNow | Process::QuickExit => {
                // The status that a parent process gets to see.
                let code = site.int(0) & 0xff;
                Ok(self.begin_exit(
                    site,
                    match op {
                        Process::Exit => End::Process(code),
                        _ => End::Abrupt(code),
                    },
                ))
            }
            Process::AtExit | Process::CxaAtExit => self.register_for_the_end(site, op),
            Process::AssertFail => {
                let message = match self.constant_string(self.pointer_arg(site, 0)) {
                    Some(text) if !text.is_empty() => format!("assertion {text} fails"),
                    _ => "an assertion fails".to_owned(),
                };
                Err(self.violated(site.thread, ViolationKind::Assertion, message))
            }
            Process::PureVirtual => Err(self.violated(
                site.thread,
                ViolationKind::InvalidPointer,
                "call of a virtual function that does not exist",
            )),
            Process::ErrnoLocation => {
                let pointer = self.errno(site.thread)?;
                Ok(Reply::pointer(pointer))
            }
            Process::GetEnv => {
                let name = self.pointer_arg(site, 0);
                let mut result = Pointer::NULL;
                let reply = self.planned(site, |machine, site, plan| {
                    let name = machine.read_string(site, name, UNLIMITED, plan)?;
                    machine.footprint.note(Look::Rest);
                    result = machine.variable(&name);
                    Ok(Reply::NOTHING)
                })?;
                Ok(match reply {
                    Reply::Return(_) => Reply::pointer(result),
                    other => other,
                })
            }
            Process::SetLocale => {
                let kind = InputKind::Environment;
                match self.ask_index(site.thread, site.inputs, kind, 2)? {
                    0 => self.locale_name(site),
                    _ => Ok(Reply::pointer(Pointer::NULL)),
                }
            }
            Process::GetPid => Ok(Reply::int(1000)),
            Process::GetTid => Ok(Reply::int(1000 + site.thread.id as i32)),
            Process::PageSize => Ok(Reply::int(PAGE as i32)),
            Process::SystemValue if self.asks_for_page_size(site) => Ok(Reply::int(PAGE as i32)),
            Process::SystemValue => {
                let value = self.ask(
                    site.thread,
                    site.inputs,
                    InputKind::Environment,
                    Domain::Bits(16),
                )?;
                Ok(Reply::Return(Value::Bits(value as u64 + 1)))
            }
            Process::SeedRand => Ok(Reply::int(0)),
            Process::Sort => self.sort(site),
            Process::Search => self.search(site),
            Process::Abs => self.absolute(site),
            Process::Rand => self.random(site),
            Process::RandR => {
                let seed = self.pointer_arg(site, 0);
                let mut pending = Pending::default();
                let target = self.model_access(site, seed, 4, AccessMode::WRITE, &mut pending)?;
                let Some((object, offset)) = target else {
                    return Ok(Reply::Wait(pending));
                };
                let reply = self.random(site)?;
                if let Reply::Return(value) = &reply {
                    self.memory.write(object, offset, &Type::Int(32), value);
                }
                Ok(reply)
            }
        }
    }

    /// The thread goes on to end the process.
    pub(crate) fn begin_exit(&self, site: &mut Site, end: End) -> Reply {
        // Nobody returns, so the locals of all calls live on.
        site.thread.frames.clear();
        site.thread.atomic_depth = 0;
        site.thread.life = Life::Ending(end);
        Reply::NOTHING
    }

    /// Others notice whether it has happened yet: those who end the process run what
    /// is registered. So it is a step while there are others.
    fn register_for_the_end(&mut self, site: &mut Site, op: Process) -> Result<Reply, Stop> {
        if self.must_wait_for_others(site) {
            return Ok(Reply::Wait(Pending::default()));
        }
        let function = self.function_behind(site.thread, &site.arg(0))?;
        let argument = (op == Process::CxaAtExit).then(|| site.arg(1));
        if let Some(argument) = &argument {
            self.publish_value(argument);
        }
        if site.call.allow && self.trace.is_some() {
            let function = self.image.program.functions[function].name.clone();
            self.record(site.thread, Effect::RegisterForEnd { function });
        }
        self.footprint.note(Look::Rest);
        self.at_exit.push((function, argument));
        Ok(Reply::int(0))
    }

    /// Whether it is `sysconf(_SC_PAGESIZE)`.
    fn asks_for_page_size(&self, site: &Site) -> bool {
        const PAGE_SIZE: i32 = 30;
        let symbol = &self.image.program.functions[site.call.function].symbol;
        symbol == "sysconf" && site.int(0) == PAGE_SIZE
    }

    fn random(&mut self, site: &mut Site) -> Result<Reply, Stop> {
        let domain = Domain::Bits(RAND_BITS);
        let value = self.ask(site.thread, site.inputs, InputKind::Environment, domain)?;
        Ok(Reply::Return(Value::Bits(value as u64)))
    }

    fn absolute(&mut self, site: &mut Site) -> Result<Reply, Stop> {
        let width = site
            .call
            .args
            .first()
            .map_or(32, |argument| self.width(&argument.ty));
        let number = value::sign_extend(site.arg(0).bits(), width);
        if number == -(1i128 << (width - 1)) {
            let message = "signed overflow: the absolute value of the smallest number".to_owned();
            self.notice(site.thread, ViolationKind::Overflow, message);
        }
        Ok(Reply::Return(Value::from_bits(
            width,
            number.unsigned_abs(),
        )))
    }

    /// A string in constant memory, or in any memory that is initialised.
    pub(crate) fn constant_string(&self, pointer: Pointer) -> Option<String> {
        let (object, offset) = self.memory.check(pointer, 0, false).ok()?;
        let size = self.memory.get(object)?.size;
        let rest = self.memory.bytes(object, offset, size - offset);
        let end = rest.iter().position(|byte| *byte == 0)?;
        Some(String::from_utf8_lossy(&rest[..end]).into_owned())
    }

    fn errno(&mut self, thread: &mut Thread) -> Result<Pointer, Stop> {
        let object = match thread.errno {
            Some(object) => object,
            None => {
                let origin = Origin::Environment("errno");
                let object = self.memory.add_heap(thread.id, origin, 4, 4, true, None)?;
                thread.errno = Some(object);
                object
            }
        };
        Ok(self.memory.pointer(object, 0))
    }

    pub(crate) fn set_errno(&mut self, thread: &mut Thread, value: i32) {
        // Running out of memory here only loses the error number.
        if let Ok(Pointer {
            object: Some(object),
            ..
        }) = self.errno(thread)
        {
            let value = Value::Bits(u64::from(value as u32));
            self.memory.write(object, 0, &Type::Int(32), &value);
        }
    }

    // Sorting and searching call back into the program, so they keep their place
    // in the caller's phase.

    /// Insertion sort: simple, stable, and few programs sort much.
    fn sort(&mut self, site: &mut Site) -> Result<Reply, Stop> {
        let (base, count, size) = (self.pointer_arg(site, 0), site.number(1), site.number(2));
        if count == 0 || size == 0 {
            return Ok(Reply::NOTHING);
        }
        // Too large a product is out of bounds, like every size beyond the array's.
        let total = count.saturating_mul(size);
        let phase = site.thread.frame().map(|frame| frame.phase.clone());
        let (mut current, mut at, order) = match phase {
            Some(Phase::Sorting { current, at, order }) => (current, at, order),
            _ => {
                let mut pending = Pending::default();
                if self
                    .model_access(site, base, total, AccessMode::WRITE, &mut pending)?
                    .is_none()
                {
                    return Ok(Reply::Wait(pending));
                }
                (1, 1, None)
            }
        };
        if let Some(order) = order {
            if order > 0 {
                self.swap_elements(site, base, size, at)?;
                at -= 1;
            }
            if order <= 0 || at == 0 {
                current += 1;
                at = current;
            }
        }
        if current >= count {
            return Ok(Reply::NOTHING);
        }
        let (left, right) = (element(base, size, at - 1), element(base, size, at));
        self.set_phase(
            site,
            Phase::Sorting {
                current,
                at,
                order: None,
            },
        );
        self.call_comparison(site, 3, left, right)
    }

    fn search(&mut self, site: &mut Site) -> Result<Reply, Stop> {
        let (key, base) = (self.pointer_arg(site, 0), self.pointer_arg(site, 1));
        let (count, size) = (site.number(2), site.number(3));
        let phase = site.thread.frame().map(|frame| frame.phase.clone());
        let (mut low, mut high, order) = match phase {
            Some(Phase::Searching { low, high, order }) => (low, high, order),
            _ => (0, count, None),
        };
        let middle = low + (high - low) / 2;
        match order {
            Some(0) => return Ok(Reply::pointer(element(base, size, middle))),
            Some(order) if order < 0 => high = middle,
            Some(_) => low = middle + 1,
            None => {}
        }
        if low >= high {
            return Ok(Reply::pointer(Pointer::NULL));
        }
        let middle = low + (high - low) / 2;
        self.set_phase(
            site,
            Phase::Searching {
                low,
                high,
                order: None,
            },
        );
        self.call_comparison(site, 4, key, element(base, size, middle))
    }

    pub(crate) fn set_phase(&self, site: &mut Site, phase: Phase) {
        if let Some(frame) = site.thread.frames.last_mut() {
            frame.phase = phase;
        }
    }

    fn call_comparison(
        &mut self,
        site: &mut Site,
        index: usize,
        left: Pointer,
        right: Pointer,
    ) -> Result<Reply, Stop> {
        let function = match self.image.code_at(site.number(index)) {
            Some(Code::Function(function)) => function,
            _ => self.function_behind(site.thread, &site.arg(index))?,
        };
        let arguments = [Value::Pointer(left), Value::Pointer(right)];
        self.push_call(site.thread, function, &arguments, Then::Resume)?;
        Ok(Reply::Continue)
    }

    fn swap_elements(
        &mut self,
        site: &Site,
        base: Pointer,
        size: u64,
        at: u64,
    ) -> Result<(), Stop> {
        let fault =
            |machine: &Self, fault| machine.access_violation(site.thread, fault, size, true);
        let right = element(base, size, at);
        let left = element(base, size, at - 1);
        let (object, left) = self
            .memory
            .check(left, size, true)
            .map_err(|f| fault(self, f))?;
        let (_, right) = self
            .memory
            .check(right, size, true)
            .map_err(|f| fault(self, f))?;
        let first = self.memory.snapshot(object, left, size);
        let second = self.memory.snapshot(object, right, size);
        self.memory.restore(object, left, &second.written());
        self.memory.restore(object, right, &first.written());
        Ok(())
    }
}

fn element(base: Pointer, size: u64, index: u64) -> Pointer {
    Pointer {
        address: base.address.wrapping_add(size.wrapping_mul(index)),
        object: base.object,
    }
}
