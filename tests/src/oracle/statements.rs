//! Random statements: the noise between scenarios.
//!
//! Statements are small, since every access to shared memory is a step and the
//! number of schedules grows quickly with these.

use super::generate::{Generator, Ty, Var, address, between_atomic};
use super::syntax::{
    Function, Stmt, between, block, do_while, if_else, place, plain, switch, value,
};

impl Generator {
    pub(super) fn statements(&mut self, role: usize, depth: u32, most: usize) -> Vec<Stmt> {
        let count = self.rng.usize(1..=most);
        (0..count).map(|_| self.statement(role, depth)).collect()
    }

    pub(super) fn statement(&mut self, role: usize, depth: u32) -> Stmt {
        self.reads = 2;
        let stmt = match self.rng.u32(..if depth == 0 { 33 } else { 68 }) {
            0..8 => self.assignment(role),
            8..13 => self.update(role),
            13..16 => {
                let local = self.local(role);
                let what = self.expr(role, 2);
                plain(format!("{local} = $"), [what])
            }
            16 | 17 => self.random_assertion(role),
            18 => self.assignment(role),
            19 | 20 => self.assumption(role),
            21..23 => self.atomic_update(role),
            23 => self.array_write(role),
            24 => self.struct_copy(),
            25 => self.pointer_write(role),
            26 => self.thread_local(role),
            27 => self.pun(role),
            28 => self.identity(role),
            29 => self.heap(role),
            30..33 => self.object_statement(role),
            33..37 => {
                let condition = self.condition(role, 2);
                let then = self.statements(role, depth - 1, 2);
                let otherwise = match self.one_in(3) {
                    true => self.statements(role, depth - 1, 1),
                    false => Vec::new(),
                };
                if_else(condition, then, otherwise)
            }
            37..40 => {
                self.feature("switch");
                let condition = self.expr(role, 1);
                let mut cases = Vec::new();
                for _ in 0..self.rng.usize(2..=3) {
                    let body = self.statements(role, 0, 1);
                    cases.push((body, self.one_in(3)));
                }
                if let Some(last) = cases.last_mut() {
                    last.1 = false;
                }
                switch(condition, cases)
            }
            40..47 => self.a_loop(role, depth),
            47..53 => self.locked(role, depth),
            53..56 => {
                self.feature("atomic section");
                between_atomic(self.statements(role, 0, 2))
            }
            56 | 57 => self.atomic_function(role),
            58 | 59 => self.procedure(role),
            60 => self.pass_local(role),
            61 => self.ending(role),
            62..66 => self.object_statement(role),
            _ => self.try_lock(role),
        };
        self.reads = 0;
        stmt
    }

    fn assignment(&mut self, role: usize) -> Stmt {
        let var = self.some_var();
        let what = self.expr(role, 2);
        self.write(&var, what)
    }

    fn update(&mut self, role: usize) -> Stmt {
        let var = self.some_var();
        match self.rng.u32(..3) {
            0 => plain(format!("{}++", var.text), []),
            1 => plain(format!("--{}", var.text), []),
            _ => {
                let op = self.pick(&["+=", "-=", "^=", "|=", "&=", "*="]);
                self.reads = 0;
                plain(format!("{} {op} $", var.text), [self.expr(role, 1)])
            }
        }
    }

    fn assumption(&mut self, role: usize) -> Stmt {
        self.feature("assume");
        let condition = match self.one_in(3) {
            true => {
                self.greatest_input = self.greatest_input.max(3);
                let local = self.local(role);
                let input = "__VERIFIER_nondet_int()";
                return plain(
                    format!("{local} = {input}; __VERIFIER_assume({local} >= 0 && {local} < 3)"),
                    [],
                );
            }
            false => self.condition(role, 2),
        };
        plain("__VERIFIER_assume($)", [condition])
    }

    /// One of the shared numbers whose address can be taken.
    fn some_place(&mut self) -> Var {
        let places: Vec<Var> = self
            .vars
            .iter()
            .filter(|var| var.has_address)
            .cloned()
            .collect();
        match places.is_empty() {
            false => self.pick(&places),
            true => loop {
                let var = self.shared_of(Ty::Int, 0);
                if var.has_address {
                    return var;
                }
            },
        }
    }

