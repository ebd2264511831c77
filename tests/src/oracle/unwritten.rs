//! Memory that is used before all of it is written: locals, blocks and structs
//! with bit-fields and padding, of which threads write some members, copy the
//! whole, and let something depend on one of them.

use super::generate::Generator;
use super::syntax::{Expr, Stmt, block, if_else, number, place, plain, switch, value};

/// A struct type of the program, and what its values are made from.
struct Record {
    tag: String,
    /// Assignments to single members; `@` stands for the struct.
    writes: Vec<String>,
    /// Members that are numbers.
    numbers: Vec<&'static str>,
}

impl Generator {
    /// Adds memory of which something may be used too early.
    pub(super) fn unwritten(&mut self) {
        self.feature("unwritten");
        let record = self.record();
        match self.rng.u32(..6) {
            0 | 1 => self.unwritten_local(&record),
            2 | 3 => self.unwritten_and_published(&record),
            4 => self.unwritten_and_copied(&record),
            _ => self.unwritten_number(),
        }
    }

    fn record(&mut self) -> Record {
        let tag = self.name("U");
        let target = self.global("x", "int @");
        let mut members = vec![
            ("char c;", "@.c = 1", "@.c"),
            ("unsigned a : 3; unsigned b : 5;", "@.a = 5", "@.a"),
            ("unsigned d : 9; int : 3; int e : 4;", "@.e = -3", "@.e"),
            ("int m[2];", "@.m[1] = 7", "@.m[1]"),
            ("short s;", "@.s = -2", "@.s"),
            ("long w;", "@.w = 3", "@.w"),
        ];
        self.rng.shuffle(&mut members);
        members.truncate(self.rng.usize(2..=4));
        let mut writes: Vec<String> = members.iter().map(|m| m.1.to_owned()).collect();
        let mut numbers: Vec<&'static str> = members.iter().map(|m| m.2).collect();
        let mut declared: Vec<&str> = members.iter().map(|m| m.0).collect();
        if numbers.contains(&"@.a") {
            writes.push("@.b = 9".to_owned());
            numbers.push("@.b");
        }
        if self.one_in(2) {
            declared.push("int *p;");
            writes.push(format!("@.p = &{target}"));
        }
        if self.one_in(4) {
            let f = self.name("f");
            self.globals
                .push(format!("static int {f}(int n) {{ return n + 1; }}"));
            declared.push("int (*f)(int);");
            writes.push(format!("@.f = {f}"));
        }
        let members = declared.join(" ");
        self.globals.push(format!("struct {tag} {{ {members} }}"));
        Record {
            tag,
            writes,
            numbers,
        }
    }

    /// Statements that write some members of a struct, or all of it.
    fn some_writes(&mut self, role: usize, record: &Record, of: &str) -> Vec<Stmt> {
        let mut list: Vec<Stmt> = Vec::new();
        let tag = &record.tag;
        match self.rng.u32(..12) {
            0 => list.push(plain(format!("memset(&{of}, 0, sizeof {of})"), [])),
            1 => list.push(plain(format!("memset(&{of}, 0, 3)"), [])),
            2 => list.push(plain(format!("{of} = (struct {tag}){{ 1 }}"), [])),
            _ => {}
        }
        let mut writes = record.writes.clone();
        self.rng.shuffle(&mut writes);
        // Often all of them, so that there is nothing wrong.
        if !self.one_in(3) {
            writes.truncate(self.rng.usize(..=writes.len()));
        }
        for write in writes {
            let write = plain(write.replace('@', of), []);
            list.push(match self.one_in(8) {
                true => {
                    self.reads = 1;
                    if_else(self.condition(role, 1), vec![write], vec![])
                }
                false => write,
            });
        }
        list
    }

    /// A number that is computed from members of a struct.
    fn computed(&mut self, record: &Record, of: &str, depth: u32) -> Expr {
        let member = self.pick(&record.numbers).replace('@', of);
        let k = self.rng.i64(0..9);
        if depth == 0 {
            return value(member, []);
        }
        let x = self.computed(record, of, depth - 1);
        match self.rng.u32(..22) {
            0..4 => x,
            4 => value(format!("($ & {k})"), [x]),
            5 => value(format!("($ | {k})"), [x]),
            6 => value(format!("($ << {k})"), [x]),
            7 => value(format!("($ >> {k})"), [x]),
            8 => value("($ & 0)", [x]),
            9 => value("($ * 2)", [x]),
            10 => value(format!("($ + {k})"), [x]),
            11 => value(format!("($ == {k})"), [x]),
            12 => value(format!("($ < {k})"), [x]),
            13 => value(format!("($ >= -{k})"), [x]),
            14 => value("(signed char)$", [x]),
            15 => value("(unsigned short)$", [x]),
            16 => value("(~$ & 15)", [x]),
            17 => value(format!("($ % {})", k + 1), [x]),
            18 => value("(($ | 255) & 3)", [x]),
            19 => value(format!("((unsigned)$ > {k}u)"), [x]),
            _ => {
                let y = self.computed(record, of, 0);
                let op = self.pick(&["^", "&", "|", "+", "-", "*"]);
                value(format!("($ {op} $)"), [x, y])
            }
        }
    }

