//! Spaces that can be halved, and the simplest one.
//!
//! A region is the set of models that agree with some assumptions. A space says how
//! its regions are halved: always in the same way for the same region, so that a part
//! of it means the same in every run. The two halves together are the region, whatever
//! the clauses say; that is all that a search needs to be complete.

use solve::Literal;

/// What a search can be cut into.
pub trait Space: Sync {
    /// What the space knows of a region beyond its assumptions.
    type Detail: Clone + Send;

    /// All of it.
    fn whole(&self) -> Region<Self::Detail>;

    /// The two halves; `None` if there is nothing left to ask.
    fn halves(&self, region: &Region<Self::Detail>) -> Option<[Region<Self::Detail>; 2]>;

    /// Everything that assumptions may speak of.
    fn literals(&self) -> Vec<Literal>;
}

#[derive(Clone, Debug)]
pub struct Region<D> {
    pub assumptions: Vec<Literal>,
    /// Of the whole space, if all combinations were equally many models.
    pub share: f64,
    pub detail: D,
}

impl<D> Region<D> {
    /// The whole space.
    pub fn whole(detail: D) -> Region<D> {
        Region {
            assumptions: Vec::new(),
            share: 1.0,
            detail,
        }
    }
}

/// Literals to split on, one after the other. Any will do: a model has some value for
/// each.
#[derive(Clone, Debug, Default)]
pub struct Choices(pub Vec<Literal>);

impl Space for Choices {
    /// How many have been split on.
    type Detail = usize;

    fn whole(&self) -> Region<usize> {
        Region::whole(0)
    }

    fn halves(&self, region: &Region<usize>) -> Option<[Region<usize>; 2]> {
        let literal = *self.0.get(region.detail)?;
        Some([!literal, literal].map(|literal| {
            let mut half = region.clone();
            half.assumptions.push(literal);
            half.share /= 2.0;
            half.detail += 1;
            half
        }))
    }

    fn literals(&self) -> Vec<Literal> {
        self.0.clone()
    }
}
