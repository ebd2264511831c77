//! Makes the LLVM IR of a program ready for the machine, as text.
//!
//! Before every access to memory and every call, the program calls `judge_step` of
//! `tests/native-runtime/runtime.c` with the line of the source, and `judge_return`
//! before a function returns.
//! Functions that nobody defines, and the inputs that it asks for, answer with a
//! value from the list that the explorer tries too. A table tells the runtime where
//! the global variables are. Otherwise the program stays as it is: the explorer and
//! the machine run the same instructions.
//!
//! This module knows as much of the syntax as it needs, for what clang prints
//! without optimisation. It decides nothing about outcomes.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

/// Stops the compiler's sanitizers from being left out: they need an attribute on
/// every function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sanitizer {
    None,
    Address,
    Thread,
}

impl Sanitizer {
    fn attribute(self) -> &'static str {
        match self {
            Sanitizer::None => "",
            Sanitizer::Address => "sanitize_address ",
            Sanitizer::Thread => "sanitize_thread ",
        }
    }
}

/// What can be said about a program from its text.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Traits {
    /// It has atomic accesses of any kind, fences included.
    pub has_atomics: bool,
    /// It has sections that nobody may come between, which the machine does not
    /// know.
    pub has_atomic_sections: bool,
    /// Some of its accesses take the machine several accesses, so that others can
    /// come between: those of the C library to blocks of memory, those to what is
    /// larger than a register.
    pub has_coarse_accesses: bool,
    /// Functions of its own that have a meaning for the explorer whatever is in
    /// them.
    pub redefines: bool,
    /// An input of a type that the machine does not get.
    pub strange_input: bool,
    pub has_loops: bool,
    pub has_threads: bool,
    /// Locals may end before their function returns: a thread leaves in the midst of
    /// its calls, or they are arrays of any size.
    pub has_early_ends: bool,
    /// Locks and their like are found through pointers. The library that uses them is
    /// not instrumented.
    pub has_lent_locks: bool,
    /// Global variables that hold what the system chooses: keys and handles.
    pub handles: BTreeSet<String>,
}

/// Functions that end locals.
const EARLY_ENDS: [&str; 3] = ["@pthread_exit(", "@thrd_exit(", "@llvm.stackrestore"];

/// Functions that take a lock or the like first; all that begin so.
const LOCK_FUNCTIONS: [&str; 9] = [
    "@pthread_mutex_",
    "@pthread_cond_",
    "@pthread_rwlock_",
    "@pthread_spin_",
    "@pthread_barrier_",
    "@pthread_once",
    "@sem_",
    "@mtx_",
    "@cnd_",
];

/// Functions that write what the system chooses where their first argument says.
const MAKERS: [&str; 2] = ["@pthread_key_create(", "@pthread_create("];

/// Whose bodies do not count.
const REDEFINED: [&str; 4] = [
    "@reach_error(",
    "@__VERIFIER_error(",
    "@__VERIFIER_assume(",
    "@__VERIFIER_assert(",
];

/// Functions that nobody may come between the beginning and the end of; all that
/// begin so.
const SECTIONS: [&str; 3] = ["@__VERIFIER_atomic", "@__CPROVER_atomic", "@__ESBMC_atomic"];

/// Functions that answer with an input; all that begin so.
const INPUTS: [&str; 3] = ["__VERIFIER_nondet", "nondet_", "__ESBMC_nondet"];

/// Functions of the C library that access blocks of memory, as far as programs of
/// the tests call them; all that begin so.
const BLOCK_FUNCTIONS: [&str; 13] = [
    "@llvm.mem",
    "@mem",
    "@str",
    "@qsort",
    "@bsearch",
    "@realloc",
    "@calloc",
    "@sprintf",
    "@snprintf",
    "@sscanf",
    "@printf",
    "@puts",
    "@scanf",
];

