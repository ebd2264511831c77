//! Threads that can be exchanged for each other.
//!
//! The content of a thread does not depend on its number. So if nothing in a state
//! names two threads but the locks that they hold or wait for, then to exchange the
//! two gives a state from which the same can happen. Of all states that differ in
//! this way only one is visited: the one in which contents are in order.
//!
//! **Who names a thread.** Its number, as a value of the program, is used for
//! nothing but joins ([`analysis::handles`]); pointers to what belongs to it, which
//! contents say about themselves; and slots for its objects, which it then has.
//! Threads for which one of the latter two is the case stay in their places, and
//! so do those that may still create threads.
//!
//! **Joins.** One thread may be about to join others, in a certain order. If it does
//! nothing else until all of them are joined, and has no use for their results,
//! then that order makes no difference. Such a thread is not looked at while one of
//! them can go on: what it would do is of no concern to anybody, and it comes
//! nowhere before they have ended. Threads that wait for each other are not missed
//! by that: the thread holds nothing, and nobody joins it.
//!
//! Nothing here may ever be right by chance: what does not fit is left as it is.

use super::alone::Alone;
use super::components::{ABSENT, Components, SlotIndex};
use super::joins::{find_joins, is_listed};
use super::steps::Steps;
use crate::sync::{OnceState, Sync};
use crate::thread::Wait;
use analysis::Future;
use std::collections::HashMap;
use std::rc::Rc;

/// Joins that a thread makes one after the other, before it does anything else.
#[derive(Clone, Debug, Default)]
pub(super) struct Joins {
    /// The contents that this rests on, beside that of the thread.
    pub needs: Vec<(SlotIndex, u32)>,
    /// The threads that are joined.
    pub joined: Vec<usize>,
}

impl Joins {
    pub(super) fn waits_for(&self, thread: usize) -> bool {
        self.joined.contains(&thread)
    }
}

#[derive(Default)]
pub(super) struct Symmetry {
    /// By thread and content.
    joins: Vec<Vec<Option<Rc<Joins>>>>,
    /// Contents of locks with one holder, by the holder's new name; and of others.
    passed: Vec<Vec<u32>>,
    renamed: HashMap<(u32, Vec<usize>), u32>,
    group: Vec<(u64, u32, usize)>,
    places: Vec<usize>,
    named: Vec<bool>,
    /// For tests: exchange also threads that somebody names.
    ignores_names: bool,
}

impl Symmetry {
    pub(super) fn new(ignores_names: bool) -> Symmetry {
        Symmetry {
            ignores_names,
            ..Symmetry::default()
        }
    }

    /// The joins of a thread that are known to rest on nothing that a state lacks.
    fn known_joins(
        &self,
        components: &Components,
        row: &[u32],
        thread: usize,
        content: u32,
    ) -> Option<Rc<Joins>> {
        let joins = self.joins.get(thread)?.get(content as usize)?.as_ref()?;
        let mut needs = joins.needs.iter();
        let holds = needs.all(|(slot, content)| components.get(row, *slot) == *content);
        holds.then(|| joins.clone())
    }

    fn learn_joins(&mut self, thread: usize, content: u32, joins: Joins) -> Rc<Joins> {
        let joins = Rc::new(joins);
        if self.joins.len() <= thread {
            self.joins.resize_with(thread + 1, Vec::new);
        }
        let known = &mut self.joins[thread];
        if known.len() <= content as usize {
            known.resize(content as usize + 1, None);
        }
        known[content as usize] = Some(joins.clone());
        joins
    }

    /// Puts the contents of threads in order, as far as that is right. Returns for
    /// each thread whose content has moved where the content was, if any has.
    fn put_in_order(
        &mut self,
        components: &mut Components,
        alone: &Alone,
        threads: &[(usize, u32)],
        joiner: Option<(usize, &Joins)>,
        row: &mut Vec<u32>,
    ) -> Option<Vec<(usize, usize)>> {
        let group = &mut self.group;
        group.clear();
        for (thread, content) in threads {
            let is_joined = match joiner {
                Some((joiner, joins)) => joiner != *thread && joins.waits_for(*thread),
                None => *thread != 0,
            };
            let creates = |future: &Future| future.creates || future.joins;
            if is_joined && !alone.future(*content).is_some_and(creates) {
                group.push((components.rank(*content), *content, *thread));
            }
        }
        if group.is_sorted() {
            return None;
        }
        if !self.ignores_names {
            find_named(components, row, &mut self.named);
            let named = &self.named;
            group.retain(|(_, _, thread)| !named.get(*thread).is_some_and(|named| *named));
        }
        self.places.clear();
        self.places
            .extend(group.iter().map(|(_, _, thread)| *thread));
        group.sort_unstable();
        let mut moved = Vec::new();
        for (place, (_, content, thread)) in self.places.iter().zip(group.iter()) {
            if place != thread {
                moved.push((*place, *thread));
                let slot = components.thread_slot(*place)?;
                components.set(row, slot, *content);
            }
        }
        if moved.is_empty() {
            return None;
        }
        self.rename_holders(components, &moved, row);
        components.trim(row);
        Some(moved)
    }

    fn rename_holders(
        &mut self,
        components: &mut Components,
        moved: &[(usize, usize)],
        row: &mut [u32],
    ) {
        let new_name = |thread: usize| {
            let mut moved = moved.iter();
            moved
                .find(|(_, from)| *from == thread)
                .map_or(thread, |(to, _)| *to)
        };
        for index in 0..components.sync_slots().len() {
            let Some(content) = row.get_mut(components.sync_slots()[index]) else {
                continue;
            };
            let holders = components.holders(*content);
            if holders.iter().all(|thread| new_name(*thread) == *thread) {
                continue;
            }
            *content = match holders {
                [holder] => self.passed(components, *content, new_name(*holder), &new_name),
                _ => self.renamed(components, *content, &new_name),
            };
        }
    }

