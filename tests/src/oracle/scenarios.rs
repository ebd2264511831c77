//! Things that threads do with each other, right or almost right.
//!
//! A scenario adds statements to the bodies of some threads and, mostly, a check
//! that main makes in the end. Each leaves out or reorders something now and
//! then, so that programs of one kind differ in whether and after how many
//! contexts they go wrong.

use super::generate::{Generator, Ty, Var, address, between_atomic};
use super::syntax::{Expr, Stmt, between, block, if_else, number, place, plain, value};
use replay::Property;

impl Generator {
    pub(super) fn add_scenario(&mut self) {
        match self.rng.u32(..42) {
            0 | 1 => self.counter(),
            2 => self.message_passing(),
            3 => self.store_buffering(),
            4 => self.peterson(),
            5 => self.check_then_act(),
            6 => self.lazy_initialisation(),
            7 => self.aba(),
            8 | 9 => self.condition_variable(),
            10 => self.semaphores(),
            11 => self.barrier(),
            12 => self.once(),
            13 => self.readers_and_writers(),
            14 => self.join_result(),
            15 => self.heap_message(),
            16 => self.transfer(),
            17 => self.ring(),
            18 => self.spinning_lock(),
            19 | 20 => self.litmus(),
            21 => self.arguments(),
            22 => self.pointer_swap(),
            23 | 24 => self.reused_address(),
            25 => self.partly_initialised(),
            26 => self.slots(),
            27 | 28 => self.time_limit(),
            29 | 30 => self.checked_allocation(),
            37.. => self.handed_out(Property::Assert),
            _ => self.add_library_scenario(),
        }
    }

    /// Two different bodies, in any order.
    pub(super) fn two_roles(&mut self) -> (usize, usize) {
        let mut roles: Vec<usize> = (0..self.bodies.len()).collect();
        self.rng.shuffle(&mut roles);
        (roles[0], roles[1])
    }

    /// Two or more different bodies.
    pub(super) fn some_roles(&mut self) -> Vec<usize> {
        let mut roles: Vec<usize> = (0..self.bodies.len()).collect();
        self.rng.shuffle(&mut roles);
        roles.truncate(self.rng.usize(2..=roles.len()));
        roles
    }

    pub(super) fn add(&mut self, role: usize, stmts: impl IntoIterator<Item = Stmt>) {
        self.bodies[role].list.extend(stmts);
    }

    pub(super) fn check_finally(&mut self, condition: Expr) {
        let check = self.assert(condition);
        self.finally.push(check);
    }

    /// The number of the thread among those that run the same body.
    fn id(&mut self, role: usize) -> String {
        if self.bodies[role].copies == 1 {
            return (role & 1).to_string();
        }
        let locals = &mut self.bodies[role].locals;
        let declaration = "int id = (int)(long)arg".to_owned();
        if !locals.contains(&declaration) {
            self.feature("integer as argument");
            self.bodies[role].locals.insert(0, declaration);
        }
        "id".to_owned()
    }

    /// A local that takes the value of a shared number.
    pub(super) fn look(&mut self, role: usize, var: &Var) -> (String, Stmt) {
        let local = self.local(role);
        let read = self.read(var);
        let stmt = plain(format!("{local} = $"), [read]);
        (local, stmt)
    }

    // Counting.

    /// Increments, each by its own way; the sum is checked.
    fn counter(&mut self) {
        self.feature("counter");
        let var = self.shared();
        let mut total = 0;
        for role in self.some_roles() {
            let copies = self.bodies[role].copies as i64;
            let mut times = 1;
            let text = var.text.clone();
            let stmt = match self.rng.u32(..9) {
                0 | 1 => plain(format!("{text}++"), []),
                2 => {
                    let (local, look) = self.look(role, &var);
                    let write = self.write(&var, value(format!("{local} + $"), [number(1)]));
                    self.add(role, [look]);
                    write
                }
                3 | 4 => self.lock_around(vec![plain(format!("{text} += 1"), [])]),
                5 => between_atomic(vec![plain(format!("{text}++"), [])]),
                6 if var.has_address => {
                    self.feature("atomic fetch-and-add");
                    plain("__atomic_fetch_add($, 1, 5)", [address(&var)])
                }
                7 if var.has_address => {
                    self.feature("__sync");
                    plain("__sync_fetch_and_add($, 1)", [address(&var)])
                }
                _ => {
                    self.feature("loop");
                    times = 2;
                    self.needed_unwind = self.needed_unwind.max(3);
                    let k = self.name("k");
                    let body = vec![plain(format!("{text}++"), [])];
                    block(format!("for (int {k} = 0; {k} < 2; {k}++)"), [], body)
                }
            };
            total += copies * times;
            self.add(role, [stmt]);
        }
        let read = value(&var.text, []);
        let check = match self.rng.u32(..4) {
            0 => value("$ != $", [read, number(total)]),
            1 => value("$ >= $", [read, number(total - 1)]),
            2 => value("$ > $", [read, number(1)]),
            _ => value("$ == $", [read, number(total)]),
        };
        self.check_finally(check);
    }