pub fn traits(text: &str) -> Traits {
    let mut traits = Traits::default();
    let word = match text.contains("p:32:32") {
        true => 4,
        false => 8,
    };
    let mut labels = BTreeSet::new();
    for line in text.lines() {
        let code = line.trim_start();
        if line.starts_with("define ") {
            traits.redefines |= REDEFINED.iter().any(|name| line.contains(name));
            traits.has_atomic_sections |= names_a_section(line);
            labels.clear();
        }
        if let Some((label, _)) = line.split_once(':')
            && !line.starts_with([' ', '!', '@', ';'])
        {
            labels.insert(label.to_owned());
        }
        if !line.starts_with("  ") {
            continue;
        }
        let operation = operation(code);
        traits.has_atomics |= matches!(operation, "atomicrmw" | "cmpxchg" | "fence")
            || code.contains("load atomic")
            || code.contains("store atomic")
            || code.contains("call") && code.contains("@__atomic")
            // What assembly does is no race, but nobody else sees what it orders.
            || code.contains(" asm ");
        traits.has_atomic_sections |= names_a_section(code);
        traits.has_threads |= code.contains("@pthread_create(") || code.contains("@thrd_create(");
        traits.has_early_ends |= EARLY_ENDS.iter().any(|name| code.contains(name));
        traits.has_lent_locks |= LOCK_FUNCTIONS.iter().any(|name| {
            let call = code
                .split_once(name)
                .and_then(|(_, rest)| rest.split_once('('));
            let first = call.and_then(|(_, arguments)| arguments.split([',', ')']).next());
            let value = first.and_then(|first| first.split(' ').next_back());
            value.is_some_and(|value| value.starts_with('%'))
        });
        let made = MAKERS.iter().find_map(|maker| code.split_once(maker));
        let target = made.and_then(|(_, rest)| rest.split(',').next());
        if let Some((_, symbol)) = target.and_then(|target| target.split_once('@')) {
            let end = symbol.find(|c: char| !c.is_ascii_alphanumeric() && !"_.".contains(c));
            let symbol = &symbol[..end.unwrap_or(symbol.len())];
            traits.handles.insert(symbol.to_owned());
        }
        traits.has_coarse_accesses |= match operation {
            "call" => BLOCK_FUNCTIONS.iter().any(|name| code.contains(name)),
            "load" | "store" => is_coarse(code, word),
            _ => false,
        };
        if operation == "br" {
            let targets = code.split("label %").skip(1);
            let targets = targets.map(|rest| {
                let end = rest.find([',', ' ']).unwrap_or(rest.len());
                &rest[..end]
            });
            traits.has_loops |= targets.into_iter().any(|target| labels.contains(target));
        }
    }
    for declared in declarations(text) {
        traits.strange_input |= declared.is_input() && declared.stub().is_none();
    }
    traits
}

fn names_a_section(line: &str) -> bool {
    SECTIONS.iter().any(|name| line.contains(name))
}

/// Whether an access is to more than the machine accesses at once.
fn is_coarse(code: &str, word: u64) -> bool {
    let ty = code
        .split_once("load ")
        .or_else(|| code.split_once("store "));
    let ty = ty.map_or("", |(_, rest)| rest);
    let ty = ty
        .trim_start_matches("atomic ")
        .trim_start_matches("volatile ");
    let end = ty.find([' ', ',']).unwrap_or(ty.len());
    let first = &ty[..end];
    let bytes = match first {
        "float" => 4,
        "double" => 8,
        "ptr" => word,
        _ if first.ends_with('*') => word,
        _ => match first.strip_prefix('i').map(str::parse::<u64>) {
            Some(Ok(bits)) => bits.div_ceil(8),
            // A function pointer, say, has blanks in its type.
            _ if ty.contains(")*") => word,
            _ => return true,
        },
    };
    let align = code.split_once(", align ").map_or("", |(_, rest)| rest);
    let digits = align.find(|c: char| !c.is_ascii_digit());
    let align = align[..digits.unwrap_or(align.len())]
        .parse()
        .unwrap_or(bytes);
    bytes > word || align < bytes
}

