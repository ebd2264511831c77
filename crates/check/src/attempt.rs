//! One query: is there a violation within exactly these bounds?

use crate::feed::Feed;
use crate::verdict::{Attempt, CutLoop, Limits, Options, Order, Progress, Stage};
use crate::{export, witness};
use analysis::Loops;
use ir::Program;
use replay::{Property, Run};
use solve::{Budget, Outcome, Reason, SatSolver, memory};
use std::collections::{BTreeMap, HashMap};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use unfold::{Error, Unfolding};

/// Terms beyond this are too many for any solver.
const MAX_TERMS: usize = 40_000_000;

/// Everything that stays the same from query to query.
pub struct Task<'a> {
    pub program: &'a Program,
    pub options: &'a Options,
    pub image: replay::Image<'a>,
    pub digest: u64,
    pub deadline: Option<Instant>,
    pub watch: &'a (dyn Fn(&Progress) -> bool + Sync),
    /// Bounds of single loops, by header.
    pub loops: HashMap<(ir::FunctionId, analysis::LoopId), u32>,
    pub can_free: bool,
}

/// The bounds of one query, and when to give up.
#[derive(Clone, Copy)]
pub struct Query {
    pub order: Order,
    pub unwind: u32,
    pub deadline: Option<Instant>,
}

impl Query {
    fn keep_going(&self, watch: &(dyn Fn(&Progress) -> bool + Sync), stage: Stage) -> bool {
        let has_time = self
            .deadline
            .is_none_or(|deadline| Instant::now() < deadline);
        has_time
            && watch(&Progress {
                stage,
                order: Some(self.order),
                unwind: Some(self.unwind),
            })
    }
}

pub enum Answer {
    Violated(Box<Run>),
    /// There is none, up to these limits.
    None(Limits),
    Unknown(String),
    /// The time for this query was over, though perhaps not the user's.
    TooLong,
}

