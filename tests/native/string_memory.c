// memcpy, overlapping memmove, memset and memcmp on several element types.
#include <stdio.h>
#include <string.h>

struct pair {
    int a;
    char b[6];
};

static unsigned hash(const void *p, size_t n) {
    unsigned h = 2166136261u;
    for (const unsigned char *b = p; n--; b++)
        h = (h ^ *b) * 16777619u;
    return h;
}

int main(void) {
    char t[] = "0123456789";
    memmove(t + 2, t, 6);
    puts(t);
    memmove(t, t + 3, 5);
    puts(t);
    memmove(t, t, 4);
    memcpy(t + 8, "XY", 2);
    puts(t);
    int v[10];
    for (int i = 0; i < 10; i++)
        v[i] = i * i;
    memmove(v + 1, v, 9 * sizeof *v);
    memcpy(v, v + 5, 2 * sizeof *v);
    for (int i = 0; i < 10; i++)
        printf("%d ", v[i]);
    puts("");
    memset(v + 2, 0xff, 3 * sizeof *v);
    printf("%d %d %d\n", v[1], v[2], v[5]);
    unsigned char z[7];
    memset(z, 300, sizeof z);
    printf("%d %u\n", z[6], hash(z, sizeof z));
    struct pair p, q;
    memset(&p, 0, sizeof p);
    memset(&q, 0, sizeof q);
    p.a = q.a = 5;
    strcpy(p.b, "five");
    strcpy(q.b, "five");
    printf("%d %08x\n", memcmp(&p, &q, sizeof p), hash(&p, sizeof p));
    struct pair all[3] = {p, q, p};
    all[1].a = 6;
    memmove(&all[0], &all[1], 2 * sizeof *all);
    printf("%d %d %s\n", all[0].a, all[1].a, all[2].b);
    memset(t, 0, 0);
    return (int)(hash(v, sizeof v) % 126);
}
