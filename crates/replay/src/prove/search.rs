//! Visits all states: begins, hands them out, and puts together what was found.

use super::alone::{Alone, Mistake, Prospects};
use super::components::Components;
use super::contents::Contents;
use super::crew::Crew;
use super::dead::DeadMemory;
use super::findings::Findings;
use super::inputs::Script;
use super::steps::{MOST_ANSWERS, Notices, Steps};
use super::symmetry::Symmetry;
use super::table::{StateId, Stretch, Table};
use super::threads::Knowledge;
use super::visit::Visitor;
use super::{Aid, Proof, ProofOptions, ProofProgress};
use crate::explore::{Interruption, Limit};
use crate::image::Image;
use crate::inputs::InputKind;
use crate::machine::{Config, Excluded, Machine};
use crate::open_inputs::OpenInputs;
use crate::violation::Property;
use ir::Program;
use std::collections::{BTreeSet, HashMap};
use std::sync::Mutex;
use std::thread::{Scope, ScopedJoinHandle};

/// States to expand before somebody is asked whether to go on.
const PACE: usize = 256;
/// The same for steps of the interpreter, which may take long.
const INTERPRETED_PACE: u64 = 8;
/// States to visit at most where decisions are taken both ways. Runs that there are not
/// may go on for ever, and what goes wrong is found with values.
pub(super) const MOST_COARSE: usize = 500_000;

/// Visits all states. If there is nothing to be said against the program but that
/// waits might end without a signal, it tries that too.
pub(super) fn search(
    image: &Image,
    config: &Config,
    digest: u64,
    options: &ProofOptions,
    keep_going: &mut dyn FnMut(&ProofProgress) -> bool,
    aid: &Aid,
) -> Proof {
    let mut proof = search_open(image, config, digest, options, keep_going, aid);
    let is_closed = proof.violations.is_empty()
        && proof.dependent.is_empty()
        && proof.interrupted.is_none()
        && proof.unsupported.is_empty();
    let excluded = Limit::Excluded(Excluded::SpuriousWakeups);
    if !options.tries_spurious_wakeups || !is_closed || !proof.limits.contains(&excluded) {
        return proof;
    }
    let mut spurious = config.clone();
    spurious.surroundings.spurious_wakeups = true;
    let more = search_open(image, &spurious, digest, options, keep_going, aid);
    proof.states += more.states;
    proof.steps += more.steps;
    proof.bytes = proof.bytes.max(more.bytes);
    proof.state_bytes = proof.state_bytes.max(more.state_bytes);
    if more.violations.is_empty() && more.is_complete() {
        proof.limits.remove(&excluded);
        proof.coverage.merge(&more.coverage);
        proof.is_coarse |= more.is_coarse;
    } else {
        proof.spurious = more.violations;
        proof.mistakes.extend(more.mistakes);
    }
    proof
}

/// Visits all states, with inputs left open as far as that is right.
fn search_open(
    image: &Image,
    config: &Config,
    digest: u64,
    options: &ProofOptions,
    keep_going: &mut dyn FnMut(&ProofProgress) -> bool,
    aid: &Aid,
) -> Proof {
    let mut options = options.clone();
    // Both use the same shadows.
    if config.checks.has(Property::Uninitialised) {
        options.inputs.open = OpenInputs::NONE;
    }
    loop {
        let left_open = match search_once(image, config, digest, &options, keep_going, aid) {
            Ok(proof) => return *proof,
            Err(left_open) => left_open,
        };
        options.inputs.add_points(&left_open.points);
        let left_open = left_open.kinds;
        // What programs ask for is what they look at, as a rule.
        let open = &mut options.inputs.open;
        if open.decides {
            open.decides = false;
        } else if open.nondet && left_open.contains(&InputKind::Nondet) {
            open.nondet = false;
        } else if open.unknown_calls && left_open.contains(&InputKind::UnknownCall) {
            open.unknown_calls = false;
        } else {
            *open = OpenInputs::NONE;
        }
    }
}

/// Inputs that were left open: their kinds, and where they were told apart.
#[derive(Default)]
struct LeftOpen {
    kinds: BTreeSet<InputKind>,
    points: BTreeSet<u64>,
}

