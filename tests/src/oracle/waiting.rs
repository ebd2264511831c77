//! Scenarios in which threads wait for each other: conditions, semaphores,
//! barriers, once controls, read-write locks and loops that spin.
//!
//! Like the other [`super::scenarios`], each is right or almost right.

use super::generate::{Generator, Ty};
use super::syntax::{Function, Stmt, between, block, if_else, number, plain, value};

impl Generator {
    pub(super) fn condition_variable(&mut self) {
        self.feature("condition variable");
        let mutex = self.global("m", "pthread_mutex_t @");
        let condition = self.global("c", "pthread_cond_t @");
        let (ready, data) = (self.shared(), self.shared());
        let (producer, consumer) = self.two_roles();
        let locked = |list: Vec<Stmt>| {
            between(
                format!("pthread_mutex_lock(&{mutex});"),
                list,
                format!("pthread_mutex_unlock(&{mutex});"),
            )
        };
        let call = self.pick(&["signal", "signal", "broadcast"]);
        let wake = plain(format!("pthread_cond_{call}(&{condition})"), []);
        let write_data = self.write(&data, number(1));
        let set_ready = self.write(&ready, number(1));
        match self.rng.u32(..4) {
            // Data may come too late.
            0 => {
                self.add(producer, [locked(vec![set_ready, wake])]);
                self.add(producer, [write_data]);
            }
            // The signal may come before the wait.
            1 => {
                self.add(producer, [write_data, locked(vec![set_ready])]);
                self.add(producer, [wake]);
            }
            2 => self.add(producer, [set_ready, locked(vec![wake]), write_data]),
            _ => self.add(producer, [write_data, locked(vec![set_ready, wake])]),
        }
        let wait = plain(format!("pthread_cond_wait(&{condition}, &{mutex})"), []);
        let is_not_ready = value(format!("!{}", ready.text), []);
        let waits = match self.one_in(4) {
            true => if_else(is_not_ready, vec![wait], vec![]),
            false => {
                self.needed_unwind = self.needed_unwind.max(2);
                block("while ($)", [is_not_ready], vec![wait])
            }
        };
        let read = self.read(&data);
        let expected = number(i64::from(!self.one_in(4)));
        let check = self.assert(value("$ == $", [read, expected]));
        match self.one_in(2) {
            true => self.add(consumer, [locked(vec![waits, check])]),
            false => {
                self.add(consumer, [locked(vec![waits])]);
                self.add(consumer, [check]);
            }
        }
    }

    pub(super) fn semaphores(&mut self) {
        self.feature("semaphore order");
        let first = u32::from(self.one_in(4));
        let semaphore = self.semaphore(first);
        let data = self.shared();
        let (producer, consumer) = self.two_roles();
        let mut produce = vec![
            self.write(&data, number(2)),
            plain(format!("sem_post(&{semaphore})"), []),
        ];
        if self.one_in(4) {
            produce.swap(0, 1);
        }
        self.add(producer, produce);
        let read = self.read(&data);
        let check = self.assert(value("$ == 2", [read]));
        match self.rng.u32(..4) {
            0 => {
                let count = self.local(consumer);
                let ask = plain(format!("sem_getvalue(&{semaphore}, &{count})"), []);
                let is_there = value(format!("{count} > $"), [number(0)]);
                self.add(consumer, [ask, if_else(is_there, vec![check], vec![])]);
            }
            1 => {
                let taken = value(format!("sem_trywait(&{semaphore}) == 0"), []);
                self.add(consumer, [if_else(taken, vec![check], vec![])]);
            }
            _ => self.add(
                consumer,
                [plain(format!("sem_wait(&{semaphore})"), []), check],
            ),
        }
    }

    pub(super) fn barrier(&mut self) {
        self.feature("barrier");
        let roles = self.some_roles();
        let n_threads: usize = roles.iter().map(|role| self.bodies[*role].copies).sum();
        let barrier = self.global("b", "pthread_barrier_t @");
        let count = n_threads - usize::from(self.one_in(5));
        let init = format!("pthread_barrier_init(&{barrier}, 0, {count})");
        self.before.push(plain(init, []));
        let (before, after) = (self.shared(), self.shared());
        for role in roles {
            let arrive = plain(format!("__sync_fetch_and_add(&{}, 1)", before.text), []);
            let arrive = match before.has_address {
                true => arrive,
                false => plain(format!("{}++", before.text), []),
            };
            let local = self.local(role);
            let wait = plain(format!("{local} = pthread_barrier_wait(&{barrier})"), []);
            let read = self.read(&before);
            let check = self.assert(value("$ == $", [read, number(n_threads as i64)]));
            let mut list = match self.one_in(5) {
                true => vec![wait, arrive],
                false => vec![arrive, wait],
            };
            match self.one_in(2) {
                true => list.push(check),
                false => {
                    let serial = value(format!("{local} == -1"), []);
                    let add = plain(format!("{}++", after.text), []);
                    list.push(if_else(serial, vec![add], vec![]));
                }
            }
            self.add(role, list);
        }
        self.check_finally(value("$ <= $", [value(&after.text, []), number(1)]));
    }