    fn slots(&mut self) {
        self.feature("slots");
        self.feature("symbolic index");
        let array = self.global("a", "int @[3]");
        let next = self.shared();
        for role in self.some_roles() {
            let id = self.id(role);
            let (local, look) = self.look(role, &next);
            let bump = self.write(&next, value(format!("{local} + 1"), []));
            let store = plain(format!("{array}[(unsigned){local} % 3] = {id} + 1"), []);
            let mut list = vec![look, bump, store];
            if self.one_in(3) {
                list.swap(1, 2);
            }
            match self.one_in(3) {
                true => {
                    let locked = self.lock_around(list);
                    self.add(role, [locked]);
                }
                false => self.add(role, list),
            }
        }
        let at = self.rng.u32(..3);
        let check = match self.one_in(2) {
            true => value(format!("{array}[{at}] != $"), [number(self.rng.i64(0..3))]),
            false => value(
                format!("{array}[0] + {array}[1] >= $"),
                [number(self.rng.i64(1..4))],
            ),
        };
        self.check_finally(check);
    }

    /// Money between two accounts, and somebody who adds them up.
    fn transfer(&mut self) {
        self.feature("transfer");
        let (a, b) = (self.shared_of(Ty::Int, 2), self.shared());
        let (mover, auditor) = self.two_roles();
        let move_it = vec![
            plain(format!("{} -= 1", a.text), []),
            plain(format!("{} += 1", b.text), []),
        ];
        let protects = self.rng.u32(..4);
        let (sum, copy) = (self.local(auditor), self.local(auditor));
        let audit = vec![
            plain(format!("{sum} = {}", a.text), []),
            plain(format!("{copy} = {}", b.text), []),
        ];
        let mutex = self.mutex();
        let wrap = |list: Vec<Stmt>, is_wrapped: bool| match is_wrapped {
            false => list,
            true if protects == 3 => vec![between_atomic(list)],
            true => vec![between(
                format!("pthread_mutex_lock(&{mutex});"),
                list,
                format!("pthread_mutex_unlock(&{mutex});"),
            )],
        };
        self.add(mover, wrap(move_it, protects > 0));
        self.add(auditor, wrap(audit, protects > 1));
        let check = self.assert(value(format!("{sum} + {copy} == 2"), []));
        self.add(auditor, [check]);
    }

    // Flags.

    fn message_passing(&mut self) {
        self.feature("message passing");
        let (data, flag) = (self.shared(), self.shared());
        let (sender, receiver) = self.two_roles();
        let content = self.rng.i64(1..4);
        let mut send = vec![
            self.write(&data, number(content)),
            self.write(&flag, number(1)),
        ];
        if self.one_in(3) {
            send.swap(0, 1);
        }
        self.add(sender, send);
        let read = self.read(&data);
        let check = self.assert(value("$ == $", [read, number(content)]));
        let ready = self.read(&flag);
        match self.rng.u32(..4) {
            0 => {
                self.feature("assume");
                self.add(receiver, [plain("__VERIFIER_assume($)", [ready]), check]);
            }
            1 => {
                self.feature("data-dependent loop");
                let body = match self.one_in(2) {
                    true => Vec::new(),
                    false => {
                        let tries = self.local(receiver);
                        vec![plain(format!("{tries}++"), [])]
                    }
                };
                self.needed_unwind = self.needed_unwind.max(2);
                let wait = block("while (!$)", [ready], body);
                self.add(receiver, [wait, check]);
            }
            _ => self.add(receiver, [if_else(ready, vec![check], vec![])]),
        }
    }

