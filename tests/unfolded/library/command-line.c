// unfold: arg=last
// The command line is memory that threads may share.
#include <pthread.h>
static char *text;

static void *run(void *arg) {
    text[0] = 'x';
    return 0;
}

int main(int argc, char **argv) {
    pthread_t a;
    text = argv[argc - 1];
    pthread_create(&a, 0, run, 0);
    return text[0];
}
