// unfold:
// Classes of characters and absolute values are computed from terms.
#include <pthread.h>
#include <ctype.h>
#include <stdlib.h>
int x, y;

static void *run(void *arg) {
    x = 'A';
    return 0;
}

int main(void) {
    pthread_t a;
    pthread_create(&a, 0, run, 0);
    y = isdigit(x) + abs(x);
    x = y;
    return 0;
}
