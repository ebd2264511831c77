/* main ends before the process does, and with it its values of keys. */
#include <pthread.h>
#include <stdlib.h>

pthread_key_t key;

int main(void) {
    pthread_key_create(&key, 0);
    pthread_setspecific(key, malloc(sizeof(int)));
    pthread_exit(0);
}
