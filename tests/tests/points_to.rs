//! Points-to sets and sharing: expected targets of C programs, written by hand,
//! and that no run of any test program does what the analyses exclude.
//!
//! Targets are written as the name of an object (`main:x` for a local of `main`,
//! `heap@f:3` for what line 3 of `f` allocates) with the offset: `+8` for one
//! that is known, `+8%24` for one modulo a stride, `+?` for any.

use analysis::points_to::{Offsets, TargetSet};
use analysis::sharing::Kind;
use analysis::{AbstractObject, ObjectId, PointsTo, Sharing};
use ir::{FunctionId, Inst, Location, Op, Operand, Program};
use replay::{Config, Effect, Event, Run};
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use tests::{cases, clang, folder, notice, repository, run};

struct Facts {
    program: Program,
    points_to: PointsTo,
    sharing: Sharing,
}

impl Facts {
    fn new(program: Program) -> Facts {
        let points_to = PointsTo::of(&program);
        let sharing = Sharing::of(&program, &points_to);
        Facts {
            program,
            points_to,
            sharing,
        }
    }

    fn of(source: &str) -> Facts {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let file = folder.path().join("prog.c");
        std::fs::write(&file, source).expect("a program should be writable");
        let program = clang::default().load(&file, &[]);
        Facts::new(program.expect("a program should be readable"))
    }

    fn object(&self, name: &str) -> ObjectId {
        let named =
            |(_, object): &(ObjectId, AbstractObject)| object.describe(&self.program) == name;
        let found: Vec<_> = self.points_to.objects().filter(named).collect();
        match &found[..] {
            [(id, _)] => *id,
            _ => panic!("{} objects are called {name}", found.len()),
        }
    }

    fn describe(&self, targets: &TargetSet) -> String {
        let mut words: Vec<String> = targets
            .iter()
            .map(|target| {
                let object = self.points_to.object(target.object);
                let Offsets { start, stride } = target.offsets;
                let offset = match (start, stride) {
                    (0, 0) => String::new(),
                    (start, 0) => format!("+{start}"),
                    (_, 1) => "+?".to_owned(),
                    (start, stride) => format!("+{start}%{stride}"),
                };
                format!("{}{offset}", object.describe(&self.program))
            })
            .collect();
        words.sort();
        if targets.is_unknown {
            words.push("unknown".to_owned());
        }
        words.join(" ")
    }

    /// What the pointer at an offset of an object may point to.
    fn held(&self, place: &str) -> String {
        let (name, offset) = match place.rsplit_once('+') {
            Some((name, offset)) => (name, offset.parse().expect("an offset")),
            None => (place, 0),
        };
        let at = Offsets::exactly(offset);
        self.describe(&self.points_to.pointees(self.object(name), at, 8))
    }

    fn kind(&self, name: &str) -> Kind {
        self.sharing.kind(self.object(name))
    }

    fn locks(&self, name: &str) -> Vec<String> {
        let locks = self.sharing.locks(self.object(name)).iter();
        let name = |object| self.points_to.object(object).describe(&self.program);
        locks
            .map(|lock| match lock.offset {
                0 => name(lock.object),
                offset => format!("{}+{offset}", name(lock.object)),
            })
            .collect()
    }
}

/// Checks what the pointers at some places may point to.
fn check(source: &str, expected: &[(&str, &str)]) {
    let facts = Facts::of(source);
    for (place, targets) in expected {
        assert_eq!(facts.held(place), *targets, "at {place}");
    }
}

#[test]
fn linked_lists() {
    check(
        "#include <stdlib.h>
         struct node { long value; struct node *next; } *head, *tail;
         static void push(void) {
             struct node *n = malloc(sizeof *n);
             n->next = head;
             head = n;
         }
         int main(void) {
             push();
             tail = malloc(sizeof *tail);
             tail->next = head->next->next;
             struct node *p = head;
             while (p) p = p->next;
             return 0;
         }",
        &[
            ("head", "heap@push:4"),
            ("heap@push:4+8", "heap@push:4"),
            ("heap@push:4", ""),
            ("heap@main:10+8", "heap@push:4"),
            ("tail", "heap@main:10"),
            ("main:p", "heap@push:4"),
        ],
    );
}