/// The same; what was left open, if something depends on it.
fn search_once(
    image: &Image,
    config: &Config,
    digest: u64,
    options: &ProofOptions,
    keep_going: &mut dyn FnMut(&ProofProgress) -> bool,
    aid: &Aid,
) -> Result<Box<Proof>, LeftOpen> {
    let is_partial = options.reductions.partial_order && !image.can_jump;
    let points_to = is_partial.then(|| analysis::PointsTo::of(image.program));
    let prospects = points_to
        .as_ref()
        .and_then(|points_to| Prospects::of(image.program, config, points_to));
    let question = Question {
        program: image.program,
        config,
        // What needs to know about several threads is looked for by visitors.
        single: Config {
            checks: config.checks.without(Property::Race),
            partial_deadlocks: false,
            keep_coverage: true,
            keep_output: false,
            ..config.clone()
        },
        digest,
        options,
        prospects,
        contents: Contents::default(),
        table: Table::new(options.cores),
        starts: Mutex::default(),
    };
    let mut main = question.visitor(image);
    question.begin(&mut main, image, keep_going);
    let crew = Crew::default();
    let mut parts = std::thread::scope(|scope| {
        let mut leader = Leader {
            question: &question,
            crew: &crew,
            scope,
            aid,
            helpers: Vec::new(),
            keep_going,
            interpreted: 0,
        };
        leader.run(&mut main);
        crew.end();
        let helpers = leader.helpers.into_iter();
        let parts = helpers.map(|helper| match helper.join() {
            Ok(part) => part,
            Err(panic) => std::panic::resume_unwind(panic),
        });
        parts.collect::<Vec<Part>>()
    });
    parts.insert(0, Part::of(main));
    question.put_together(parts)
}

/// What is asked, and what all share who answer it.
struct Question<'a> {
    program: &'a Program,
    config: &'a Config,
    single: Config,
    digest: u64,
    options: &'a ProofOptions,
    prospects: Option<Prospects<'a>>,
    contents: Contents,
    table: Table,
    /// The answers that lead to states in which runs begin.
    starts: Mutex<HashMap<StateId, Vec<u128>>>,
}

