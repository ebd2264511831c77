// Thread-specific data: the results of calls that glibc defines.
#include <pthread.h>
#include <stdio.h>

static pthread_key_t first, second;
static int data[2];

static void destroy(void *value) {
    printf("destroy %d\n", (int)((int *)value - data));
}

static void *worker(void *arg) {
    printf("get %d", pthread_getspecific(first) == 0);
    printf(" set %d", pthread_setspecific(first, &data[0]));
    printf(" set %d\n", pthread_setspecific(second, &data[1]));
    return arg;
}

int main(void) {
    pthread_t thread;
    printf("create %d", pthread_key_create(&first, destroy));
    printf(" create %d", pthread_key_create(&second, destroy));
    printf(" get %d", pthread_getspecific(first) == 0);
    printf(" set %d", pthread_setspecific(first, &data[1]));
    printf(" get %d", pthread_getspecific(first) == (void *)&data[1]);
    printf(" set %d\n", pthread_setspecific(first, 0));
    pthread_create(&thread, 0, worker, 0);
    pthread_join(thread, 0);
    printf("delete %d", pthread_key_delete(first));
    printf(" delete %d", pthread_key_delete(first));
    printf(" set %d", pthread_setspecific(first, 0));
    printf(" delete %d", pthread_key_delete(5000));
    printf(" set %d", pthread_setspecific(5000, 0));
    printf(" get %d\n", pthread_getspecific(5000) == 0);
    return 0;
}
