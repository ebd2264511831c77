// The queue of Michael and Scott: a list with a dummy in front, in which whoever finds the
// tail behind helps it on. Nodes are not freed.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

// How a node is appended and the tail moved on to it; how the ends and the node behind one
// are looked at.
#ifndef APPEND
#define APPEND memory_order_release
#endif
#ifndef MOVE
#define MOVE memory_order_release
#endif
#ifndef TAIL
#define TAIL memory_order_acquire
#endif
#ifndef NEXT
#define NEXT memory_order_acquire
#endif
#ifndef HEAD
#define HEAD memory_order_acquire
#endif
#ifndef TAKE
#define TAKE memory_order_release
#endif
#ifndef PUTTERS
#define PUTTERS 1
#endif
#ifndef TAKERS
#define TAKERS 1
#endif

struct node {
    int value;
    _Atomic(struct node *) next;
};

static struct node dummy;
static _Atomic(struct node *) head = &dummy, tail = &dummy;

static void put(struct node *node)
{
    for (;;) {
        struct node *last = atomic_load_explicit(&tail, TAIL);
        struct node *next = atomic_load_explicit(&last->next, NEXT);
        if (next != NULL) {
            atomic_compare_exchange_strong_explicit(&tail, &last, next, MOVE,
                                                    memory_order_relaxed);
            continue;
        }
        if (atomic_compare_exchange_strong_explicit(&last->next, &next, node, APPEND,
                                                    memory_order_relaxed)) {
            atomic_compare_exchange_strong_explicit(&tail, &last, node, MOVE,
                                                    memory_order_relaxed);
            return;
        }
    }
}

static int take(int *value)
{
    for (;;) {
        struct node *first = atomic_load_explicit(&head, HEAD);
        struct node *next = atomic_load_explicit(&first->next, NEXT);
        if (next == NULL)
            return 0;
        *value = next->value;
        if (atomic_compare_exchange_strong_explicit(&head, &first, next, TAKE,
                                                    memory_order_relaxed))
            return 1;
    }
}

static void *putter(void *number)
{
    struct node *node = malloc(sizeof *node);
    if (node == NULL)
        abort();
    node->value = 10 + (int)(intptr_t)number;
    atomic_store_explicit(&node->next, NULL, memory_order_relaxed);
    put(node);
    return 0;
}

static void *taker(void *unused)
{
    int value;
    if (take(&value))
        assert(value >= 10 && value < 10 + PUTTERS);
    return unused;
}

int main(void)
{
    pthread_t putters[PUTTERS], takers[TAKERS];
    for (int i = 0; i < PUTTERS; i++)
        pthread_create(&putters[i], 0, putter, (void *)(intptr_t)i);
    for (int i = 0; i < TAKERS; i++)
        pthread_create(&takers[i], 0, taker, 0);
    for (int i = 0; i < PUTTERS; i++)
        pthread_join(putters[i], 0);
    for (int i = 0; i < TAKERS; i++)
        pthread_join(takers[i], 0);
    int length = 0;
    for (struct node *node = &dummy; node->next != NULL; node = node->next)
        length++;
    assert(length == PUTTERS);
    return 0;
}
