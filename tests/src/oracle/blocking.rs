//! Threads that wait for each other, mostly with care: programs that may come to
//! a deadlock.

use super::generate::Generator;
use super::syntax::{Stmt, between, block, if_else, number, plain, value};

impl Generator {
    pub(super) fn blocking(&mut self) {
        match self.rng.u32(..12) {
            0..4 => self.lock_orders(),
            4 => self.condition_variable(),
            5 => self.semaphores(),
            6 => self.arrivals(),
            7 => self.lock_twice(),
            8 => self.kept_lock(),
            9 => self.turns(),
            10 => self.join_of_main(),
            _ => self.signal_without_waiter(),
        }
    }

    /// Taking a lock, as one of several kinds, and giving it back.
    fn taking(&mut self, lock: &str) -> (String, String) {
        if let Some(lock) = lock.strip_prefix("rw:") {
            let how = self.pick(&["rdlock", "wrlock"]);
            return (
                format!("pthread_rwlock_{how}(&{lock});"),
                format!("pthread_rwlock_unlock(&{lock});"),
            );
        }
        if let Some(lock) = lock.strip_prefix("sp:") {
            return (
                format!("pthread_spin_lock(&{lock});"),
                format!("pthread_spin_unlock(&{lock});"),
            );
        }
        (
            format!("pthread_mutex_lock(&{lock});"),
            format!("pthread_mutex_unlock(&{lock});"),
        )
    }

    fn some_lock(&mut self) -> String {
        match self.rng.u32(..8) {
            0 => format!("rw:{}", self.global("rw", "pthread_rwlock_t @")),
            1 => {
                let lock = self.global("sp", "pthread_spinlock_t @");
                let init = format!("pthread_spin_init(&{lock}, 0)");
                self.before.push(plain(init, []));
                format!("sp:{lock}")
            }
            2 => {
                self.feature("recursive mutex");
                self.global("m", "pthread_mutex_t @ = RECURSIVE_MUTEX")
            }
            _ => self.global("m", "pthread_mutex_t @"),
        }
    }

    fn some_work(&mut self, role: usize) -> Vec<Stmt> {
        match self.one_in(2) {
            true => vec![],
            false => {
                let var = self.some_var();
                let (_, look) = self.look(role, &var);
                vec![look]
            }
        }
    }

    /// Several locks, taken in one order by some and in another by others.
    fn lock_orders(&mut self) {
        self.feature("lock orders");
        let locks: Vec<String> = (0..self.rng.usize(2..=3))
            .map(|_| self.some_lock())
            .collect();
        let gate = self
            .one_in(4)
            .then(|| self.global("m", "pthread_mutex_t @"));
        for role in self.some_roles() {
            let mut order = locks.clone();
            if self.one_in(2) {
                self.rng.shuffle(&mut order);
            }
            order.truncate(2);
            let mut stmts = self.some_work(role);
            for lock in order {
                if self.one_in(8) && !lock.contains(':') {
                    let taken = value(format!("pthread_mutex_trylock(&{lock}) == 0"), []);
                    stmts.push(plain(format!("pthread_mutex_unlock(&{lock})"), []));
                    stmts = vec![if_else(taken, stmts, vec![])];
                } else {
                    let (open, close) = self.taking(&lock);
                    stmts = vec![between(open, stmts, close)];
                }
            }
            if let Some(gate) = &gate
                && !self.one_in(4)
            {
                let (open, close) = self.taking(gate);
                stmts = vec![between(open, stmts, close)];
            }
            self.hide_plainly(role, stmts);
        }
    }

    /// Not inside of locks that would only be others.
    fn hide_plainly(&mut self, role: usize, stmts: Vec<Stmt>) {
        let list = &mut self.bodies[role].list;
        let most = list.len().saturating_sub(1);
        let at = self.rng.usize(..=most);
        self.bodies[role].list.insert(at, block("", [], stmts));
    }

    /// A barrier that waits for more or fewer than come.
    fn arrivals(&mut self) {
        self.feature("arrivals");
        let roles = self.some_roles();
        let n_threads: usize = roles.iter().map(|role| self.bodies[*role].copies).sum();
        let barrier = self.global("b", "pthread_barrier_t @");
        let count = match self.rng.u32(..4) {
            0 => n_threads + 1,
            1 => 1.max(n_threads - 1),
            _ => n_threads,
        };
        let init = format!("pthread_barrier_init(&{barrier}, 0, {count})");
        self.before.push(plain(init, []));
        for role in roles {
            let mut stmts = self.some_work(role);
            stmts.push(plain(format!("pthread_barrier_wait(&{barrier})"), []));
            self.hide_plainly(role, stmts);
        }
    }

