// unfold: without=hiding
// Unfolded without the reduction `hiding`.
#include <pthread.h>
int mine, x;

static void *run(void *arg) {
    mine = 1;
    x = x + 1;
    if (x > 2) x = 0;
    return 0;
}

int main(void) {
    pthread_t a;
    pthread_create(&a, 0, run, 0);
    x = 2;
    if (x == 1) return 1;
    x = 3;
    return 0;
}
