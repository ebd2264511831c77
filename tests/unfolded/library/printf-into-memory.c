// unfold:
// A number that is printed into memory.
#include <pthread.h>
#include <stdio.h>
char text[4];
int n;

static void *run(void *arg) {
    n = 7;
    text[0] = 'x';
    return 0;
}

int main(void) {
    pthread_t a;
    pthread_create(&a, 0, run, 0);
    sprintf(text, "%d", n);
    return 0;
}
