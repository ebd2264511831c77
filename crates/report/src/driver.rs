//! A driver for a component, as C text that compiles: threads that call its functions,
//! and places for what must hold. To begin with, not to end with: nobody knows here
//! what the functions are for.

use crate::outline::type_text;
use analysis::interface::{Offer, Parameter};
use ir::{Program, SourceType, SourceTypeId};
use std::fmt::Write;

/// Words in names of functions that come before the threads, and after.
const BEFORE: [&str; 6] = ["init", "create", "new", "open", "setup", "start"];
const AFTER: [&str; 9] = [
    "destroy", "free", "delete", "close", "fini", "shutdown", "cleanup", "term", "stop",
];
/// Calls per thread; more of them are comments.
const MOST_CALLS: usize = 4;

/// Which calls are written out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Calls {
    /// Those whose arguments can be made up.
    Written,
    /// None: all are comments.
    Commented,
}

/// One line for each function.
pub fn render_offers(program: &Program, offers: &[Offer]) -> String {
    let mut text = String::new();
    for offer in offers {
        let remark = match offer.is_for_others {
            true => "",
            false => " (called within the component)",
        };
        let line = (program.functions[offer.function].location).map_or(0, |at| at.line);
        let _ = writeln!(text, "  {line:>5}  {}{remark}", signature(program, offer));
    }
    text
}

/// The driver. `file` is the component as the driver includes it, `own` its own name.
pub fn render_driver(
    program: &Program,
    offers: &[Offer],
    file: &str,
    own: &str,
    calls: Calls,
) -> String {
    let mut shared = Shared::default();
    let wanted = offers.iter().filter(|offer| offer.is_for_others);
    let wanted: Vec<&Offer> = wanted.collect();
    let has_word = |offer: &Offer, words: &[&str]| {
        let name = program.functions[offer.function].name.to_lowercase();
        words.iter().any(|word| name.contains(word))
    };
    let mut parts: [Vec<String>; 4] = Default::default();
    let mut next = 1;
    for offer in wanted {
        let part = match () {
            () if has_word(offer, &AFTER) => 3,
            () if has_word(offer, &BEFORE) => 0,
            () => {
                next = 3 - next;
                next
            }
        };
        let is_one_too_many = (1..=2).contains(&part) && parts[part].len() >= MOST_CALLS;
        let call = call(program, offer, &mut shared);
        parts[part].push(match call {
            Some(call) if calls == Calls::Written && !is_one_too_many => format!("    {call};\n"),
            Some(call) => format!("    /* {call}; */\n"),
            None => format!("    /* {} */\n", signature(program, offer)),
        });
    }
    let [before, mut second, mut first, after] = parts.map(|calls| calls.concat());
    // Two threads that do the same are a beginning, too.
    if first.is_empty() {
        first.clone_from(&second);
    }
    if second.is_empty() {
        second.clone_from(&first);
    }
    let objects = shared.declarations();
    let list = render_offers(program, offers).replace("*/", "* /");
    let list: String = list.lines().map(|line| format!(" * {line}\n")).collect();
    format!(
        "/* A driver for {file}: threads that call its functions while others do.\n\
         \x20*\n\
         \x20* Change it until it says what you want to know, then: threadbare check {own}\n\
         \x20*\n\
         \x20* The functions of the component, with their lines:\n\
         {list} */\n\
         #define main main_of_the_component\n\
         #include \"{file}\"\n\
         #undef main\n\
         #include <assert.h>\n\
         #include <pthread.h>\n\
         \n\
         /* Any value: the checker tries them all. */\n\
         extern int __VERIFIER_nondet_int(void);\n\
         \n\
         /* What the threads share. */\n\
         {objects}\n\
         static void *first_thread(void *unused) {{\n\
         \x20   (void)unused;\n\
         {first}\x20   /* What does this thread know now? For instance:\n\
         \x20    * assert(result == 0); */\n\
         \x20   return 0;\n\
         }}\n\
         \n\
         static void *second_thread(void *unused) {{\n\
         \x20   (void)unused;\n\
         {second}\x20   return 0;\n\
         }}\n\
         \n\
         int main(void) {{\n\
         \x20   pthread_t first, second;\n\
         {before}\x20   pthread_create(&first, 0, first_thread, 0);\n\
         \x20   pthread_create(&second, 0, second_thread, 0);\n\
         \x20   pthread_join(first, 0);\n\
         \x20   pthread_join(second, 0);\n\
         \x20   /* What must hold when both are done? */\n\
         \x20   assert(1);\n\
         {after}\x20   return 0;\n\
         }}\n"
    )
}

