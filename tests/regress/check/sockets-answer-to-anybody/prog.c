#include <assert.h>
#include <pthread.h>
#include <sys/socket.h>
#include <unistd.h>

static int sides[2];

static void *ask(void *unused) {
    char byte = 'a';
    send(sides[0], &byte, 1, 0);
    recv(sides[0], &byte, 1, 0);
    assert(byte == 'a');
    return 0;
}

int main(void) {
    socketpair(AF_UNIX, SOCK_STREAM, 0, sides);
    pthread_t thread;
    pthread_create(&thread, 0, ask, 0);
    char byte = 'b';
    write(sides[0], &byte, 1);
    for (int i = 0; i < 2; i++) {
        read(sides[1], &byte, 1);
        write(sides[1], &byte, 1);
    }
    pthread_join(thread, 0);
    return 0;
}
