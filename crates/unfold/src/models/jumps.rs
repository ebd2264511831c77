//! Jumps back into calls in progress, and the clean-up handlers of threads, which
//! are reached by such jumps.
//!
//! Where a buffer is filled, all that is needed to go on from there is kept. A jump
//! puts its path aside. Once the function that has filled the buffer has no other
//! path left, it goes on with all that were put aside for it, joined into one.

use crate::Error;
use crate::calls::{Call, Reply};
use crate::checks::Check;
use crate::facts::objects::{FrameKey, ObjectId, ThreadPart};
use crate::pass::{Frame, Pass, State, Value};
use formula::TermId;
use ir::{BlockId, Body, ValueId};
use library::{Cancellation, Jumps};
use std::collections::{BTreeMap, HashMap};
use std::rc::Rc;

/// Tells what is made after a jump from what was made before it.
const AFTER_JUMP: u32 = 500;

/// A place to which jumps may go back.
pub(crate) struct SavedPlace {
    /// The address of the buffer.
    address: u128,
    /// When it was filled.
    guard: TermId,
    block: BlockId,
    /// The instruction after the call.
    index: usize,
    result: Option<ValueId>,
    registers: Rc<BTreeMap<ValueId, Value>>,
    scratch: HashMap<ValueId, Value>,
    iterations: Rc<[u32]>,
    is_in_section: bool,
    cleanups: Rc<[usize]>,
    /// The thread's local variables then.
    locals: Vec<ObjectId>,
    /// How often it was gone back to.
    rounds: u32,
    /// Its function has not returned.
    is_open: bool,
}

/// A path on its way back to a place, and what the call there will return.
pub(crate) struct Jump {
    place: usize,
    state: State,
    value: TermId,
}

/// Where a function goes on after a jump.
pub(crate) struct Landing {
    pub state: State,
    pub block: BlockId,
    pub index: usize,
}

/// The jumps of a thread.
#[derive(Default)]
pub(crate) struct JumpsUnderWay {
    places: Vec<SavedPlace>,
    jumps: Vec<Jump>,
}

impl JumpsUnderWay {
    /// Paths that are on their way.
    pub(crate) fn count(&self) -> usize {
        self.jumps.len()
    }

    /// A function returns: nobody can go back to its places.
    pub(crate) fn close(&mut self, places: &[usize]) {
        for place in places {
            self.places[*place].is_open = false;
        }
    }
}

impl<'p> Pass<'p> {
    pub(crate) fn jumps_model(
        &mut self,
        state: &mut State,
        frame: &mut Frame,
        op: Jumps,
        call: &Call,
    ) -> Result<Reply, Error> {
        let address = self.constant_argument(frame, call, 0)?;
        match op {
            Jumps::Save => {
                self.save_place(state, frame, address);
                self.reply(0)
            }
            Jumps::Jump => {
                let value = self.number(call, 1, 32);
                let (zero, one) = (self.int(0), self.int(1));
                let is_zero = self.terms.equal(value, zero);
                let value = self.terms.ite(is_zero, one, value);
                self.jump(state, frame, address, value)
            }
        }
    }

    pub(crate) fn cancellation_model(
        &mut self,
        state: &mut State,
        frame: &Frame,
        op: Cancellation,
        call: &Call,
    ) -> Result<Reply, Error> {
        match op {
            Cancellation::Push => {
                let address = self.constant_argument(frame, call, 0)?;
                let places = self.work().jumps.places.iter().enumerate().rev();
                let mut places = places.filter(|(_, place)| place.is_open);
                let place = places.find(|(_, place)| place.address == address);
                let Some(place) = place.map(|(index, _)| index) else {
                    return Err(self.unsupported(frame, "a clean-up handler without a place"));
                };
                state.cleanups = state.cleanups.iter().copied().chain([place]).collect();
                Ok(Reply::Nothing)
            }
            Cancellation::Pop => {
                if let Some((_, rest)) = state.cleanups.split_last() {
                    state.cleanups = Rc::from(rest);
                }
                Ok(Reply::Nothing)
            }
            Cancellation::Next => {
                let leaving = self.leaving();
                let size = self.program.target.pointer_bytes;
                let always = self.truth();
                let value = self.read_at(state, None, leaving, 0, size, always);
                self.exit_thread(state, frame, value)
            }
            _ => self.cancel_model(state, frame, op, call),
        }
    }

    /// The result with which a thread ends while its handlers run.
    fn leaving(&mut self) -> ObjectId {
        let (thread, size) = (self.threads.current(), self.program.target.pointer_bytes);
        self.facts.thread_object(thread, ThreadPart::Leaving, size)
    }

    /// Runs the next clean-up handler of an ending thread, if there is one.
    pub(crate) fn run_cleanup(
        &mut self,
        state: &State,
        frame: &Frame,
        value: TermId,
    ) -> Result<bool, Error> {
        let Some(place) = state.cleanups.last().copied() else {
            return Ok(false);
        };
        let mut path = state.clone();
        let (leaving, size) = (self.leaving(), self.program.target.pointer_bytes);
        let always = self.truth();
        self.write_at(&mut path, None, leaving, 0, size, always, value);
        let one = self.int(1);
        self.set_out(path, frame, place, one)?;
        Ok(true)
    }

