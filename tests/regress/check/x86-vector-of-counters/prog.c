#include <assert.h>
#include <emmintrin.h>
#include <pthread.h>

__m128i counters;

static void *worker(void *arg) {
    counters = _mm_add_epi32(counters, _mm_set_epi32(4, 3, 2, 1));
    return 0;
}

int main(void) {
    pthread_t thread;
    int each[4];
    pthread_create(&thread, 0, worker, 0);
    pthread_join(thread, 0);
    counters = _mm_add_epi32(counters, _mm_set1_epi32(10));
    _mm_storeu_si128((__m128i *)each, counters);
    assert(each[0] == 11 && each[1] == 12 && each[2] == 13 && each[3] == 14);
    return 0;
}
