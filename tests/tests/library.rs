//! Every library function that is documented as modelled has a model in bounded
//! checking too: the list and the models cannot drift apart.
//!
//! One program calls all of them, each from a function of its own, with
//! arguments that make sense. Unfolding each of these functions must not end with
//! something that is not supported.

use std::fmt::Write;
use tests::clang;

/// Functions that bounded checking refuses although the interpreter knows them,
/// and why.
const EXCEPTIONS: &[(&str, &str)] = &[];

/// Where it is there, functions at which threads may end are refused that have no model
/// of that. It has programs of its own.
const APART: &str = "pthread_cancel";

const HEAD: &str = r#"
#include <stdarg.h>
typedef void *pointer;
unsigned long thread;
long object[64];
long other[64];
long third[64];
char text[32] = "ab cd";
pointer place;
static void *worker(void *arg) { return arg; }
static void nothing(void) {}
static void destroy(void *arg) { (void)arg; }
static int order(const void *a, const void *b) { return *(char *)a - *(char *)b; }
int pthread_create(unsigned long *, void *, void *(*)(void *), void *);
void *malloc(__SIZE_TYPE__);
int save(long *) __asm__("_setjmp");
int socketpair(int, int, int, int *);
int eventfd(unsigned, int);
static int socket_of_a_pair(void) { int pair[2]; socketpair(1, 1, 0, pair); return pair[0]; }
static int counter(void) { return eventfd(1, 0); }
static void start(void) { pthread_create(&thread, 0, worker, 0); }
"#;

/// What the functions of a family are given, unless said otherwise below. Extra
/// arguments do no harm.
fn usual_arguments(title: &str) -> &'static str {
    match title {
        "POSIX threads" => "thread, 0",
        "Thread-specific data" => "0, 0",
        "Strings and characters" => "text, \"ab\", 2",
        "Output" => "text",
        "Input and files" => "place",
        "Process and standard library" => "1",
        "Time" => "object",
        "Mathematics" => "1.5, 2.5, 0.5",
        "Bits" => "6",
        "Verification" => "1",
        "Memory" => "4, 16",
        "Atomic operations" => "object, 1, 0",
        _ => "object, 0, 1",
    }
}

