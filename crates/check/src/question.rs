//! What was asked, as a table that can be kept in a file: slices of one search
//! fit together, and a checkpoint can be used again, only if it is the same.
//!
//! All options are taken apart here, field by field, without `..`: one that is new
//! does not compile until somebody has said whether the formula depends on it.

use crate::verdict::{Bounds, Options, Order, Reductions};
use encode::NormalForms;
use library::Surroundings;
use replay::{Config, Property};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt;

/// Everything that decides which formula is made of a program, by name.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Question(BTreeMap<String, String>);

impl Question {
    pub fn of(options: &Options, order: Order, unwind: u32) -> Question {
        let Options {
            bounds,
            config,
            reductions,
            // How long, how and on what is not what.
            time: _,
            memory: _,
            dump: _,
            search: _,
            engines: _,
            encodings: _,
            all_violations: _,
            suppressions,
            coverage: _,
            looks_beside: _,
            advise: _,
        } = options;
        let mut question = Question::default();
        let (kind, bound) = match order {
            Order::Contexts(bound) => ("contexts", bound),
            Order::Rounds(bound) => ("rounds", bound),
        };
        question.add(kind, bound);
        question.add("unwind", unwind);
        question.add_bounds(bounds);
        question.add_config(config);
        question.add_reductions(reductions);
        for (index, rule) in suppressions.texts().enumerate() {
            question.add(&format!("suppressed {index}"), rule);
        }
        question
    }

    fn add(&mut self, name: &str, value: impl fmt::Display) {
        self.0.insert(name.to_owned(), value.to_string());
    }

    fn add_bounds(&mut self, bounds: &Bounds) {
        let Bounds {
            // Given as numbers of their own.
            order: _,
            unwind: _,
            unwind_every_loop,
            unwind_set,
        } = bounds;
        self.add("unwind every loop", unwind_every_loop);
        for (name, bound) in unwind_set {
            self.add(&format!("unwind {name}"), bound);
        }
    }

    fn add_config(&mut self, config: &Config) {
        let Config {
            checks,
            partial_deadlocks,
            surroundings,
            // Of the interpreter only; its bounds are those above.
            unwind: _,
            unwind_loops: _,
            memory_limit: _,
            local_limit: _,
            keep_output: _,
            keep_coverage: _,
        } = config;
        let names: Vec<&str> = checks.iter().map(Property::name).collect();
        self.add("properties", names.join(", "));
        self.add("partial deadlocks", partial_deadlocks);
        let Surroundings {
            spurious_wakeups,
            malloc_may_fail,
            address_reuse,
            arguments,
            more_arguments,
            signals,
            undefined,
            memory_model,
        } = surroundings;
        self.add("spurious wake-ups", spurious_wakeups);
        self.add("allocations may fail", malloc_may_fail);
        self.add("address reuse", address_reuse);
        self.add("undefined functions", format!("{undefined:?}"));
        self.add("open arguments", more_arguments);
        self.add("signals", signals);
        self.add("memory model", memory_model.name());
        for (index, argument) in arguments.iter().enumerate() {
            self.add(&format!("argument {index}"), argument);
        }
    }

    fn add_reductions(&mut self, reductions: &Reductions) {
        let Reductions {
            unfolding,
            normal_forms,
            narrowing,
        } = reductions;
        let NormalForms {
            resume_for_conflict,
            ordered_neighbours,
        } = normal_forms;
        let unfold::Reductions {
            hiding,
            ranges,
            learning,
            relaxing,
            locksets,
            spinning,
        } = unfolding;
        for (name, is_on) in [
            ("resumed for conflicts", resume_for_conflict),
            ("neighbours ordered", ordered_neighbours),
            ("narrowing", narrowing),
            ("hiding", hiding),
            ("ranges", ranges),
            ("learning", learning),
            ("relaxing", relaxing),
            ("locksets", locksets),
            ("spinning", spinning),
        ] {
            self.add(name, is_on);
        }
    }
}

/// As `name: value, name: value`.
impl fmt::Display for Question {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, (name, value)) in self.0.iter().enumerate() {
            let comma = if index > 0 { ", " } else { "" };
            write!(f, "{comma}{name}: {value}")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn another_question_is_told_from_this_one() {
        let usual = Options::default();
        let question = |options: &Options| Question::of(options, Order::Contexts(4), 3);
        let changes: [fn(&mut Options); 10] = [
            |options| options.bounds.unwind_every_loop = true,
            |options| {
                options.bounds.unwind_set.insert("main.0".to_owned(), 2);
            },
            |options| options.config.checks = replay::Checks::all(),
            |options| options.config.partial_deadlocks = false,
            |options| options.config.surroundings.spurious_wakeups = true,
            |options| options.config.surroundings.arguments.push("x".to_owned()),
            |options| options.config.surroundings.more_arguments = 1,
            |options| options.config.surroundings.signals = 1,
            |options| options.config.surroundings.memory_model = library::MemoryModel::Rc11,
            |options| options.reductions.unfolding.hiding = false,
        ];
        for change in changes {
            let mut options = usual.clone();
            change(&mut options);
            assert_ne!(question(&options), question(&usual));
        }
        assert_ne!(
            Question::of(&usual, Order::Rounds(4), 3),
            Question::of(&usual, Order::Contexts(4), 3)
        );
        let mut same = usual.clone();
        same.search.cores = 7;
        assert_eq!(question(&same), question(&usual));
    }

    #[test]
    fn it_survives_a_file() {
        let question = Question::of(&Options::default(), Order::Rounds(2), 1);
        let text = serde_json::to_string(&question).expect("it should be writable");
        let back: Question = serde_json::from_str(&text).expect("it should be readable");
        assert_eq!(back, question);
    }
}
