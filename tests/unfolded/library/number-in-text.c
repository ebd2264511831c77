// unfold:
// A number that is read from a text.
#include <pthread.h>
#include <stdlib.h>
char text[3] = "12";
int n;

static void *run(void *arg) {
    text[1] = 'x';
    return 0;
}

int main(void) {
    pthread_t a;
    pthread_create(&a, 0, run, 0);
    n = atoi(text);
    text[0] = '4';
    return 0;
}
