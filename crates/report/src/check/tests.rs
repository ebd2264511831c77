//! What is said about made-up results of the checker.

use super::*;
use std::collections::BTreeMap;

fn a_loop(name: &str, bound: u32) -> CutLoop {
    CutLoop {
        name: name.to_owned(),
        location: None,
        bound,
        is_recursion: false,
    }
}

fn safe_up_to(order: Option<Order>, loops: &[CutLoop]) -> check::Verdict {
    check::Verdict::SafeUpTo(Limits {
        order,
        loops: loops.to_vec(),
        others: Vec::new(),
    })
}

fn given(order: Option<Order>, unwind: Option<u32>, names: &[&str]) -> Bounds {
    let set = names.iter().map(|name| ((*name).to_owned(), 3));
    Bounds {
        order,
        unwind,
        unwind_every_loop: false,
        unwind_set: BTreeMap::from_iter(set),
    }
}

/// `main.c` is all there is to it.
fn program() -> Program {
    let mut program = Program::new(ir::Target { pointer_bytes: 8 });
    program.files.push("main.c".to_owned());
    program
}

#[test]
fn only_bounds_that_were_asked_for_make_a_verdict() {
    let four = Some(Order::Contexts(4));
    let check = |verdict: &check::Verdict, bounds: &Bounds, expected: Verdict| {
        assert_eq!(
            Verdict::of_check(verdict, bounds),
            expected,
            "{verdict:?} {bounds:?}"
        );
    };
    let cut = safe_up_to(four, &[a_loop("main.0", 3)]);
    let whole = safe_up_to(four, &[]);
    check(&cut, &given(four, Some(3), &[]), Verdict::SafeWithinBounds);
    check(&cut, &given(four, None, &[]), Verdict::Unknown);
    check(&cut, &given(None, Some(3), &[]), Verdict::Unknown);
    check(
        &cut,
        &given(four, None, &["main.0"]),
        Verdict::SafeWithinBounds,
    );
    check(&cut, &given(four, None, &["main.1"]), Verdict::Unknown);
    check(&whole, &given(four, None, &[]), Verdict::SafeWithinBounds);
    check(&whole, &given(None, None, &[]), Verdict::Unknown);
    check(
        &check::Verdict::Safe,
        &given(None, None, &[]),
        Verdict::Safe,
    );
}

#[test]
fn limits_are_told_in_one_line() {
    let program = program();
    let location = ir::Location {
        file: program.files.keys().next().expect("should have a file"),
        line: 12,
        column: 3,
    };
    let mut limits = Limits {
        order: Some(Order::Contexts(4)),
        loops: vec![
            CutLoop {
                location: Some(location),
                ..a_loop("main.0", 3)
            },
            CutLoop {
                is_recursion: true,
                ..a_loop("fact", 1)
            },
        ],
        others: vec![
            "waits end when signalled".to_owned(),
            "memory is 0".to_owned(),
        ],
    };
    assert_eq!(
        describe_limits(&program, &limits),
        "up to 4 contexts; loop main.0 (main.c:12) at most 3 iterations per entry; \
         recursion fact at most 1 call deep; \
         provided that waits end when signalled, and that memory is 0"
    );
    limits = Limits {
        order: Some(Order::Rounds(1)),
        ..Limits::default()
    };
    assert_eq!(describe_limits(&program, &limits), "up to 1 round");
}

#[test]
fn each_verdict_has_its_words() {
    let program = program();
    let check = |verdict: check::Verdict, bounds: &Bounds, expected: &str| {
        let report = Report {
            limits_of_part: None,
            more: Vec::new(),
            rest: None,
            misfit: None,
            verdict,
            attempts: Vec::new(),
        };
        let replay = Replay {
            is_saved: false,
            command: String::new(),
        };
        let text = render_check(&program, &report, bounds, &replay, 80);
        assert_eq!(text, expected);
    };
    let two = Some(Order::Contexts(2));
    let none = given(None, None, &[]);
    check(check::Verdict::Safe, &none, "safe\n");
    check(
        safe_up_to(two, &[]),
        &given(two, Some(1), &[]),
        "safe up to 2 contexts\n",
    );
    check(
        safe_up_to(two, &[]),
        &none,
        "unknown: no violation up to 2 contexts\n",
    );
    let unknown = |established| check::Verdict::Unknown {
        reason: "the time was over".to_owned(),
        established,
    };
    check(unknown(None), &none, "unknown: the time was over\n");
    let limits = Limits {
        order: two,
        ..Limits::default()
    };
    check(
        unknown(Some(limits)),
        &none,
        "unknown: the time was over\nno violation up to 2 contexts\n",
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
        result: "none".to_owned(),
        ..Attempt::default()
    };
    let report = Report {
        limits_of_part: None,
        more: Vec::new(),
        rest: None,
        misfit: None,
        verdict: check::Verdict::Safe,
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
    let bounds = given(None, None, &[]);
    let json = |verdict: check::Verdict| {
        let report = Report {
            limits_of_part: None,
            more: Vec::new(),
            rest: None,
            misfit: None,
            verdict,
            attempts: vec![Attempt::default()],
        };
        crate::check_to_json(&program, &report, &bounds, &Cost::default())
    };
    let safe = json(check::Verdict::Safe);
    assert_eq!(safe["verdict"], "safe");
    assert_eq!(safe["limits"], serde_json::json!([]));
    assert_eq!(safe["attempts"][0]["clauses"], 0);
    let cut = json(safe_up_to(Some(Order::Rounds(2)), &[a_loop("main.0", 3)]));
    assert_eq!(cut["verdict"], "unknown");
    assert_eq!(cut["reason"], serde_json::Value::Null);
    assert_eq!(
        cut["limits"],
        serde_json::json!([
            {"kind": "rounds", "bound": 2},
            {"kind": "loop", "name": "main.0", "location": null, "bound": 3},
        ])
    );
    let failed = json(check::Verdict::Unknown {
        reason: "interrupted".to_owned(),
        established: None,
    });
    assert_eq!(failed["reason"], "interrupted");
    assert_eq!(failed["limits"], serde_json::Value::Null);
}
