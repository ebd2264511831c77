// unfold:
// Iterations of inner loops are counted anew in each outer one.
#include <pthread.h>
int x;

static void *run(void *arg) {
    x = 1;
    return 0;
}

int main(void) {
    pthread_t a;
    pthread_create(&a, 0, run, 0);
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 2; j++) x = x + i + j;
    return 0;
}
