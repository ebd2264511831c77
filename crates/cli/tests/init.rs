//! `threadbare init`: the driver compiles, whatever the component offers.

mod workplace;

use workplace::{LOST_UPDATE, Workplace};

const QUEUE: &str = r"
#include <pthread.h>
#include <stdbool.h>
typedef struct { int items[4]; int head, tail; pthread_mutex_t m; } queue_t;
struct pair { int a, b; };
enum color { RED, GREEN };
static int full(queue_t *q) { return q->tail - q->head == 4; }
void queue_init(queue_t *q) { q->head = q->tail = 0; pthread_mutex_init(&q->m, 0); }
bool queue_push(queue_t *q, int v, bool hurry, enum color c) {
    bool ok = false;
    pthread_mutex_lock(&q->m);
    if (!full(q)) { q->items[q->tail++ % 4] = v; ok = true; }
    pthread_mutex_unlock(&q->m);
    return ok;
}
int queue_pop(queue_t *q, int *out) {
    int ok = 0;
    pthread_mutex_lock(&q->m);
    if (q->head < q->tail) { *out = q->items[q->head++ % 4]; ok = 1; }
    pthread_mutex_unlock(&q->m);
    return ok;
}
int sum(struct pair p, double d, const char *name) { return p.a + p.b; }
void each(void (*visit)(int), void *data, char **names) { if (visit) visit(1); }
void queue_destroy(queue_t *q) { pthread_mutex_destroy(&q->m); }
int main(void) { return sum((struct pair){0, 0}, 1, 0); }
";

#[test]
fn a_driver_compiles_and_can_be_checked() {
    let place = Workplace::new();
    place.write("queue.c", QUEUE);
    place.check(
        &["init", "queue.c"],
        0,
        &[
            "queue_push(queue_t *q, int v, _Bool, enum color c)",
            "full(queue_t *q) (called within the component)",
            "threadbare check queue-driver.c",
        ],
    );
    let driver = std::fs::read_to_string(place.path("queue-driver.c")).expect("is written");
    for part in [
        "    queue_init(&shared_1);\n    pthread_create",
        "    queue_push(&shared_1, 1, 1, 0);\n",
        "    queue_pop(&shared_1, &shared_2);\n",
        "    queue_destroy(&shared_1);\n    return 0;",
    ] {
        assert!(driver.contains(part), "no '{part}' in\n{driver}");
    }
    place.check(&["check", "queue-driver.c"], 0, &["safe"]);
    // What somebody has written since is not lost.
    place.check(&["init", "queue.c"], 64, &["queue-driver.c exists"]);
}

#[test]
fn a_component_needs_no_main_and_no_functions() {
    let place = Workplace::new();
    place.write("empty.c", "int x;\n");
    place.check(&["init", "empty.c"], 0, &["0 functions in empty.c"]);
    place.write(
        "odd.c",
        "struct s { int a[9]; }; void f(struct s s, __int128 i, int a[3]) {}\n",
    );
    place.check(&["init", "odd.c", "--output", "d.c"], 0, &["d.c"]);
    place.check(&["check", "d.c"], 0, &["safe"]);
    // Its own `main` is one function more, which nobody calls.
    place.write("prog.c", LOST_UPDATE);
    place.check(&["init", "prog.c"], 0, &["worker(void *arg)"]);
    place.write("bad.c", "int f( {\n");
    place.check(&["init", "bad.c"], 65, &["clang failed"]);
    place.check(&["init", "x.ll"], 64, &["a C file"]);
}
