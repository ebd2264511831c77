/* Uses many different constructs; compiled by the tests, never run by them. */
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum colour { RED, GREEN = 5, BLUE = -2 };

struct node {
  int value;
  struct node *next;
  unsigned flags : 3, kind : 7;
  enum colour colour;
};

typedef struct {
  char tag;
  long long wide;
  union {
    float real;
    uint32_t bits;
  };
} Record;

struct __attribute__((packed)) tight {
  char a;
  double b;
};

struct pair {
  long first, second;
};

struct big {
  int many[20];
};

static struct node nodes[3] = {{1, &nodes[1], 2, 3, GREEN}, {2, &nodes[2].next ? &nodes[2] : 0, 0, 0, RED}};
int common_counter;
const char *const names[] = {"one", "two", "t\"hree\\\n"};
_Thread_local int per_thread = 7;
atomic_int shared;
_Atomic(struct node *) top;
int (*handlers[2])(const char *, ...) = {printf, 0};
void *offset_pointer = (char *)nodes + 8;
uintptr_t odd_address = (uintptr_t)&nodes[1].value + 1;
long double wide_float = 1.5L;
double zero_point_one = 0.1;
float third = 1.0f / 3;
extern int missing_weak __attribute__((weak));
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static struct pair make_pair(long first, long second) {
  struct pair pair = {first, second};
  return pair;
}

static int take_big(struct big big, int index) { return big.many[index]; }

static struct big make_big(void) {
  struct big big;
  memset(&big, 1, sizeof big);
  return big;
}

static int sum(int count, ...) {
  va_list list, copy;
  va_start(list, count);
  va_copy(copy, list);
  int total = 0;
  for (int i = 0; i < count; i++)
    total += va_arg(list, int);
  va_end(copy);
  va_end(list);
  return total;
}

static void *worker(void *argument) {
  static int runs;
  int expected = 0;
  runs++;
  while (!atomic_compare_exchange_weak_explicit(&shared, &expected, 1, memory_order_acquire,
                                                memory_order_relaxed))
    expected = 0;
  atomic_fetch_add(&shared, 2);
  atomic_store_explicit(&shared, 0, memory_order_release);
  atomic_thread_fence(memory_order_seq_cst);
  __sync_fetch_and_nand(&common_counter, 3);
  pthread_mutex_lock(&lock);
  common_counter += (int)(intptr_t)argument;
  pthread_mutex_unlock(&lock);
  return argument;
}

static int choose(unsigned value) {
  switch (value) {
  case 0:
    return 10;
  case 1 ... 3:
    return 20;
  case 0xffffffff:
    return -1;
  default:
    return value > 100 ? 5 : 6;
  }
}

static int jump(int which) {
  static void *labels[] = {&&first, &&second};
  goto *labels[which & 1];
first:
  return 1;
second:
  return 2;
}

static double floats(float x, double y, long double z) {
  double result = x * y - 1.0 / y;
  if (x < y && !(y != y))
    result = -result;
  z = z + x;
  return result + (double)z + __builtin_fabs(y);
}

static unsigned bits(unsigned x, unsigned long long y) {
  return __builtin_popcount(x) + __builtin_clzll(y | 1) + __builtin_ctz(x | 1) +
         __builtin_bswap32(x) + (x << 3 | x >> 29);
}

static int overflow(int a, int b) {
  int result;
  return __builtin_add_overflow(a, b, &result) ? 0 : result;
}

static int variable_length(int n) {
  int array[n];
  for (int i = 0; i < n; i++)
    array[i] = i;
  __asm__ volatile("" : : : "memory");
  __asm__ volatile("mfence" : : : "memory");
  return array[n - 1];
}

static _Bool test(const struct node *list) {
  int n = 0;
  for (; list && list->flags != 5; list = list->next)
    n += list->kind;
  return n;
}

#ifdef __SIZEOF_INT128__
static __int128 huge(__int128 x) { return x * 3 + ((__int128)1 << 100); }
#else
static long long huge(long long x) { return x * 3; }
#endif

__attribute__((constructor)) static void before(void) { common_counter = 1; }
__attribute__((destructor)) static void after(void) { common_counter = 0; }

int main(int argc, char **argv) {
  pthread_t threads[2];
  Record record = {'x', argc};
  struct tight tight = {1, 2.0};
  struct pair pair = make_pair(argc, 3);
  struct big big = make_big();
  struct node *node = malloc(sizeof *node);
  for (int i = 0; i < 2; i++)
    pthread_create(&threads[i], NULL, worker, (void *)(intptr_t)i);
  for (int i = 0; i < 2; i++)
    pthread_join(threads[i], NULL);
  *node = nodes[argc & 1];
  node->flags = 6;
  atomic_exchange(&top, node);
  record.real = third;
  record.wide += &missing_weak ? missing_weak : 0;
  handlers[0]("%s %d %f\n", names[argc % 3], sum(3, 1, 2, 3), floats(1, 2, 3));
  int result = choose(argc) + jump(argc) + (int)bits(argc, 5) + overflow(argc, 1) +
               variable_length(4) + test(node) + take_big(big, 2) + (int)pair.second +
               (int)tight.b + (int)huge(argc) + per_thread + record.tag + argv[0][0];
  free(node);
  fprintf(stderr, "%d\n", result);
  return result > 0 ? 0 : 1;
}
