/* An address that is put together from parts is known to others as well. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

int *shared;

static void *worker(void *arg) {
    *shared = 1;
    return 0;
}

int main(void) {
    pthread_t t;
    int *p = malloc(sizeof *p);
    *p = 0;
    memcpy(&shared, &p, 4);
    memcpy((char *)&shared + 4, (char *)&p + 4, sizeof p - 4);
    pthread_create(&t, 0, worker, 0);
    *p = 2;
    pthread_join(t, 0);
    return 0;
}
