/* A sum no longer fits where it is shown, after another thread has added to it. */
#include <pthread.h>

int total = 255;
unsigned char shown;

static void *add(void *arg) {
    total += 1;
    return 0;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, 0, add, 0);
    shown = total;
    pthread_join(t, 0);
    return 0;
}
