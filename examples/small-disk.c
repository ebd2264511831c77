// A file system for a very small disk, after the example that Java Daisy gave to
// many checkers: directory, inodes, blocks and a bitmap of free blocks. Each file
// has a lock, but the directory and the bitmap have none, and some functions use
// a file without its lock. Two threads create, write, read and delete files.
//
//   threadbare check small-disk.c --property race --all-violations --rounds 2
//
// lists every pair of accesses that can race, each of them once.

#include <pthread.h>

#define FILES 2
#define BLOCKS 3
#define NONE (-1)

struct inode {
    int size;
    int block;
    int links;
};

static int directory[FILES]; // The name in each entry, 0 if it is free.
static struct inode inodes[FILES];
static char is_used[BLOCKS];
static char blocks[BLOCKS][2];
static int free_blocks = BLOCKS;
static pthread_mutex_t locks[FILES] = {
    PTHREAD_MUTEX_INITIALIZER,
    PTHREAD_MUTEX_INITIALIZER,
};

static int allocate_block(void) {
    for (int b = 0; b < BLOCKS; b++) {
        if (!is_used[b]) {
            is_used[b] = 1;
            free_blocks--;
            return b;
        }
    }
    return NONE;
}

static void free_block(int b) {
    is_used[b] = 0;
    free_blocks++;
}

static int find(int name) {
    for (int i = 0; i < FILES; i++)
        if (directory[i] == name)
            return i;
    return NONE;
}

static int create(int name) {
    int i = find(0);
    if (i == NONE)
        return NONE;
    directory[i] = name;
    pthread_mutex_lock(&locks[i]);
    inodes[i].size = 0;
    inodes[i].block = NONE;
    inodes[i].links = 1;
    pthread_mutex_unlock(&locks[i]);
    return i;
}

static void write_byte(int i, char byte) {
    pthread_mutex_lock(&locks[i]);
    if (inodes[i].block == NONE)
        inodes[i].block = allocate_block();
    int b = inodes[i].block;
    if (b != NONE) {
        blocks[b][0] = byte;
        inodes[i].size = 1;
    }
    pthread_mutex_unlock(&locks[i]);
}

static int size_of(int i) {
    return inodes[i].size; // Without the lock.
}

static char read_byte(int i) {
    int b = inodes[i].block; // Without the lock.
    return b == NONE ? 0 : blocks[b][0];
}

static void delete(int name) {
    int i = find(name);
    if (i == NONE)
        return;
    directory[i] = 0;
    pthread_mutex_lock(&locks[i]);
    inodes[i].links--;
    if (inodes[i].block != NONE)
        free_block(inodes[i].block);
    inodes[i].block = NONE;
    pthread_mutex_unlock(&locks[i]);
}

static void *writer(void *arg) {
    int i = create(1);
    if (i != NONE)
        write_byte(i, 'a');
    delete(1);
    return 0;
}

static void *reader(void *arg) {
    int i = create(2);
    if (i != NONE) {
        write_byte(i, 'b');
        if (size_of(i) > 0)
            read_byte(i);
    }
    return 0;
}

int main(void) {
    pthread_t a, b;
    for (int i = 0; i < FILES; i++)
        inodes[i].block = NONE;
    pthread_create(&a, 0, writer, 0);
    pthread_create(&b, 0, reader, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
