#include <assert.h>
#include <pthread.h>
#include <sys/socket.h>
#include <unistd.h>

static int sides[2];

static void *answer(void *unused) {
    char byte;
    while (read(sides[1], &byte, 1) == 1) {
        byte++;
        send(sides[1], &byte, 1, 0);
    }
    return 0;
}

int main(void) {
    assert(socketpair(AF_UNIX, SOCK_STREAM, 0, sides) == 0);
    pthread_t thread;
    pthread_create(&thread, 0, answer, 0);
    char byte = 'a';
    write(sides[0], &byte, 1);
    assert(recv(sides[0], &byte, 1, 0) == 1);
    assert(byte == 'b');
    close(sides[0]);
    pthread_join(thread, 0);
    return 0;
}
