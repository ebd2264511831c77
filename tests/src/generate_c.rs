//! Random single-threaded C programs for differential testing.
//!
//! [`program`] writes one C11 source text per seed: records with bit-fields, unions, arrays,
//! pointers, functions (by-value records, function pointers, varargs, bounded recursion), loops,
//! switches, forward gotos, heap blocks and moderate floating point, all mixed into one checksum.
//!
//! What it guarantees:
//! * the same seed gives the same text;
//! * no undefined behaviour, be `long` 32 or 64 bits wide, and no dependence on evaluation order or
//!   addresses: arithmetic wraps through unsigned types, shift counts and indexes are masked,
//!   divisors are never 0 or -1, everything is initialised, and a function with side effects is
//!   only called where nothing else is being evaluated;
//! * every floating value stays finite and every conversion from one is in range;
//! * the program ends after fewer than about 200,000 operations, prints intermediate values and
//!   the checksum, and exits with `checksum & 0x3f`.
//!
//! What it must not do: read input, print addresses, use threads, recurse without a bound, or
//! use an operation whose result compilers may round or fold differently.

use fastrand::Rng;

/// What every program starts with. `tame` keeps floating values finite and convertible.
const PRELUDE: &str = "\
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

static unsigned long long checksum = 14695981039346656037ull;
static double tame(double v) { return v > -1e6 && v < 1e6 ? v : 0.5; }
static void mix(unsigned long long v) { checksum = (checksum ^ v) * 1099511628211ull >> 1; }
static unsigned descend(unsigned n, unsigned v) { return n ? descend(n - 1, v * 5u + n) ^ v : v; }
static unsigned long long gather(int n, ...) {
    unsigned long long sum = 0;
    va_list ap;
    va_start(ap, n);
    while (n--) {
        sum = sum * 31 + (unsigned)va_arg(ap, int);
        sum ^= va_arg(ap, unsigned long long);
        sum += (unsigned long long)(long long)va_arg(ap, double);
    }
    va_end(ap);
    return sum;
}
";

/// An integer type, with what is needed to compute in it safely.
#[derive(PartialEq)]
struct IntType {
    name: &'static str,
    format: &'static str,
    signed: bool,
    /// The bits it has on every target, so that `long` counts as 32.
    bits: u32,
}

type Int = &'static IntType;

const fn int(name: &'static str, format: &'static str, signed: bool, bits: u32) -> IntType {
    IntType {
        name,
        format,
        signed,
        bits,
    }
}

static INTS: [IntType; 12] = [
    int("_Bool", "d", false, 8),
    int("char", "d", true, 8),
    int("signed char", "hhd", true, 8),
    int("unsigned char", "hhu", false, 8),
    int("short", "hd", true, 16),
    int("unsigned short", "hu", false, 16),
    int("int", "d", true, 32),
    int("unsigned", "u", false, 32),
    int("long", "ld", true, 32),
    int("unsigned long", "lu", false, 32),
    int("long long", "lld", true, 64),
    int("unsigned long long", "llu", false, 64),
];

static BYTE: Int = &INTS[3];
static SHORT: Int = &INTS[4];
static INT: Int = &INTS[6];
static UNSIGNED: Int = &INTS[7];
static WIDE: Int = &INTS[11];

impl IntType {
    /// The unsigned type in which arithmetic on this one wraps.
    fn wrapping(&self) -> &'static str {
        match self.name {
            "long" | "unsigned long" => "unsigned long",
            _ if self.bits == 64 => "unsigned long long",
            _ => "unsigned",
        }
    }

    /// Whether `+`, `-` and `*` cannot overflow: two `unsigned short` factors are `int` and can.
    fn wraps(&self) -> bool {
        self.bits < 16 || (!self.signed && self.bits >= 32)
    }
}

/// The type of a variable or result; a record is given by its index.
#[derive(Clone, Copy, PartialEq)]
enum Kind {
    Int(Int),
    Real,
    Record(usize),
}

/// What may be done with a variable; each includes the ones before.
#[derive(Clone, Copy, PartialEq, PartialOrd)]
enum Access {
    /// Loop counters are only read, so that loops stay bounded.
    Read,
    /// Members of unions are only written by name, as the aliasing rules ask.
    Write,
    Address,
}

