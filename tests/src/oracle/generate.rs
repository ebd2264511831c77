//! Random multi-threaded programs: the frame, with threads created and joined.
//!
//! [`program`] makes one program per seed. A few [`super::scenarios`] put their
//! statements into the bodies of the threads and say what should hold in the
//! end; [`super::statements`] adds noise. About half of the programs have a
//! violation, often one that takes several contexts.
//!
//! What it guarantees: the same seed gives the same program; and the values in
//! [`Program::inputs`] cover whatever inputs can do, those that stand for memory
//! that was never written included. It must not promise anything about other undefined behaviour.

use super::lifecycles::Frame;
use super::syntax::{Expr, Function, Program, Stmt, block, if_else, number, place, plain, value};
use fastrand::Rng;
use replay::Property;
use std::collections::BTreeSet;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ty {
    Char,
    UnsignedChar,
    Short,
    Int,
    Unsigned,
    Long,
    Bool,
}

impl Ty {
    pub(super) const NUMBERS: [Ty; 6] = [
        Ty::Int,
        Ty::Char,
        Ty::UnsignedChar,
        Ty::Short,
        Ty::Unsigned,
        Ty::Long,
    ];

    pub(super) fn name(self) -> &'static str {
        match self {
            Ty::Char => "signed char",
            Ty::UnsignedChar => "unsigned char",
            Ty::Short => "short",
            Ty::Int => "int",
            Ty::Unsigned => "unsigned",
            Ty::Long => "long",
            Ty::Bool => "_Bool",
        }
    }
}

/// A number in shared memory.
#[derive(Clone, Debug)]
pub(super) struct Var {
    /// How it is written, in any thread.
    pub text: String,
    pub ty: Ty,
    /// `&` may be applied.
    pub has_address: bool,
}

/// What a thread does, while it is being put together.
#[derive(Default)]
pub(super) struct Body {
    pub list: Vec<Stmt>,
    pub locals: Vec<String>,
    /// Local `int`s.
    pub ints: Vec<String>,
    /// How many threads run it.
    pub copies: usize,
    pub is_main: bool,
}

pub(super) struct Generator {
    pub rng: Rng,
    pub globals: Vec<String>,
    pub functions: Vec<Function>,
    pub vars: Vec<Var>,
    /// Workers first, main last.
    pub bodies: Vec<Body>,
    /// What main does before it creates threads.
    pub before: Vec<Stmt>,
    /// What main checks when it has joined them.
    pub finally: Vec<Stmt>,
    pub features: BTreeSet<&'static str>,
    pub greatest_input: u128,
    /// The most often a loop's header must be reached for the program to do
    /// what it is for.
    pub needed_unwind: u32,
    /// Which form assertions have.
    assertion: u8,
    next_name: u32,
    /// Shared reads that an expression may still have.
    pub reads: u32,
    pub mutexes: Vec<String>,
    /// Results that main picks up when it joins a body's threads.
    pub results: Vec<(usize, Expr)>,
    /// What threads of a body are given, if not 0 or their number.
    pub arguments: Vec<(usize, String)>,
    /// How threads begin and end.
    pub frame: Frame,
}

/// A thread function, when main is put together.
struct Worker {
    name: String,
    copies: usize,
    /// The thread before it creates it.
    by_worker: bool,
    argument: Option<String>,
    /// A local of main that says whether there is such a thread at all.
    made: Option<String>,
}

/// A program that is about assertions.
pub fn program(seed: u64) -> Program {
    program_about(Property::Assert, seed)
}

/// A program that may violate a property.
pub fn program_about(property: Property, seed: u64) -> Program {
    generator(property, seed).finish()
}

/// The same, in which threads begin and end in unusual ways.
pub fn program_with_lifecycles(property: Property, seed: u64) -> Program {
    let mut generator = generator(property, seed);
    generator.add_lifecycles();
    generator.finish()
}

/// The same, with what POSIX code does besides locks.
pub fn program_with_idioms(property: Property, seed: u64) -> Program {
    let mut generator = generator(property, seed);
    generator.add_idioms();
    generator.finish()
}

