// Flexible array members and the older zero-length array in heap objects.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct message {
    unsigned short len;
    char kind;
    char text[];
};
struct series {
    int n;
    double points[0];
};

static struct message *make(char kind, const char *text) {
    size_t n = strlen(text);
    struct message *m = malloc(sizeof *m + n + 1);
    if (!m)
        exit(99);
    m->len = (unsigned short)n;
    m->kind = kind;
    memcpy(m->text, text, n + 1);
    return m;
}

static struct message *append(struct message *m, const char *more) {
    size_t n = strlen(more);
    m = realloc(m, sizeof *m + m->len + n + 1);
    if (!m)
        exit(98);
    memcpy(m->text + m->len, more, n + 1);
    m->len += n;
    return m;
}

int main(void) {
    struct message *m = make('a', "alpha");
    m = append(m, "-beta");
    m = append(m, "");
    m = append(m, "-gamma");
    printf("%c %u %s %zu\n", m->kind, m->len, m->text, sizeof *m);
    int r = m->len;
    free(m);
    struct series *s = malloc(sizeof *s + 5 * sizeof s->points[0]);
    if (!s)
        return 97;
    s->n = 5;
    for (int i = 0; i < s->n; i++)
        s->points[i] = i * 1.25;
    double t = 0;
    for (double *p = s->points; p != s->points + s->n; ++p)
        t += *p;
    printf("%.2f %zu\n", t, sizeof *s);
    free(s);
    return r + (int)t;
}
