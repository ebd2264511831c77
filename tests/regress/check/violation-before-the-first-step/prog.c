#include <assert.h>
#include <pthread.h>

extern int __VERIFIER_nondet_int(void);
int *shown;
int flag, count;

static void *first(void *arg) {
    flag = 1;
    int *seen = shown;
    if (seen)
        *seen = 2;
    return 0;
}

static void *second(void *arg) {
    int own[2] = { 0, 1 };
    int n = __VERIFIER_nondet_int();
    if (n == 0)
        count++;
    own[1] = n;
    assert(own[1] != 1);
    shown = &own[1];
    count = own[1];
    return 0;
}

int main(void) {
    pthread_t threads[2];
    pthread_create(&threads[0], 0, first, 0);
    if (flag == 1)
        pthread_create(&threads[1], 0, second, 0);
    return count;
}
