//! Which values inputs are tried with, and how a step is given them.

use crate::inputs::{Domain, InputKind, Inputs, NoInput, Request};
use crate::open_inputs::OpenInputs;
use crate::value::truncate;
use std::collections::BTreeSet;

/// How many combinations of inputs are tried in one step at most.
const MOST_COMBINATIONS: usize = 1 << 12;

/// The values to try, and whether these are all there are.
pub(super) fn choices(kind: InputKind, domain: Domain, samples: &Samples) -> (Vec<u128>, bool) {
    if samples.open.has(kind, domain) {
        return (vec![0], true);
    }
    match domain {
        Domain::Below(count) => ((0..u128::from(count)).collect(), true),
        Domain::Bits(width) if width <= samples.full_width => ((0..1 << width).collect(), true),
        Domain::Pointer(_) => (vec![0], false),
        Domain::Bits(width) => {
            let mut values: Vec<u128> = Vec::new();
            let samples = samples.values.iter().chain(&samples.points);
            for sample in samples {
                let value = truncate(*sample, width);
                if !values.contains(&value) {
                    values.push(value);
                }
            }
            if values.is_empty() {
                values.push(0);
            }
            let is_complete = width < 64 && values.len() as u64 == 1 << width;
            (values, is_complete)
        }
    }
}

/// Inputs that one step may ask for, at most.
const MOST_INPUTS: usize = 64;

/// What to try of inputs.
#[derive(Clone, Debug)]
pub struct Samples {
    /// Widths in bits up to which inputs are tried with all their values.
    pub full_width: u32,
    /// Values of wider ones.
    pub values: Vec<u128>,
    /// Wide ones that are left open until something depends on them; then values are
    /// tried.
    pub open: OpenInputs,
    /// More values, which the prover finds itself: those at which open inputs were told
    /// apart.
    pub points: Vec<u128>,
}

impl Samples {
    /// These values, of inputs that are wider than that.
    pub fn of(full_width: u32, values: &[u128], open: OpenInputs) -> Samples {
        Samples {
            full_width,
            values: values.to_vec(),
            open,
            points: Vec::new(),
        }
    }
}

impl Default for Samples {
    fn default() -> Self {
        Samples {
            full_width: 8,
            values: vec![0, 1],
            open: OpenInputs::ALL,
            points: Vec::new(),
        }
    }
}

/// Points to try at most.
const MOST_POINTS: usize = 24;

impl Samples {
    /// Adds values at which inputs were told apart.
    pub(super) fn add_points(&mut self, points: &BTreeSet<u64>) {
        for point in points.iter().map(|point| u128::from(*point)) {
            if self.points.len() < MOST_POINTS && !self.points.contains(&point) {
                self.points.push(point);
            }
        }
    }
}

/// Answers as told, and then with the first value of each input.
pub(super) struct Script<'s> {
    told: &'s [u128],
    samples: &'s Samples,
    pub given: Vec<u128>,
    /// The values of each input so far.
    pub asked: Vec<Vec<u128>>,
    /// Combinations of these.
    combinations: usize,
    /// Kinds of inputs that have more values than these.
    pub sampled: BTreeSet<InputKind>,
    /// It was asked for more than it has.
    pub is_overrun: bool,
}

impl<'s> Script<'s> {
    pub(super) fn new(told: &'s [u128], samples: &'s Samples) -> Self {
        Script {
            told,
            samples,
            given: Vec::new(),
            asked: Vec::new(),
            combinations: 1,
            sampled: BTreeSet::new(),
            is_overrun: false,
        }
    }

    /// Whoever asks has come to a place where it matters no more what was asked before.
    pub(super) fn begin_anew(&mut self) {
        self.combinations = 1;
    }
}

impl Inputs for Script<'_> {
    fn choose(&mut self, request: &Request) -> Result<u128, NoInput> {
        if self.given.len() >= MOST_INPUTS.max(self.told.len()) {
            self.is_overrun = true;
            return Err(NoInput("a step asks for too many inputs".to_owned()));
        }
        let (mut values, mut is_complete) = choices(request.kind, request.domain, self.samples);
        // How many there are so far depends on what was asked, not on the answers.
        let combinations = self.combinations.saturating_mul(values.len());
        match combinations <= MOST_COMBINATIONS {
            true => self.combinations = combinations,
            false => {
                values.truncate(1);
                is_complete = false;
            }
        }
        let value = self.told.get(self.given.len()).copied();
        let value = value.unwrap_or(values[0]);
        if !is_complete {
            self.sampled.insert(request.kind);
        }
        self.given.push(value);
        self.asked.push(values);
        Ok(value)
    }
}
