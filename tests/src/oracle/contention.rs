//! Memory that threads share, mostly with care: programs that may have a race.

use super::generate::{Generator, between_atomic};
use super::syntax::{Stmt, between, block, if_else, number, plain, value};

impl Generator {
    pub(super) fn contention(&mut self) {
        match self.rng.u32(..11) {
            0 | 1 => self.guarded_memory(),
            2 => self.neighbours(),
            3 => self.members(),
            4 => self.announced(),
            5 => self.handed_over(),
            6 => self.after_join(),
            7 => self.copied_blocks(),
            8 => self.freed_by_others(),
            9 => self.text_and_bytes(),
            _ => self.large_array(),
        }
    }

    /// Statements under one of a few kinds of care, the same kind for all who ask
    /// with the same number; now and then without any.
    fn with_care(&mut self, kind: u32, lock: &str, stmts: Vec<Stmt>) -> Stmt {
        let forgets = self.one_in(6);
        let around = |name: &str, how: &str| {
            let open = format!("pthread_{name}_{how}(&{lock});");
            (open, format!("pthread_{name}_unlock(&{lock});"))
        };
        let (open, close) = match kind {
            _ if forgets => return block("", [], stmts),
            0 => return between_atomic(stmts),
            1 => {
                let how = self.pick(&["wrlock", "wrlock", "rdlock"]);
                around("rwlock", how)
            }
            _ => around("mutex", "lock"),
        };
        between(open, stmts, close)
    }

    /// A kind of care, and the lock for it.
    fn care(&mut self) -> (u32, String) {
        let kind = self.rng.u32(..5);
        let lock = match kind {
            0 => String::new(),
            1 => self.global("rw", "pthread_rwlock_t @"),
            _ => self.global("m", "pthread_mutex_t @"),
        };
        (kind, lock)
    }

    fn touch(&mut self, role: usize, text: &str) -> Stmt {
        match self.rng.u32(..4) {
            0 => {
                let local = self.local(role);
                plain(format!("{local} = {text}"), [])
            }
            1 => plain(format!("{text}++"), []),
            _ => plain(format!("{text} = $"), [number(1)]),
        }
    }

    fn guarded_memory(&mut self) {
        self.feature("guarded memory");
        let (kind, lock) = self.care();
        let var = self.shared();
        for role in self.some_roles() {
            let stmt = self.touch(role, &var.text);
            let stmt = self.with_care(kind, &lock, vec![stmt]);
            self.hide(role, vec![stmt]);
        }
    }

    /// Each thread has an element of its own, if all goes well.
    fn neighbours(&mut self) {
        self.feature("neighbours");
        let ty = self.pick(&["int", "char", "short"]);
        let array = self.global("a", &format!("{ty} @[4]"));
        let index = self.global("i", "int @ = 2");
        for (number, role) in self.some_roles().into_iter().enumerate() {
            let at = match self.rng.u32(..8) {
                0 => index.clone(),
                1 => format!("{index} & 1"),
                2 => "1".to_owned(),
                _ => number.to_string(),
            };
            let stmt = self.touch(role, &format!("{array}[{at}]"));
            self.hide(role, vec![stmt]);
        }
    }

    fn members(&mut self) {
        self.feature("members");
        let record = "struct { char a, b; unsigned c : 3, d : 5; int : 0; unsigned e : 4; }";
        let s = self.global("s", &format!("{record} @"));
        for role in self.some_roles() {
            let member = self.pick(&["a", "b", "c", "d", "e", "e"]);
            let stmt = self.touch(role, &format!("{s}.{member}"));
            self.hide(role, vec![stmt]);
        }
    }

    /// Data is there when a flag says so.
    fn announced(&mut self) {
        self.feature("announced");
        let data = self.global("x", "int @");
        let flag = self.global("x", "int @");
        let (producer, consumer) = self.two_roles();
        let set = match self.one_in(6) {
            true => plain(format!("{flag} = 1"), []),
            false => plain(format!("__atomic_store_n(&{flag}, 1, 5)"), []),
        };
        let mut produce = vec![plain(format!("{data} = 1"), []), set];
        if self.one_in(5) {
            produce.swap(0, 1);
        }
        self.hide(producer, produce);
        let is_set = match self.one_in(6) {
            true => value(flag.clone(), []),
            false => value(format!("__atomic_load_n(&{flag}, 5)"), []),
        };
        let look = self.touch(consumer, &data);
        let wait = match self.one_in(3) {
            true => {
                self.feature("assume");
                vec![plain("__VERIFIER_assume($)", [is_set]), look]
            }
            false => vec![if_else(is_set, vec![look], vec![])],
        };
        self.hide(consumer, wait);
    }

