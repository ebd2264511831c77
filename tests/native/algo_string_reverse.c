// Reversal of strings and of words in place, palindromes, anagrams and run-length coding.
#include <stdio.h>
#include <string.h>

static void reverse(char *from, char *to) {
    while (from < --to) {
        char t = *from;
        *from++ = *to;
        *to = t;
    }
}

static void reverse_words(char *s) {
    reverse(s, s + strlen(s));
    for (char *p = s; *p;) {
        char *q = p;
        while (*q && *q != ' ')
            q++;
        reverse(p, q);
        p = *q ? q + 1 : q;
    }
}

static int palindrome(const char *s) {
    const char *e = s + strlen(s);
    while (s < e)
        if (*s++ != *--e)
            return 0;
    return 1;
}

static int anagrams(const char *a, const char *b) {
    int n[256] = {0};
    while (*a)
        n[(unsigned char)*a++]++;
    while (*b)
        n[(unsigned char)*b++]--;
    for (int i = 0; i < 256; i++)
        if (n[i])
            return 0;
    return 1;
}

static void run_lengths(const char *s, char *out) {
    while (*s) {
        int n = 1;
        while (s[n] == *s)
            n++;
        out += sprintf(out, "%d%c", n, *s);
        s += n;
    }
    *out = 0;
}

int main(void) {
    char s[] = "one two  three four";
    reverse_words(s);
    printf("[%s]\n", s);
    reverse(s, s + strlen(s));
    printf("[%s]\n", s);
    printf("%d%d%d%d\n", palindrome(""), palindrome("racecar"), palindrome("ab"), palindrome("abba"));
    printf("%d%d\n", anagrams("listen", "silent"), anagrams("aab", "abb"));
    char look[64] = "1", next[128];
    for (int i = 0; i < 8; i++) {
        run_lengths(look, next);
        strcpy(look, next);
        puts(look);
    }
    return (int)strlen(look);
}
