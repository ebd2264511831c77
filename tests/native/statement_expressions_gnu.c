// GNU statement expressions, local labels, elvis operator and empty structures.
#include <stdio.h>

#define MAX(a, b)                                                                                                      \
    ({                                                                                                                 \
        __typeof__(a) a_ = (a);                                                                                        \
        __typeof__(b) b_ = (b);                                                                                        \
        a_ > b_ ? a_ : b_;                                                                                             \
    })
#define FIND(v, n, x)                                                                                                  \
    ({                                                                                                                 \
        __label__ out;                                                                                                 \
        int at = -1;                                                                                                   \
        for (int i_ = 0; i_ < (n); i_++)                                                                               \
            if ((v)[i_] == (x)) {                                                                                      \
                at = i_;                                                                                               \
                goto out;                                                                                              \
            }                                                                                                          \
    out:                                                                                                               \
        at;                                                                                                            \
    })

struct empty {};
struct holder {
    struct empty nothing;
    int something;
};

static int calls;
static int next(void) { return ++calls; }
static struct empty pass(struct empty e) { return e; }

int main(void) {
    int x = 3;
    printf("%d ", MAX(x++, 2));
    printf("%d\n", x);
    printf("%d\n", MAX(next(), next()));
    int v[] = {5, 6, 7};
    printf("%d %d\n", FIND(v, 3, 7), FIND(v, 3, 8));
    printf("%d %d\n", next() ?: 50, 0 ?: 51);
    struct holder h = {.something = 9};
    h.nothing = pass(h.nothing);
    printf("%d %d %d\n", (int)sizeof(struct empty), (int)sizeof h, h.something);
    int total = ({
        int t = 0;
        for (int i = 0; i < 10; i++) {
            if (i == 7)
                break;
            t += i;
        }
        t;
    });
    printf("%d %d\n", total, 0b1011);
    char vec[3] = {'\e' == 27, 1, 2};
    printf("%d\n", vec[0]);
    return total + calls;
}
