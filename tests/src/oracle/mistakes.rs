//! Mistakes of other kinds than failed assertions, each of which happens only
//! sometimes: on some paths, in some orders of steps, or not at all.

use super::generate::{Generator, Ty, between_atomic};
use super::syntax::{Expr, Function, Stmt, between, block, if_else, number, place, plain, value};
use replay::Property;

impl Generator {
    /// Adds something that may violate a property.
    pub(super) fn add_mistake(&mut self, property: Property) {
        match property {
            Property::Arithmetic => self.wrong_operand(),
            Property::Overflow => self.too_large(),
            Property::Conversion => self.lossy(),
            Property::Memory => self.wrong_address(),
            Property::Misuse => self.wrong_call(),
            Property::Unwind => self.long_loop(),
            Property::Race => self.contention(),
            Property::Deadlock => self.blocking(),
            Property::Leak | Property::Cleanup => self.left_over(),
            Property::Uninitialised => self.unwritten(),
            Property::Assert => {}
        }
    }

    /// Puts a statement somewhere into a body: as it is, or inside of something.
    pub(super) fn hide(&mut self, role: usize, stmts: Vec<Stmt>) {
        let stmt = match self.rng.u32(..10) {
            0 | 1 => {
                self.reads = 1;
                let condition = self.condition(role, 1);
                if_else(condition, stmts, vec![])
            }
            2 => self.lock_around(stmts),
            3 => {
                self.feature("atomic section");
                between_atomic(stmts)
            }
            4 => {
                self.needed_unwind = self.needed_unwind.max(3);
                let i = self.name("i");
                let open = format!("for (int {i} = 0; {i} < 2; {i}++)");
                block(open, [], stmts)
            }
            _ => block("", [], stmts),
        };
        let list = &mut self.bodies[role].list;
        // What ends a body must stay at the end.
        let most = list.len().saturating_sub(1);
        let at = self.rng.usize(..=most);
        self.bodies[role].list.insert(at, stmt);
    }

    /// A number that others change between two values, each of them once or so.
    pub(super) fn changing(&mut self, ty: Ty, first: i64, then: i64) -> Expr {
        let var = self.shared_of(ty, first);
        let roles = self.bodies.len();
        for _ in 0..self.rng.usize(1..=2) {
            let role = self.rng.usize(..roles);
            let to = match self.one_in(3) {
                true => first,
                false => then,
            };
            let change = self.write(&var, number(to));
            self.hide(role, vec![change]);
        }
        self.read(&var)
    }

    /// Division by a number that may be zero, and shifts that may be too far.
    fn wrong_operand(&mut self) {
        self.feature("wrong operand");
        let role = self.rng.usize(..self.bodies.len());
        let wrong = match self.rng.u32(..5) {
            0 | 1 => {
                let (first, then) = self.pick(&[(1, 0), (0, 2), (1, 3)]);
                let divisor = self.changing(Ty::Int, first, then);
                let op = self.pick(&["/", "%"]);
                value(format!("7 {op} $"), [divisor])
            }
            2 => {
                let divisor = self.changing(Ty::Unsigned, 1, 0);
                value("(int)(9u / $)", [divisor])
            }
            3 => {
                let (first, then) = self.pick(&[(1, 32), (31, 33), (1, -1), (2, 3)]);
                let by = self.changing(Ty::Int, first, then);
                let op = self.pick(&["1 << $", "1u >> $", "-5 >> $"]);
                value(format!("(int)({op})"), [by])
            }
            _ => {
                self.reads = 2;
                let (a, b) = (self.expr(role, 1), self.expr(role, 1));
                value("($) / ($)", [a, b])
            }
        };
        let target = self.local(role);
        self.hide(role, vec![plain(format!("{target} = $"), [wrong])]);
    }

