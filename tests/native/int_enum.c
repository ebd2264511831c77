// Enumerations: implicit and explicit values, negative values, use as indexes and in switches.
// also: -m32
#include <stdio.h>

enum color { RED, GREEN = 5, BLUE, ALPHA = BLUE * 2 };
enum level { LOW = -3, MID, HIGH = 3 };
typedef enum { OP_ADD = 'a', OP_SUB = 's', OP_MUL = 'm' } op;

static const char *const names[] = {[RED] = "red", [GREEN] = "green", [BLUE] = "blue"};

static int apply(op o, int x, int y) {
    switch (o) {
    case OP_ADD:
        return x + y;
    case OP_SUB:
        return x - y;
    case OP_MUL:
        return x * y;
    }
    return -1;
}

static enum level step(enum level l) { return l < HIGH ? (enum level)(l + 1) : LOW; }

int main(void) {
    printf("%d %d %d %d\n", RED, GREEN, BLUE, ALPHA);
    printf("%s %s %s\n", names[RED], names[GREEN], names[BLUE]);
    printf("%d\n", (int)(sizeof names / sizeof names[0]));
    enum level l = LOW;
    int sum = 0;
    for (int i = 0; i < 20; i++) {
        sum += l;
        l = step(l);
    }
    printf("%d %d\n", sum, l);
    const char *program = "aams";
    int acc = 3;
    for (const char *p = program; *p; p++)
        acc = apply((op)*p, acc, 4);
    printf("%d %d\n", acc, apply((op)'x', 1, 2));
    enum { INNER = 40 } in = INNER;
    in += 2;
    printf("%d\n", in);
    return acc + (int)in;
}
