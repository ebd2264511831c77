//! What `threadbare show` says about programs.
//!
//! The texts are compared as a whole, for all versions of clang. Positions are
//! also compared with runs: where a thread has no branches and no loops, and
//! every address that is not plainly private is in fact shared, a run takes
//! exactly as many visible steps as there are positions.

use analysis::Outline;
use ir::Program;
use replay::{Config, Outcome};
use tests::clang::{self, Clang};
use tests::run;

fn load(clang: &Clang, source: &str) -> Program {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let file = folder.path().join("prog.c");
    std::fs::write(&file, source).expect("a temporary file");
    let mut program = clang.load(&file, &[]).expect("a program that compiles");
    for path in program.files.values_mut() {
        *path = path.rsplit('/').next().unwrap_or_default().to_owned();
    }
    program
}

/// The outline of a program, the same with every clang.
fn outline(source: &str) -> String {
    let mut texts = clang::all().iter().map(|clang| {
        let program = load(clang, source);
        report::render_outline(&program, &Outline::of(&program))
    });
    let first = texts.next().expect("a clang");
    texts.for_each(|text| assert_eq!(text, first));
    first
}

/// Checks that each thread takes as many steps as the outline has positions
/// for it, in order of creation.
fn check_steps(source: &str, expected: &[u64]) {
    for clang in clang::all() {
        let program = load(clang, source);
        let outline = Outline::of(&program);
        let positions: Vec<u64> = outline.threads.iter().map(|t| t.positions).collect();
        assert_eq!(positions, expected, "positions with {}", clang.name());

        let config = Config::default();
        let image = run::image(&program, &config).expect("a program that fits into memory");
        let run = replay::run_random(&image, &config, 0, 1, 1000, false, &mut |_| true);
        assert_eq!(run.outcome, Outcome::Exited(0));
        let steps: Vec<u64> = (0..expected.len())
            .map(|thread| {
                let contexts = run.schedule.contexts.iter();
                let own = contexts.filter(|context| context.thread == thread);
                own.map(|context| context.steps).sum()
            })
            .collect();
        assert_eq!(steps, expected, "steps with {}", clang.name());
    }
}

#[test]
fn a_queue_with_producer_and_consumers() {
    let text = outline(
        r#"
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

struct node { struct node *next; int value; };
struct queue { pthread_mutex_t lock; pthread_cond_t filled; struct node *head; };

static struct queue queue = { PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, 0 };
int total, history[10], *latest = &total;
const int limit = 5;
_Thread_local int mine;

static void put(int value) {
    struct node *node = malloc(sizeof *node);
    node->value = value;
    pthread_mutex_lock(&queue.lock);
    node->next = queue.head;
    queue.head = node;
    pthread_cond_signal(&queue.filled);
    pthread_mutex_unlock(&queue.lock);
}

static void *producer(void *unused) {
    static int calls;
    for (int i = 0; i < limit; i++) {
        put(i);
        mine++;
        calls++;
    }
    return 0;
}

static void *consumer(void *unused) {
    pthread_mutex_lock(&queue.lock);
    while (!queue.head)
        pthread_cond_wait(&queue.filled, &queue.lock);
    struct node *node = queue.head;
    queue.head = node->next;
    pthread_mutex_unlock(&queue.lock);
    total += node->value;
    free(node);
    pthread_exit(0);
}

int main(void) {
    pthread_t threads[3];
    pthread_create(&threads[0], 0, producer, 0);
    for (int i = 1; i < 3; i++)
        pthread_create(&threads[i], 0, consumer, 0);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], 0);
    printf("%d %d\n", total, history[0]);
    return 0;
}
"#,
    );
    insta::assert_snapshot!(text, @r"
    Threads and their positions (each loop counted once)
      0  main      prog.c:46  where the program starts           6 positions
      1  producer  prog.c:24  created at prog.c:48              10 positions
      2  consumer  prog.c:34  created at prog.c:50 (in a loop)  13 positions

    Shared objects
      queue                struct queue  96 bytes  prog.c:9   producer, consumer read, write
      total                int            4 bytes  prog.c:10  main reads; consumer reads, writes; by pointer from initial values
      history              int [10]      40 bytes  prog.c:10  main reads
      calls (in producer)  int            4 bytes  prog.c:25  producer reads, writes

    Heap objects
      malloc  prog.c:15  in put

    Synchronisation objects
      queue.lock    mutex               prog.c:9
      queue.filled  condition variable  prog.c:9

    Functions and their positions (without those they call)
      put       prog.c:14   7 positions
      producer  prog.c:24   2 positions
      consumer  prog.c:34  12 positions
      main      prog.c:46   5 positions

    Loops
      producer.0  prog.c:26
      consumer.0  prog.c:36
      main.0      prog.c:49
      main.1      prog.c:51

    Library functions
      free, malloc, printf, pthread_cond_signal, pthread_cond_wait, pthread_create,
      pthread_exit, pthread_join, pthread_mutex_lock, pthread_mutex_unlock
    ");
}

