// Transfers between bank accounts, each with a lock of its own. Both are taken, in
// the order of the accounts; or else in that of the transfer.

#include <pthread.h>

#ifndef N
#define N 3
#endif

static pthread_mutex_t locks[N];
static int balances[N];

static void *transfer(void *arg) {
    int from = (int)(long)arg, to = (from + 1) % N;
    int first = from, second = to;
#ifndef BAD
    if (first > second) {
        first = to;
        second = from;
    }
#endif
    pthread_mutex_lock(&locks[first]);
    pthread_mutex_lock(&locks[second]);
    balances[from] -= 1;
    balances[to] += 1;
    pthread_mutex_unlock(&locks[second]);
    pthread_mutex_unlock(&locks[first]);
    return 0;
}

int main(void) {
    pthread_t threads[N];
    for (int i = 0; i < N; i++)
        pthread_mutex_init(&locks[i], 0);
    for (int i = 0; i < N; i++)
        pthread_create(&threads[i], 0, transfer, (void *)(long)i);
    for (int i = 0; i < N; i++)
        pthread_join(threads[i], 0);
    return 0;
}
