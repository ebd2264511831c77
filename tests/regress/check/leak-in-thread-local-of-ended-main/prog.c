/* main ends before the process does, and with it its thread-local variables. */
#include <pthread.h>
#include <stdlib.h>

static __thread int *mine;

int main(void) {
    mine = malloc(sizeof(int));
    pthread_exit(0);
}
