//! How to search the schedules: the options of `threadbare check` that choose a
//! strategy, and which of them go together.

use crate::Failure;
use crate::args::Check;
use check::{Backend, Conflict, Encoding, Engine, Key, Search, Slice, Strategy, Tiling};
use clap::{Args, ValueEnum};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::Duration;
use system::files;

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum StrategyName {
    Auto,
    Whole,
    Partition,
    Cubes,
    Swarm,
    Lazy,
    Widen,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum EngineName {
    /// Runs at random
    Sample,
    /// Visits every state
    Explore,
    /// Asks a solver, within bounds
    Bounded,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum EncodingName {
    /// Bounds the number of contexts
    Contexts,
    /// Has no such bound
    Order,
}

impl EngineName {
    pub(crate) fn engine(self) -> Engine {
        match self {
            EngineName::Sample => Engine::Sample,
            EngineName::Explore => Engine::Explore,
            EngineName::Bounded => Engine::Bounded,
        }
    }
}

#[derive(Args)]
#[command(next_help_heading = "Search (docs/strategies.md)")]
pub(crate) struct SearchArguments {
    /// Who works on it, side by side. [default: all that fit the question]
    #[arg(long, value_name = "LIST", value_delimiter = ',')]
    pub engine: Vec<EngineName>,
    /// How `bounded` asks about the order of steps. [default: both]
    #[arg(long, value_name = "LIST", value_delimiter = ',')]
    pub encoding: Vec<EncodingName>,
    /// How to search the schedules.
    #[arg(long, value_name = "NAME", default_value = "auto")]
    pub strategy: StrategyName,
    /// How many cores work. [default: all]
    #[arg(long, value_name = "N", value_parser = parse_cores)]
    pub cores: Option<usize>,
    /// Makes random choices other ones.
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub seed: u64,
    /// Ask this program instead of the solver that is built in: it gets the name of a
    /// DIMACS file and answers as in the SAT competitions.
    #[arg(long, value_name = "PROGRAM")]
    pub solver: Option<PathBuf>,
    /// partition: how many parts; a power of two. [default: four per core]
    #[arg(long, value_name = "N", value_parser = parse_partitions)]
    pub partitions: Option<u32>,
    /// partition: the first part to look at, counted from 0.
    #[arg(long, value_name = "I", requires = "partitions")]
    pub from: Option<u64>,
    /// partition: the last part to look at.
    #[arg(long, value_name = "J", requires = "partitions")]
    pub to: Option<u64>,
    /// swarm: positions of a tile. [default: grows]
    #[arg(long, value_name = "N", value_parser = parse_positive)]
    pub tile_size: Option<usize>,
    /// swarm: tiles of each thread in which it may be switched out. [default:
    /// as many as the bounds allow]
    #[arg(long, value_name = "N")]
    pub tiles: Option<usize>,
    /// swarm: how many instances to try. [default: all]
    #[arg(long, value_name = "N")]
    pub instances: Option<u64>,
    /// swarm: seconds for each instance.
    #[arg(long, value_name = "SECONDS")]
    pub instance_time: Option<u64>,
    /// swarm: half of the instances have their tiles moved by half a tile.
    #[arg(long)]
    pub shift: bool,
    /// Keep what is closed in a file, and go on from there next time.
    #[arg(long, value_name = "FILE")]
    pub checkpoint: Option<PathBuf>,
    /// Seal the files of --checkpoint and --result with the secret in this file, and
    /// refuse a checkpoint that is not sealed with it.
    #[arg(long, value_name = "FILE")]
    pub key: Option<PathBuf>,
    /// Write the result to a file, for `threadbare combine`.
    #[arg(long, value_name = "FILE")]
    pub result: Option<PathBuf>,
}

fn parse_positive(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(number) if number > 0 => Ok(number),
        _ => Err("not a positive number".to_owned()),
    }
}

pub(crate) fn parse_cores(text: &str) -> Result<usize, String> {
    const MOST: usize = 1024;
    match parse_positive(text)? {
        cores if cores <= MOST => Ok(cores),
        _ => Err(format!("more than {MOST}")),
    }
}

/// The logarithm.
fn parse_partitions(text: &str) -> Result<u32, String> {
    const MOST: u32 = 20;
    match text.parse::<u64>() {
        Ok(number) if number.is_power_of_two() && number.ilog2() <= MOST => Ok(number.ilog2()),
        _ => Err(format!("not a power of two up to {}", 1u64 << MOST)),
    }
}

/// The secret with which files are sealed.
pub(crate) fn read_key(path: &Path) -> Result<Key, Failure> {
    let secret = files::read(path, files::MOST_BYTES).map_err(|error| Failure::Read {
        path: path.to_owned(),
        error,
    })?;
    match secret.is_empty() {
        true => Err(Failure::Key(path.to_owned())),
        false => Ok(Key::of(&secret)),
    }
}

impl SearchArguments {
    pub(crate) fn engines(&self) -> BTreeSet<Engine> {
        match self.engine.is_empty() {
            true => Engine::ALL.into(),
            false => self.engine.iter().map(|name| name.engine()).collect(),
        }
    }

    pub(crate) fn encodings(&self) -> BTreeSet<Encoding> {
        if self.encoding.is_empty() {
            return check::Options::default().encodings;
        }
        let names = self.encoding.iter();
        names
            .map(|name| match name {
                EncodingName::Contexts => Encoding::Contexts,
                EncodingName::Order => Encoding::Order,
            })
            .collect()
    }

    /// What is meant, if it is written as it should be. Whether it fits together is
    /// for the checker to say.
    pub(crate) fn resolve(&self, check: &Check) -> Result<Search, Failure> {
        let usage = |text: &str| Err(Failure::Usage(text.to_owned()));
        let is = |name: StrategyName| self.strategy == name;
        let has_slice = self.partitions.is_some() || self.from.is_some() || self.to.is_some();
        if has_slice && !is(StrategyName::Partition) {
            return usage("--partitions, --from and --to need --strategy partition");
        }
        let has_tiling = self.tile_size.is_some()
            || self.tiles.is_some()
            || self.instances.is_some()
            || self.instance_time.is_some()
            || self.shift;
        if has_tiling && !is(StrategyName::Swarm) {
            return usage(
                "--tile-size, --tiles, --instances, --instance-time and --shift need --strategy swarm",
            );
        }
        // A result says what was asked, and parts are parts of that.
        if (self.result.is_some() || has_slice) && !check.bounds().are_given() {
            return usage(&report::describe_conflict(&Conflict::OpenBounds));
        }
        Ok(Search {
            strategy: self.strategy(),
            cores: self.cores(),
            seed: self.seed,
            solver: match &self.solver {
                Some(program) => Backend::Program(program.clone()),
                None => Backend::Cadical,
            },
            checkpoint: self.checkpoint.clone(),
            key: self.key.as_deref().map(read_key).transpose()?,
        })
    }

    fn cores(&self) -> usize {
        let all = || std::thread::available_parallelism().map_or(1, usize::from);
        self.cores.unwrap_or_else(all)
    }

    fn strategy(&self) -> Option<Strategy> {
        Some(match self.strategy {
            StrategyName::Auto => return None,
            StrategyName::Whole => Strategy::Whole,
            StrategyName::Partition => Strategy::Partition(self.slice()),
            StrategyName::Cubes => Strategy::Cubes,
            StrategyName::Lazy => Strategy::Lazy,
            StrategyName::Widen => Strategy::Widen,
            StrategyName::Swarm => Strategy::Swarm(Tiling {
                tile_size: self.tile_size,
                tiles: self.tiles,
                instances: self.instances,
                instance_time: self.instance_time.map(Duration::from_secs),
                shift: self.shift,
            }),
        })
    }

    fn slice(&self) -> Slice {
        let four_per_core = || (4 * self.cores()).next_power_of_two().ilog2();
        let all = Slice::all(self.partitions.unwrap_or_else(four_per_core));
        Slice {
            from: self.from.unwrap_or(all.from),
            to: self.to.unwrap_or(all.to),
            ..all
        }
    }
}
