// GNU labels as values: a threaded-code interpreter with a table of label differences too.
#include <stdio.h>

enum { PUSH, ADD, MUL, DUP, SWAP, JNZ, DEC, HALT };

static long run(const signed char *code, int *steps) {
    static const void *const labels[] = {&&push, &&add, &&mul, &&dup, &&swap, &&jnz, &&dec, &&halt};
    long stack[16], *sp = stack;
    const signed char *pc = code;
#define NEXT                                                                                                           \
    do {                                                                                                               \
        ++*steps;                                                                                                      \
        goto *labels[*pc++];                                                                                           \
    } while (0)
    NEXT;
push:
    *sp++ = *pc++;
    NEXT;
add:
    sp--;
    sp[-1] += *sp;
    NEXT;
mul:
    sp--;
    sp[-1] *= *sp;
    NEXT;
dup:
    *sp = sp[-1];
    sp++;
    NEXT;
swap: {
    long t = sp[-1];
    sp[-1] = sp[-2];
    sp[-2] = t;
    NEXT;
}
dec:
    sp[-1]--;
    NEXT;
jnz:
    pc += sp[-1] ? *pc : 1;
    NEXT;
halt:
    return sp[-2];
}

static int small(int n) {
    static const int offsets[] = {&&zero - &&zero, &&one - &&zero, &&two - &&zero};
    goto *(&&zero + offsets[n % 3]);
zero:
    return 5;
one:
    return 6;
two:
    return 7;
}

int main(void) {
    /* Doubles 3 ten times: the counter is on top. */
    static const signed char code[] = {PUSH, 3, PUSH, 10, SWAP, PUSH, 2, MUL, SWAP, DEC, JNZ, -7, HALT};
    int steps = 0;
    long r = run(code, &steps);
    printf("%ld %d\n", r, steps);
    for (int i = 0; i < 5; i++)
        printf("%d ", small(i));
    puts("");
    return steps;
}
