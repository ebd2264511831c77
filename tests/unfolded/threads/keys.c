// unfold:
// Thread-specific data with a destructor.
#include <pthread.h>
static pthread_key_t key;
int x;

static void destroy(void *value) { x = 1; }

static void *run(void *arg) {
    pthread_setspecific(key, &x);
    return 0;
}

int main(void) {
    pthread_t a;
    pthread_key_create(&key, destroy);
    pthread_create(&a, 0, run, 0);
    x = 2;
    pthread_join(a, 0);
    return 0;
}
