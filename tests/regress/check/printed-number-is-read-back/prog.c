/* A number through a text and back. */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_assume(int);

int main(void) {
    char text[8];
    int number = __VERIFIER_nondet_int();
    __VERIFIER_assume(number > -1000 && number < 1000);
    int length = snprintf(text, sizeof text, "<%d>", number);
    assert(length >= 3 && length <= 6);
    assert(atoi(text + 1) == number);
    return 0;
}
