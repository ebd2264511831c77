// Implicit conversions in calls, returns, assignments and conditional expressions.
#include <stdio.h>

static int take_int(int v) { return v; }
static unsigned char take_byte(unsigned char v) { return v; }
static short take_short(short v) { return v; }
static long take_long(long v) { return v; }
static double take_double(double v) { return v; }
static float take_float(float v) { return v; }
static unsigned take_unsigned(unsigned v) { return v; }
static signed char give_char(int v) { return v; }
static int give_int(double v) { return v; }
static _Bool give_bool(const char *s) { return *s; }
static unsigned long long give_wide(int v) { return v; }

int main(void) {
    int big = 70000, negative = -1;
    double real = 9.99;
    long wide = 0x123456789aL;
    printf("%d %d %d\n", take_byte(big), take_short(big), take_int(real));
    printf("%d %u %ld\n", take_int(wide), take_unsigned(negative), take_long(negative));
    printf("%ld %.3f %.6f\n", take_long(real), take_double(big), take_float(real));
    printf("%d %d %d\n", give_char(200), give_int(-7.9), give_bool("x"));
    printf("%llu\n", give_wide(-2));
    unsigned char arr[4] = {0};
    arr[0] = big;
    arr[1] = negative;
    arr[2] = real;
    arr[3] = 'a' + 200 * (big > 0);
    printf("%d %d %d %d\n", arr[0], arr[1], arr[2], arr[3]);
    float f = wide;
    printf("%.1f\n", f);
    long mixed = negative + 1u;
    printf("%ld\n", mixed);
    mixed = negative + 1L;
    printf("%ld\n", mixed);
    double d = 1 / 2 + 1 / 2.0;
    printf("%.2f\n", d);
    int cond = big ? 3.7 : 2;
    printf("%d\n", cond);
    unsigned char x = 255;
    x = x + 1;
    signed char y = 127;
    y = y + 1;
    printf("%d %d\n", x, y);
    return take_byte(arr[3] * 3) % 126;
}
