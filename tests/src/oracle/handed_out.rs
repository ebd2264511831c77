//! Locals that are handed out and end while others may still use them: threads
//! that are started with the address of a local, and pointers to locals in
//! globals. The locals end with a function, with a block, or with their thread.
//!
//! Whoever comes too late stops, or has made a mistake; whoever comes in time
//! must find what the owner has left there.

use super::generate::{Generator, Var, between_atomic};
use super::syntax::{Expr, Function, Stmt, between, block, if_else, number, place, plain, value};
use replay::Property;

/// How long a local lives.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Life {
    Function,
    /// It is handed out by a callee of its function.
    Caller,
    /// A function that is one atomic step.
    AtomicFunction,
    /// The argument of a function, by value.
    Argument,
    /// An array in a block, whose size need not be known.
    Block,
    /// All of the thread, which leaves by `pthread_exit`.
    Thread,
    /// The same in the middle of a function, on one of two paths.
    Leaving,
}

impl Generator {
    pub(super) fn handed_out(&mut self, property: Property) {
        match property {
            Property::Leak | Property::Cleanup if !self.one_in(3) => self.lent_block(),
            Property::Deadlock if !self.one_in(3) => self.lent_lock(),
            _ if self.one_in(10) => self.lent_lock(),
            _ => self.lent_number(),
        }
    }

    fn some_life(&mut self, role: usize) -> Life {
        let is_main = self.bodies[role].is_main;
        match self.rng.u32(..14) {
            0 | 1 => Life::Caller,
            2 => Life::AtomicFunction,
            3 => Life::Argument,
            4 | 5 => Life::Block,
            6 | 7 if !is_main => Life::Thread,
            8 | 9 if !is_main => Life::Leaving,
            _ => Life::Function,
        }
    }

    /// A number that others read and write.
    fn lent_number(&mut self) {
        self.feature("local handed out");
        let role = self.rng.usize(..self.bodies.len());
        let life = self.some_life(role);
        let first = self.rng.i64(1..3);
        let to_thread =
            self.one_in(2) && self.bodies[role].copies == 1 && life != Life::AtomicFunction;
        let mutex = self.one_in(3).then(|| self.mutex());
        // The address stands for `@` until it is known.
        let mut list = match to_thread {
            true => vec![self.start_with(first)],
            false => self.publish_to(role, first, mutex.as_deref()),
        };
        if self.one_in(6) {
            self.feature("address as number");
            let local = self.name("n");
            list.insert(0, plain(format!("long {local} = (long)@"), []));
        }
        if self.one_in(3) {
            let var = self.some_var();
            list.push(match self.rng.u32(..3) {
                0 => plain("*@ = $", [number(3)]),
                1 => plain("(*@)++", []),
                _ => plain(format!("{}++", var.text), []),
            });
        }
        self.live(role, life, "int", &first.to_string(), list);
    }

    /// A thread of its own that uses the local; who joins it is left open.
    fn start_with(&mut self, first: i64) -> Stmt {
        self.feature("thread with a local of its creator");
        let (name, handle) = (self.name("lent"), self.global("lh", "pthread_t @"));
        let mut body = Vec::new();
        for _ in 0..self.rng.usize(1..=2) {
            body.push(self.use_of("p", first));
        }
        body.push(plain("return 0", []));
        self.functions.push(Function {
            head: format!("static void *{name}(void *arg)"),
            locals: vec!["int *p = arg".to_owned()],
            body,
        });
        if self.one_in(3) {
            let join = plain(format!("if ({handle}) pthread_join({handle}, 0)"), []);
            self.finally.push(join);
        }
        plain(format!("pthread_create(&{handle}, 0, {name}, @)"), [])
    }

    /// Stores the address in a global, where another thread finds it.
    fn publish_to(&mut self, role: usize, first: i64, mutex: Option<&str>) -> Vec<Stmt> {
        let pointer = self.global("q", "int *@");
        let other = self.other_role(role);
        let copy = self.name("q");
        let mut uses = vec![self.use_of(&copy, first)];
        if self.one_in(3) {
            uses.push(self.use_of(&copy, first));
        }
        let take = vec![
            plain(format!("int *{copy} = {pointer}"), []),
            if_else(place(&copy, []), uses, vec![]),
        ];
        let take = match mutex {
            Some(mutex) if !self.one_in(4) => locked(mutex, take),
            _ if self.one_in(8) => between_atomic(take),
            _ => block("", [], take),
        };
        self.bodies[other].list.push(block("", [], vec![take]));
        let store = match self.one_in(5) {
            true => plain(format!("__atomic_store_n(&{pointer}, @, 5)"), []),
            false => plain(format!("{pointer} = @"), []),
        };
        let take_back = plain(format!("{pointer} = 0"), []);
        let takes_back = self.one_in(4);
        match mutex {
            Some(mutex) if takes_back => {
                vec![locked(mutex, vec![store]), locked(mutex, vec![take_back])]
            }
            Some(mutex) => vec![locked(mutex, vec![store])],
            None if takes_back => vec![store, take_back],
            None => vec![store],
        }
    }