impl<'a> Question<'a> {
    fn visitor(&'a self, image: &'a Image<'a>) -> Visitor<'a> {
        let Question {
            config, options, ..
        } = self;
        let reductions = &options.reductions;
        let forgets = reductions.dead_locals && !config.checks.has(Property::Leak);
        let knowledge = Knowledge::new(image, forgets);
        let components = Components::new(image, &self.single, knowledge, &self.contents);
        let prospects = self.prospects.as_ref();
        let alone = prospects.map(|prospects| Alone::new(image, config, prospects, *reductions));
        let ignores_names = reductions.mistake == Some(Mistake::IgnoresNames);
        let is_symmetric = reductions.symmetry && alone.is_some();
        let symmetry = is_symmetric.then(|| Symmetry::new(ignores_names));
        let forgets_memory = reductions.dead_memory && alone.is_some();
        let dead = forgets_memory.then(|| DeadMemory::new(reductions.mistake));
        let steps = Steps::new(components, alone, symmetry, dead, &options.inputs);
        let findings = Findings::new(image, config, self.digest, options, &self.starts);
        Visitor::new(config, options, &self.table, steps, findings)
    }

    /// Finds the states in which runs begin.
    fn begin(
        &'a self,
        main: &mut Visitor<'a>,
        image: &'a Image<'a>,
        keep_going: &mut dyn FnMut(&ProofProgress) -> bool,
    ) {
        let options = self.options;
        let mut buffer = Vec::new();
        let mut open: Vec<Vec<u128>> = vec![Vec::new()];
        let mut count = 0;
        while let Some(answers) = open.pop()
            && !main.is_done()
        {
            count += 1;
            if count > MOST_ANSWERS {
                main.steps.has_too_many_answers = true;
                return;
            }
            if !keep_going(&ProofProgress::default()) {
                main.proof.interrupted = Some(Interruption::Asked);
                return;
            }
            let mut script = Script::new(&answers, &options.inputs);
            let footprint = main.steps.components.footprint.clone();
            let open_inputs = options.inputs.open;
            let (mut machine, started) =
                Machine::start_open(image, &self.single, &mut script, open_inputs, footprint);
            let looks = main.steps.components.footprint.take();
            main.steps.note_open(&looks);
            for (index, values) in script.asked.iter().enumerate().skip(answers.len()) {
                for value in values.iter().skip(1) {
                    let mut others = script.given[..index].to_vec();
                    others.push(*value);
                    open.push(others);
                }
            }
            let notices = Notices {
                violations: machine.take_noticed(),
                stuck: machine.stuck().cloned().collect(),
                excluded: machine.excluded().to_vec(),
                unknown_calls: machine.unknown_calls().to_vec(),
                sampled: script.sampled,
                answers: script.given.clone(),
                stop: started.err().filter(|_| !script.is_overrun),
            };
            if let Some(coverage) = machine.coverage.as_deref() {
                main.steps.coverage.merge(coverage);
            }
            main.steps.has_too_many_answers |= script.is_overrun;
            let has_ended =
                script.is_overrun || notices.stop.is_some() || machine.exit_code().is_some();
            let start = script.given;
            main.note(None, notices, &start);
            if !has_ended {
                let state = main.steps.components.state(&machine);
                let (id, is_new) = self.table.insert(&state, None, &mut buffer);
                if is_new {
                    main.findings.add_start(id, start);
                }
            }
        }
    }

    /// One proof of those of all.
    fn put_together(&self, parts: Vec<Part>) -> Result<Box<Proof>, LeftOpen> {
        let mut left_open = LeftOpen::default();
        for part in &parts {
            left_open.kinds.extend(&part.left_open.kinds);
            left_open.points.extend(&part.left_open.points);
        }
        if parts.iter().any(|part| part.is_open_needed) {
            return Err(left_open);
        }
        let is_alone = parts.len() == 1;
        let has_too_many_answers = parts.iter().any(|part| part.has_too_many_answers);
        let has_guessed = parts.iter().any(|part| part.has_guessed);
        let has_decided = parts.iter().any(|part| part.has_decided);
        let mut proof = Proof {
            // Decisions about inputs with names know of each other.
            is_coarse: has_guessed,
            ..Proof::default()
        };
        for part in parts {
            proof.add(part.proof);
        }
        // What is not certain, because some decision was taken both ways, is not told.
        let is_large = has_guessed && self.table.len() > MOST_COARSE;
        if has_decided && (proof.tells_something() || has_too_many_answers || is_large) {
            return Err(left_open);
        }
        if !is_alone {
            proof.put_in_order(self.options.find_all);
        }
        proof.stopped_early = proof.interrupted.is_none()
            && !self.options.find_all
            && (!proof.violations.is_empty() || !proof.unsupported.is_empty());
        proof.states = self.table.len();
        proof.state_bytes = self.table.bytes();
        proof.bytes += self.table.bytes() + self.contents.bytes();
        Ok(Box::new(proof))
    }
}

/// What one of several has found.
struct Part {
    proof: Proof,
    left_open: LeftOpen,
    is_open_needed: bool,
    has_decided: bool,
    has_guessed: bool,
    has_too_many_answers: bool,
}

impl Part {
    fn of(visitor: Visitor) -> Part {
        Part {
            left_open: LeftOpen {
                kinds: visitor.steps.left_open.clone(),
                points: visitor.steps.points.clone(),
            },
            is_open_needed: visitor.steps.is_open_needed,
            has_decided: visitor.steps.has_decided,
            has_guessed: visitor.steps.has_guessed,
            has_too_many_answers: visitor.steps.has_too_many_answers,
            proof: visitor.finish(),
        }
    }
}

/// Visits states that are handed out, until there are no more.
fn help(question: &Question, crew: &Crew, aid: &Aid) -> Part {
    let config = question.config;
    let arguments = &config.surroundings.arguments;
    let Ok(image) = Image::new(question.program, arguments, config.memory_limit) else {
        // Then the others have to do it.
        return Part {
            proof: Proof::default(),
            left_open: LeftOpen::default(),
            is_open_needed: false,
            has_decided: false,
            has_guessed: false,
            has_too_many_answers: false,
        };
    };
    let mut visitor = question.visitor(&image);
    let mut layer = 0;
    let mut bytes = 0;
    while crew.wait() {
        aid(&mut || {
            let Some(work) = crew.take() else {
                return false;
            };
            if work.layer != layer {
                layer = work.layer;
                visitor.refresh();
            }
            for place in work.stretch.from..work.stretch.to {
                if crew.is_over() {
                    break;
                }
                visitor.expand(question.table.id(work.stretch.part, place));
                if visitor.has_failed() {
                    crew.end();
                }
            }
            let now = visitor.steps.bytes();
            crew.count_bytes(bytes, now);
            bytes = now;
            true
        });
    }
    Part::of(visitor)
}

/// The one who begins, and asks whether to go on.
struct Leader<'s, 'e, 'k> {
    question: &'s Question<'s>,
    crew: &'s Crew,
    scope: &'s Scope<'s, 'e>,
    aid: &'s Aid<'s>,
    helpers: Vec<ScopedJoinHandle<'s, Part>>,
    keep_going: &'k mut dyn FnMut(&ProofProgress) -> bool,
    /// Steps of the interpreter when it was last asked.
    interpreted: u64,
}

