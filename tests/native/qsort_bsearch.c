// qsort and bsearch over integers, structures and string pointers with several orders.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct person {
    const char *name;
    int age;
    double score;
};

static int by_int(const void *a, const void *b) {
    int x = *(const int *)a, y = *(const int *)b;
    return (x > y) - (x < y);
}
static int by_int_down(const void *a, const void *b) { return by_int(b, a); }
static int by_name(const void *a, const void *b) {
    return strcmp(((const struct person *)a)->name, ((const struct person *)b)->name);
}
static int by_score(const void *a, const void *b) {
    double x = ((const struct person *)a)->score, y = ((const struct person *)b)->score;
    return x < y ? -1 : x > y;
}
static int by_text(const void *a, const void *b) { return strcmp(*(char *const *)a, *(char *const *)b); }
static int key_to_person(const void *key, const void *element) {
    return strcmp(key, ((const struct person *)element)->name);
}

int main(void) {
    int v[20];
    for (int i = 0; i < 20; i++)
        v[i] = i * 13 % 20 - 7;
    qsort(v, 20, sizeof *v, by_int);
    for (int i = 0; i < 20; i++)
        printf("%d ", v[i]);
    puts("");
    int hits = 0;
    for (int k = -10; k < 15; k++) {
        int *p = bsearch(&k, v, 20, sizeof *v, by_int);
        if (p)
            hits += (int)(p - v) + 1;
    }
    printf("%d\n", hits);
    qsort(v + 5, 10, sizeof *v, by_int_down);
    printf("%d %d %d %d\n", v[4], v[5], v[14], v[15]);
    struct person ps[] = {{"mia", 30, 7.5}, {"bob", 25, 9.25}, {"zoe", 41, -1}, {"al", 19, 8}};
    qsort(ps, 4, sizeof *ps, by_score);
    for (int i = 0; i < 4; i++)
        printf("%s/%d/%.2f ", ps[i].name, ps[i].age, ps[i].score);
    puts("");
    qsort(ps, 4, sizeof *ps, by_name);
    struct person *z = bsearch("zoe", ps, 4, sizeof *ps, key_to_person);
    printf("%d %d\n", z->age, bsearch("ann", ps, 4, sizeof *ps, key_to_person) == NULL);
    const char *words[] = {"if", "else", "for", "while", "do"};
    qsort(words, 5, sizeof *words, by_text);
    for (int i = 0; i < 5; i++)
        printf("%s ", words[i]);
    puts("");
    return hits % 126;
}
