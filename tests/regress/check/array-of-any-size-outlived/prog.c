#include <pthread.h>
#include <stdlib.h>

int main(void) {
    int *p = 0;
    for (int i = 1; i < 3; i++) {
        int n = i + 1;
        int a[n];
        if (p)
            *p = 1;
        a[i] = 0;
        p = &a[i];
    }
    return 0;
}
