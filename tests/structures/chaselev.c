// The work-stealing deque of Chase and Lev: the owner pushes and takes at the bottom,
// others steal at the top. The array does not grow here.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

// The fences of the owner, when it pushes and when it takes, and that of a thief; how the
// thief looks at both ends, and how the last element is fought over.
#ifndef PUSH
#define PUSH memory_order_release
#endif
#ifndef TAKE
#define TAKE memory_order_seq_cst
#endif
#ifndef STEAL
#define STEAL memory_order_seq_cst
#endif
#ifndef TOP
#define TOP memory_order_acquire
#endif
#ifndef BOTTOM
#define BOTTOM memory_order_acquire
#endif
#ifndef WIN
#define WIN memory_order_seq_cst
#endif
#ifndef THIEVES
#define THIEVES 1
#endif
#define SIZE 4
#define EMPTY 0

static atomic_int top, bottom;
static atomic_int array[SIZE];
static atomic_int taken[3];

static void push(int value)
{
    int b = atomic_load_explicit(&bottom, memory_order_relaxed);
    atomic_store_explicit(&array[b % SIZE], value, memory_order_relaxed);
    atomic_thread_fence(PUSH);
    atomic_store_explicit(&bottom, b + 1, memory_order_relaxed);
}

static int take(void)
{
    int b = atomic_load_explicit(&bottom, memory_order_relaxed) - 1;
    atomic_store_explicit(&bottom, b, memory_order_relaxed);
    atomic_thread_fence(TAKE);
    int t = atomic_load_explicit(&top, memory_order_relaxed);
    if (t > b) {
        atomic_store_explicit(&bottom, b + 1, memory_order_relaxed);
        return EMPTY;
    }
    int value = atomic_load_explicit(&array[b % SIZE], memory_order_relaxed);
    if (t == b) {
        if (!atomic_compare_exchange_strong_explicit(&top, &t, t + 1, WIN,
                                                     memory_order_relaxed))
            value = EMPTY;
        atomic_store_explicit(&bottom, b + 1, memory_order_relaxed);
    }
    return value;
}

static int steal(void)
{
    int t = atomic_load_explicit(&top, TOP);
    atomic_thread_fence(STEAL);
    int b = atomic_load_explicit(&bottom, BOTTOM);
    if (t >= b)
        return EMPTY;
    int value = atomic_load_explicit(&array[t % SIZE], memory_order_relaxed);
    if (!atomic_compare_exchange_strong_explicit(&top, &t, t + 1, WIN, memory_order_relaxed))
        return EMPTY;
    assert(value != EMPTY);
    return value;
}

static void get(int value)
{
    if (value != EMPTY)
        assert(atomic_fetch_add_explicit(&taken[value], 1, memory_order_relaxed) == 0);
}

static void *thief(void *unused)
{
    get(steal());
    get(steal());
    return unused;
}

int main(void)
{
    pthread_t thieves[THIEVES];
    for (int i = 0; i < THIEVES; i++)
        pthread_create(&thieves[i], 0, thief, 0);
    push(1);
    push(2);
    get(take());
    get(take());
    for (int i = 0; i < THIEVES; i++)
        pthread_join(thieves[i], 0);
    return 0;
}