/// The instruction that a line holds: `load`, `call` and so on.
fn operation(code: &str) -> &str {
    let code = match code.split_once(" = ") {
        Some((result, rest)) if result.starts_with('%') => rest,
        _ => code,
    };
    let code = ["tail ", "notail ", "musttail "]
        .iter()
        .find_map(|prefix| code.strip_prefix(prefix))
        .unwrap_or(code);
    code.split([' ', ',']).next().unwrap_or_default()
}

/// Whether another thread may come before what a line holds.
fn is_step(code: &str) -> bool {
    match operation(code) {
        "load" | "store" | "atomicrmw" | "cmpxchg" | "ret" => true,
        "call" => !code.contains("@llvm.dbg.") && !code.contains("@llvm.lifetime."),
        _ => false,
    }
}

/// A global variable that is to be told, in the order of the table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Told {
    pub symbol: String,
    pub bytes: u64,
}

/// The program for the machine.
pub fn instrument(text: &str, told: &[Told], sanitizer: Sanitizer) -> String {
    let lines_of = line_numbers(text);
    let mut types = BTreeMap::new();
    let mut result = String::with_capacity(2 * text.len());
    for line in text.lines() {
        if let Some((symbol, ty)) = global(line) {
            types.insert(symbol, ty);
        }
        if line.starts_with("declare ")
            && let Some(declared) = Declared::parse(line)
            && declared.is_input()
            && let Some(stub) = declared.stub()
        {
            result.push_str(&stub);
            continue;
        }
        if line.starts_with("  ") && is_step(line.trim_start()) {
            let at = line.rsplit_once("!dbg !").map(|(_, rest)| rest);
            let at = at.map(|rest| rest.split(',').next().unwrap_or_default());
            let at = at.and_then(|id| lines_of.get(id)).copied().unwrap_or(0);
            let what = match operation(line.trim_start()) {
                "ret" => "return",
                _ => "step",
            };
            let _ = writeln!(result, "  call void @judge_{what}(i32 {at})");
        }
        match line.strip_prefix("define ") {
            Some(rest) => {
                let _ = writeln!(result, "define {}", with_attribute(rest, sanitizer));
            }
            None => {
                let _ = writeln!(result, "{line}");
            }
        }
    }
    result.push_str("\ndeclare void @judge_step(i32)\ndeclare void @judge_return(i32)\n");
    if !result.contains("declare i64 @judge_input()") {
        result.push_str("declare i64 @judge_input()\n");
    }
    let is_opaque = has_opaque_pointers(text);
    let rows: Vec<String> = told
        .iter()
        .filter_map(|told| {
            let ty = types.get(told.symbol.as_str())?;
            let address = match is_opaque {
                true => format!("ptr @{}", told.symbol),
                false => format!("i8* bitcast ({ty}* @{} to i8*)", told.symbol),
            };
            Some(row(&address, told.bytes, text))
        })
        .chain([row(
            if is_opaque { "ptr null" } else { "i8* null" },
            0,
            text,
        )])
        .collect();
    let _ = writeln!(
        result,
        "@judge_globals = constant [{} x {}] [{}]",
        rows.len(),
        row_type(is_opaque, text),
        rows.join(", ")
    );
    result
}

/// From version 15 on, clang prints all pointers alike.
fn has_opaque_pointers(text: &str) -> bool {
    let version = text
        .rsplit_once("clang version ")
        .map_or("", |(_, rest)| rest);
    let major = version.split('.').next().map(str::parse::<u32>);
    matches!(major, Some(Ok(15..)))
}

fn size_type(text: &str) -> &'static str {
    match text.contains("p:32:32") {
        true => "i32",
        false => "i64",
    }
}

fn row_type(is_opaque: bool, text: &str) -> String {
    let pointer = if is_opaque { "ptr" } else { "i8*" };
    format!("{{ {pointer}, {} }}", size_type(text))
}

fn row(address: &str, bytes: u64, text: &str) -> String {
    let is_opaque = address.starts_with("ptr");
    format!(
        "{} {{ {address}, {} {bytes} }}",
        row_type(is_opaque, text),
        size_type(text)
    )
}

