/* Expected values are those that a processor computes. */
#include <assert.h>
#include <stdint.h>

union number {
    long double value;
    struct {
        uint64_t significand;
        uint16_t exponent;
    } bits;
};

static long double make(uint64_t significand, uint16_t exponent) {
    union number number;
    number.bits.significand = significand;
    number.bits.exponent = exponent;
    return number.value;
}

static int is(long double value, uint64_t significand, uint16_t exponent) {
    union number number;
    number.value = value;
    return number.bits.significand == significand && number.bits.exponent == exponent;
}

#define EXPECT(a, ea, b, eb, sum, esum, rest, erest, product, eproduct, quotient, equotient, \
               less, equal)                                                                 \
    {                                                                                       \
        long double left = make(a, ea), right = make(b, eb);                                \
        assert(is(left + right, sum, esum));                                                \
        assert(is(left - right, rest, erest));                                              \
        assert(is(left * right, product, eproduct));                                        \
        assert(is(left / right, quotient, equotient));                                      \
        assert((left < right) == less && (left == right) == equal);                         \
    }

#define NARROW(a, ea, wanted, wanted_single)                   \
    {                                                          \
        union {                                                \
            double value;                                      \
            uint64_t bits;                                     \
        } wide = {make(a, ea)};                                \
        union {                                                \
            float value;                                       \
            uint32_t bits;                                     \
        } narrow = {make(a, ea)};                              \
        assert(wide.bits == wanted && narrow.bits == wanted_single); \
    }

