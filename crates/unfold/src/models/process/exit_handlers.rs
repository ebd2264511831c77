//! What runs at the end of the process: functions are registered for it by main, and
//! whoever ends the process runs them.

use crate::access::Targets;
use crate::calls::{Call, Reply};
use crate::compute::words;
use crate::facts::objects::{Content, Object, ObjectId, ObjectKey};
use crate::models::call_back::CallBack;
use crate::omissions::Omission;
use crate::pass::{Frame, Pass, State};
use crate::threads::{Place, Step};
use crate::validity::Seen;
use crate::{Error, MAIN};
use ir::FunctionId;
use library::Process;

/// Functions for the end, at most.
const MAX_HANDLERS: usize = 1000;

/// A function to run when the process ends.
#[derive(Clone, Copy)]
pub(crate) struct Handler {
    /// Holds whether it is to run, its address and its argument.
    object: ObjectId,
    /// If it is known from the start.
    function: Option<FunctionId>,
    takes_argument: bool,
    /// Other threads may be running when it is registered.
    is_late: bool,
}

/// In the order of their registration.
#[derive(Default)]
pub(crate) struct ExitHandlers(Vec<Handler>);

impl ExitHandlers {
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    fn len(&self) -> usize {
        self.0.len()
    }

    fn get(&self, index: usize) -> Handler {
        self.0[index]
    }

    fn has(&self, object: ObjectId) -> bool {
        self.0.iter().any(|handler| handler.object == object)
    }

    fn has_late(&self) -> bool {
        self.0.iter().any(|handler| handler.is_late)
    }

    fn register(&mut self, handler: Handler) {
        self.0.push(handler);
    }
}

impl<'p> Pass<'p> {
    /// Registers a function for the end. That is a step, since whoever ends the
    /// process runs what is registered by then.
    pub(crate) fn register_handler(
        &mut self,
        state: &mut State,
        frame: &Frame,
        op: Process,
        call: &Call,
    ) -> Result<Reply, Error> {
        if self.threads.current() != MAIN {
            let what = "registering a function for the end of the process outside of main";
            return Err(self.unsupported(frame, what));
        }
        if self.models.handlers.len() >= MAX_HANDLERS {
            return Err(self.unsupported(frame, "so many functions for the end of the process"));
        }
        let function = self.argument(call, 0);
        let word = self.program.target.pointer_bytes;
        let width = self.word();
        let argument = match op {
            Process::CxaAtExit => {
                let argument = self.number(call, 1, width);
                self.publish(state, argument);
                argument
            }
            _ => self.terms.constant(width, 0),
        };
        let object = self.handler_object(ObjectKey::Handler(self.instance(frame, state, 0)));
        let one = self.terms.constant(width, 1);
        let always = self.truth();
        let is_noticed = self.is_visible(object, 0, 3 * word);
        if !is_noticed && !self.prologue.is_alone() {
            self.unnoticed_step(frame, state);
        }
        let nowhere = Targets {
            list: Vec::new(),
            valid: always,
            seen: Seen::AtOnce,
            only_where: None,
        };
        let Ok(position) = self.begin_step(state, frame, &nowhere, 0, 0, is_noticed) else {
            return Ok(Reply::Never);
        };
        for (offset, value) in [(0, one), (word, function), (2 * word, argument)] {
            self.write_at(state, position, object, offset, word, always, value);
        }
        let takes_argument = op == Process::CxaAtExit;
        if !self.models.handlers.has(object) {
            self.models.handlers.register(Handler {
                object,
                function: None,
                takes_argument,
                is_late: !self.prologue.is_alone(),
            });
        }
        self.reply(0)
    }

    fn handler_object(&mut self, key: ObjectKey) -> ObjectId {
        let size = 3 * self.program.target.pointer_bytes;
        self.facts.objects.make(key.clone(), || Object {
            key,
            size,
            name: "a function for the end of the process".to_owned(),
            is_constant: false,
            owner: MAIN,
            starts_as: Content::Zero,
        })
    }

    /// What the program itself wants done after main.
    pub(crate) fn register_cleanup(&mut self) {
        for (index, function) in self.program.cleanup.iter().enumerate() {
            let key = ObjectKey::Environment("clean-up", index as u32);
            let object = self.handler_object(key);
            self.facts
                .objects
                .set_start(object, Content::Bytes(std::rc::Rc::from([1u8])));
            self.models.handlers.register(Handler {
                object,
                function: Some(*function),
                takes_argument: false,
                is_late: false,
            });
        }
    }

    /// The process does not end while functions are registered that main may have
    /// added since this thread looked.
    pub(crate) fn require_no_late_handlers(&mut self, state: &mut State, position: usize) {
        if self.threads.current() == MAIN {
            return;
        }
        let word = self.program.target.pointer_bytes;
        let always = self.truth();
        for index in 0..self.models.handlers.len() {
            let Handler {
                object, is_late, ..
            } = self.models.handlers.get(index);
            if is_late {
                let flag = self.read_at(state, Some(position), object, 0, word, always);
                let is_free = words::is_zero(&mut self.terms, flag);
                self.require(state, position, is_free);
            }
        }
    }

    /// Runs the functions for the end of the process, the last one first; false if
    /// no path goes on. To begin with it is a step. If none is registered by then, it
    /// is as if it had not been taken: the process has not ended yet.
    pub(crate) fn run_handlers(
        &mut self,
        state: &mut State,
        frame: &mut Frame,
    ) -> Result<bool, Error> {
        if !self.models.handlers.is_empty() && !self.prologue.is_alone() {
            state.atomic = None;
            let step = Step {
                place: Place::Exit,
                part: 0,
                location: self.location(frame),
            };
            self.push_position(state, step, frame.execution);
        }
        // What is registered meanwhile comes before those that are left.
        let handlers = &self.models.handlers;
        if self.threads.current() != MAIN && handlers.has_late() && handlers.len() > 1 {
            self.findings.note_omission(Omission::LateHandlers);
        }
        let word = self.program.target.pointer_bytes;
        let mut next = self.models.handlers.len();
        while let Some(index) = next.checked_sub(1) {
            next = index;
            let handler = self.models.handlers.get(index);
            let object = handler.object;
            // What others see must be read before it is cleared.
            let read = |pass: &mut Self, state: &mut State, offset| {
                pass.read_aside(state, frame, object, (offset, word), false)
            };
            let address = read(self, state, word)?;
            let argument = read(self, state, 2 * word)?;
            let flag = self.read_aside(state, frame, object, (0, word), true)?;
            let is_registered = self.terms.is_nonzero(flag);
            if self.terms.as_bool(is_registered) == Some(false) {
                continue;
            }
            let function = match handler.function {
                Some(function) => self.function_address(function),
                None => address,
            };
            let count = self.models.handlers.len();
            let back = CallBack {
                function,
                arguments: if handler.takes_argument {
                    vec![argument]
                } else {
                    Vec::new()
                },
                has_result: false,
                index: 2000 + index as u32,
                condition: is_registered,
            };
            let Some((after, _)) = self.call_back(state.clone(), frame, &back)? else {
                return Ok(false);
            };
            *state = after;
            // What it has registered comes first.
            if self.models.handlers.len() > count {
                next = self.models.handlers.len();
            }
        }
        Ok(true)
    }
}