    /// Something that a number may decide about, or does not.
    fn dependent(&mut self, role: usize, number_: Expr) -> Vec<Stmt> {
        let target = self.local(role);
        let set = |to: u32| vec![plain(format!("{target} = {to}"), [])];
        match self.rng.u32(..14) {
            0..4 => vec![if_else(number_, set(1), vec![])],
            4 => vec![switch(number_, vec![(set(1), false), (set(2), false)])],
            5 | 6 => vec![plain(format!("{target} = (int)$"), [number_])],
            7 => {
                let array = self.global("a", "int @[4] = { 1, 2, 3 }");
                vec![plain(format!("{target} = {array}[$ & 3]"), [number_])]
            }
            8 => {
                let array = self.global("a", "int @[2]");
                vec![plain(format!("{array}[$ & 1] = 5"), [number_])]
            }
            9 => vec![plain(format!("{target} = $ ? 3 : 4"), [number_])],
            10 => {
                let shared = self.global("x", "int @");
                let swap = format!("{target} = __sync_bool_compare_and_swap(&{shared}, $, 1)");
                vec![plain(swap, [number_])]
            }
            11 => {
                let shared = self.global("x", "int @");
                let op = self.pick(&["add", "and", "or", "xor"]);
                vec![
                    plain(format!("__sync_fetch_and_{op}(&{shared}, $)"), [number_]),
                    if_else(value(shared, []), set(2), vec![]),
                ]
            }
            12 => {
                let (f, x) = (self.name("f"), self.global("x", "int @"));
                let helper = format!("static int {f}(int n) {{ {x} = n; return n & 6; }}");
                self.globals.push(helper);
                vec![if_else(value(format!("{f}($)"), [number_]), set(3), vec![])]
            }
            _ => vec![plain(format!("{target} = $ && {target} == 0"), [number_])],
        }
    }

    /// Copies a struct, perhaps; what is written there, and the name of the copy.
    fn copied(&mut self, record: &Record, of: &str) -> (Vec<Stmt>, String) {
        let tag = &record.tag;
        let copy = self.name("v");
        let declare = plain(format!("struct {tag} {copy}"), []);
        match self.rng.u32(..10) {
            0 => (vec![plain(format!("struct {tag} {copy} = {of}"), [])], copy),
            1 => (
                vec![
                    declare,
                    plain(format!("memcpy(&{copy}, &{of}, sizeof {copy})"), []),
                ],
                copy,
            ),
            2 => {
                let f = self.name("f");
                let helper = format!("static struct {tag} {f}(struct {tag} a) {{ return a; }}");
                self.globals.push(helper);
                (
                    vec![plain(format!("struct {tag} {copy} = {f}({of})"), [])],
                    copy,
                )
            }
            3 => {
                self.feature("malloc");
                let first = [
                    declare,
                    plain(format!("struct {tag} *p{copy} = malloc(sizeof {copy})"), []),
                    plain(format!("*p{copy} = {of}"), []),
                    plain(format!("p{copy} = realloc(p{copy}, sizeof {copy} + 8)"), []),
                    plain(format!("{copy} = *p{copy}"), []),
                ];
                (first.to_vec(), copy)
            }
            4 => (
                vec![declare, plain(format!("memcpy(&{copy}, &{of}, 3)"), [])],
                copy,
            ),
            _ => (Vec::new(), of.to_owned()),
        }
    }

    /// What is done with a struct in the end.
    fn used(&mut self, role: usize, record: &Record, of: &str) -> Vec<Stmt> {
        let (mut list, copy) = self.copied(record, of);
        let has_pointer = (record.writes.iter()).any(|write| write.starts_with("@.p"));
        if has_pointer && self.one_in(3) {
            let target = self.local(role);
            list.push(match self.rng.u32(..4) {
                0 => plain(format!("*{copy}.p = 3"), []),
                1 => plain(format!("{target} = *{copy}.p"), []),
                2 => if_else(
                    place(format!("{copy}.p"), []),
                    vec![plain(format!("{target} = 1"), [])],
                    vec![],
                ),
                _ => {
                    let mine = self.name("q");
                    plain(
                        format!("int *{mine} = {copy}.p; {target} = {mine} != 0"),
                        [],
                    )
                }
            });
            return list;
        }
        let has_function = (record.writes.iter()).any(|write| write.starts_with("@.f"));
        if has_function && self.one_in(2) {
            let target = self.local(role);
            list.push(match self.one_in(3) {
                true => plain(format!("{target} = (long){copy}.f & 1"), []),
                false => plain(format!("{target} = {copy}.f(2)"), []),
            });
            return list;
        }
        let depth = self.rng.u32(..3);
        let number = self.computed(record, &copy, depth);
        list.extend(self.dependent(role, number));
        list
    }

