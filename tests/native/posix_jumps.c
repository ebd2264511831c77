// Jumps between functions, clean-up handlers, and threads that are cancelled.
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <setjmp.h>
#include <stdio.h>
#include <unistd.h>

static jmp_buf outer;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t never = PTHREAD_COND_INITIALIZER;
static sem_t closed;
static pthread_key_t key;

static void note(void *text) {
    printf("handler %s\n", (char *)text);
}

static void destroy(void *text) {
    printf("destructor %s\n", (char *)text);
}

static void unlock(void *lock) {
    printf("unlock %d\n", pthread_mutex_unlock(lock));
}

static void deep(int depth, int value) {
    if (depth == 0)
        longjmp(outer, value);
    deep(depth - 1, value);
}

static void jumps(void) {
    volatile int round = 0;
    int value = setjmp(outer);
    printf("value %d in round %d\n", value, round);
    if (round < 3) {
        round++;
        deep(round, round == 2 ? 0 : 10 * round);
    }
    jmp_buf inner;
    if (setjmp(inner) == 0) {
        printf("inner\n");
        longjmp(inner, -1);
    }
    printf("done\n");
}

static void *exits(void *unused) {
    pthread_setspecific(key, "of exits");
    pthread_cleanup_push(note, "one");
    pthread_cleanup_push(note, "two");
    pthread_cleanup_pop(1);
    pthread_cleanup_push(note, "three");
    pthread_cleanup_pop(0);
    pthread_cleanup_push(note, "four");
    pthread_exit((void *)4);
    pthread_cleanup_pop(1);
    pthread_cleanup_pop(1);
    return 0;
}

static void *waits(void *unused) {
    pthread_mutex_lock(&mutex);
    pthread_cleanup_push(unlock, &mutex);
    for (;;)
        pthread_cond_wait(&never, &mutex);
    pthread_cleanup_pop(0);
    return 0;
}

static void *stays(void *unused) {
    sem_wait(&closed);
    return 0;
}

static void *sleeps(void *unused) {
    pthread_cleanup_push(note, "of sleeps");
    for (;;)
        usleep(1000);
    pthread_cleanup_pop(0);
    return 0;
}

static void *resists(void *unused) {
    int old = -1;
    printf("state %d", pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &old));
    printf(" %d", old);
    printf(" %d\n", pthread_setcancelstate(9, &old) == EINVAL);
    printf("self %d\n", pthread_cancel(pthread_self()));
    pthread_testcancel();
    printf("still there\n");
    pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, 0);
    pthread_testcancel();
    printf("not there\n");
    return 0;
}

static void *joins(void *thread) {
    pthread_join(*(pthread_t *)thread, 0);
    return 0;
}

static void cancelled(const char *name, void *(*function)(void *), void *argument) {
    pthread_t thread;
    void *result = 0;
    pthread_create(&thread, 0, function, argument);
    int answer = function == resists ? 0 : pthread_cancel(thread);
    pthread_join(thread, &result);
    printf("cancel %s %d %d\n", name, answer, result == PTHREAD_CANCELED);
}

int main(void) {
    setvbuf(stdout, 0, _IONBF, 0);
    jumps();
    pthread_key_create(&key, destroy);
    pthread_t thread;
    void *result = 0;
    pthread_create(&thread, 0, exits, 0);
    pthread_join(thread, &result);
    printf("result %ld\n", (long)result);
    cancelled("waits", waits, 0);
    printf("free %d\n", pthread_mutex_trylock(&mutex));
    pthread_mutex_unlock(&mutex);
    sem_init(&closed, 0, 0);
    cancelled("stays", stays, 0);
    cancelled("sleeps", sleeps, 0);
    cancelled("resists", resists, 0);
    pthread_create(&thread, 0, stays, 0);
    cancelled("joins", joins, &thread);
    sem_post(&closed);
    printf("join %d\n", pthread_join(thread, 0));
    return 0;
}