    /// Signed numbers that are close to the limits of their type.
    fn too_large(&mut self) {
        self.feature("too large");
        let role = self.rng.usize(..self.bodies.len());
        let most = i64::from(i32::MAX);
        let stmt = match self.rng.u32(..7) {
            0 | 1 => {
                let first = most - self.rng.i64(0..3);
                let var = self.shared_of(Ty::Int, first);
                let roles = self.some_roles();
                let guard = self.one_in(2);
                for role in roles {
                    let grow = self.pick(&["++", " += 1", " += 2"]);
                    let grow = plain(format!("{}{grow}", var.text), []);
                    let grow = match guard {
                        true => {
                            let room = value(format!("$ < {most}"), [self.read(&var)]);
                            if_else(room, vec![grow], vec![])
                        }
                        false => grow,
                    };
                    self.hide(role, vec![grow]);
                }
                return;
            }
            2 => {
                let (first, then) = self.pick(&[(1, 2), (65535, 65536), (-1, 32767)]);
                let factor = self.changing(Ty::Int, first, then);
                let by = self.pick(&[32768, 65536, most]);
                let target = self.local(role);
                plain(format!("{target} = $ * {by}"), [factor])
            }
            3 => {
                let (first, then) = self.pick(&[(-most - 1, -most), (0, -most - 1), (3, 4)]);
                let number = self.changing(Ty::Int, first, then);
                let target = self.local(role);
                let op = self.pick(&["-$", "abs($)", "$ - 1"]);
                plain(format!("{target} = {op}"), [number])
            }
            4 => {
                let (first, then) = self.pick(&[(1, -1), (-1, 2), (2, 3)]);
                let divisor = self.changing(Ty::Int, first, then);
                let target = self.local(role);
                let op = self.pick(&["/", "%"]);
                plain(format!("{target} = (-{most} - 1) {op} $"), [divisor])
            }
            5 => {
                let (first, then) = self.pick(&[(0, 1), (1, 2), (-1, 0)]);
                let number = self.changing(Ty::Long, first, then);
                let target = self.local(role);
                // `long` has 32 or 64 bits.
                plain(
                    format!("{target} = (long)(~0ul >> 1) - 1 + $ > 0"),
                    [number],
                )
            }
            _ => {
                self.reads = 2;
                let (a, b) = (self.expr(role, 1), self.expr(role, 1));
                let target = self.local(role);
                plain(format!("{target} = ($) * {most} + ($)"), [a, b])
            }
        };
        self.hide(role, vec![stmt]);
    }

    /// Implicit conversions of numbers that may not fit.
    fn lossy(&mut self) {
        self.feature("lossy conversion");
        let role = self.rng.usize(..self.bodies.len());
        let (from, first, then) = self.pick(&[
            (Ty::Int, 100, 300),
            (Ty::Int, 1, -1),
            (Ty::Int, 32767, 32768),
            (Ty::Long, 127, 128),
            (Ty::Unsigned, 2, 4_000_000_000),
            (Ty::Short, -128, -129),
        ]);
        let number = self.changing(from, first, then);
        let ty = self.pick(&[Ty::Char, Ty::UnsignedChar, Ty::Short, Ty::Int, Ty::Unsigned]);
        let target = self.shared_of(ty, 0).text;
        let stmt = match self.rng.u32(..6) {
            0..=2 => plain(format!("{target} = $"), [number]),
            3 => plain(format!("{target} += $"), [number]),
            // What is written as a conversion is meant.
            4 => plain(format!("{target} = ({})($)", ty.name()), [number]),
            _ => {
                let local = self.local(role);
                plain(format!("{local} = ($) == {target}++"), [number])
            }
        };
        self.hide(role, vec![stmt]);
    }

    // Memory.

    /// Pointers that may be wrong.
    fn wrong_address(&mut self) {
        self.feature("wrong address");
        match self.rng.u32(..10) {
            0 | 1 => self.freed_too_early(),
            8 | 9 => self.any_size(),
            2 => self.null_sometimes(),
            3 | 4 => self.out_of_range(),
            5 => self.freed_twice(),
            6 => self.stale_local(),
            _ => self.wrong_block(),
        }
    }

