// unfold:
// A variable that only one thread uses after creation is no cell.
#include <pthread.h>
int mine, ours;

static void *run(void *arg) {
    mine = 1;
    mine = mine + ours;
    return 0;
}

int main(void) {
    pthread_t a;
    pthread_create(&a, 0, run, 0);
    ours = 2;
    return 0;
}
