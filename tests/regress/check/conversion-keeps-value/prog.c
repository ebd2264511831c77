/* A sum fits where it is shown, whoever is faster. */
#include <pthread.h>

int total = 254;
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
