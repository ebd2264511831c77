//! Random expressions, with few reads of shared memory each.

use super::generate::Generator;
use super::syntax::{Expr, Function, number, plain, value};

impl Generator {
    /// An `int`, say; at most `reads` of shared memory.
    pub(super) fn expr(&mut self, role: usize, depth: u32) -> Expr {
        let ints = self.bodies[role].ints.clone();
        match self.rng.u32(..if depth == 0 { 8 } else { 22 }) {
            0 | 1 => number(self.rng.i64(-1..4)),
            2..5 if !ints.is_empty() => value(self.pick(&ints), []),
            2..9 => self.shared_read(role),
            9 => self.input(),
            10 => {
                let ty = self.pick(&["signed char", "unsigned char", "short", "_Bool", "long"]);
                value(format!("({ty})($)"), [self.expr(role, depth - 1)])
            }
            11 => {
                let op = self.pick(&["!", "-", "~"]);
                value(format!("{op}($)"), [self.expr(role, depth - 1)])
            }
            12 => {
                let parts = [0; 3].map(|_| self.expr(role, depth - 1));
                value("($ ? $ : $)", parts)
            }
            13 => self.call(role, depth),
            14 => {
                let op = self.pick(&["% 3", "/ 2", "<< 1", ">> 1", "& 1", "& 3"]);
                value(format!("(($) {op})"), [self.expr(role, depth - 1)])
            }
            15 | 16 => {
                let op = self.pick(&["&&", "||"]);
                let parts = [0; 2].map(|_| self.expr(role, depth - 1));
                value(format!("($ {op} $)"), parts)
            }
            17 | 18 => {
                let op = self.pick(&["==", "!=", "<", "<=", ">"]);
                let parts = [0; 2].map(|_| self.expr(role, depth - 1));
                value(format!("($ {op} $)"), parts)
            }
            _ => {
                let op = self.pick(&["+", "-", "*", "&", "|", "^"]);
                let parts = [0; 2].map(|_| self.expr(role, depth - 1));
                value(format!("($ {op} $)"), parts)
            }
        }
    }

    /// Something that may be true or false.
    pub(super) fn condition(&mut self, role: usize, depth: u32) -> Expr {
        if self.one_in(3) {
            return self.expr(role, depth);
        }
        let op = self.pick(&["==", "!=", "<", ">"]);
        let bound = number(self.rng.i64(0..3));
        value(format!("$ {op} $"), [self.shared_read(role), bound])
    }

    /// A read of shared memory, if there may still be one.
    pub(super) fn shared_read(&mut self, role: usize) -> Expr {
        if self.reads == 0 {
            return number(self.rng.i64(0..3));
        }
        self.reads -= 1;
        if self.one_in(8) {
            let (array, length) = self.array();
            return value(format!("{array}[$]"), [self.index(role, length)]);
        }
        let var = self.some_var();
        self.read(&var)
    }

    /// A nondeterministic value, restricted to a few.
    pub(super) fn input(&mut self) -> Expr {
        self.feature("input");
        match self.rng.u32(..4) {
            0 => value("__VERIFIER_nondet_bool()", []),
            1 => value("(__VERIFIER_nondet_int() & 1)", []),
            2 => {
                self.greatest_input = self.greatest_input.max(2);
                value("(__VERIFIER_nondet_uchar() % 3)", [])
            }
            _ => value("(__VERIFIER_nondet_uchar() & 1)", []),
        }
    }

    pub(super) fn array(&mut self) -> (String, u32) {
        let known = self.globals.iter().find_map(|global| {
            let rest = global.strip_prefix("int r")?;
            let (number, _) = rest.split_once('[')?;
            Some(format!("r{number}"))
        });
        self.feature("array");
        match known {
            Some(array) => (array, 3),
            None => (self.global("r", "int @[3] = { 0, 1, 2 }"), 3),
        }
    }

    /// An index that is never out of range.
    pub(super) fn index(&mut self, role: usize, length: u32) -> Expr {
        if self.one_in(3) {
            return number(self.rng.i64(0..i64::from(length)));
        }
        self.feature("symbolic index");
        self.reads += 1;
        let what = self.expr(role, 0);
        self.reads = self.reads.saturating_sub(1);
        match self.one_in(2) {
            true => value("$ & 1", [what]),
            false => value(format!("(unsigned)$ % {length}"), [what]),
        }
    }

    /// A call of a function with arguments and a result.
    pub(super) fn call(&mut self, role: usize, depth: u32) -> Expr {
        self.feature("function call");
        let argument = self.expr(role, depth.saturating_sub(1));
        let name = self.name("f");
        let head = format!("static int {name}(int n)");
        if self.one_in(4) {
            self.feature("recursion");
            self.needed_unwind = self.needed_unwind.max(2);
            let recur = format!("return n > 0 ? 1 + {name}((n & 1) - 1) : n");
            self.functions.push(Function {
                head,
                locals: Vec::new(),
                body: vec![plain(recur, [])],
            });
            return value(format!("{name}($)"), [argument]);
        }
        let var = self.some_var();
        let result = match self.rng.u32(..3) {
            0 => value("n + 1", []),
            1 => value("n == $", [self.read(&var)]),
            _ => value("n ? 2 : $", [self.read(&var)]),
        };
        self.functions.push(Function {
            head,
            locals: Vec::new(),
            body: vec![plain("return $", [result])],
        });
        if self.one_in(4) {
            self.feature("function pointer");
            let pointer = self.global("fp", "int (*@)(int)");
            self.before.push(plain(format!("{pointer} = {name}"), []));
            return value(format!("{pointer}($)"), [argument]);
        }
        value(format!("{name}($)"), [argument])
    }
}
