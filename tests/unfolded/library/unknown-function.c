// unfold:
// A function that nobody knows changes nothing and returns anything.
#include <pthread.h>
int x;
int mystery(int);

static void *run(void *arg) {
    x = mystery(1);
    return 0;
}

int main(void) {
    pthread_t a;
    pthread_create(&a, 0, run, 0);
    x = 2;
    return 0;
}