    pub(super) fn atomic_update(&mut self, role: usize) -> Stmt {
        let var = self.some_place();
        let place = address(&var);
        self.reads = 0;
        let what = self.expr(role, 1);
        let local = self.local(role);
        match self.rng.u32(..8) {
            0 | 1 => {
                self.feature("atomic fetch-and-add");
                let op = self.pick(&[
                    "fetch_add",
                    "fetch_sub",
                    "fetch_or",
                    "fetch_and",
                    "add_fetch",
                ]);
                plain(
                    format!("{local} = (int)__atomic_{op}($, $, 5)"),
                    [place, what],
                )
            }
            2 => {
                self.feature("atomic exchange");
                plain(
                    format!("{local} = (int)__atomic_exchange_n($, $, 5)"),
                    [place, what],
                )
            }
            3 | 4 => {
                self.feature("compare-exchange");
                let ty = var.ty.name();
                let expected = self.name("e");
                let declaration = format!("{ty} {expected} = 0");
                self.bodies[role].locals.push(declaration);
                let exchange = format!(
                    "{local} = __atomic_compare_exchange_n($, &{expected}, $, {}, 5, 5)",
                    self.rng.u8(..2)
                );
                plain(exchange, [place, what])
            }
            5 => {
                self.feature("__sync");
                plain(
                    format!("{local} = (int)__sync_fetch_and_add($, $)"),
                    [place, what],
                )
            }
            6 => {
                self.feature("__sync");
                let old = self.expr(role, 0);
                plain(
                    format!("{local} = __sync_bool_compare_and_swap($, $, $)"),
                    [place, old, what],
                )
            }
            _ => {
                self.feature("__sync");
                plain(
                    format!("__sync_synchronize(); {local} = (int)__sync_lock_test_and_set($, $)"),
                    [place, what],
                )
            }
        }
    }

    fn array_write(&mut self, role: usize) -> Stmt {
        let (array, length) = self.array();
        let index = self.index(role, length);
        let what = self.expr(role, 1);
        plain(format!("{array}[$] = $"), [index, what])
    }

    /// Struct assignment, `memcpy` or `memset`, then a look at a member.
    fn struct_copy(&mut self) -> Stmt {
        self.feature("struct copy");
        let tag = self.name("P");
        self.globals
            .push(format!("struct {tag} {{ short a; int b; }}"));
        let from = self.global("s", &format!("struct {tag} @ = {{ 1, 2 }}"));
        let to = self.global("s", &format!("struct {tag} @"));
        for text in [format!("{to}.b"), format!("{from}.b")] {
            self.vars.push(Var {
                text,
                ty: Ty::Int,
                has_address: true,
            });
        }
        match self.rng.u32(..4) {
            0 => plain(format!("memcpy(&{to}, &{from}, sizeof {to})"), []),
            1 => plain(
                format!("memset(&{to}, {}, sizeof {to})", self.rng.u8(..2)),
                [],
            ),
            2 => {
                let local = self.name("s");
                plain(
                    format!("struct {tag} {local} = {from}; {local}.b++; {to} = {local}"),
                    [],
                )
            }
            _ => plain(format!("{to} = {from}"), []),
        }
    }

    fn pointer_write(&mut self, role: usize) -> Stmt {
        self.feature("pointer");
        let var = self.some_place();
        let other = self.some_place();
        let ty = var.ty.name();
        let target = match other.ty == var.ty {
            true => address(&other),
            false => address(&var),
        };
        let first = match self.one_in(2) {
            true => "0".to_owned(),
            false => format!("&{}", var.text),
        };
        // The address of what `*p` or a call stands for is no constant.
        let is_constant = !var.text.contains('(') && !var.text.contains("[i");
        let pointer = match is_constant {
            true => self.global("q", &format!("{ty} *@ = {first}")),
            false => self.global("q", &format!("{ty} *@ = 0")),
        };
        let others: Vec<usize> = (0..self.bodies.len()).filter(|r| *r != role).collect();
        let other_role = self.pick(&others);
        let set = plain(format!("{pointer} = $"), [target]);
        self.bodies[other_role].list.push(set);
        let what = self.expr(role, 1);
        match self.rng.u32(..4) {
            0 => {
                self.feature("unchecked pointer");
                plain(format!("*{pointer} = $"), [what])
            }
            1 => {
                let copy = self.name("q");
                let body = vec![plain(format!("*{copy} = $"), [what])];
                block(
                    format!("for ({ty} *{copy} = {pointer}; {copy}; {copy} = 0)"),
                    [],
                    body,
                )
            }
            _ => if_else(
                place(format!("{pointer} != 0"), []),
                vec![plain(format!("*{pointer} = $"), [what])],
                vec![],
            ),
        }
    }