    /// One thread uses a block that another frees.
    fn freed_too_early(&mut self) {
        self.feature("malloc");
        let block = self.global("b", "int *@");
        let (user, owner) = self.two_roles();
        let make = plain(format!("{block} = malloc(2 * sizeof(int))"), []);
        let fill = plain(format!("{block}[0] = 1; {block}[1] = 2"), []);
        match self.one_in(3) {
            true => self.bodies[owner]
                .list
                .insert(0, super::syntax::block("", [], vec![make, fill])),
            false => self
                .before
                .push(super::syntax::block("", [], vec![make, fill])),
        }
        let at = self.rng.u32(..2);
        let target = self.local(user);
        let mine = self.name("p");
        let use_it = match self.rng.u32(..4) {
            0 => vec![plain(format!("{block}[{at}]++"), [])],
            1 => vec![plain(format!("{target} = {block}[{at}]"), [])],
            2 => vec![
                plain(format!("int *{mine} = {block}"), []),
                if_else(
                    place(mine.clone(), []),
                    vec![plain(format!("{mine}[{at}] = 3"), [])],
                    vec![],
                ),
            ],
            _ => vec![if_else(
                place(block.clone(), []),
                vec![plain(format!("{target} = {block}[{at}]"), [])],
                vec![],
            )],
        };
        let mut end = vec![plain(format!("free({block})"), [])];
        if self.one_in(2) {
            let clear = plain(format!("{block} = 0"), []);
            let at = self.rng.usize(..=1);
            match at {
                0 => {
                    let old = self.name("p");
                    end = vec![
                        plain(format!("int *{old} = {block}"), []),
                        clear,
                        plain(format!("free({old})"), []),
                    ];
                }
                _ => end.push(clear),
            }
        }
        if self.one_in(2) {
            let mutex = self.mutex();
            let lock = |body| {
                between(
                    format!("pthread_mutex_lock(&{mutex});"),
                    body,
                    format!("pthread_mutex_unlock(&{mutex});"),
                )
            };
            let (used, ended) = (lock(use_it), lock(end));
            self.add(user, [used]);
            self.add(owner, [ended]);
        } else {
            self.hide(user, use_it);
            self.hide(owner, end);
        }
    }

    /// A pointer that is null for a while.
    fn null_sometimes(&mut self) {
        let cell = self.global("x", "int @");
        let first = self.pick(&["0".to_owned(), format!("&{cell}")]);
        let pointer = self.global("p", &format!("int *@ = {first}"));
        let (user, other) = self.two_roles();
        let to = self.pick(&["0".to_owned(), format!("&{cell}"), "(int *)77".to_owned()]);
        self.hide(other, vec![plain(format!("{pointer} = {to}"), [])]);
        let target = self.local(user);
        let use_it = match self.rng.u32(..3) {
            0 => plain(format!("*{pointer} = 1"), []),
            1 => plain(format!("{target} = *{pointer}"), []),
            _ => if_else(
                place(pointer.clone(), []),
                vec![plain(format!("{target} = *{pointer}"), [])],
                vec![],
            ),
        };
        self.hide(user, vec![use_it]);
    }

    /// Indices that may be beyond the end.
    fn out_of_range(&mut self) {
        let role = self.rng.usize(..self.bodies.len());
        let ty = self.pick(&["int", "short", "char"]);
        let target = self.local(role);
        let (first, then) = self.pick(&[(0, 3), (1, -1), (2, 3), (0, 2), (2, 100_000)]);
        let index = self.changing(Ty::Int, first, then);
        let stmts = match self.rng.u32(..5) {
            0 | 1 => {
                let array = self.global("a", &format!("{ty} @[3]"));
                match self.one_in(2) {
                    true => vec![plain(format!("{array}[$] = 1"), [index])],
                    false => vec![plain(format!("{target} = {array}[$]"), [index])],
                }
            }
            2 => {
                let array = self.name("a");
                vec![
                    plain(format!("{ty} {array}[3] = {{ 1 }}"), []),
                    plain(format!("{target} = {array}[$]"), [index]),
                ]
            }
            3 => {
                self.feature("malloc");
                let array = self.name("a");
                vec![
                    plain(format!("{ty} *{array} = calloc(3, sizeof({ty}))"), []),
                    plain(format!("{array}[$] = 1"), [index]),
                ]
            }
            _ => {
                let array = self.global("a", "int @[300]");
                let i = self.name("i");
                vec![
                    plain(format!("int {i} = $"), [index]),
                    plain(format!("{target} = {array}[{i} * 120]"), []),
                ]
            }
        };
        self.hide(role, stmts);
    }

