// Three philosophers around a table, with one fork between each two of them.
//
// Everybody takes the left fork first. When all three hold their left fork,
// each waits for the right one forever: a deadlock. It disappears when one
// philosopher takes the right fork first, so that the forks are always taken
// in one global order.

#include <pthread.h>
#include <stddef.h>

enum { SEATS = 3 };

static pthread_mutex_t forks[SEATS] = {
    PTHREAD_MUTEX_INITIALIZER,
    PTHREAD_MUTEX_INITIALIZER,
    PTHREAD_MUTEX_INITIALIZER,
};

struct seat {
    pthread_mutex_t *left;
    pthread_mutex_t *right;
};

static void *dine(void *argument) {
    struct seat *seat = argument;
    pthread_mutex_lock(seat->left);
    pthread_mutex_lock(seat->right);
    // Eats.
    pthread_mutex_unlock(seat->right);
    pthread_mutex_unlock(seat->left);
    return NULL;
}

int main(void) {
    struct seat seats[SEATS];
    pthread_t philosophers[SEATS];

    for (int i = 0; i < SEATS; i++) {
        seats[i].left = &forks[i];
        seats[i].right = &forks[(i + 1) % SEATS];
        pthread_create(&philosophers[i], NULL, dine, &seats[i]);
    }
    for (int i = 0; i < SEATS; i++) {
        pthread_join(philosophers[i], NULL);
    }
    return 0;
}
