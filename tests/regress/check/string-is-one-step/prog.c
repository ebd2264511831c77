/* A string that one thread copies while another measures it. */
#include <assert.h>
#include <pthread.h>
#include <string.h>

char text[8] = "ab";

static void *worker(void *arg) {
    strcpy(text, "wxyz");
    return 0;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, 0, worker, 0);
    unsigned long length = strlen(text);
    assert(length == 2 || length == 4);
    return 0;
}
