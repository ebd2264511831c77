// strchr, strrchr, strstr, memchr and a tokenizer built on them.
#include <stdio.h>
#include <string.h>

static int where(const char *base, const char *hit) { return hit ? (int)(hit - base) : -1; }

static int count(const char *text, const char *word) {
    int n = 0;
    for (const char *p = text; (p = strstr(p, word)) != NULL; p++)
        n++;
    return n;
}

static int split(char *text, char separator, char **parts, int limit) {
    int n = 0;
    while (n < limit) {
        parts[n++] = text;
        char *next = strchr(text, separator);
        if (!next)
            break;
        *next = '\0';
        text = next + 1;
    }
    return n;
}

int main(void) {
    const char *s = "the cat sat on the mat";
    printf("%d %d %d\n", where(s, strchr(s, 'a')), where(s, strrchr(s, 'a')), where(s, strchr(s, 'z')));
    printf("%d %d\n", where(s, strchr(s, '\0')), where(s, strrchr(s, 't')));
    printf("%d %d %d\n", where(s, strstr(s, "sat")), where(s, strstr(s, "")), where(s, strstr(s, "dog")));
    printf("%d %d %d\n", count(s, "at"), count(s, "the"), count("aaaaa", "aa"));
    const char bytes[] = "ab\0cd\0e";
    printf("%d %d %d\n", where(bytes, memchr(bytes, 'e', sizeof bytes)), where(bytes, memchr(bytes, 0, sizeof bytes)), where(bytes, memchr(bytes, 'e', 4)));
    char line[] = "root:x:0::/root";
    char *parts[8];
    int n = split(line, ':', parts, 8);
    for (int i = 0; i < n; i++)
        printf("%d=%s ", i, *parts[i] ? parts[i] : "(empty)");
    puts("");
    return where(s, strstr(s, "mat")) * n;
}
