//! What a step looks at, as questions about a state, and their answers.

use super::components::{ABSENT, Slot, SlotIndex};
use super::inputs::choices;
use super::steps::Steps;
use crate::footprint::Look;
use crate::machine::Machine;
use crate::memory::Memory;
use crate::object::{Area, ObjectId};
use crate::thread::Thread;
use std::collections::HashSet;

/// Something to find out about a state.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Question {
    Content(SlotIndex),
    Header(SlotIndex),
    /// Whether a thread may be joined or detached.
    Handle(usize),
    /// Whether a join with it need not wait.
    Ended(usize),
    ThreadCount,
    OthersRunning,
    /// Whether there are freed blocks.
    FreedBlocks,
    /// Which names of open inputs there are.
    Names,
}

enum Place {
    /// Part of the thread itself.
    Own,
    Slot(SlotIndex),
    /// Part of another thread.
    Foreign(SlotIndex),
}

pub(super) enum Asked {
    Question(Question),
    /// The values it may have, and the one it had.
    Input(Vec<u128>, u128),
}

impl Steps<'_> {
    pub(super) fn answer(&mut self, state: &[u32], thread: usize, question: Question) -> u32 {
        match question {
            Question::Content(slot) => self.components.get(state, slot),
            Question::Header(slot) => self.components.header(self.components.get(state, slot)),
            Question::Handle(other) => self.thread_fact(state, other, |thread| {
                u32::from(thread.is_joined) << 1 | u32::from(thread.is_detached)
            }),
            Question::Ended(other) => self.thread_fact(state, other, |thread| {
                u32::from(thread.is_finished() || thread.is_joined || thread.is_detached)
            }),
            Question::ThreadCount => self.threads(state).count() as u32,
            Question::OthersRunning => {
                let others: Vec<(usize, u32)> = self.threads(state).collect();
                let mut others = others.into_iter().filter(|(other, _)| *other != thread);
                u32::from(others.any(|(other, content)| {
                    !self.components.owned(other, content).thread.is_finished()
                }))
            }
            Question::FreedBlocks => u32::from(self.components.has_freed_blocks(state)),
            Question::Names => self.components.open_names(state),
        }
    }

    fn thread_fact(&mut self, state: &[u32], thread: usize, of: impl Fn(&Thread) -> u32) -> u32 {
        let slot = self.components.thread_slot(thread);
        let content = slot.map_or(ABSENT, |slot| self.components.get(state, slot));
        match content {
            ABSENT => u32::MAX,
            content => of(&self.components.owned(thread, content).thread),
        }
    }

    /// What a step has looked at, as questions about a state, each once; false if
    /// that cannot be told.
    pub(super) fn questions(
        &mut self,
        looks: &[Look],
        before: &Machine,
        thread: usize,
    ) -> (Vec<Asked>, bool) {
        let mut asked = Vec::new();
        let mut known = HashSet::new();
        let mut add = |asked: &mut Vec<Asked>, question: Question| {
            if known.insert(question) {
                asked.push(Asked::Question(question));
            }
        };
        for look in looks {
            match look {
                Look::Header(id) | Look::Content(id) => {
                    let is_header = matches!(look, Look::Header(_));
                    match self.place(*id, &before.memory, thread) {
                        Place::Own => {}
                        Place::Slot(slot) if is_header => {
                            if id.area() != Area::Global {
                                add(&mut asked, Question::Header(slot));
                            }
                        }
                        Place::Slot(slot) | Place::Foreign(slot) => {
                            add(&mut asked, Question::Content(slot));
                        }
                    }
                }
                Look::Sync(key) => {
                    let slot = self.components.slot(Slot::Sync(*key));
                    add(&mut asked, Question::Content(slot));
                }
                Look::SyncsIn(object, offset, len) => {
                    self.asked_objects.insert(*object);
                    let end = offset.saturating_add(*len);
                    for (slot, what) in self.components.slots() {
                        if let Slot::Sync((at, start)) = what
                            && at == *object
                            && (*offset..end).contains(&start)
                        {
                            add(&mut asked, Question::Content(slot));
                        }
                    }
                }
                Look::SyncsOnStack(owner) => {
                    self.asked_stacks.insert(*owner);
                    for (slot, what) in self.components.slots() {
                        if let Slot::Sync((at, _)) = what
                            && at.area() == Area::Stack
                            && at.thread() == *owner
                        {
                            add(&mut asked, Question::Content(slot));
                        }
                    }
                }
                Look::Thread(other) | Look::Handle(other) | Look::Ended(other)
                    if *other == thread => {}
                Look::Handle(other) => add(&mut asked, Question::Handle(*other)),
                Look::Ended(other) => add(&mut asked, Question::Ended(*other)),
                Look::Turn | Look::Open | Look::Guess | Look::Points(_) => {}
                Look::Names => add(&mut asked, Question::Names),
                Look::Name(name) => {
                    if before.open_names.get(*name).is_some() {
                        let slot = self.components.slot(Slot::Open(*name));
                        add(&mut asked, Question::Content(slot));
                    }
                }
                Look::Thread(other) => {
                    if let Some(slot) = self.components.thread_slot(*other) {
                        add(&mut asked, Question::Content(slot));
                    }
                }
                Look::ThreadCount => add(&mut asked, Question::ThreadCount),
                Look::OthersRunning => add(&mut asked, Question::OthersRunning),
                Look::FreedBlocks => {
                    let memory = &before.memory;
                    let mut heaps = memory.arenas.iter().flat_map(|arena| &arena.heap);
                    add(&mut asked, Question::FreedBlocks);
                    if heaps.any(|object| super::components::is_freed(object)) {
                        return (asked, false);
                    }
                }
                Look::Rest => add(&mut asked, Question::Content(0)),
                Look::Input(kind, domain, value) => {
                    let (values, _) = choices(*kind, *domain, &self.samples);
                    asked.push(Asked::Input(values, *value));
                }
                Look::Everything => return (asked, false),
            }
        }
        (asked, true)
    }

    /// Where an object of a state is to be found.
    fn place(&mut self, id: ObjectId, memory: &Memory, thread: usize) -> Place {
        let Some(object) = memory.peek(id) else {
            // It is made by the step itself; or it is gone for ever.
            return Place::Own;
        };
        if object.is_constant {
            return Place::Own;
        }
        if object.is_shared || id.area() == Area::Global {
            return Place::Slot(self.components.slot(Slot::Object(id)));
        }
        match id.thread() == thread {
            true => Place::Own,
            false => match self.components.thread_slot(id.thread()) {
                Some(slot) => Place::Foreign(slot),
                None => Place::Own,
            },
        }
    }
}