#[test]
fn trees_keep_their_members_apart() {
    check(
        "#include <stdlib.h>
         struct tree { struct tree *left, *right; int *data; } root;
         int a, b;
         static struct tree *leaf(int *data) {
             struct tree *t = calloc(1, sizeof *t);
             t->data = data;
             return t;
         }
         int main(void) {
             root.left = leaf(&a);
             root.right = malloc(sizeof root);
             root.right->data = &b;
             root.right->left = &root;
             int *l = root.left->data, *r = root.right->data;
             return *l + *r;
         }",
        &[
            ("root", "heap@leaf:5"),
            ("root+8", "heap@main:11"),
            ("root+16", ""),
            ("main:l", "a"),
            ("main:r", "b"),
            ("heap@main:11", "root"),
        ],
    );
}

#[test]
fn arrays_of_pointers_and_of_structs() {
    check(
        "int a, b, c;
         struct pair { int *first, *second; } pairs[10];
         int *table[4] = { &a };
         int main(int argc, char **argv) {
             table[1] = &b;
             pairs[argc].first = &a;
             pairs[argc].second = &b;
             pairs[3].first = &c;
             int **p = &table[argc], *known = table[1], *any = *p;
             int *first = pairs[5].first, *third = pairs[3].first, *second = pairs[argc].second;
             struct pair *last = pairs;
             for (int i = 0; i < 9; i++) last++;
             last->second = &c;
             char *text = argv[1];
             return 0;
         }",
        &[
            ("main:p", "table+0%8"),
            ("main:known", "b"),
            ("main:any", "a b"),
            ("main:first", "a"),
            ("main:third", "a c"),
            ("main:second", "b c"),
            ("main:last", "pairs+0%16"),
            ("main:text", "the environment+?"),
        ],
    );
}

