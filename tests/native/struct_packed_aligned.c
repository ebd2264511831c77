// Packed and aligned attributes: sizes, offsets, and access to misaligned members.
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

struct __attribute__((packed)) wire {
    uint8_t type;
    uint32_t length;
    uint16_t flags;
    uint64_t stamp;
    double level;
};
struct loose {
    uint8_t type;
    uint32_t length;
    uint16_t flags;
    uint64_t stamp;
};
struct mixed {
    char a;
    int b __attribute__((packed));
    short c __attribute__((aligned(8)));
};
struct __attribute__((aligned(32))) wide {
    int v;
};
static _Alignas(64) char buffer[3];

int main(void) {
    printf("%zu %zu %zu %zu\n", sizeof(struct wire), sizeof(struct loose), sizeof(struct mixed), sizeof(struct wide));
    printf("%zu %zu %zu %zu\n", offsetof(struct wire, length), offsetof(struct wire, flags), offsetof(struct wire, stamp), offsetof(struct wire, level));
    printf("%zu %zu\n", offsetof(struct mixed, b), offsetof(struct mixed, c));
    struct wire w[2] = {{1, 2, 3, 4, 5.5}, {.stamp = 0x1122334455667788ULL, .length = 0xdeadbeef}};
    w[1].length += w[0].length;
    w[1].stamp ^= w[0].stamp;
    w[0].flags--;
    w[1].level = w[0].level * 2;
    unsigned char raw[sizeof w];
    memcpy(raw, w, sizeof w);
    unsigned sum = 0;
    for (size_t i = 0; i < sizeof raw; i++) {
        printf("%02x", raw[i]);
        sum = sum * 7 + raw[i];
    }
    puts("");
    struct wide many[2];
    printf("%d %d\n", (int)((uintptr_t)&many[1] % 32), (int)((uintptr_t)buffer % 64));
    many[0].v = 1;
    many[1] = many[0];
    struct mixed m = {'q', 1 << 20, -7};
    struct mixed n = m;
    n.b += n.c;
    printf("%c %d %d\n", n.a, n.b, m.b + many[1].v);
    printf("%zu\n", _Alignof(struct wide) + _Alignof(struct wire));
    return (int)(sum % 125);
}
