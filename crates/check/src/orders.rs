//! Which memory orders a program needs: stronger ones with which a violation is gone, and
//! weaker ones that would do.
//!
//! Both ask about the program with other orders, by the encoding by order, within the
//! bounds of the question. Stronger orders leave fewer runs, under C's memory model: so
//! what is not enough stays not enough with less.
//!
//! *Stronger ones.* Orders become sequentially consistent, one set of them after the other,
//! until nothing goes wrong. Each run that still goes wrong is also one with further orders
//! strengthened, which the interpreter finds out; so of the rest, one must be in every set
//! that is enough. The next to try is a smallest set that has one of each such rest. So the
//! first that is enough is a smallest. Then each of its orders is made as weak as possible.
//!
//! *Weaker ones.* Each order is weakened by itself, and then one after the other in one
//! program, to see which may be weakened together.
//!
//! Nothing here changes the verdict.

use crate::engines::Name;
use crate::facts::{Limits, Reason, SourcePlace};
use crate::verdict::{Encoding, Options, Report, Verdict};
use analysis::orders::{Kind, Ordered};
use ir::{Ordering, Program};
use library::MemoryModel;
use replay::{Guide, Image, Run};
use std::collections::BTreeSet;
use std::time::{Duration, Instant};

/// Steps of a run that is tried under stronger orders, at most.
const MAX_STEPS: u64 = 1_000_000;
/// What a single question takes at most: so many times as long as the first one took, but
/// at least this.
const TIMES: u32 = 4;
const LEAST: Duration = Duration::from_secs(2);

/// What to find out about memory orders.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Advise {
    /// If something goes wrong: stronger orders with which it does not.
    pub stronger: bool,
    /// If nothing does: weaker ones with which that stays so.
    pub weaker: bool,
}

/// An order in the place of another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    pub place: SourcePlace,
    pub kind: Kind,
    pub from: Ordering,
    pub to: Ordering,
}

/// What was found out.
#[derive(Clone, Debug)]
pub enum Advised {
    /// With these, nothing goes wrong within the limits. There is no smaller set of
    /// accesses.
    Stronger {
        changes: Vec<Change>,
        limits: Limits,
    },
    /// No stronger orders help: it goes wrong in an interleaving, too, or by accesses that
    /// are not atomic.
    NoneHelps,
    /// Each of these is enough within the limits, one at a time; and these are together.
    Weaker {
        single: Vec<(Change, Limits)>,
        together: Vec<Change>,
        limits: Limits,
        /// So many orders could not be decided in the time that there was.
        open: usize,
    },
    /// There is no order to be changed, or a verdict that leaves nothing to find out.
    Nothing,
    /// It was not found out in the time that there was.
    NotKnown,
}

/// Asks about a program, with other options.
pub(crate) type Ask<'a> = dyn Fn(&Program, &Options) -> Report + 'a;

/// What is asked about.
pub(crate) struct Advisor<'a> {
    pub program: &'a Program,
    pub options: &'a Options,
    pub deadline: Option<Instant>,
    pub ask: &'a Ask<'a>,
}

/// What came of a question.
enum Came {
    Wrong(Box<Run>),
    Right(Limits),
    NotKnown,
}

