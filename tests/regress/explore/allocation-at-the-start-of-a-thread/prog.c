typedef unsigned long pthread_t;
int pthread_create(pthread_t *, const void *, void *(*)(void *), void *);
void *malloc(__SIZE_TYPE__);
void free(void *);
extern void reach_error(void);

static void *worker(void *arg) {
    int *block = malloc(sizeof(int));
    free(block);
    reach_error();
    return 0;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, 0, worker, 0);
    return 0;
}