    fn thread_local(&mut self, role: usize) -> Stmt {
        self.feature("thread-local");
        let name = self.global("tl", "_Thread_local int @ = 1");
        let local = self.local(role);
        for body in &mut self.bodies {
            body.list.insert(0, plain(format!("{name}++"), []));
        }
        plain(format!("{local} = {name} + $"), [self.expr(role, 0)])
    }

    fn pun(&mut self, role: usize) -> Stmt {
        self.feature("type punning");
        let union = self.global(
            "u",
            "union { int whole; short half[2]; unsigned char byte[4]; } @",
        );
        self.vars.push(Var {
            text: format!("{union}.whole"),
            ty: Ty::Int,
            has_address: true,
        });
        let part = self.pick(&["half[0]", "half[1]", "byte[0]", "byte[1]"]);
        match self.one_in(3) {
            true => {
                let local = self.local(role);
                let text = format!(
                    "{local} = *(short *)&{union}.byte[{}]",
                    2 * self.rng.u8(..2)
                );
                plain(text, [])
            }
            false => plain(format!("{union}.{part} = $"), [self.expr(role, 1)]),
        }
    }

    fn identity(&mut self, role: usize) -> Stmt {
        self.feature("pthread_self");
        let owner = self.global("w", "pthread_t @");
        let local = self.local(role);
        let others: Vec<usize> = (0..self.bodies.len()).filter(|r| *r != role).collect();
        let other = self.pick(&others);
        let claim = plain(format!("{owner} = pthread_self()"), []);
        self.bodies[other].list.push(claim);
        plain(
            format!("{local} = pthread_equal({owner}, pthread_self())"),
            [],
        )
    }

    /// A block that is allocated, used and freed, sometimes too early.
    fn heap(&mut self, role: usize) -> Stmt {
        self.feature("malloc");
        let pointer = self.name("b");
        let what = self.expr(role, 1);
        let var = self.some_var();
        let mut list = vec![
            plain(format!("int *{pointer} = malloc(sizeof(int))"), []),
            plain(format!("*{pointer} = $"), [what]),
            plain(format!("{} = *{pointer}", var.text), []),
            plain(format!("free({pointer})"), []),
        ];
        match self.rng.u32(..8) {
            0 => {
                self.feature("use after free");
                list.swap(2, 3);
            }
            1 => {
                self.feature("double free");
                list.push(plain(format!("free({pointer})"), []));
                list.push(plain(format!("{} = 3", var.text), []));
            }
            _ => {}
        }
        block("", [], list)
    }

    fn a_loop(&mut self, role: usize, depth: u32) -> Stmt {
        self.feature("loop");
        let body = self.statements(role, depth - 1, 1);
        self.reads = 1;
        match self.rng.u32(..6) {
            0 | 1 => {
                let counter = self.name("k");
                let trips = self.rng.u32(1..=2);
                self.needed_unwind = self.needed_unwind.max(trips + 1);
                block(
                    format!("for (int {counter} = 0; {counter} < {trips}; {counter}++)"),
                    [],
                    self.with_jump(role, body),
                )
            }
            2 => {
                self.needed_unwind = self.needed_unwind.max(2);
                let local = self.local(role);
                let mut body = self.with_jump(role, body);
                body.insert(0, plain(format!("{local}++"), []));
                let condition = value(format!("{local} < $"), [self.expr(role, 1)]);
                do_while(body, condition)
            }
            3 => {
                self.feature("nested loop");
                self.needed_unwind = self.needed_unwind.max(3);
                let (outer, inner) = (self.name("k"), self.name("k"));
                let inner = block(
                    format!("for (int {inner} = {outer}; {inner} < 2; {inner}++)"),
                    [],
                    body,
                );
                block(
                    format!("for (int {outer} = 0; {outer} < 2; {outer}++)"),
                    [],
                    vec![inner],
                )
            }
            _ => {
                self.feature("data-dependent loop");
                self.needed_unwind = self.needed_unwind.max(2);
                let condition = self.condition(role, 2);
                block("while ($)", [condition], self.with_jump(role, body))
            }
        }
    }

