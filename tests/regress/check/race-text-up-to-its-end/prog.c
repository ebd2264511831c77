#include <pthread.h>
#include <string.h>

char text[8] = "ab";

static void *worker(void *arg) {
    text[3] = 1;
    return 0;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, worker, 0);
    unsigned long n = strlen(text);
    (void)n;
    pthread_join(thread, 0);
    return 0;
}