    pub(super) fn once(&mut self) {
        self.feature("once");
        let control = self.global("once", "pthread_once_t @");
        let var = self.shared();
        let routine = self.name("init");
        let mut body = vec![plain(format!("{} += 1", var.text), [])];
        if self.one_in(3) {
            let other = self.shared();
            body.push(plain(format!("{} = {}", other.text, var.text), []));
        }
        self.functions.push(Function {
            head: format!("static void {routine}(void)"),
            locals: Vec::new(),
            body,
        });
        for role in self.some_roles() {
            let mut list = vec![plain(format!("pthread_once(&{control}, {routine})"), [])];
            if self.one_in(4) {
                list.insert(0, plain(format!("{}++", var.text), []));
            }
            let read = self.read(&var);
            let expected = number(self.pick(&[1, 1, 2]));
            list.push(self.assert(value("$ == $", [read, expected])));
            self.add(role, list);
        }
    }

    pub(super) fn readers_and_writers(&mut self) {
        self.feature("readers and writers");
        let lock = self.rwlock();
        let (a, b) = (self.shared(), self.shared());
        let roles = self.some_roles();
        let writer = roles[0];
        let forgets = self.rng.u32(..4);
        let wrap = |list: Vec<Stmt>, kind: &str, is_wrapped: bool| match is_wrapped {
            false => list,
            true => vec![between(
                format!("pthread_rwlock_{kind}(&{lock});"),
                list,
                format!("pthread_rwlock_unlock(&{lock});"),
            )],
        };
        let write = vec![self.write(&a, number(1)), self.write(&b, number(1))];
        let kind = if forgets == 0 { "rdlock" } else { "wrlock" };
        self.add(writer, wrap(write, kind, forgets != 1));
        for role in &roles[1..] {
            let (x, look_x) = self.look(*role, &a);
            let (y, look_y) = self.look(*role, &b);
            let check = self.assert(value(format!("{x} == {y}"), []));
            self.add(*role, wrap(vec![look_x, look_y], "rdlock", forgets != 2));
            self.add(*role, [check]);
        }
    }

    pub(super) fn spinning_lock(&mut self) {
        self.feature("spinning lock");
        let flag = self.global("x", "int @");
        let var = self.shared();
        let roles = self.some_roles();
        self.needed_unwind = self.needed_unwind.max(2);
        let kind = self.rng.u32(..4);
        let n_threads: usize = roles.iter().map(|role| self.bodies[*role].copies).sum();
        for role in roles {
            let take = match kind {
                0 => block(
                    format!("while (__sync_lock_test_and_set(&{flag}, 1))"),
                    [],
                    vec![],
                ),
                1 => {
                    self.feature("compare-exchange");
                    let call = format!("while (!__sync_bool_compare_and_swap(&{flag}, 0, 1))");
                    block(call, [], vec![])
                }
                2 => {
                    // Not atomic.
                    let wait = block(format!("while ({flag})"), [], vec![]);
                    self.add(role, [wait]);
                    plain(format!("{flag} = 1"), [])
                }
                _ => {
                    self.feature("assume");
                    plain(
                        format!("__VERIFIER_assume(!__atomic_exchange_n(&{flag}, 1, 5))"),
                        [],
                    )
                }
            };
            let release = match self.one_in(2) {
                true => plain(format!("__sync_lock_release(&{flag})"), []),
                false => plain(format!("{flag} = 0"), []),
            };
            self.add(role, [take, plain(format!("{}++", var.text), []), release]);
        }
        let total = number(n_threads as i64);
        let op = self.pick(&["==", "==", "!="]);
        self.check_finally(value(format!("$ {op} $"), [value(&var.text, []), total]));
    }

    pub(super) fn ring(&mut self) {
        self.feature("ring buffer");
        self.feature("symbolic index");
        let buffer = self.global("a", "int @[2]");
        let (head, tail) = (
            self.shared_of(Ty::Unsigned, 0),
            self.shared_of(Ty::Unsigned, 0),
        );
        let (producer, consumer) = self.two_roles();
        let mut produce = vec![
            plain(format!("{buffer}[{} % 2] = $", head.text), [number(3)]),
            plain(format!("{}++", head.text), []),
        ];
        if self.one_in(3) {
            produce.swap(0, 1);
        }
        let produce = match self.one_in(3) {
            true => vec![self.lock_around(produce)],
            false => produce,
        };
        self.add(producer, produce);
        let local = self.local(consumer);
        let take = plain(format!("{local} = {buffer}[{} % 2]", tail.text), []);
        let check = self.assert(value(format!("{local} == $"), [number(3)]));
        let advance = plain(format!("{}++", tail.text), []);
        let is_filled = value(format!("{} != {}", tail.text, head.text), []);
        let stmt = if_else(is_filled, vec![take, check, advance], vec![]);
        self.add(consumer, [stmt]);
    }
}
