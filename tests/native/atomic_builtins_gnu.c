// GNU __atomic and __sync builtins on every width, in value-before and value-after forms.
#include <stdint.h>
#include <stdio.h>

static uint8_t b = 250;
static uint16_t h = 10;
static int32_t w = -5;
static int64_t q = 1;

int main(void) {
    printf("%d ", __atomic_fetch_add(&b, 10, __ATOMIC_SEQ_CST));
    printf("%d ", __atomic_add_fetch(&b, 1, __ATOMIC_RELAXED));
    printf("%d\n", __atomic_load_n(&b, __ATOMIC_ACQUIRE));
    printf("%d ", __atomic_sub_fetch(&h, 11, __ATOMIC_SEQ_CST));
    printf("%d\n", __atomic_fetch_nand(&h, 0xff, __ATOMIC_SEQ_CST));
    printf("%d ", __atomic_exchange_n(&w, 77, __ATOMIC_ACQ_REL));
    int32_t want = 77, take = -1, got;
    printf("%d ", __atomic_compare_exchange_n(&w, &want, 78, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST));
    __atomic_exchange(&w, &take, &got, __ATOMIC_SEQ_CST);
    printf("%d %d\n", got, w);
    __atomic_store_n(&q, 1LL << 50, __ATOMIC_RELEASE);
    printf("%lld ", (long long)__atomic_or_fetch(&q, 5, __ATOMIC_SEQ_CST));
    printf("%lld\n", (long long)__atomic_xor_fetch(&q, -1, __ATOMIC_SEQ_CST));
    printf("%d %d\n", __sync_fetch_and_add(&w, 4), __sync_add_and_fetch(&h, 2));
    printf("%d ", __sync_bool_compare_and_swap(&w, 3, 30));
    printf("%d ", __sync_val_compare_and_swap(&w, 3, 40));
    printf("%d\n", __sync_val_compare_and_swap(&w, 30, 50));
    printf("%d ", __sync_lock_test_and_set(&b, 1));
    __sync_lock_release(&b);
    __sync_synchronize();
    printf("%d\n", b);
    char flag = 0;
    printf("%d ", __atomic_test_and_set(&flag, __ATOMIC_ACQUIRE));
    printf("%d\n", __atomic_test_and_set(&flag, __ATOMIC_ACQUIRE));
    __atomic_clear(&flag, __ATOMIC_RELEASE);
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    struct pair {
        int x, y;
    } __attribute__((aligned(8))) p = {1, 2}, r, s = {3, 4};
    __atomic_load(&p, &r, __ATOMIC_SEQ_CST);
    __atomic_store(&p, &s, __ATOMIC_SEQ_CST);
    printf("%d %d %d %d %d\n", r.x, r.y, p.x, p.y, flag);
    printf("%u\n", __sync_fetch_and_and(&h, 6));
    return w + h + (int)(q & 3);
}