fn generator(property: Property, seed: u64) -> Generator {
    let mut rng = Rng::with_seed(seed);
    let n_workers = match rng.u32(..20) {
        0..9 => 1,
        9..17 => 2,
        _ if property != Property::Assert => 2,
        _ => 3,
    };
    let is_symmetric = n_workers > 1 && rng.u8(..3) == 0;
    let mut bodies: Vec<Body> = Vec::new();
    for _ in 0..if is_symmetric { 1 } else { n_workers } {
        bodies.push(Body {
            copies: if is_symmetric { n_workers } else { 1 },
            ..Body::default()
        });
    }
    bodies.push(Body {
        copies: 1,
        is_main: true,
        ..Body::default()
    });
    let mut generator = Generator {
        assertion: rng.u8(..3),
        rng,
        globals: Vec::new(),
        functions: Vec::new(),
        vars: Vec::new(),
        bodies,
        before: Vec::new(),
        finally: Vec::new(),
        features: BTreeSet::new(),
        greatest_input: 1,
        needed_unwind: 1,
        next_name: 0,
        reads: 0,
        mutexes: Vec::new(),
        results: Vec::new(),
        arguments: Vec::new(),
        frame: Frame::default(),
    };
    // Mistakes need not much around them.
    if property == Property::Assert || generator.one_in(3) {
        generator.fill(n_workers);
    }
    if property != Property::Assert {
        let mut mistakes = generator.rng.usize(1..=2);
        if generator.one_in(4) {
            generator.handed_out(property);
            // It may be the mistake itself.
            let is_mistake = matches!(
                property,
                Property::Memory | Property::Race | Property::Deadlock | Property::Leak
            );
            mistakes -= usize::from(is_mistake);
        }
        for _ in 0..mistakes {
            generator.add_mistake(property);
        }
    }
    generator
}

impl Generator {
    fn fill(&mut self, n_workers: usize) {
        let is_small = n_workers < 3;
        let n_scenarios = match self.rng.u32(..10) {
            0 => 0,
            1..8 => 1,
            _ if is_small => 2,
            _ => 1,
        };
        for _ in 0..n_scenarios {
            self.add_scenario();
        }
        if self.vars.is_empty() {
            for _ in 0..self.rng.usize(1..=2) {
                self.shared();
            }
        }
        for role in 0..self.bodies.len() {
            let most = match (n_scenarios, is_small) {
                (0, true) => 3,
                (0, false) | (1, true) => 2,
                _ => 1,
            };
            let least = usize::from(n_scenarios == 0);
            for _ in 0..self.rng.usize(least..=most) {
                let stmt = self.statement(role, 2);
                let at = self.rng.usize(..=self.bodies[role].list.len());
                self.bodies[role].list.insert(at, stmt);
            }
        }
        for role in 0..self.bodies.len() {
            // What noise has left in locals should matter now and then.
            if !self.bodies[role].ints.is_empty() && self.one_in(4) {
                let ints = self.bodies[role].ints.clone();
                let (int, not) = (self.pick(&ints), number(self.rng.i64(1..5)));
                let check = self.assert(value(format!("{int} != $"), [not]));
                self.bodies[role].list.push(check);
            }
        }
        if self.bodies.iter().all(|body| body.list.is_empty()) || n_scenarios == 0 || self.one_in(8)
        {
            let main = self.bodies.len() - 1;
            let check = self.random_assertion(main);
            self.finally.push(check);
        }
    }

    // Chance and names.

    pub(super) fn one_in(&mut self, n: u32) -> bool {
        self.rng.u32(..n) == 0
    }

    pub(super) fn pick<T: Clone>(&mut self, choices: &[T]) -> T {
        choices[self.rng.usize(..choices.len())].clone()
    }

    pub(super) fn feature(&mut self, name: &'static str) {
        self.features.insert(name);
    }

    pub(super) fn name(&mut self, prefix: &str) -> String {
        self.next_name += 1;
        format!("{prefix}{}", self.next_name)
    }

    /// Declares a global variable; `declarator` may contain `@`, which stands
    /// for the name.
    pub(super) fn global(&mut self, prefix: &str, declarator: &str) -> String {
        let name = self.name(prefix);
        self.globals.push(declarator.replace('@', &name));
        name
    }