    /// Each sets a flag and looks at the other one: one of them must see it.
    fn store_buffering(&mut self) {
        self.feature("store buffering");
        let (x, y) = (self.shared(), self.shared());
        let (seen_x, seen_y) = (self.shared(), self.shared());
        let (first, second) = self.two_roles();
        for (role, own, other, seen) in [(first, &x, &y, &seen_y), (second, &y, &x, &seen_x)] {
            let (local, look) = self.look(role, other);
            let mut list = vec![
                self.write(own, number(1)),
                look,
                self.write(seen, value(format!("{local} + 1"), [])),
            ];
            if self.one_in(4) {
                list.swap(0, 1);
            }
            self.add(role, list);
        }
        let what = self.pick(&[
            "!($ == 1 && $ == 1)",
            "!($ == 2 && $ == 2)",
            "!($ == 1 && $ == 2)",
        ]);
        let check = value(what, [value(&seen_x.text, []), value(&seen_y.text, [])]);
        self.check_finally(check);
    }

    fn peterson(&mut self) {
        self.feature("peterson");
        let flags = [self.shared(), self.shared()];
        let (turn, inside) = (self.shared(), self.shared());
        let (first, second) = self.two_roles();
        let is_waiting_by_loop = self.one_in(2);
        let forgets = self.rng.u32(..5);
        for (me, role) in [first, second].into_iter().enumerate() {
            let other = 1 - me;
            let mut list = vec![self.write(&flags[me], number(1))];
            if forgets != 0 {
                list.push(self.write(&turn, number(other as i64)));
            }
            if forgets == 1 {
                list.reverse();
            }
            let (flag, turn) = (&flags[other].text, &turn.text);
            let blocked = value(
                format!("{flag} == 1 && {turn} == $"),
                [number(other as i64)],
            );
            list.push(match is_waiting_by_loop {
                true => {
                    self.needed_unwind = self.needed_unwind.max(2);
                    block("while ($)", [blocked], vec![])
                }
                false => {
                    self.feature("assume");
                    plain("__VERIFIER_assume(!($))", [blocked])
                }
            });
            let inside = &inside.text;
            list.push(plain(format!("{inside} = $"), [number(me as i64)]));
            let check = value(format!("{inside} == $"), [number(me as i64)]);
            list.push(self.assert(check));
            if self.one_in(2) {
                list.push(plain(format!("{} = 0", flags[me].text), []));
            }
            self.add(role, list);
        }
    }

    fn check_then_act(&mut self) {
        self.feature("check then act");
        let (taken, count) = (self.shared(), self.shared());
        let is_atomic = self.one_in(3) && taken.has_address;
        for role in self.some_roles() {
            let act = vec![
                self.write(&taken, number(1)),
                plain(format!("{}++", count.text), []),
            ];
            let stmt = match is_atomic {
                true => {
                    self.feature("compare-exchange");
                    let free = value(
                        format!("__sync_bool_compare_and_swap(&{}, 0, 1)", taken.text),
                        [],
                    );
                    if_else(free, vec![plain(format!("{}++", count.text), [])], vec![])
                }
                false => if_else(value("$ == 0", [self.read(&taken)]), act, vec![]),
            };
            let stmt = match self.one_in(3) {
                true => self.lock_around(vec![stmt]),
                false => stmt,
            };
            self.add(role, [stmt]);
        }
        let greatest = number(self.rng.i64(1..3));
        self.check_finally(value("$ <= $", [value(&count.text, []), greatest]));
    }

    fn lazy_initialisation(&mut self) {
        self.feature("double-checked");
        let (done, data) = (self.shared(), self.shared());
        let mutex = self.mutex();
        let checks_again = !self.one_in(3);
        for role in self.some_roles() {
            let mut initialise = vec![
                plain(format!("{} += 2", data.text), []),
                self.write(&done, number(1)),
            ];
            if self.one_in(3) {
                initialise.swap(0, 1);
            }
            if checks_again {
                initialise = vec![if_else(
                    value(format!("!{}", done.text), []),
                    initialise,
                    vec![],
                )];
            }
            let locked = between(
                format!("pthread_mutex_lock(&{mutex});"),
                initialise,
                format!("pthread_mutex_unlock(&{mutex});"),
            );
            let look = value(format!("!{}", done.text), []);
            let read = self.read(&data);
            let check = self.assert(value("$ == 2", [read]));
            self.add(role, [if_else(look, vec![locked], vec![]), check]);
        }
    }