    /// Blocks and local arrays whose size others decide.
    fn any_size(&mut self) {
        self.feature("any size");
        let role = self.rng.usize(..self.bodies.len());
        let ty = self.pick(&["int", "short", "char"]);
        let target = self.local(role);
        let array = self.name("a");
        let count = match self.one_in(3) {
            true => {
                self.greatest_input = self.greatest_input.max(3);
                value("($ & 3) + 1", [self.input()])
            }
            false => {
                let (first, then) = self.pick(&[(1, 3), (3, 1), (2, 4), (4, 2)]);
                self.changing(Ty::Int, first, then)
            }
        };
        let make = match self.rng.u32(..5) {
            0 => format!("{ty} {array}[$]"),
            1 => format!("{ty} *{array} = calloc($, sizeof({ty}))"),
            2 => format!("{ty} *{array} = realloc(malloc(1), $ * sizeof({ty}))"),
            _ => format!("{ty} *{array} = malloc($ * sizeof({ty}))"),
        };
        let mut stmts = vec![plain(make, [count])];
        let index = match self.one_in(3) {
            true => {
                let (first, then) = self.pick(&[(0, 2), (1, 3), (2, -1)]);
                self.changing(Ty::Int, first, then)
            }
            false => number(self.rng.i64(0..4)),
        };
        stmts.push(match self.rng.u32(..3) {
            0 => plain(format!("memset({array}, 1, 2 * sizeof({ty}))"), []),
            _ => plain(format!("{array}[$] = 1"), [index]),
        });
        if self.one_in(2) {
            let shared = self.global("g", &format!("{ty} *@"));
            let user = self.other_role(role);
            stmts.insert(1, plain(format!("{shared} = {array}"), []));
            let at = self.rng.u32(..4);
            let use_it = plain(format!("{shared}[{at}] = 2"), []);
            self.hide(user, vec![if_else(place(shared, []), vec![use_it], vec![])]);
        } else {
            stmts.push(plain(format!("{target} = {array}[0]"), []));
        }
        self.hide(role, stmts);
    }

    /// Two threads free what they find.
    fn freed_twice(&mut self) {
        self.feature("malloc");
        self.feature("free");
        let block = self.global("b", "int *@");
        self.before
            .push(plain(format!("{block} = malloc(sizeof(int))"), []));
        let (one, other) = self.two_roles();
        let way = self.rng.u32(..4);
        for role in [one, other] {
            let old = self.name("p");
            let free = match way {
                0 => vec![plain(format!("free({block}); {block} = 0"), [])],
                1 => vec![
                    plain(format!("int *{old} = {block}"), []),
                    plain(format!("{block} = 0"), []),
                    plain(format!("free({old})"), []),
                ],
                2 => vec![plain(
                    format!("free(__atomic_exchange_n(&{block}, (int *)0, 5))"),
                    [],
                )],
                _ => vec![if_else(
                    place(block.clone(), []),
                    vec![plain(format!("free({block}); {block} = 0"), [])],
                    vec![],
                )],
            };
            self.hide(role, free);
        }
    }

    /// A pointer to a local outlives it, perhaps.
    fn stale_local(&mut self) {
        let pointer = self.global("p", "int *@");
        let (owner, user) = self.two_roles();
        let name = self.name("f");
        let clear = match self.one_in(2) {
            true => vec![plain(format!("{pointer} = 0"), [])],
            false => Vec::new(),
        };
        let mut body = vec![plain(format!("{pointer} = &mine"), [])];
        body.push(plain("mine++", []));
        body.extend(clear);
        self.functions.push(Function {
            head: format!("static void {name}(void)"),
            locals: vec!["int mine = 1".to_owned()],
            body,
        });
        self.hide(owner, vec![plain(format!("{name}()"), [])]);
        let target = self.local(user);
        let mine = self.name("p");
        let role = match self.one_in(3) {
            true => owner,
            false => user,
        };
        let target = match role == owner {
            true => self.local(owner),
            false => target,
        };
        self.hide(
            role,
            vec![
                plain(format!("int *{mine} = {pointer}"), []),
                if_else(
                    place(mine.clone(), []),
                    vec![plain(format!("{target} = *{mine}"), [])],
                    vec![],
                ),
            ],
        );
    }