    /// A new local `int` of a body, which is 0 at first.
    pub(super) fn local(&mut self, role: usize) -> String {
        let name = self.name("l");
        let body = &mut self.bodies[role];
        body.locals.push(format!("int {name} = 0"));
        body.ints.push(name.clone());
        name
    }

    // Shared variables.

    /// A new shared number of any type, somewhere in memory.
    pub(super) fn shared(&mut self) -> Var {
        let ty = match self.rng.u32(..16) {
            0..8 => Ty::Int,
            8 => Ty::Bool,
            _ => self.pick(&Ty::NUMBERS),
        };
        self.shared_of(ty, 0)
    }

    /// A new shared number with a first value.
    pub(super) fn shared_of(&mut self, ty: Ty, first: i64) -> Var {
        let name = ty.name();
        let mut has_address = true;
        let text = match self.rng.u32(..20) {
            0 | 1 => {
                self.feature("array");
                let at = self.rng.usize(..2);
                let rest = ["0, ", ""][1 - at];
                let array = self.global("a", &format!("{name} @[3] = {{ {rest}{first} }}"));
                format!("{array}[{at}]")
            }
            2 => {
                self.feature("symbolic index");
                let index = self.global("i", "int @ = 1");
                let array = self.global("a", &format!("{name} @[2] = {{ 0, {first} }}"));
                format!("{array}[{index} & 1]")
            }
            3 | 4 => {
                self.feature("struct member");
                let tag = self.name("S");
                let record = format!("struct {tag} {{ char a; {name} b; }}");
                let s = self.global("s", &format!("{record} @ = {{ 0, {first} }}"));
                format!("{s}.b")
            }
            5 => {
                self.feature("pointer");
                let x = self.global("x", &format!("{name} @ = {first}"));
                let p = self.global("p", &format!("{name} *@ = &{x}"));
                format!("(*{p})")
            }
            6 => {
                self.feature("volatile");
                self.global("x", &format!("volatile {name} @ = {first}"))
            }
            7 if ty == Ty::Unsigned => {
                self.feature("bit-field");
                has_address = false;
                let record = "struct { unsigned a : 3, b : 5; }";
                let s = self.global("s", &format!("{record} @ = {{ 0, {first} }}"));
                format!("{s}.b")
            }
            8 => {
                self.feature("_Atomic");
                self.global("x", &format!("_Atomic({name}) @ = {first}"))
            }
            9 => {
                self.feature("static local");
                let getter = self.name("get");
                self.functions.push(Function {
                    head: format!("static {name} *{getter}(void)"),
                    locals: vec![format!("static {name} cell = {first}")],
                    body: vec![plain("return &cell", [])],
                });
                format!("(*{getter}())")
            }
            _ => self.global("x", &format!("{name} @ = {first}")),
        };
        // Builtins do not add to a `_Bool`.
        has_address &= ty != Ty::Bool;
        // Pointers to these would have other types.
        let is_qualified = |g: &String| g.starts_with("_Atomic") || g.starts_with("volatile");
        has_address &= !self.globals.last().is_some_and(is_qualified);
        let var = Var {
            text,
            ty,
            has_address,
        };
        self.vars.push(var.clone());
        var
    }

    /// One of the shared numbers there are.
    pub(super) fn some_var(&mut self) -> Var {
        if self.vars.is_empty() || (self.vars.len() < 3 && self.one_in(12)) {
            return self.shared();
        }
        let vars = self.vars.clone();
        self.pick(&vars)
    }

    pub(super) fn mutex(&mut self) -> String {
        if self.mutexes.is_empty() || self.one_in(6) {
            let mutex = match self.one_in(8) {
                true => {
                    self.feature("recursive mutex");
                    self.global("m", "pthread_mutex_t @ = RECURSIVE_MUTEX")
                }
                false => self.global("m", "pthread_mutex_t @"),
            };
            self.mutexes.push(mutex);
        }
        let mutexes = self.mutexes.clone();
        self.feature("mutex");
        self.pick(&mutexes)
    }

