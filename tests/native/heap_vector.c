// Growing vector with realloc, insertion and removal in the middle, generic over element size.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct vector {
    unsigned char *data;
    size_t size, capacity, width;
    int grown;
};

static void *slot(struct vector *v, size_t i) { return v->data + i * v->width; }

static void insert(struct vector *v, size_t at, const void *element) {
    if (v->size == v->capacity) {
        v->capacity = v->capacity ? v->capacity + v->capacity / 2 + 1 : 1;
        v->data = realloc(v->data, v->capacity * v->width);
        if (!v->data)
            exit(94);
        v->grown++;
    }
    memmove(slot(v, at + 1), slot(v, at), (v->size - at) * v->width);
    memcpy(slot(v, at), element, v->width);
    v->size++;
}

static void erase(struct vector *v, size_t at) {
    v->size--;
    memmove(slot(v, at), slot(v, at + 1), (v->size - at) * v->width);
}

struct triple {
    short a, b, c;
};

int main(void) {
    struct vector v = {.width = sizeof(int)};
    for (int i = 0; i < 50; i++)
        insert(&v, v.size / 2, &i);
    for (size_t i = 0; i < v.size; i += 3)
        erase(&v, i);
    int h = 0;
    for (size_t i = 0; i < v.size; i++)
        h = (h * 7 + *(int *)slot(&v, i)) % 10007;
    printf("%zu %d %d\n", v.size, v.grown, h);
    free(v.data);
    struct vector w = {.width = sizeof(struct triple)};
    for (short i = 0; i < 9; i++)
        insert(&w, 0, &(struct triple){i, (short)(i * i), (short)-i});
    struct triple *t = slot(&w, 2);
    printf("%d %d %d\n", t->a, t->b, t->c);
    free(w.data);
    char *shrink = malloc(100);
    if (!shrink)
        return 95;
    strcpy(shrink, "shrunk");
    shrink = realloc(shrink, 7);
    printf("%s\n", shrink);
    free(shrink);
    free(NULL);
    return h % 126;
}