/// Puts the attribute of a sanitizer after the parameters of a function.
fn with_attribute(definition: &str, sanitizer: Sanitizer) -> String {
    let attribute = sanitizer.attribute();
    // The parameters end where the group of attributes begins.
    match definition.rfind(") ") {
        Some(at) if !attribute.is_empty() => {
            let (before, after) = definition.split_at(at + 2);
            format!("{before}{attribute}{after}")
        }
        _ => definition.to_owned(),
    }
}

/// Line numbers by the numbers of debug locations.
fn line_numbers(text: &str) -> BTreeMap<&str, u32> {
    let locations = text.lines().filter_map(|line| {
        let (id, rest) = line.strip_prefix('!')?.split_once(" = ")?;
        let rest = rest.trim_start_matches("distinct ");
        let rest = rest.strip_prefix("!DILocation(line: ")?;
        let end = rest.find(|c: char| !c.is_ascii_digit())?;
        Some((id, rest[..end].parse().ok()?))
    });
    locations.collect()
}

/// The symbol and the type of a global variable that a line defines.
fn global(line: &str) -> Option<(&str, &str)> {
    let (symbol, rest) = line.strip_prefix('@')?.split_once(" = ")?;
    let at = rest.find("global ")?;
    // No constant whose text happens to say so.
    if rest[..at].contains(['"', '[', '{']) {
        return None;
    }
    let rest = &rest[at + "global ".len()..];
    Some((symbol, &rest[..type_length(rest)]))
}

/// How long the type is that a text begins with.
fn type_length(text: &str) -> usize {
    let mut depth = 0u32;
    for (at, c) in text.char_indices() {
        match c {
            '{' | '[' | '(' | '<' => depth += 1,
            '}' | ']' | ')' | '>' => depth = depth.saturating_sub(1),
            // The parameters of a function pointer come after a blank.
            ' ' if depth == 0 && !text[at + 1..].starts_with('(') => return at,
            ',' if depth == 0 => return at,
            _ => {}
        }
    }
    text.len()
}

/// A function without a body.
struct Declared<'t> {
    name: &'t str,
    result: &'t str,
    /// All but the word `declare`.
    head: &'t str,
}

fn declarations(text: &str) -> impl Iterator<Item = Declared<'_>> {
    let lines = text.lines().filter(|line| line.starts_with("declare "));
    lines.filter_map(Declared::parse)
}

