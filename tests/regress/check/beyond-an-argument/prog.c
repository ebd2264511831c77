/* Looks beyond the zero of an empty argument. */
int x;

int main(int argc, char **argv) {
    if (argc > 1 && argv[1][0] == 0)
        x = argv[1][1];
    return 0;
}