/// Whatever can be named and holds a value: a variable, member or pointee, or an array of them.
#[derive(Clone)]
struct Variable {
    text: String,
    kind: Kind,
    access: Access,
    /// A power of two, for an array; naming an element then takes an index.
    length: Option<u32>,
    bit_field: bool,
}

impl Variable {
    fn new(text: impl Into<String>, kind: Kind, access: Access, length: Option<u32>) -> Self {
        Variable {
            text: text.into(),
            kind,
            access,
            length,
            bit_field: false,
        }
    }

    fn int(&self) -> Option<Int> {
        match self.kind {
            Kind::Int(ty) => Some(ty),
            _ => None,
        }
    }

    fn addressable(&self) -> bool {
        self.access == Access::Address
    }

    /// An array element used as an index would call for another index.
    fn can_index(&self) -> bool {
        self.int().is_some() && self.length.is_none()
    }
}

#[derive(Clone)]
struct Function {
    name: String,
    /// The flag says that the parameter points to a value of the kind.
    params: Vec<(Kind, bool)>,
    output: Kind,
    cost: u64,
}

#[derive(Default)]
struct Generator {
    rng: Rng,
    text: String,
    indent: usize,
    next_id: u32,
    /// Struct types: the members of each are named relative to an object.
    records: Vec<Vec<Variable>>,
    scope: Vec<Variable>,
    functions: Vec<Function>,
    /// How often the statement being written runs per call of its function.
    repeats: u64,
    /// Lines executed so far per call of the function being written.
    cost: u64,
    budget: u64,
    /// Whether `break` and `continue` are possible and would skip no cleanup.
    in_loop: bool,
}

/// Lines one function may execute, calls included, and the same for `main`.
const FUNCTION_BUDGET: u64 = 500;
const MAIN_BUDGET: u64 = 3_000;
/// The most times one statement may be repeated by the loops around it in its function.
const MOST_REPEATS: u64 = 48;

/// Gives a C program; see the module's description for what holds of it.
pub fn program(seed: u64) -> String {
    let mut generator = Generator {
        rng: Rng::with_seed(seed),
        text: PRELUDE.to_string(),
        ..Generator::default()
    };
    generator.declare_records();
    generator.declare_globals();
    generator.declare_table();
    for _ in 0..generator.rng.u32(1..3) {
        let params = (0..3).map(|_| generator.param()).collect();
        let output = generator.kind();
        generator.declare_function(params, output);
    }
    generator.declare_main();
    generator.text
}

impl Generator {
    // Declarations.

    fn declare_records(&mut self) {
        for record in 0..self.rng.usize(1..4) {
            self.line(format!("struct rec{record} {{"));
            let count = self.rng.u32(1..7);
            let members = (0..count).map(|i| self.declare_member(i)).collect();
            self.line("};");
            self.records.push(members);
        }
    }

    fn declare_member(&mut self, index: u32) -> Variable {
        let (name, kind) = (format!("m{index}"), Kind::Int(self.int_type()));
        let mut member = Variable::new(name, kind, Access::Address, None);
        let mut suffix = String::new();
        match self.rng.u32(0..7) {
            0..=2 => {
                let ty = self.pick(&[INT, UNSIGNED, WIDE]);
                member.kind = Kind::Int(ty);
                member.bit_field = true;
                member.access = Access::Write;
                suffix = format!(" : {}", self.rng.u32(1..ty.bits - 4));
            }
            3 => {
                member.length = Some(4);
                suffix = "[4]".to_string();
            }
            4 => member.kind = Kind::Real,
            _ => {}
        }
        let ty = kind_name(member.kind);
        self.line(format!("    {ty} m{index}{suffix};"));
        member
    }

    fn declare_globals(&mut self) {
        let mut kinds: Vec<_> = (0..self.records.len()).map(Kind::Record).collect();
        kinds.push(Kind::Real);
        for _ in 0..self.rng.u32(3..7) {
            kinds.push(Kind::Int(self.int_type()));
        }
        for kind in kinds {
            let value = self.constant(kind);
            self.declare("static ", kind, &value);
        }
        self.declare_array("static ", Access::Address);
        self.declare_array("static const ", Access::Read);
        // The members cover each other exactly, so that every byte read has been written.
        self.line("static union { unsigned long long a; int b[2]; short c[4]; unsigned char d[8]; } u = {77};");
        self.add("u.a", Kind::Int(WIDE), Access::Write, None);
        self.add("u.b", Kind::Int(INT), Access::Write, Some(2));
        self.add("u.c", Kind::Int(SHORT), Access::Write, Some(4));
        self.add("u.d", Kind::Int(BYTE), Access::Write, Some(8));
    }

