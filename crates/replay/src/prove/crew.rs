//! Several who visit states at a time.
//!
//! States are visited in layers: first those in which runs begin, then those that are
//! one step away, and so on. So what goes wrong is found after as few steps as
//! possible, whoever visits which state. The one who began hands out a layer in
//! stretches, if it is large enough, takes part, and waits until all are done. What
//! is found does not depend on who was faster: a layer is visited to its end.

use super::table::Stretch;
use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// States that are handed out together.
const STRETCH: usize = 64;
/// How long to wait for others before somebody is asked whether to go on.
const PAUSE: Duration = Duration::from_millis(5);

#[derive(Default)]
pub(super) struct Crew {
    layer: Mutex<Layer>,
    changed: Condvar,
    /// Nothing more is to be visited.
    is_over: AtomicBool,
    /// Memory of all helpers together.
    bytes: AtomicUsize,
}

#[derive(Default)]
struct Layer {
    number: u64,
    open: VecDeque<Stretch>,
    /// Stretches that somebody is visiting.
    in_work: usize,
}

/// A stretch that somebody is visiting, until this is dropped.
pub(super) struct Work<'c> {
    crew: &'c Crew,
    pub layer: u64,
    pub stretch: Stretch,
}

impl Drop for Work<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.crew.end();
        }
        let mut layer = self.crew.lock();
        layer.in_work -= 1;
        let is_done = layer.in_work == 0 && layer.open.is_empty();
        drop(layer);
        if is_done {
            self.crew.changed.notify_all();
        }
    }
}

impl Crew {
    fn lock(&self) -> MutexGuard<'_, Layer> {
        self.layer.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Hands out the states of a layer.
    pub(super) fn begin(&self, states: &[Stretch]) {
        let mut layer = self.lock();
        layer.number += 1;
        for stretch in states {
            let mut from = stretch.from;
            while from < stretch.to {
                let to = stretch.to.min(from + STRETCH);
                layer.open.push_back(Stretch {
                    from,
                    to,
                    ..*stretch
                });
                from = to;
            }
        }
        drop(layer);
        self.changed.notify_all();
    }

    /// Something to do, if there is anything left in this layer.
    pub(super) fn take(&self) -> Option<Work<'_>> {
        let mut layer = self.lock();
        if self.is_over() {
            layer.open.clear();
        }
        let stretch = layer.open.pop_front()?;
        layer.in_work += 1;
        Some(Work {
            crew: self,
            layer: layer.number,
            stretch,
        })
    }

    /// Waits until there is something to do; false if that will not be.
    pub(super) fn wait(&self) -> bool {
        let mut layer = self.lock();
        while layer.open.is_empty() && !self.is_over() {
            let waited = self.changed.wait(layer);
            layer = waited.unwrap_or_else(PoisonError::into_inner);
        }
        !self.is_over()
    }

    /// Waits until all have done what they took; asks now and then.
    pub(super) fn wait_for_others(&self, ask: &mut dyn FnMut()) {
        let mut layer = self.lock();
        while layer.in_work > 0 {
            let waited = self.changed.wait_timeout(layer, PAUSE);
            drop(waited.unwrap_or_else(PoisonError::into_inner).0);
            ask();
            layer = self.lock();
        }
    }

    /// Sends everybody home.
    pub(super) fn end(&self) {
        // Whoever is about to wait has the lock until it does.
        let layer = self.lock();
        self.is_over.store(true, Ordering::Relaxed);
        drop(layer);
        self.changed.notify_all();
    }

    pub(super) fn is_over(&self) -> bool {
        self.is_over.load(Ordering::Relaxed)
    }

    /// A helper needs so much memory now, after it needed so much before.
    pub(super) fn count_bytes(&self, before: usize, now: usize) {
        let _ = self.bytes.fetch_add(now, Ordering::Relaxed);
        let _ = self.bytes.fetch_sub(before, Ordering::Relaxed);
    }

    pub(super) fn bytes(&self) -> usize {
        self.bytes.load(Ordering::Relaxed)
    }
}
