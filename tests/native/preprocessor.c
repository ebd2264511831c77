// Macros with arguments, stringizing, pasting, variadic macros, X-macros and predefined names.
// also: -m32
#include <stdio.h>
#include <string.h>

#define STR(x) #x
#define XSTR(x) STR(x)
#define CAT(a, b) a##b
#define SQUARE(x) ((x) * (x))
#define COUNT(...) (sizeof((int[]){__VA_ARGS__}) / sizeof(int))
#define LOG(fmt, ...) printf("%s: " fmt "\n", __func__, __VA_ARGS__)
#define LIST(X) X(alpha, 1) X(beta, 20) X(gamma, 300)
#define VERSION 7

#define AS_ENUM(name, value) name = value,
enum greek { LIST(AS_ENUM) };
#define AS_CASE(name, value) \
    case name:               \
        return #name;
static const char *name_of(int g) {
    switch (g) { LIST(AS_CASE) }
    return "?";
}
#define AS_SUM(name, value) +value

static int CAT(make, _number)(int CAT(v, 1)) { return SQUARE(v1 + 1); }

static const char *function_name(void) { return __func__; }

#if VERSION > 5 && defined(STR) && !defined(NOTHING)
#define CHOICE 11
#elif VERSION
#define CHOICE 22
#else
#error "never"
#endif

int main(void) {
    puts(STR(a + "b" \n));
    puts(XSTR(VERSION) "." STR(VERSION));
    printf("%d %d\n", make_number(4), SQUARE(1 + 2));
    printf("%d %d\n", (int)COUNT(1, 2, 3, 4), (int)COUNT(9));
    LOG("%d %s", 5, "args");
    printf("%s %s %s\n", name_of(1), name_of(300), name_of(2));
    int sum = 0 LIST(AS_SUM);
    printf("%d %d\n", sum, CHOICE);
    printf("%s %d\n", function_name(), (int)strlen(function_name()));
    int line = __LINE__;
    printf("%d\n", __LINE__ - line);
#undef CHOICE
#define CHOICE (line - line + 3)
    return sum % 100 + CHOICE;
}
