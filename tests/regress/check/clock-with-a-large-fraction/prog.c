#include <assert.h>
#include <time.h>

int main(void) {
    struct timespec limit;
    clock_gettime(CLOCK_REALTIME, &limit);
    limit.tv_nsec += 500000000;
    assert(limit.tv_nsec < 1000000000);
    return 0;
}
