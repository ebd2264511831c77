/* One process puts N numbers into a ring of four places, another takes them. */
#ifndef N
#define N 8
#endif

#define SIZE 4

byte places[SIZE], head, tail;

proctype put() {
    byte i;
    do
    :: i < N ->
       (i - tail != SIZE);
       places[i % SIZE] = i;
       atomic { head = i + 1; i++ }
    :: else -> break
    od
}

proctype take() {
    byte i;
    do
    :: i < N ->
       (head != i);
       assert(places[i % SIZE] == i);
       atomic { tail = i + 1; i++ }
    :: else -> break
    od
}

init { atomic { run put(); run take() } }
