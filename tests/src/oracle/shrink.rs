//! Makes a program smaller as long as something stays true of it.
//!
//! Statements, sections, functions and declarations are left out, blocks are
//! replaced by what is in them, and numbers by 0, 1 or one of their parts. A
//! result that is no valid program any more is for the caller to refuse.

use super::syntax::{Expr, Program, Stmt, number};
use std::time::{Duration, Instant};

/// Tries one change after the other, from large to small, until none helps or
/// the time is over.
pub fn shrink(
    program: &Program,
    time: Duration,
    mut is_still_so: impl FnMut(&Program) -> bool,
) -> Program {
    let start = Instant::now();
    let mut best = program.clone();
    loop {
        let before = best.clone();
        let mut wanted = 0;
        while let Some(candidate) = changed(&best, wanted) {
            if start.elapsed() > time {
                return best;
            }
            // After a success, the same number is another change.
            match candidate != best && is_still_so(&candidate) {
                true => best = candidate,
                false => wanted += 1,
            }
        }
        if best == before {
            return best;
        }
    }
}

/// The program after the change with this number; `None` if there are not so
/// many.
fn changed(program: &Program, wanted: usize) -> Option<Program> {
    let mut program = program.clone();
    let mut changes = Changes { left: wanted };
    changes.program(&mut program).then_some(program)
}

/// Counts down to the change that is wanted. Every method says whether that has
/// been made.
struct Changes {
    left: usize,
}

impl Changes {
    fn is_it(&mut self) -> bool {
        match self.left.checked_sub(1) {
            Some(left) => {
                self.left = left;
                false
            }
            None => true,
        }
    }

    fn program(&mut self, program: &mut Program) -> bool {
        for function in program.functions.iter_mut().rev() {
            if self.list(&mut function.body) {
                return true;
            }
        }
        if self.leave_out(&mut program.functions) || self.leave_out(&mut program.globals) {
            return true;
        }
        for function in &mut program.functions {
            if self.leave_out(&mut function.locals) {
                return true;
            }
        }
        if program.is_32_bits && self.is_it() {
            program.is_32_bits = false;
            return true;
        }
        if program.unwind > 1 && self.is_it() {
            program.unwind -= 1;
            return true;
        }
        for function in &mut program.functions {
            if self.numbers_of(&mut function.body) {
                return true;
            }
        }
        false
    }

    fn leave_out<T>(&mut self, list: &mut Vec<T>) -> bool {
        for index in (0..list.len()).rev() {
            if self.is_it() {
                list.remove(index);
                return true;
            }
        }
        false
    }

    fn list(&mut self, list: &mut Vec<Stmt>) -> bool {
        // Halves first, since most statements have nothing to do with it.
        if list.len() > 3 {
            let half = list.len() / 2;
            if self.is_it() {
                list.truncate(half);
                return true;
            }
            if self.is_it() {
                list.drain(..half);
                return true;
            }
        }
        for index in (0..list.len()).rev() {
            if self.is_it() {
                list.remove(index);
                return true;
            }
            let Stmt::Block { sections, .. } = &mut list[index] else {
                continue;
            };
            if self.is_it() {
                let inner: Vec<Stmt> = sections
                    .drain(..)
                    .flat_map(|section| section.body)
                    .collect();
                list.splice(index..=index, inner);
                return true;
            }
            if sections.len() > 1 && self.leave_out(sections) {
                return true;
            }
            for section in sections {
                if self.list(&mut section.body) {
                    return true;
                }
            }
        }
        false
    }

    fn numbers_of(&mut self, list: &mut [Stmt]) -> bool {
        list.iter_mut().any(|stmt| match stmt {
            Stmt::Plain { parts, .. } => self.numbers(parts),
            Stmt::Block {
                parts, sections, ..
            } => {
                self.numbers(parts)
                    || sections
                        .iter_mut()
                        .any(|section| self.numbers_of(&mut section.body))
            }
        })
    }

    fn numbers(&mut self, parts: &mut [Expr]) -> bool {
        parts.iter_mut().any(|part| {
            if part.is_value {
                for simple in [number(0), number(1)] {
                    // From 0 on there is no way back to 1.
                    if *part == simple {
                        break;
                    }
                    if self.is_it() {
                        *part = simple;
                        return true;
                    }
                }
                for index in 0..part.parts.len() {
                    if part.parts[index].is_value && self.is_it() {
                        *part = part.parts[index].clone();
                        return true;
                    }
                }
            }
            self.numbers(&mut part.parts)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::generate;
    use super::*;

    #[test]
    fn what_is_wanted_is_left() {
        let forever = Duration::from_secs(60);
        for seed in 0..20 {
            let program = generate::program(seed);
            let has_join = |program: &Program| program.print().contains("pthread_join(");
            if !has_join(&program) {
                continue;
            }
            let small = shrink(&program, forever, has_join);
            assert!(small.size() <= 1, "{}", small.print());
        }
    }

    #[test]
    fn nothing_changes_if_nothing_may() {
        let program = generate::program(7);
        assert_eq!(
            shrink(&program, Duration::from_secs(60), |_| false),
            program
        );
    }
}
