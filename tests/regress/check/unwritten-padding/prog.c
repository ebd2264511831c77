#include <pthread.h>
#include <stdlib.h>
#include <string.h>

struct record {
    char tag;
    int number;
    short last;
};

struct record kept;
int seen;

static struct record changed(struct record r) {
    r.last = 3;
    return r;
}

static void *work(void *arg) {
    struct record r, copy;
    r.tag = 1;
    r.number = 2;
    copy = changed(r);
    memcpy(&kept, &copy, sizeof kept);
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, 0, work, 0);
    if (kept.tag && kept.number == 2 && kept.last)
        seen = 1;
    pthread_join(t, 0);
    return 0;
}
