//! Questions: a program, what is looked for, and within which bounds. Nothing is
//! computed before somebody wants the answer.

use crate::loop_names::check_loop_names;
use crate::{Answer, Error, Program};
use check::{Engine, Options, Order, Progress};
use library::{MemoryModel, Surroundings};
use replay::{Checks, Config, Property};
use std::time::{Duration, Instant};

/// What somebody wants to know about a program. Unless told otherwise it looks for
/// all that ends threads or keeps them from ever going on (failing assertions,
/// wrong use of memory and locks, division by zero, deadlocks), raises bounds by
/// itself as long as there is time, and works on one core.
#[derive(Clone, Debug)]
pub struct Question {
    program: Program,
    options: Options,
    /// Nobody has chosen a memory model.
    is_model_open: bool,
}

impl Question {
    pub fn new(program: &Program) -> Question {
        Question {
            is_model_open: true,
            ..Question::with(program, Options::default())
        }
    }

    /// With all options at once; there are more of them than methods here.
    pub fn with(program: &Program, mut options: Options) -> Question {
        let arguments = &mut options.config.surroundings.arguments;
        match arguments.first_mut() {
            Some(name) => *name = program.name(),
            None => arguments.push(program.name()),
        }
        Question {
            program: program.clone(),
            options,
            is_model_open: false,
        }
    }

    /// Looks for this, too.
    pub fn property(mut self, property: Property) -> Question {
        let checks = &mut self.options.config.checks;
        *checks = checks.with(property);
        self
    }

    /// Looks for these and nothing else.
    pub fn only(mut self, properties: impl IntoIterator<Item = Property>) -> Question {
        self.options.config.checks = properties.into_iter().collect::<Checks>();
        self
    }

    /// Looks at runs with at most so many stretches of steps by one thread.
    pub fn contexts(mut self, bound: u32) -> Question {
        self.options.bounds.order = Some(Order::Contexts(bound));
        self
    }

    /// Looks at runs in at most so many rounds, in which each thread has one stretch
    /// of steps, in the order of their creation.
    pub fn rounds(mut self, bound: u32) -> Question {
        self.options.bounds.order = Some(Order::Rounds(bound));
        self
    }

    /// Bounds recursion, and all loops whose number of iterations is not constant.
    pub fn unwind(mut self, bound: u32) -> Question {
        self.options.bounds.unwind = Some(bound);
        self
    }

    /// Bounds one loop, by its name (`main.0`), which `threadbare show` tells.
    pub fn unwind_loop(mut self, name: impl Into<String>, bound: u32) -> Question {
        let bounds = &mut self.options.bounds;
        bounds.unwind_set.insert(name.into(), bound);
        self
    }

    /// Looks at the runs of this memory model, rather than of the one that the program
    /// asks for.
    pub fn memory_model(mut self, model: MemoryModel) -> Question {
        self.options.config.surroundings.memory_model = model;
        self.is_model_open = false;
        self
    }

    /// What the program's surroundings may do to it: fail to allocate, wake threads
    /// for no reason, pass arguments. The name of the program is put in.
    pub fn surroundings(mut self, surroundings: Surroundings) -> Question {
        self.is_model_open &= surroundings.memory_model == MemoryModel::Sc;
        self.options.config.surroundings = surroundings;
        Question {
            is_model_open: self.is_model_open,
            ..Question::with(&self.program, self.options)
        }
    }

    /// The same under the memory model that the program asks for, unless somebody has
    /// chosen one, or what is asked for makes sense for interleavings only.
    fn with_model(&self) -> Question {
        let mut question = self.clone();
        if self.is_model_open {
            question.options.config.surroundings.memory_model = self.program.memory_model();
        }
        match Engine::Order.fits(&question.options) {
            true => question,
            false => self.clone(),
        }
    }

    /// Gives up after this time, with what is known by then.
    pub fn time(mut self, limit: Duration) -> Question {
        self.options.time = Some(limit);
        self
    }

    /// Gives up when the process needs more bytes than this.
    pub fn memory(mut self, limit: u64) -> Question {
        self.options.memory = Some(limit);
        self
    }

    /// Works on so many cores.
    pub fn cores(mut self, number: usize) -> Question {
        self.options.search.cores = number;
        self
    }

    /// Finds the answer.
    pub fn answer(&self) -> Result<Answer, Error> {
        self.answer_watched(&|_| true)
    }

    /// Finds the answer. Now and then `watch` is told what is going on, by any
    /// thread, and says whether to go on.
    pub fn answer_watched(
        &self,
        watch: &(dyn Fn(&Progress) -> bool + Sync),
    ) -> Result<Answer, Error> {
        self.answer_for(&Patient(watch))
    }

    /// Finds the answer, for somebody who may not want to wait for work that nobody
    /// can interrupt.
    pub fn answer_for(&self, host: &dyn Host) -> Result<Answer, Error> {
        self.validate()?;
        let start = Instant::now();
        let question = self.with_model();
        let asking = Asking {
            question: &question,
            start,
            host,
        };
        let report = check::check_for(self.program.model(), &question.options, &asking);
        Ok(Answer::new(question, report, start.elapsed()))
    }

    pub fn program(&self) -> &Program {
        &self.program
    }

    pub fn options(&self) -> &Options {
        &self.options
    }

    pub(crate) fn config(&self) -> &Config {
        &self.options.config
    }

    /// Whether there can be an answer.
    fn validate(&self) -> Result<(), Error> {
        self.options.validate().map_err(Error::Conflict)?;
        if self.config().checks.has(Property::Conversion) && !self.program.has_conversions() {
            return Err(Error::NoConversions);
        }
        let names = self.options.bounds.unwind_set.keys();
        check_loop_names(self.program.model(), names)
    }
}

/// Who wants an answer.
pub trait Host: Sync {
    /// Is told now and then what is going on, by any thread, and says whether to go on.
    fn keep_going(&self, progress: &Progress) -> bool;

    /// Whether nobody wants the answer any more. Asked often.
    fn is_interrupted(&self) -> bool {
        false
    }

    /// All is said that there is to say, or a limit is reached, but some work goes on
    /// that nobody can interrupt. Whoever does not want to wait for its end, ends the
    /// process.
    fn overdue(&self, answer: Answer) {
        drop(answer);
    }
}

/// Waits for whatever takes long.
struct Patient<'w>(&'w (dyn Fn(&Progress) -> bool + Sync));

impl Host for Patient<'_> {
    fn keep_going(&self, progress: &Progress) -> bool {
        self.0(progress)
    }
}

/// A question under way: makes answers of reports.
struct Asking<'a> {
    question: &'a Question,
    start: Instant,
    host: &'a dyn Host,
}

impl check::Host for Asking<'_> {
    fn keep_going(&self, progress: &Progress) -> bool {
        self.host.keep_going(progress)
    }

    fn is_interrupted(&self) -> bool {
        self.host.is_interrupted()
    }

    fn overdue(&self, report: check::Report) {
        let answer = Answer::new(self.question.clone(), report, self.start.elapsed());
        self.host.overdue(answer);
    }
}
