// C11 threads: the results of calls that are defined.
#include <stdio.h>
#include <threads.h>
#include <time.h>

static struct timespec past;
static once_flag flag = ONCE_FLAG_INIT;
static int runs;

static void run(void) {
    runs++;
}

static int worker(void *arg) {
    printf("other: trylock %d", mtx_trylock(arg) == thrd_busy);
    printf(" timedlock %d\n", mtx_timedlock(arg, &past) == thrd_timedout);
    return 42;
}

static int leaves(void *arg) {
    (void)arg;
    thrd_exit(7);
}

int main(void) {
    mtx_t mutex;
    cnd_t condition;
    thrd_t thread;
    tss_t key;
    int result = 0;
    printf("init %d", mtx_init(&mutex, mtx_timed) == thrd_success);
    printf(" lock %d", mtx_lock(&mutex) == thrd_success);
    printf(" trylock %d", mtx_trylock(&mutex) == thrd_busy);
    printf(" timedlock %d\n", mtx_timedlock(&mutex, &past) == thrd_timedout);
    int created = thrd_create(&thread, worker, &mutex);
    int joined = thrd_join(thread, &result);
    printf("create %d join %d", created == thrd_success, joined == thrd_success);
    printf(" %d\n", result);
    thrd_create(&thread, leaves, 0);
    printf("join %d", thrd_join(thread, &result) == thrd_success);
    printf(" %d\n", result);
    printf("unlock %d", mtx_unlock(&mutex) == thrd_success);
    printf(" timedlock %d", mtx_timedlock(&mutex, &past) == thrd_success);
    printf(" init %d", cnd_init(&condition) == thrd_success);
    printf(" signal %d", cnd_signal(&condition) == thrd_success);
    printf(" broadcast %d", cnd_broadcast(&condition) == thrd_success);
    printf(" timedwait %d", cnd_timedwait(&condition, &mutex, &past) == thrd_timedout);
    printf(" unlock %d\n", mtx_unlock(&mutex) == thrd_success);
    cnd_destroy(&condition);
    mtx_destroy(&mutex);
    printf("init %d", mtx_init(&mutex, mtx_plain | mtx_recursive) == thrd_success);
    printf(" lock %d", mtx_lock(&mutex) == thrd_success);
    printf(" trylock %d", mtx_trylock(&mutex) == thrd_success);
    printf(" unlock %d", mtx_unlock(&mutex) == thrd_success);
    printf(" unlock %d\n", mtx_unlock(&mutex) == thrd_success);
    printf("create %d", tss_create(&key, 0) == thrd_success);
    printf(" get %d", tss_get(key) == 0);
    printf(" set %d", tss_set(key, &key) == thrd_success);
    printf(" get %d", tss_get(key) == &key);
    tss_delete(key);
    printf(" set %d\n", tss_set(key, &key) == thrd_error);
    call_once(&flag, run);
    call_once(&flag, run);
    printf("equal %d runs %d\n", thrd_equal(thrd_current(), thrd_current()) != 0, runs);
    return 0;
}
