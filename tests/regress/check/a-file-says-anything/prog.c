#include <assert.h>
#include <pthread.h>
#include <stdio.h>

static int first;

static void *load(void *unused) {
    FILE *file = fopen("settings", "r");
    if (!file)
        return 0;
    char line[3];
    if (fgets(line, 3, file))
        first = line[0];
    fclose(file);
    return 0;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, load, 0);
    pthread_join(thread, 0);
    assert(first != 'x');
    return 0;
}
