// Nested structures, assignment, arrays of structures and pointers to members.
#include <stdio.h>

struct vec {
    int x, y;
};
struct rect {
    struct vec lo, hi;
    const char *name;
};
struct scene {
    int count;
    struct rect items[4];
    struct {
        short id;
        union {
            int i;
            char c[4];
        };
    } tag;
};

static int area(const struct rect *r) { return (r->hi.x - r->lo.x) * (r->hi.y - r->lo.y); }

static void grow(struct rect *r, int by) {
    struct vec *corner = &r->hi;
    corner->x += by;
    corner->y += by;
}

int main(void) {
    struct scene s = {.count = 3,
                      .items = {{{0, 0}, {2, 3}, "a"}, {.name = "b", .hi = {5, 5}}, {{-1, -1}, {1, 1}, "c"}},
                      .tag = {7, {.i = 0}}};
    s.items[s.count++] = (struct rect){.lo = {1, 2}, .hi.x = 10, .hi.y = 4, .name = "d"};
    for (int i = 0; i < s.count; i++)
        grow(&s.items[i], i);
    int total = 0;
    for (struct rect *r = s.items; r < s.items + s.count; r++) {
        printf("%s %d\n", r->name, area(r));
        total += area(r);
    }
    struct scene copy = s;
    copy.items[1].lo.x = -100;
    copy.tag.c[0] = 'x';
    copy.tag.c[1] = 1;
    printf("%d %d\n", area(&s.items[1]), area(&copy.items[1]));
    printf("%d %d %d\n", s.tag.i, copy.tag.i, copy.tag.id);
    struct vec *v = &copy.items[2].lo, *w = &copy.items[2].hi;
    struct vec t = *v;
    *v = *w;
    *w = t;
    printf("%d\n", area(&copy.items[2]));
    printf("%zu %zu\n", sizeof(struct rect), sizeof s);
    return total;
}
