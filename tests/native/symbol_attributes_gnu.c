// Weak definitions, aliases, sections, used and hidden symbols, and assembler names.
#include <stdio.h>

int base_value = 17;
extern int other_name __attribute__((alias("base_value")));

int twice(int x) { return 2 * x; }
int doubled(int x) __attribute__((alias("twice")));

__attribute__((weak)) int maybe(int x) { return x + 100; }
extern int never_defined(void) __attribute__((weak));

static int placed __attribute__((section("tbdata"))) = 5;
__attribute__((visibility("hidden"))) int concealed(int x) { return x - placed; }
static __attribute__((used)) const char marker[] = "marker";
int renamed(void) __asm__("renamed_in_assembler");
int renamed(void) { return 8; }
__attribute__((cold, noinline)) static int rare(int x) { return ~x; }
static int (*volatile indirect)(int) = doubled;

int main(void) {
    other_name += 3;
    printf("%d %d\n", base_value, &other_name == &base_value);
    printf("%d %d\n", doubled(21), doubled == twice);
    printf("%d %d\n", maybe(1), never_defined != NULL);
    placed *= 4;
    printf("%d %d\n", concealed(50), placed);
    printf("%s %d %d\n", marker, renamed(), rare(5));
    indirect = maybe;
    printf("%d\n", indirect(2));
    return base_value + concealed(25);
}
