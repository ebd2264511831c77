// Signals that never arrive: sets, masks and what is to happen.
// also: -m32
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

static void first(int signal) { (void)signal; }
static void second(int signal) { (void)signal; }

static const char *name(void (*handler)(int)) {
    return handler == first ? "first" : handler == second ? "second"
        : handler == SIG_IGN ? "ignored" : handler == SIG_DFL ? "default"
        : handler == SIG_ERR ? "error" : "?";
}

static void *inherits(void *unused) {
    sigset_t now;
    pthread_sigmask(SIG_BLOCK, 0, &now);
    printf("thread: %d %d\n", sigismember(&now, SIGUSR1), sigismember(&now, SIGTERM));
    sigaddset(&now, SIGHUP);
    pthread_sigmask(SIG_SETMASK, &now, 0);
    return unused;
}

int main(void) {
    sigset_t set, old;
    printf("%d %d\n", sigemptyset(&set), sigismember(&set, SIGINT));
    printf("%d %d\n", sigaddset(&set, SIGINT), sigismember(&set, SIGINT));
    printf("%d %d\n", sigaddset(&set, 64), sigismember(&set, 64));
    printf("%d %d\n", sigaddset(&set, 65), errno);
    printf("%d %d\n", sigdelset(&set, SIGINT), sigismember(&set, SIGINT));
    sigfillset(&set);
    printf("%d %d %d\n", sigismember(&set, SIGKILL), sigismember(&set, 34), sigismember(&set, 0));

    printf("%s\n", name(signal(SIGUSR1, first)));
    printf("%s\n", name(signal(SIGUSR1, second)));
    printf("%s\n", name(signal(SIGUSR1, SIG_IGN)));
    printf("%s\n", name(signal(SIGUSR1, SIG_DFL)));
    printf("%s\n", name(signal(SIGUSR1, first)));
    errno = 0;
    printf("%s %d\n", name(signal(SIGKILL, first)), errno);
    printf("%s %d\n", name(signal(99, first)), errno);

    struct sigaction action, before;
    memset(&action, 0, sizeof action);
    action.sa_handler = second;
    sigemptyset(&action.sa_mask);
    sigaddset(&action.sa_mask, SIGTERM);
    action.sa_flags = SA_NODEFER;
    printf("%d %s\n", sigaction(SIGUSR1, &action, &before), name(before.sa_handler));
    printf("%d %d\n", (before.sa_flags & SA_RESTART) != 0, sigismember(&before.sa_mask, SIGTERM));
    printf("%d %s\n", sigaction(SIGUSR1, 0, &before), name(before.sa_handler));
    printf("%d %d\n", (before.sa_flags & SA_NODEFER) != 0, sigismember(&before.sa_mask, SIGTERM));
    printf("%d %d\n", sigaction(SIGSTOP, &action, 0), errno);
    printf("%d\n", sigaction(SIGKILL, 0, &before));

    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    sigaddset(&set, SIGKILL);
    printf("%d\n", pthread_sigmask(SIG_BLOCK, &set, &old));
    printf("%d\n", sigismember(&old, SIGUSR1));
    printf("%d\n", sigprocmask(SIG_SETMASK, 0, &old));
    printf("%d %d\n", sigismember(&old, SIGUSR1), sigismember(&old, SIGKILL));
    pthread_t thread;
    pthread_create(&thread, 0, inherits, 0);
    pthread_join(thread, 0);
    sigprocmask(SIG_UNBLOCK, &set, 0);
    pthread_sigmask(SIG_BLOCK, 0, &old);
    printf("%d %d\n", sigismember(&old, SIGUSR1), sigismember(&old, SIGHUP));
    printf("%d\n", pthread_sigmask(7, &set, 0));
    printf("%d %d\n", sigprocmask(7, &set, 0), errno);
    return 0;
}