impl Advisor<'_> {
    /// What there is to say to a verdict, which took so long.
    pub(crate) fn advise(&self, report: &Report, took: Duration) -> Option<Advised> {
        let advise = self.options.advise;
        let patience = LEAST.max(took * TIMES);
        match &report.verdict {
            Verdict::Violated(run) if advise.stronger => Some(self.stronger(report, run, patience)),
            Verdict::Safe | Verdict::SafeUpTo(_) if advise.weaker => Some(self.weaker(patience)),
            _ if advise.stronger || advise.weaker => Some(Advised::Nothing),
            _ => None,
        }
    }

    fn accesses(&self) -> Vec<Ordered> {
        match self.options.config.surroundings.memory_model {
            MemoryModel::Rc11 => analysis::orders::ordered(self.program),
            // Orders mean something else there, or nothing.
            MemoryModel::Sc | MemoryModel::Tso | MemoryModel::Pso => Vec::new(),
        }
    }

    fn stronger(&self, report: &Report, first: &Run, patience: Duration) -> Advised {
        let strongest = Ordering::SequentiallyConsistent;
        let mut all = self.accesses();
        all.retain(|access| access.order != strongest);
        if all.is_empty() {
            return Advised::Nothing;
        }
        let unwind = report.attempts.iter().rev().find_map(|attempt| {
            let is_it = matches!(attempt.result, crate::Ending::Violated);
            attempt.unwind.filter(|_| is_it)
        });
        let bounds = self.options.bounds.unwind.or(unwind);
        // Of each set that is enough, one is in each of these.
        let mut needed: Vec<BTreeSet<usize>> = vec![self.rest(&all, &BTreeSet::new(), first)];
        let (chosen, mut limits) = loop {
            if needed.iter().any(BTreeSet::is_empty) {
                return Advised::NoneHelps;
            }
            let chosen = hitting_set(&needed);
            let changed = with(
                self.program,
                &all,
                chosen.iter().map(|one| (*one, strongest)),
            );
            match self.question(&changed, bounds, patience) {
                Came::Right(limits) => break (chosen, limits),
                Came::Wrong(run) => needed.push(self.rest(&all, &chosen, &run)),
                Came::NotKnown => return Advised::NotKnown,
            }
        };
        let mut orders: Vec<(usize, Ordering)> = Vec::new();
        for one in &chosen {
            orders.push((*one, strongest));
        }
        for index in 0..orders.len() {
            let access = all[orders[index].0];
            let in_between =
                |order: &Ordering| is_weaker(access.order, *order) && is_weaker(*order, strongest);
            for weaker in orders_of(access.kind).iter().copied().filter(in_between) {
                let mut tried = orders.clone();
                tried[index].1 = weaker;
                let changed = with(self.program, &all, tried.iter().copied());
                if let Came::Right(more) = self.question(&changed, bounds, patience) {
                    orders = tried;
                    limits = more;
                    break;
                }
            }
        }
        Advised::Stronger {
            changes: self.changes(&all, &orders),
            limits,
        }
    }

    /// Which accesses a run leaves that goes wrong with some of them strengthened: as many
    /// others as possible are, one after the other, such that it still does.
    fn rest(&self, all: &[Ordered], chosen: &BTreeSet<usize>, run: &Run) -> BTreeSet<usize> {
        let strongest = Ordering::SequentiallyConsistent;
        let mut kept = chosen.clone();
        let base = with(self.program, all, kept.iter().map(|one| (*one, strongest)));
        let Some(guide) = self.guide(&base, run) else {
            return (0..all.len()).filter(|one| !kept.contains(one)).collect();
        };
        for one in 0..all.len() {
            if kept.insert(one) {
                let tried = with(self.program, all, kept.iter().map(|one| (*one, strongest)));
                if !self.goes_wrong(&tried, &guide) {
                    kept.remove(&one);
                }
            }
        }
        (0..all.len()).filter(|one| !kept.contains(one)).collect()
    }

    fn image<'p>(&self, program: &'p Program) -> Option<Image<'p>> {
        let config = &self.options.config;
        let arguments = &config.surroundings.arguments;
        Image::new(program, arguments, config.memory_limit).ok()
    }

    fn guide(&self, program: &Program, run: &Run) -> Option<Guide> {
        let image = self.image(program)?;
        replay::guide_along(&image, &self.options.config, &run.schedule).ok()
    }

    /// Whether the interpreter sees something go wrong along a guide.
    fn goes_wrong(&self, program: &Program, guide: &Guide) -> bool {
        let Some(image) = self.image(program) else {
            return false;
        };
        let config = &self.options.config;
        let mut keep_going = |_: u64| !self.is_over();
        let run = replay::run_guided(&image, config, 0, guide, false, MAX_STEPS, &mut keep_going);
        run.is_ok_and(|run| {
            let mut violations = run.violations.iter();
            violations.any(|violation| config.checks.has(violation.kind.property()))
        })
    }

    fn weaker(&self, patience: Duration) -> Advised {
        let bounds = self.options.bounds.unwind;
        let all = self.accesses();
        if all.is_empty() {
            return Advised::Nothing;
        }
        let (mut single, mut open) = (Vec::new(), 0);
        for (index, access) in all.iter().enumerate() {
            let is_less = |order: &&Ordering| is_weaker(**order, access.order);
            for order in orders_of(access.kind).iter().filter(is_less) {
                let changed = with(self.program, &all, [(index, *order)]);
                match self.question(&changed, bounds, patience) {
                    Came::Right(limits) => {
                        single.push((index, *order, limits));
                        break;
                    }
                    Came::Wrong(_) => {}
                    Came::NotKnown => {
                        open += 1;
                        break;
                    }
                }
            }
        }
        let mut orders: Vec<(usize, Ordering)> = Vec::new();
        let mut common = Limits::default();
        for (index, order, limits) in &single {
            let mut tried = orders.clone();
            tried.push((*index, *order));
            let changed = with(self.program, &all, tried.iter().copied());
            let came = match orders.is_empty() {
                true => Came::Right(limits.clone()),
                false => self.question(&changed, bounds, patience),
            };
            if let Came::Right(limits) = came {
                orders = tried;
                common = limits;
            }
        }
        let changes = |(index, order, limits): &(usize, Ordering, Limits)| {
            let change = self.changes(&all, &[(*index, *order)]);
            change
                .into_iter()
                .map(|change| (change, limits.clone()))
                .next()
        };
        Advised::Weaker {
            single: single.iter().filter_map(changes).collect(),
            together: self.changes(&all, &orders),
            limits: common,
            open,
        }
    }

    fn changes(&self, all: &[Ordered], orders: &[(usize, Ordering)]) -> Vec<Change> {
        let mut changes: Vec<(usize, Change)> = (orders.iter())
            .map(|(index, to)| {
                let access = all[*index];
                let place = SourcePlace::of_site(self.program, access.site);
                let change = Change {
                    place,
                    kind: access.kind,
                    from: access.order,
                    to: *to,
                };
                (*index, change)
            })
            .collect();
        changes.sort_by_key(|(index, _)| *index);
        changes.into_iter().map(|(_, change)| change).collect()
    }

    fn is_over(&self) -> bool {
        (self.deadline).is_some_and(|deadline| Instant::now() >= deadline)
    }

    /// Whether a program goes wrong within bounds.
    fn question(&self, program: &Program, unwind: Option<u32>, patience: Duration) -> Came {
        let left = self
            .deadline
            .map(|end| end.saturating_duration_since(Instant::now()));
        let mut options = Options {
            time: Some(left.map_or(patience, |left| left.min(patience))),
            engines: [Name::Bounded].into(),
            encodings: [Encoding::Order].into(),
            looks_beside: false,
            coverage: false,
            advise: Advise::default(),
            ..self.options.clone()
        };
        options.bounds.unwind = unwind;
        if self.is_over() {
            return Came::NotKnown;
        }
        match (self.ask)(program, &options).verdict {
            Verdict::Violated(run) => Came::Wrong(run),
            Verdict::Safe => Came::Right(Limits::default()),
            Verdict::SafeUpTo(limits)
            | Verdict::Unknown {
                reason: Reason::Bounds,
                established: Some(limits),
            } => Came::Right(limits),
            Verdict::Unknown { .. } => Came::NotKnown,
        }
    }
}

