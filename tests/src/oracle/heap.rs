//! Scenarios about memory itself: addresses that come back after `free`, blocks
//! that others see before they are written, and arrays with many places.

use super::generate::{Generator, Ty, Var};
use super::syntax::{Stmt, block, if_else, number, place, plain, value};

impl Generator {
    /// One thread frees a block; another allocates and compares addresses.
    pub(super) fn reused_address(&mut self) {
        for feature in ["malloc", "free", "reused address"] {
            self.feature(feature);
        }
        let tag = self.name("R");
        self.globals.push(format!("struct {tag} {{ int v; }}"));
        let shared = self.global("r", &format!("struct {tag} *@"));
        let seen = self.global("x", "int @");
        let make = |name: &str, v: i64| {
            vec![
                plain(format!("struct {tag} *{name} = malloc(sizeof *{name})"), []),
                plain(format!("{name}->v = {v}"), []),
            ]
        };
        let first = self.name("r");
        let mut before = make(&first, 1);
        before.push(plain(format!("{shared} = {first}"), []));
        let (giver, taker) = self.two_roles();
        let mut give = match self.one_in(2) {
            true => {
                self.before.push(block("", [], before));
                Vec::new()
            }
            false => before,
        };
        give.push(match self.rng.u32(..4) {
            0 => plain(
                format!("{shared} = realloc({shared}, sizeof(struct {tag}))"),
                [],
            ),
            _ => plain(format!("free({shared})"), []),
        });
        if self.one_in(3) {
            let again = self.name("r");
            give.extend(make(&again, 3));
            give.push(match self.one_in(2) {
                true => plain(format!("{shared} = {again}"), []),
                false => plain(format!("{seen} += {shared} == {again}"), []),
            });
        }
        self.add(giver, [block("", [], give)]);
        let (old, new) = (self.name("r"), self.name("r"));
        let mut take = vec![plain(format!("struct {tag} *{old} = {shared}"), [])];
        take.extend(make(&new, 2));
        take.push(match self.rng.u32(..5) {
            0 => plain(format!("{seen} = {old} == {new}"), []),
            1 => plain(
                format!("{seen} = __sync_bool_compare_and_swap(&{shared}, {new}, 0)"),
                [],
            ),
            2 => if_else(
                place(format!("{shared} == {new}"), []),
                vec![plain(format!("{seen} = 1"), [])],
                vec![],
            ),
            3 => plain(
                format!("{seen} = __sync_bool_compare_and_swap(&{shared}, {old}, {new})"),
                [],
            ),
            _ => plain(format!("{seen} = &{old}->v != &{new}->v"), []),
        });
        if self.one_in(3) {
            take.push(plain(format!("free({new})"), []));
        }
        self.add(taker, [block("", [], take)]);
        let not = number(self.rng.i64(0..3));
        self.check_finally(value(format!("{seen} != $"), [not]));
    }

    /// A block that others see before all of it is written.
    pub(super) fn partly_initialised(&mut self) {
        self.feature("partly initialised");
        let tag = self.name("P");
        self.globals
            .push(format!("struct {tag} {{ int a; int b; }}"));
        let shared = self.global("n", &format!("struct {tag} *@"));
        let seen = self.global("x", "int @");
        let (sender, receiver) = self.two_roles();
        let (mine, yours) = (self.name("n"), self.name("n"));
        let mut send = match self.one_in(3) {
            true => vec![
                plain(format!("struct {tag} {mine}_"), []),
                plain(format!("struct {tag} *{mine} = &{mine}_"), []),
            ],
            false => {
                self.feature("malloc");
                vec![plain(
                    format!("struct {tag} *{mine} = malloc(sizeof *{mine})"),
                    [],
                )]
            }
        };
        send.push(plain(format!("{mine}->a = 0"), []));
        send.push(plain(format!("{mine}->b = 0"), []));
        send.push(plain(format!("{shared} = {mine}"), []));
        let last = send.len() - 1;
        match self.rng.u32(..4) {
            0 => {}
            1 => send.swap(last, last - 1),
            2 => {
                send.remove(last - 1);
            }
            _ => {
                let condition = self.condition(sender, 1);
                let write = send.remove(last - 1);
                send.insert(last - 1, if_else(condition, vec![write], vec![]));
            }
        }
        self.add(sender, [block("", [], send)]);
        // However often it grows: two inputs are enough.
        let is_even = format!("{seen} = ({yours}->b & 1) == 0");
        let use_it = match self.rng.u32(..4) {
            0 => vec![plain(format!("{seen} = {yours}->b == 1"), [])],
            1 => vec![
                plain(format!("{yours}->b++"), []),
                plain(is_even.clone(), []),
            ],
            2 => vec![
                plain(format!("__sync_fetch_and_add(&{yours}->b, 1)"), []),
                plain(is_even.clone(), []),
            ],
            _ => vec![plain(
                format!("{seen} = __sync_bool_compare_and_swap(&{yours}->b, 1, 3)"),
                [],
            )],
        };
        let receive = vec![
            plain(format!("struct {tag} *{yours} = {shared}"), []),
            if_else(place(yours, []), use_it, vec![]),
        ];
        self.add(receiver, [block("", [], receive)]);
        self.check_finally(value(format!("{seen} != $"), [number(1)]));
    }

    /// An array of which any element may be meant.
    pub(super) fn many_places(&mut self, role: usize) -> Stmt {
        self.feature("many places");
        let len = self.pick(&[20, 300, 5000]);
        let array = self.global("a", &format!("short @[{len}]"));
        let factor = self.pick(&[1, 7, 77]);
        let var = self.some_var();
        let at = self.read(&var);
        let other = self.other_role(role);
        let fixed = self.pick(&[0, factor, 2 * factor]);
        let write = match self.one_in(2) {
            true => plain(format!("{array}[{fixed}] = 5"), []),
            false => {
                let index = self.read(&var);
                plain(
                    format!("{array}[(unsigned)($) * {factor} % {len}]++"),
                    [index],
                )
            }
        };
        self.bodies[other].list.push(write);
        let target = self.shared();
        self.vars.push(Var {
            text: format!("{array}[{fixed}]"),
            ty: Ty::Short,
            has_address: false,
        });
        match self.one_in(2) {
            true => plain(
                format!(
                    "{} = {array}[(unsigned)($) * {factor} % {len}]",
                    target.text
                ),
                [at],
            ),
            false => plain(
                format!("{array}[(unsigned)($) * {factor} % {len}] = 3"),
                [at],
            ),
        }
    }
}
