// unfold:
// A run that aborts is no run of interest.
#include <pthread.h>
int x;
void abort(void);

static void *run(void *arg) {
    x = 1;
    return 0;
}

int main(void) {
    pthread_t a;
    pthread_create(&a, 0, run, 0);
    if (x) abort();
    x = 2;
    return 0;
}