impl<'s> Leader<'s, '_, '_> {
    fn run(&mut self, main: &mut Visitor) {
        let table = &self.question.table;
        let mut seen = Vec::new();
        loop {
            let layer = table.new_states(&mut seen);
            if layer.is_empty() || main.is_done() || main.proof.interrupted.is_some() {
                return;
            }
            let count: usize = layer.iter().map(|stretch| stretch.to - stretch.from).sum();
            let options = self.question.options;
            let is_shared = options.cores > 1 && count >= options.worth_sharing;
            if is_shared {
                self.share(main, &layer);
                if self.crew.is_over() {
                    return;
                }
            } else {
                for stretch in layer {
                    self.visit(main, stretch, false);
                }
            }
            if !self.helpers.is_empty() {
                main.refresh();
            }
        }
    }

    /// Visits the states of a layer together with others.
    fn share(&mut self, main: &mut Visitor, layer: &[Stretch]) {
        let (question, crew, aid) = (self.question, self.crew, self.aid);
        while self.helpers.len() + 1 < question.options.cores {
            let helper = self.scope.spawn(move || help(question, crew, aid));
            self.helpers.push(helper);
        }
        crew.begin(layer);
        while let Some(work) = crew.take() {
            self.visit(main, work.stretch, true);
            if main.has_failed() || main.proof.interrupted.is_some() {
                crew.end();
            }
        }
        crew.wait_for_others(&mut || {
            if !self.may_go_on(main) {
                crew.end();
            }
        });
    }

    /// Visits some states; to the end, unless there is no use in that.
    fn visit(&mut self, main: &mut Visitor, stretch: Stretch, to_the_end: bool) {
        for place in stretch.from..stretch.to {
            let is_done = match to_the_end {
                true => main.has_failed() || self.crew.is_over(),
                false => main.is_done(),
            };
            if is_done || main.proof.interrupted.is_some() {
                return;
            }
            let is_due = main.steps.effort.learnt >= self.interpreted + INTERPRETED_PACE;
            if (is_due || place.is_multiple_of(PACE)) && !self.may_go_on(main) {
                return;
            }
            main.expand(self.question.table.id(stretch.part, place));
        }
    }

    fn may_go_on(&mut self, main: &mut Visitor) -> bool {
        let Question {
            table,
            contents,
            options,
            ..
        } = self.question;
        self.interpreted = main.steps.effort.learnt;
        let states = table.len();
        let progress = ProofProgress {
            states,
            violations: main.findings.violations.len(),
        };
        if !(self.keep_going)(&progress) {
            main.proof.interrupted = Some(Interruption::Asked);
        }
        let bytes = table.next_bytes() + contents.bytes() + main.steps.bytes() + self.crew.bytes();
        if bytes > options.memory || states > table.capacity() {
            main.proof.interrupted = Some(Interruption::States);
        }
        main.proof.interrupted.is_none()
    }
}
