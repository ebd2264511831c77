/* Two processes put N numbers each into a queue with a lock, two others take them. */
#ifndef N
#define N 2
#endif

#define SIZE 2

bool locked;
byte places[SIZE], first, count, taken;

proctype put() {
    byte i;
    do
    :: i < N ->
       atomic { !locked -> locked = true };
       if
       :: count < SIZE ->
          places[(first + count) % SIZE] = i + 1;
          count++;
          i++
       :: else
       fi;
       locked = false
    :: else -> break
    od
}

proctype take() {
    byte i;
    do
    :: i < N ->
       atomic { !locked -> locked = true };
       if
       :: count > 0 ->
          assert(places[first] > 0 && places[first] <= N);
          first = (first + 1) % SIZE;
          count--;
          taken++;
          i++
       :: else
       fi;
       locked = false
    :: else -> break
    od
}

init {
    atomic { run put(); run put(); run take(); run take() };
    (_nr_pr == 1);
    assert(taken == 2 * N)
}
