//! Random statements about which object is meant: locks, functions and memory
//! chosen by what another thread has written, frames that end, whole structs.
//!
//! Some stop their thread in some schedules: an index out of range, a division
//! by zero, a dead local. That is not asked for, but must stop both sides alike.

use super::generate::{Generator, Ty, Var};
use super::syntax::{Function, Stmt, between, block, if_else, place, plain, value};

impl Generator {
    pub(super) fn object_statement(&mut self, role: usize) -> Stmt {
        match self.rng.u32(..13) {
            0 => self.by_value(),
            1 => self.pointer_to_pointer(role),
            2 => self.any_index(role),
            3 => self.local_of_callee(role),
            4 => self.list_node(role),
            5 => self.two_locks(role),
            6 => self.stopping_arithmetic(role),
            7 | 8 => self.chosen_lock(role),
            9 => self.chosen_function(role),
            10 => self.pointer_exchange(role),
            11 => self.many_places(role),
            _ => self.forward_jump(role),
        }
    }

    pub(super) fn other_role(&mut self, role: usize) -> usize {
        let others: Vec<usize> = (0..self.bodies.len()).filter(|r| *r != role).collect();
        self.pick(&others)
    }

    /// A struct as argument and as result.
    fn by_value(&mut self) -> Stmt {
        self.feature("struct by value");
        let tag = self.name("V");
        self.globals
            .push(format!("struct {tag} {{ int a; short b; short c[5]; }}"));
        let record = self.global("s", &format!("struct {tag} @ = {{ 1, 0, {{ 0, 2 }} }}"));
        let name = self.name("f");
        let mut body = vec![
            plain("s.a += s.c[1]", []),
            plain("s.c[0]++", []),
            plain("return s", []),
        ];
        if self.one_in(2) {
            body.remove(0);
        }
        self.functions.push(Function {
            head: format!("static struct {tag} {name}(struct {tag} s)"),
            locals: Vec::new(),
            body,
        });
        for (member, ty) in [("a", Ty::Int), ("c[0]", Ty::Short)] {
            self.vars.push(Var {
                text: format!("{record}.{member}"),
                ty,
                has_address: true,
            });
        }
        plain(format!("{record} = {name}({record})"), [])
    }

    fn pointer_to_pointer(&mut self, role: usize) -> Stmt {
        self.feature("pointer to pointer");
        let (a, b) = (self.global("x", "int @ = 1"), self.global("x", "int @ = 2"));
        let p = self.global("p", &format!("int *@ = &{a}"));
        let pp = self.global("pp", &format!("int **@ = &{p}"));
        let other = self.other_role(role);
        let redirect = plain(format!("*{pp} = &{b}"), []);
        self.bodies[other].list.push(redirect);
        self.vars.push(Var {
            text: b,
            ty: Ty::Int,
            has_address: true,
        });
        plain(format!("**{pp} = $"), [self.expr(role, 1)])
    }

    /// The index may be out of range.
    fn any_index(&mut self, role: usize) -> Stmt {
        self.feature("index out of range");
        let array = self.global("a", "short @[2] = { 1, 2 }");
        let var = self.some_var();
        let index = self.read(&var);
        match self.one_in(2) {
            true => plain(format!("{array}[$] = $"), [index, self.expr(role, 0)]),
            false => {
                let local = self.local(role);
                plain(format!("{local} = {array}[$]"), [index])
            }
        }
    }

    /// The address of a local that lives as long as a call.
    fn local_of_callee(&mut self, role: usize) -> Stmt {
        self.feature("local of a callee");
        let pointer = self.global("q", "int *@");
        let name = self.name("f");
        let var = self.some_var();
        let mut body = vec![
            plain(format!("{pointer} = &v"), []),
            plain(format!("v += {}", var.text), []),
        ];
        if self.one_in(2) {
            body.push(plain(format!("{pointer} = 0"), []));
        }
        body.push(plain("return v", []));
        self.functions.push(Function {
            head: format!("static int {name}(void)"),
            locals: vec!["int v = 0".to_owned()],
            body,
        });
        let other = self.other_role(role);
        let copy = self.name("q");
        let use_it = vec![
            plain(format!("int *{copy} = {pointer}"), []),
            if_else(
                place(&copy, []),
                vec![plain(format!("*{copy} = 2"), [])],
                vec![],
            ),
        ];
        self.bodies[other].list.push(block("", [], use_it));
        let local = self.local(role);
        plain(format!("{local} = {name}()"), [])
    }

    /// A node is put at the head of a list, and the list is read.
    fn list_node(&mut self, role: usize) -> Stmt {
        self.feature("list");
        let tag = self.name("L");
        self.globals
            .push(format!("struct {tag} {{ int v; struct {tag} *next; }}"));
        let head = self.global("n", &format!("struct {tag} *@"));
        let mine = self.global("n", &format!("struct {tag} @ = {{ 1, 0 }}"));
        let theirs = self.global("n", &format!("struct {tag} @ = {{ 2, 0 }}"));
        let push = |node: &str| {
            vec![
                plain(format!("{node}.next = {head}"), []),
                plain(format!("{head} = &{node}"), []),
            ]
        };
        let other = self.other_role(role);
        self.bodies[other].list.extend(push(&theirs));
        let sum = self.local(role);
        let mut list = push(&mine);
        list.push(plain(
            format!("{sum} = {head}->v + ({head}->next ? {head}->next->v : 0)"),
            [],
        ));
        block("", [], list)
    }

