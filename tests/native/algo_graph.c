// Graph algorithms: union-find, Dijkstra, Floyd-Warshall, topological order and depth-first search.
#include <limits.h>
#include <stdio.h>

enum { N = 8 };
static const int edges[][3] = {{0, 1, 4}, {0, 2, 1}, {2, 1, 2}, {1, 3, 5}, {2, 3, 8}, {3, 4, 3}, {5, 6, 1}, {4, 6, 7}, {6, 7, 2}};
enum { E = sizeof edges / sizeof *edges };

static int root[N];
static int find(int x) { return root[x] == x ? x : (root[x] = find(root[x])); }

static void dijkstra(int from, unsigned *dist) {
    _Bool done[N] = {0};
    for (int i = 0; i < N; i++)
        dist[i] = UINT_MAX;
    dist[from] = 0;
    for (;;) {
        int u = -1;
        for (int i = 0; i < N; i++)
            if (!done[i] && dist[i] != UINT_MAX && (u < 0 || dist[i] < dist[u]))
                u = i;
        if (u < 0)
            break;
        done[u] = 1;
        for (int e = 0; e < E; e++)
            if (edges[e][0] == u && dist[u] + (unsigned)edges[e][2] < dist[edges[e][1]])
                dist[edges[e][1]] = dist[u] + (unsigned)edges[e][2];
    }
}

static int order[N], placed;
static unsigned visited;
static void visit(int u) {
    if (visited & 1u << u)
        return;
    visited |= 1u << u;
    for (int e = E; e-- > 0;)
        if (edges[e][0] == u)
            visit(edges[e][1]);
    order[N - ++placed] = u;
}

int main(void) {
    int parts = N;
    for (int i = 0; i < N; i++)
        root[i] = i;
    for (int e = 0; e < E - 2; e++) {
        int a = find(edges[e][0]), b = find(edges[e][1]);
        if (a != b) {
            root[a] = b;
            parts--;
        }
    }
    printf("%d %d %d\n", parts, find(0) == find(4), find(0) == find(6));
    unsigned dist[N];
    dijkstra(0, dist);
    for (int i = 0; i < N; i++)
        if (dist[i] == UINT_MAX)
            printf("- ");
        else
            printf("%u ", dist[i]);
    puts("");
    long all[N][N];
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            all[i][j] = i == j ? 0 : 1000;
    for (int e = 0; e < E; e++)
        all[edges[e][0]][edges[e][1]] = edges[e][2];
    long sum = 0;
    for (int k = 0; k < N; k++)
        for (int i = 0; i < N; i++)
            for (int j = 0; j < N; j++)
                if (all[i][k] + all[k][j] < all[i][j])
                    all[i][j] = all[i][k] + all[k][j];
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            sum += all[i][j] < 1000 ? all[i][j] : 0;
    printf("%ld %d\n", sum, all[0][7] == (long)dist[7]);
    for (int i = 0; i < N; i++)
        visit(i);
    for (int i = 0; i < N; i++)
        printf("%d ", order[i]);
    puts("");
    return (int)(sum % 126);
}