    fn constant(&mut self, kind: Kind) -> String {
        match kind {
            Kind::Int(ty) => self.literal(ty),
            Kind::Real => self.real_literal(),
            Kind::Record(record) => {
                let members = self.records[record].clone();
                let values: Vec<_> = members.iter().map(|m| self.constant(m.kind)).collect();
                format!("{{{{{}}}}}", values.join("}, {"))
            }
        }
    }

    /// Declares a new variable with the value given.
    fn declare(&mut self, storage: &str, kind: Kind, value: &str) {
        let (ty, name) = (kind_name(kind), self.fresh("v"));
        self.line(format!("{storage}{ty} {name} = {value};"));
        self.enter(kind, name);
    }

    fn declare_array(&mut self, storage: &str, access: Access) {
        let (name, ty, n) = (self.fresh("a"), self.int_type(), self.pick(&[2, 4, 8]));
        let values: Vec<_> = (0..n).map(|_| self.literal(ty)).collect();
        let (ty_name, values) = (ty.name, values.join(", "));
        self.line(format!("{storage}{ty_name} {name}[{n}] = {{{values}}};"));
        self.add(&name, Kind::Int(ty), access, Some(n));
    }

    /// Two functions of one type, and a table through which both can be called.
    fn declare_table(&mut self) {
        let params = vec![(Kind::Int(INT), false), (Kind::Real, false)];
        self.declare_function(params.clone(), Kind::Int(WIDE));
        self.declare_function(params, Kind::Int(WIDE));
        let mut entry = self.functions[1].clone();
        let (f, g) = (&self.functions[0].name, &entry.name);
        let table =
            format!("static unsigned long long (*const table[])(int, double) = {{{f}, {g}}};");
        self.line(table);
        let index = self.find(Variable::can_index).text;
        entry.name = format!("table[(unsigned){index} & 1]");
        entry.cost = self.functions[0].cost.max(entry.cost);
        self.functions.push(entry);
    }

    fn declare_function(&mut self, params: Vec<(Kind, bool)>, output: Kind) {
        let (globals, name) = (self.scope.clone(), self.fresh("f"));
        let spelled: Vec<_> = params.iter().map(|p| self.enter_param(*p)).collect();
        let (result, spelled) = (kind_name(output), spelled.join(", "));
        self.line(format!("\nstatic {result} {name}({spelled}) {{"));
        self.begin_body(FUNCTION_BUDGET);
        let statements = self.rng.u32(1..4);
        self.statements(statements, 2);
        let value = self.value(output, 2);
        self.line(format!("return {value};"));
        self.indent -= 1;
        self.line("}");
        self.scope = globals;
        self.functions.push(Function {
            name,
            params,
            output,
            cost: self.cost,
        });
    }

    /// A pointer is to a type of which there is a global, so that every caller has one to pass.
    fn param(&mut self) -> (Kind, bool) {
        if self.one_in(3) {
            (self.find(Variable::addressable).kind, true)
        } else {
            (self.kind(), false)
        }
    }

    /// Brings a parameter into scope and spells its declaration.
    fn enter_param(&mut self, (kind, pointer): (Kind, bool)) -> String {
        let (ty, name) = (kind_name(kind), self.fresh("p"));
        let star = if pointer { "*" } else { "" };
        self.enter(kind, format!("({star}{name})"));
        format!("{ty} {star}{name}")
    }

    fn declare_main(&mut self) {
        let globals = self.scope.clone();
        self.line("\nint main(void) {");
        self.begin_body(MAIN_BUDGET);
        for function in self.functions.clone() {
            self.statement(2);
            self.call(&function);
            self.print();
        }
        self.statements(2, 2);
        for variable in globals {
            let text = variable.text;
            let statement = match (variable.kind, variable.length) {
                (Kind::Int(_), Some(n)) => format!("for (int i = 0; i < {n}; i++) mix({text}[i]);"),
                (Kind::Int(_), None) => format!("mix({text});"),
                (Kind::Real, _) => format!("mix((long long)({text} * 1000.0));"),
                (Kind::Record(_), _) => continue, // Its members are in scope by themselves.
            };
            self.line(statement);
        }
        self.line("printf(\"checksum %llu\\n\", checksum);");
        self.line("return (int)(checksum & 0x3f);");
        self.indent -= 1;
        self.line("}");
    }

