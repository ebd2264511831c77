// Pipes, sockets and counters in one thread: what calls return, store and leave in errno.
// also: -m32
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

static void tell(const char *what, long result) {
    printf("%s: %ld", what, result);
    if (result == -1)
        printf(" (%d)", errno);
    printf("\n");
}

static void polled(const char *what, int fd, int events) {
    struct pollfd entry = {.fd = fd, .events = (short)events, .revents = 77};
    int count = poll(&entry, 1, 0);
    printf("%s: %d, %#x\n", what, count, (unsigned)entry.revents);
}

static void pipes(void) {
    int p[2];
    char text[16] = "";
    tell("pipe", pipe(p));
    printf("numbers %d %d\n", p[0], p[1]);
    polled("empty", p[0], POLLIN | POLLOUT);
    polled("writable", p[1], POLLIN | POLLOUT | POLLWRNORM);
    tell("write", write(p[1], "hello", 5));
    tell("write more", write(p[1], " you", 4));
    polled("full", p[0], POLLIN | POLLRDNORM);
    tell("read some", read(p[0], text, 3));
    printf("[%s]\n", text);
    tell("read the rest", read(p[0], text, sizeof text));
    printf("[%s]\n", text);
    tell("read the wrong end", read(p[1], text, 1));
    tell("write the wrong end", write(p[0], text, 1));
    tell("read nothing", read(p[0], text, 0));
    tell("write nothing", write(p[1], text, 0));
    int other = dup(p[1]);
    tell("dup", other);
    tell("close", close(p[1]));
    polled("one writer left", p[0], POLLIN);
    tell("write to the copy", write(other, "x", 1));
    tell("close the copy", close(other));
    polled("over, with a byte", p[0], POLLIN);
    tell("read it", read(p[0], text, 4));
    tell("read the end", read(p[0], text, 4));
    polled("over", p[0], POLLIN);
    tell("close", close(p[0]));
    tell("close again", close(p[0]));
    tell("read what is closed", read(p[0], text, 1));
    polled("closed", p[0], POLLIN);
    polled("negative", -1, POLLIN);
}

static void flags(void) {
    int p[2];
    char text[8];
    tell("pipe2", pipe2(p, O_NONBLOCK | O_CLOEXEC));
    tell("flags to read", fcntl(p[0], F_GETFL));
    tell("flags to write", fcntl(p[1], F_GETFL));
    tell("closes on exec", fcntl(p[0], F_GETFD));
    tell("nothing there", read(p[0], text, 4));
    tell("set flags", fcntl(p[0], F_SETFL, 0));
    tell("flags now", fcntl(p[0], F_GETFL));
    tell("set them again", fcntl(p[0], F_SETFL, fcntl(p[0], F_GETFL) | O_NONBLOCK));
    tell("still nothing", read(p[0], text, 4));
    tell("stays open", fcntl(p[0], F_SETFD, 0));
    tell("now", fcntl(p[0], F_GETFD));
    tell("copy from 100", fcntl(p[0], F_DUPFD, 100));
    tell("copy from 100 again", fcntl(p[0], F_DUPFD_CLOEXEC, 100));
    tell("its flag", fcntl(101, F_GETFD));
    tell("dup2", dup2(p[1], 20));
    tell("dup2 to itself", dup2(p[1], p[1]));
    tell("dup2 of nothing", dup2(300, 21));
    tell("dup2 to nowhere", dup2(p[1], -1));
    tell("dup3", dup3(p[1], 22, O_CLOEXEC));
    tell("write to 20", write(20, "ab", 2));
    tell("read", read(100, text, 8));
    tell("fcntl on nothing", fcntl(99, F_GETFD));
    signal(SIGPIPE, SIG_IGN);
    close(p[0]);
    close(100);
    polled("no reader but one", p[1], POLLOUT);
    close(101);
    polled("no reader", p[1], POLLOUT);
    tell("broken", write(p[1], "x", 1));
    tell("nothing to a broken one", write(p[1], "x", 0));
    close(p[1]);
    close(20);
    close(22);
}

static void counters(void) {
    uint64_t value = 0;
    int e = eventfd(3, EFD_NONBLOCK);
    tell("eventfd", e);
    polled("three", e, POLLIN | POLLOUT);
    tell("too short", read(e, &value, 4));
    tell("read", read(e, &value, sizeof value));
    printf("%llu\n", (unsigned long long)value);
    tell("empty", read(e, &value, sizeof value));
    polled("empty", e, POLLIN | POLLOUT);
    value = 5;
    tell("add", write(e, &value, sizeof value));
    tell("add more", eventfd_write(e, 7));
    tell("take", eventfd_read(e, &value));
    printf("%llu\n", (unsigned long long)value);
    tell("take none", eventfd_read(e, &value));
    value = UINT64_MAX;
    tell("too much", write(e, &value, 8));
    value = UINT64_MAX - 1;
    tell("as much as fits", write(e, &value, 8));
    polled("as much as fits", e, POLLIN | POLLOUT);
    value = 1;
    tell("one more", write(e, &value, 8));
    tell("flags", fcntl(e, F_GETFL));
    close(e);
    e = eventfd(2, EFD_SEMAPHORE | EFD_NONBLOCK);
    for (int i = 0; i < 3; i++) {
        tell("semaphore", read(e, &value, 8));
        printf("%llu\n", (unsigned long long)value);
    }
    close(e);
}

static void sockets(void) {
    int s[2];
    char text[16] = "";
    tell("socketpair", socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, s));
    polled("idle", s[0], POLLIN | POLLOUT);
    tell("one way", write(s[0], "ping", 4));
    tell("other way", send(s[1], "pong!", 5, MSG_NOSIGNAL));
    polled("with something", s[0], POLLIN | POLLOUT);
    tell("read", read(s[1], text, 16));
    printf("[%s]\n", text);
    tell("recv", recv(s[0], text, 16, MSG_DONTWAIT));
    printf("[%s]\n", text);
    tell("nothing", recv(s[0], text, 16, 0));
    tell("flags", fcntl(s[0], F_GETFL));
    tell("one more", write(s[1], "z", 1));
    close(s[1]);
    polled("alone", s[0], POLLIN | POLLOUT | POLLRDHUP);
    tell("read", read(s[0], text, 16));
    tell("over", read(s[0], text, 16));
    tell("broken", send(s[0], "x", 1, MSG_NOSIGNAL));
    close(s[0]);
    int p[2];
    pipe(p);
    tell("recv from a pipe", recv(p[0], text, 1, 0));
    tell("send to a pipe", send(p[1], text, 1, 0));
}

static void several(void) {
    int p[2], q[2];
    pipe(p);
    pipe(q);
    printf("numbers %d %d %d %d\n", p[0], p[1], q[0], q[1]);
    write(q[1], "x", 1);
    struct pollfd entries[3] = {{p[0], POLLIN, 0}, {q[0], POLLIN, 0}, {p[1], POLLOUT, 0}};
    tell("poll", poll(entries, 3, -1));
    for (int i = 0; i < 3; i++)
        printf("%d: %d\n", i, entries[i].revents);
    close(q[0]);
    close(p[0]);
    int r[2];
    pipe(r);
    printf("numbers %d %d\n", r[0], r[1]);
}

int main(void) {
    // Whoever starts the program may have left some open.
    for (int i = 3; i < 110; i++)
        close(i);
    pipes();
    flags();
    counters();
    sockets();
    several();
    return 0;
}
