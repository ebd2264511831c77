// Vectors as the headers for SSE2 use them: arithmetic, comparisons, shuffles and casts.
#include <emmintrin.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

static uint64_t state = 521288629u;

static __m128i any(void)
{
    uint64_t words[2];
    for (int i = 0; i < 2; i++) {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        words[i] = state;
    }
    __m128i vector;
    memcpy(&vector, words, sizeof vector);
    return vector;
}

static void show(const char *what, __m128i vector)
{
    uint8_t bytes[16];
    _mm_storeu_si128((__m128i *)bytes, vector);
    printf("%s:", what);
    for (int i = 0; i < 16; i++)
        printf(" %02x", bytes[i]);
    printf("\n");
}

#define SHOW(expression) show(#expression, expression)

int main(void)
{
    for (int i = 0; i < 4; i++) {
        __m128i a = any(), b = any();
        SHOW(_mm_add_epi8(a, b));
        SHOW(_mm_add_epi16(a, b));
        SHOW(_mm_add_epi32(a, b));
        SHOW(_mm_add_epi64(a, b));
        SHOW(_mm_sub_epi8(a, b));
        SHOW(_mm_sub_epi32(a, b));
        SHOW(_mm_mullo_epi16(a, b));
        SHOW(_mm_and_si128(a, b));
        SHOW(_mm_andnot_si128(a, b));
        SHOW(_mm_or_si128(a, b));
        SHOW(_mm_xor_si128(a, b));
        SHOW(_mm_cmpeq_epi8(a, _mm_or_si128(a, b)));
        SHOW(_mm_cmpgt_epi16(a, b));
        SHOW(_mm_cmplt_epi32(a, b));
        SHOW(_mm_unpacklo_epi8(a, b));
        SHOW(_mm_unpackhi_epi16(a, b));
        SHOW(_mm_unpacklo_epi64(a, b));
        SHOW(_mm_shuffle_epi32(a, _MM_SHUFFLE(0, 3, 1, 2)));
        SHOW(_mm_set1_epi8(i));
        SHOW(_mm_set_epi32(1, 2, 3, i));
        SHOW(_mm_setzero_si128());
        SHOW(_mm_slli_si128(a, 3));
        SHOW(_mm_srli_si128(a, 5));
        SHOW(_mm_castpd_si128(_mm_castsi128_pd(a)));
        SHOW(_mm_castps_si128(_mm_add_ps(_mm_set1_ps(1.5f), _mm_set_ps(1, 2, 3, i))));
        SHOW(_mm_castpd_si128(_mm_mul_pd(_mm_set1_pd(1.25), _mm_set_pd(i, 2))));
        printf("%d %llx\n", _mm_cvtsi128_si32(a), (unsigned long long)_mm_cvtsi128_si64(b));
        printf("%d\n", _mm_extract_epi16(a, 3));
        typedef uint16_t shorts __attribute__((vector_size(16)));
        shorts c = (shorts)a, d = (shorts)b;
        show("shorts", (__m128i)(c * d + (c >> 3)));
        unsigned __int128 whole = (unsigned __int128)a;
        printf("%llx\n", (unsigned long long)(whole >> 60));
    }
    return 0;
}
