// Classification and conversion functions of ctype.h over the ASCII range.
#include <ctype.h>
#include <stdio.h>

static void capitalise(char *s) {
    int start = 1;
    for (; *s; s++) {
        *s = (char)(start ? toupper((unsigned char)*s) : tolower((unsigned char)*s));
        start = !isalnum((unsigned char)*s);
    }
}

static void rot13(char *s) {
    for (; *s; s++)
        if (isupper((unsigned char)*s))
            *s = (char)('A' + (*s - 'A' + 13) % 26);
        else if (islower((unsigned char)*s))
            *s = (char)('a' + (*s - 'a' + 13) % 26);
}

int main(void) {
    int c[9] = {0}, h = 0;
    for (int i = 0; i < 128; i++) {
        int bits = !!isalpha(i) | !!isdigit(i) << 1 | !!isspace(i) << 2 | !!isupper(i) << 3 | !!ispunct(i) << 4 |
                   !!isxdigit(i) << 5 | !!isprint(i) << 6 | !!iscntrl(i) << 7 | !!islower(i) << 8;
        for (int k = 0; k < 9; k++)
            c[k] += bits >> k & 1;
        h = (h * 131 + bits + toupper(i) * 2 + tolower(i)) % 99991;
    }
    for (int k = 0; k < 9; k++)
        printf("%d ", c[k]);
    printf("\n%d\n", h);
    char s[] = "the qUICK brown-fox 9lives";
    capitalise(s);
    puts(s);
    rot13(s);
    puts(s);
    rot13(s);
    puts(s);
    return h % 91;
}
