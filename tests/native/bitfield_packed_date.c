// Bit-fields in a packed record, passed by value, compared and sorted.
#include <stdio.h>
#include <stdlib.h>

struct __attribute__((packed)) date {
    unsigned day : 5;
    unsigned month : 4;
    int year : 15;
    unsigned char extra;
};

static struct date make(int y, int m, int d) { return (struct date){(unsigned)d, (unsigned)m, y, (unsigned char)(y % 7)}; }

static int compare(const void *a, const void *b) {
    const struct date *x = a, *y = b;
    if (x->year != y->year)
        return x->year < y->year ? -1 : 1;
    if (x->month != y->month)
        return x->month < y->month ? -1 : 1;
    return (int)x->day - (int)y->day;
}

static struct date next(struct date d) {
    static const unsigned char days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    unsigned limit = days[d.month - 1] + (d.month == 2 && d.year % 4 == 0);
    if (++d.day > limit) {
        d.day = 1;
        if (++d.month > 12) {
            d.month = 1;
            d.year++;
        }
    }
    return d;
}

int main(void) {
    struct date ds[] = {make(2024, 2, 28), make(-44, 3, 15), make(1999, 12, 31), make(1999, 1, 1), make(2024, 2, 27)};
    qsort(ds, 5, sizeof ds[0], compare);
    int h = 0;
    for (int i = 0; i < 5; i++) {
        struct date n = next(next(ds[i]));
        printf("%d-%02u-%02u -> %d-%02u-%02u %u\n", ds[i].year, ds[i].month, ds[i].day, n.year, n.month, n.day, n.extra);
        h += n.day * n.month;
    }
    printf("%zu\n", sizeof(struct date));
    return h % 100;
}