    fn lock_twice(&mut self) {
        self.feature("locked twice");
        let lock = self.some_lock();
        let roles = self.some_roles();
        for (index, role) in roles.into_iter().enumerate() {
            let mut stmts = self.some_work(role);
            let again = index == 0 && !self.one_in(3);
            for _ in 0..1 + usize::from(again) {
                let (open, close) = self.taking(&lock);
                stmts = vec![between(open, stmts, close)];
            }
            self.hide_plainly(role, stmts);
        }
    }

    /// A lock that is not given back on some path.
    fn kept_lock(&mut self) {
        self.feature("kept lock");
        let lock = self.some_lock();
        let var = self.some_var();
        for role in self.some_roles() {
            let (open, close) = self.taking(&lock);
            let look = value(format!("{} == $", var.text), [number(1)]);
            let give_back = plain(close.trim_end_matches(';').to_owned(), []);
            let end = match self.one_in(3) {
                true => if_else(look, vec![], vec![give_back]),
                false => give_back,
            };
            let take = plain(open.trim_end_matches(';').to_owned(), []);
            self.hide_plainly(role, vec![take, end]);
            if self.one_in(2) {
                let write = self.write(&var, number(1));
                self.hide(role, vec![write]);
            }
        }
    }

    /// Two threads that pass a turn to each other, and may both wait for it.
    fn turns(&mut self) {
        self.feature("turns");
        let (one, two) = self.two_roles();
        let first = u32::from(!self.one_in(4));
        let (a, b) = (self.semaphore(first), self.semaphore(0));
        for (role, from, to) in [(one, &a, &b), (two, &b, &a)] {
            let mut stmts = vec![plain(format!("sem_wait(&{from})"), [])];
            stmts.extend(self.some_work(role));
            stmts.push(plain(format!("sem_post(&{to})"), []));
            if self.one_in(6) {
                stmts.reverse();
            }
            self.hide_plainly(role, stmts);
        }
    }

    /// A thread waits for main, which may wait for the thread.
    fn join_of_main(&mut self) {
        self.feature("join of main");
        let main = self.global("h", "pthread_t @");
        self.before
            .push(plain(format!("{main} = pthread_self()"), []));
        let role = self.rng.usize(..self.bodies.len() - 1);
        let var = self.some_var();
        let join = plain(format!("pthread_join({main}, 0)"), []);
        let look = value(format!("{} == $", var.text), [number(1)]);
        self.hide_plainly(role, vec![if_else(look, vec![join], vec![])]);
        let other = self.rng.usize(..self.bodies.len());
        let write = self.write(&var, number(1));
        self.hide(other, vec![write]);
    }

    /// A wait without a condition, for a signal that may have come before.
    fn signal_without_waiter(&mut self) {
        self.feature("lost signal");
        let mutex = self.global("m", "pthread_mutex_t @");
        let condition = self.global("c", "pthread_cond_t @");
        let (waiter, waker) = self.two_roles();
        let locked = |list: Vec<Stmt>| {
            between(
                format!("pthread_mutex_lock(&{mutex});"),
                list,
                format!("pthread_mutex_unlock(&{mutex});"),
            )
        };
        let wait = plain(format!("pthread_cond_wait(&{condition}, &{mutex})"), []);
        let how = self.pick(&["signal", "broadcast"]);
        let wake = plain(format!("pthread_cond_{how}(&{condition})"), []);
        let flag = self.global("x", "int @");
        let set = plain(format!("{flag} = 1"), []);
        let (wait, wake) = match self.rng.u32(..3) {
            0 => (locked(vec![wait]), locked(vec![wake])),
            1 => {
                let is_unset = value(format!("!{flag}"), []);
                let wait = if_else(is_unset, vec![wait], vec![]);
                (locked(vec![wait]), locked(vec![set, wake]))
            }
            _ => {
                let is_unset = value(format!("!{flag}"), []);
                let wait = if_else(is_unset, vec![wait], vec![]);
                (locked(vec![wait]), block("", [], vec![set, wake]))
            }
        };
        self.hide_plainly(waiter, vec![wait]);
        self.hide_plainly(waker, vec![wake]);
    }
}