    fn own_locals(&self, state: &State) -> Vec<ObjectId> {
        let objects = self.facts.objects.iter().map(|(id, _)| id);
        objects
            .filter(|id| self.is_own_local(*id) && state.memory.has(*id))
            .collect()
    }

    fn save_place(&mut self, state: &State, frame: &mut Frame, address: u128) {
        let body = self.body(frame.function);
        let insts = body.map(|body| &body.blocks[frame.block].insts);
        let index = insts.and_then(|insts| insts.iter().position(|inst| *inst == frame.inst));
        let result = body.and_then(|body| body.insts[frame.inst].result);
        let locals = self.own_locals(state);
        let jumps = &mut self.work().jumps;
        frame.places.push(jumps.places.len());
        jumps.places.push(SavedPlace {
            address,
            guard: state.guard,
            block: frame.block,
            index: index.map_or(0, |index| index + 1),
            result,
            registers: state.registers.clone(),
            scratch: frame.scratch.clone(),
            iterations: state.iterations.clone(),
            is_in_section: state.atomic.is_some(),
            cleanups: state.cleanups.clone(),
            locals,
            rounds: 0,
            is_open: true,
        });
    }

    /// Jumps to where the buffer was last filled, on whichever path that was.
    fn jump(
        &mut self,
        state: &mut State,
        frame: &Frame,
        address: u128,
        value: TermId,
    ) -> Result<Reply, Error> {
        let places = self.work().jumps.places.iter().enumerate().rev();
        let places = places.filter(|(_, place)| place.is_open && place.address == address);
        let places: Vec<(usize, TermId)> =
            places.map(|(index, place)| (index, place.guard)).collect();
        let Some(((oldest, filled), newer)) = places.split_last() else {
            let what = "a jump to a place that is gone, or was never saved here";
            return Err(self.unsupported(frame, what));
        };
        for (place, filled) in newer {
            let mut path = state.clone();
            path.guard = self.terms.and(path.guard, *filled);
            if self.terms.as_bool(path.guard) != Some(false) {
                self.set_out(path, frame, *place, value)?;
            }
            let elsewhere = self.terms.not(*filled);
            state.guard = self.terms.and(state.guard, elsewhere);
            if self.terms.as_bool(state.guard) == Some(false) {
                return Ok(Reply::Never);
            }
        }
        // Whoever has not come by there has nowhere to go.
        let is_empty = self.terms.not(*filled);
        self.violate(state, Check::Memory, is_empty);
        self.set_out(state.clone(), frame, *oldest, value)?;
        Ok(Reply::Never)
    }

    /// Puts a path aside that goes back to a place.
    fn set_out(
        &mut self,
        mut state: State,
        frame: &Frame,
        place: usize,
        value: TermId,
    ) -> Result<(), Error> {
        let saved = &self.work().jumps.places[place];
        if saved.is_in_section != state.atomic.is_some() {
            return Err(self.unsupported(frame, "a jump out of an atomic section"));
        }
        state.cleanups = saved.cleanups.clone();
        state.registers = saved.registers.clone();
        state.iterations = saved.iterations.clone();
        let kept = saved.locals.clone();
        let mut left = self.own_locals(&state);
        left.retain(|local| !kept.contains(local));
        self.end_locals_here(&mut state, frame, &left);
        let jump = Jump {
            place,
            state,
            value,
        };
        self.work().jumps.jumps.push(jump);
        Ok(())
    }

    /// Where a function goes on that has no other path left.
    pub(crate) fn land(
        &mut self,
        frame: &mut Frame,
        body: &Body,
    ) -> Result<Option<Landing>, Error> {
        while let Some(place) = self.place_to_land(frame) {
            let jumps = std::mem::take(&mut self.work().jumps.jumps);
            let (here, others) = jumps.into_iter().partition(|jump| jump.place == place);
            self.work().jumps.jumps = others;
            let here: Vec<Jump> = here;
            let mut merged: Option<(State, TermId)> = None;
            for jump in here {
                merged = Some(match merged {
                    None => (jump.state, jump.value),
                    Some((other, value)) => {
                        let value = self.terms.ite(other.guard, value, jump.value);
                        (self.merge(other, jump.state, frame)?, value)
                    }
                });
            }
            let Some((mut state, value)) = merged else {
                continue;
            };
            let bound = self.options.unwind;
            let saved = &mut self.work().jumps.places[place];
            saved.rounds += 1;
            if saved.rounds > bound {
                self.findings.note_cut(frame.function, None);
                self.cut(&mut state);
                continue;
            }
            let (block, index) = (saved.block, saved.index);
            let (result, rounds) = (saved.result, saved.rounds);
            frame.scratch = saved.scratch.clone();
            frame.block = block;
            // What is made from now on is something else than what was made before.
            frame.inst = body.blocks[block].insts[index - 1];
            let instance = self.instance(frame, &state, AFTER_JUMP + rounds);
            let key = FrameKey::Call(instance, frame.function);
            frame.id = self.facts.objects.frame(key);
            self.set_register(&mut state, frame, result, Value::Term(value));
            return Ok(Some(Landing {
                state,
                block,
                index,
            }));
        }
        Ok(None)
    }

    /// The place of a function to which some path is on its way.
    fn place_to_land(&mut self, frame: &Frame) -> Option<usize> {
        let jumps = &self.work().jumps.jumps;
        let mut places = jumps.iter().map(|jump| jump.place);
        places.find(|place| frame.places.contains(place))
    }
}
