/* The flag is set before the data. */
#include <assert.h>
#include <pthread.h>

int data, flag;

static void *sender(void *arg) {
    flag = 1;
    data = 1;
    return 0;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, 0, sender, 0);
    if (flag)
        assert(data == 1);
    pthread_join(t, 0);
    return 0;
}
