// A stack as a list, after Treiber. The head is the number of a node with a tag that grows
// whenever the head changes, so that a node that comes back is not mistaken for the same.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

// How a node is shown, and how one is looked at.
#ifndef PUSH
#define PUSH memory_order_release
#endif
#ifndef LOOK
#define LOOK memory_order_acquire
#endif
#ifndef AGAIN
#define AGAIN memory_order_acquire
#endif
#ifndef PUSHERS
#define PUSHERS 1
#endif
#ifndef POPPERS
#define POPPERS 1
#endif

struct node {
    int value;
    // Somebody may look at the next of a node that was popped and pushed again.
    _Atomic uint32_t next;
};

// Node 0 is none. Half of the head is the tag, half is the node.
static struct node nodes[1 + PUSHERS];
static _Atomic uint64_t head;

static uint32_t node_of(uint64_t word)
{
    return (uint32_t)word;
}

static uint64_t tagged(uint64_t old, uint32_t node)
{
    return (((old >> 32) + 1) << 32) | node;
}

static void push(uint32_t node)
{
    uint64_t old = atomic_load_explicit(&head, memory_order_relaxed);
    do {
        atomic_store_explicit(&nodes[node].next, node_of(old), memory_order_relaxed);
    } while (!atomic_compare_exchange_strong_explicit(&head, &old, tagged(old, node), PUSH,
                                                      memory_order_relaxed));
}

static uint32_t pop(void)
{
    uint64_t old = atomic_load_explicit(&head, LOOK);
    while (node_of(old) != 0) {
        uint32_t next = atomic_load_explicit(&nodes[node_of(old)].next, memory_order_relaxed);
        if (atomic_compare_exchange_strong_explicit(&head, &old, tagged(old, next),
                                                    memory_order_relaxed, AGAIN))
            return node_of(old);
    }
    return 0;
}

static void *pusher(void *arg)
{
    uint32_t node = (uint32_t)(uintptr_t)arg;
    nodes[node].value = (int)node + 10;
    push(node);
    return 0;
}

static void *popper(void *unused)
{
    uint32_t node = pop();
    if (node)
        assert(nodes[node].value == (int)node + 10);
    return unused;
}

int main(void)
{
    pthread_t pushers[PUSHERS], poppers[POPPERS];
    for (int i = 0; i < PUSHERS; i++)
        pthread_create(&pushers[i], 0, pusher, (void *)(uintptr_t)(i + 1));
    for (int i = 0; i < POPPERS; i++)
        pthread_create(&poppers[i], 0, popper, 0);
    for (int i = 0; i < PUSHERS; i++)
        pthread_join(pushers[i], 0);
    for (int i = 0; i < POPPERS; i++)
        pthread_join(poppers[i], 0);
    return 0;
}