    /// A struct that one thread keeps for itself.
    fn unwritten_local(&mut self, record: &Record) {
        let role = self.rng.usize(..self.bodies.len());
        let mine = self.name("v");
        let tag = &record.tag;
        let mut list = match self.one_in(3) {
            true => {
                self.feature("malloc");
                let make = format!("struct {tag} *p{mine} = malloc(sizeof(struct {tag}))");
                vec![plain(make, [])]
            }
            false => vec![plain(
                format!("struct {tag} {mine}_; struct {tag} *p{mine} = &{mine}_"),
                [],
            )],
        };
        let of = format!("(*p{mine})");
        list.extend(self.some_writes(role, record, &of));
        list.extend(self.used(role, record, &of));
        self.hide(role, list);
    }

    /// A struct that one thread makes, and another may use before it is complete.
    fn unwritten_and_published(&mut self, record: &Record) {
        self.feature("published");
        let tag = &record.tag;
        let shared = self.global("n", &format!("struct {tag} *@"));
        let (sender, receiver) = self.two_roles();
        let (mine, yours) = (self.name("p"), self.name("p"));
        let mut send = match self.one_in(4) {
            true => vec![plain(
                format!("struct {tag} {mine}_; struct {tag} *{mine} = &{mine}_"),
                [],
            )],
            false => {
                self.feature("malloc");
                let allocate = self.pick(&["malloc(", "malloc(", "calloc(1, "]);
                let make = format!("struct {tag} *{mine} = {allocate}sizeof *{mine})");
                vec![plain(make, [])]
            }
        };
        let of = format!("(*{mine})");
        let writes = self.some_writes(sender, record, &of);
        let publish = plain(format!("{shared} = {mine}"), []);
        let at = match self.one_in(2) {
            true => writes.len(),
            false => self.rng.usize(..=writes.len()),
        };
        send.extend(writes);
        send.insert(1 + at, publish);
        self.add(sender, [block("", [], send)]);
        let of = format!("(*{yours})");
        let mut use_it = Vec::new();
        if self.one_in(4) {
            let write = self.pick(&record.writes).replace('@', &of);
            use_it.push(plain(write, []));
        }
        use_it.extend(self.used(receiver, record, &of));
        let receive = vec![
            plain(format!("struct {tag} *{yours} = {shared}"), []),
            if_else(place(yours, []), use_it, vec![]),
        ];
        self.add(receiver, [block("", [], receive)]);
    }

    /// A global struct that gets what was never written from a local one.
    fn unwritten_and_copied(&mut self, record: &Record) {
        self.feature("copied");
        let tag = &record.tag;
        let shared = self.global("g", &format!("struct {tag} @"));
        let (writer, reader) = self.two_roles();
        let mine = self.name("v");
        let mut list = vec![plain(format!("struct {tag} {mine}"), [])];
        list.extend(self.some_writes(writer, record, &mine));
        list.push(match self.one_in(2) {
            true => plain(format!("{shared} = {mine}"), []),
            false => plain(format!("memcpy(&{shared}, &{mine}, sizeof {mine})"), []),
        });
        if self.one_in(2) {
            list.extend(self.some_writes(writer, record, &shared));
        }
        self.hide(writer, list);
        let used = self.used(reader, record, &shared);
        self.hide(reader, used);
    }

    /// A plain number that is written on some paths only.
    fn unwritten_number(&mut self) {
        let role = self.rng.usize(..self.bodies.len());
        let name = self.name("u");
        let ty = self.pick(&["int", "unsigned char", "long", "_Bool", "short"]);
        let flag = self.shared();
        let other = self.other_role(role);
        let write = self.write(&flag, number(1));
        self.hide(other, vec![write]);
        let condition = self.read(&flag);
        let mut list = vec![
            plain(format!("{ty} {name}"), []),
            if_else(condition, vec![plain(format!("{name} = 1"), [])], vec![]),
        ];
        if self.one_in(2) {
            let again = self.read(&flag);
            let uses = self.dependent(role, value(name, []));
            list.push(if_else(again, uses, vec![]));
        } else {
            list.extend(self.dependent(role, value(name, [])));
        }
        self.hide(role, list);
    }
}
