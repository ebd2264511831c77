//! Blocks that are freed or not, and known or not, when the process ends.

use super::generate::{Generator, Ty};
use super::syntax::{Function, Stmt, block, if_else, place, plain, value};

impl Generator {
    /// Memory that may be left in the end.
    pub(super) fn left_over(&mut self) {
        self.feature("malloc");
        match self.rng.u32(..14) {
            0 | 1 => self.overwritten(),
            2 | 3 => self.freed_by_another(),
            4 => self.own_block(),
            5 => self.chained(),
            6 => self.returned(),
            7 => self.given_as_argument(),
            8 => self.copied_pointer(),
            9 => self.value_of_key(),
            10 => self.own_variable(),
            11 | 12 => self.checked_allocation(),
            _ => self.exchanged_as_number(),
        }
        if self.one_in(8) {
            self.early_exit();
        }
        if self.one_in(12) {
            self.feature("main exits as a thread");
            self.finally.push(plain("pthread_exit(0)", []));
        }
    }

    fn make(&mut self) -> String {
        let choices = ["malloc(sizeof(int))", "calloc(1, 4)", "malloc(8)"];
        self.pick(&choices).to_owned()
    }

    /// Under a condition that others may change, or always.
    fn perhaps(&mut self, stmts: Vec<Stmt>) -> Vec<Stmt> {
        match self.one_in(3) {
            true => {
                let (first, then) = self.pick(&[(0, 1), (1, 0)]);
                let condition = self.changing(Ty::Int, first, then);
                vec![if_else(condition, stmts, vec![])]
            }
            false => stmts,
        }
    }

    /// Several threads store blocks in one variable.
    fn overwritten(&mut self) {
        let shared = self.global("g", "int *@");
        for role in self.some_roles() {
            let make = self.make();
            let old = self.name("p");
            let stmts = match self.rng.u32(..4) {
                0 => vec![plain(format!("{shared} = {make}"), [])],
                1 => vec![if_else(
                    place(format!("!{shared}"), []),
                    vec![plain(format!("{shared} = {make}"), [])],
                    vec![],
                )],
                2 => {
                    self.feature("free");
                    vec![
                        plain(format!("int *{old} = {shared}"), []),
                        plain(format!("{shared} = {make}"), []),
                        plain(format!("free({old})"), []),
                    ]
                }
                _ => {
                    self.feature("free");
                    vec![plain(format!("free({shared}); {shared} = {make}"), [])]
                }
            };
            self.hide(role, stmts);
        }
        if self.one_in(2) {
            self.feature("free");
            self.finally.push(plain(format!("free({shared})"), []));
        }
    }

    /// One thread makes a block, another frees it, if it comes in time.
    fn freed_by_another(&mut self) {
        self.feature("free");
        let shared = self.global("g", "int *@");
        let (giver, taker) = self.two_roles();
        let make = self.make();
        let give = vec![plain(format!("{shared} = {make}"), [])];
        let give = self.perhaps(give);
        self.hide(giver, give);
        let mine = self.name("p");
        let take = match self.rng.u32(..4) {
            0 => vec![
                plain(format!("int *{mine} = {shared}"), []),
                plain(format!("{shared} = 0"), []),
                plain(format!("free({mine})"), []),
            ],
            1 => vec![plain(
                format!("free(__atomic_exchange_n(&{shared}, (int *)0, 5))"),
                [],
            )],
            2 => vec![if_else(
                place(shared.clone(), []),
                vec![plain(format!("free({shared}); {shared} = 0"), [])],
                vec![],
            )],
            _ => vec![plain(format!("{shared} = realloc({shared}, 4)"), [])],
        };
        let take = self.perhaps(take);
        self.hide(taker, take);
        if self.one_in(2) {
            self.finally.push(plain(format!("free({shared})"), []));
        }
    }

    /// A block that only its thread knows.
    fn own_block(&mut self) {
        let role = self.rng.usize(..self.bodies.len());
        let mine = self.name("p");
        let make = self.make();
        let mut stmts = vec![plain(format!("int *{mine} = {make}"), [])];
        match self.rng.u32(..3) {
            0 => {}
            1 => stmts.push(plain(format!("*{mine} = 1"), [])),
            _ => {
                let noise = self.some_var();
                let noise = self.write(&noise, super::syntax::number(1));
                stmts.push(noise);
            }
        }
        if !self.one_in(4) {
            self.feature("free");
            let free = vec![plain(format!("free({mine})"), [])];
            stmts.extend(self.perhaps(free));
        }
        self.hide(role, stmts);
    }

    /// A block that holds the address of another.
    fn chained(&mut self) {
        self.feature("chain of blocks");
        let tag = self.name("N");
        self.globals
            .push(format!("struct {tag} {{ int v; struct {tag} *next; }}"));
        let head = self.global("h", &format!("struct {tag} *@"));
        for role in self.some_roles() {
            let node = self.name("n");
            let push = vec![
                plain(format!("struct {tag} *{node} = malloc(sizeof *{node})"), []),
                plain(format!("{node}->next = {head}"), []),
                plain(format!("{head} = {node}"), []),
            ];
            let stmts = match self.rng.u32(..3) {
                0 => {
                    self.feature("free");
                    vec![if_else(
                        place(head.clone(), []),
                        vec![
                            plain(format!("struct {tag} *{node} = {head}"), []),
                            plain(format!("{head} = {node}->next"), []),
                            plain(format!("free({node})"), []),
                        ],
                        vec![],
                    )]
                }
                _ => push,
            };
            self.hide(role, stmts);
        }
        match self.rng.u32(..3) {
            0 => {}
            1 => self.finally.push(plain(format!("{head} = 0"), [])),
            _ => {
                self.feature("free");
                self.needed_unwind = self.needed_unwind.max(4);
                let node = self.name("n");
                let drop = vec![
                    plain(format!("struct {tag} *{node} = {head}"), []),
                    plain(format!("{head} = {node}->next"), []),
                    plain(format!("free({node})"), []),
                ];
                let open = format!("while ({head})");
                self.finally.push(block(open, [], drop));
            }
        }
    }