    fn begin_body(&mut self, budget: u64) {
        self.indent += 1;
        (self.repeats, self.cost, self.budget, self.in_loop) = (1, 0, budget, false);
    }

    // Statements.

    fn statements(&mut self, count: u32, depth: u32) {
        for _ in 0..count {
            self.statement(depth);
        }
    }

    fn statement(&mut self, depth: u32) {
        match self.rng.u32(0..if depth == 0 { 18 } else { 26 }) {
            0..=4 => self.assign(),
            5..=8 => self.compound_assign(),
            9 => self.declare_array("", Access::Address),
            10 | 11 => {
                let kind = self.kind();
                let value = self.value(kind, 2);
                self.declare("", kind, &value);
            }
            12 => self.declare_pointer(),
            13 => {
                let value = self.integer(WIDE, 2);
                self.line(format!("mix({value});"));
            }
            14 => self.call_any(),
            15 => self.walk_array(),
            16 | 17 if self.in_loop => self.leave_loop(),
            16 | 17 => self.print(),
            18 => self.branch(depth),
            19..=21 => self.repeat(depth),
            22 => self.switch(depth),
            23 => self.skip_forward(depth),
            _ => self.heap_block(depth),
        }
    }

    /// Writes statements whose declarations end with them.
    fn block(&mut self, head: impl AsRef<str>, depth: u32, count: u32, tail: impl AsRef<str>) {
        let outer = self.scope.clone();
        self.line(head);
        self.indent += 1;
        self.statements(count, depth);
        self.indent -= 1;
        self.line(tail);
        self.scope = outer;
    }

    fn assign(&mut self) {
        let variable = self.find(|v| v.access >= Access::Write);
        let (target, value) = (self.spell(&variable), self.value(variable.kind, 3));
        self.line(format!("{target} = {value};"));
    }

    fn compound_assign(&mut self) {
        let variable = self.find(|v| v.access >= Access::Write && v.int().is_some());
        let (target, ty) = (self.spell(&variable), variable.int().unwrap_or(INT));
        let value = self.integer(ty, 2);
        let (operator, value) = match self.rng.u32(0..6) {
            0 | 1 if ty.wraps() => (self.pick(&[" += ", " -= ", " *= "]), value),
            2 => (self.pick(&[" /= ", " %= "]), self.divisor(ty)),
            3 => (" >>= ", format!("(unsigned){value} & 7u")),
            // A bit-field is narrower than the type it is computed in.
            4 if ty.wraps() || variable.bit_field => (self.pick(&["++", "--"]), String::new()),
            _ => (self.pick(&[" &= ", " |= ", " ^= "]), value),
        };
        self.line(format!("{target}{operator}{value};"));
    }

    /// Whatever is in scope outlives a pointer declared here, so the pointee is always alive.
    fn declare_pointer(&mut self) {
        let variable = self.find(Variable::addressable);
        let (ty, name) = (kind_name(variable.kind), self.fresh("q"));
        let target = self.spell(&variable);
        self.line(format!("{ty} *{name} = &{target};"));
        self.enter(variable.kind, format!("(*{name})"));
    }

    fn call_any(&mut self) {
        let (cost, repeats, budget) = (self.cost, self.repeats, self.budget);
        let mut affordable = self.functions.clone();
        affordable.retain(|f| cost + f.cost * repeats <= budget);
        if let Some(function) = self.rng.choice(affordable) {
            self.call(&function);
        }
    }

    /// The result initialises a new variable, so that nothing else is evaluated with the call.
    fn call(&mut self, function: &Function) {
        self.cost += function.cost * self.repeats;
        let params = function.params.iter();
        let args: Vec<_> = params.map(|p| self.argument(*p)).collect();
        let call = format!("{}({})", function.name, args.join(", "));
        self.declare("", function.output, &call);
    }

    fn argument(&mut self, (kind, pointer): (Kind, bool)) -> String {
        if pointer {
            let target = self.find(|v| v.addressable() && v.kind == kind);
            return format!("&{}", self.spell(&target));
        }
        // Any integer type will do: the call converts it.
        let other = Kind::Int(self.int_type());
        let integer = matches!(kind, Kind::Int(_));
        self.value(if integer { other } else { kind }, 2)
    }

