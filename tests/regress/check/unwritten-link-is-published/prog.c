#include <pthread.h>
#include <stdlib.h>

struct node {
    int value;
    struct node *next;
};

struct node *head;

static void *push(void *arg) {
    struct node *n = malloc(sizeof *n);
    n->value = 1;
    head = n;
    n->next = 0;
    return arg;
}

int main(void) {
    pthread_t t;
    struct node *n;
    int sum = 0;

    pthread_create(&t, 0, push, 0);
    for (n = head; n; n = n->next)
        sum += n->value;
    pthread_join(t, 0);
    return sum;
}
