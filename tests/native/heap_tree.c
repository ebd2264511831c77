// Binary search tree: insertion, lookup, height, in-order walk, deletion and release.
#include <stdio.h>
#include <stdlib.h>

struct tree {
    int key, count;
    struct tree *child[2];
};

static struct tree *insert(struct tree *t, int key) {
    if (!t) {
        t = malloc(sizeof *t);
        if (!t)
            exit(91);
        *t = (struct tree){.key = key, .count = 1};
    } else if (key == t->key) {
        t->count++;
    } else {
        struct tree **c = &t->child[key > t->key];
        *c = insert(*c, key);
    }
    return t;
}

static struct tree *erase(struct tree *t, int key) {
    if (!t)
        return NULL;
    if (key != t->key) {
        int side = key > t->key;
        t->child[side] = erase(t->child[side], key);
        return t;
    }
    if (t->child[0] && t->child[1]) {
        struct tree *m = t->child[1];
        while (m->child[0])
            m = m->child[0];
        t->key = m->key;
        t->count = m->count;
        t->child[1] = erase(t->child[1], m->key);
        return t;
    }
    struct tree *rest = t->child[0] ? t->child[0] : t->child[1];
    free(t);
    return rest;
}

static int height(const struct tree *t) {
    if (!t)
        return 0;
    int l = height(t->child[0]), r = height(t->child[1]);
    return 1 + (l > r ? l : r);
}

static int walk(const struct tree *t, int seen) {
    if (!t)
        return seen;
    seen = walk(t->child[0], seen);
    printf("%d*%d ", t->key, t->count);
    return walk(t->child[1], seen + t->count);
}

static void release(struct tree *t) {
    if (t) {
        release(t->child[0]);
        release(t->child[1]);
        free(t);
    }
}

int main(void) {
    struct tree *root = NULL;
    unsigned x = 7;
    for (int i = 0; i < 40; i++) {
        x = x * 69069 + 1;
        root = insert(root, (int)(x >> 24) % 30);
    }
    int n = walk(root, 0), h = height(root);
    printf("\n%d %d\n", n, h);
    for (int k = 0; k < 30; k += 2)
        root = erase(root, k);
    int m = walk(root, 0);
    printf("\n%d %d\n", m, height(root));
    release(root);
    return m + h;
}