    fn leave_loop(&mut self) {
        let (condition, way) = (self.condition(2), self.pick(&["break", "continue"]));
        self.line(format!("if ({condition}) {way};"));
    }

    fn print(&mut self) {
        let variable = self.find(|v| !matches!(v.kind, Kind::Record(_)));
        let (text, ty) = (&variable.text, kind_name(variable.kind));
        let format = match variable.kind {
            Kind::Int(ty) => format!("%{}{}", self.pick(&["", "5", "-8", "08"]), ty.format),
            _ => self.pick(&["%f", "%.2f", "%e", "%g", "%+.3f"]).to_string(),
        };
        let value = self.spell(&variable);
        self.line(format!("printf(\"{text} [{format}]\\n\", ({ty}){value});"));
    }

    fn branch(&mut self, depth: u32) {
        let condition = self.condition(2);
        self.block(format!("if ({condition}) {{"), depth - 1, 2, "}");
        if self.one_in(2) {
            self.block("else {", depth - 1, 1, "}");
        }
    }

    /// A loop of any form, ended by its counter at the latest.
    fn repeat(&mut self, depth: u32) {
        let (repeats, in_loop) = (self.repeats, self.in_loop);
        let trips = self.rng.u64(1..(MOST_REPEATS / repeats).clamp(2, 9));
        let (i, ty, condition) = (self.fresh("i"), self.int_type(), self.condition(1));
        // A `_Bool` counts no further than 1.
        let ty = if ty.name == "_Bool" { UNSIGNED } else { ty };
        self.line(format!("{} {i} = 0;", ty.name));
        self.add(&i, Kind::Int(ty), Access::Read, None);
        let (form, mut tail) = (self.rng.u32(0..4), "}".to_string());
        let head = match form {
            0 => format!("while ({i}++ < {trips} && {condition}) {{"),
            1 => format!("for ({i} = {trips}; {i} != 0; {i}--) {{"),
            2 => format!("for (; {i} < {trips}; {i} += 1) {{"),
            _ => "do {".to_string(),
        };
        if form == 3 {
            tail = format!("}} while (++{i} < {trips} && {condition});");
        }
        (self.repeats, self.in_loop) = (repeats * trips, true);
        let count = self.rng.u32(1..4);
        self.block(head, depth - 1, count, tail);
        (self.repeats, self.in_loop) = (repeats, in_loop);
    }

    fn switch(&mut self, depth: u32) {
        let ty = self.pick(&[INT, UNSIGNED, WIDE, BYTE]);
        let value = self.integer(ty, 2);
        let (first, default_at) = (if ty.signed { -2 } else { 0 }, self.rng.i32(0..4));
        self.line(format!("switch ({value} % 5) {{"));
        for case in 0..4 {
            let default = if case == default_at { "default: " } else { "" };
            let end = self.pick(&["}", "} break;", "} break;"]);
            let head = format!("{default}case {}: {{", first + case);
            self.block(head, depth - 1, 1, end);
        }
        self.line("}");
    }

    /// The statements jumped over are in a block of their own, so no declaration is bypassed.
    fn skip_forward(&mut self, depth: u32) {
        let (label, condition) = (self.fresh("skip"), self.condition(2));
        self.line(format!("if ({condition}) goto {label};"));
        self.block("{", depth - 1, 2, "}");
        self.line(format!("{label}:;"));
    }

    fn heap_block(&mut self, depth: u32) {
        let (h, ty, n) = (self.fresh("h"), self.int_type(), self.pick(&[2, 4, 8]));
        let (scope, in_loop, name) = (self.scope.clone(), self.in_loop, ty.name);
        // Leaving the loop from inside would leak the block.
        self.in_loop = false;
        self.line("{");
        self.line(format!("{name} *{h} = calloc({n}, sizeof *{h});"));
        self.line(format!("if (!{h}) exit(70);"));
        self.add(&h, Kind::Int(ty), Access::Address, Some(n));
        self.statements(2, depth - 1);
        self.line(format!("mix({h}[{n} - 1]);"));
        self.line(format!("free({h});"));
        self.line("}");
        (self.scope, self.in_loop) = (scope, in_loop);
    }

