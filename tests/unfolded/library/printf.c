// unfold:
// What is printed concerns nobody, but a shared string is read.
#include <pthread.h>
#include <stdio.h>
char text[2] = "a";

static void *run(void *arg) {
    text[0] = 'b';
    return 0;
}

int main(void) {
    pthread_t a;
    pthread_create(&a, 0, run, 0);
    printf("%s %d", text, 3);
    return 0;
}
