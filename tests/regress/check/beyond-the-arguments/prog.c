/* Looks beyond the null pointer after the arguments. */
char *x;

int main(int argc, char **argv) {
    if (argc == 2)
        x = argv[3];
    return 0;
}