    // Ways to read, to write and to check.

    pub(super) fn read(&mut self, var: &Var) -> Expr {
        if var.has_address && self.one_in(8) {
            self.feature("atomic load");
            let order = self.pick(&[5, 5, 2, 0]);
            return value(format!("__atomic_load_n(&{}, {order})", var.text), []);
        }
        value(&var.text, [])
    }

    pub(super) fn write(&mut self, var: &Var, what: Expr) -> Stmt {
        let text = &var.text;
        match self.rng.u32(..16) {
            0 if var.has_address => {
                self.feature("atomic store");
                plain(format!("__atomic_store_n(&{text}, $, 5)"), [what])
            }
            1 if var.has_address => {
                self.feature("atomic exchange");
                plain(format!("(void)__atomic_exchange_n(&{text}, $, 5)"), [what])
            }
            2 if var.has_address => {
                self.feature("function call");
                let set = self.name("set");
                let ty = var.ty.name();
                self.functions.push(Function {
                    head: format!("static void {set}({ty} *place, int v)"),
                    locals: Vec::new(),
                    body: vec![plain("*place = v", [])],
                });
                plain(format!("{set}(&{text}, $)"), [what])
            }
            3 => {
                self.feature("atomic section");
                between_atomic(vec![plain(format!("{text} = $"), [what])])
            }
            _ => plain(format!("{text} = $"), [what]),
        }
    }

    pub(super) fn assert(&mut self, condition: Expr) -> Stmt {
        match self.assertion {
            0 => plain("__VERIFIER_assert($)", [condition]),
            1 => if_else(
                value("!($)", [condition]),
                vec![plain("reach_error()", [])],
                vec![],
            ),
            _ => plain(
                "($) ? (void)0 : __assert_fail(\"c\", \"f\", 1, \"g\")",
                [condition],
            ),
        }
    }

    /// A comparison that may or may not hold.
    pub(super) fn random_assertion(&mut self, role: usize) -> Stmt {
        self.reads = 1;
        let left = match self.one_in(4) {
            true => self.expr(role, 1),
            false => {
                let var = self.some_var();
                self.read(&var)
            }
        };
        // Mostly something that does not happen at once.
        let (op, bound) = match self.rng.u32(..8) {
            0 => ("==", self.rng.i64(0..3)),
            1 => (">=", self.rng.i64(-1..2)),
            2 | 3 => ("<=", self.rng.i64(1..4)),
            _ => ("!=", self.rng.i64(2..7)),
        };
        let bound = number(bound);
        self.reads = 0;
        // The small types are promoted; `unsigned` must not change what is meant.
        self.assert(value(format!("(int)($) {op} $"), [left, bound]))
    }

    // The frame.

