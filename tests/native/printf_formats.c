// printf flags, widths, precisions, lengths and return values.
#include <stdio.h>

int main(void) {
    int n = 0;
    n += printf("[%5d] [%-5d] [%05d] [%+d] [% d]\n", 42, 42, 42, 42, 42);
    n += printf("[%5d] [%-5d] [%05d] [%+d] [% d]\n", -42, -42, -42, -42, -42);
    n += printf("[%x] [%X] [%#x] [%08x] [%o] [%#o]\n", 48879, 48879, 48879, 48879, 48879, 48879);
    n += printf("[%.3d] [%8.3d] [%-8.3d] [%.0d]\n", 7, 7, 7, 0);
    n += printf("[%s] [%8s] [%-8s] [%.3s] [%8.2s]\n", "hello", "hello", "hello", "hello", "hello");
    n += printf("[%*d] [%-*d] [%.*s] [%*.*f]\n", 6, 1, 6, 2, 2, "xyz", 9, 2, 3.14159);
    n += printf("[%*d]\n", -6, 3);
    n += printf("[%hhd] [%hhu] [%hd] [%hu]\n", (signed char)-3, (unsigned char)200, (short)-300, (unsigned short)60000);
    n += printf("[%ld] [%lu] [%lld] [%llu] [%zu] [%zd]\n", -1L, 1UL << 63, -1LL, 1ULL << 63, sizeof(int), (ssize_t)-4);
    n += printf("[%c%c%c] [%3c] [%-3c]\n", 'a', 'b', 'c', 'd', 'e');
    n += printf("100%% [%%] %i\n", 5);
    n += printf("[%f] [%.0f] [%#.0f] [%10.3f] [%-10.3f] [%+.1f]\n", 1.5, 1.5, 2.0, 1.5, 1.5, 1.5);
    n += printf("[%e] [%.2e] [%E] [%g] [%G] [%#g]\n", 12345.678, 12345.678, 1e-5, 1e-5, 1e20, 1.0);
    n += printf("[%g] [%g] [%g] [%.3g] [%.10g]\n", 0.0001, 0.00001, 123456789.0, 123456.0, 1.0 / 7);
    n += printf("[%jd] [%td]\n", (__INTMAX_TYPE__)-9, (__PTRDIFF_TYPE__)11);
    n += printf("%s", "") + puts("done") * 0;
    putchar('0' + n % 10);
    putchar('\n');
    printf("%d\n", n);
    return n % 126;
}
