// A settings object is made when it is first asked for.
//
// The first look at `settings` is meant to spare the mutex once the object is
// there. But that look is an ordinary read outside the mutex, while the other
// thread may be writing the pointer: a data race, and undefined behaviour in C.
// On real machines a thread may even see the pointer before the members are
// filled in. An atomic pointer with release and acquire order repairs it.

#include <assert.h>
#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>

struct settings {
    int port;
};

static struct settings *settings = NULL;
static pthread_mutex_t making = PTHREAD_MUTEX_INITIALIZER;

static struct settings *get_settings(void) {
    if (settings == NULL) { // The race: not protected by the mutex.
        pthread_mutex_lock(&making);
        if (settings == NULL) {
            struct settings *fresh = malloc(sizeof *fresh);
            if (fresh == NULL) {
                abort();
            }
            fresh->port = 8080;
            settings = fresh;
        }
        pthread_mutex_unlock(&making);
    }
    return settings;
}

static void *serve(void *unused) {
    (void)unused;
    assert(get_settings()->port == 8080);
    return NULL;
}

int main(void) {
    pthread_t first, second;
    pthread_create(&first, NULL, serve, NULL);
    pthread_create(&second, NULL, serve, NULL);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    free(settings);
    return 0;
}