/// `push(struct stack *s, int value)`.
fn signature(program: &Program, offer: &Offer) -> String {
    let data = &program.functions[offer.function];
    let parameters: Vec<String> = (offer.parameters.iter())
        .map(|parameter| {
            let ty = parameter.ty.map(|ty| type_text(program, ty));
            let unknown = if parameter.is_bool { "_Bool" } else { "?" };
            let ty = ty.unwrap_or_else(|| unknown.to_owned());
            let name = parameter.name.as_deref().unwrap_or("");
            match ty.ends_with('*') {
                true => format!("{ty}{name}"),
                false => format!("{ty} {name}").trim_end().to_owned(),
            }
        })
        .collect();
    format!("{}({})", data.name, parameters.join(", "))
}

/// A call with arguments that fit; `None` if nobody knows any.
fn call(program: &Program, offer: &Offer, shared: &mut Shared) -> Option<String> {
    let arguments: Option<Vec<String>> = (offer.parameters.iter())
        .map(|parameter| argument(program, parameter, shared))
        .collect();
    let name = &program.functions[offer.function].name;
    Some(format!("{name}({})", arguments?.join(", ")))
}

fn argument(program: &Program, parameter: &Parameter, shared: &mut Shared) -> Option<String> {
    if parameter.is_record {
        return None;
    }
    // Compilers make a number of it before they store it.
    if parameter.is_bool {
        return Some("1".to_owned());
    }
    let ty = program.strip_aliases(parameter.ty?)?;
    match &program.source_types[ty] {
        SourceType::Pointer { to, .. } => {
            let object = to.and_then(|to| shared.object(program, to));
            Some(object.unwrap_or_else(|| "0".to_owned()))
        }
        SourceType::Base { .. } if !parameter.is_pointer => Some("1".to_owned()),
        SourceType::Enum { .. } => Some("0".to_owned()),
        _ => None,
    }
}

/// Objects that arguments point to, one of each type.
#[derive(Default)]
struct Shared(Vec<String>);

impl Shared {
    /// The address of an object of this type, if it can be declared.
    fn object(&mut self, program: &Program, ty: SourceTypeId) -> Option<String> {
        let plain = program.strip_aliases(ty)?;
        let is_text = match &program.source_types[plain] {
            SourceType::Record { bytes, .. } if *bytes > 0 => false,
            SourceType::Base { bytes, .. } => *bytes == 1,
            _ => return None,
        };
        let text = type_text(program, ty);
        if text.contains("...") {
            return None;
        }
        let known = self.0.iter().position(|known| *known == text);
        let index = known.unwrap_or_else(|| {
            self.0.push(text);
            self.0.len() - 1
        });
        let address = if is_text { "" } else { "&" };
        Some(format!("{address}shared_{}", index + 1))
    }

    fn declarations(&self) -> String {
        let mut text = String::new();
        for (index, ty) in self.0.iter().enumerate() {
            let is_text = [
                "char",
                "unsigned char",
                "signed char",
                "uint8_t",
                "int8_t",
                "_Bool",
            ]
            .contains(&ty.as_str());
            let extent = if is_text { "[8]" } else { "" };
            let _ = writeln!(text, "static {ty} shared_{}{extent};", index + 1);
        }
        text
    }
}
