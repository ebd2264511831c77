#include <assert.h>
#include <pthread.h>

static void *worker(void *arg) {
    int n = (int)(long)arg;
    int values[n];
    for (int i = 0; i < n; i++)
        values[i] = i;
    assert(values[n - 1] == n - 1);
    return 0;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, worker, (void *)3L);
    pthread_join(thread, 0);
    return 0;
}
