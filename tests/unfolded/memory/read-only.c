// unfold:
// What all threads only read is no cell.
#include <pthread.h>
int table[2] = {3, 4};
int sum;

static void *run(void *arg) {
    sum = table[0] + table[1];
    return 0;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, run, 0);
    pthread_create(&b, 0, run, 0);
    return 0;
}
