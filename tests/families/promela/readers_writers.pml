/* N readers and two writers; the first reader locks the writers out. */
#ifndef N
#define N 3
#endif

bool counting, writing;
byte readers, data, changing;

proctype read_it() {
    atomic { !counting -> counting = true };
    readers++;
    if
    :: readers == 1 -> atomic { !writing -> writing = true }
    :: else
    fi;
    counting = false;
    assert(changing == 0);
    atomic { !counting -> counting = true };
    readers--;
    if
    :: readers == 0 -> writing = false
    :: else
    fi;
    counting = false
}

proctype write_it() {
    atomic { !writing -> writing = true };
    changing = 1;
    data = 1;
    changing = 0;
    writing = false
}

init {
    byte i;
    atomic {
        do
        :: i < N -> run read_it(); i++
        :: else -> break
        od;
        run write_it();
        run write_it()
    }
}
