//! What POSIX code does besides locks: waits at futexes, clean-up handlers, threads
//! that are cancelled, and jumps out of functions.
//!
//! Like [`super::lifecycles`], it is added to programs that would be the same without
//! it, so that the seeds of other tests stay good.

use super::generate::Generator;
use super::syntax::{Expr, Function, Stmt, between, block, if_else, number, plain, value};

/// `SYS_futex`, for 64 and 32 bits.
const FUTEX: &str = "(WIDE ? 202 : 240)";

impl Generator {
    /// To be called when the bodies are filled, before the frame is made.
    pub(super) fn add_idioms(&mut self) {
        for _ in 0..self.rng.usize(1..=2) {
            match self.rng.u32(..4) {
                0 => self.futex(),
                1 => self.clean_up(),
                2 => self.cancelled_thread(),
                _ => self.jump(),
            }
        }
    }

    fn insert_anywhere(&mut self, role: usize, stmts: Vec<Stmt>) {
        let list = &mut self.bodies[role].list;
        let at = self.rng.usize(..=list.len());
        list.splice(at..at, stmts);
    }

    fn some_bit(&mut self, role: usize) -> Expr {
        self.reads = 1;
        let condition = self.condition(role, 1);
        self.reads = 0;
        condition
    }

    /// One hands something over to another that sleeps until then, or almost.
    fn futex(&mut self) {
        self.feature("futex");
        let word = self.global("word", "int @");
        let data = self.shared();
        let (giver, taker) = self.two_roles();
        let count = self.pick(&[1, 1, 2, 1000]);
        let mut give = vec![
            self.write(&data, number(1)),
            plain(format!("__atomic_store_n(&{word}, 1, 5)"), []),
            plain(
                format!("syscall({FUTEX}, &{word}, 1, {count}, 0, 0, 0)"),
                [],
            ),
        ];
        match self.rng.u32(..6) {
            0 => give.swap(0, 1),
            1 => give.swap(1, 2),
            2 => {
                give.pop();
            }
            _ => {}
        }
        self.add(giver, give);
        let is_empty = value(format!("__atomic_load_n(&{word}, 5) == 0"), []);
        let wait = plain(format!("syscall({FUTEX}, &{word}, 0, 0, 0, 0, 0)"), []);
        let wait = match self.one_in(3) {
            true => if_else(is_empty, vec![wait], vec![]),
            false => {
                self.needed_unwind = self.needed_unwind.max(2);
                block("while ($)", [is_empty], vec![wait])
            }
        };
        let read = self.read(&data);
        let expected = number(i64::from(!self.one_in(4)));
        let check = self.assert(value("$ == $", [read, expected]));
        self.add(taker, [wait, check]);
    }

    /// A handler runs, or does not, when a thread leaves a block or ends in it.
    fn clean_up(&mut self) {
        self.feature("clean-up handler");
        let role = self.rng.usize(..self.bodies.len() - 1);
        let ran = self.global("ran", "int @");
        let handler = self.name("handler");
        self.functions.push(Function {
            head: format!("static void {handler}(void *arg)"),
            locals: Vec::new(),
            body: vec![plain(
                format!("__sync_fetch_and_add(&{ran}, (int)(long)arg)"),
                [],
            )],
        });
        let var = self.shared();
        let step = self.write(&var, number(2));
        let condition = self.some_bit(role);
        let leave = if_else(condition, vec![plain("pthread_exit(0)", [])], vec![]);
        let mut body = vec![step, leave];
        if self.one_in(3) {
            let open = format!("pthread_cleanup_push({handler}, (void *)2)");
            body = vec![between(open, body, "pthread_cleanup_pop(0)")];
        }
        let is_run = self.rng.u32(..2);
        let open = format!("pthread_cleanup_push({handler}, (void *)1)");
        let close = format!("pthread_cleanup_pop({is_run})");
        self.insert_anywhere(role, vec![between(open, body, close)]);
        let not = number(self.rng.i64(0..4));
        self.check_finally(value(format!("{ran} != $"), [not]));
    }

    /// A thread of its own is asked to end by any of the others.
    fn cancelled_thread(&mut self) {
        self.feature("cancellation");
        let handle = self.global("h", "pthread_t @");
        let done = self.global("done", "int @");
        let name = self.name("t");
        let semaphore = self.semaphore(0);
        let point = match self.rng.u32(..3) {
            0 => plain(format!("sem_wait(&{semaphore})"), []),
            _ => plain("pthread_testcancel()", []),
        };
        let mut body = vec![
            plain(format!("__sync_fetch_and_add(&{done}, 1)"), []),
            point,
            plain(format!("__sync_fetch_and_add(&{done}, 2)"), []),
        ];
        if self.one_in(3) {
            body.insert(0, plain("pthread_setcancelstate(1, 0)", []));
            body.insert(3, plain("pthread_setcancelstate(0, 0)", []));
            body.push(plain("pthread_testcancel()", []));
            body.push(plain(format!("__sync_fetch_and_add(&{done}, 4)"), []));
        }
        body.push(plain("return 0", []));
        self.functions.push(Function {
            head: format!("static void *{name}(void *arg)"),
            locals: Vec::new(),
            body,
        });
        let create = format!("pthread_create(&{handle}, 0, {name}, 0)");
        self.before.push(plain(create, []));
        let role = self.rng.usize(..self.bodies.len());
        let mut stmts = vec![plain(format!("pthread_cancel({handle})"), [])];
        if self.one_in(2) {
            stmts.push(plain(format!("sem_post(&{semaphore})"), []));
            if self.one_in(2) {
                stmts.swap(0, 1);
            }
        }
        self.insert_anywhere(role, stmts);
        self.finally
            .push(plain(format!("pthread_join({handle}, 0)"), []));
        let not = number(self.rng.i64(1..8));
        self.check_finally(value(format!("{done} != $"), [not]));
    }

    /// The rest of a block is left by a jump.
    fn jump(&mut self) {
        self.feature("jump");
        let role = self.rng.usize(..self.bodies.len());
        let (buffer, var) = (self.name("buffer"), self.shared());
        let condition = self.some_bit(role);
        let leap = match self.one_in(2) {
            true => plain(format!("longjmp({buffer}, 1)"), []),
            false => {
                let name = self.name("leap");
                self.functions.push(Function {
                    head: format!("static void {name}(jmp_buf to)"),
                    locals: vec!["int value = 1".to_owned()],
                    body: vec![plain("longjmp(to, value)", [])],
                });
                plain(format!("{name}({buffer})"), [])
            }
        };
        let before = self.write(&var, number(1));
        let after = self.write(&var, number(2));
        let body = vec![before, if_else(condition, vec![leap], vec![]), after];
        let other = self.write(&var, number(3));
        let mut stmts = vec![
            plain(format!("jmp_buf {buffer}"), []),
            block(format!("if (setjmp({buffer}) == 0)"), [], body),
        ];
        if self.one_in(2) {
            stmts.push(other);
        }
        let read = self.read(&var);
        let not = number(self.rng.i64(1..4));
        stmts.push(self.assert(value("$ != $", [read, not])));
        self.insert_anywhere(role, stmts);
    }
}

#[cfg(test)]
mod tests {
    use super::super::generate::program_with_idioms;
    use replay::Property;
    use std::collections::BTreeSet;

    #[test]
    fn all_of_it_is_made() {
        let features: BTreeSet<&str> = (0..50)
            .flat_map(|seed| program_with_idioms(Property::Assert, seed).features)
            .collect();
        for feature in ["cancellation", "clean-up handler", "futex", "jump"] {
            assert!(features.contains(feature), "{feature}");
        }
    }
}