    fn aba(&mut self) {
        self.feature("ABA");
        self.feature("compare-exchange");
        let top = self.global("x", "int @ = 1");
        let var = Var {
            text: top.clone(),
            ty: Ty::Int,
            has_address: true,
        };
        let changes = self.shared();
        let (victim, other) = self.two_roles();
        let local = self.local(victim);
        let before = self.local(victim);
        let (won, after) = (self.local(victim), self.local(victim));
        let exchange = format!("{won} = __atomic_compare_exchange_n(&{top}, &{local}, 3, 0, 5, 5)");
        let check = self.assert(value(format!("!{won} || {before} == {after}"), []));
        let list = [
            plain(format!("{before} = {}", changes.text), []),
            plain(format!("{local} = {top}"), []),
            plain(exchange, []),
            plain(format!("{after} = {}", changes.text), []),
            check,
        ];
        self.add(victim, list);
        let mut list = vec![self.write(&var, number(2))];
        list.push(plain(format!("{}++", changes.text), []));
        let back = number(self.rng.i64(1..3));
        list.push(self.write(&var, back));
        self.add(other, list);
    }

    /// Writes and reads in any order; some outcome is ruled out.
    fn litmus(&mut self) {
        self.feature("litmus");
        let n_vars = self.rng.usize(1..=3);
        let vars: Vec<Var> = (0..n_vars).map(|_| self.shared()).collect();
        let mut observed = Vec::new();
        for role in self.some_roles() {
            let mut sum = Vec::new();
            for _ in 0..self.rng.usize(1..=3) {
                let var = self.pick(&vars);
                if self.one_in(2) {
                    let what = number(self.rng.i64(1..3));
                    let write = self.write(&var, what);
                    self.add(role, [write]);
                } else {
                    let (local, look) = self.look(role, &var);
                    self.add(role, [look]);
                    sum.push(local);
                }
            }
            if sum.is_empty() {
                continue;
            }
            let seen = self.global("o", "int @ = -1");
            let digits: Vec<String> = sum.iter().map(|local| format!("({local})")).collect();
            let digits = digits.join(" * 3 + ");
            self.add(role, [plain(format!("{seen} = {digits}"), [])]);
            observed.push(seen);
        }
        let mut parts = Vec::new();
        for seen in &observed {
            let what = number(self.rng.i64(0..5));
            parts.push(value(format!("{seen} == $"), [what]));
        }
        if parts.is_empty() || self.one_in(2) {
            let var = self.pick(&vars);
            let what = number(self.rng.i64(0..3));
            parts.push(value(format!("{} == $", var.text), [what]));
        }
        let holes = vec!["$"; parts.len()].join(" && ");
        self.check_finally(value(format!("!({holes})"), parts));
    }

    // Threads, memory and pointers.

    fn join_result(&mut self) {
        let workers: Vec<usize> = (0..self.bodies.len() - 1)
            .filter(|role| self.bodies[*role].copies == 1)
            .collect();
        if workers.is_empty() || !self.results.is_empty() {
            return self.counter();
        }
        self.feature("result of a thread");
        let role = self.pick(&workers);
        let main = self.bodies.len() - 1;
        let var = self.shared();
        let (_, other) = self.two_roles();
        let written = number(self.rng.i64(1..3));
        let write = self.write(&var, written);
        self.add(other, [write]);
        let (local, look) = self.look(role, &var);
        self.add(role, [look]);
        let result = value(format!("{local} + $"), [number(1)]);
        if self.one_in(3) {
            self.feature("pthread_exit");
            let exit = plain("pthread_exit((void *)(long)($))", [result.clone()]);
            let leaves = if_else(
                value(format!("{local} != $"), [number(0)]),
                vec![exit],
                vec![],
            );
            self.add(role, [leaves]);
        }
        self.results.push((role, result));
        self.bodies[main].locals.push("void *result = 0".to_owned());
        let not = number(self.rng.i64(1..4));
        self.check_finally(value("(long)result != $", [not]));
    }

