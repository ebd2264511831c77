/* The length of a string is out of date when the string is used. */
#include <assert.h>
#include <pthread.h>
#include <string.h>

char text[8] = "ab";

static void *worker(void *arg) {
    strcat(text, "c");
    return 0;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, 0, worker, 0);
    unsigned long length = strlen(text);
    assert(text[length] == 0);
    return 0;
}
