/* Where main ends the process, nothing is registered; elsewhere something is. */
typedef unsigned long pthread_t;
int pthread_create(pthread_t *, const void *, void *(*)(void *), void *);
int atexit(void (*)(void));
void exit(int) __attribute__((noreturn));
extern _Bool __VERIFIER_nondet_bool(void);
extern void __VERIFIER_assert(int);

int is_done;

static void at_end(void) {
}

static void *fail(void *arg) {
    __VERIFIER_assert(is_done);
    return 0;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, fail, 0);
    if (__VERIFIER_nondet_bool())
        exit(0);
    atexit(at_end);
}