    /// Visits an array with a moving pointer.
    fn walk_array(&mut self) {
        let array = self.find(|v| v.addressable() && v.length.is_some());
        let (ty, n) = (kind_name(array.kind), array.length.unwrap_or(1));
        let a = array.text;
        let (p, value) = (self.fresh("w"), self.value(array.kind, 2));
        self.line(format!("for ({ty} *{p} = {a}; {p} != {a} + {n}; {p}++)"));
        self.line(format!("    *{p} ^= {value};"));
        self.cost += u64::from(n) * self.repeats;
    }

    // Expressions: all are free of side effects, and none needs parentheses around it.

    /// An expression of the kind; one of a record kind names an object.
    fn value(&mut self, kind: Kind, depth: u32) -> String {
        match kind {
            Kind::Int(ty) => self.integer(ty, depth),
            Kind::Real => format!("tame({})", self.real(depth)),
            Kind::Record(_) => self.find(|v| v.kind == kind).text,
        }
    }

    /// An expression of exactly the type given.
    fn integer(&mut self, ty: Int, depth: u32) -> String {
        if depth == 0 || self.one_in(6) {
            return self.atom(ty);
        }
        let (name, wide, mask) = (ty.name, ty.wrapping(), ty.bits.max(32) - 1);
        let (a, b) = (self.integer(ty, depth - 1), self.integer(ty, depth - 1));
        let (sum, bits) = (self.pick(&["+", "-", "*"]), self.pick(&["&", "|", "^"]));
        match self.rng.u32(0..16) {
            0..=2 => format!("({name})(({wide}){a} {sum} ({wide}){b})"),
            3 | 4 => format!("({name})({a} {bits} {b})"),
            5 => format!("({name})(({wide}){a} << ((unsigned){b} & {mask}u))"),
            6 => format!("({name})({a} >> ((unsigned){b} & {mask}u))"),
            7 => {
                let operator = self.pick(&["/", "%"]);
                format!("({name})({a} {operator} {})", self.divisor(ty))
            }
            8 => format!("({} ? {a} : {b})", self.condition(depth - 1)),
            9 => format!("({name}){}", self.condition(depth - 1)),
            10 => format!("({name})~{a}"),
            11 => format!("({name})-({wide}){a}"),
            12 => self.rounded(ty),
            13 => format!("({name})descend((unsigned){a} & 7u, (unsigned){b})"),
            14 => {
                let real = self.value(Kind::Real, 1);
                format!("({name})gather(1, (int){a}, (unsigned long long){b}, {real})")
            }
            _ => {
                let other = self.int_type();
                format!("({name}){}", self.integer(other, depth - 1))
            }
        }
    }

    /// Never 0, and never -1, by which the least value cannot be divided.
    fn divisor(&mut self, ty: Int) -> String {
        let (b, sign) = (self.atom(ty), self.pick(&["", "-"]));
        if ty.signed {
            format!("({sign}(({b} & 15) + 2))")
        } else {
            format!("({b} | 1)")
        }
    }

    /// A floating value as an integer, by way of a range every type of that sign has.
    fn rounded(&mut self, ty: Int) -> String {
        let (name, real) = (ty.name, self.real_atom());
        let low = if ty.signed { "-100.0" } else { "0.0" };
        format!("({name})({real} >= {low} && {real} < 120.0 ? {real} : 3.75)")
    }

    /// An expression in parentheses that is 0 or 1.
    fn condition(&mut self, depth: u32) -> String {
        if depth > 0 && self.one_in(4) {
            let (not, operator) = (self.pick(&["", "!"]), self.pick(&["&&", "||"]));
            let (a, b) = (self.condition(depth - 1), self.condition(depth - 1));
            return format!("({not}{a} {operator} {b})");
        }
        let relation = self.pick(&["<", "<=", ">", ">=", "==", "!="]);
        let (a, b) = if self.one_in(6) {
            (self.real(1), self.real(1))
        } else {
            // Different types on both sides exercise the usual conversions.
            let (left, right) = (self.int_type(), self.int_type());
            (self.integer(left, 1), self.integer(right, 0))
        };
        format!("({a} {relation} {b})")
    }

    fn atom(&mut self, ty: Int) -> String {
        if self.one_in(4) {
            return self.literal(ty);
        }
        let variable = self.find(|v| v.int().is_some());
        let text = self.spell(&variable);
        // Compilers disagree on the type of a wide bit-field, so that one is always converted.
        if variable.bit_field || variable.kind != Kind::Int(ty) {
            format!("({}){text}", ty.name)
        } else {
            text
        }
    }

