// String literals: embedded zeros, escapes, concatenation, wide characters and sharing.
#include <stddef.h>
#include <stdio.h>
#include <string.h>

static const char raw[] = "a\0b\0c";
static const char escapes[] = "\a\b\t\n\v\f\r\\\"\'\?\x41\101\0";
static const wchar_t wide[] = L"h\u00e9\x263a!";
static const char utf8[] = u8"\u00e9\u20ac";
static const unsigned short w16[] = u"a\u00df";
static const unsigned int w32[] = U"z\U0001F600";

int main(void) {
    printf("%zu %zu\n", sizeof raw, strlen(raw));
    for (size_t i = 0; i < sizeof raw; i++)
        printf("%d ", raw[i]);
    puts("");
    int sum = 0;
    for (size_t i = 0; i < sizeof escapes; i++)
        sum += escapes[i] * (int)(i + 1);
    printf("%zu %d\n", sizeof escapes, sum);
    for (const wchar_t *w = wide; *w; w++)
        printf("%x ", (unsigned)*w);
    printf("%zu\n", sizeof wide / sizeof *wide);
    for (size_t i = 0; i < sizeof utf8; i++)
        printf("%02x ", (unsigned char)utf8[i]);
    printf("\n%x %x %x %x\n", w16[0], w16[1], w32[0], w32[1]);
    puts("con" "cat" "\x31" "2");
    printf("%s\n", "tail of a string" + 8);
    printf("%c %c\n", "index"[2], 3["index"]);
    printf("%d %d %d\n", '\0', '\177', L'\xff');
    char exact[3] = "abc";
    printf("%.3s %zu\n", exact, sizeof exact);
    printf("%.*s\n", (int)sizeof exact, exact);
    return sum % 97;
}
