// unfold:
// A comparison that the program itself makes.
#include <pthread.h>
#include <stdlib.h>
int x[2] = {2, 1};

static int compare(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }

static void *run(void *arg) {
    x[0] = 3;
    return 0;
}

int main(void) {
    pthread_t a;
    pthread_create(&a, 0, run, 0);
    qsort(x, 2, sizeof x[0], compare);
    return 0;
}
