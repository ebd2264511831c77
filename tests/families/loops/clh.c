/* Two threads at a queue lock in which each waits for the one before it. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct node {
    atomic_int must_wait;
};

_Atomic(struct node *) tail;
struct node *holder;
int shared, sum;

static struct node *new_node(int must_wait) {
    struct node *node = malloc(sizeof *node);
    atomic_init(&node->must_wait, must_wait);
    return node;
}

static void *work(void *arg) {
    int me = (int)(long)arg;
    struct node *mine = new_node(1);
    struct node *before = atomic_exchange(&tail, mine);
    while (atomic_load(&before->must_wait)) {
    }
    free(before);
    holder = mine;
    shared = me;
    assert(shared == me);
    sum++;
    atomic_store(&holder->must_wait, 0);
    return 0;
}

int main(void) {
    pthread_t t[2];
    atomic_init(&tail, new_node(0));
    for (long i = 0; i < 2; i++) pthread_create(&t[i], 0, work, (void *)i);
    for (int i = 0; i < 2; i++) pthread_join(t[i], 0);
    assert(sum == 2);
}
