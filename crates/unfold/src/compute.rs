//! Computation on terms. Nothing here knows a pass, a path or a program: functions take
//! the store of terms and what they compute with, and return what comes out. What is
//! undefined, or not known, is for whoever asked to deal with.

pub(crate) mod builtins;
pub(crate) mod characters;
pub(crate) mod extended;
pub(crate) mod floats;
pub(crate) mod guards;
pub(crate) mod words;
