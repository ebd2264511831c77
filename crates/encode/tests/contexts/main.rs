//! The encoding by contexts, compared with explicit enumeration of schedules
//! on small random programs, and measured on one real program.

mod describe;
mod generator;
mod handles;
mod oracle;
mod safestack;
mod simulator;
mod solver;
