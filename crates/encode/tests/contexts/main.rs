//! Encodings, compared with explicit enumeration of runs on small random programs; the
//! one by contexts is also measured on one real program.

mod by_contexts;
mod by_order;
mod describe;
mod generator;
mod handles;
mod matrix;
mod oracle;
mod safestack;
mod simulator;
mod solver;
