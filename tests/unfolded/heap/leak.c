// unfold: checks=leak,cleanup
// What is left when the process ends.
#include <pthread.h>
#include <stdlib.h>
int *p;

static void *run(void *arg) {
    p = malloc(sizeof *p);
    return 0;
}

int main(void) {
    pthread_t a;
    pthread_create(&a, 0, run, 0);
    p = 0;
    return 0;
}
