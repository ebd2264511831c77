// Static locals, shadowed names, file-scope statics, tentative definitions and initial values.
// also: -m32
#include <stdio.h>

static int shared;
static int shared;
int tentative;
extern int later;
static const int primes[] = {2, 3, 5, 7, 11};
static const int *current = primes;

static int counter(void) {
    static int n = 100;
    static int calls;
    calls++;
    return n += calls;
}

static int other_counter(void) {
    static int n;
    return ++n;
}

static int *leak_static(void) {
    static int hidden[2] = {7, 8};
    return hidden;
}

static int depth(int n) {
    static int most;
    if (n > most)
        most = n;
    if (n < 6)
        depth(n + 1);
    return most;
}

static const int *advance(void) {
    if (current == primes + 5)
        current = primes;
    return current++;
}

int main(void) {
    for (int i = 0; i < 4; i++)
        printf("%d %d ", counter(), other_counter());
    puts("");
    leak_static()[1] += 5;
    printf("%d %d\n", leak_static()[0], leak_static()[1]);
    printf("%d\n", depth(0));
    int x = 1;
    {
        int x = 2;
        {
            extern int later;
            int y = x + later;
            static int x = 50;
            x += y;
            printf("%d\n", x);
        }
        x++;
        tentative += x;
    }
    for (int x = 10; x < 12; x++)
        shared += x;
    printf("%d %d %d\n", x, tentative, shared);
    int sum = 0;
    for (int i = 0; i < 13; i++)
        sum = sum * 2 + *advance();
    printf("%d %d\n", sum, counter());
    return sum % 100;
}

int later = 31;
