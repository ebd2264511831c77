//! What is said about made-up results of the checker.

use super::*;
use check::{Assumption, CutLoop, Ending, Limits, Omission, Reason, SourcePlace};
use std::collections::BTreeSet;

fn a_loop(name: &str, bound: u32) -> CutLoop {
    CutLoop {
        name: name.to_owned(),
        place: None,
        bound,
        is_recursion: false,
    }
}

fn safe_up_to(order: Option<Order>, loops: &[CutLoop]) -> Verdict {
    Verdict::SafeUpTo(Limits {
        order,
        loops: loops.iter().cloned().collect(),
        assumptions: BTreeSet::new(),
    })
}

/// `main.c` is all there is to it.
fn program() -> Program {
    let mut program = Program::new(ir::Target { pointer_bytes: 8 });
    program.files.push("main.c".to_owned());
    program
}

#[test]
fn limits_are_told_in_one_line() {
    let place = SourcePlace::Line {
        file: "main.c".to_owned(),
        line: 12,
        column: 3,
    };
    let mut limits = Limits {
        order: Some(Order::Contexts(4)),
        loops: BTreeSet::from([
            CutLoop {
                place: Some(place.clone()),
                ..a_loop("main.0", 3)
            },
            CutLoop {
                is_recursion: true,
                ..a_loop("fact", 1)
            },
        ]),
        assumptions: BTreeSet::from([
            Assumption::Omission(Omission::SpuriousWakeups),
            Assumption::MemoryOrder(place),
        ]),
    };
    assert_eq!(
        describe_limits(&limits),
        "up to 4 contexts; recursion fact at most 1 call deep; \
         loop main.0 (main.c:12) at most 3 iterations per entry; \
         provided that waits for conditions end only when they are signalled, \
         and that memory is sequentially consistent, which main.c:12 does not ask for"
    );
    limits = Limits {
        order: Some(Order::Rounds(1)),
        ..Limits::default()
    };
    assert_eq!(describe_limits(&limits), "up to 1 round");
}

#[test]
fn each_verdict_has_its_words() {
    let program = program();
    let check = |verdict: Verdict, expected: &str| {
        let report = Report {
            memory_model: Default::default(),
            limits_of_part: None,
            assertions: Vec::new(),
            lines: Default::default(),
            more: Vec::new(),
            rest: None,
            failures: Vec::new(),
            progressed: Default::default(),
            suppressed: Vec::new(),
            orders: None,
            verdict,
            attempts: Vec::new(),
        };
        let replay = Replay {
            is_saved: false,
            command: String::new(),
        };
        let text = render_check(&program, &report, Some(&replay), 80);
        assert_eq!(text, expected);
    };
    let two = Some(Order::Contexts(2));
    check(Verdict::Safe, "safe\n");
    check(safe_up_to(two, &[]), "safe up to 2 contexts\n");
    let limits = Limits {
        order: two,
        ..Limits::default()
    };
    let unknown = |reason, established| Verdict::Unknown {
        reason,
        established,
    };
    check(
        unknown(Reason::Bounds, Some(limits.clone())),
        "unknown: no violation up to 2 contexts\n",
    );
    check(unknown(Reason::Time, None), "unknown: the time is over\n");
    check(
        unknown(Reason::Time, Some(limits)),
        "unknown: the time is over\nno violation up to 2 contexts\n",
    );
}

#[test]
fn statistics_have_a_line_per_attempt() {
    let thread = |name: &str, positions: usize| (name.to_owned(), positions);
    let attempt = Attempt {
        order: Some(Order::Contexts(4)),
        unwind: Some(2),
        threads: vec![thread("main", 12), thread("worker", 5), thread("worker", 5)],
        cells: 3,
        variables: 12_345,
        clauses: 45_678,
        conflicts: 9,
        solving: Duration::from_millis(1500),
        peak_memory: 34_000_001,
        result: Ending::None,
        ..Attempt::default()
    };
    let report = Report {
        memory_model: Default::default(),
        limits_of_part: None,
        assertions: Vec::new(),
        lines: Default::default(),
        more: Vec::new(),
        rest: None,
        failures: Vec::new(),
        progressed: Default::default(),
        suppressed: Vec::new(),
        orders: None,
        verdict: Verdict::Safe,
        attempts: vec![attempt],
    };
    let cost = Cost {
        elapsed: Duration::from_millis(1750),
        loading: Duration::from_millis(50),
        peak_memory: Some(40_000_000),
    };
    let expected = "\
attempts
  bounds                cells  variables  clauses  conflicts  unfold s  encode s  solve s  replay s  peak MB  result  positions
  4 contexts, unwind 2      3     12,345   45,678          9     0.000     0.000    1.500     0.000       35  none    main 12, worker 5 (2 times)
total 1.750 s, of which 0.050 s to compile and read the program, peak memory 40 MB
";
    assert_eq!(render_statistics(&report, &cost), expected);
}

#[test]
fn json_tells_what_was_shown() {
    let program = program();
    let json = |verdict: Verdict| {
        let report = Report {
            memory_model: Default::default(),
            limits_of_part: None,
            assertions: Vec::new(),
            lines: Default::default(),
            more: Vec::new(),
            rest: None,
            failures: Vec::new(),
            progressed: Default::default(),
            suppressed: Vec::new(),
            orders: None,
            verdict,
            attempts: vec![Attempt::default()],
        };
        crate::check_to_json(&program, &report, &Cost::default())
    };
    let safe = json(Verdict::Safe);
    assert_eq!(safe["verdict"], "safe");
    assert_eq!(safe["limits"], serde_json::json!([]));
    assert_eq!(safe["attempts"][0]["clauses"], 0);
    let cut = json(safe_up_to(Some(Order::Rounds(2)), &[a_loop("main.0", 3)]));
    assert_eq!(cut["verdict"], "safe up to bounds");
    assert_eq!(cut["reason"], serde_json::Value::Null);
    assert_eq!(
        cut["limits"],
        serde_json::json!([
            {"kind": "rounds", "bound": 2},
            {"kind": "loop", "name": "main.0", "location": null, "bound": 3},
        ])
    );
    let failed = json(Verdict::Unknown {
        reason: Reason::Interrupted,
        established: None,
    });
    assert_eq!(failed["reason"], "interrupted");
    assert_eq!(failed["limits"], serde_json::Value::Null);
}