    /// Frees something that was not allocated, or not from its start.
    fn wrong_block(&mut self) {
        self.feature("malloc");
        self.feature("free");
        let cell = self.global("x", "int @");
        let role = self.rng.usize(..self.bodies.len());
        let (first, then) = self.pick(&[(0, 1), (1, 0)]);
        let which = self.changing(Ty::Int, first, then);
        let block = self.name("b");
        let wrong = self.pick(&[format!("&{cell}"), format!("{block} + 1"), "0".to_owned()]);
        self.hide(
            role,
            vec![
                plain(format!("int *{block} = malloc(2 * sizeof(int))"), []),
                plain(format!("free($ ? {block} : {wrong})"), [which]),
            ],
        );
    }

    // Misuse.

    /// Library functions that are called at the wrong time.
    fn wrong_call(&mut self) {
        self.feature("wrong call");
        match self.rng.u32(..8) {
            0..3 => self.wrong_unlock(),
            3 | 4 => self.destroyed_early(),
            5 => self.made_late(),
            6 => self.wait_without_lock(),
            _ => self.joined_twice(),
        }
    }

    /// Unlocks on paths that have not locked.
    fn wrong_unlock(&mut self) {
        let role = self.rng.usize(..self.bodies.len());
        let (first, then) = self.pick(&[(0, 1), (1, 0), (1, 2)]);
        let which = self.changing(Ty::Int, first, then);
        let (lock, unlock) = match self.rng.u32(..4) {
            0 => {
                let lock = self.global("w", "pthread_rwlock_t @");
                let way = self.pick(&["rdlock", "wrlock"]);
                (
                    format!("pthread_rwlock_{way}(&{lock})"),
                    format!("pthread_rwlock_unlock(&{lock})"),
                )
            }
            _ => {
                let lock = self.mutex();
                (
                    format!("pthread_mutex_lock(&{lock})"),
                    format!("pthread_mutex_unlock(&{lock})"),
                )
            }
        };
        let (locks, unlocks) = (plain(lock, []), plain(unlock, []));
        let stmts = match self.rng.u32(..3) {
            0 => {
                let taken = self.local(role);
                vec![
                    plain(format!("{taken} = $"), [which]),
                    if_else(value(taken.clone(), []), vec![locks], vec![]),
                    if_else(value(taken, []), vec![unlocks], vec![]),
                ]
            }
            1 => vec![if_else(which, vec![locks], vec![]), unlocks],
            _ => {
                let other = self.rng.usize(..self.bodies.len());
                self.hide(other, vec![unlocks]);
                vec![locks]
            }
        };
        self.hide(role, stmts);
    }

    /// A lock is destroyed, or made again, while others may use it.
    fn destroyed_early(&mut self) {
        let lock = self.global("m", "pthread_mutex_t @");
        let (user, other) = self.two_roles();
        let guard = self.global("x", "int @");
        let used = vec![
            plain(format!("pthread_mutex_lock(&{lock})"), []),
            plain(format!("{guard}++"), []),
            plain(format!("pthread_mutex_unlock(&{lock})"), []),
        ];
        let end = match self.one_in(3) {
            true => format!("pthread_mutex_init(&{lock}, 0)"),
            false => format!("pthread_mutex_destroy(&{lock})"),
        };
        let mut destroy = vec![plain(end, [])];
        if self.one_in(3) {
            // As if it had been initialised statically.
            destroy.push(plain(format!("{lock} = (pthread_mutex_t){{0}}"), []));
        }
        if self.one_in(2) {
            let is_used = value(format!("{guard} > 0"), []);
            destroy = vec![if_else(is_used, destroy, vec![])];
        }
        self.hide(user, used);
        self.hide(other, destroy);
    }

