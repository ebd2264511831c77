// Game of life on a torus, in a byte grid and in bit rows, generations compared.
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { SIZE = 16 };
static unsigned char cells[2][SIZE][SIZE];
static uint16_t rows[SIZE];

static void step_bytes(int from) {
    for (int r = 0; r < SIZE; r++)
        for (int c = 0; c < SIZE; c++) {
            int n = 0;
            for (int dr = -1; dr <= 1; dr++)
                for (int dc = -1; dc <= 1; dc++)
                    n += (dr || dc) && cells[from][(r + dr + SIZE) % SIZE][(c + dc + SIZE) % SIZE];
            cells[!from][r][c] = n == 3 || (n == 2 && cells[from][r][c]);
        }
}

static uint16_t rol(uint16_t v, int n) { return (uint16_t)(v << n | v >> (16 - n)); }

static void step_bits(void) {
    uint16_t next[SIZE];
    for (int r = 0; r < SIZE; r++) {
        uint16_t ones = 0, twos = 0, fours = 0;
        for (int dr = -1; dr <= 1; dr++) {
            uint16_t row = rows[(r + dr + SIZE) % SIZE];
            uint16_t in[3] = {rol(row, 1), rol(row, 15), dr ? row : 0};
            for (int k = 0; k < 3; k++) {
                uint16_t carry = ones & in[k];
                ones ^= in[k];
                uint16_t carry2 = twos & carry;
                twos ^= carry;
                fours |= carry2;
            }
        }
        next[r] = (uint16_t)(twos & ~fours & (ones | rows[r]));
    }
    memcpy(rows, next, sizeof rows);
}

int main(void) {
    static const unsigned char start[][2] = {{1, 2}, {2, 3}, {3, 1}, {3, 2}, {3, 3}, {8, 8}, {8, 9}, {8, 10}, {9, 9}, {12, 4}, {12, 5}, {13, 4}};
    for (unsigned i = 0; i < sizeof start / sizeof *start; i++) {
        cells[0][start[i][0]][start[i][1]] = 1;
        rows[start[i][0]] |= (uint16_t)(1u << start[i][1]);
    }
    int agree = 0, alive = 0, now = 0;
    for (int g = 0; g < 30; g++, now = !now) {
        step_bytes(now);
        step_bits();
        int same = 1;
        for (int r = 0; r < SIZE; r++)
            for (int c = 0; c < SIZE; c++)
                same &= cells[!now][r][c] == (rows[r] >> c & 1);
        agree += same;
    }
    for (int r = 0; r < SIZE; r++) {
        for (int c = 0; c < SIZE; c++) {
            putchar(cells[now][r][c] ? 'o' : '.');
            alive += cells[now][r][c];
        }
        putchar('\n');
    }
    printf("%d %d\n", agree, alive);
    return alive;
}