    fn heap_message(&mut self) {
        self.feature("malloc");
        self.feature("heap message");
        let tag = self.name("N");
        self.globals
            .push(format!("struct {tag} {{ int v; struct {tag} *next; }}"));
        let shared = self.global("n", &format!("struct {tag} *@"));
        let (sender, receiver) = self.two_roles();
        let (mine, yours) = (self.name("n"), self.name("n"));
        let mut send = vec![
            plain(format!("struct {tag} *{mine} = malloc(sizeof *{mine})"), []),
            plain(format!("{mine}->v = 1"), []),
            plain(format!("{mine}->next = 0"), []),
            plain(format!("{shared} = {mine}"), []),
        ];
        if self.one_in(3) {
            send.push(plain(format!("{mine}->v = $"), [number(2)]));
        }
        if self.one_in(4) {
            self.feature("use after free");
            send.push(plain(format!("{shared} = 0"), []));
            send.push(plain(format!("free({mine})"), []));
        }
        self.add(sender, [block("", [], send)]);
        let expected = number(self.rng.i64(1..3));
        let check = self.assert(value(format!("{yours}->v == $"), [expected]));
        let mut use_it = vec![check];
        if self.one_in(3) {
            self.feature("free");
            use_it.push(plain(format!("free({yours})"), []));
        }
        let receive = vec![
            plain(format!("struct {tag} *{yours} = {shared}"), []),
            if_else(place(yours, []), use_it, vec![]),
        ];
        self.add(receiver, [block("", [], receive)]);
    }

    /// A local of main that a thread works on.
    fn arguments(&mut self) {
        let main = self.bodies.len() - 1;
        let workers: Vec<usize> = (0..main)
            .filter(|role| self.arguments.iter().all(|(of, _)| of != role))
            .filter(|role| self.bodies[*role].copies == 1)
            .collect();
        if workers.is_empty() {
            return self.slots();
        }
        let role = self.pick(&workers);
        if self.one_in(3) {
            self.feature("integer as argument");
            self.arguments.push((role, "(void *)5L".to_owned()));
            let var = self.shared();
            let local = self.local(role);
            let take = plain(format!("{local} = (int)(long)arg"), []);
            let write = self.write(&var, value(format!("{local} - $"), [number(3)]));
            self.add(role, [take, write]);
            self.check_finally(value("$ == $", [value(&var.text, []), number(2)]));
            return;
        }
        self.feature("pointer as argument");
        let tag = self.name("A");
        let block_name = self.name("v");
        self.globals
            .push(format!("struct {tag} {{ int in; short out[2]; }}"));
        let declaration = format!("struct {tag} {block_name} = {{ 2, {{ 0, 0 }} }}");
        self.bodies[main].locals.push(declaration);
        self.arguments.push((role, format!("&{block_name}")));
        let pointer = self.name("v");
        let declaration = format!("struct {tag} *{pointer} = arg");
        self.bodies[role].locals.push(declaration);
        let at = self.rng.u32(..2);
        let out = plain(
            format!("{pointer}->out[{at}] = {pointer}->in + $"),
            [number(1)],
        );
        self.add(role, [out]);
        if self.one_in(2) {
            self.add(main, [plain(format!("{block_name}.in = $"), [number(0)])]);
        }
        let not = number(self.pick(&[0, 1, 3]));
        self.check_finally(value(format!("{block_name}.out[{at}] != $"), [not]));
    }

    fn pointer_swap(&mut self) {
        self.feature("pointer");
        self.feature("pointer swap");
        let a = self.global("x", "int @ = 1");
        let b = self.global("x", "int @ = 2");
        let p = self.global("p", &format!("int *@ = &{a}"));
        let q = self.global("p", &format!("int *@ = &{b}"));
        let (swapper, user) = self.two_roles();
        let copy = self.name("q");
        let swap = vec![
            plain(format!("int *{copy} = {p}"), []),
            plain(format!("{p} = {q}"), []),
            plain(format!("{q} = {copy}"), []),
        ];
        let swap = match self.one_in(3) {
            true => between_atomic(swap),
            false => block("", [], swap),
        };
        self.add(swapper, [swap]);
        let check = match self.rng.u32(..3) {
            0 => value(format!("*{p} != *{q}"), []),
            1 => place(format!("{p} != {q}"), []),
            _ => value(format!("*{p} <= $"), [number(2)]),
        };
        let bump = plain(format!("(*{p})++"), []);
        let check = self.assert(check);
        let list = match self.one_in(2) {
            true => vec![bump, check],
            false => vec![check],
        };
        self.add(user, list);
        let sum = number(self.rng.i64(3..5));
        self.check_finally(value(format!("{a} + {b} <= $"), [sum]));
    }
}