    /// Something without a static initialiser is used before it is made, perhaps.
    fn made_late(&mut self) {
        let (maker, user) = self.two_roles();
        let ready = self.global("x", "int @");
        let (make, uses) = match self.rng.u32(..3) {
            0 => {
                let s = self.global("s", "sem_t @");
                (format!("sem_init(&{s}, 0, 1)"), format!("sem_post(&{s})"))
            }
            1 => {
                let s = self.global("s", "pthread_spinlock_t @");
                (
                    format!("pthread_spin_init(&{s}, 0)"),
                    format!("pthread_spin_trylock(&{s})"),
                )
            }
            _ => {
                let m = self.global("m", "pthread_mutex_t *@");
                self.feature("malloc");
                self.before
                    .push(plain(format!("{m} = malloc(sizeof *{m})"), []));
                (
                    format!("pthread_mutex_init({m}, 0)"),
                    format!("pthread_mutex_trylock({m})"),
                )
            }
        };
        let mut makes = vec![plain(make, []), plain(format!("{ready} = 1"), [])];
        if self.one_in(4) {
            makes.swap(0, 1);
        }
        self.hide(maker, makes);
        let uses = plain(uses, []);
        let uses = match self.one_in(3) {
            true => uses,
            false => if_else(place(ready, []), vec![uses], vec![]),
        };
        self.hide(user, vec![uses]);
    }

    fn wait_without_lock(&mut self) {
        let condition = self.global("c", "pthread_cond_t @");
        let lock = self.some_mutex();
        let (waiter, other) = self.two_roles();
        let (first, then) = self.pick(&[(0, 1), (1, 0), (1, 2)]);
        let which = self.changing(Ty::Int, first, then);
        let locks = plain(format!("pthread_mutex_lock(&{lock})"), []);
        let wait = plain(format!("pthread_cond_wait(&{condition}, &{lock})"), []);
        self.hide(waiter, vec![if_else(which, vec![locks], vec![]), wait]);
        let wake = self.pick(&["signal", "broadcast", "destroy"]);
        let wake = plain(format!("pthread_cond_{wake}(&{condition})"), []);
        self.hide(other, vec![wake]);
    }

    /// A thread is joined or detached by others too, or joins itself.
    fn joined_twice(&mut self) {
        let handle = self.global("h", "pthread_t @");
        let name = self.name("t");
        self.functions.push(Function {
            head: format!("static void *{name}(void *arg)"),
            locals: Vec::new(),
            body: vec![plain("return 0", [])],
        });
        let create = format!("pthread_create(&{handle}, 0, {name}, 0)");
        self.before.push(plain(create, []));
        for _ in 0..self.rng.usize(1..=2) {
            let role = self.rng.usize(..self.bodies.len());
            let call = match self.rng.u32(..7) {
                0 | 1 => plain(format!("pthread_detach({handle})"), []),
                2 => plain("pthread_join(pthread_self(), 0)", []),
                3 => plain("pthread_detach(pthread_self())", []),
                _ => plain(format!("pthread_join({handle}, 0)"), []),
            };
            self.hide(role, vec![call]);
        }
    }

    // Bounds.

    /// A loop whose number of iterations depends on others.
    fn long_loop(&mut self) {
        self.feature("long loop");
        let role = self.rng.usize(..self.bodies.len());
        let (first, then) = self.pick(&[(1, 2), (2, 1), (0, 3), (1, 1)]);
        let most = self.changing(Ty::Int, first, then);
        self.needed_unwind = self.needed_unwind.max(self.rng.u32(1..4));
        let target = self.local(role);
        let stmts = match self.rng.u32(..3) {
            0 => {
                let i = self.name("i");
                let open = format!("for (int {i} = 0; {i} < $; {i}++)");
                let body = vec![plain(format!("{target} += {i}"), [])];
                vec![block(open, [most], body)]
            }
            1 => {
                let n = self.name("n");
                vec![
                    plain(format!("int {n} = $"), [most]),
                    block(
                        format!("while ({n} > 0)"),
                        [],
                        vec![plain(format!("{n}--"), [])],
                    ),
                ]
            }
            _ => {
                let name = self.name("f");
                self.functions.push(Function {
                    head: format!("static int {name}(int n)"),
                    locals: Vec::new(),
                    body: vec![plain(format!("return n > 0 ? 1 + {name}(n - 1) : 0"), [])],
                });
                vec![plain(format!("{target} = {name}($)"), [most])]
            }
        };
        self.hide(role, stmts);
    }
}
