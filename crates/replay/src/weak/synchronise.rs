//! Fences, synchronisation objects, and the beginning and end of threads, as events
//! of the graph.
//!
//! Synchronisation objects work on their newest state. What their standards say of
//! memory is a matter of which operations order which: to lock a mutex comes after
//! every earlier unlock, to wait for a semaphore after every earlier post, and so on.

use super::graph::{EventId, Kind, Order, Passage};
use crate::machine::Machine;
use crate::sync::SyncKey;
use crate::thread::Thread;
use ir::Ordering;

impl<'a> Machine<'a> {
    pub(crate) fn fence(&mut self, thread: &Thread, ordering: Ordering) {
        if self.weak.is_some() {
            // One of no order orders nothing.
            let order = Order::of(Some(ordering)).unwrap_or(Order::Relaxed);
            self.add_fence(thread, order);
        }
    }

    pub(crate) fn add_fence(&mut self, thread: &Thread, order: Order) {
        if self.is_weak() && (order.acquires() || order.releases()) {
            self.add_event(thread, Kind::Fence, order);
            if let Some(weak) = &mut self.weak {
                weak.fold(thread.id);
            }
        }
    }

    /// A thread creates another, which is not among the threads yet.
    pub(crate) fn begin_thread(&mut self, thread: &Thread, created: usize) {
        if self.weak.is_none() {
            return;
        }
        let create = self.add_event(thread, Kind::Create, Order::NotAtomic);
        if let (Some(weak), Some(create)) = (&mut self.weak, create) {
            weak.graph.set_birth(created, create);
        }
    }

    /// A thread that has ended is joined.
    pub(crate) fn join_thread(&mut self, thread: &Thread, joined: usize) {
        if self.is_weak() {
            self.add_event(thread, Kind::Join(joined), Order::NotAtomic);
        }
    }

    /// A thread does something with a synchronisation object.
    pub(crate) fn pass(&mut self, thread: &Thread, key: SyncKey, passage: Passage) {
        if self.is_weak() {
            let kind = Kind::Synchronise(key, passage);
            self.add_event(thread, kind, Order::NotAtomic);
        }
    }

    /// A thread arrives last at a barrier, where others wait.
    pub(crate) fn complete_barrier(&mut self, thread: &Thread, key: SyncKey, others: &[usize]) {
        if !self.is_weak() {
            return;
        }
        let kind = Kind::Synchronise(key, Passage::Complete);
        let last = self.add_event(thread, kind, Order::NotAtomic);
        if let (Some(weak), Some(last)) = (&mut self.weak, last) {
            let others = others.iter().map(|other| (*other, last));
            weak.released.extend(others);
        }
    }

    /// A thread leaves a barrier at which it has waited.
    pub(crate) fn leave_barrier(&mut self, thread: &Thread, key: SyncKey) {
        let released = self.weak.as_mut();
        let last = released.and_then(|weak| weak.released.remove(&thread.id));
        if let Some(last) = last {
            self.pass(thread, key, Passage::Leave(last));
        }
    }

    fn add_event(&mut self, thread: &Thread, kind: Kind, order: Order) -> Option<EventId> {
        let event = self.new_event(thread, kind, order);
        let weak = self.weak.as_mut()?;
        Some(weak.graph.push(event))
    }
}
