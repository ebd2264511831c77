// A report over records: parsing, grouping, sorting and aligned columns.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct sale {
    char item[12];
    int count;
    double price;
};

static const char input[] = "apple:3:0.50\npear:10:0.25\nmelon:1:2.75\napple:7:0.45\nfig:120:0.05\npear:2:0.30\n";

static int parse(const char *text, struct sale *out, int limit) {
    int n = 0;
    while (*text && n < limit) {
        const char *colon = strchr(text, ':');
        size_t len = (size_t)(colon - text);
        memcpy(out[n].item, text, len);
        out[n].item[len] = '\0';
        char *end;
        out[n].count = (int)strtol(colon + 1, &end, 10);
        long whole = strtol(end + 1, &end, 10), cents = strtol(end + 1, &end, 10);
        out[n++].price = (double)whole + (double)cents / 100;
        text = end + (*end == '\n');
    }
    return n;
}

static int merge(struct sale *s, int n) {
    int kept = 0;
    for (int i = 0; i < n; i++) {
        int j = 0;
        while (j < kept && strcmp(s[j].item, s[i].item) != 0)
            j++;
        if (j == kept) {
            s[kept++] = s[i];
            continue;
        }
        double value = s[j].count * s[j].price + s[i].count * s[i].price;
        s[j].count += s[i].count;
        s[j].price = value / s[j].count;
    }
    return kept;
}

static int by_value(const void *a, const void *b) {
    const struct sale *x = a, *y = b;
    double d = y->count * y->price - x->count * x->price;
    return d < 0 ? -1 : d > 0;
}

int main(void) {
    struct sale s[10];
    int n = parse(input, s, 10), k = merge(s, n);
    qsort(s, (size_t)k, sizeof *s, by_value);
    printf("%-8s|%6s|%8s|%9s\n", "item", "count", "price", "value");
    puts("--------+------+--------+---------");
    double total = 0;
    for (int i = 0; i < k; i++) {
        double value = s[i].count * s[i].price;
        printf("%-8.8s|%6d|%8.3f|%+9.2f\n", s[i].item, s[i].count, s[i].price, value);
        total += value;
    }
    printf("%-8s|%06d|%8s|%9.2f\n", "total", n, "", total);
    return (int)(total * 4);
}
