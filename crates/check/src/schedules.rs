//! Searching the schedules of one query part by part.
//!
//! Freezes a formula and the literals of its schedule for a strategy, and makes
//! an answer of what comes back. Which parts there are and who works on them is
//! the strategy's business; a model is replayed here as any other.

use crate::attempt::{Answer, Query, Task};
use crate::facts::{Limits, Reason};
use crate::question::Question;
use crate::verdict::{Attempt, Order, Progress, Stage};
use crate::{bounded, export};
use clauses::ClauseList;
use encode::{Asked, Contexts, Encoding};
use search::{Checkpoint, ContextSchedule, Identity, Means, Outcome, Problem, Strategy};
use solve::Backend;
use std::time::Instant;
use unfold::{Threads, Unfolding};

impl Task<'_> {
    /// How to search; `None` to ask one question.
    pub(crate) fn strategy(&self) -> Option<Strategy> {
        let search = &self.options.search;
        if self.options.goes_on() {
            return None;
        }
        // Bounds that grow are asked about by one solver that goes on from one to
        // the next, which a search by parts could not.
        // Several of a program that is always the same would do the same.
        let can_share = search.cores > 1
            && self.options.bounds.are_given()
            && search.solver == Backend::Cadical;
        match &search.strategy {
            Some(Strategy::Whole) => can_share.then_some(Strategy::Whole),
            Some(strategy) => Some(strategy.clone()),
            None if !can_share => None,
            // Where the order of threads is given, cutting the space finer makes
            // violations harder to hit; where it is free, it saves work.
            None => match self.options.bounds.order {
                Some(Order::Rounds(_)) => Some(Strategy::Whole),
                _ => Some(Strategy::Cubes),
            },
        }
    }

    /// Looks for a violation with a strategy.
    pub(crate) fn ask_by_parts(
        &self,
        unfolding: &Unfolding,
        order: Order,
        query: &Query,
        strategy: &Strategy,
        record: &mut Attempt,
    ) -> Answer {
        let threads = &unfolding.threads;
        let start = Instant::now();
        let dump = export::for_query(self.options.dump.as_deref());
        let mut clauses = ClauseList::new();
        let goals = self.goals(unfolding);
        let encoding = self.encode_contexts(unfolding, order, query, goals, &mut clauses);
        let mut encoding = match encoding {
            Ok(encoding) => encoding,
            Err(answer) => return answer,
        };
        let violated = encoding.any_violation(&mut clauses);
        let parts =
            (self.can_ask_by_kind()).then(|| encoding.violation_by_kind(threads, &mut clauses));
        let schedule = freeze(threads, &mut encoding, &mut clauses);
        record.encoding = start.elapsed();
        record.variables = clauses.variable_count() as usize;
        record.clauses = clauses.clause_count();
        record.strategy = Some(strategy.name());
        if let Some(path) = dump
            && let Err(error) = export::write_query(path, &clauses, violated)
        {
            return Answer::Unknown(bounded::cannot_write(path, &error));
        }
        let checkpoint = match self.checkpoint(order, query, strategy, &clauses) {
            Ok(checkpoint) => checkpoint,
            Err(error) => {
                let problem = error.to_string();
                return Answer::Unknown(Reason::Checkpoint { problem });
            }
        };
        let start = Instant::now();
        let problem = Problem {
            clauses,
            query: violated,
            parts: parts.into_iter().flatten().collect(),
        };
        let search = &self.options.search;
        let options = search::Options {
            cores: search.cores,
            deadline: query.deadline,
            memory: self.options.memory,
            seed: search.seed,
            ..search::Options::default()
        };
        let mut watch = |progress: &search::Progress| {
            (self.watch)(&Progress {
                stage: Stage::Solving,
                order: Some(order),
                unwind: Some(query.unwind),
                search: Some(progress.clone()),
            })
        };
        let factory = search.factory();
        let make = search::solvers(&factory, strategy);
        let means = Means {
            make: &make,
            options: &options,
            checkpoint,
            watch: &mut watch,
        };
        let report = search::search_schedules(problem, &schedule, strategy, means);
        record.solving = start.elapsed();
        record.conflicts = report.statistics.conflicts;
        record.search = report.statistics;
        match report.outcome {
            Outcome::None => Answer::None(Limits::default()),
            Outcome::Incomplete(left_out) => {
                let limits = Limits::default();
                Answer::Partly(Box::new((left_out, limits)))
            }
            Outcome::Stopped(solve::Reason::Interrupted | solve::Reason::Deadline) => {
                self.interruption(query.deadline)
            }
            Outcome::Stopped(reason) => Answer::Unknown(bounded::solver_failed(&reason)),
            Outcome::Found(found) => {
                let start = Instant::now();
                let model = encoding.model(threads, &|literal| found.value(literal));
                let answer = bounded::confirm(self, unfolding, &model, query);
                record.replaying = start.elapsed();
                answer
            }
        }
    }

    fn checkpoint(
        &self,
        order: Order,
        query: &Query,
        strategy: &Strategy,
        clauses: &ClauseList,
    ) -> Result<Option<Checkpoint>, search::CheckpointError> {
        let Some(path) = &self.options.search.checkpoint else {
            return Ok(None);
        };
        // The sizes tell apart versions that make other formulas.
        let question = Question::of(self.options, order, query.unwind);
        let identity = Identity {
            program: format!("{:016x}", self.digest),
            bounds: format!(
                "{question}, {} variables, {} clauses",
                clauses.variable_count(),
                clauses.clause_count()
            ),
            strategy: match strategy {
                // Slices of the same partitions can go on from each other.
                Strategy::Partition(slice) => format!("partition {}", slice.n_partitions()),
                strategy => strategy.name().to_owned(),
            },
        };
        let key = self.options.search.key.clone();
        Checkpoint::open(path, identity, key).map(Some)
    }
}

/// The literals of the schedule, as plain tables.
fn freeze(threads: &Threads, encoding: &mut Contexts, clauses: &mut ClauseList) -> ContextSchedule {
    let contexts = encoding.contexts();
    let ids: Vec<_> = threads.threads.keys().collect();
    // There is always one more context in which nothing is passed.
    let truth = encoding.unused_from(contexts, clauses);
    let run = (0..contexts)
        .map(|context| {
            let row = ids.iter().map(|id| encoding.run(context, *id, clauses));
            row.collect()
        })
        .collect();
    let unused_from = (0..=contexts)
        .map(|context| encoding.unused_from(context, clauses))
        .collect();
    let frozen = ids.iter().map(|id| {
        let positions = &threads.threads[*id].positions;
        search::Thread {
            done: (0..positions.len())
                .map(|position| {
                    let row = (0..contexts).map(|c| encoding.done(*id, position, c, clauses));
                    row.collect()
                })
                .collect(),
            may_wait: (positions.iter())
                .map(|position| !position.requires.is_empty() || !position.joins.is_empty())
                .collect(),
        }
    });
    let threads = frozen.collect();
    ContextSchedule {
        truth,
        run,
        unused_from,
        threads,
    }
}