    /// Two locks, in either order.
    fn two_locks(&mut self, role: usize) -> Stmt {
        self.feature("two locks");
        let mut locks = [self.mutex(), self.global("m", "pthread_mutex_t @")];
        self.mutexes.push(locks[1].clone());
        let nest = |locks: &[String; 2], body: Vec<Stmt>| {
            let around = |lock: &str, body| {
                between(
                    format!("pthread_mutex_lock(&{lock});"),
                    body,
                    format!("pthread_mutex_unlock(&{lock});"),
                )
            };
            around(&locks[0], vec![around(&locks[1], body)])
        };
        let var = self.some_var();
        let other = self.other_role(role);
        let stmt = nest(&locks, vec![plain(format!("{}++", var.text), [])]);
        self.bodies[other].list.push(stmt);
        if self.one_in(2) {
            locks.reverse();
        }
        let body = self.statement(role, 0);
        nest(&locks, vec![body])
    }

    fn stopping_arithmetic(&mut self, role: usize) -> Stmt {
        self.feature("stopping arithmetic");
        let var = self.some_var();
        let operand = self.read(&var);
        let local = self.local(role);
        let what = self.pick(&[
            "6 / (int)($)",
            "5 % (int)($)",
            "1 << (int)($)",
            "8 >> (int)($)",
        ]);
        plain(format!("{local} = $"), [value(what, [operand])])
    }

    /// Which lock it is depends on shared memory.
    fn chosen_lock(&mut self, role: usize) -> Stmt {
        self.feature("chosen lock");
        let locks = self.global("m", "pthread_mutex_t @[2]");
        let choice = self.global("i", "int @");
        let var = self.some_var();
        let other = self.other_role(role);
        let protected = between(
            format!("pthread_mutex_lock(&{locks}[0]);"),
            vec![plain(format!("{}++", var.text), [])],
            format!("pthread_mutex_unlock(&{locks}[0]);"),
        );
        self.bodies[other].list.push(protected);
        if self.one_in(2) {
            let third = self.other_role(role);
            self.bodies[third]
                .list
                .push(plain(format!("{choice} = 1"), []));
        }
        let pointer = self.name("m");
        let mut list = vec![plain(
            format!("pthread_mutex_t *{pointer} = &{locks}[{choice} & 1]"),
            [],
        )];
        let body = vec![plain(format!("{} += 2", var.text), [])];
        match self.one_in(3) {
            true => {
                let mut then = body;
                then.push(plain(format!("pthread_mutex_unlock({pointer})"), []));
                let taken = value(format!("pthread_mutex_trylock({pointer}) == 0"), []);
                list.push(if_else(taken, then, vec![]));
            }
            false => list.push(between(
                format!("pthread_mutex_lock({pointer});"),
                body,
                format!("pthread_mutex_unlock({pointer});"),
            )),
        }
        block("", [], list)
    }

    /// Which function it is depends on shared memory.
    fn chosen_function(&mut self, role: usize) -> Stmt {
        self.feature("chosen function");
        let var = self.some_var();
        let mut names = Vec::new();
        for what in ["= n", "+= n", "-= 1"] {
            let name = self.name("f");
            self.functions.push(Function {
                head: format!("static void {name}(int n)"),
                locals: Vec::new(),
                body: vec![plain(format!("{} {what}", var.text), [])],
            });
            names.push(name);
        }
        let table = self.global("ft", "void (*@[3])(int)");
        for (index, name) in names.iter().enumerate() {
            // A null pointer at the end stops the thread that calls it.
            if index < 2 || !self.one_in(3) {
                self.before
                    .push(plain(format!("{table}[{index}] = {name}"), []));
            }
        }
        let index = self.index(role, 3);
        let what = self.expr(role, 0);
        plain(format!("{table}[$]($)"), [index, what])
    }

    fn pointer_exchange(&mut self, role: usize) -> Stmt {
        self.feature("atomic pointer");
        let (a, b) = (self.global("x", "int @ = 1"), self.global("x", "int @ = 2"));
        let p = self.global("p", &format!("int *@ = &{a}"));
        let other = self.other_role(role);
        let set = match self.rng.u32(..3) {
            0 => plain(format!("__atomic_store_n(&{p}, &{b}, 5)"), []),
            1 => plain(
                format!("__sync_bool_compare_and_swap(&{p}, &{a}, &{b})"),
                [],
            ),
            _ => plain(format!("{p} = 0"), []),
        };
        self.bodies[other].list.push(set);
        let taken = self.name("q");
        let what = self.expr(role, 1);
        let use_it = vec![
            plain(
                format!("int *{taken} = __atomic_exchange_n(&{p}, 0, 5)"),
                [],
            ),
            if_else(
                place(&taken, []),
                vec![plain(format!("*{taken} += $"), [what])],
                vec![],
            ),
        ];
        for text in [a, b] {
            self.vars.push(Var {
                text,
                ty: Ty::Int,
                has_address: true,
            });
        }
        block("", [], use_it)
    }

    fn forward_jump(&mut self, role: usize) -> Stmt {
        self.feature("goto");
        let label = self.name("out");
        self.reads = 1;
        let condition = self.condition(role, 1);
        let leave = if_else(condition, vec![plain(format!("goto {label}"), [])], vec![]);
        let body = self.statement(role, 0);
        block("", [], vec![leave, body, plain(format!("{label}:"), [])])
    }
}
