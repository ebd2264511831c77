typedef unsigned long pthread_t;
int pthread_create(pthread_t *, const void *, void *(*)(void *), void *);
int pthread_join(pthread_t, void **);
void *malloc(__SIZE_TYPE__);
void free(void *);
extern void reach_error(void);

struct R1 { int v; };
struct R1 *r2;
int x3;
struct L9 { int v; struct L9 *next; };
struct L9 *n10;
struct L9 n11 = { 1, 0 };
struct L9 n12 = { 2, 0 };
pthread_t g[2];

static void *t17(void *arg) {
    struct R1 *r4 = malloc(sizeof *r4);
    r2 = r4;
    free(r2);
    n12.next = n10;
    n10 = &n12;
    return 0;
}

static void *t18(void *arg) {
    int l13 = 0;
    n10 = &n11;
    l13 = n10->v + (n10->next ? n10->next->v : 0);
    if (!(l13 != 2))
    {
        reach_error();
    }
    return 0;
}

int main(void) {
    pthread_create(&g[0], 0, t17, 0);
    pthread_create(&g[1], 0, t18, 0);
    struct R1 *r6 = malloc(sizeof *r6);
    if (r2 == r6)
    {
        x3 = 1;
    }
    pthread_join(g[1], 0);
    if (!(x3 != 1))
    {
        reach_error();
    }
}