#[test]
fn tables_of_functions() {
    let facts = Facts::of(
        "static int inc(int x) { return x + 1; }
         static int dec(int x) { return x - 1; }
         static int neg(int x) { return -x; }
         static int unused(int x) { return neg(x); }
         typedef int (*op)(int);
         struct entry { const char *name; op run; };
         static const struct entry table[] = { { \"inc\", inc }, { \"dec\", dec } };
         int main(int argc, char **argv) {
             op alone = neg, chosen = argc > 1 ? inc : neg;
             return table[argc].run(1) + alone(2) + chosen(3);
         }",
    );
    let program = &facts.program;
    let main = program.functions[program.main]
        .body
        .as_ref()
        .expect("a body");
    let calls = main.insts.keys().filter_map(|inst| {
        let callees = facts.points_to.callees(program.main, inst);
        let names = callees
            .iter()
            .map(|id| program.functions[*id].name.as_str());
        let names: BTreeSet<&str> = names.collect();
        (!callees.is_empty()).then(|| Vec::from_iter(names).join(" "))
    });
    let calls: Vec<String> = calls.collect();
    assert_eq!(calls, ["dec inc", "neg", "inc neg"]);
    let unused = program.functions.iter().find(|(_, f)| f.name == "unused");
    assert!(unused.is_none_or(|(id, _)| !facts.points_to.is_reached(id)));
}

#[test]
fn copies_of_memory_take_pointers_along() {
    check(
        "#include <stdlib.h>
         #include <string.h>
         struct s { int *x; long n; int *y; } one, two, three, four;
         int a, b;
         static struct s make(void) { struct s r = { &a, 1, &b }; return r; }
         static void take(struct s copy) { two = copy; }
         int main(void) {
             one = make();
             memcpy(&three, &one, sizeof one);
             take(one);
             memcpy(&four.y, &one.x, sizeof one.x);
             struct s *many = malloc(2 * sizeof *many);
             many[1] = one;
             many = realloc(many, 3 * sizeof *many);
             int *x = many[1].x, *y = many[1].y;
             char *from = (char *)&one, bytes[24];
             for (unsigned i = 0; i < sizeof one; i++) bytes[i] = from[i];
             int *whole = ((struct s *)bytes)->x;
             return 0;
         }",
        &[
            ("one", "a"),
            ("one+8", ""),
            ("one+16", "b"),
            ("two", "a"),
            ("two+16", "b"),
            ("three", "a"),
            ("three+8", ""),
            ("three+16", "b"),
            ("four", ""),
            ("four+16", "a"),
            ("main:x", "a"),
            ("main:y", "b"),
            ("main:whole", "a b"),
        ],
    );
}

#[test]
fn unions_and_integers_hold_pointers() {
    check(
        "#include <stdint.h>
         union { int *p; uintptr_t n; char bytes[8]; } u;
         struct node { struct node *next; long x; } node;
         uintptr_t kept, marked, mixed;
         int a, b;
         int main(int argc, char **argv) {
             u.p = &a;
             kept = u.n;
             int *back = (int *)kept;
             marked = (uintptr_t)&node | 1;
             struct node *clean = (struct node *)(marked & ~(uintptr_t)1);
             mixed = (uintptr_t)&a ^ (uintptr_t)&b;
             int *other = (int *)(mixed ^ (uintptr_t)&a);
             struct node *container = (struct node *)((char *)&node.x - 8);
             long number = argc * 3;
             int *no = (int *)number;
             return 0;
         }",
        &[
            ("main:back", "a"),
            ("main:other", "a+? b+?"),
            ("main:container", "node"),
            ("main:no", ""),
            ("main:clean", "node node+-1 node+1"),
        ],
    );
}

#[test]
fn threads_and_their_arguments() {
    let facts = Facts::of(
        "#include <pthread.h>
         #include <stdlib.h>
         struct job { int *in; int *out; };
         int x, results[4], limit = 3, setting, only_main;
         static void *work(void *arg) {
             struct job *job = arg;
             int mine = *job->in + limit + setting;
             *job->out = mine;
             return job->out;
         }
         static void *once(void *arg) { *(int *)arg = 1; pthread_exit(arg); }
         static void prepare(void) { setting = 5; }
         int main(void) {
             pthread_t t[4], u;
             prepare();
             only_main = 1;
             for (int i = 0; i < 4; i++) {
                 struct job *job = malloc(sizeof *job);
                 job->in = &x;
                 job->out = &results[i];
                 pthread_create(&t[i], 0, work, job);
             }
             int local;
             pthread_create(&u, 0, once, &local);
             void *result;
             pthread_join(t[0], &result);
             only_main++;
             return local;
         }",
    );
    assert_eq!(facts.held("work:arg"), "heap@main:18");
    assert_eq!(facts.held("once:arg"), "main:local");
    assert_eq!(facts.held("main:result"), "main:local results+0%4");
    let entries: Vec<(String, bool)> = facts
        .sharing
        .entries()
        .map(|(_, entry)| {
            let name = facts.program.functions[entry.start].name.clone();
            (name, entry.is_many)
        })
        .collect();
    let expected = [("main", false), ("work", true), ("once", false)];
    assert_eq!(
        entries,
        expected.map(|(name, many)| (name.to_owned(), many))
    );
    assert_eq!(facts.kind("results"), Kind::Shared);
    assert_eq!(facts.kind("limit"), Kind::ReadOnly);
    assert_eq!(facts.kind("setting"), Kind::ReadOnly);
    assert_eq!(facts.kind("x"), Kind::ReadOnly);
    assert_eq!(facts.kind("only_main"), Kind::Private);
    assert_eq!(facts.kind("main:local"), Kind::Shared);
    assert_eq!(facts.kind("work:mine"), Kind::Private);
    assert_eq!(facts.kind("heap@main:18"), Kind::Shared);
}

#[test]
fn callbacks_keys_and_variadic_arguments() {
    check(
        "#include <pthread.h>
         #include <stdarg.h>
         #include <stdlib.h>
         struct item { int *key; } items[3];
         int a, b, *seen, *last, *wanted;
         pthread_key_t key; pthread_once_t control = PTHREAD_ONCE_INIT;
         static int compare(const void *x, const void *y) {
             seen = ((struct item *)x)->key;
             return 0;
         }
         static void gone(void *value) { last = value; }
         static void start(void) { pthread_key_create(&key, gone); }
         static int *pick(int n, ...) {
             va_list list;
             va_start(list, n);
             int *p = 0;
             while (n--) p = va_arg(list, int *);
             va_end(list);
             return p;
         }
         int main(void) {
             items[0].key = &a;
             qsort(items, 3, sizeof items[0], compare);
             pthread_once(&control, start);
             pthread_setspecific(key, &b);
             int *value = pthread_getspecific(key);
             wanted = pick(2, &a, &b);
             pthread_exit(0);
         }",
        &[
            ("seen", "a"),
            ("last", "b"),
            ("main:value", "b"),
            ("wanted", "a b"),
            ("compare:x", "items+0%8"),
        ],
    );
}

#[test]
fn unknown_functions_know_what_they_are_given() {
    let facts = Facts::of(
        "struct s { int *p; } given, kept;
         int a, b, *from;
         int *mystery(void *), *other(void);
         static void called(int *p) { kept.p = p; }
         int main(void) {
             given.p = &a;
             mystery(&given);
             mystery(called);
             from = other();
             int got = *from;
             return got + b;
         }",
    );
    assert_eq!(facts.held("kept"), "a called+? given+? unknown");
    assert!(facts.held("from").ends_with("unknown"));
    let escaped = facts.points_to.escaped();
    assert!(escaped.contains(facts.object("a")));
    assert!(!escaped.contains(facts.object("b")));
}

#[test]
fn locks_that_are_always_held() {
    let facts = Facts::of(
        "#include <pthread.h>
         struct { pthread_mutex_t lock; int inside; } box = { PTHREAD_MUTEX_INITIALIZER, 0 };
         pthread_mutex_t one = PTHREAD_MUTEX_INITIALIZER, two = PTHREAD_MUTEX_INITIALIZER;
         pthread_mutex_t many[3];
         int both, first, sometimes, tried, by_index, helped, early;
         static void enter(void) { pthread_mutex_lock(&one); }
         static void leave(void) { pthread_mutex_unlock(&one); }
         static void change(void) { helped++; }
         static void *run(void *arg) {
             enter();
             first++;
             pthread_mutex_lock(&two);
             both++;
             if (arg) sometimes++;
             pthread_mutex_unlock(&two);
             change();
             leave();
             sometimes++;
             if (pthread_mutex_trylock(&one) == 0) { tried++; leave(); }
             int i = arg != 0;
             pthread_mutex_lock(&many[i]);
             by_index++;
             pthread_mutex_unlock(&many[i]);
             pthread_mutex_lock(&box.lock);
             box.inside++;
             pthread_mutex_unlock(&box.lock);
             enter();
             early++;
             leave();
             return 0;
         }
         int main(void) {
             early = 7;
             pthread_t t, u;
             pthread_create(&t, 0, run, 0);
             pthread_create(&u, 0, run, &t);
             return 0;
         }",
    );
    assert_eq!(facts.locks("first"), ["one"]);
    assert_eq!(facts.locks("both"), ["one", "two"]);
    assert_eq!(facts.locks("helped"), ["one"]);
    assert_eq!(facts.locks("early"), ["one"]);
    assert_eq!(facts.locks("box"), ["box"]);
    for name in ["sometimes", "tried", "by_index"] {
        assert_eq!(facts.kind(name), Kind::Shared);
        assert!(facts.locks(name).is_empty(), "{name}");
    }
}

// Runs must not do what the analyses exclude.

struct Case {
    source: PathBuf,
    args: Vec<String>,
    seeds: u64,
}

/// Steps of one run.
const MAX_STEPS: u64 = 20_000;

#[test]
fn runs_stay_within_the_sets() {
    let programs = |folder: PathBuf| -> Vec<PathBuf> {
        let entries = std::fs::read_dir(folder).expect("a folder of programs");
        let mut paths: Vec<PathBuf> = entries
            .map(|entry| entry.expect("an entry").path())
            .collect();
        paths.sort();
        paths
    };
    let mut all = Vec::new();
    let mut add = |source: PathBuf, seeds: u64, args: &[&str]| {
        if source.extension().is_some_and(|extension| extension == "c") {
            let args = args.iter().map(|arg| (*arg).to_owned()).collect();
            all.push(Case {
                source,
                args,
                seeds,
            });
        }
    };
    for source in programs(folder().join("native")) {
        let text = std::fs::read_to_string(&source).expect("a program should be readable");
        if clang::default().has_32_bits && text.contains("\n// also: -m32\n") {
            add(source.clone(), 1, &["-m32"]);
        }
        add(source, 1, &[]);
    }
    for source in programs(repository().join("examples")) {
        add(source, 10, &[]);
    }
    for case in programs(folder().join("regress/explore")) {
        add(case.join("prog.c"), 6, &[]);
    }
    let counts = Counts::default();
    let name = |case: &Case| format!("{} {:?}", case.source.display(), case.args);
    cases::check_all(&all, name, |case| check_case(case, &counts));
    let checked = counts.events.load(Ordering::Relaxed);
    let shared = counts.shared.load(Ordering::Relaxed);
    notice(&format!(
        "points-to: {checked} events of {} programs checked, {shared} objects seen by two threads",
        all.len()
    ));
    assert!(checked > 10_000, "only {checked} events were checked");
    assert!(shared > 100, "only {shared} objects were shared");
}

#[derive(Default)]
struct Counts {
    events: AtomicUsize,
    shared: AtomicUsize,
}

fn check_case(case: &Case, counts: &Counts) -> Result<(), String> {
    let facts = Facts::new(clang::default().load(&case.source, &case.args)?);
    let config = Config::default();
    let image = run::image(&facts.program, &config)?;
    for seed in 0..case.seeds {
        let run = replay::run_random(&image, &config, 0, seed, MAX_STEPS, true, &mut |_| true);
        Observer::new(&facts, &run).check(counts)?;
    }
    Ok(())
}

/// A run, to be compared with the facts.
struct Observer<'f> {
    facts: &'f Facts,
    run: &'f Run,
    /// Which objects a name in a trace may stand for.
    by_name: BTreeMap<String, Vec<ObjectId>>,
}

impl<'f> Observer<'f> {
    fn new(facts: &'f Facts, run: &'f Run) -> Observer<'f> {
        let mut by_name: BTreeMap<String, Vec<ObjectId>> = BTreeMap::new();
        for (id, object) in facts.points_to.objects() {
            for name in names(&facts.program, object) {
                by_name.entry(name).or_default().push(id);
            }
        }
        Observer {
            facts,
            run,
            by_name,
        }
    }

    fn check(&self, counts: &Counts) -> Result<(), String> {
        // Per name of an object of which there is only one: who used it.
        let mut users: BTreeMap<String, BTreeSet<usize>> = BTreeMap::new();
        let mut has_threads = false;
        for event in &self.run.trace {
            has_threads |= matches!(event.effect, Effect::Create { .. });
            let (place, reads, writes) = match &event.effect {
                Effect::Read { place, .. } | Effect::CompareFailed { place, .. } => {
                    (place, true, false)
                }
                Effect::Write { place, .. } => (place, false, true),
                Effect::Update { place, .. } => (place, true, true),
                Effect::Free { place } => (place, false, true),
                _ => continue,
            };
            let name = object_name(place);
            let none = Vec::new();
            let key = without_number(&name);
            let candidates = self.by_name.get(&key).unwrap_or(&none);
            let what = || format!("{:?} in {:?}", event.effect, event.stack.first());
            if candidates.is_empty() {
                return Err(format!("nothing is called {key}: {}", what()));
            }
            if !self.is_possible(event, candidates) {
                return Err(format!("no instruction may do this: {}", what()));
            }
            if !self.is_accessor(event, candidates, reads, writes) {
                return Err(format!("its thread does not access it: {}", what()));
            }
            let kinds = || candidates.iter().map(|id| self.facts.sharing.kind(*id));
            if writes && has_threads && kinds().all(|kind| kind == Kind::ReadOnly) {
                return Err(format!("it counts as read-only: {}", what()));
            }
            counts.events.fetch_add(1, Ordering::Relaxed);
            if self.is_only_one(&name, candidates) {
                let users = users.entry(name.clone()).or_default();
                users.insert(event.thread);
                if users.len() == 2 {
                    counts.shared.fetch_add(1, Ordering::Relaxed);
                    if kinds().all(|kind| kind == Kind::Private) {
                        return Err(format!("{name} counts as private: {}", what()));
                    }
                }
            }
        }
        Ok(())
    }

    /// Whether some instruction on the line of an event may access one of the
    /// objects.
    fn is_possible(&self, event: &Event, candidates: &[ObjectId]) -> bool {
        let facts = self.facts;
        let Some((entry, location)) = event
            .stack
            .first()
            .and_then(|entry| Some((entry, entry.location?)))
        else {
            return true;
        };
        let named = facts
            .program
            .functions
            .iter()
            .filter(|(_, function)| function.name == entry.function);
        for (id, function) in named {
            for inst in function.body.iter().flat_map(|body| body.insts.values()) {
                let is_here =
                    |here: Location| (here.file, here.line) == (location.file, location.line);
                if inst.location.is_some_and(is_here)
                    && candidates
                        .iter()
                        .any(|candidate| may_access(facts, id, inst, *candidate))
                {
                    return true;
                }
            }
        }
        false
    }

    fn is_accessor(
        &self,
        event: &Event,
        candidates: &[ObjectId],
        reads: bool,
        writes: bool,
    ) -> bool {
        let sharing = &self.facts.sharing;
        let is_entry = |entry: analysis::sharing::Entry| {
            let name = &self.facts.program.functions[entry.start].name;
            match event.thread {
                0 => entry.is_main,
                thread => !entry.is_main && *name == self.run.thread_names[thread],
            }
        };
        candidates.iter().any(|candidate| {
            sharing.accessors(*candidate).iter().any(|accessor| {
                is_entry(sharing.entry(accessor.entry))
                    && (!reads || accessor.reads)
                    && (!writes || accessor.writes)
            })
        })
    }

    /// Whether one object of the run has this name: globals, numbered blocks of
    /// the heap, and locals of `main`.
    fn is_only_one(&self, name: &str, candidates: &[ObjectId]) -> bool {
        let points_to = &self.facts.points_to;
        name.starts_with("heap")
            || match candidates {
                [candidate] => match points_to.object(*candidate) {
                    AbstractObject::Global(_) => true,
                    AbstractObject::Local { function, .. } => function == self.facts.program.main,
                    _ => false,
                },
                _ => false,
            }
    }
}

