/* A destructor that sets its own key again does not keep the others from running. */
#include <assert.h>
#include <pthread.h>

pthread_key_t again, other;
int ran;

static void set_again(void *value) {
    pthread_setspecific(again, value);
}

static void note(void *value) {
    ran = 1;
}

static void *worker(void *arg) {
    pthread_setspecific(again, &ran);
    pthread_setspecific(other, &ran);
    return 0;
}

int main(void) {
    pthread_t t;
    pthread_key_create(&again, set_again);
    pthread_key_create(&other, note);
    pthread_create(&t, 0, worker, 0);
    pthread_join(t, 0);
    assert(ran);
    return 0;
}