    /// The content of a lock that another has, who is called like this.
    fn passed(
        &mut self,
        components: &mut Components,
        content: u32,
        holder: usize,
        new_name: &dyn Fn(usize) -> usize,
    ) -> u32 {
        let index = content as usize;
        if let Some(known) = self.passed.get(index).and_then(|known| known.get(holder))
            && *known != ABSENT
        {
            return *known;
        }
        let number = rename_in(components, content, new_name);
        if self.passed.len() <= index {
            self.passed.resize_with(index + 1, Vec::new);
        }
        let known = &mut self.passed[index];
        known.resize(known.len().max(holder + 1), ABSENT);
        known[holder] = number;
        number
    }

    /// The content of a lock whose holders, or those who wait, have other names.
    fn renamed(
        &mut self,
        components: &mut Components,
        content: u32,
        new_name: &dyn Fn(usize) -> usize,
    ) -> u32 {
        let holders = components.holders(content).iter();
        let key = (content, holders.map(|thread| new_name(*thread)).collect());
        if let Some(known) = self.renamed.get(&key) {
            return *known;
        }
        let number = rename_in(components, content, new_name);
        self.renamed.insert(key, number);
        number
    }
}

fn rename_in(components: &mut Components, content: u32, new_name: &dyn Fn(usize) -> usize) -> u32 {
    match components.sync(content) {
        Some(sync) => components.number_of_sync(&rename(sync, new_name)),
        None => content,
    }
}

impl Steps<'_> {
    /// The only thread that may ever join others, if it is about to do that, and
    /// those that it joins before it does anything else.
    pub(super) fn joiner(
        &mut self,
        row: &[u32],
        threads: &[(usize, u32)],
    ) -> Option<(usize, Rc<Joins>)> {
        let symmetry = self.symmetry.as_mut()?;
        let alone = self.alone.as_ref()?;
        let (thread, content) = only_joiner(alone, threads)??;
        let components = &mut self.components;
        let pending = &components.owned(thread, content).thread.pending;
        if !matches!(pending.wait, Wait::Join(_)) || is_listed(components, row, thread) {
            return None;
        }
        let joins = match symmetry.known_joins(components, row, thread, content) {
            Some(known) => known,
            None => {
                let joins = find_joins(components, alone, &self.samples, row, thread);
                symmetry.learn_joins(thread, content, joins)
            }
        };
        (!joins.joined.is_empty()).then_some((thread, joins))
    }

    /// Puts the threads of a state in order, as far as that is right. Returns for
    /// each thread whose content has moved where the content was, if any has.
    pub(super) fn exchange(
        &mut self,
        threads: &[(usize, u32)],
        row: &mut Vec<u32>,
    ) -> Option<Vec<(usize, usize)>> {
        let alone = self.alone.as_ref()?;
        if threads.len() < 3 || self.symmetry.is_none() || !alone.are_only_joined() {
            return None;
        }
        let joiner = match only_joiner(alone, threads)? {
            Some(_) => Some(self.joiner(row, threads)?),
            None => None,
        };
        let joiner = joiner.as_ref().map(|(joiner, joins)| (*joiner, &**joins));
        let (symmetry, alone) = (self.symmetry.as_mut()?, self.alone.as_ref()?);
        symmetry.put_in_order(&mut self.components, alone, threads, joiner, row)
    }
}

/// The thread that may still join others, if there is at most one and everything
/// about the threads is known; nothing inside if there is none.
fn only_joiner(alone: &Alone, threads: &[(usize, u32)]) -> Option<Option<(usize, u32)>> {
    let mut joiner = None;
    for (thread, content) in threads {
        let future = alone.future(*content)?;
        if future.may_do_anything || future.asks_for_ends {
            return None;
        }
        if future.joins {
            if joiner.is_some() {
                return None;
            }
            joiner = Some((*thread, *content));
        }
    }
    Some(joiner)
}

/// Which threads of a state something names.
fn find_named(components: &Components, row: &[u32], named: &mut Vec<bool>) {
    named.clear();
    let mut name = |thread: usize| {
        named.resize(named.len().max(thread + 1), false);
        named[thread] = true;
    };
    for (slot, content) in row.iter().enumerate() {
        for thread in components.named_in(slot, *content) {
            name(*thread);
        }
        if let Some(owner) = components.owner(slot)
            && *content != ABSENT
        {
            name(owner);
        }
    }
}

/// The same lock, held and waited for by threads of other names.
fn rename(sync: Sync, new_name: &dyn Fn(usize) -> usize) -> Sync {
    let all = |threads: Vec<usize>| {
        let mut names: Vec<usize> = threads.into_iter().map(new_name).collect();
        names.sort_unstable();
        names
    };
    match sync {
        Sync::Mutex { ty, owner, depth } => Sync::Mutex {
            ty,
            owner: owner.map(new_name),
            depth,
        },
        Sync::Condition { waiters } => Sync::Condition {
            waiters: all(waiters),
        },
        Sync::RwLock { readers, writer } => Sync::RwLock {
            readers: all(readers),
            writer: writer.map(new_name),
        },
        Sync::Barrier { needed, waiting } => Sync::Barrier {
            needed,
            waiting: all(waiting),
        },
        Sync::Spin { owner } => Sync::Spin {
            owner: owner.map(new_name),
        },
        Sync::Once { state } => Sync::Once {
            state: match state {
                OnceState::Running(thread) => OnceState::Running(new_name(thread)),
                other => other,
            },
        },
        other @ (Sync::Semaphore { .. } | Sync::Destroyed(_)) => other,
    }
}
