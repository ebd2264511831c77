#include <pthread.h>
#include <sys/mman.h>

static int *page;

static void *work(void *unused) {
    page[0] = 1;
    return 0;
}

int main(void) {
    page = mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    pthread_t thread;
    pthread_create(&thread, 0, work, 0);
    munmap(page, 4096);
    pthread_join(thread, 0);
    return 0;
}
