// K&R style definitions, unprototyped declarations and default argument promotions.
// also: -m32
#include <stdio.h>

static int add();
static int narrow();
static double scale();

static int add(a, b)
int a, b;
{
    return a + b;
}

static int narrow(c, s, f)
char c;
short s;
float f;
{
    return c * 100 + s * 10 + (int)(f * 4);
}

static double scale(d, by)
double d;
int by;
{
    return d * by;
}

static char *pick(table, index)
char **table;
unsigned index;
{
    return table[index & 3];
}

static int apply(f, x)
int (*f)();
int x;
{
    return f(x, x + 1);
}

static int untyped() { return 12; }

int main() {
    static char *words[] = {"north", "east", "south", "west"};
    char c = 3;
    short s = -2;
    float f = 0.75f;
    printf("%d\n", add(2, 3));
    printf("%d\n", narrow(c, s, f));
    printf("%.2f\n", scale(1.25, 6));
    printf("%s %s\n", pick(words, 1u), pick(words, 6u));
    printf("%d\n", apply(add, 20));
    register int r = untyped();
    auto int q = r * 2;
    return q + add(c, s);
}
