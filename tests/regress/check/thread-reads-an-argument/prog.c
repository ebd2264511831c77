/* A thread reads what main has compared before. */
#include <assert.h>
#include <pthread.h>

static void *look(void *text) {
    assert(((char *)text)[0] == 'a');
    return 0;
}

int main(int argc, char **argv) {
    pthread_t thread;
    if (argc < 2 || argv[1][0] != 'a')
        return 0;
    pthread_create(&thread, 0, look, argv[1]);
    return 0;
}
