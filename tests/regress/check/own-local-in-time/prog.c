#include <pthread.h>
#include <stdlib.h>

static int value(int *p) {
    return *p;
}

int main(void) {
    int local = 1;
    return value(&local);
}