    fn finish(mut self) -> Program {
        let shape = self.rng.u32(..10);
        let main = self.bodies.len() - 1;
        let mut main_list = std::mem::take(&mut self.before);
        let mut locals = Vec::new();
        let mut workers = Vec::new();
        for role in 0..main {
            let name = self.name("t");
            let body = std::mem::take(&mut self.bodies[role]);
            let argument = self.arguments.iter().find(|(of, _)| *of == role);
            let argument = argument.map(|(_, argument)| argument.clone());
            let has_result = self.results.iter().any(|(of, _)| *of == role);
            // One is enough, and keeps callees before callers.
            let may_be_nested = role > 0 && argument.is_none() && !has_result;
            let is_first = workers.iter().all(|worker: &Worker| !worker.by_worker);
            let often = if self.frame.outlives { 2 } else { 10 };
            let by_worker = may_be_nested && is_first && self.one_in(often);
            let may_be_missing = body.copies == 1 && !by_worker && !has_result;
            let made = (may_be_missing && self.one_in(10)).then(|| self.name("made"));
            locals.extend(made.iter().map(|made| format!("int {made} = 0")));
            workers.push(Worker {
                made,
                name: name.clone(),
                copies: body.copies,
                by_worker,
                argument,
            });
            let mut list = body.list;
            let ends = matches!(
                list.last(),
                Some(Stmt::Plain { text, .. }) if text.starts_with("return") || text.starts_with("pthread_exit")
            );
            let result = self.results.iter().find(|(of, _)| *of == role);
            if let Some((_, result)) = result {
                list.push(plain("return (void *)(long)($)", [result.clone()]));
            } else if !ends {
                list.push(plain("return 0", []));
            }
            self.functions.push(Function {
                head: format!("static void *{name}(void *arg)"),
                locals: body.locals,
                body: list,
            });
        }
        let handles = self.handles(shape, &workers, &mut locals);
        self.create(shape, &workers, &handles, &mut main_list);
        let body = std::mem::take(&mut self.bodies[main]);
        main_list.extend(body.list);
        self.join(shape, &workers, &handles, &mut main_list);
        locals.extend(body.locals);
        main_list.append(&mut self.finally);
        main_list.push(match self.one_in(16) {
            _ if self.frame.main_leaves => plain("pthread_exit(0)", []),
            true => {
                self.feature("exit");
                plain("exit(0)", [])
            }
            false => plain("return 0", []),
        });
        self.functions.push(Function {
            head: "int main(void)".to_owned(),
            locals,
            body: main_list,
        });
        let is_32_bits = self.one_in(8);
        if is_32_bits {
            self.feature("32 bits");
        }
        let unwind = match self.one_in(4) {
            true => self.rng.u32(1..=3),
            false => self.needed_unwind,
        };
        Program {
            globals: self.globals,
            functions: self.functions,
            is_32_bits,
            unwind,
            inputs: (0..=self.greatest_input).collect(),
            features: self.features,
        }
    }

    /// The place of each thread's handle.
    fn handles(&mut self, shape: u32, workers: &[Worker], locals: &mut Vec<String>) -> Vec<String> {
        let count: usize = workers.iter().map(|worker| worker.copies).sum();
        match shape {
            0..3 => {
                self.feature("handles in array");
                locals.push(format!("pthread_t h[{count}]"));
                (0..count).map(|at| format!("h[{at}]")).collect()
            }
            3 => {
                self.feature("handles in struct");
                locals.push(format!("struct {{ int n; pthread_t h[{count}]; }} all"));
                (0..count).map(|at| format!("all.h[{at}]")).collect()
            }
            4 => {
                self.feature("handles in globals");
                self.globals.push(format!("pthread_t g[{count}]"));
                (0..count).map(|at| format!("g[{at}]")).collect()
            }
            _ => {
                let names: Vec<String> = (0..count).map(|at| format!("h{at}")).collect();
                locals.push(format!("pthread_t {}", names.join(", ")));
                names
            }
        }
    }

    fn create(&mut self, shape: u32, workers: &[Worker], handles: &[String], list: &mut Vec<Stmt>) {
        let mut next = 0;
        for (index, worker) in workers.iter().enumerate() {
            let Worker { name, copies, .. } = worker;
            // Copies in an array are created in a loop, which has to go round
            // as often.
            let is_plain = worker.argument.is_none();
            if *copies > 1 && shape < 3 && is_plain && self.one_in(2) {
                self.feature("creation in a loop");
                self.needed_unwind = self.needed_unwind.max(*copies as u32 + 1);
                let create = format!("pthread_create(&h[i], 0, {name}, (void *)(long)i)");
                let open = format!("for (int i = 0; i < {copies}; i++)");
                list.push(block(open, [], vec![plain(create, [])]));
                next += copies;
                continue;
            }
            for copy in 0..*copies {
                let handle = handles[next].clone();
                next += 1;
                let argument = match (&worker.argument, copies) {
                    (Some(argument), _) => argument.clone(),
                    (None, 1) => "0".to_owned(),
                    (None, _) => format!("(void *)(long){copy}"),
                };
                if worker.by_worker && index > 0 {
                    self.create_in_worker(name, &workers[index - 1].name);
                    continue;
                }
                let create = format!("pthread_create(&{handle}, 0, {name}, {argument})");
                let create = plain(create, []);
                let Some(made) = &worker.made else {
                    list.push(create);
                    continue;
                };
                self.feature("conditional creation");
                self.reads = 1;
                let condition = match self.one_in(2) {
                    true => self.input(),
                    false => self.condition(self.bodies.len() - 1, 1),
                };
                list.push(plain(format!("{made} = $"), [condition]));
                list.push(if_else(place(made, []), vec![create], vec![]));
            }
        }
    }

