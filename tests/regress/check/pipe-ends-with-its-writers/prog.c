#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

struct job {
    int value;
};

static int ends[2];

static void *work(void *unused) {
    struct job *job;
    int sum = 0;
    while (read(ends[0], &job, sizeof job) == sizeof job) {
        sum = 10 * sum + job->value;
        free(job);
    }
    return (void *)(long)sum;
}

int main(void) {
    pipe(ends);
    pthread_t thread;
    pthread_create(&thread, 0, work, 0);
    for (int i = 1; i <= 2; i++) {
        struct job *job = malloc(sizeof *job);
        job->value = i;
        assert(write(ends[1], &job, sizeof job) == sizeof job);
    }
    close(ends[1]);
    void *sum;
    pthread_join(thread, &sum);
    assert((long)sum == 12);
    return 0;
}
