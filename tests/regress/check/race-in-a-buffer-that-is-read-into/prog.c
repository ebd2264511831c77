#include <pthread.h>
#include <unistd.h>

static int ends[2];
static char buffer[4];

static void *look(void *unused) {
    return (void *)(long)buffer[0];
}

int main(void) {
    pipe(ends);
    write(ends[1], "x", 1);
    pthread_t thread;
    pthread_create(&thread, 0, look, 0);
    read(ends[0], buffer, sizeof buffer);
    pthread_join(thread, 0);
    return 0;
}
