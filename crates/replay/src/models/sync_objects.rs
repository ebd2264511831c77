//! What synchronisation objects of all families have in common: they are found by their
//! address, made, destroyed, and used only as what they are.

use super::mutex::mutex_type;
use super::{Reply, Site};
use crate::event::Effect;
use crate::machine::{Machine, Stop};
use crate::sync::{MutexType, OnceState, Sync, SyncKey, SyncKind};
use crate::violation::ViolationKind;
use ir::Type;

impl<'a> Machine<'a> {
    /// The object a call is about, made on first use if its kind can be
    /// initialised statically.
    pub(crate) fn sync(&mut self, site: &Site, key: SyncKey, kind: SyncKind) -> Result<Sync, Stop> {
        match self.sync.get(key) {
            Some(Sync::Destroyed(_)) => {
                Err(self.bad_object(site, key, kind, "was destroyed before"))
            }
            Some(sync) if sync.kind() == kind => Ok(sync.clone()),
            Some(sync) => {
                let what = format!("is a {}", sync.kind().name());
                Err(self.bad_object(site, key, kind, &what))
            }
            None => {
                let sync = self.static_sync(key, kind);
                let sync =
                    sync.ok_or_else(|| self.bad_object(site, key, kind, "was never initialised"))?;
                self.sync.set(key, sync.clone());
                Ok(sync)
            }
        }
    }

    fn bad_object(&self, site: &Site, key: SyncKey, kind: SyncKind, what: &str) -> Stop {
        let message = format!(
            "use of {} {}, which {what}",
            kind.name(),
            self.place_of(key)
        );
        self.violated(site.thread, ViolationKind::DestroyedObject, message)
    }

    /// The meaning of a static initialiser, if the bytes look like one.
    fn static_sync(&self, key: SyncKey, kind: SyncKind) -> Option<Sync> {
        let (object, offset) = key;
        let len = self.memory.get(object)?.size.saturating_sub(offset).min(4);
        if !self.memory.is_initialised(object, offset, len) {
            return None;
        }
        match kind {
            SyncKind::Mutex => Some(Sync::Mutex {
                ty: self.static_mutex_type(key),
                owner: None,
                depth: 0,
            }),
            SyncKind::Condition => Some(Sync::Condition {
                waiters: Vec::new(),
            }),
            SyncKind::RwLock => Some(Sync::RwLock {
                readers: Vec::new(),
                writer: None,
            }),
            SyncKind::Once => Some(Sync::Once {
                state: OnceState::Fresh,
            }),
            SyncKind::Barrier | SyncKind::Semaphore | SyncKind::Spin => None,
        }
    }

    /// glibc's static initialisers for other than plain mutexes set one field.
    fn static_mutex_type(&self, (object, offset): SyncKey) -> MutexType {
        let at = offset
            + if self.memory.pointer_bytes == 4 {
                12
            } else {
                16
            };
        let size = self.memory.get(object).map_or(0, |object| object.size);
        if at + 4 > size || !self.memory.is_initialised(object, at, 4) {
            return MutexType::Plain;
        }
        mutex_type(self.memory.read(object, at, &Type::Int(32)).low_bits() as i32)
    }

    /// Makes an object, in memory that now counts as initialised.
    pub(crate) fn init_sync(
        &mut self,
        site: &Site,
        key: SyncKey,
        sync: Sync,
    ) -> Result<Reply, Stop> {
        let (object, offset) = key;
        let size = self.memory.get(object).map_or(0, |object| object.size);
        let len = size.saturating_sub(offset).min(4);
        if self
            .memory
            .get(object)
            .is_some_and(|object| object.is_constant)
        {
            let message = format!("{} is constant", self.place_of(key));
            return Err(self.violated(site.thread, ViolationKind::InvalidPointer, message));
        }
        if let Some(old) = self.sync.get(key)
            && old.is_in_use()
        {
            let (kind, place) = (old.kind().name(), self.place_of(key));
            let message = format!("{kind} {place} is made again while it is in use");
            self.notice(site.thread, ViolationKind::Misuse, message);
        }
        self.memory
            .write_bytes(object, offset, &[0; 4][..len as usize]);
        self.record_sync(site, "init", key, "");
        self.sync.set(key, sync);
        Ok(Reply::int(0))
    }

    pub(crate) fn destroy_sync(
        &mut self,
        site: &Site,
        key: SyncKey,
        kind: SyncKind,
        is_waited_for: bool,
    ) -> Result<Reply, Stop> {
        let sync = self.sync(site, key, kind)?;
        if is_waited_for || sync.is_in_use() {
            let message = format!(
                "{} {} is destroyed while it is in use",
                kind.name(),
                self.place_of(key)
            );
            return Err(self.violated(site.thread, ViolationKind::Misuse, message));
        }
        self.record_sync(site, "destroy", key, "");
        self.sync.set(key, Sync::Destroyed(kind));
        Ok(Reply::int(0))
    }

    pub(crate) fn record_sync(
        &mut self,
        site: &Site,
        verb: &'static str,
        key: SyncKey,
        result: &str,
    ) {
        if self.trace.is_some() {
            let effect = Effect::Synchronise {
                verb,
                place: self.place_of(key),
                result: result.to_owned(),
            };
            self.record(site.thread, effect);
        }
    }
}