    /// Sometimes the body of a loop is left early.
    fn with_jump(&mut self, role: usize, mut body: Vec<Stmt>) -> Vec<Stmt> {
        if self.one_in(3) {
            self.feature("break or continue");
            self.reads = 1;
            let condition = self.condition(role, 1);
            let jump = self.pick(&["break", "continue"]);
            let at = self.rng.usize(..=body.len());
            body.insert(at, if_else(condition, vec![plain(jump, [])], vec![]));
        }
        body
    }

    pub(super) fn locked(&mut self, role: usize, depth: u32) -> Stmt {
        let body = self.statements(role, depth.saturating_sub(1), 2);
        self.lock_around(body)
    }

    /// Some lock held around a body.
    pub(super) fn lock_around(&mut self, body: Vec<Stmt>) -> Stmt {
        match self.rng.u32(..9) {
            0 => {
                let lock = self.rwlock();
                let kind = self.pick(&["rdlock", "wrlock", "wrlock"]);
                between(
                    format!("pthread_rwlock_{kind}(&{lock});"),
                    body,
                    format!("pthread_rwlock_unlock(&{lock});"),
                )
            }
            1 => {
                let lock = self.spin_lock();
                between(
                    format!("pthread_spin_lock(&{lock});"),
                    body,
                    format!("pthread_spin_unlock(&{lock});"),
                )
            }
            2 => {
                let semaphore = self.semaphore(1);
                between(
                    format!("sem_wait(&{semaphore});"),
                    body,
                    format!("sem_post(&{semaphore});"),
                )
            }
            _ => {
                let mutex = self.mutex();
                between(
                    format!("pthread_mutex_lock(&{mutex});"),
                    body,
                    format!("pthread_mutex_unlock(&{mutex});"),
                )
            }
        }
    }

    fn try_lock(&mut self, role: usize) -> Stmt {
        self.feature("trylock");
        let body = self.statements(role, 0, 1);
        let (lock, unlock) = match self.rng.u32(..6) {
            0 => {
                let lock = self.rwlock();
                let kind = self.pick(&["tryrdlock", "trywrlock"]);
                (
                    format!("pthread_rwlock_{kind}(&{lock})"),
                    format!("pthread_rwlock_unlock(&{lock})"),
                )
            }
            1 => {
                let lock = self.spin_lock();
                (
                    format!("pthread_spin_trylock(&{lock})"),
                    format!("pthread_spin_unlock(&{lock})"),
                )
            }
            2 => {
                let lock = self.semaphore(1);
                (
                    format!("sem_trywait(&{lock})"),
                    format!("sem_post(&{lock})"),
                )
            }
            _ => {
                let lock = self.mutex();
                (
                    format!("pthread_mutex_trylock(&{lock})"),
                    format!("pthread_mutex_unlock(&{lock})"),
                )
            }
        };
        let mut then = body;
        then.push(plain(unlock, []));
        let otherwise = match self.one_in(2) {
            true => self.statements(role, 0, 1),
            false => Vec::new(),
        };
        if_else(value(format!("{lock} == 0"), []), then, otherwise)
    }

    fn known_global(&self, ty: &str) -> Option<String> {
        let found = self
            .globals
            .iter()
            .find_map(|global| global.strip_prefix(ty));
        found.map(|name| name.trim().to_owned())
    }

    pub(super) fn rwlock(&mut self) -> String {
        self.feature("rwlock");
        let known = self.known_global("pthread_rwlock_t ");
        known.unwrap_or_else(|| self.global("rw", "pthread_rwlock_t @"))
    }

