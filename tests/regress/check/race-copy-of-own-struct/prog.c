#include <pthread.h>

struct Pair { int a, b; } shared, initial = { 1, 2 };
int ready;

static void *writer(void *arg) {
    __atomic_store_n(&ready, 1, __ATOMIC_SEQ_CST);
    struct Pair own = initial;
    own.a = 3;
    shared = own;
    return 0;
}

static void *reader(void *arg) {
    if (!__atomic_load_n(&ready, __ATOMIC_SEQ_CST))
        return 0;
    int seen = shared.a;
    return 0;
}

int main(void) {
    pthread_t threads[2];
    pthread_create(&threads[0], 0, writer, 0);
    pthread_create(&threads[1], 0, reader, 0);
    return 0;
}
