/* Two processes that enter by Peterson's rule, again and again. */
byte flag[2], turn, inside;

proctype enter(byte me) {
again:
    flag[me] = 1;
    turn = 1 - me;
wait:
    if
    :: flag[1 - me] == 0 -> goto inside_now
    :: else
    fi;
    if
    :: turn == me -> goto inside_now
    :: else -> goto wait
    fi;
inside_now:
    atomic { assert(inside == 0); inside++ };
    inside--;
    flag[me] = 0;
    goto again
}

init { atomic { run enter(0); run enter(1) } }
