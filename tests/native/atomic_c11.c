// C11 atomics from one thread: loads, stores, exchange, compare-exchange and fetch operations.
// also: -m32
#include <stdatomic.h>
#include <stdio.h>

static _Atomic int counter = 5;
static atomic_uint bits;
static _Atomic signed char small;
static _Atomic unsigned short medium = 65535;
static atomic_bool flag;
static atomic_flag lock = ATOMIC_FLAG_INIT;

int main(void) {
    printf("%d ", atomic_fetch_add(&counter, 3));
    printf("%d\n", atomic_load(&counter));
    printf("%d ", atomic_fetch_sub_explicit(&counter, 10, memory_order_relaxed));
    printf("%d\n", atomic_load_explicit(&counter, memory_order_acquire));
    atomic_store(&bits, 0xf0f0u);
    printf("%x ", atomic_fetch_or(&bits, 0x0fu));
    printf("%x ", atomic_fetch_and(&bits, 0xffu));
    printf("%x ", atomic_fetch_xor(&bits, 0x3cu));
    printf("%x\n", atomic_exchange(&bits, 7u));
    int expected = 1;
    _Bool ok = atomic_compare_exchange_strong(&counter, &expected, 40);
    printf("%d %d\n", ok, expected);
    ok = atomic_compare_exchange_strong(&counter, &expected, 40);
    printf("%d %d %d\n", ok, expected, counter);
    while (!atomic_compare_exchange_weak_explicit(&counter, &expected, expected + 2, memory_order_acq_rel, memory_order_relaxed))
        ;
    printf("%d\n", counter);
    counter += 8;
    counter--;
    counter *= 2;
    printf("%d %d\n", counter++, small);
    small = 127;
    small++;
    medium += 2;
    printf("%d %d\n", small, medium);
    flag = 3;
    printf("%d ", atomic_load(&flag));
    printf("%d\n", atomic_exchange(&flag, 0));
    printf("%d ", atomic_flag_test_and_set(&lock));
    printf("%d ", atomic_flag_test_and_set_explicit(&lock, memory_order_acquire));
    atomic_flag_clear(&lock);
    printf("%d\n", atomic_flag_test_and_set(&lock));
    atomic_thread_fence(memory_order_seq_cst);
    atomic_signal_fence(memory_order_release);
    atomic_int local;
    atomic_init(&local, 9);
    return local + counter;
}