    fn use_of(&mut self, pointer: &str, first: i64) -> Stmt {
        let what = number(self.pick(&[first, 2, 3]));
        match self.rng.u32(..8) {
            0 | 1 => plain(format!("*{pointer} = $"), [what]),
            2 => plain(format!("(*{pointer})++"), []),
            3 => {
                let var: Var = self.some_var();
                plain(format!("{} = *{pointer}", var.text), [])
            }
            4 => self.assert(value(format!("*{pointer} == $"), [what])),
            _ => self.assert(value(format!("*{pointer} != $"), [what])),
        }
    }

    /// Puts a local into a body, with statements about its address `@`.
    fn live(&mut self, role: usize, life: Life, ty: &str, first: &str, list: Vec<Stmt>) {
        let declaration = format!("{ty} v = {first}");
        let mut extra = Vec::new();
        let (call, parameters, locals) = match life {
            Life::Function | Life::Leaving => ("", "void".to_owned(), vec![declaration]),
            Life::AtomicFunction => {
                self.feature("atomic function");
                ("__VERIFIER_atomic_", "void".to_owned(), vec![declaration])
            }
            Life::Caller => ("", format!("{ty} *p"), Vec::new()),
            Life::Argument => {
                self.feature("struct by value");
                let tag = self.name("B");
                self.globals
                    .push(format!("struct {tag} {{ {ty} v; long rest[3]; }}"));
                ("", format!("struct {tag} s"), Vec::new())
            }
            Life::Block => return self.live_in_block(role, ty, first, &list),
            Life::Thread => return self.live_in_thread(role, ty, first, &list),
        };
        let address = match life {
            Life::Caller => "p",
            Life::Argument => "&s.v",
            _ => "(&v)",
        };
        let mut body: Vec<Stmt> = list.iter().map(|stmt| named(stmt, address)).collect();
        if life == Life::Leaving {
            self.feature("pthread_exit");
            self.reads = 1;
            let condition = match self.one_in(2) {
                true => number(1),
                false => self.shared_condition(),
            };
            let leave = plain("pthread_exit(0)", []);
            body.push(if_else(condition, vec![leave], vec![]));
        }
        let name = format!("{call}{}", self.name("f"));
        self.functions.push(Function {
            head: format!("static void {name}({parameters})"),
            locals,
            body,
        });
        let statement = match life {
            Life::Caller => {
                let outer = self.name("f");
                extra.push(Function {
                    head: format!("static void {outer}(void)"),
                    locals: vec![format!("{ty} v = {first}")],
                    body: vec![plain(format!("{name}(&v)"), [])],
                });
                plain(format!("{outer}()"), [])
            }
            Life::Argument => {
                let tag = parameters.trim_end_matches(" s").to_owned();
                let given = self.global("b", &format!("{tag} @ = {{ {first} }}"));
                plain(format!("{name}({given})"), [])
            }
            _ => plain(format!("{name}()"), []),
        };
        self.functions.append(&mut extra);
        self.hide(role, vec![statement]);
    }

    fn live_in_block(&mut self, role: usize, ty: &str, first: &str, list: &[Stmt]) {
        self.feature("array in a block");
        let array = self.name("w");
        let count = match self.one_in(3) {
            true => {
                let var = self.some_var();
                format!("1 + ({} & 1)", var.text)
            }
            false => "n".to_owned(),
        };
        if count == "n" {
            self.bodies[role].locals.push(format!("int n{array} = 2"));
        }
        let count = count.replace('n', &format!("n{array}"));
        let mut body = vec![
            plain(format!("{ty} {array}[{count}]"), []),
            plain(format!("{array}[0] = {first}"), []),
        ];
        body.extend(list.iter().map(|stmt| named(stmt, &array)));
        self.hide(role, vec![block("", [], body)]);
    }

