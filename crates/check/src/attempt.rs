//! One query: is there a violation within exactly these bounds?

use crate::feed::Feed;
use crate::verdict::{Attempt, CutLoop, Limits, Options, Order, Progress, Stage};
use crate::witness;
use analysis::Loops;
use ir::Program;
use replay::{Property, Run};
use solve::{Budget, Outcome, Reason, SatSolver};
use std::collections::{BTreeMap, HashMap};
use std::time::Instant;
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

pub enum Answer {
    Violated(Box<Run>),
    /// There is none, up to these limits.
    None(Limits),
    Unknown(String),
}

impl Task<'_> {
    fn keep_going(&self, progress: &Progress) -> bool {
        self.deadline.is_none_or(|deadline| Instant::now() < deadline) && (self.watch)(progress)
    }

    /// Why something ended that was told not to go on.
    fn interruption(&self) -> String {
        if self.deadline.is_some_and(|deadline| Instant::now() >= deadline) {
            "the time is over".to_owned()
        } else if self.is_short_of_memory() {
            "the limit on memory was reached".to_owned()
        } else {
            "interrupted".to_owned()
        }
    }

    fn is_short_of_memory(&self) -> bool {
        match (self.options.memory, memory_of_process("VmRSS:")) {
            (Some(limit), Some(used)) => used > limit,
            _ => false,
        }
    }

    /// Unfolds the program, on a stack that is deep enough for deep calls.
    pub fn unfold(&self, order: Order, unwind: u32) -> Result<Unfolding, String> {
        let bounds = &self.options.bounds;
        let config = &self.options.config;
        let options = unfold::Options {
            unwind,
            unwind_every_loop: bounds.unwind_every_loop,
            unwind_loops: self.loops.clone(),
            turns: match order {
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
                && self.keep_going(&Progress {
                    stage: Stage::Unfolding,
                    order: Some(order),
                    unwind: Some(unwind),
                    conflicts: 0,
                })
        };
        unfold::unfold(self.program, &options, &mut keep_going).map_err(|error| match error {
            Error::Interrupted => self.interruption(),
            Error::Unsupported { what, location } => match location {
                Some(location) => format!(
                    "{}: {what} is not supported",
                    self.program.describe_location(location)
                ),
                None => format!("{what} is not supported"),
            },
            Error::Again => "internal error: unfolding did not come to an end".to_owned(),
        })
    }

    /// Answers one query, and says what it cost.
    pub fn attempt(&self, order: Order, unwind: u32) -> (Answer, Attempt) {
        let mut record = Attempt {
            order: Some(order),
            unwind: Some(unwind),
            ..Attempt::default()
        };
        let start = Instant::now();
        let unfolded = self.unfold(order, unwind);
        record.unfolding = start.elapsed();
        let answer = match unfolded {
            Err(reason) => Answer::Unknown(reason),
            Ok(unfolding) => self.solve(&unfolding, order, unwind, &mut record),
        };
        record.peak_memory = memory_of_process("VmHWM:").unwrap_or(0);
        record.result = match &answer {
            Answer::Violated(_) => "violated".to_owned(),
            Answer::None(_) => "none".to_owned(),
            Answer::Unknown(reason) => reason.clone(),
        };
        (answer, record)
    }

    fn solve(
        &self,
        unfolding: &Unfolding,
        order: Order,
        unwind: u32,
        record: &mut Attempt,
    ) -> Answer {
        let threads = &unfolding.threads;
        record.threads = threads
            .threads
            .values()
            .map(|thread| (thread.name.clone(), thread.positions.len()))
            .collect();
        record.cells = threads.cells.len();
        let count = threads.threads.len() as u32;
        let contexts = match order {
            Order::Contexts(contexts) => contexts,
            Order::Rounds(rounds) => rounds * count,
        };
        let enough = most_contexts(record.threads.iter().map(|(_, positions)| *positions));
        let limits = |enough_contexts: bool| Limits {
            order: (!enough_contexts).then_some(order),
            loops: self.cut_loops(unfolding, unwind),
            others: unfolding.limits.iter().cloned().collect(),
        };
        let covers_all = unfolding.is_settled
            && match order {
                Order::Contexts(contexts) => u64::from(contexts) >= enough,
                Order::Rounds(rounds) => count <= 1 || u64::from(rounds) >= enough,
            };
        if threads.violations.is_empty() {
            // Nothing can go wrong in any order of steps.
            return Answer::None(limits(unfolding.is_settled));
        }
        let progress = |stage, conflicts| Progress {
            stage,
            order: Some(order),
            unwind: Some(unwind),
            conflicts,
        };
        let start = Instant::now();
        let mut feed = Feed::new(self.options.dump.is_some());
        // More contexts than any run has cost time and change nothing.
        let contexts = match order {
            Order::Contexts(_) => u64::from(contexts).min(enough) as usize,
            Order::Rounds(_) => contexts as usize,
        };
        let mut options = encode::Options::new(contexts);
        options.round_robin = matches!(order, Order::Rounds(_));
        options.normal_forms = self.options.normal_forms;
        let encoded = encode::encode(threads, &options, &mut feed, &mut || {
            !self.is_short_of_memory() && self.keep_going(&progress(Stage::Encoding, 0))
        });
        let Some(mut encoding) = encoded else {
            return Answer::Unknown(self.interruption());
        };
        let query = encoding.any_violation(&mut feed);
        record.encoding = start.elapsed();
        record.variables = feed.variables;
        record.clauses = feed.clauses;
        if let Some(path) = &self.options.dump
            && let Some(copy) = feed.copy()
            && let Err(error) = dump(path, copy, query)
        {
            return Answer::Unknown(format!("cannot write {}: {error}", path.display()));
        }
        let start = Instant::now();
        let outcome = self.search(&mut feed, query, &|conflicts| {
            progress(Stage::Solving, conflicts)
        });
        record.solving = start.elapsed();
        record.conflicts = feed.solver.statistics().conflicts.unwrap_or(0);
        match outcome {
            Outcome::Unsatisfiable => Answer::None(limits(covers_all)),
            Outcome::Unknown(Reason::Interrupted) => Answer::Unknown(self.interruption()),
            Outcome::Unknown(Reason::Deadline) => Answer::Unknown("the time is over".to_owned()),
            Outcome::Unknown(reason) => Answer::Unknown(reason.to_string()),
            Outcome::Satisfiable => {
                let start = Instant::now();
                let model = encoding.model(threads, |literal| feed.value(literal));
                let answer = self.confirm(unfolding, &model, &progress(Stage::Replaying, 0));
                record.replaying = start.elapsed();
                answer
            }
        }
    }

    /// Runs the solver, with an eye on the user.
    fn search(
        &self,
        feed: &mut Feed,
        query: i32,
        progress: &dyn Fn(u64) -> Progress,
    ) -> Outcome {
        let mut budget = Budget {
            deadline: self.deadline,
            memory: self.options.memory,
            ..Budget::default()
        };
        // Short calls at first, so that a sign of life comes soon; the solver goes
        // on where it stopped.
        let mut conflicts = 2_000;
        loop {
            budget.conflicts = Some(conflicts);
            let outcome = feed.solver.solve(&[Feed::literal(query)], &budget);
            if outcome != Outcome::Unknown(Reason::Conflicts) {
                return outcome;
            }
            let so_far = feed.solver.statistics().conflicts.unwrap_or(0);
            if !self.keep_going(&progress(so_far)) {
                return Outcome::Unknown(Reason::Interrupted);
            }
            conflicts = (conflicts * 2).min(50_000);
        }
    }

    fn confirm(
        &self,
        unfolding: &Unfolding,
        model: &encode::Model,
        progress: &Progress,
    ) -> Answer {
        let config = replay::Config {
            unwind: None,
            ..self.options.config.clone()
        };
        let stage = witness::Stage {
            image: &self.image,
            config: &config,
            digest: self.digest,
        };
        let run = witness::replay(&stage, unfolding, model, &mut |_| self.keep_going(progress));
        let problem = match run {
            Ok(run) => {
                let is_found = run.violations.iter().any(|violation| {
                    let property = violation.kind.property();
                    property == Property::Assert && config.checks.has(property)
                });
                if is_found {
                    return Answer::Violated(Box::new(run));
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

fn dump(path: &std::path::Path, clauses: &formula::ClauseList, query: i32) -> std::io::Result<()> {
    let mut file = std::io::BufWriter::new(std::fs::File::create(path)?);
    let mut clauses = clauses.clone();
    formula::ClauseSink::add_clause(&mut clauses, &[query]);
    clauses.write_dimacs(&["a query of threadbare"], &mut file)
}

/// A figure from what the system says about this process, in bytes.
fn memory_of_process(field: &str) -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let value = status.lines().find_map(|line| line.strip_prefix(field))?;
    let kibibytes: u64 = value.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kibibytes * 1024)
}
