/* A loop comes to its bound on one of two paths, whose steps differ. */
typedef unsigned long pthread_t;
int pthread_create(pthread_t *, const void *, void *(*)(void *), void *);
extern void __assert_fail(const char *, const char *, unsigned, const char *) __attribute__((noreturn));

long x2 = 0;
struct V6 { int a; short b; short c[5]; };
struct V6 s7 = { 1, 0, { 0, 2 } };

static struct V6 f8(struct V6 s) {
    s.c[0]++;
    return s;
}

static void *t11(void *arg) {
    x2++;
    s7.c[0] = 1;
    return 0;
}

static void *t10(void *arg) {
    pthread_t inner;
    pthread_create(&inner, 0, t11, 0);
    while (1)
    {
        if (x2 == 0)
        {
            s7 = f8(s7);
        }
        else {
            x2 = s7.c[0];
        }
    }
}

int main(void) {
    pthread_t h0, h1;
    pthread_create(&h0, 0, t10, 0);
    x2++;
    (x2 <= 2) ? (void)0 : __assert_fail("c", "f", 1, "g");
}
