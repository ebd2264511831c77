/* A thread whose only step reads the key: its destructors are looked for at once. */
typedef unsigned long pthread_t;
int pthread_create(pthread_t *, const void *, void *(*)(void *), void *);
int pthread_join(pthread_t, void **);
int pthread_key_create(unsigned *, void (*)(void *));
int pthread_key_delete(unsigned);
int pthread_setspecific(unsigned, const void *);
extern void __VERIFIER_assert(int);

short x1 = 0;
int a2[3] = { 0, 0 };
int a3[3] = { 0, 0 };
int i4 = 1;
int a5[2] = { 0, 0 };
unsigned key7;
int sum8;

static void set6(int *place, int v) {
    *place = v;
}

static void destroy9(void *value) {
    sum8 = sum8 + (int)(long)value;
}

static void __VERIFIER_atomic_f11(int v) {
    x1 = v;
}

static void *t13(void *arg) {
    pthread_setspecific(key7, (void *)1);
    return 0;
}

static void *t14(void *arg) {
    a2[1] = 1;
    set6(&a3[1], 0);
    while (x1 == 1 && a3[1] == 0)
    {
    }
    a5[i4 & 1] = 1;
    __VERIFIER_assert(a5[i4 & 1] == 1);
    pthread_setspecific(key7, (void *)3);
    return 0;
}

int main(void) {
    struct { int n; pthread_t h[2]; } all;
    pthread_key_create(&key7, destroy9);
    pthread_create(&all.h[0], 0, t13, 0);
    pthread_create(&all.h[1], 0, t14, 0);
    x1 = 1;
    a3[1] = 1;
    while (a2[1] == 1 && a3[1] == 1)
    {
    }
    a5[i4 & 1] = 0;
    __VERIFIER_assert(a5[i4 & 1] == 0);
    pthread_setspecific(key7, (void *)1);
    __VERIFIER_atomic_f11(0);
    pthread_key_delete(key7);
    pthread_join(all.h[0], 0);
    pthread_join(all.h[1], 0);
    __VERIFIER_assert(sum8 != 3);
}