/// Arguments of single functions, by name or by the start of the name.
const ARGUMENTS: &[(&str, &str)] = &[
    ("pthread_create", "&thread, 0, worker, 0"),
    ("__pthread_register_cancel", "(save(object), object)"),
    ("pthread_setcancel*", "0, object"),
    ("__longjmp_chk", "(save(object), object), 1"),
    ("longjmp", "(save(object), object), 1"),
    ("_longjmp", "(save(object), object), 1"),
    ("siglongjmp", "(save(object), object), 1"),
    ("mmap*", "(pointer)0, 4096l, 3, 34, -1, 0l"),
    ("mprotect", "object, 4096l, 3"),
    ("sigaction", "1, object, (pointer)0"),
    ("syscall", "202l, object, 1, 1"),
    ("pthread_attr_get*", "object, other"),
    ("pthread_attr_*", "object, 0"),
    ("pthread_condattr_get*", "object, other"),
    ("pthread_rwlockattr_get*", "object, other"),
    ("pthread_barrierattr_get*", "object, other"),
    ("pthread_mutexattr_*", "object, other"),
    ("pthread_mutexattr_settype", "object, 1"),
    ("pthread_mutexattr_setkind_np", "object, 1"),
    ("pthread_mutex_init", "object, 0"),
    ("pthread_cond_wait", "object, other"),
    ("pthread_cond_timedwait", "object, other, third"),
    ("pthread_cond_clockwait", "object, other, 0, third"),
    ("cnd_wait", "object, other"),
    ("cnd_timedwait", "object, other, third"),
    ("pthread_barrier_init", "object, 0, 1"),
    ("pthread_once", "object, nothing"),
    ("call_once", "object, nothing"),
    ("pthread_key_create", "object, destroy"),
    ("tss_create", "object, destroy"),
    ("tss_get", "0"),
    ("tss_set", "0, object"),
    ("thrd_create", "&thread, worker, 0"),
    ("thrd_join", "thread, 0"),
    ("thrd_detach", "thread"),
    ("thrd_equal", "thread, thread"),
    ("thrd_exit", "0"),
    ("sem_getvalue", "object, other"),
    ("__atomic_load", "8, object, other, 5"),
    ("__atomic_store", "8, object, other, 5"),
    ("__atomic_exchange", "8, object, other, third, 5"),
    ("__atomic_compare_exchange", "8, object, other, third, 5, 5"),
    ("__atomic_compare_exchange_*", "object, other, 1, 5, 5"),
    ("realloc", "malloc(4), 8"),
    ("reallocarray", "malloc(4), 2, 4"),
    ("posix_memalign", "&place, 16, 4"),
    ("free*", "malloc(4)"),
    ("cfree", "malloc(4)"),
    ("malloc_usable_size", "malloc(4)"),
    ("_Zd*", "malloc(4)"),
    ("mem*", "text, \"abcdef\", 4"),
    ("memalign", "16, 4"),
    ("__mem*", "text, \"abcdef\", 4, 32"),
    ("memset", "text, 1, 4"),
    ("__memset_chk", "text, 1, 4, 32"),
    ("memchr", "text, 'b', 5"),
    ("memrchr", "text, 'b', 5"),
    ("bcmp", "text, \"abcdef\", 4"),
    ("*bzero*", "text, 4"),
    ("__explicit_bzero_chk", "text, 4, 32"),
    ("strnlen", "text, 3"),
    ("strndup", "text, 3"),
    ("__strndup", "text, 3"),
    ("strchr", "text, 'b'"),
    ("strchrnul", "text, 'b'"),
    ("strrchr", "text, 'b'"),
    ("index", "text, 'b'"),
    ("rindex", "text, 'b'"),
    ("strtok_r", "text, \" \", &place"),
    ("__strtok_r", "text, \" \", &place"),
    ("strto*", "\"12\", &place, 10"),
    ("__strto*", "\"12\", &place, 10"),
    ("__isoc23_strto*", "\"12\", &place, 10"),
    ("ato*", "\"12\""),
    ("is*", "'a'"),
    ("to*", "'a'"),
    ("strerror", "2"),
    ("printf", "\"%d\", 1"),
    ("fprintf", "place, \"%d\", 1"),
    ("dprintf", "1, \"%d\", 1"),
    ("sprintf", "text, \"%d\", 1"),
    ("snprintf", "text, (long)8, \"%d\", 1"),
    ("asprintf", "&place, \"%d\", 1"),
    ("vprintf", "\"%d\", list"),
    ("vfprintf", "place, \"%d\", list"),
    ("vdprintf", "1, \"%d\", list"),
    ("vsprintf", "text, \"%d\", list"),
    ("vsnprintf", "text, (long)8, \"%d\", list"),
    ("vasprintf", "&place, \"%d\", list"),
    ("__printf_chk", "1, \"%d\", 1"),
    ("__fprintf_chk", "place, 1, \"%d\", 1"),
    ("__sprintf_chk", "text, 1, (long)32, \"%d\", 1"),
    ("__snprintf_chk", "text, (long)8, 1, (long)32, \"%d\", 1"),
    ("__vprintf_chk", "1, \"%d\", list"),
    ("__vfprintf_chk", "place, 1, \"%d\", list"),
    ("__vsprintf_chk", "text, 1, (long)32, \"%d\", list"),
    (
        "__vsnprintf_chk",
        "text, (long)8, 1, (long)32, \"%d\", list",
    ),
    ("put*", "'a', place"),
    ("fput*", "'a', place"),
    ("_IO_putc", "'a', place"),
    ("puts", "text"),
    ("fputs", "text, place"),
    ("fputs_unlocked", "text, place"),
    ("fwrite*", "text, (long)1, (long)4, place"),
    ("write", "1, text, (long)4"),
    ("sscanf", "\"12\", \"%d\", object"),
    ("__isoc99_sscanf", "\"12\", \"%d\", object"),
    ("__isoc23_sscanf", "\"12\", \"%d\", object"),
    ("vsscanf", "\"12\", \"%d\", pointers"),
    ("__isoc99_vsscanf", "\"12\", \"%d\", pointers"),
    ("__isoc23_vsscanf", "\"12\", \"%d\", pointers"),
    ("scanf", "\"%d\", object"),
    ("__isoc99_scanf", "\"%d\", object"),
    ("__isoc23_scanf", "\"%d\", object"),
    ("fscanf", "place, \"%d\", object"),
    ("__isoc99_fscanf", "place, \"%d\", object"),
    ("__isoc23_fscanf", "place, \"%d\", object"),
    ("fgets*", "text, 8, place"),
    ("ungetc", "'a', place"),
    ("fread*", "text, (long)1, (long)4, place"),
    ("read", "0, text, (long)4"),
    ("socketpair", "1, 1, 0, object"),
    ("send", "socket_of_a_pair(), text, (long)1, 0"),
    ("recv", "socket_of_a_pair(), text, (long)1, 0"),
    ("eventfd_read", "counter(), object"),
    ("eventfd_write", "counter(), (long)1"),
    ("fopen*", "\"a\", \"r\""),
    ("fdopen", "3, \"r\""),
    ("open*", "\"a\", 0"),
    ("creat", "\"a\", 0"),
    ("dup*", "1, 2"),
    ("atexit", "nothing"),
    ("__cxa_atexit", "destroy, object, 0"),
    ("__cxa_thread_atexit", "destroy, object, 0"),
    ("qsort", "text, (long)3, (long)1, order"),
    ("bsearch", "\"b\", text, (long)3, (long)1, order"),
    ("rand_r", "object"),
    ("getenv", "text"),
    ("secure_getenv", "text"),
    ("clock_gettime", "0, object"),
    ("clock_getres", "0, object"),
    ("timespec_get", "object, 1"),
    ("difftime", "2l, 1l"),
    ("ldexp*", "1.5, 2"),
    ("scalbn*", "1.5, 2"),
    ("frexp*", "1.5, object"),
    ("modf*", "1.5, object"),
    ("__VERIFIER_nondet_memory", "text, (long)4"),
];

