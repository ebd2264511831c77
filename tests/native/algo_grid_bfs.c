// Breadth-first search on a grid, flood fill and shortest path reconstruction.
#include <stdio.h>
#include <string.h>

enum { H = 8, W = 12 };
static const char *const plan[H] = {
    "S..#........", "##.#.######.", "...#......#.", ".#######..#.",
    ".......#..#.", "######.#.##.", ".......#..#E", "............",
};

struct point {
    signed char r, c;
};

static int distance[H][W];
static struct point parent[H][W];

static struct point locate(char what) {
    for (signed char r = 0; r < H; r++)
        for (signed char c = 0; c < W; c++)
            if (plan[r][c] == what)
                return (struct point){r, c};
    return (struct point){-1, -1};
}

static int search(struct point from) {
    static const struct point steps[] = {{0, 1}, {1, 0}, {0, -1}, {-1, 0}};
    struct point queue[H * W];
    int head = 0, tail = 0;
    memset(distance, -1, sizeof distance);
    distance[from.r][from.c] = 0;
    queue[tail++] = from;
    while (head < tail) {
        struct point p = queue[head++];
        for (int k = 0; k < 4; k++) {
            struct point n = {(signed char)(p.r + steps[k].r), (signed char)(p.c + steps[k].c)};
            if (n.r < 0 || n.c < 0 || n.r >= H || n.c >= W)
                continue;
            if (plan[n.r][n.c] == '#' || distance[n.r][n.c] >= 0)
                continue;
            distance[n.r][n.c] = distance[p.r][p.c] + 1;
            parent[n.r][n.c] = p;
            queue[tail++] = n;
        }
    }
    return tail;
}

int main(void) {
    struct point s = locate('S'), e = locate('E');
    int reached = search(s);
    char map[H][W + 1];
    for (int r = 0; r < H; r++)
        strcpy(map[r], plan[r]);
    for (struct point p = e; distance[p.r][p.c] > 0; p = parent[p.r][p.c])
        if (map[p.r][p.c] == '.')
            map[p.r][p.c] = '*';
    for (int r = 0; r < H; r++)
        puts(map[r]);
    printf("%d %d\n", reached, distance[e.r][e.c]);
    return distance[e.r][e.c];
}
