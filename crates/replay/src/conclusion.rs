//! The answer in a word: what a user learns from a search, whoever made it.

/// What was established.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Conclusion {
    Violated,
    /// No violation, and nothing was left out.
    Safe,
    /// No violation within the bounds that were asked for.
    SafeWithinBounds,
    Unknown,
}

impl Conclusion {
    /// For machines.
    pub fn name(self) -> &'static str {
        match self {
            Conclusion::Violated => "violated",
            Conclusion::Safe => "safe",
            Conclusion::SafeWithinBounds => "safe up to bounds",
            Conclusion::Unknown => "unknown",
        }
    }
}