#[test]
fn functions_that_threads_run() {
    let text = outline(
        r#"
#include <pthread.h>
#include <threads.h>

static void *first(void *unused) { return 0; }
static void *second(void *unused) { return 0; }
static void *third(void *unused) { return 0; }
static void *fourth(void *unused) { return 0; }
static int fifth(void *unused) { return 0; }

static void *(*const constants[])(void *) = { second };
void *(*hook)(void *) = third;
void *(*changed_by_pointer)(void *);

static void spawn(void *(*start)(void *)) {
    pthread_t thread;
    pthread_create(&thread, 0, start, 0);
}

static void change(void *(**place)(void *)) { *place = fourth; }

int main(int argc, char **argv) {
    pthread_t thread;
    thrd_t handle;
    void *(*locals[2])(void *) = { first, second };
    for (int i = 0; i < 2; i++)
        pthread_create(&thread, 0, locals[i], 0);
    pthread_create(&thread, 0, constants[0], 0);
    pthread_create(&thread, 0, hook, 0);
    spawn(argc > 1 ? third : fourth);
    while (argc--)
        spawn(first);
    thrd_create(&handle, fifth, 0);
    change(&changed_by_pointer);
    pthread_create(&thread, 0, changed_by_pointer, 0);
}
"#,
    );
    insta::assert_snapshot!(text, @r"
    Threads and their positions (each loop counted once)
      0  main                           prog.c:22  where the program starts                                 11 positions
      1  first                          prog.c:5   created at prog.c:27 (in a loop), prog.c:17 (in a loop)   1 position
      2  second                         prog.c:6   created at prog.c:27 (in a loop), prog.c:28               1 position
      3  third                          prog.c:7   created at prog.c:29, prog.c:17 (in a loop)               1 position
      4  fourth                         prog.c:8   created at prog.c:17 (in a loop)                          1 position
      5  fifth                          prog.c:9   created at prog.c:33                                      1 position
      6  a function chosen at run time             created at prog.c:35                                      1 position
      Thread 6 runs one of first, second, third, fourth.

    Shared objects
      hook                function *  8 bytes  prog.c:12  main reads
      changed_by_pointer  function *  8 bytes  prog.c:13  main reads, by pointer

    Functions and their positions (without those they call)
      first   prog.c:5   0 positions
      second  prog.c:6   0 positions
      third   prog.c:7   0 positions
      fourth  prog.c:8   0 positions
      fifth   prog.c:9   0 positions
      spawn   prog.c:15  1 position
      change  prog.c:20  1 position
      main    prog.c:22  7 positions

    Loops
      main.0  prog.c:26
      main.1  prog.c:31

    Library functions
      memcpy, pthread_create, thrd_create
    ");
}

#[test]
fn synchronisation_objects_of_all_kinds() {
    let text = outline(
        r#"
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
#include <threads.h>

typedef pthread_mutex_t lock_t;
struct account { pthread_rwlock_t guard; long balance; };
struct bank { struct { lock_t lock; } inner; struct account accounts[3]; } bank;
typedef struct { sem_t full, empty; } channel;

lock_t forks[5];
pthread_spinlock_t spin;
pthread_barrier_t barrier;
pthread_once_t once = PTHREAD_ONCE_INIT;
mtx_t mutex;
cnd_t condition;
once_flag flag;

int main(void) {
    static pthread_key_t key;
    sem_t local;
    channel *heap = malloc(sizeof *heap);
    return sem_init(&local, 0, 1) + sem_init(&heap->full, 0, 1) + pthread_key_create(&key, 0);
}
"#,
    );
    insta::assert_snapshot!(text, @r"
    Threads and their positions (each loop counted once)
      0  main  prog.c:20  where the program starts  4 positions

    Heap objects
      malloc  prog.c:23  in main

    Synchronisation objects
      bank.inner.lock        mutex                prog.c:9
      bank.accounts[].guard  read-write lock      prog.c:9
      forks[]                mutex                prog.c:12
      spin                   spin lock            prog.c:13
      barrier                barrier              prog.c:14
      once                   once control         prog.c:15
      mutex                  mutex                prog.c:16
      condition              condition variable   prog.c:17
      flag                   once control         prog.c:18
      key (in main)          thread-specific key  prog.c:21
      local (in main)        semaphore            prog.c:22
      channel.full           semaphore
      channel.empty          semaphore

    Library functions
      malloc, pthread_key_create, sem_init
    ");
}

#[test]
fn what_is_not_known_or_not_supported() {
    let text = outline(
        r#"
#include <unistd.h>

void mystery(int *);
int unused(void);
extern int elsewhere(void);

int c;
long double wide = 1;
int a, b;

static int never_called(void) { return unused(); }

int main(void) {
    mystery(&a);
    mystery(&b);
    if (fork())
        return elsewhere();
    wide *= 2;
    return 0;
}
"#,
    );
    insta::assert_snapshot!(text, @r"
    Threads and their positions (each loop counted once)
      0  main  prog.c:14  where the program starts  3 positions

    Shared objects
      wide  long double  16 bytes  prog.c:9   main reads, writes
      a     int           4 bytes  prog.c:10  main by pointer
      b     int           4 bytes  prog.c:10  main by pointer

    Library functions
      fork

    Unknown functions
      mystery    prog.c:15  in main
      elsewhere  prog.c:18  in main

    Not supported
      prog.c:17  in main  fork: there is only one process
    ");
}

#[test]
fn types_as_in_c() {
    let text = outline(
        r#"
typedef unsigned long size;
struct point { int x, y; } point;
union { int i; float f; } number;
enum colour { RED } colour;
enum { LEFT, RIGHT } side;
const volatile int *pointer;
int *pointers[2][3];
int (*table)[4];
struct point **points;
void *anything;
size length;
char text[5];
void (*callback)(int);
extern struct hidden *hidden;
struct hidden *hidden;
_Bool truth;

int main(void) {
    point.x = number.i = colour = side = 0;
    pointer = pointers[0][0] = 0;
    table = 0, points = 0, anything = 0, callback = 0, hidden = 0;
    length = truth = text[0] = 0;
}
"#,
    );
    insta::assert_snapshot!(text, @r"
    Threads and their positions (each loop counted once)
      0  main  prog.c:19  where the program starts  15 positions

    Shared objects
      point     struct point      8 bytes  prog.c:3   main writes
      number    union {...}       4 bytes  prog.c:4   main writes
      colour    enum colour       4 bytes  prog.c:5   main writes
      side      enum {...}        4 bytes  prog.c:6   main writes
      pointer   int *             8 bytes  prog.c:7   main writes
      pointers  int *[2][3]      48 bytes  prog.c:8   main writes
      table     int (*)[4]        8 bytes  prog.c:9   main writes
      points    struct point **   8 bytes  prog.c:10  main writes
      anything  void *            8 bytes  prog.c:11  main writes
      length    size              8 bytes  prog.c:12  main writes
      text      char [5]          5 bytes  prog.c:13  main writes
      callback  function *        8 bytes  prog.c:14  main writes
      hidden    hidden *          8 bytes  prog.c:16  main writes
      truth     _Bool             1 byte   prog.c:17  main writes
    ");
}

#[test]
fn accesses_to_shared_memory_are_positions() {
    // Three writes, a read, and the end of the thread.
    check_steps(
        "int x, y; int main(void) { int a = 1; x = a; y = 2; x = y - 2; return 0; }",
        &[5],
    );
    // Constants, locals and thread-local variables are nobody else's.
    check_steps(
        "const int c = 1; _Thread_local int t;
         int main(void) { int a[3] = { 1, 2, c }; t = a[1]; a[a[0]] = t; return 0; }",
        &[1],
    );
    // A read-modify-write is one step, the read behind `+=` another one.
    check_steps(
        "#include <stdatomic.h>
         atomic_int x; int y;
         int main(void) { atomic_fetch_add(&x, 1); y += 1; return 0; }",
        &[4],
    );
    // Copies from and to shared memory, then only from it.
    check_steps(
        "#include <string.h>
         int x[4], y[4];
         int main(void) {
             int z[4];
             memcpy(x, y, sizeof x);
             memcpy(z, x, sizeof z);
             memset(y, 0, sizeof y);
             return 0;
         }",
        &[5],
    );
}

#[test]
fn atomic_sections_are_one_position() {
    check_steps(
        "void __VERIFIER_atomic_begin(void); void __VERIFIER_atomic_end(void);
         int x, y;
         static void swap(void) { int t = x; x = y; y = t; }
         void __VERIFIER_atomic_swap(void) { swap(); }
         int main(void) {
             __VERIFIER_atomic_swap();
             __VERIFIER_atomic_begin();
             x = 1;
             swap();
             __VERIFIER_atomic_end();
             swap();
             return 0;
         }",
        &[1 + 1 + 4 + 1],
    );
}

#[test]
fn calls_count_each_time_and_threads_on_their_own() {
    check_steps(
        "#include <pthread.h>
         int x; pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
         pthread_barrier_t barrier; pthread_once_t once = PTHREAD_ONCE_INIT;
         static void set(int value) {
             pthread_mutex_lock(&lock);
             x = value;
             pthread_mutex_unlock(&lock);
         }
         static void init(void) { x = 5; }
         static void *run(void *unused) {
             set(1);
             set(2);
             pthread_exit(0);
         }
         int main(void) {
             pthread_t thread;
             pthread_create(&thread, 0, run, 0);
             pthread_join(thread, 0);
             pthread_once(&once, init);
             set(3);
             return 0;
         }",
        &[1 + 1 + 3 + 3 + 1, 3 + 3 + 1],
    );
}

#[test]
fn recursion_counts_once() {
    let source = "int x;
        int even(int); int odd(int n) { return n && even(n - 1) + x; }
        int even(int n) { return !n || odd(n - 1) + x; }
        int main(void) { return even(2) + odd(3); }";
    let program = load(clang::default(), source);
    let outline = Outline::of(&program);
    assert_eq!(outline.threads[0].positions, 2 + 2 + 1);
}
