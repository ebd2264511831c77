#include <emmintrin.h>
#include <pthread.h>

int counters[4];

static void *worker(void *arg) {
    counters[3]++;
    return 0;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, worker, 0);
    __m128i all = _mm_loadu_si128((__m128i *)counters);
    pthread_join(thread, 0);
    return _mm_cvtsi128_si32(all);
}