impl Task<'_> {
    /// The answer when something was told not to go on.
    fn interruption(&self, deadline: Option<Instant>) -> Answer {
        if deadline.is_some_and(|deadline| Instant::now() >= deadline) {
            Answer::TooLong
        } else if self.is_short_of_memory() {
            Answer::Unknown("the limit on memory was reached".to_owned())
        } else {
            Answer::Unknown("interrupted".to_owned())
        }
    }

    fn is_short_of_memory(&self) -> bool {
        match (self.options.memory, memory::resident()) {
            (Some(limit), Some(used)) => used > limit,
            _ => false,
        }
    }

    /// Unfolds the program.
    fn unfold(&self, query: &Query) -> Result<Unfolding, Answer> {
        let bounds = &self.options.bounds;
        let config = &self.options.config;
        let options = unfold::Options {
            unwind: query.unwind,
            unwind_every_loop: bounds.unwind_every_loop,
            unwind_loops: self.loops.clone(),
            turns: match query.order {
                Order::Contexts(turns) | Order::Rounds(turns) => Some(turns),
            },
            spurious_wakeups: config.spurious_wakeups,
            malloc_may_fail: config.malloc_may_fail,
            address_reuse: config.address_reuse,
            can_free: self.can_free,
            arguments: config.arguments.clone(),
        };
        let mut keep_going = |terms: usize| {
            terms < MAX_TERMS
                && !self.is_short_of_memory()
                && self.keep_going(query, Stage::Unfolding)
        };
        unfold::unfold(self.program, &options, &mut keep_going).map_err(|error| match error {
            Error::Interrupted => self.interruption(query.deadline),
            Error::Unsupported { what, location } => Answer::Unknown(match location {
                Some(location) => format!(
                    "{}: {what} is not supported",
                    self.program.describe_location(location)
                ),
                None => format!("{what} is not supported"),
            }),
            Error::Again => {
                Answer::Unknown("internal error: unfolding did not come to an end".to_owned())
            }
        })
    }

    fn keep_going(&self, query: &Query, stage: Stage) -> bool {
        query.keep_going(self.watch, stage)
    }

    /// Answers one query, and says what it cost.
    pub fn attempt(&self, query: &Query) -> (Answer, Attempt) {
        let mut record = Attempt {
            order: Some(query.order),
            unwind: Some(query.unwind),
            ..Attempt::default()
        };
        let start = Instant::now();
        let unfolded = self.unfold(query);
        record.unfolding = start.elapsed();
        let answer = match unfolded {
            Err(answer) => answer,
            Ok(mut unfolding) => self.solve(&mut unfolding, query, &mut record),
        };
        record.peak_memory = memory::peak().unwrap_or(0);
        record.result = match &answer {
            Answer::Violated(_) => "violated".to_owned(),
            Answer::None(_) => "none".to_owned(),
            Answer::Unknown(reason) => reason.clone(),
            Answer::TooLong => "took too long".to_owned(),
        };
        (answer, record)
    }

    fn solve(&self, unfolding: &mut Unfolding, query: &Query, record: &mut Attempt) -> Answer {
        let threads = &unfolding.threads;
        record.threads = threads
            .threads
            .values()
            .map(|thread| (thread.name.clone(), thread.positions.len()))
            .collect();
        record.cells = threads.cells.len();
        let count = threads.threads.len() as u32;
        let enough = most_contexts(record.threads.iter().map(|(_, positions)| *positions));
        let covers_all = unfolding.is_settled
            && match query.order {
                Order::Contexts(contexts) => u64::from(contexts) >= enough,
                Order::Rounds(rounds) => count <= 1 || u64::from(rounds) >= enough,
            };
        let mut limits = Limits {
            order: (!covers_all).then_some(query.order),
            loops: self.cut_loops(unfolding, query.unwind),
            others: unfolding.limits.iter().cloned().collect(),
        };
        if threads.violations.is_empty() {
            // Nothing can go wrong in any order of steps.
            if unfolding.is_settled {
                limits.order = None;
            }
            return Answer::None(limits);
        }
        // More contexts than any run has cost time and change nothing.
        let contexts = match query.order {
            Order::Contexts(contexts) => u64::from(contexts).min(enough) as usize,
            Order::Rounds(rounds) => (rounds * count) as usize,
        };
        match self.ask(unfolding, query, contexts, Some(record)) {
            Answer::None(_) => {}
            answer => return answer,
        }
        // Cuts that no run comes to are none.
        if covers_all && !limits.loops.is_empty() {
            let threads = &mut unfolding.threads;
            threads.violations = unfolding
                .cut_moments
                .iter()
                .map(|index| threads.excluded[*index])
                .collect();
            let mut index = 0;
            threads.excluded.retain(|_| {
                index += 1;
                !unfolding.cut_moments.contains(&(index - 1))
            });
            if let Answer::None(_) = self.ask(unfolding, query, contexts, None) {
                limits.loops.clear();
            }
        }
        Answer::None(limits)
    }

    /// Asks the solver whether any of the violations can happen. Without a record,
    /// it is enough to know whether.
    fn ask(
        &self,
        unfolding: &Unfolding,
        query: &Query,
        contexts: usize,
        record: Option<&mut Attempt>,
    ) -> Answer {
        let threads = &unfolding.threads;
        let is_main_query = record.is_some();
        let mut unrecorded = Attempt::default();
        let record = record.unwrap_or(&mut unrecorded);
        let start = Instant::now();
        let mut feed = Feed::new(self.options.dump.is_some() && is_main_query);
        let mut options = encode::Options::new(contexts);
        options.round_robin = matches!(query.order, Order::Rounds(_));
        options.normal_forms = self.options.normal_forms;
        let encoded = encode::encode(threads, &options, &mut feed, &mut || {
            !self.is_short_of_memory() && self.keep_going(query, Stage::Encoding)
        });
        let Some(mut encoding) = encoded else {
            return self.interruption(query.deadline);
        };
        let violated = encoding.any_violation(&mut feed);
        record.encoding = start.elapsed();
        record.variables = feed.variables;
        record.clauses = feed.clauses;
        if let Some(path) = &self.options.dump
            && let Some(copy) = feed.copy()
            && let Err(error) = export::write(path, copy, violated)
        {
            return Answer::Unknown(format!("cannot write {}: {error}", path.display()));
        }
        let start = Instant::now();
        let outcome = self.search(&mut feed, violated, query);
        record.solving = start.elapsed();
        record.conflicts = feed.solver.statistics().conflicts.unwrap_or(0);
        match outcome {
            Outcome::Unsatisfiable => Answer::None(Limits::default()),
            Outcome::Unknown(Reason::Interrupted | Reason::Deadline) => {
                self.interruption(query.deadline)
            }
            Outcome::Unknown(reason) => Answer::Unknown(reason.to_string()),
            Outcome::Satisfiable if !is_main_query => Answer::Unknown("it can happen".to_owned()),
            Outcome::Satisfiable => {
                let start = Instant::now();
                let model = encoding.model(threads, |literal| feed.value(literal));
                let answer = self.confirm(unfolding, &model, query);
                record.replaying = start.elapsed();
                answer
            }
        }
    }

    /// Runs the solver, while somebody keeps an eye on the user.
    fn search(&self, feed: &mut Feed, violated: i32, query: &Query) -> Outcome {
        let budget = Budget {
            deadline: query.deadline,
            memory: self.options.memory,
            ..Budget::default()
        };
        let interrupter = feed.solver.interrupter();
        let watch = self.watch;
        let is_over = AtomicBool::new(false);
        std::thread::scope(|scope| {
            let watcher = scope.spawn(|| {
                while !is_over.load(Ordering::Relaxed) {
                    std::thread::park_timeout(Duration::from_millis(100));
                    if !query.keep_going(watch, Stage::Solving) {
                        interrupter.interrupt();
                        return;
                    }
                }
            });
            let outcome = feed.solver.solve(&[Feed::literal(violated)], &budget);
            is_over.store(true, Ordering::Relaxed);
            watcher.thread().unpark();
            outcome
        })
    }

    fn confirm(&self, unfolding: &Unfolding, model: &encode::Model, query: &Query) -> Answer {
        let config = replay::Config {
            unwind: None,
            ..self.options.config.clone()
        };
        let stage = witness::Stage {
            image: &self.image,
            config: &config,
            digest: self.digest,
        };
        let run = witness::replay(&stage, unfolding, model, &mut |_| {
            self.keep_going(query, Stage::Replaying)
        });
        let problem = match run {
            Ok(run) => {
                let is_found = run.violations.iter().any(|violation| {
                    let property = violation.kind.property();
                    property == Property::Assert && config.checks.has(property)
                });
                if is_found {
                    return Answer::Violated(Box::new(run));
                }
                if run.outcome == replay::Outcome::Interrupted {
                    return self.interruption(query.deadline);
                }
                format!("the run ends with {:?}", run.outcome)
            }
            Err(misfit) => misfit.to_string(),
        };
        if unfolding.is_coarse {
            Answer::Unknown(format!(
                "a violation is possible as far as the formula can tell, but could not be \
                 confirmed: {problem}"
            ))
        } else {
            Answer::Unknown(format!(
                "internal error: a violation was found that does not replay: {problem}"
            ))
        }
    }

    fn cut_loops(&self, unfolding: &Unfolding, unwind: u32) -> Vec<CutLoop> {
        let mut names: BTreeMap<ir::FunctionId, Loops> = BTreeMap::new();
        let mut cuts = Vec::new();
        for (function, id) in &unfolding.cuts {
            let data = &self.program.functions[*function];
            let Some(body) = &data.body else {
                continue;
            };
            cuts.push(match id {
                None => CutLoop {
                    name: data.name.clone(),
                    location: data.location,
                    bound: unwind,
                    is_recursion: true,
                },
                Some(id) => {
                    let loops = names.entry(*function).or_insert_with(|| Loops::of(body));
                    let own = self.loops.get(&(*function, *id)).copied();
                    CutLoop {
                        name: format!("{}.{}", data.name, id.as_u32()),
                        location: loops.location(*id),
                        bound: own.unwrap_or(unwind),
                        is_recursion: false,
                    }
                }
            });
        }
        cuts.sort();
        cuts
    }
}

/// The most contexts in which something happens that a run can have. Neighbouring
/// contexts belong to different threads, and each passes a position; main's first
/// may pass none.
fn most_contexts(positions: impl Iterator<Item = usize>) -> u64 {
    let (mut sum, mut most) = (0, 0);
    for count in positions {
        sum += count as u64;
        most = most.max(count as u64);
    }
    1 + sum.min(2 * (sum - most) + 1)
}