    fn literal(&mut self, ty: Int) -> String {
        let (name, power, less) = (ty.name, self.rng.u32(0..ty.bits), self.rng.u32(0..2));
        match self.rng.u32(0..4) {
            0 if ty.signed => format!("({name})-{}", self.rng.u32(1..100)),
            1 => format!("({name})0x{:x}ull", self.rng.u64(..) >> (64 - ty.bits)),
            // Values next to a power of two, where carries and signs change.
            2 => format!("({name})((1ull << {power}) - {less})"),
            _ => format!("({name}){}", self.rng.u32(0..128)),
        }
    }

    /// A finite floating expression, at most about the fourth power of the widest integer.
    fn real(&mut self, depth: u32) -> String {
        if depth == 0 || self.one_in(4) {
            return self.real_atom();
        }
        let (a, b) = (self.real(depth - 1), self.real(depth - 1));
        match self.rng.u32(0..6) {
            0 => format!("({a} + {b})"),
            1 => format!("({a} - {b})"),
            2 => format!("({a} * {b})"),
            3 => format!("(-{a})"),
            // Through `tame`, as a `float` cannot hold every finite double.
            4 => format!("(float)tame({a})"),
            _ => format!("({a} / ({b} * {b} + 1.0))"),
        }
    }

    fn real_atom(&mut self) -> String {
        match self.rng.u32(0..3) {
            0 => self.find(|v| v.kind == Kind::Real).text,
            1 => {
                let ty = self.int_type();
                format!("(double){}", self.atom(ty))
            }
            _ => self.real_literal(),
        }
    }

    fn real_literal(&mut self) -> String {
        let value = f64::from(self.rng.i32(1..4000)) / 16.0;
        format!("{value:?}{}", self.pick(&["", "f"]))
    }

    // Names and choices.

    fn line(&mut self, text: impl AsRef<str>) {
        self.text.push_str(&"    ".repeat(self.indent));
        self.text.push_str(text.as_ref());
        self.text.push('\n');
        self.cost += self.repeats;
    }

    fn fresh(&mut self, prefix: &str) -> String {
        self.next_id += 1;
        format!("{prefix}{}", self.next_id)
    }

    fn one_in(&mut self, n: u32) -> bool {
        self.rng.u32(0..n) == 0
    }

    fn pick<T: Clone>(&mut self, choices: &[T]) -> T {
        choices[self.rng.usize(0..choices.len())].clone()
    }

    fn int_type(&mut self) -> Int {
        &INTS[self.rng.usize(0..INTS.len())]
    }

    fn kind(&mut self) -> Kind {
        match self.rng.u32(0..6) {
            0 => Kind::Real,
            1 | 2 => Kind::Record(self.rng.usize(0..self.records.len())),
            _ => Kind::Int(self.int_type()),
        }
    }

    fn add(&mut self, text: &str, kind: Kind, access: Access, length: Option<u32>) {
        self.scope.push(Variable::new(text, kind, access, length));
    }

    /// Brings a variable, or what a pointer refers to, into scope, with its members.
    fn enter(&mut self, kind: Kind, name: String) {
        if let Kind::Record(record) = kind {
            for mut member in self.records[record].clone() {
                member.text = format!("{name}.{}", member.text);
                self.scope.push(member);
            }
        }
        self.add(&name, kind, Access::Address, None);
    }

    /// Some variable that suits. The globals see to it that there is always one.
    fn find(&mut self, suits: impl Fn(&Variable) -> bool) -> Variable {
        let variables = self.scope.iter();
        let found: Vec<_> = variables.filter(|v| suits(v)).cloned().collect();
        self.pick(&found)
    }

    fn spell(&mut self, variable: &Variable) -> String {
        let text = &variable.text;
        match variable.length {
            None => text.clone(),
            Some(length) => {
                let index = self.find(Variable::can_index).text;
                format!("{text}[(unsigned){index} & {}]", length - 1)
            }
        }
    }
}

fn kind_name(kind: Kind) -> String {
    match kind {
        Kind::Int(ty) => ty.name.to_string(),
        Kind::Real => "double".to_string(),
        Kind::Record(record) => format!("struct rec{record}"),
    }
}
