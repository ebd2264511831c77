// Designated initialisers, ranges of initialisers and nested compound literals.
#include <stdio.h>

struct entry {
    const char *key;
    int value[3];
};

static const struct entry table[] = {
    [2] = {"two", {[1] = 22}},
    [0] = {.value = {1, 2, 3}, .key = "zero"},
    {"one", {[2] = 5, [0] = 7}},
    [5].key = "five",
    [5].value[1] = 55,
};
static int holes[10] = {[3] = 1, 2, [8] = 9, [4] = 40};

static int total(const int *v, int n) {
    int t = 0;
    while (n--)
        t = t * 3 + *v++;
    return t;
}

static struct entry *rename_entry(struct entry *e, const char *k) {
    e->key = k;
    return e;
}

int main(void) {
    int n = (int)(sizeof table / sizeof *table);
    for (int i = 0; i < n; i++)
        printf("%s %d %d %d\n", table[i].key ? table[i].key : "-", table[i].value[0], table[i].value[1], table[i].value[2]);
    for (int i = 0; i < 10; i++)
        printf("%d ", holes[i]);
    puts("");
    printf("%d\n", total((int[]){1, 2, [5] = 4}, 6));
    printf("%s\n", rename_entry(&(struct entry){"old", {0}}, "new")->key);
    int sum = 0;
    for (int i = 0; i < 3; i++) {
        int *p = (int[2]){i, i * i};
        p[0] += 10;
        sum += p[0] * p[1];
    }
    printf("%d\n", sum);
    char text[] = {"word"}, padded[8] = "ab";
    printf("%zu %zu %d\n", sizeof text, sizeof padded, padded[7]);
    return sum + n;
}
