// Recursive-descent parser and evaluator of arithmetic expressions with variables and errors.
#include <ctype.h>
#include <stdio.h>

struct parser {
    const char *at;
    int failed;
    long vars[26];
};

static long expression(struct parser *p);

static void skip(struct parser *p) {
    while (isspace((unsigned char)*p->at))
        p->at++;
}

static int accept(struct parser *p, char c) {
    skip(p);
    if (*p->at != c)
        return 0;
    p->at++;
    return 1;
}

static long primary(struct parser *p) {
    skip(p);
    if (isdigit((unsigned char)*p->at)) {
        long v = 0;
        while (isdigit((unsigned char)*p->at))
            v = v * 10 + (*p->at++ - '0');
        return v;
    }
    if (islower((unsigned char)*p->at)) {
        int index = *p->at++ - 'a';
        if (accept(p, '='))
            p->vars[index] = expression(p);
        return p->vars[index];
    }
    if (accept(p, '-'))
        return -primary(p);
    if (accept(p, '(')) {
        long v = expression(p);
        if (!accept(p, ')'))
            p->failed = 1;
        return v;
    }
    p->failed = 2;
    return 0;
}

static long term(struct parser *p) {
    long v = primary(p);
    while (!p->failed) {
        if (accept(p, '*')) {
            v *= primary(p);
        } else if (accept(p, '/')) {
            long d = primary(p);
            if (d == 0)
                p->failed = 3;
            else
                v /= d;
        } else {
            break;
        }
    }
    return v;
}

static long expression(struct parser *p) {
    long v = term(p);
    while (!p->failed) {
        if (accept(p, '+'))
            v += term(p);
        else if (accept(p, '-'))
            v -= term(p);
        else
            break;
    }
    return v;
}

int main(void) {
    static const char *const lines[] = {"1 + 2 * 3", "(1+2)*3", "x = 4 * -(2 - 7)", "x * x / 3", "y = x + (z = 5) * z",
                                        "10 / (z - 5)", "(1 + 2", "2 +", "a=b=c=7", "a+b+c-y/2"};
    struct parser p = {0};
    long total = 0;
    int errors = 0;
    for (unsigned i = 0; i < sizeof lines / sizeof *lines; i++) {
        p.at = lines[i];
        p.failed = 0;
        long v = expression(&p);
        if (p.failed) {
            printf("%s -> error %d\n", lines[i], p.failed);
            errors++;
        } else {
            printf("%s -> %ld\n", lines[i], v);
            total += v;
        }
    }
    return (int)(total % 100) + errors;
}
