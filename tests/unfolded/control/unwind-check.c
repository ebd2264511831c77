// unfold: unwind=2 checks=unwind
// The same where going beyond a bound is looked for.
#include <pthread.h>
int flag;

static void *run(void *arg) {
    flag = 1;
    return 0;
}

int main(void) {
    pthread_t a;
    pthread_create(&a, 0, run, 0);
    while (!flag) {}
    return 0;
}