    /// The thread before it creates this one, and joins it or not.
    fn create_in_worker(&mut self, name: &str, creator: &str) {
        self.feature("thread creates thread");
        // The created function has to come first.
        let head = format!("static void *{creator}(void *arg)");
        let Some(at) = self.functions.iter().position(|f| f.head == head) else {
            return;
        };
        let mut function = self.functions.remove(at);
        function.locals.push("pthread_t inner".to_owned());
        let create = plain(format!("pthread_create(&inner, 0, {name}, 0)"), []);
        function.body.insert(0, create);
        if self.one_in(2) {
            let join = plain("pthread_join(inner, 0)", []);
            let at = function.body.len() - 1;
            function.body.insert(at, join);
        } else if self.frame.outlives && self.one_in(2) {
            self.feature("detach");
            let detach = plain("pthread_detach(inner)", []);
            function.body.insert(1, detach);
        }
        self.functions.push(function);
    }

    /// Lets a thread join another one at its end.
    fn join_in(&mut self, worker: Option<&Worker>, join: &Stmt) -> bool {
        let Some(worker) = worker.filter(|worker| worker.copies == 1) else {
            return false;
        };
        let head = format!("static void *{}(void *arg)", worker.name);
        let function = self.functions.iter_mut().find(|f| f.head == head);
        if let Some(function) = function {
            let at = function.body.len().saturating_sub(1);
            function.body.insert(at, join.clone());
            self.features.insert("join in a thread");
        }
        true
    }

    fn join(&mut self, shape: u32, workers: &[Worker], handles: &[String], list: &mut Vec<Stmt>) {
        let (leave, often) = match self.frame.outlives {
            true => (1, 2),
            false => (6, 4),
        };
        let joins_all = !self.one_in(leave);
        let mut next = 0;
        for (role, worker) in workers.iter().enumerate() {
            let copies = worker.copies;
            let has_result = self.results.iter().any(|(of, _)| *of == role);
            if copies > 1 && shape < 3 && !has_result && joins_all && self.one_in(2) {
                self.needed_unwind = self.needed_unwind.max(copies as u32 + 1);
                let open = format!("for (int i = {next}; i < {}; i++)", next + copies);
                list.push(block(open, [], vec![plain("pthread_join(h[i], 0)", [])]));
                next += copies;
                continue;
            }
            for _ in 0..copies {
                let handle = handles[next].clone();
                next += 1;
                if worker.by_worker {
                    continue;
                }
                if !joins_all && !has_result && self.one_in(2) {
                    if self.one_in(often) {
                        self.feature("detach");
                        let detach = plain(format!("pthread_detach({handle})"), []);
                        list.push(match &worker.made {
                            Some(made) => if_else(place(made, []), vec![detach], vec![]),
                            None => detach,
                        });
                    }
                    continue;
                }
                let into = if has_result { "&result" } else { "0" };
                let join = plain(format!("pthread_join({handle}, {into})"), []);
                if let Some(made) = &worker.made {
                    list.push(if_else(place(made, []), vec![join], vec![]));
                    continue;
                }
                // The next thread knows the handle if it is global.
                let is_shared = shape == 4 && copies == 1 && !has_result;
                if is_shared && self.one_in(3) && self.join_in(workers.get(role + 1), &join) {
                    continue;
                }
                list.push(join);
            }
        }
    }
}

pub(super) fn between_atomic(body: Vec<Stmt>) -> Stmt {
    super::syntax::between(
        "__VERIFIER_atomic_begin();",
        body,
        "__VERIFIER_atomic_end();",
    )
}

/// A pointer to a shared number.
pub(super) fn address(var: &Var) -> Expr {
    place(format!("&{}", var.text), [])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_seed_gives_the_same_program() {
        for seed in 0..50 {
            assert_eq!(program(seed), program(seed));
        }
        assert_ne!(program(1).print(), program(2).print());
    }
}
