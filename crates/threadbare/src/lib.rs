//! Threadbare as a library: a program in, a verdict out.
//!
//! A [`Program`] comes from C or C++ files, which clang has to compile, or from
//! the text of LLVM IR. A [`Question`] says what is to be looked for in it, and
//! within which bounds. Its [`Answer`] is a [`Verdict`] with what belongs to it: a
//! violation has the run that shows it, step by step, and the schedule by which
//! anybody can repeat it; what is safe has all that it rests on.
//!
//! Whoever asks has nothing else to set up: the command line `threadbare` is made
//! of the same calls. Nothing here prints, writes files of its own accord or looks
//! at arguments; what a verdict means is said by `check`, and how it is worded by
//! `report`.
//!
//! # Find what is wrong, and see how it comes about
//!
//! ```
//! use threadbare::{Effect, Program, Question, Verdict, ViolationKind};
//!
//! let program = Program::from_file("../../examples/lost-update.c")?;
//! let answer = Question::new(&program).answer()?;
//!
//! let Verdict::Violated(run) = answer.verdict() else {
//!     panic!("two visitors at once are counted as one, but: {answer}");
//! };
//! assert_eq!(run.violations[0].kind, ViolationKind::Assertion);
//! // Both threads have read the old number before either writes the new one.
//! let readers: Vec<usize> = (run.trace.iter())
//!     .filter(|event| matches!(&event.effect, Effect::Read { value, .. } if value == "0"))
//!     .map(|event| event.thread)
//!     .collect();
//! assert_eq!(readers.len(), 2);
//! assert_ne!(readers[0], readers[1]);
//! # Ok::<(), threadbare::Error>(())
//! ```
//!
//! # Ask within bounds, and see what the answer rests on
//!
//! ```
//! use threadbare::{Order, Program, Property, Question, Verdict};
//!
//! let program = Program::from_file("../../examples/lost-update.c")?;
//! let question = Question::new(&program).only([Property::Assert]);
//!
//! // The update is lost only if threads take turns more often than that.
//! let answer = question.clone().contexts(4).unwind(1).answer()?;
//! let Verdict::SafeUpTo(limits) = answer.verdict() else {
//!     panic!("{answer}");
//! };
//! assert_eq!(limits.order, Some(Order::Contexts(4)));
//! assert!(limits.loops.is_empty(), "no loop was cut");
//! assert!(limits.assumptions.is_empty(), "nothing was taken for granted");
//!
//! let answer = question.contexts(6).unwind(1).answer()?;
//! assert!(matches!(answer.verdict(), Verdict::Violated(_)));
//! # Ok::<(), threadbare::Error>(())
//! ```
//!
//! # Keep a schedule, and run it again
//!
//! ```
//! use threadbare::{Program, Property, Question, Schedule};
//!
//! let program = Program::from_file("../../examples/double-checked-locking.c")?;
//! let question = Question::new(&program).property(Property::Race);
//! let answer = question.answer()?;
//! let run = answer.violation().expect("one thread looks while the other writes");
//! let kept: String = run.schedule.to_string();
//!
//! let schedule = Schedule::parse(&kept).expect("it was written just now");
//! let again = question.follow(&schedule, true)?;
//! assert_eq!(again.violations, run.violations);
//! # Ok::<(), threadbare::Error>(())
//! ```

mod answer;
mod error;
mod loop_names;
mod program;
mod question;
mod runs;

pub use answer::Answer;
pub use error::Error;
pub use program::{Program, Sources, UnknownFunction};
pub use question::{Host, Question};
pub use runs::Explored;

// Where these types come from, for what is needed less often.
pub use {check, ir, replay, report};

pub use check::{
    Assumption, Bounds, CutLoop, Engine, Limits, Options, Order, Progress, Reason, Report, Verdict,
};
pub use library::Surroundings;
pub use llvm::Work;
pub use replay::{
    Checks, Conclusion, Config, Effect, Event, Property, Run, Schedule, Violation, ViolationKind,
};
