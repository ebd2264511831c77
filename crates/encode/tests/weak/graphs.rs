//! Execution graphs, all of them, and the axioms of RC11 as the paper has them: relations
//! over reads and writes, a read-modify-write being one of each.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use crate::program::{CELLS, Command, Op, Outcome, Program, Value};
use unfold::Ordering;

pub(crate) struct Found {
    pub outcomes: BTreeSet<Outcome>,
    /// Some graph has two accesses that conflict, not both atomic, and in no order.
    pub has_race: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Kind {
    Read,
    Write,
    Fence,
    Lock,
    Unlock,
}

#[derive(Clone, Copy, Debug)]
struct Event {
    thread: usize,
    command: usize,
    kind: Kind,
    cell: usize,
    order: Option<Ordering>,
    value: u8,
    /// The read of the same read-modify-write.
    update_of: Option<usize>,
    /// For reads: the write that is seen; none for what was there at first.
    source: Option<usize>,
}

/// A run so far, in one of the orders that it may have.
#[derive(Clone)]
struct Run {
    events: Vec<Event>,
    next: Vec<usize>,
    last: Vec<u8>,
    is_locked: bool,
}

type Relation = Vec<Vec<bool>>;
/// What each thread does next, and all events: thread, command, kind, the command that is
/// seen, and the place among operations on the lock.
type Name = (Vec<usize>, Vec<(usize, usize, u8, i64, usize)>);

/// All outcomes there could be if reads saw anything that somebody has written.
pub(crate) fn candidates(program: &Program) -> BTreeSet<Outcome> {
    runs(program).iter().map(outcome).collect()
}

pub(crate) fn outcomes(program: &Program) -> Found {
    let mut found = Found {
        outcomes: BTreeSet::new(),
        has_race: false,
    };
    for run in runs(program) {
        for order in orders(&run) {
            if let Some(has_race) = judge(&run, &order) {
                found.outcomes.insert(outcome(&run));
                found.has_race |= has_race;
            }
        }
    }
    found
}

fn outcome(run: &Run) -> Outcome {
    let reads = run.events.iter().filter(|event| event.kind == Kind::Read);
    let mut outcome: Outcome = reads
        .map(|event| ((event.thread, event.command), event.value))
        .collect();
    outcome.sort_unstable();
    outcome
}

/// All complete runs, one for each graph.
fn runs(program: &Program) -> Vec<Run> {
    let count = program.0.len();
    let mut open = vec![Run {
        events: Vec::new(),
        next: vec![0; count],
        last: vec![0; count],
        is_locked: false,
    }];
    let mut seen = HashSet::new();
    let mut found = Vec::new();
    while let Some(run) = open.pop() {
        if !seen.insert(name(&run)) {
            continue;
        }
        let is_done = |thread: usize| run.next[thread] == program.0[thread].len();
        if (0..count).all(is_done) {
            found.push(run);
            continue;
        }
        for thread in (0..count).filter(|thread| !is_done(*thread)) {
            let command = program.0[thread][run.next[thread]];
            open.extend(advance(&run, thread, command));
        }
    }
    found
}

/// The same for all orders of the same graph.
fn name(run: &Run) -> Name {
    let key = |event: &Event| 100 * event.thread as i64 + event.command as i64;
    let mut locks = 0;
    let mut list: Vec<_> = (run.events.iter())
        .map(|event| {
            let source = event.source.map_or(-1, |source| key(&run.events[source]));
            let is_lock = matches!(event.kind, Kind::Lock | Kind::Unlock);
            locks += usize::from(is_lock);
            let place = if is_lock { locks } else { 0 };
            (event.thread, event.command, event.kind as u8, source, place)
        })
        .collect();
    list.sort_unstable();
    (run.next.clone(), list)
}

fn advance(run: &Run, thread: usize, command: Command) -> Vec<Run> {
    let mut run = run.clone();
    let number = run.next[thread];
    run.next[thread] += 1;
    if command.is_guarded && run.last[thread] == 0 {
        return vec![run];
    }
    let event = |kind, cell, order| Event {
        thread,
        command: number,
        kind,
        cell,
        order,
        value: 0,
        update_of: None,
        source: None,
    };
    match command.op {
        Op::Fence(order) => run.events.push(event(Kind::Fence, CELLS, Some(order))),
        Op::Lock => {
            if run.is_locked {
                return Vec::new();
            }
            run.is_locked = true;
            run.events.push(event(Kind::Lock, CELLS, None));
        }
        Op::Unlock => {
            run.is_locked = false;
            run.events.push(event(Kind::Unlock, CELLS, None));
        }
        Op::Store(cell, value, order) => {
            let value = match value {
                Value::Constant(value) => value,
                Value::Last => run.last[thread],
            };
            let store = event(Kind::Write, cell, order);
            run.events.push(Event { value, ..store });
        }
        Op::Load(cell, _) | Op::Add(cell, ..) | Op::Exchange(cell, ..) => {
            let writes = run.events.iter().enumerate();
            let writes = writes.filter(|(_, one)| one.kind == Kind::Write && one.cell == cell);
            let sources = std::iter::once((None, 0));
            let sources = sources.chain(writes.map(|(index, one)| (Some(index), one.value)));
            return sources
                .map(|(source, value)| {
                    let mut run = run.clone();
                    run.last[thread] = value;
                    let (order, update) = match command.op {
                        Op::Load(_, order) => (order, None),
                        Op::Add(_, more, order) => (Some(order), Some((value + more) % 4)),
                        Op::Exchange(_, expected, new, success, failure) => {
                            let succeeds = value == expected;
                            let order = if succeeds { success } else { failure };
                            (Some(order), succeeds.then_some(new))
                        }
                        _ => unreachable!("it should be a read"),
                    };
                    let read = Event {
                        value,
                        source,
                        ..event(Kind::Read, cell, order)
                    };
                    run.events.push(read);
                    if let Some(value) = update {
                        let write = Event {
                            value,
                            update_of: Some(run.events.len() - 1),
                            ..event(Kind::Write, cell, order)
                        };
                        run.events.push(write);
                    }
                    run
                })
                .collect();
        }
    }
    vec![run]
}

/// All orders of writes, by cell.
fn orders(run: &Run) -> Vec<BTreeMap<usize, usize>> {
    let mut all = vec![BTreeMap::new()];
    for cell in 0..CELLS {
        let writes: Vec<usize> = (0..run.events.len())
            .filter(|index| {
                run.events[*index].kind == Kind::Write && run.events[*index].cell == cell
            })
            .collect();
        let mut more = Vec::new();
        for permutation in permutations(&writes) {
            for order in &all {
                let mut order: BTreeMap<usize, usize> = order.clone();
                order.extend(
                    permutation
                        .iter()
                        .enumerate()
                        .map(|(place, write)| (*write, place)),
                );
                more.push(order);
            }
        }
        all = more;
    }
    all
}

fn permutations(items: &[usize]) -> Vec<Vec<usize>> {
    let Some((first, rest)) = items.split_first() else {
        return vec![Vec::new()];
    };
    let mut all = Vec::new();
    for permutation in permutations(rest) {
        for place in 0..=permutation.len() {
            let mut longer = permutation.clone();
            longer.insert(place, *first);
            all.push(longer);
        }
    }
    all
}

fn relation(count: usize, holds: impl Fn(usize, usize) -> bool) -> Relation {
    (0..count)
        .map(|first| (0..count).map(|second| holds(first, second)).collect())
        .collect()
}

fn compose(a: &Relation, b: &Relation) -> Relation {
    let count = a.len();
    relation(count, |first, second| {
        (0..count).any(|middle| a[first][middle] && b[middle][second])
    })
}

fn close(mut r: Relation) -> Relation {
    for middle in 0..r.len() {
        for first in 0..r.len() {
            for second in 0..r.len() {
                r[first][second] |= r[first][middle] && r[middle][second];
            }
        }
    }
    r
}

fn has_loop(r: &Relation) -> bool {
    (0..r.len()).any(|event| r[event][event])
}

/// Whether a graph is consistent, and if so, whether it has a race.
fn judge(run: &Run, order: &BTreeMap<usize, usize>) -> Option<bool> {
    let events = &run.events;
    let n = events.len();
    let is = |event: usize, kind: Kind| events[event].kind == kind;
    let is_access = |event: usize| is(event, Kind::Read) || is(event, Kind::Write);
    let same =
        |a: usize, b: usize| is_access(a) && is_access(b) && events[a].cell == events[b].cell;
    let po = relation(n, |a, b| a < b && events[a].thread == events[b].thread);
    let rf = relation(n, |a, b| is(b, Kind::Read) && events[b].source == Some(a));
    let mo = relation(n, |a, b| {
        is(a, Kind::Write) && is(b, Kind::Write) && same(a, b) && order[&a] < order[&b]
    });
    let rmw = relation(n, |a, b| events[b].update_of == Some(a));
    // What was there at first comes before all writes.
    let fr = relation(n, |a, b| {
        let is_later = |seen: Option<usize>| seen.is_none_or(|seen| mo[seen][b]);
        is(a, Kind::Read)
            && is(b, Kind::Write)
            && same(a, b)
            && events[b].update_of != Some(a)
            && is_later(events[a].source)
    });
    let order_of = |event: usize| events[event].order;
    let strongest = Some(Ordering::SequentiallyConsistent);
    let releases = |event: usize| {
        let order = order_of(event);
        let is_side = is(event, Kind::Write) || is(event, Kind::Fence);
        is_side
            && (matches!(order, Some(Ordering::Release | Ordering::AcquireRelease))
                || order == strongest)
    };
    let acquires = |event: usize| {
        let order = order_of(event);
        let is_side = is(event, Kind::Read) || is(event, Kind::Fence);
        is_side
            && (matches!(order, Some(Ordering::Acquire | Ordering::AcquireRelease))
                || order == strongest)
    };
    let is_atomic = |event: usize| order_of(event).is_some();
    let mut rs = relation(n, |a, b| {
        let follows = a == b || po[a][b] && same(a, b);
        is(a, Kind::Write) && is(b, Kind::Write) && follows && is_atomic(b)
    });
    let step = compose(&rf, &rmw);
    for _ in 0..n {
        let more = compose(&rs, &step);
        rs = relation(n, |a, b| rs[a][b] || more[a][b]);
    }
    let left = relation(n, |a, b| {
        releases(a) && (a == b || is(a, Kind::Fence) && po[a][b])
    });
    let right = relation(n, |a, b| {
        let is_read = is(a, Kind::Read) && is_atomic(a);
        acquires(b) && is_read && (a == b || is(b, Kind::Fence) && po[a][b])
    });
    let sw = compose(&compose(&compose(&left, &rs), &rf), &right);
    let locks = relation(n, |a, b| a < b && is(a, Kind::Unlock) && is(b, Kind::Lock));
    let hb = close(relation(n, |a, b| po[a][b] || sw[a][b] || locks[a][b]));
    let eco = close(relation(n, |a, b| rf[a][b] || mo[a][b] || fr[a][b]));
    if has_loop(&hb) || has_loop(&compose(&hb, &eco)) || has_loop(&compose(&rmw, &eco)) {
        return None;
    }
    let overwritten = compose(&fr, &mo);
    if (0..n).any(|a| (0..n).any(|b| rmw[a][b] && overwritten[a][b])) {
        return None;
    }
    let elsewhere = relation(n, |a, b| po[a][b] && !same(a, b));
    let around = compose(&compose(&elsewhere, &hb), &elsewhere);
    let scb = relation(n, |a, b| {
        po[a][b] || around[a][b] || hb[a][b] && same(a, b) || mo[a][b] || fr[a][b]
    });
    let is_sc = |event: usize| order_of(event) == strongest;
    let is_fence = |event: usize| is(event, Kind::Fence) && is_sc(event);
    let from = relation(n, |a, b| is_sc(a) && a == b || is_fence(a) && hb[a][b]);
    let to = relation(n, |a, b| is_sc(b) && a == b || is_fence(b) && hb[a][b]);
    let base = compose(&compose(&from, &scb), &to);
    let far = compose(&compose(&hb, &eco), &hb);
    let psc = relation(n, |a, b| {
        base[a][b] || is_fence(a) && is_fence(b) && (hb[a][b] || far[a][b])
    });
    if has_loop(&close(psc)) {
        return None;
    }
    let races = |a: usize, b: usize| {
        events[a].thread != events[b].thread
            && same(a, b)
            && (is(a, Kind::Write) || is(b, Kind::Write))
            && !(is_atomic(a) && is_atomic(b))
            && !hb[a][b]
            && !hb[b][a]
    };
    Some((0..n).any(|a| (0..n).any(|b| races(a, b))))
}
