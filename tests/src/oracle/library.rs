//! Scenarios about library functions: strings, sorting, printing into memory,
//! joins that do not wait, destructors of keys, functions for the end.

use super::generate::Generator;
use super::syntax::{Function, Stmt, if_else, number, plain, value};

impl Generator {
    pub(super) fn add_library_scenario(&mut self) {
        match self.rng.u32(..8) {
            0 | 1 => self.shared_text(),
            2 => self.duplicate(),
            3 => self.sorting(),
            4 => self.destructors(),
            5 => self.at_the_end(),
            6 => self.printing(),
            _ => self.try_join(),
        }
    }

    /// A statement that puts something into a text of at most 5 bytes.
    fn write_text(&mut self, text: &str) -> Stmt {
        let letter = self.pick(&["a", "b", "ab"]);
        match self.rng.u32(..6) {
            0 | 1 => plain(format!("strcpy({text}, \"{letter}\")"), []),
            2 => plain(format!("strcat({text}, \"c\")"), []),
            3 => plain(format!("strncpy({text}, \"xyz\", $)"), [number(2)]),
            4 => plain(format!("{text}[1] = $"), [number(0)]),
            _ => plain(format!("memset({text}, 'm', $)"), [number(2)]),
        }
    }

    /// A number that a text says.
    fn read_text(&mut self, text: &str) -> String {
        match self.rng.u32(..7) {
            0 | 1 => format!("(int)strlen({text})"),
            2 => format!("strcmp({text}, \"ab\")"),
            3 => format!("strchr({text}, 'b') != 0"),
            4 => format!("strncmp({text}, \"ac\", 1)"),
            5 => format!("(int)strspn({text}, \"ab\")"),
            _ => format!("strstr({text}, \"bc\") != 0"),
        }
    }

    fn shared_text(&mut self) {
        self.feature("strings");
        let text = self.global("text", "char @[16] = \"a\"");
        let (writer, reader) = self.two_roles();
        for role in [writer, reader] {
            if role == writer || self.one_in(3) {
                let write = self.write_text(&text);
                self.add(role, [write]);
            }
        }
        let local = self.local(reader);
        let said = self.read_text(&text);
        self.add(reader, [plain(format!("{local} = {said}"), [])]);
        let not = number(self.rng.i64(-1..4));
        let check = self.assert(value(format!("{local} != $"), [not]));
        self.add(reader, [check]);
        let said = self.read_text(&text);
        let not = number(self.rng.i64(0..4));
        self.check_finally(value(format!("{said} != $"), [not]));
    }

    fn duplicate(&mut self) {
        self.feature("strdup");
        let text = self.global("text", "char @[8] = \"7\"");
        let shared = self.global("copy", "char *@");
        let (sender, receiver) = self.two_roles();
        let write = self.write_text(&text);
        self.add(sender, [plain(format!("{shared} = strdup({text})"), [])]);
        self.add(sender, [write]);
        let local = self.local(receiver);
        let read = match self.one_in(2) {
            true => format!("{local} = atoi({shared})"),
            false => format!("{local} = (int)strlen({shared}) + 2"),
        };
        let use_it = if_else(value(&shared, []), vec![plain(read, [])], vec![]);
        self.add(receiver, [use_it]);
        let not = number(self.pick(&[0, 3, 4, 7]));
        let check = self.assert(value(format!("{local} != $"), [not]));
        self.add(receiver, [check]);
    }

    fn sorting(&mut self) {
        self.feature("qsort");
        let array = self.global("a", "int @[3] = { 3, 1, 2 }");
        let compare = self.name("compare");
        self.functions.push(Function {
            head: format!("static int {compare}(const void *x, const void *y)"),
            locals: Vec::new(),
            body: vec![plain("return *(const int *)x - *(const int *)y", [])],
        });
        let (sorter, reader) = self.two_roles();
        let count = self.rng.i64(2..=3);
        self.add(
            sorter,
            [plain(format!("qsort({array}, {count}, 4, {compare})"), [])],
        );
        let local = self.local(reader);
        let act = match self.rng.u32(..3) {
            0 => plain(format!("{array}[0] = $"), [number(5)]),
            1 => plain(format!("{local} = {array}[0]"), []),
            _ => plain(
                format!("{local} = {array}[0] * 10 + {array}[$]"),
                [number(1)],
            ),
        };
        self.add(reader, [act]);
        let not = number(self.pick(&[1, 13, 33, 11]));
        let check = self.assert(value(format!("{local} != $"), [not]));
        self.add(reader, [check]);
        if self.one_in(2) {
            let not = number(self.rng.i64(1..4));
            self.check_finally(value(format!("{array}[0] != $"), [not]));
        }
    }

