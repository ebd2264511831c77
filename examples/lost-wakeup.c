// A cook rings a bell when the meal is ready; the waiter listens for it.
//
// A condition variable remembers nothing: a signal that nobody waits for is
// gone. The waiter looks at `ready` before taking the mutex, so the cook may
// ring exactly between the look and the wait, and the waiter then waits
// forever. The usual `while (!ready) pthread_cond_wait(...)`, all of it inside
// the mutex, repairs it.

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

static pthread_mutex_t kitchen = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t bell = PTHREAD_COND_INITIALIZER;
static atomic_bool ready = false;

static void *cook(void *unused) {
    (void)unused;
    pthread_mutex_lock(&kitchen);
    ready = true;
    pthread_cond_signal(&bell);
    pthread_mutex_unlock(&kitchen);
    return NULL;
}

static void *waiter(void *unused) {
    (void)unused;
    if (!ready) {
        // If the bell rings here, it is not heard.
        pthread_mutex_lock(&kitchen);
        pthread_cond_wait(&bell, &kitchen);
        pthread_mutex_unlock(&kitchen);
    }
    return NULL;
}

int main(void) {
    pthread_t cooking, waiting;
    pthread_create(&waiting, NULL, waiter, NULL);
    pthread_create(&cooking, NULL, cook, NULL);
    pthread_join(waiting, NULL);
    pthread_join(cooking, NULL);
    return 0;
}