    /// Data is there when a semaphore lets a thread pass, or a signal comes.
    fn handed_over(&mut self) {
        self.feature("handed over");
        let data = self.shared();
        let semaphore = self.semaphore(0);
        let (producer, consumer) = self.two_roles();
        let write = self.touch(producer, &data.text);
        let mut produce = vec![write, plain(format!("sem_post(&{semaphore})"), [])];
        if self.one_in(4) {
            produce.swap(0, 1);
        }
        self.hide(producer, produce);
        let look = self.touch(consumer, &data.text);
        let mut consume = vec![plain(format!("sem_wait(&{semaphore})"), []), look];
        if self.one_in(6) {
            consume.swap(0, 1);
        }
        self.hide(consumer, consume);
    }

    fn after_join(&mut self) {
        self.feature("after the join");
        let var = self.shared();
        let role = self.rng.usize(..self.bodies.len() - 1);
        let main = self.bodies.len() - 1;
        let stmt = self.touch(role, &var.text);
        self.hide(role, vec![stmt]);
        let look = self.touch(main, &var.text);
        match self.rng.u32(..4) {
            0 => self.hide(main, vec![look]),
            1 => self.before.push(plain(format!("{} = 1", var.text), [])),
            _ => self.finally.push(look),
        }
    }

    fn copied_blocks(&mut self) {
        self.feature("copied blocks");
        let (kind, lock) = self.care();
        let from = self.global("a", "char @[4] = { 1, 2, 3 }");
        let to = self.global("a", "char @[4]");
        for role in self.some_roles() {
            let stmt = match self.rng.u32(..5) {
                0 => plain(format!("__builtin_memcpy({to}, {from}, 2)"), []),
                1 => plain(format!("__builtin_memset({to} + 1, 0, 2)"), []),
                2 => plain(format!("__builtin_memcpy({from} + 2, {to}, 2)"), []),
                3 => self.touch(role, &format!("{from}[1]")),
                _ => self.touch(role, &format!("{to}[2]")),
            };
            let stmt = self.with_care(kind, &lock, vec![stmt]);
            self.hide(role, vec![stmt]);
        }
    }

    fn freed_by_others(&mut self) {
        self.feature("freed by others");
        let (kind, lock) = self.care();
        let block_name = self.global("p", "int *@");
        let make = format!("{block_name} = malloc(2 * sizeof(int)), {block_name}[0] = 1");
        self.before.push(plain(make, []));
        let (user, owner) = self.two_roles();
        let is_there = value(format!("{block_name} != 0"), []);
        let at = self.rng.u32(..2);
        let local = self.local(user);
        let text = format!("{block_name}[{at}]");
        let usage = match self.one_in(2) {
            true => plain(format!("{text} = 2"), []),
            false => plain(format!("{local} = {text}"), []),
        };
        let usage = if_else(is_there, vec![usage], vec![]);
        let usage = self.with_care(kind, &lock, vec![usage]);
        self.hide(user, vec![usage]);
        let q = self.name("q");
        let take = plain(format!("int *{q} = {block_name}"), []);
        let clear = plain(format!("{block_name} = 0"), []);
        let free = plain(format!("free({q})"), []);
        self.hide(owner, vec![block("", [], vec![take, clear, free])]);
    }

    /// Library functions look at as many bytes as there are up to a zero.
    fn text_and_bytes(&mut self) {
        self.feature("text and bytes");
        let text = self.global("t", "char @[6] = \"ab\"");
        let (reader, writer) = self.two_roles();
        let local = self.local(reader);
        let read = plain(format!("{local} = (int)strlen({text})"), []);
        self.hide(reader, vec![read]);
        let at = self.rng.u32(..6);
        let write = match self.rng.u32(..4) {
            0 => plain(format!("strcpy({text} + {}, \"c\")", at.min(3)), []),
            1 => plain(format!("__atomic_store_n(&{text}[{at}], 0, 5)"), []),
            _ => plain(format!("{text}[{at}] = {}", self.rng.u32(..2)), []),
        };
        self.hide(writer, vec![write]);
    }

    fn large_array(&mut self) {
        self.feature("large array");
        let array = self.global("a", "char @[64]");
        for role in self.some_roles() {
            let index = match self.rng.u32(..4) {
                0 => "7".to_owned(),
                1 => {
                    let i = self.name("i");
                    self.bodies[role].locals.push(format!(
                        "unsigned {i} = (unsigned)__VERIFIER_nondet_bool() * 37"
                    ));
                    self.feature("nondet");
                    format!("{i} % 64")
                }
                _ => {
                    let i = self.global("i", "unsigned @ = 5");
                    let bump = plain(format!("{i} = {i} * 3 % 64"), []);
                    self.add(role, [bump]);
                    i
                }
            };
            let stmt = self.touch(role, &format!("{array}[{index}]"));
            self.hide(role, vec![stmt]);
        }
    }
}
