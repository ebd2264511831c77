//! Scenarios in which something may not come about: waits with a time limit, and
//! allocations that are checked.

use super::generate::Generator;
use super::syntax::{Stmt, block, if_else, number, place, plain, value};

impl Generator {
    /// A wait or a lock with a time limit.
    pub(super) fn time_limit(&mut self) {
        self.feature("time limit");
        let limit = self.global("l", "long @[2]");
        let seen = self.global("x", "int @");
        match self.rng.u32(..6) {
            0..3 => self.timed_wait(&limit, &seen),
            3 => {
                let lock = self.global("w", "pthread_rwlock_t @");
                let (taken, tried) = (
                    self.pick(&["rdlock", "wrlock"]),
                    self.pick(&["timedrdlock", "timedwrlock"]),
                );
                let calls = [
                    format!("pthread_rwlock_{taken}(&{lock})"),
                    format!("pthread_rwlock_{tried}(&{lock}, {limit})"),
                    format!("pthread_rwlock_unlock(&{lock})"),
                ];
                self.timed_lock(calls, &seen);
            }
            4 => {
                let semaphore = self.semaphore(1);
                let calls = [
                    format!("sem_wait(&{semaphore})"),
                    format!("sem_timedwait(&{semaphore}, {limit})"),
                    format!("sem_post(&{semaphore})"),
                ];
                self.timed_lock(calls, &seen);
            }
            _ => {
                let lock = self.some_mutex();
                let calls = [
                    format!("pthread_mutex_lock(&{lock})"),
                    format!("pthread_mutex_timedlock(&{lock}, {limit})"),
                    format!("pthread_mutex_unlock(&{lock})"),
                ];
                self.timed_lock(calls, &seen);
            }
        }
        let not = number(self.rng.i64(0..6));
        self.check_finally(value(format!("{seen} != $"), [not]));
    }

    /// A mutex of any type.
    pub(super) fn some_mutex(&mut self) -> String {
        match self.rng.u32(..4) {
            0 => {
                self.feature("recursive mutex");
                self.global("m", "pthread_mutex_t @ = RECURSIVE_MUTEX")
            }
            1 => {
                self.feature("checking mutex");
                self.global("m", "pthread_mutex_t @ = CHECKING_MUTEX")
            }
            _ => self.global("m", "pthread_mutex_t @"),
        }
    }

    fn timed_wait(&mut self, limit: &str, seen: &str) {
        self.feature("timed wait");
        let mutex = self.some_mutex();
        let condition = self.global("c", "pthread_cond_t @");
        let flag = self.global("f", "int @");
        let (producer, consumer) = self.two_roles();
        let lock = || plain(format!("pthread_mutex_lock(&{mutex})"), []);
        let unlock = || plain(format!("pthread_mutex_unlock(&{mutex})"), []);
        let wake = self.pick(&["signal", "signal", "broadcast"]);
        let mut produce = vec![
            lock(),
            plain(format!("{flag} = 1"), []),
            plain(format!("pthread_cond_{wake}(&{condition})"), []),
            unlock(),
        ];
        if self.one_in(3) {
            produce.swap(1, 2);
        }
        self.add(producer, [block("", [], produce)]);
        let wait = match self.one_in(4) {
            true => format!("pthread_cond_wait(&{condition}, &{mutex})"),
            false => format!("pthread_cond_timedwait(&{condition}, &{mutex}, {limit})"),
        };
        let wait = plain(format!("{seen} = {wait} ? 1 + {flag} : 3 + {flag}"), []);
        let is_not_ready = place(format!("!{flag}"), []);
        let mut consume = vec![lock(), if_else(is_not_ready, vec![wait], vec![]), unlock()];
        match self.rng.u32(..5) {
            // Locked twice, which blocks a plain mutex.
            0 => {
                consume.insert(0, lock());
                consume.push(unlock());
            }
            // Not locked at all.
            1 => {
                consume.remove(2);
                consume.remove(0);
            }
            _ => {}
        }
        self.add(consumer, [block("", [], consume)]);
    }

    /// One thread takes a lock, another tries to; the calls take, try and release.
    fn timed_lock(&mut self, [take, tries, release]: [String; 3], seen: &str) {
        self.feature("timed lock");
        let (holder, other) = self.two_roles();
        let hold = vec![
            plain(take.clone(), []),
            plain(format!("{seen} += 1"), []),
            plain(release.clone(), []),
        ];
        self.add(holder, [block("", [], hold)]);
        let result = self.name("r");
        let mut attempt = vec![
            plain(format!("int {result} = {tries}"), []),
            if_else(
                place(format!("{result} == 0"), []),
                vec![plain(format!("{seen} += 2"), []), plain(release, [])],
                vec![plain(format!("{seen} |= 4"), [])],
            ),
        ];
        if self.one_in(4) {
            attempt.insert(0, plain(take, []));
        }
        self.add(other, [block("", [], attempt)]);
    }

    /// Allocations whose results are looked at, mostly.
    pub(super) fn checked_allocation(&mut self) {
        self.feature("malloc");
        self.feature("checked allocation");
        let shared = self.global("g", "int *@");
        let seen = self.global("x", "int @");
        for role in self.some_roles() {
            let mine = self.name("p");
            let mut stmts = self.make_checked(&mine);
            let mut used = vec![plain(format!("*{mine} = 1"), [])];
            if self.one_in(2) {
                used.extend(self.grow(&mine, &seen));
            }
            used.push(match self.rng.u32(..4) {
                0 => plain(format!("{shared} = {mine}"), []),
                1 => plain(
                    format!("{seen} += __sync_bool_compare_and_swap(&{shared}, (int *)0, {mine})"),
                    [],
                ),
                _ => plain(format!("free({mine})"), []),
            });
            let failed = vec![plain(format!("{seen} |= 1"), [])];
            match self.one_in(5) {
                true => stmts.extend(used),
                false => stmts.push(if_else(place(mine.clone(), []), used, failed)),
            }
            self.add(role, [block("", [], stmts)]);
        }
        if self.one_in(2) {
            self.feature("free");
            self.finally.push(plain(format!("free({shared})"), []));
        }
        let not = number(self.rng.i64(0..6));
        self.check_finally(value(format!("{seen} != $"), [not]));
    }

    fn make_checked(&mut self, mine: &str) -> Vec<Stmt> {
        let call = match self.rng.u32(..5) {
            0 | 1 => "malloc(sizeof(int))",
            2 => "calloc(1, 4)",
            3 => "aligned_alloc(32, 32)",
            _ => {
                let place = self.name("v");
                let call = format!("posix_memalign(&{place}, 16, 8)");
                return vec![
                    plain(format!("void *{place} = 0"), []),
                    plain(format!("int *{mine} = {call} ? 0 : {place}"), []),
                ];
            }
        };
        vec![plain(format!("int *{mine} = {call}"), [])]
    }

    /// More memory for a block.
    fn grow(&mut self, mine: &str, seen: &str) -> Vec<Stmt> {
        let more = self.name("p");
        let size = self.pick(&["8", "8", "4", "0"]);
        let call = format!("realloc({mine}, {size})");
        match self.rng.u32(..4) {
            // The block is lost if that fails.
            0 => vec![plain(format!("{mine} = {call}"), [])],
            _ => vec![
                plain(format!("int *{more} = {call}"), []),
                if_else(
                    place(more.clone(), []),
                    vec![plain(format!("{mine} = {more}"), [])],
                    vec![plain(format!("{seen} |= 2 + *{mine} * 2"), [])],
                ),
            ],
        }
    }
}
