/* A thread changes an argument while main looks at it. */
#include <assert.h>
#include <pthread.h>

char *text;

static void *change(void *arg) {
    text[1] = 'b';
    return 0;
}

int main(int argc, char **argv) {
    pthread_t thread;
    if (argc < 2 || argv[1][0] != 'a' || argv[1][1] != 'a')
        return 0;
    text = argv[1];
    pthread_create(&thread, 0, change, 0);
    assert(argv[1][1] == 'a');
    return 0;
}
