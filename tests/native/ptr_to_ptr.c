// Pointers to pointers: list removal through links, out parameters, arrays of rows.
#include <stdio.h>
#include <stdlib.h>

struct node {
    int v;
    struct node *next;
};

static void push(struct node **head, int v) {
    struct node *n = malloc(sizeof *n);
    if (!n)
        exit(120);
    n->v = v;
    n->next = *head;
    *head = n;
}

static int remove_if_multiple(struct node **link, int of) {
    int removed = 0;
    while (*link) {
        struct node *n = *link;
        if (n->v % of == 0) {
            *link = n->next;
            free(n);
            removed++;
        } else {
            link = &n->next;
        }
    }
    return removed;
}

static void pick(int *a, int *b, int **larger, int ***again) {
    static int *kept;
    *larger = *a > *b ? a : b;
    kept = *larger;
    *again = &kept;
}

int main(void) {
    struct node *list = 0;
    for (int i = 1; i <= 12; i++)
        push(&list, i);
    int r = remove_if_multiple(&list, 3) * 10 + remove_if_multiple(&list, 4);
    int sum = 0;
    while (list) {
        struct node *n = list;
        printf("%d ", n->v);
        sum += n->v;
        list = n->next;
        free(n);
    }
    printf("\n%d %d\n", r, sum);
    int x = 3, y = 8, *big, **again;
    pick(&x, &y, &big, &again);
    **again += 100;
    printf("%d %d %d\n", x, y, *big);
    int **rows = malloc(4 * sizeof *rows);
    for (int i = 0; rows && i < 4; i++) {
        rows[i] = calloc((size_t)i + 1, sizeof **rows);
        for (int j = 0; j <= i; j++)
            rows[i][j] = i * j;
    }
    int *t = rows[1];
    rows[1] = rows[3];
    rows[3] = t;
    printf("%d %d\n", rows[1][3], rows[3][1]);
    for (int i = 0; i < 4; i++)
        free(rows[i]);
    free(rows);
    return sum;
}