    /// The result of a thread, which somebody may pick up or not.
    fn returned(&mut self) {
        self.feature("returned block");
        let workers = self.bodies.len() - 1;
        let role = self.rng.usize(..workers);
        if self.results.iter().any(|(of, _)| *of == role) {
            return;
        }
        let make = self.make();
        let end = match self.one_in(2) {
            true => plain(format!("return {make}"), []),
            false => plain(format!("pthread_exit({make})"), []),
        };
        self.add(role, [end]);
    }

    /// What a thread is given to begin with.
    fn given_as_argument(&mut self) {
        self.feature("block as argument");
        let workers = self.bodies.len() - 1;
        let role = self.rng.usize(..workers);
        if self.arguments.iter().any(|(of, _)| *of == role) {
            return;
        }
        self.arguments
            .push((role, "malloc(sizeof(int))".to_owned()));
        let stmts = match self.rng.u32(..3) {
            0 => Vec::new(),
            1 => {
                let kept = self.global("g", "void *@");
                vec![plain(format!("{kept} = arg"), [])]
            }
            _ => {
                self.feature("free");
                let free = vec![plain("free(arg)", [])];
                self.perhaps(free)
            }
        };
        self.hide(role, stmts);
    }

    /// Addresses that are copied as bytes.
    fn copied_pointer(&mut self) {
        self.feature("copied pointer");
        let tag = self.name("C");
        self.globals
            .push(format!("struct {tag} {{ int v; int *p; }}"));
        let (from, to) = (
            self.global("s", &format!("struct {tag} @")),
            self.global("s", &format!("struct {tag} @")),
        );
        let (maker, mover) = self.two_roles();
        let make = self.make();
        self.hide(maker, vec![plain(format!("{from}.p = {make}"), [])]);
        let copy = match self.one_in(2) {
            true => plain(format!("{to} = {from}"), []),
            false => plain(format!("memcpy(&{to}.p, &{from}.p, sizeof {to}.p)"), []),
        };
        let mut stmts = vec![copy];
        if self.one_in(2) {
            stmts.push(plain(format!("{from}.p = 0"), []));
        }
        self.hide(mover, stmts);
        if self.one_in(3) {
            self.feature("free");
            self.finally.push(plain(format!("free({to}.p)"), []));
        }
    }

    /// Thread-specific data.
    fn value_of_key(&mut self) {
        self.feature("block as value of key");
        let key = self.global("k", "unsigned @");
        let mut destructor = "0".to_owned();
        if self.one_in(2) {
            self.feature("free");
            destructor = self.name("f");
            self.functions.push(Function {
                head: format!("static void {destructor}(void *value)"),
                locals: Vec::new(),
                body: vec![plain("free(value)", [])],
            });
        }
        let create = format!("pthread_key_create(&{key}, {destructor})");
        self.before.push(plain(create, []));
        let role = self.rng.usize(..self.bodies.len());
        let make = self.make();
        let mut stmts = vec![plain(format!("pthread_setspecific({key}, {make})"), [])];
        if self.one_in(3) {
            stmts.push(plain(format!("pthread_setspecific({key}, 0)"), []));
        }
        let stmts = self.perhaps(stmts);
        self.hide(role, stmts);
    }

    /// A variable of each thread.
    fn own_variable(&mut self) {
        self.feature("block in thread-local variable");
        let mine = self.global("t", "__thread int *@");
        for role in self.some_roles() {
            let make = self.make();
            let mut stmts = vec![plain(format!("{mine} = {make}"), [])];
            match self.rng.u32(..4) {
                0 => {
                    self.feature("free");
                    stmts.push(plain(format!("free({mine})"), []));
                }
                1 => stmts.push(plain(format!("{mine} = 0"), [])),
                _ => {}
            }
            self.hide(role, stmts);
        }
    }

    /// Addresses that pass through integers.
    fn exchanged_as_number(&mut self) {
        self.feature("free");
        let shared = self.global("g", "int *@");
        for role in self.some_roles() {
            let mine = self.name("p");
            let make = self.make();
            let is_won = value(
                format!("__sync_bool_compare_and_swap(&{shared}, (int *)0, {mine})"),
                [],
            );
            let lost = match self.one_in(2) {
                true => vec![plain(format!("free({mine})"), [])],
                false => Vec::new(),
            };
            let stmts = vec![
                plain(format!("int *{mine} = {make}"), []),
                if_else(is_won, vec![], lost),
            ];
            self.hide(role, stmts);
        }
        if self.one_in(3) {
            self.finally.push(plain(format!("free({shared})"), []));
        }
    }

    /// A thread ends the process, perhaps while others run.
    fn early_exit(&mut self) {
        self.feature("early exit");
        let role = self.rng.usize(..self.bodies.len());
        let stmts = match self.one_in(2) {
            true => vec![plain("exit(0)", [])],
            false => {
                let name = self.name("f");
                let make = self.make();
                self.functions.push(Function {
                    head: format!("static void {name}(void)"),
                    locals: vec![format!("int *mine = {make}")],
                    body: vec![plain("exit(0)", [])],
                });
                vec![plain(format!("{name}()"), [])]
            }
        };
        let stmts = self.perhaps(stmts);
        self.hide(role, stmts);
    }
}
