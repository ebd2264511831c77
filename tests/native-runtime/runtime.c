/*
 * What a program needs to be judged by the machine: it is linked to every program
 * that tests/src/judge runs.
 *
 * The compiled program calls judge_step before every access to memory and every
 * call, and judge_return before a function returns. There a thread waits now and then, by chance, so that many schedules are
 * seen; and there is a fence, so that memory is sequentially consistent even where
 * the program has data races. When the process ends, the other threads are stopped
 * at their next step, and the values of all global variables are told. Everything
 * that is told goes to the standard error stream, in lines that begin with "judge:".
 *
 * JUDGE_SEED, JUDGE_INPUTS (values for inputs, with commas between) and JUDGE_MILLIS
 * (time to live) come from the environment.
 */
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>
#include <sched.h>

struct judge_global {
    const unsigned char *bytes;
    size_t size;
};

/* Part of the program: its global variables, up to one without a size. */
extern const struct judge_global judge_globals[];

enum { MOST_INPUTS = 64, MOST_TEXT = 1 << 16, MOST_LAST_WAITS = 6 };

static uint64_t seed;
static uint64_t threads;
static uint64_t inputs[MOST_INPUTS] = { 0, 1 };
static unsigned input_count = 2;
static int is_frozen;

static _Thread_local uint64_t state;
static _Thread_local int line;
static _Thread_local int is_last;
static _Thread_local unsigned style;
static _Thread_local unsigned steps;
static _Thread_local unsigned long_waits[2];
static _Thread_local unsigned last_waits;

static uint64_t mix(uint64_t x) {
    x ^= x >> 30;
    x *= 0xbf58476d1ce4e5b9u;
    x ^= x >> 27;
    x *= 0x94d049bb133111ebu;
    return x ^ x >> 31;
}

static uint64_t chance(void) {
    state += 0x9e3779b97f4a7c15u;
    return mix(state);
}

static void rest(uint64_t micros) {
    struct timespec time = { 0, (long)micros * 1000 };
    int state;
    // To sleep is to end, for whoever is cancelled; the program does not do so here.
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &state);
    nanosleep(&time, NULL);
    pthread_setcancelstate(state, NULL);
}

static _Noreturn void stop_for_ever(void) {
    for (;;)
        pause();
}

static void meet_thread(void) {
    uint64_t number = __atomic_add_fetch(&threads, 1, __ATOMIC_SEQ_CST);
    state = mix(seed * 1000003 + number) | 1;
    style = chance() % 5;
    for (int i = 0; i < 2; i++)
        long_waits[i] = 1 + chance() % (2u << chance() % 8);
    if (chance() % 3 == 0)
        rest(chance() % 1500);
}

/* Lets others go first, or not. Each thread of each run has its own style. */
static void wait_by_chance(void) {
    steps++;
    switch (style) {
    case 0:
        if (chance() % 4 == 0)
            sched_yield();
        break;
    case 1:
        if (chance() % 16 == 0)
            rest(chance() % 150);
        break;
    case 2:
    case 3:
        if (steps == long_waits[0] || (style == 3 && steps == long_waits[1]))
            rest(500 + chance() % 2000);
        break;
    default:
        break;
    }
}

void judge_step(int at) {
    line = at;
    if (state == 0)
        meet_thread();
    wait_by_chance();
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    if (__atomic_load_n(&is_frozen, __ATOMIC_SEQ_CST) && !is_last)
        stop_for_ever();
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
}

/* Before a function returns: what is about to end may still be in use. */
void judge_return(int at) {
    judge_step(at);
    if (last_waits < MOST_LAST_WAITS && chance() % 4 == 0) {
        last_waits++;
        rest(200 + chance() % 1500);
        judge_step(at);
    }
}

uint64_t judge_input(void) {
    if (state == 0)
        meet_thread();
    return inputs[chance() % input_count];
}

/* One write each, so that what two threads tell does not mix. */
static void tell(const char *text, size_t length) {
    ssize_t written = write(STDERR_FILENO, text, length);
    (void)written;
}

