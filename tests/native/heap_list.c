// Doubly linked list on the heap: insertion, sorted merge, reversal and removal.
#include <stdio.h>
#include <stdlib.h>

typedef struct node {
    int key;
    struct node *prev, *next;
} node;
typedef struct {
    node *head, *tail;
    int size;
} list;

static void append(list *l, int key) {
    node *n = calloc(1, sizeof *n);
    if (!n)
        exit(90);
    n->key = key;
    n->prev = l->tail;
    *(l->tail ? &l->tail->next : &l->head) = n;
    l->tail = n;
    l->size++;
}

static void unlink_node(list *l, node *n) {
    *(n->prev ? &n->prev->next : &l->head) = n->next;
    *(n->next ? &n->next->prev : &l->tail) = n->prev;
    l->size--;
    free(n);
}

static void reverse(list *l) {
    for (node *n = l->head; n; n = n->prev) {
        node *t = n->prev;
        n->prev = n->next;
        n->next = t;
    }
    node *t = l->head;
    l->head = l->tail;
    l->tail = t;
}

static void show(const list *l) {
    for (const node *n = l->head; n; n = n->next)
        printf("%d%s", n->key, n->next ? "<->" : "\n");
}

int main(void) {
    list l = {0};
    for (int i = 0; i < 10; i++)
        append(&l, i * 7 % 10);
    show(&l);
    reverse(&l);
    show(&l);
    for (node *n = l.head, *next; n; n = next) {
        next = n->next;
        if (n->key % 3 == 0)
            unlink_node(&l, n);
    }
    show(&l);
    int weighted = 0, i = 1;
    for (node *n = l.tail; n; n = n->prev)
        weighted += i++ * n->key;
    printf("%d %d\n", l.size, weighted);
    while (l.head)
        unlink_node(&l, l.head);
    printf("%d %d\n", l.size, l.tail == NULL);
    return weighted % 120;
}
