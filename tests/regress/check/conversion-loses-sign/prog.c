/* A negative sum becomes an unsigned number. */
#include <pthread.h>

int total = -1;
unsigned char shown;

static void *add(void *arg) {
    total += 1;
    return 0;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, 0, add, 0);
    unsigned all = total; shown = all != 0;
    pthread_join(t, 0);
    return 0;
}
