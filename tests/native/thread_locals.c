// Thread-local variables used from one thread: __thread and _Thread_local, arrays and pointers.
#include <stdio.h>

static __thread int counter = 10;
_Thread_local long total;
static _Thread_local struct {
    int id;
    double weight;
} state = {3, 0.5};
static __thread char buffer[16] = "tls";
static __thread int *where;
extern _Thread_local short outside;

static int next(void) {
    static _Thread_local int calls = 1;
    return calls *= 2;
}

static char *label(int n) {
    snprintf(buffer, sizeof buffer, "label-%d", n);
    return buffer;
}

int main(void) {
    printf("%d %ld %d %.1f %s\n", counter, total, state.id, state.weight, buffer);
    where = &counter;
    *where += 5;
    counter++;
    total = counter * 1000000000L;
    state.weight *= state.id;
    outside--;
    for (int i = 0; i < 4; i++)
        printf("%d ", next());
    printf("\n%d %ld %.1f %d\n", counter, total, state.weight, outside);
    puts(label(7));
    char *p = label(8);
    printf("%s %d\n", p, p == buffer);
    printf("%d\n", where == &counter);
    return counter + next();
}

_Thread_local short outside = -4;
