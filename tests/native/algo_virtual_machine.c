// A small stack machine with an assembler, memory, calls and conditional jumps.
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum op { HALT, PUSH, LOAD, STORE, ADD, SUB, MUL, LESS, JUMP, JZ, CALL, RET, OUT };
static const struct {
    const char *name;
    unsigned char operands;
} table[] = {[HALT] = {"halt", 0}, [PUSH] = {"push", 1}, [LOAD] = {"load", 1}, [STORE] = {"store", 1}, [ADD] = {"add", 0},
             [SUB] = {"sub", 0},   [MUL] = {"mul", 0},   [LESS] = {"less", 0}, [JUMP] = {"jump", 1},   [JZ] = {"jz", 1},
             [CALL] = {"call", 1}, [RET] = {"ret", 0},   [OUT] = {"out", 0}};

static int assemble(const char *source, int16_t *code) {
    int n = 0;
    char word[16];
    while (*source) {
        size_t k = 0;
        while (*source && *source != ' ')
            if (k < sizeof word - 1)
                word[k++] = *source++;
        word[k] = 0;
        while (*source == ' ')
            source++;
        int negative = word[0] == '-', value = 0, found = 0;
        for (size_t i = 0; i < sizeof table / sizeof *table; i++)
            if (strcmp(word, table[i].name) == 0) {
                code[n++] = (int16_t)i;
                found = 1;
            }
        if (!found) {
            for (const char *p = word + negative; *p; p++)
                value = value * 10 + *p - '0';
            code[n++] = (int16_t)(negative ? -value : value);
        }
    }
    return n;
}

static int run(const int16_t *code, int32_t *memory) {
    int32_t stack[32];
    int calls[8], sp = 0, depth = 0, pc = 0, steps = 0;
    for (;; steps++) {
        enum op op = (enum op)code[pc++];
        int operand = table[op].operands ? code[pc++] : 0;
        switch (op) {
        case HALT: return steps;
        case PUSH: stack[sp++] = operand; break;
        case LOAD: stack[sp++] = memory[operand]; break;
        case STORE: memory[operand] = stack[--sp]; break;
        case ADD: sp--; stack[sp - 1] += stack[sp]; break;
        case SUB: sp--; stack[sp - 1] -= stack[sp]; break;
        case MUL: sp--; stack[sp - 1] *= stack[sp]; break;
        case LESS: sp--; stack[sp - 1] = stack[sp - 1] < stack[sp]; break;
        case JUMP: pc = operand; break;
        case JZ: if (!stack[--sp]) pc = operand; break;
        case CALL: calls[depth++] = pc; pc = operand; break;
        case RET: pc = calls[--depth]; break;
        case OUT: printf("%d ", stack[--sp]); break;
        }
    }
}

int main(void) {
    int16_t code[64];
    int32_t memory[4] = {0, 1};
    int n = assemble("load 0 push 10 less jz 17 call 20 load 1 out push -3 out jump 0 halt push 0 "
                     "load 0 push 1 add store 0 load 1 load 0 mul store 1 ret", code);
    code[6] = 17;
    printf("%d words\n", n);
    int steps = run(code, memory);
    printf("\n%d %d %d\n", steps, memory[0], memory[1]);
    return steps % 126;
}
