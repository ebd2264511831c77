// Hand-made objects: structures of function pointers, interfaces and a small state machine.
#include <stdio.h>

struct shape;
struct shape_ops {
    const char *name;
    int (*area)(const struct shape *);
    void (*scale)(struct shape *, int);
};
struct shape {
    const struct shape_ops *ops;
    int a, b;
};

static int rect_area(const struct shape *s) { return s->a * s->b; }
static void rect_scale(struct shape *s, int k) { s->a *= k, s->b *= k; }
static int line_area(const struct shape *s) { return (void)s, 0; }
static void line_scale(struct shape *s, int k) { s->a *= k; }

static const struct shape_ops rect_ops = {"rect", rect_area, rect_scale};
static const struct shape_ops line_ops = {.scale = line_scale, .area = line_area, .name = "line"};

struct machine;
typedef struct state {
    struct state (*run)(struct machine *, char);
} state;
struct machine {
    int words, digits, other;
};
static state idle(struct machine *, char);
static state word(struct machine *m, char c) {
    if (c >= 'a' && c <= 'z')
        return (state){word};
    return idle(m, c);
}
static state idle(struct machine *m, char c) {
    if (c >= 'a' && c <= 'z') {
        m->words++;
        return (state){word};
    }
    if (c >= '0' && c <= '9')
        m->digits++;
    else
        m->other++;
    return (state){idle};
}

int main(void) {
    struct shape shapes[] = {{&rect_ops, 3, 4}, {&line_ops, 9, 0}, {&rect_ops, 1, 1}};
    int total = 0;
    for (int i = 0; i < 3; i++) {
        struct shape *s = &shapes[i];
        s->ops->scale(s, i + 2);
        printf("%s %d %d\n", s->ops->name, s->a, s->ops->area(s));
        total += s->ops->area(s);
    }
    struct machine m = {0};
    state s = {idle};
    for (const char *p = "abc 12 de,f 7!"; *p; p++)
        s = s.run(&m, *p);
    printf("%d %d %d\n", m.words, m.digits, m.other);
    return total + m.words * m.digits;
}
