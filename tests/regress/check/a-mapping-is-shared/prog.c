#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

static int *page;

static void *work(void *unused) {
    page[1023] = page[5] + 1;
    return 0;
}

int main(void) {
    sigset_t all, old;
    sigfillset(&all);
    assert(pthread_sigmask(SIG_BLOCK, &all, &old) == 0);
    assert(mmap(0, 0, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == MAP_FAILED);
    assert(errno == EINVAL);
    assert(sysconf(_SC_PAGESIZE) == 4096 && sysconf(_SC_NPROCESSORS_ONLN) >= 1);
    page = mmap(0, 100, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert(page[1022] == 0);
    pthread_t thread;
    pthread_create(&thread, 0, work, 0);
    pthread_join(thread, 0);
    assert(page[1023] == 1);
    assert(munmap(page, 100) == 0);
    return 0;
}