int main(void) {
    EXPECT(0x8000000000000000, 0x0001, 0x0000000000000000, 0x8000,
        0x8000000000000000, 0x0001, 0x8000000000000000, 0x0001,
        0x0000000000000000, 0x8000, 0x8000000000000000, 0xffff, 0, 0);
    EXPECT(0xc811ce92f650c25f, 0x2662, 0xbfd37175643e90f3, 0xbffd,
        0xbfd37175643e90f3, 0xbffd, 0xbfd37175643e90f3, 0x3ffd,
        0x95ea8878839167c3, 0xa661, 0x85802f8961f35fa7, 0xa664, 0, 0);
    EXPECT(0xaab5dbd65723329d, 0x6bb2, 0xc6407dc4bf53595f, 0x3ffe,
        0xaab5dbd65723329d, 0x6bb2, 0xaab5dbd65723329d, 0x6bb2,
        0x8433a95cbc243e2d, 0x6bb2, 0xdc6f9d44aaa3a0c1, 0x6bb2, 0, 0);
    EXPECT(0x8000000000000000, 0xffff, 0xc000000000000123, 0x7fff,
        0xc000000000000123, 0x7fff, 0xc000000000000123, 0x7fff,
        0xc000000000000123, 0x7fff, 0xc000000000000123, 0x7fff, 0, 0);
    EXPECT(0x8000000000000000, 0xffff, 0x8c315bcdd203e336, 0x5efe,
        0x8000000000000000, 0xffff, 0x8000000000000000, 0xffff,
        0x8000000000000000, 0xffff, 0x8000000000000000, 0xffff, 1, 0);
    EXPECT(0xffffffffffffffff, 0x7ffe, 0xe5b4b0e5af87ab85, 0x7fcf,
        0x8000000000000000, 0x7fff, 0xfffffffffffe3496, 0x7ffe,
        0x8000000000000000, 0x7fff, 0x8ea6ead48f1037dd, 0x402e, 0, 0);
    EXPECT(0x8066773f13cdf4be, 0x0001, 0xde18bb7f7c173b86, 0x1c20,
        0xde18bb7f7c173b86, 0x1c20, 0xde18bb7f7c173b86, 0x9c20,
        0x0000000000000000, 0x0000, 0x94003163de03a66f, 0x23df, 1, 0);
    EXPECT(0xdc0dcc795d72f590, 0x3fff, 0xc000000000000000, 0xbfff,
        0xe06e63caeb97ac80, 0x3ffc, 0xce06e63caeb97ac8, 0x4000,
        0xa50a595b0616382c, 0xc000, 0x92b3dda63e4ca3b5, 0xbfff, 0, 0);
    EXPECT(0x8cba1672c288377e, 0x7fcd, 0x8000000000000000, 0xffff,
        0x8000000000000000, 0xffff, 0x8000000000000000, 0x7fff,
        0x8000000000000000, 0xffff, 0x0000000000000000, 0x8000, 0, 0);
    EXPECT(0x8000000000000000, 0x3fff, 0xffffffffffffffff, 0x7ffe,
        0xffffffffffffffff, 0x7ffe, 0xffffffffffffffff, 0xfffe,
        0xffffffffffffffff, 0x7ffe, 0x2000000000000000, 0x0000, 1, 0);
    EXPECT(0xcaa8567e83544880, 0xbffd, 0xc7bb618874941992, 0x0014,
        0xcaa8567e83544880, 0xbffd, 0xcaa8567e83544880, 0xbffd,
        0x9e1d316954fddaa7, 0x8013, 0x81dff9c5bdaf6513, 0xffe8, 1, 0);
    EXPECT(0x0000000000000000, 0x0000, 0xc000000000000123, 0x7fff,
        0xc000000000000123, 0x7fff, 0xc000000000000123, 0x7fff,
        0xc000000000000123, 0x7fff, 0xc000000000000123, 0x7fff, 0, 0);
    EXPECT(0xd54490b4bed34ece, 0x7762, 0xd3a2dbe268ec0a24, 0xc000,
        0xd54490b4bed34ece, 0x7762, 0xd54490b4bed34ece, 0x7762,
        0xb04f2fd6d163c8ec, 0xf764, 0x80fca234cfe0a87f, 0xf761, 0, 0);
    EXPECT(0x9a05599a1f1b7e06, 0x3ffe, 0xf6b777d210be54ff, 0x5836,
        0xf6b777d210be54ff, 0x5836, 0xf6b777d210be54ff, 0xd836,
        0x946f8604062da559, 0x5836, 0x9fd0fa2fdd5c80fa, 0x27c6, 1, 0);
    EXPECT(0x8000000000000001, 0x3fff, 0x0000000000000000, 0x0000,
        0x8000000000000001, 0x3fff, 0x8000000000000001, 0x3fff,
        0x0000000000000000, 0x0000, 0x8000000000000000, 0x7fff, 0, 0);
    EXPECT(0xe4c58104c645e606, 0x7fe4, 0xe08b660000000000, 0xbffe,
        0xe4c58104c645e606, 0x7fe4, 0xe4c58104c645e606, 0x7fe4,
        0xc8a96347ec7cb839, 0xffe4, 0x8268d8b5a70a2484, 0xffe5, 0, 0);
    EXPECT(0xffffffffffffffff, 0x7ffe, 0x8000000000000001, 0x3fff,
        0xffffffffffffffff, 0x7ffe, 0xffffffffffffffff, 0x7ffe,
        0x8000000000000000, 0x7fff, 0xfffffffffffffffd, 0x7ffe, 0, 0);
    EXPECT(0x7fffffffffffffff, 0x0000, 0x8000000000000000, 0x3fff,
        0x8000000000000000, 0x3fff, 0x8000000000000000, 0xbfff,
        0x7fffffffffffffff, 0x0000, 0x7fffffffffffffff, 0x0000, 1, 0);
    EXPECT(0xfac4aded317bed2b, 0x0022, 0xf51d04dc1248c8fd, 0x55c0,
        0xf51d04dc1248c8fd, 0x55c0, 0xf51d04dc1248c8fd, 0xd5c0,
        0xf01aa77e59e0820e, 0x15e4, 0x0000000000000000, 0x0000, 1, 0);
    EXPECT(0xbd0f66d000000000, 0xc012, 0xa826d34bd2094b23, 0xc002,
        0xbd100ef6d34bd209, 0xc012, 0xbd0ebea92cb42df7, 0xc012,
        0xf85d8f9ae67c1c9d, 0x4015, 0x8fea79a018b72071, 0x400f, 1, 0);
    EXPECT(0xd7ebc20000000000, 0xc015, 0x9aa85eed80460000, 0xbffa,
        0xd7ebc213550bddb0, 0xc015, 0xd7ebc1ecaaf42250, 0xc015,
        0x8271d57c32af8577, 0x4011, 0xb2b41b7e64dd22a3, 0x401a, 1, 0);
    EXPECT(0xaa18c15572536e59, 0x000c, 0xdd46f6480de23578, 0x7fc8,
        0xdd46f6480de23578, 0x7fc8, 0xdd46f6480de23578, 0xffc8,
        0x9306854f4b07542a, 0x3fd6, 0x0000000000000000, 0x0000, 1, 0);
    EXPECT(0xb73fa5e2c2c40d65, 0x2610, 0xe99379187999b307, 0xc002,
        0xe99379187999b307, 0xc002, 0xe99379187999b307, 0x4002,
        0xa7327e363ee51cae, 0xa614, 0xc8d74afe9c9a459a, 0xa60c, 0, 0);
    EXPECT(0xccec9011a523e7e5, 0x7fe4, 0x93411893d3bb213c, 0xbffe,
        0xccec9011a523e7e5, 0x7fe4, 0xccec9011a523e7e5, 0x7fe4,
        0xebbfe4ee72476814, 0xffe3, 0xb221109c1db676ce, 0xffe5, 0, 0);
    EXPECT(0x8bed5efaf9f03486, 0x3ffe, 0xfe952c7aa8fbbb98, 0x52ba,
        0xfe952c7aa8fbbb98, 0x52ba, 0xfe952c7aa8fbbb98, 0xd2ba,
        0x8b270db523df9216, 0x52ba, 0x8cb4cae42d93eb2d, 0x2d42, 1, 0);
    EXPECT(0xc000000000000123, 0x7fff, 0x8000000000000000, 0xffff,
        0xc000000000000123, 0x7fff, 0xc000000000000123, 0x7fff,
        0xc000000000000123, 0x7fff, 0xc000000000000123, 0x7fff, 0, 0);
    EXPECT(0xffffffffffffffff, 0x7ffe, 0x8000000000000000, 0x0001,
        0xffffffffffffffff, 0x7ffe, 0xffffffffffffffff, 0x7ffe,
        0xffffffffffffffff, 0x4000, 0x8000000000000000, 0x7fff, 0, 0);
    EXPECT(0x9c9d720e600f3555, 0xbffd, 0xd0c12b1a7c39a8db, 0xbffc,
        0x827f03cdcf1604e1, 0xbffe, 0xd0f3720487c9839e, 0xbffb,
        0xff6c337aa2109ffe, 0x3ffa, 0xc00f69f76b09310d, 0x3fff, 1, 0);
    EXPECT(0x9c24170819442ed7, 0x7fe0, 0xad4ba61cd91b1d20, 0x1be8,
        0x9c24170819442ed7, 0x7fe0, 0x9c24170819442ed7, 0x7fe0,
        0xd3650ee86f7ec1fc, 0x5bc9, 0x8000000000000000, 0x7fff, 0, 0);
    EXPECT(0xc000000000000000, 0xbfff, 0xb381e3a1dac7ad55, 0xc001,
        0xe381e3a1dac7ad55, 0xc001, 0x8381e3a1dac7ad55, 0x4001,
        0x86a16ab96415c200, 0x4002, 0x88e87406f0e031e0, 0x3ffd, 0, 0);
    NARROW(0xc347509af27ce533, 0x3f82, 0x382868ea135e4f9d, 0x01434751);
    NARROW(0xca03c797cdfb54fc, 0x3f82, 0x38294078f2f9bf6b, 0x014a03c8);
    NARROW(0xa96be395d70d155e, 0xbf68, 0xb6852d7c72bae1a3, 0x80000000);
    NARROW(0xe197a9e8f935e602, 0x3f6f, 0x36fc32f53d1f26bd, 0x00000038);
    NARROW(0xda3e25d19846be1f, 0x4027, 0x427b47c4ba3308d8, 0x53da3e26);
    NARROW(0xda405102fea02643, 0xbf81, 0xb81b480a205fd405, 0x80da4051);
    NARROW(0xdb7186f205e4f546, 0x0a42, 0x0000000000000000, 0x00000000);
    NARROW(0x88d4b3fc45ab7832, 0x403f, 0x43f11a967f88b56f, 0x5f88d4b4);
    NARROW(0x88cebcca03e76fc3, 0x3f6c, 0x36c119d799407cee, 0x00000004);
    NARROW(0x9470c23438e00000, 0xc01b, 0xc1b28e1846871c00, 0xcd9470c2);
    NARROW(0x9439b6328b2acb42, 0x3bcf, 0x0000000000000005, 0x00000000);
    NARROW(0xb3a6ac5c347f6e59, 0x3f6b, 0x36b674d58b868fee, 0x00000003);
    NARROW(0xe1780037cd5374f0, 0xbf82, 0xb82c2f0006f9aa6f, 0x81617800);
    NARROW(0xa1608904729d2e67, 0x3ffe, 0x3fe42c11208e53a6, 0x3f216089);
    NARROW(0xeb60f213a5979632, 0x401e, 0x41ed6c1e4274b2f3, 0x4f6b60f2);
    volatile long long whole = -123456789012345;
    assert((long long)((long double)whole / 2) == -61728394506172);
    volatile unsigned long long large = 0xfffffffffffffff1;
    assert((unsigned long long)(long double)large == large);
    return 0;
}