    fn destructors(&mut self) {
        self.feature("key destructor");
        let key = self.global("key", "unsigned @");
        let sum = self.global("sum", "int @");
        let destroy = self.name("destroy");
        let mut body = vec![plain(format!("{sum} = {sum} + (int)(long)value"), [])];
        if self.one_in(3) {
            let again = plain(format!("pthread_setspecific({key}, (void *)1)"), []);
            body.push(if_else(
                value("(long)value > $", [number(1)]),
                vec![again],
                vec![],
            ));
        }
        self.functions.push(Function {
            head: format!("static void {destroy}(void *value)"),
            locals: Vec::new(),
            body,
        });
        let create = format!("pthread_key_create(&{key}, {destroy})");
        self.before.push(plain(create, []));
        for role in self.some_roles() {
            let value = self.rng.i64(1..4);
            let set = format!("pthread_setspecific({key}, (void *){value})");
            self.add(role, [plain(set, [])]);
        }
        if self.one_in(4) {
            let (role, _) = self.two_roles();
            self.add(role, [plain(format!("pthread_key_delete({key})"), [])]);
        }
        let not = number(self.rng.i64(1..7));
        self.check_finally(value(format!("{sum} != $"), [not]));
    }

    fn at_the_end(&mut self) {
        self.feature("atexit");
        let flag = self.global("flag", "int @");
        let handler = self.name("handler");
        let not = number(self.rng.i64(0..3));
        let check = self.assert(value(format!("{flag} != $"), [not]));
        self.functions.push(Function {
            head: format!("static void {handler}(void)"),
            locals: Vec::new(),
            body: vec![check],
        });
        self.before.push(plain(format!("atexit({handler})"), []));
        if self.one_in(2) {
            let first = self.name("handler");
            self.functions.push(Function {
                head: format!("static void {first}(void)"),
                locals: Vec::new(),
                body: vec![plain(format!("{flag} = {flag} + $"), [number(1)])],
            });
            self.before.push(plain(format!("atexit({first})"), []));
        }
        let (writer, other) = self.two_roles();
        self.add(writer, [plain(format!("{flag} = $"), [number(1)])]);
        if self.one_in(3) {
            self.add(other, [plain("exit(0)", [])]);
        }
    }

    fn printing(&mut self) {
        self.feature("sprintf");
        let text = self.global("text", "char @[16] = \"0\"");
        let var = self.shared();
        let (writer, reader) = self.two_roles();
        let first = self.write_of(&var);
        let print = match self.rng.u32(..3) {
            0 => plain(format!("sprintf({text}, \"%d\", (int){})", var.text), []),
            1 => plain(
                format!("snprintf({text}, 3, \"%02x!\", (int){})", var.text),
                [],
            ),
            _ => plain(format!("sprintf({text}, \"%s%c\", \"1\", '2')"), []),
        };
        self.add(writer, [first, print]);
        let local = self.local(reader);
        let read = match self.one_in(2) {
            true => format!("{local} = atoi({text})"),
            false => format!("{local} = (int)strlen({text})"),
        };
        self.add(reader, [plain(read, [])]);
        let not = number(self.pick(&[1, 2, 12, 3]));
        let check = self.assert(value(format!("{local} != $"), [not]));
        self.add(reader, [check]);
    }

    fn write_of(&mut self, var: &super::generate::Var) -> Stmt {
        let what = number(self.rng.i64(0..4));
        self.write(var, what)
    }

    /// A worker asks whether another thread has ended.
    fn try_join(&mut self) {
        self.feature("try-join");
        let var = self.shared();
        let handle = self.global("other", "pthread_t @");
        let quick = self.name("quick");
        let write = self.write_of(&var);
        let result = self.rng.i64(0..3);
        self.functions.push(Function {
            head: format!("static void *{quick}(void *arg)"),
            locals: Vec::new(),
            body: vec![write, plain(format!("return (void *){result}"), [])],
        });
        let (role, _) = self.two_roles();
        if self.bodies[role].copies > 1 {
            return;
        }
        let local = self.local(role);
        let result = self.name("result");
        self.bodies[role].locals.push(format!("void *{result} = 0"));
        self.add(
            role,
            [
                plain(format!("pthread_create(&{handle}, 0, {quick}, 0)"), []),
                plain(
                    format!("{local} = pthread_tryjoin_np({handle}, &{result})"),
                    [],
                ),
            ],
        );
        let not = number(self.pick(&[0, 16]));
        let read = self.read(&var);
        let check = self.assert(value(
            format!("{local} != $ || (int)(long){result} != $"),
            [not, read],
        ));
        self.add(role, [check]);
    }
}
