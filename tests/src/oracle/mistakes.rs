//! Mistakes of other kinds than failed assertions, each of which happens only
//! sometimes: on some paths, in some orders of steps, or not at all.

use super::generate::{Generator, Ty, between_atomic};
use super::syntax::{Expr, Stmt, block, if_else, number, plain, value};
use replay::Property;

impl Generator {
    /// Adds something that may violate a property.
    pub fn add_mistake(&mut self, property: Property) {
        match property {
            Property::Arithmetic => self.wrong_operand(),
            Property::Overflow => self.too_large(),
            _ => {}
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
    fn changing(&mut self, ty: Ty, first: i64, then: i64) -> Expr {
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
}
