// Plain, signed and unsigned char: conversions, comparisons, storage of high values.
#include <stdio.h>
#include <string.h>

int main(void) {
    char buf[6] = {(char)0xff, (char)0x80, 0x7f, 'z', '\x01', '\377'};
    int sum = 0;
    for (int i = 0; i < 6; i++) {
        signed char s = (signed char)buf[i];
        unsigned char u = (unsigned char)buf[i];
        printf("%d %d %d %x\n", buf[i], s, u, (unsigned)u);
        sum += u - s;
    }
    printf("%d\n", sum);
    printf("%d %d\n", buf[0] == buf[5], (unsigned char)buf[0] == 0xff);
    unsigned char bytes[4];
    int v = -123456789;
    memcpy(bytes, &v, sizeof v);
    for (int i = 3; i >= 0; i--)
        printf("%02x", bytes[i]);
    puts("");
    char c = 'a';
    while (c <= 'e')
        putchar(c++);
    putchar('\n');
    int hist[26] = {0};
    for (const char *p = "the quick brown fox jumps over the lazy dog"; *p; ++p)
        if (*p >= 'a' && *p <= 'z')
            hist[*p - 'a']++;
    for (int i = 0; i < 26; i++)
        printf("%c%d", 'a' + i, hist[i]);
    printf("\n%c%c%c\n", 65, 0x42, '\103');
    return sum / 32;
}
