// unfold:
// Input from outside may be anything.
#include <pthread.h>
#include <stdio.h>
int n;

static void *run(void *arg) {
    n = 1;
    return 0;
}

int main(void) {
    pthread_t a;
    pthread_create(&a, 0, run, 0);
    scanf("%d", &n);
    return 0;
}