    fn live_in_thread(&mut self, role: usize, ty: &str, first: &str, list: &[Stmt]) {
        self.feature("pthread_exit");
        let name = self.name("v");
        let declaration = format!("{ty} {name} = {first}");
        self.bodies[role].locals.push(declaration);
        let list: Vec<Stmt> = (list.iter())
            .map(|stmt| named(stmt, &format!("(&{name})")))
            .collect();
        let leave = plain("pthread_exit(0)", []);
        match self.one_in(4) {
            // Keys and the end come after it, each in a step of its own.
            true => self.add(role, [between_atomic([list, vec![leave]].concat())]),
            false => self.add(role, [list, vec![leave]].concat()),
        }
    }

    /// A pointer to a block, which is lost when the local ends that holds it.
    fn lent_block(&mut self) {
        self.feature("malloc");
        self.feature("block in a local handed out");
        let role = self.rng.usize(..self.bodies.len());
        let life = match self.some_life(role) {
            Life::Argument | Life::Block => Life::Function,
            other => other,
        };
        let other = self.other_role(role);
        let (pointer, copy) = (self.global("q", "int **@"), self.name("q"));
        let kept = self.global("p", "int *@");
        let mut uses = vec![match self.rng.u32(..3) {
            0 => plain(format!("free(*{copy})"), []),
            1 => plain(format!("{kept} = *{copy}"), []),
            _ => plain(format!("**{copy} = 1"), []),
        }];
        if self.one_in(3) {
            uses.push(plain(format!("*{copy} = 0"), []));
        }
        let take = vec![
            plain(format!("int **{copy} = {pointer}"), []),
            if_else(place(&copy, []), uses, vec![]),
        ];
        self.bodies[other].list.push(block("", [], take));
        let mut list = vec![plain(format!("{pointer} = @"), [])];
        if self.one_in(3) {
            list.push(plain("free(*@)", []));
        }
        self.live(role, life, "int *", "malloc(4)", list);
    }

    /// A lock that is a local, and may end while it is held or waited for.
    fn lent_lock(&mut self) {
        self.feature("lock handed out");
        self.feature("mutex");
        let role = self.rng.usize(..self.bodies.len());
        let other = self.other_role(role);
        let (pointer, copy) = (self.global("q", "pthread_mutex_t *@"), self.name("q"));
        let var = self.some_var();
        let lock = |pointer: &str| plain(format!("pthread_mutex_lock({pointer})"), []);
        let unlock = |pointer: &str| plain(format!("pthread_mutex_unlock({pointer})"), []);
        let mut uses = vec![lock(&copy), plain(format!("{}++", var.text), [])];
        if !self.one_in(3) {
            uses.push(unlock(&copy));
        }
        let take = vec![
            plain(format!("pthread_mutex_t *{copy} = {pointer}"), []),
            if_else(place(&copy, []), uses, vec![]),
        ];
        self.bodies[other].list.push(block("", [], take));
        let store = plain(format!("{pointer} = @"), []);
        let list = match self.rng.u32(..4) {
            0 => vec![store],
            1 => vec![store, lock("@")],
            2 => vec![lock("@"), store, unlock("@")],
            _ => vec![store, lock("@"), unlock("@")],
        };
        let life = match self.some_life(role) {
            Life::Argument | Life::Block | Life::AtomicFunction => Life::Function,
            other => other,
        };
        self.live(role, life, "pthread_mutex_t", "{ { 0 } }", list);
    }

    /// Something that others decide about.
    fn shared_condition(&mut self) -> Expr {
        let var = self.some_var();
        value("$ != 0", [value(&var.text, [])])
    }
}

fn locked(mutex: &str, body: Vec<Stmt>) -> Stmt {
    between(
        format!("pthread_mutex_lock(&{mutex});"),
        body,
        format!("pthread_mutex_unlock(&{mutex});"),
    )
}

/// The same statement with an address in the place of `@`.
fn named(stmt: &Stmt, address: &str) -> Stmt {
    let mut stmt = stmt.clone();
    match &mut stmt {
        Stmt::Plain { text, .. } => *text = text.replace('@', address),
        Stmt::Block { sections, .. } => {
            for section in sections {
                section.body = (section.body.iter())
                    .map(|stmt| named(stmt, address))
                    .collect();
            }
        }
    }
    stmt
}