    pub(super) fn spin_lock(&mut self) -> String {
        self.feature("spin lock");
        if let Some(known) = self.known_global("pthread_spinlock_t ") {
            return known;
        }
        let lock = self.global("sp", "pthread_spinlock_t @");
        self.before
            .push(plain(format!("pthread_spin_init(&{lock}, 0)"), []));
        lock
    }

    pub(super) fn semaphore(&mut self, first: u32) -> String {
        self.feature("semaphore");
        let semaphore = self.global("sem", "sem_t @");
        self.before
            .push(plain(format!("sem_init(&{semaphore}, 0, {first})"), []));
        semaphore
    }

    fn atomic_function(&mut self, role: usize) -> Stmt {
        self.feature("atomic function");
        let name = self.name("__VERIFIER_atomic_f");
        let var = self.some_var();
        let mut body = vec![plain(format!("{} += v", var.text), [])];
        if self.one_in(2) {
            let other = self.some_var();
            body.insert(0, plain(format!("{} = v", other.text), []));
        }
        if self.one_in(5) {
            body.insert(
                0,
                plain(format!("__VERIFIER_assume({} == 0)", var.text), []),
            );
        }
        self.functions.push(Function {
            head: format!("static void {name}(int v)"),
            locals: Vec::new(),
            body,
        });
        let what = self.expr(role, 1);
        plain(format!("{name}($)"), [what])
    }

    /// A function without result that works on shared memory, through a pointer.
    fn procedure(&mut self, role: usize) -> Stmt {
        self.feature("function call");
        let name = self.name("p");
        let var = self.some_place();
        let ty = var.ty.name();
        let mut body = vec![plain("*place = *place + v", [])];
        if self.one_in(2) {
            body.insert(
                0,
                if_else(value("v == 0", []), vec![plain("return", [])], vec![]),
            );
        }
        self.functions.push(Function {
            head: format!("static void {name}({ty} *place, int v)"),
            locals: Vec::new(),
            body,
        });
        let what = self.expr(role, 1);
        if self.one_in(3) {
            self.feature("function pointer");
            let pointer = self.name("fp");
            return block(
                "",
                [],
                vec![
                    plain(format!("void (*{pointer})({ty} *, int) = {name}"), []),
                    plain(format!("{pointer}($, $)"), [address(&var), what]),
                ],
            );
        }
        plain(format!("{name}($, $)"), [address(&var), what])
    }

    /// A local variable, or an element of a local array, that others write to.
    fn pass_local(&mut self, role: usize) -> Stmt {
        self.feature("published local");
        let (local, pointer) = (self.name("v"), self.global("q", "int *@"));
        let place = match self.one_in(2) {
            true => {
                self.feature("local array");
                self.bodies[role]
                    .locals
                    .push(format!("int {local}[2] = {{ 0, 1 }}"));
                format!("{local}[1]")
            }
            false => {
                self.bodies[role].locals.push(format!("int {local} = 0"));
                local
            }
        };
        self.bodies[role].ints.push(place.clone());
        let others: Vec<usize> = (0..self.bodies.len()).filter(|r| *r != role).collect();
        let other = self.pick(&others);
        let copy = self.name("q");
        let what = self.expr(other, 1);
        let use_it = vec![
            plain(format!("int *{copy} = {pointer}"), []),
            if_else(
                super::syntax::place(&copy, []),
                vec![plain(format!("*{copy} = $"), [what])],
                vec![],
            ),
        ];
        self.bodies[other].list.push(block("", [], use_it));
        plain(format!("{pointer} = &{place}"), [])
    }

    /// The end of the thread or the process, under a condition.
    fn ending(&mut self, role: usize) -> Stmt {
        let condition = self.condition(role, 1);
        let is_main = self.bodies[role].is_main;
        let end = match self.rng.u32(..4) {
            0 => {
                self.feature("pthread_exit");
                "pthread_exit(0)"
            }
            1 => {
                self.feature("exit");
                "exit(1)"
            }
            2 => {
                self.feature("abort");
                "abort()"
            }
            _ => {
                self.feature("early return");
                if is_main { "return 1" } else { "return 0" }
            }
        };
        if_else(condition, vec![plain(end, [])], vec![])
    }
}
