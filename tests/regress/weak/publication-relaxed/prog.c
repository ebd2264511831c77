#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
struct item { int value; };
static struct item *_Atomic shared;

static void *publish(void *arg) {
    struct item *item = malloc(sizeof *item);
    item->value = 7;
    atomic_store_explicit(&shared, item, memory_order_relaxed);
    return arg;
}

static void *look(void *arg) {
    struct item *item = atomic_load_explicit(&shared, memory_order_acquire);
    if (item) assert(item->value == 7);
    return arg;
}

int main(void) {
    pthread_t one, two;
    pthread_create(&one, 0, publish, 0);
    pthread_create(&two, 0, look, 0);
    pthread_join(one, 0);
    pthread_join(two, 0);
}