/// The program with other orders.
fn with(
    program: &Program,
    all: &[Ordered],
    orders: impl IntoIterator<Item = (usize, Ordering)>,
) -> Program {
    let mut changed = program.clone();
    for (index, order) in orders {
        let Ordered { site, kind, .. } = all[index];
        changed.set_ordering((site.function, site.inst), kind == Kind::Failure, order);
    }
    changed
}

/// The orders that something can have, weaker ones before stronger ones.
fn orders_of(kind: Kind) -> &'static [Ordering] {
    use Ordering::{Acquire, AcquireRelease, Relaxed, Release, SequentiallyConsistent};
    match kind {
        Kind::Load | Kind::Failure => &[Relaxed, Acquire, SequentiallyConsistent],
        Kind::Store => &[Relaxed, Release, SequentiallyConsistent],
        // A relaxed fence is none.
        Kind::Update | Kind::Fence => &[
            Relaxed,
            Acquire,
            Release,
            AcquireRelease,
            SequentiallyConsistent,
        ],
    }
}

fn is_weaker(one: Ordering, other: Ordering) -> bool {
    use Ordering::{Acquire, AcquireRelease, Relaxed, Release, SequentiallyConsistent, Unordered};
    match (one, other) {
        (one, other) if one == other => false,
        (Unordered, _) | (_, SequentiallyConsistent) => true,
        (Relaxed, other) => other != Unordered,
        (Acquire | Release, AcquireRelease) => true,
        _ => false,
    }
}

/// A smallest set that has something of each of these, none of which is empty.
fn hitting_set(sets: &[BTreeSet<usize>]) -> BTreeSet<usize> {
    (1..=sets.len())
        .find_map(|size| hit(sets, size))
        .unwrap_or_default()
}

/// One of at most this size, if there is one.
fn hit(sets: &[BTreeSet<usize>], size: usize) -> Option<BTreeSet<usize>> {
    let Some(first) = sets.iter().min_by_key(|set| set.len()) else {
        return Some(BTreeSet::new());
    };
    if size == 0 {
        return None;
    }
    first.iter().find_map(|one| {
        let left = sets.iter().filter(|set| !set.contains(one));
        let left: Vec<BTreeSet<usize>> = left.cloned().collect();
        let mut found = hit(&left, size - 1)?;
        found.insert(*one);
        Some(found)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn smallest_sets_hit_all() {
        let check = |sets: &[&[usize]], expected: &[usize]| {
            let sets: Vec<BTreeSet<usize>> = (sets.iter())
                .map(|set| set.iter().copied().collect())
                .collect();
            let found: Vec<usize> = hitting_set(&sets).into_iter().collect();
            assert_eq!(found, expected, "{sets:?}");
        };
        check(&[&[1, 2]], &[1]);
        check(&[&[1, 2], &[2, 3]], &[2]);
        check(&[&[1, 2], &[2, 3], &[1, 3]], &[1, 2]);
        check(&[&[1, 4], &[2, 4], &[3, 4], &[5]], &[4, 5]);
        check(&[&[1], &[2], &[3]], &[1, 2, 3]);
    }

    #[test]
    fn orders_come_after_those_that_are_weaker() {
        for kind in [
            Kind::Load,
            Kind::Store,
            Kind::Update,
            Kind::Failure,
            Kind::Fence,
        ] {
            for (index, order) in orders_of(kind).iter().enumerate() {
                for later in &orders_of(kind)[index..] {
                    assert!(!is_weaker(*later, *order), "{later:?} {order:?}");
                }
            }
        }
        assert!(!is_weaker(Ordering::Acquire, Ordering::Release));
        assert!(is_weaker(Ordering::Relaxed, Ordering::Acquire));
    }
}
