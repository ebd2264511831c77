// Chained hash table with string keys, growth by rehashing, removal.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct item {
    struct item *next;
    unsigned hash;
    int value;
    char key[8];
};
struct table {
    struct item **buckets;
    size_t capacity, used;
};

static unsigned hash_of(const char *s) {
    unsigned h = 0;
    while (*s)
        h = h * 131 + (unsigned char)*s++;
    return h;
}

static void grow(struct table *t) {
    size_t n = t->capacity ? t->capacity * 2 : 4;
    struct item **fresh = calloc(n, sizeof *fresh);
    if (!fresh)
        exit(92);
    for (size_t i = 0; i < t->capacity; i++)
        for (struct item *it = t->buckets[i], *next; it; it = next) {
            next = it->next;
            it->next = fresh[it->hash % n];
            fresh[it->hash % n] = it;
        }
    free(t->buckets);
    t->buckets = fresh;
    t->capacity = n;
}

static int *at(struct table *t, const char *key) {
    if (t->used * 4 >= t->capacity * 3)
        grow(t);
    unsigned h = hash_of(key);
    struct item **link = &t->buckets[h % t->capacity];
    for (struct item *it = *link; it; it = it->next)
        if (it->hash == h && strcmp(it->key, key) == 0)
            return &it->value;
    struct item *it = malloc(sizeof *it);
    if (!it)
        exit(93);
    it->next = *link;
    it->hash = h;
    it->value = 0;
    strcpy(it->key, key);
    *link = it;
    t->used++;
    return &it->value;
}

int main(void) {
    struct table t = {0};
    char key[8];
    for (int i = 0; i < 200; i++) {
        snprintf(key, sizeof key, "k%d", i * i % 61);
        *at(&t, key) += i;
    }
    printf("%zu %zu\n", t.used, t.capacity);
    int sum = 0;
    for (int i = 0; i < 61; i++) {
        snprintf(key, sizeof key, "k%d", i);
        int v = *at(&t, key);
        if (v && i < 10)
            printf("%s=%d ", key, v);
        sum += v * (i % 5);
    }
    printf("\n%zu %d\n", t.used, sum);
    for (size_t i = 0; i < t.capacity; i++)
        while (t.buckets[i]) {
            struct item *it = t.buckets[i];
            t.buckets[i] = it->next;
            free(it);
        }
    free(t.buckets);
    return sum % 107;
}
