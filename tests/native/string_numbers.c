// strtol, strtoul, atoi and hand-written conversions in several bases.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char *to_base(char *end, unsigned v, unsigned base) {
    *--end = '\0';
    do
        *--end = "0123456789abcdefghijklmnopqrstuvwxyz"[v % base];
    while (v /= base);
    return end;
}

int main(void) {
    printf("%d %d %d %d\n", atoi("42"), atoi("  -17abc"), atoi("+8"), atoi("x"));
    char *end;
    long v = strtol("  123xyz", &end, 10);
    printf("%ld %s\n", v, end);
    printf("%ld %ld %ld\n", strtol("0x1F", NULL, 16), strtol("0x1F", NULL, 0), strtol("077", NULL, 0));
    printf("%ld %ld\n", strtol("-1010", NULL, 2), strtol("zz", NULL, 36));
    const char *none = "none";
    v = strtol(none, &end, 10);
    printf("%ld %d\n", v, end == none);
    printf("%lu\n", strtoul("4294967295", NULL, 10));
    const char *list = "3,14,-159,2653";
    long sum = 0;
    for (const char *p = list; *p;) {
        sum += strtol(p, &end, 10);
        p = *end == ',' ? end + 1 : end;
    }
    printf("%ld\n", sum);
    char buf[40];
    for (unsigned base = 2; base <= 36; base += 7) {
        char *s = to_base(buf + sizeof buf, 987654321u, base);
        printf("%u %s %d\n", base, s, strtol(s, NULL, (int)base) == 987654321);
    }
    return (int)(sum % 125);
}
