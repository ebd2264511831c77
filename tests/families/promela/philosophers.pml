/* N philosophers who eat once, the lower fork first. */
#ifndef N
#define N 3
#endif

bool forks[N];

proctype eat(byte left; byte right) {
    atomic { !forks[left] -> forks[left] = true };
    atomic { !forks[right] -> forks[right] = true };
    forks[right] = false;
    forks[left] = false
}

init {
    byte i;
    atomic {
        do
        :: i < N - 1 -> run eat(i, i + 1); i++
        :: else -> run eat(0, N - 1); break
        od
    }
}
