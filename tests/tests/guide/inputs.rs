//! Inputs reach the executions that ask for them.

use crate::subject::{Subject, end};
use replay::{Guide, InputKind, Outcome};

const INPUTS: &str = r#"
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
int __VERIFIER_nondet_int(void);
unsigned char __VERIFIER_nondet_uchar(void);
_Bool __VERIFIER_nondet_bool(void);
void __VERIFIER_nondet_memory(void *block, size_t len);
__attribute__((constructor)) static void before(void) {
    printf("%d ", __VERIFIER_nondet_int()); /* before */
}
static int ask(void) {
    return __VERIFIER_nondet_int(); /* ask */
}
static void *worker(void *arg) {
    printf("%d ", __VERIFIER_nondet_int()); /* worker */
    return 0;
}
int main(void) {
    pthread_t t;
    char block[3];
    int *heap = malloc(sizeof *heap);
    for (int i = 0; i < 3; i++)
        printf("%d ", ask());
    __VERIFIER_nondet_memory(block, 3); /* block */
    printf("%d%d%d ", block[0], block[1], block[2]);
    printf("%d ", __VERIFIER_nondet_uchar()); /* byte */
    printf("%d ", __VERIFIER_nondet_bool()); /* bit */
    printf("%d ", *heap); /* heap */
    printf("%d ", *heap); /* same */
    pthread_create(&t, 0, worker, 0); /* create */
    pthread_join(t, 0);
    return ask() == 5;
}
"#;

#[test]
fn inputs_go_to_whoever_asks() {
    let it = Subject::new(INPUTS);
    let int = "__VERIFIER_nondet_int";
    let block = |index, value| it.input(0, "block", "__VERIFIER_nondet_memory", (1, index), value);
    let guide = Guide {
        stretches: vec![it.until(0, "create", "pthread_create", 1), end(1)],
        // The order does not matter.
        inputs: vec![
            it.input(1, "worker", int, (1, 0), 70),
            it.input(0, "ask", int, (4, 0), 5),
            it.input(0, "ask", int, (2, 0), 20),
            it.input(0, "ask", int, (1, 0), 10),
            it.input(0, "before", int, (1, 0), 1),
            block(2, 3),
            block(0, 1),
            it.input(0, "byte", "__VERIFIER_nondet_uchar", (1, 0), 0x1234),
            it.input(0, "bit", "__VERIFIER_nondet_bool", (1, 0), 2),
            it.input(0, "heap", "load", (1, 0), u128::from(u32::MAX)),
            // Nobody asks for these.
            it.input(0, "same", "load", (1, 0), 99),
            it.input(0, "worker", int, (1, 0), 99),
            it.input(1, "worker", int, (1, 1), 99),
            it.input(1, "worker", int, (2, 0), 99),
        ],
        finally: 0,
        ..Guide::default()
    };
    let run = it.run(&guide).expect("should fit");
    assert_eq!(run.outcome, Outcome::Exited(1));
    let output = String::from_utf8_lossy(&run.standard_output);
    // The third answer and the block's second are missing; what does not fit is
    // cut to the width, or 0.
    assert_eq!(output, "1 10 20 0 103 52 0 -1 -1 70 ");
    let of_worker = run.schedule.inputs.iter().filter(|input| input.thread == 1);
    let of_worker: Vec<_> = of_worker.map(|input| (input.kind, input.value)).collect();
    assert_eq!(of_worker, [(InputKind::Nondet, 70)]);
}
