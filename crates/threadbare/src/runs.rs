//! Single runs, and all of them one by one: the same questions, put to the
//! interpreter alone. Every violation is run again from its schedule before
//! anybody hears of it.

use crate::{Error, Question};
use library::MemoryModel;
use replay::{
    Bounds, Config, Exploration, Found, Image, Limit, Mode, Progress, ProofOptions, ProofProgress,
    Property, Run, Schedule,
};

/// Instructions between two visible steps, where there are many such stretches to
/// get through.
const LOCAL_LIMIT: u64 = 5_000_000;

/// What exploring has found, and the runs that show it.
#[derive(Clone, Debug)]
pub struct Explored {
    pub result: Exploration,
    /// One for each violation of the result.
    pub replays: Vec<Run>,
    /// One for each that depends on functions that nobody knows.
    pub dependent: Vec<Run>,
}

impl Question {
    /// Runs the program along a schedule, whatever the bounds of the question. A
    /// trace takes memory for each step.
    pub fn follow(&self, schedule: &Schedule, is_traced: bool) -> Result<Run, Error> {
        let mut config = self.config_of_runs();
        schedule.options.apply(&mut config);
        let image = self.image(&config)?;
        if schedule.digest != self.digest() {
            return Err(Error::OtherProgram);
        }
        let run = replay::run_schedule(&image, &config, schedule, is_traced)?;
        Ok(run)
    }

    /// Runs the program with choices made at random, up to so many visible steps. The
    /// same seed gives the same run. `watch` is told how many steps there were, and
    /// says whether to go on.
    pub fn run_at_random(
        &self,
        seed: u64,
        max_steps: u64,
        is_traced: bool,
        watch: &mut dyn FnMut(u64) -> bool,
    ) -> Result<Run, Error> {
        let config = self.config_of_runs();
        let image = self.image(&config)?;
        let digest = self.digest();
        Ok(replay::run_random(
            &image, &config, digest, seed, max_steps, is_traced, watch,
        ))
    }

    /// Goes through every schedule within bounds, and counts them. Hopeless if there
    /// are many.
    pub fn explore_schedules(
        &self,
        bounds: &Bounds,
        mode: Mode,
        watch: &mut dyn FnMut(&Progress) -> bool,
    ) -> Result<Explored, Error> {
        let config = self.config_of_explorations();
        let image = self.image(&config)?;
        let result = replay::explore(&image, &config, self.digest(), bounds, mode, watch);
        self.confirm(result, &image, &config)
    }

    /// Goes through every state, which are far fewer.
    pub fn explore_states(
        &self,
        options: &ProofOptions,
        watch: &mut dyn FnMut(&ProofProgress) -> bool,
    ) -> Result<Explored, Error> {
        let config = self.config_of_explorations();
        let image = self.image(&config)?;
        let proof = replay::prove(&image, &config, self.digest(), options, watch);
        if let Some(mistake) = proof.mistakes.first() {
            return Err(Error::Internal(mistake.clone()));
        }
        self.confirm(proof.into_exploration(), &image, &config)
    }

    /// Says what is taken for granted, and sees all violations happen.
    fn confirm(
        &self,
        mut result: Exploration,
        image: &Image,
        config: &Config,
    ) -> Result<Explored, Error> {
        let program = self.program().model();
        let layout = analysis::layout::first_dependence(program).map(Limit::Layout);
        let orders = match result.memory_model {
            MemoryModel::Sc => analysis::orders::first_weaker(program).map(Limit::Orders),
            _ => None,
        };
        result.limits.extend(layout.into_iter().chain(orders));
        let again = |found: &Found| run_again(image, config, found);
        let replays = result.violations.iter().map(again);
        let dependent = result.dependent.iter().map(|(found, _)| again(found));
        Ok(Explored {
            replays: replays.collect::<Result<_, _>>()?,
            dependent: dependent.collect::<Result<_, _>>()?,
            result,
        })
    }

    /// Whether a bound is enough is a question about the bound; in all others, runs
    /// go as far as they like.
    fn config_of_runs(&self) -> Config {
        let mut config = self.config().clone();
        if config.checks.has(Property::Unwind) {
            config.unwind = config.unwind.or(self.options().bounds.unwind);
        }
        config
    }

    fn config_of_explorations(&self) -> Config {
        Config {
            local_limit: LOCAL_LIMIT,
            unwind: self.config().unwind.or(self.options().bounds.unwind),
            ..self.config().clone()
        }
    }

    fn image(&self, config: &Config) -> Result<Image<'_>, Error> {
        let arguments = &config.surroundings.arguments;
        Image::new(self.program().model(), arguments, config.memory_limit)
            .map_err(|_| Error::TooLarge)
    }

    fn digest(&self) -> u64 {
        replay::digest(self.program().model())
    }
}

/// A violation that does not show again would be a mistake of ours.
fn run_again(image: &Image<'_>, config: &Config, found: &Found) -> Result<Run, Error> {
    let run = replay::run_schedule(image, config, &found.schedule, true)
        .map_err(|error| Error::Internal(error.to_string()))?;
    if !run.violations.contains(&found.violation) {
        return Err(Error::Internal(format!(
            "a violation ({}) does not show again when its schedule is run",
            found.violation.kind
        )));
    }
    Ok(run)
}
