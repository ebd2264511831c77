// Two orders are booked under a mutex; an order may be refused.
//
// The path that refuses an order returns without unlocking. Whether it is
// taken depends on an input, so a test with friendly inputs never sees it: the
// other thread then waits for the mutex forever. Unlocking on both paths
// repairs it.

#include <pthread.h>
#include <stddef.h>

// Any value may come back: Threadbare tries all that matter.
extern int __VERIFIER_nondet_int(void);

static pthread_mutex_t book = PTHREAD_MUTEX_INITIALIZER;
static int booked = 0;

static int place_order(int amount) {
    pthread_mutex_lock(&book);
    if (amount < 0) {
        return -1; // The mutex is still locked.
    }
    booked++;
    pthread_mutex_unlock(&book);
    return 0;
}

static void *customer(void *argument) {
    int *amount = argument;
    place_order(*amount);
    return NULL;
}

int main(void) {
    int amounts[2] = {__VERIFIER_nondet_int(), __VERIFIER_nondet_int()};

    pthread_t first, second;
    pthread_create(&first, NULL, customer, &amounts[0]);
    pthread_create(&second, NULL, customer, &amounts[1]);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    return 0;
}
