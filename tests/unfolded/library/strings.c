// unfold:
// Strings that another thread may change.
#include <pthread.h>
#include <string.h>
char text[4] = "ab";
int n;

static void *run(void *arg) {
    text[1] = 0;
    return 0;
}

int main(void) {
    pthread_t a;
    pthread_create(&a, 0, run, 0);
    n = (int)strlen(text);
    text[0] = 'c';
    return 0;
}