fn may_access(facts: &Facts, function: FunctionId, inst: &Inst, object: ObjectId) -> bool {
    let points_to = &facts.points_to;
    let is_target = |address: &Operand| points_to.targets(function, *address).contains(object);
    match &inst.op {
        Op::Load { address, .. }
        | Op::Store { address, .. }
        | Op::Rmw { address, .. }
        | Op::CompareExchange { address, .. } => is_target(address),
        Op::VaStart { list } => is_target(list),
        Op::VaCopy { to, from } => is_target(to) || is_target(from),
        Op::Call { args, .. } => args.iter().any(|arg| {
            // Functions with a `va_list` get at what its arguments point to.
            let mut targets = points_to.targets(function, *arg);
            (0..3).any(|_| {
                let is_hit = targets.contains(object);
                targets = points_to.pointees_of(&targets);
                is_hit
            })
        }),
        _ => false,
    }
}

/// The names that an object may have in a trace.
fn names(program: &Program, object: AbstractObject) -> Vec<String> {
    let owned = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
    match object {
        AbstractObject::Global(id) | AbstractObject::ThreadLocal(id) => {
            let global = &program.globals[id];
            match &global.name {
                Some(name) => vec![name.clone()],
                None if global.is_constant => owned(&["a constant"]),
                None => vec![global.symbol.clone()],
            }
        }
        AbstractObject::Local { function, inst } => {
            let function = &program.functions[function];
            let body = function.body.as_ref().expect("a body with a local");
            match &body.insts[inst].op {
                Op::Local {
                    variable: Some(variable),
                    ..
                } => vec![body.locals[*variable].name.clone()],
                _ => vec![format!("a temporary of {}", function.name)],
            }
        }
        AbstractObject::Heap { function, inst } => {
            let body = program.functions[function].body.as_ref();
            let location = body.and_then(|body| body.insts[inst].location);
            location.map_or(owned(&["heap"]), |location| {
                let place = program.describe_location(location);
                let short = place.rsplit('/').next().unwrap_or(&place);
                vec![format!("heap@{short}")]
            })
        }
        AbstractObject::Argument { .. } => owned(&["an argument passed by value"]),
        AbstractObject::Variadic { .. } => owned(&["variadic arguments"]),
        AbstractObject::Environment => owned(&[
            "arguments of main",
            "errno",
            "a table of the C library",
            "a stream",
        ]),
        AbstractObject::Function(_) | AbstractObject::Unknown => Vec::new(),
    }
}

/// The object's part of a place such as `queue.items[2]` or `heap#2@prog.c:5[1]`.
fn object_name(place: &str) -> String {
    let end = match place.find('@') {
        Some(at) => {
            let line = place[at..]
                .find(':')
                .map_or(place.len(), |colon| at + colon + 1);
            let rest = &place[line..];
            line + rest
                .find(|c: char| !c.is_ascii_digit())
                .unwrap_or(rest.len())
        }
        None => place.find(['.', '[', '+']).unwrap_or(place.len()),
    };
    // The names of string constants and of static locals have dots in them.
    match place.starts_with('.') {
        true => place.to_owned(),
        false => place[..end].to_owned(),
    }
}

/// The name without the number among blocks from the same place.
fn without_number(name: &str) -> String {
    match (name.strip_prefix("heap#"), name.find('@')) {
        (Some(_), Some(at)) => format!("heap{}", &name[at..]),
        (Some(_), None) => "heap".to_owned(),
        _ => name.to_owned(),
    }
}
