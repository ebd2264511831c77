//! How threads and processes begin and end: programs in which threads outlive those
//! that made them, nobody waits for anybody, any thread may end the process or register
//! a function for its end, main leaves before the others, and functions without a body
//! decide about it.
//!
//! [`Frame`] tells the frame of a program what to do otherwise; the statements go
//! into the bodies of threads. Without it, programs are as they always were: the
//! seeds of other tests stay good.

use super::generate::Generator;
use super::syntax::{Expr, Function, Stmt, if_else, number, plain, value};

/// What is unusual about the life of threads.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Frame {
    /// Threads are often made by others, and rarely waited for.
    pub outlives: bool,
    /// Main ends as a thread, and the process goes on.
    pub main_leaves: bool,
}

impl Generator {
    /// To be called when the bodies are filled, before the frame is made.
    pub(super) fn add_lifecycles(&mut self) {
        // A thread must not work on a local of main that has ended: what happens then
        // is not seen on every machine.
        let has_locals_abroad = (self.arguments.iter()).any(|(_, what)| what.starts_with('&'));
        self.frame = Frame {
            outlives: self.one_in(2),
            main_leaves: self.one_in(3) && !has_locals_abroad,
        };
        if self.frame.outlives {
            self.feature("thread outlives its creator");
        }
        if self.frame.main_leaves {
            self.feature("main leaves by pthread_exit");
        }
        let n_statements = self.rng.usize(1..=2);
        for _ in 0..n_statements {
            let role = self.rng.usize(..self.bodies.len());
            let stmts = match self.rng.u32(..7) {
                0 | 1 => vec![self.exit_somewhere(role)],
                2 => vec![self.leave_early(role)],
                3 | 4 => vec![self.ask_unknown(role)],
                _ => {
                    self.register_late();
                    continue;
                }
            };
            self.insert_somewhere(role, stmts);
        }
    }

    /// What noise comes after it may still happen, or not.
    fn insert_somewhere(&mut self, role: usize, stmts: Vec<Stmt>) {
        let list = &mut self.bodies[role].list;
        let at = self.rng.usize(..=list.len());
        list.splice(at..at, stmts);
    }

    /// A function for the end is registered when others may be ending the process
    /// already. Who runs it, if anybody does, depends on it.
    fn register_late(&mut self) {
        self.feature("late atexit");
        let flag = self.global("flag", "int @");
        let handler = self.name("handler");
        let not = number(self.rng.i64(1..3));
        let check = self.assert(value(format!("{flag} != $"), [not]));
        self.functions.push(Function {
            head: format!("static void {handler}(void)"),
            locals: Vec::new(),
            body: vec![check],
        });
        let main = self.bodies.len() - 1;
        // The checker knows those that main registers only.
        let role = match self.one_in(8) {
            true => self.rng.usize(..=main),
            false => main,
        };
        let (early, late) = match self.one_in(2) {
            true => (1, 2),
            false => (2, 1),
        };
        let set = |to| plain(format!("{flag} = $"), [number(to)]);
        let stmts = vec![
            set(early),
            plain(format!("atexit({handler})"), []),
            set(late),
        ];
        self.insert_somewhere(role, stmts);
        if self.one_in(2) {
            let other = self.rng.usize(..=main);
            let end = self.exit_somewhere(other);
            self.insert_somewhere(other, vec![end]);
        }
    }

    /// Any thread may end the process, with a status that tells which.
    fn exit_somewhere(&mut self, role: usize) -> Stmt {
        self.feature("exit from any thread");
        let how = match self.one_in(6) {
            true => "_Exit",
            false => "exit",
        };
        let end = plain(format!("{how}($)"), [number(2 + role as i64)]);
        match self.one_in(3) {
            true => end,
            false => {
                let condition = self.some_condition(role);
                if_else(condition, vec![end], vec![])
            }
        }
    }

    fn leave_early(&mut self, role: usize) -> Stmt {
        self.feature("pthread_exit");
        let condition = self.some_condition(role);
        let leave = match self.bodies[role].is_main {
            true if !self.frame.main_leaves => plain("return 1", []),
            _ => plain("pthread_exit(0)", []),
        };
        if_else(condition, vec![leave], vec![])
    }

    /// A function that nobody defines says something.
    fn ask_unknown(&mut self, role: usize) -> Stmt {
        self.feature("function without a body");
        let ty = self.pick(&["int", "unsigned char", "_Bool", "void"]);
        let parameter = self.pick(&["void", "int"]);
        let name = self.global("unknown", &format!("extern {ty} @({parameter})"));
        let argument = if parameter == "int" { "1" } else { "" };
        let call = format!("{name}({argument})");
        if ty == "void" {
            return plain(call, []);
        }
        let answer = value(format!("({call} & 1)"), []);
        match self.rng.u32(..3) {
            0 => {
                let var = self.some_var();
                self.write(&var, answer)
            }
            1 => {
                let local = self.local(role);
                let keep = plain(format!("{local} = $"), [answer]);
                self.bodies[role].list.push(keep);
                self.random_assertion(role)
            }
            _ => {
                let then = self.random_assertion(role);
                if_else(answer, vec![then], vec![])
            }
        }
    }

    fn some_condition(&mut self, role: usize) -> Expr {
        self.reads = 1;
        let condition = match self.one_in(4) {
            true => self.input(),
            false => self.condition(role, 1),
        };
        self.reads = 0;
        condition
    }
}

#[cfg(test)]
mod tests {
    use super::super::generate::{program_about, program_with_lifecycles};
    use replay::Property;
    use std::collections::BTreeSet;

    #[test]
    fn all_of_it_is_made() {
        let features: BTreeSet<&str> = (0..100)
            .flat_map(|seed| program_with_lifecycles(Property::Assert, seed).features)
            .collect();
        for feature in [
            "detach",
            "exit from any thread",
            "function without a body",
            "late atexit",
            "main leaves by pthread_exit",
            "thread creates thread",
            "thread outlives its creator",
        ] {
            assert!(features.contains(feature), "{feature}");
        }
    }

    #[test]
    fn other_programs_have_none_of_it() {
        for seed in 0..100 {
            let features = program_about(Property::Assert, seed).features;
            assert!(!features.contains("function without a body"));
        }
    }
}
