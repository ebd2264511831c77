#include <pthread.h>
#include <stdlib.h>

struct flags {
    unsigned low : 3;
    unsigned high : 5;
    int : 8;
    int rest : 4;
};

struct flags *shared;
int seen;

static void *look(void *arg) {
    struct flags *f = shared;
    if (f) {
        if (f->low == 2)
            seen = 1;
        if (f->high > 3)
            seen = 2;
    }
    return arg;
}

int main(void) {
    pthread_t t;
    struct flags *f = malloc(sizeof *f);

    pthread_create(&t, 0, look, 0);
    f->low = 2;
    f->high = 1;
    shared = f;
    pthread_join(t, 0);
    return 0;
}