static _Noreturn void fail(void) {
    char text[64];
    int length = snprintf(text, sizeof text, "judge: assertion %d\n", line);
    tell(text, (size_t)length);
    _exit(95);
}

__attribute__((weak, noreturn)) void __assert_fail(const char *what, const char *file,
                                                   unsigned at, const char *function) {
    fail();
}

__attribute__((weak)) void reach_error(void) {
    fail();
}

__attribute__((weak)) void __VERIFIER_error(void) {
    fail();
}

__attribute__((weak)) void __VERIFIER_assert(int holds) {
    if (!holds)
        fail();
}

__attribute__((weak)) void __VERIFIER_assume(int holds) {
    if (!holds)
        stop_for_ever();
}

// The names of other verifiers for the same.

__attribute__((weak)) void __CPROVER_assume(_Bool holds) {
    __VERIFIER_assume(holds);
}

__attribute__((weak)) void __ESBMC_assume(_Bool holds) {
    __VERIFIER_assume(holds);
}

__attribute__((weak)) void __CPROVER_assert(_Bool holds, const char *message) {
    (void)message;
    __VERIFIER_assert(holds);
}

__attribute__((weak)) void __ESBMC_assert(_Bool holds, const char *message) {
    __CPROVER_assert(holds, message);
}

static uint64_t number_of(const char *name, uint64_t otherwise) {
    const char *text = getenv(name);
    return text ? strtoull(text, NULL, 10) : otherwise;
}

__attribute__((constructor(101))) static void begin(void) {
    seed = number_of("JUDGE_SEED", 1);
    const char *text = getenv("JUDGE_INPUTS");
    if (text && *text) {
        input_count = 0;
        while (input_count < MOST_INPUTS) {
            char *end;
            inputs[input_count++] = strtoull(text, &end, 10);
            if (*end != ',')
                break;
            text = end + 1;
        }
    }
    uint64_t millis = number_of("JUDGE_MILLIS", 10000);
    struct itimerval timer = { { 0, 0 }, { (time_t)(millis / 1000), (long)(millis % 1000) * 1000 } };
    setitimer(ITIMER_REAL, &timer, NULL);
}

/* Reads whole words where it can: an access of another thread is seen or not seen. */
static size_t print_bytes(char *text, const unsigned char *bytes, size_t size) {
    size_t at = 0;
    for (size_t done = 0; done < size;) {
        _Alignas(uintptr_t) unsigned char word[sizeof(uintptr_t)];
        size_t width = 1;
        const unsigned char *from = bytes + done;
        if ((uintptr_t)from % sizeof word == 0 && size - done >= sizeof word) {
            width = sizeof word;
            *(uintptr_t *)word = *(volatile const uintptr_t *)from;
        } else if ((uintptr_t)from % 4 == 0 && size - done >= 4) {
            width = 4;
            *(uint32_t *)word = *(volatile const uint32_t *)from;
        } else if ((uintptr_t)from % 2 == 0 && size - done >= 2) {
            width = 2;
            *(uint16_t *)word = *(volatile const uint16_t *)from;
        } else {
            word[0] = *(volatile const unsigned char *)from;
        }
        for (size_t i = 0; i < width; i++)
            at += (size_t)sprintf(text + at, "%02x", word[i]);
        done += width;
    }
    return at;
}

/*
 * Runs after everything that the program registered for its end. Another thread may
 * still make the one access that it was about to make; whether that is seen or not,
 * there is a schedule with just this end.
 */
__attribute__((destructor(101))) static void end(void) {
    static char text[MOST_TEXT];
    size_t at = 0;
    is_last = 1;
    __atomic_store_n(&is_frozen, 1, __ATOMIC_SEQ_CST);
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    at += (size_t)sprintf(text, "judge: values");
    for (const struct judge_global *global = judge_globals; global->size; global++) {
        if (at + 2 * global->size + 2 >= MOST_TEXT)
            return;
        text[at++] = ' ';
        at += print_bytes(text + at, global->bytes, global->size);
    }
    text[at++] = '\n';
    tell(text, at);
}
