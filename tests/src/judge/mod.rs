//! The third judge: the machine.
//!
//! The explorer and the checker follow one written definition of a step, so both
//! can be wrong together. Here programs are compiled and run on the machine many
//! times, under random delays. Whatever a run shows must be among what the explorer
//! enumerates, and every data race that ThreadSanitizer sees must be a race for the
//! explorer too.
//!
//! [`enumerate`] asks the explorer for all outcomes, [`instrument`] and [`build`]
//! make the native program, [`observe`] runs it and says what was seen, [`races`]
//! reads what ThreadSanitizer says, [`verdict`] compares, and [`campaign`] does all
//! that for many programs. What is judged and what is not, and why, is told in
//! [`verdict`].

pub mod build;
pub mod campaign;
pub mod enumerate;
pub mod handed_out;
pub mod instrument;
pub mod observe;
pub mod races;
pub mod verdict;