fn arguments(title: &str, name: &str) -> &'static str {
    let exact = ARGUMENTS.iter().find(|(pattern, _)| *pattern == name);
    let fits = |pattern: &str| {
        let (start, rest) = (pattern.trim_matches('*'), pattern.starts_with('*'));
        pattern.ends_with('*') && (name.starts_with(start) || rest && name.contains(start))
    };
    let similar = || ARGUMENTS.iter().find(|(pattern, _)| fits(pattern));
    match exact.or_else(similar) {
        Some((_, arguments)) => arguments,
        None => usual_arguments(title),
    }
}

#[test]
fn bounded_checking_models_what_the_list_says() {
    let mut source = HEAD.to_owned();
    let mut names = Vec::new();
    for family in library::families() {
        for entry in family.entries {
            if entry.function == library::Function::Unsupported || entry.name == APART {
                continue;
            }
            let index = names.len();
            let arguments = arguments(family.title, entry.name);
            let result = match entry.function {
                library::Function::Math(_) => "double",
                _ => "long",
            };
            // Another name in C, so that compilers do not know better.
            let _ = write!(
                source,
                "{result} f{index}() __asm__(\"{}\");\n\
                 static void g{index}(int n, ...) {{\n\
                   va_list list, pointers; va_start(list, n);\n\
                   va_start(pointers, n); (void)va_arg(pointers, int);\n\
                   f{index}({arguments});\n\
                 }}\n\
                 void test{index}(void) {{ start(); g{index}(1, 7, object); }}\n",
                entry.name
            );
            names.push(entry.name);
        }
    }
    source.push_str("int main(void) { return 0; }\n");
    let folder = tempfile::tempdir().expect("a temporary folder should be possible");
    let file = folder.path().join("all.c");
    std::fs::write(&file, source).expect("the program should be written");
    let args = ["-w".to_owned(), "-std=gnu17".to_owned()];
    let loaded = clang::default().load(&file, &args);
    let mut program = loaded.unwrap_or_else(|error| panic!("{error}"));

    let options = unfold::Options {
        unwind: 3,
        turns: Some(2),
        surroundings: library::Surroundings {
            address_reuse: false,
            ..Default::default()
        },
        ..unfold::Options::default()
    };
    let mut wrong = Vec::new();
    for (index, name) in names.iter().enumerate() {
        let test = format!("test{index}");
        let function = program.functions.iter().find(|(_, f)| f.symbol == test);
        let (main, _) = function.expect("the function should be there");
        program.main = main;
        let result = unfold::unfold(&program, &options, &mut |_| true);
        let problem = result.err().map(|error| error.to_string());
        let exception = EXCEPTIONS.iter().find(|(known, _)| known == name);
        match (problem, exception) {
            (None, None) | (Some(_), Some(_)) => {}
            (Some(problem), None) => wrong.push(format!("{name}: {problem}")),
            (None, Some(_)) => wrong.push(format!("{name} is no exception any more")),
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
