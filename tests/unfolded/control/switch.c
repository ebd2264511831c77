// unfold:
// Cases of a switch have guards of their own.
#include <pthread.h>
int x, y;

static void *run(void *arg) {
    x = 2;
    return 0;
}

int main(void) {
    pthread_t a;
    pthread_create(&a, 0, run, 0);
    switch (x) {
    case 1: y = 1; break;
    case 2: y = 2; break;
    default: y = 3;
    }
    x = y;
    return 0;
}
