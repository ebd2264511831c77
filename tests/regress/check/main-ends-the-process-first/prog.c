typedef unsigned long pthread_t;
int pthread_create(pthread_t *, const void *, void *(*)(void *), void *);
int atexit(void (*)(void));
void exit(int) __attribute__((noreturn));
extern void reach_error(void);

int ready;

static void at_end(void) {
    if (ready == 1)
        reach_error();
}

static void *leave(void *arg) {
    exit(0);
}

int main(void) {
    pthread_t thread;
    atexit(at_end);
    pthread_create(&thread, 0, leave, 0);
    ready = 1;
    return 0;
}