impl<'t> Declared<'t> {
    fn parse(line: &'t str) -> Option<Declared<'t>> {
        let at = line.find(" @")?;
        let rest = &line[at + 2..];
        Some(Declared {
            name: &rest[..rest.find('(')?],
            result: line[..at].rsplit(' ').next()?,
            head: line.strip_prefix("declare ")?,
        })
    }

    /// Nobody knows what it does.
    fn is_unknown(&self) -> bool {
        !self.name.starts_with("llvm.")
            && !self.name.starts_with("__VERIFIER")
            && library::lookup(self.name).is_none()
    }

    fn is_input(&self) -> bool {
        self.is_unknown() || INPUTS.iter().any(|name| self.name.starts_with(name))
    }

    /// A body that asks for an input and returns it; `None` if the type of the
    /// result is beyond that.
    fn stub(&self) -> Option<String> {
        let Declared { result, head, .. } = self;
        let ask = "  %judged = call i64 @judge_input()\n";
        let body = match *result {
            "void" => "  ret void\n".to_owned(),
            "i64" => format!("{ask}  ret i64 %judged\n"),
            "ptr" => "  ret ptr null\n".to_owned(),
            _ if result.ends_with('*') => format!("  ret {result} null\n"),
            _ if ["i1", "i8", "i16", "i32"].contains(result) => format!(
                "{ask}  %judged.part = trunc i64 %judged to {result}\n  ret {result} %judged.part\n"
            ),
            _ => return None,
        };
        Some(format!("define {head} {{\n{body}}}\n"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_come_before_what_others_can_notice() {
        let text = "\
target datalayout = \"e-m:e-i64:64\"
@x = dso_local global i32 0, align 4
define dso_local i32 @main() #0 !dbg !1 {
  %1 = alloca i32, align 4
  call void @llvm.dbg.declare(metadata i32* %1, metadata !2, metadata !3), !dbg !4
  store i32 1, i32* @x, align 4, !dbg !4
  %2 = call i32 @other(i8* null), !dbg !4
  ret i32 0, !dbg !4
}
declare i32 @other(i8* noundef) #1
!4 = !DILocation(line: 7, column: 3, scope: !1)
";
        let told = Told {
            symbol: "x".to_owned(),
            bytes: 4,
        };
        let result = instrument(text, &[told], Sanitizer::Thread);
        let expected = "\
target datalayout = \"e-m:e-i64:64\"
@x = dso_local global i32 0, align 4
define dso_local i32 @main() sanitize_thread #0 !dbg !1 {
  %1 = alloca i32, align 4
  call void @llvm.dbg.declare(metadata i32* %1, metadata !2, metadata !3), !dbg !4
  call void @judge_step(i32 7)
  store i32 1, i32* @x, align 4, !dbg !4
  call void @judge_step(i32 7)
  %2 = call i32 @other(i8* null), !dbg !4
  call void @judge_return(i32 7)
  ret i32 0, !dbg !4
}
define i32 @other(i8* noundef) #1 {
  %judged = call i64 @judge_input()
  %judged.part = trunc i64 %judged to i32
  ret i32 %judged.part
}
!4 = !DILocation(line: 7, column: 3, scope: !1)

declare void @judge_step(i32)
declare void @judge_return(i32)
declare i64 @judge_input()
@judge_globals = constant [2 x { i8*, i64 }] [{ i8*, i64 } { i8* bitcast (i32* @x to i8*), i64 4 }, { i8*, i64 } { i8* null, i64 0 }]
";
        assert_eq!(result, expected);
    }

    #[test]
    fn traits_are_found() {
        let check = |line: &str| traits(&format!("define void @f() {{\n  {line}\n}}\n"));
        assert_eq!(check("store i32 1, i32* @x, align 4"), Traits::default());
        assert!(check("store i32 1, i32* @x, align 1").has_coarse_accesses);
        assert!(check("store i128 1, i128* @x, align 16").has_coarse_accesses);
        assert!(check("%1 = load { i32, i32 }, { i32, i32 }* @x").has_coarse_accesses);
        assert!(check("fence seq_cst").has_atomics);
        assert!(check("%1 = load atomic i32, i32* @x seq_cst, align 4").has_atomics);
        assert!(check("call void @__VERIFIER_atomic_begin()").has_atomic_sections);
        let lock = "%1 = call i32 @pthread_mutex_lock(%union.lock* noundef";
        assert!(check(&format!("{lock} %0)")).has_lent_locks);
        assert!(!check(&format!("{lock} @m)")).has_lent_locks);
        let wait = "%1 = call i32 @pthread_cond_wait(ptr noundef %0, ptr noundef @m)";
        assert!(check(wait).has_lent_locks);
        assert!(check("call void @pthread_exit(ptr null)").has_early_ends);
        assert!(check("call void @llvm.stackrestore(ptr %0)").has_early_ends);
        let handles =
            check("%1 = call i32 @pthread_key_create(i32* noundef @key1, i8* null)").handles;
        assert_eq!(handles, BTreeSet::from(["key1".to_owned()]));
        assert!(traits("declare double @other()\n").strange_input);
    }

    #[test]
    fn types_of_globals_are_read() {
        let check = |line, expected| assert_eq!(global(line), expected);
        check("@x = global i32 0", Some(("x", "i32")));
        check("@p = dso_local global i32* @x", Some(("p", "i32*")));
        check(
            "@a = internal global [2 x %struct.S] zeroinitializer",
            Some(("a", "[2 x %struct.S]")),
        );
        check("@f = global i8* (i8*)* @g", Some(("f", "i8* (i8*)*")));
        check("@.str = constant [9 x i8] c\"global \\00\"", None);
    }
}
