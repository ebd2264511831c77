// Two owners share a message; the last one to let go of it frees it.
//
// Letting go is atomic, but asking how many owners remain is a second step.
// When both have let go before either asks, both see zero and both free the
// message. Using the result of the subtraction itself repairs it:
// `if (atomic_fetch_sub(&owners, 1) == 1)`.

#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>

static atomic_int owners = 2;
static char *message;

static void *let_go(void *unused) {
    (void)unused;
    atomic_fetch_sub(&owners, 1);
    if (atomic_load(&owners) == 0) {
        free(message);
    }
    return NULL;
}

int main(void) {
    message = malloc(16);
    if (message == NULL) {
        return 1;
    }

    pthread_t sender, receiver;
    pthread_create(&sender, NULL, let_go, NULL);
    pthread_create(&receiver, NULL, let_go, NULL);
    pthread_join(sender, NULL);
    pthread_join(receiver, NULL);
    return 0;
}
