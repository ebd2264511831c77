/* Sorting an array that another thread reads. */
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

int a[2] = { 2, 1 };

static int compare(const void *x, const void *y) {
    return *(const int *)x - *(const int *)y;
}

static void *worker(void *arg) {
    int first = a[0];
    int second = a[1];
    assert(first + second == 3);
    return 0;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, 0, worker, 0);
    qsort(a, 2, sizeof a[0], compare);
    return 0;
}
