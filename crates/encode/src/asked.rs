//! How encodings answer what can be asked of every one of them.
//!
//! What is looked for follows from which positions are passed ([`Sought`]), so all of this
//! is the same whatever an encoding says about their order. It makes literals; which
//! question is asked, and by whom, is not its business.

use formula::{Blaster, ClauseSink, Lit, Literal, Polarity};
use unfold::{Moment, Threads};

use crate::sought::{Passed, Sought};
use crate::{Asked, Site, happens};

/// The parts of an encoding that questions are made of.
pub(crate) struct Parts<'e> {
    pub blaster: &'e mut Blaster,
    pub passed: &'e Passed,
    pub sought: &'e mut Sought,
}

/// An encoding that looks for what [`Sought`] knows.
pub(crate) trait Sighted: Send {
    fn parts(&mut self) -> Parts<'_>;

    /// Tells the solver whatever it has to know about literals that it has heard of.
    fn settle_all(&mut self, sink: &mut dyn ClauseSink);

    /// The solver's literal for something, with all that belongs to it.
    fn literal(&mut self, lit: Lit, polarity: Polarity, sink: &mut dyn ClauseSink) -> Literal {
        let blaster = self.parts().blaster;
        // Most are inputs that the solver knows already.
        if blaster.gates.is_input(lit)
            && let Some(literal) = blaster.cnf.known_literal(lit)
        {
            return literal;
        }
        let literal = blaster.cnf.literal(&blaster.gates, lit, polarity, sink);
        self.settle_all(sink);
        literal
    }
}

impl<E: Sighted> Asked for E {
    fn any_violation(&mut self, sink: &mut dyn ClauseSink) -> Literal {
        let parts = self.parts();
        let lit = parts.sought.any(parts.blaster);
        self.literal(lit, Polarity::Positive, sink)
    }

    fn violation_by_kind(&mut self, threads: &Threads, sink: &mut dyn ClauseSink) -> [Literal; 2] {
        let parts = self.parts();
        let kinds = parts.sought.by_kind(threads, parts.blaster);
        kinds.map(|lit| self.literal(lit, Polarity::Positive, sink))
    }

    fn violation(&mut self, index: usize, sink: &mut dyn ClauseSink) -> Literal {
        let lit = self.parts().sought.violations[index];
        self.literal(lit, Polarity::Both, sink)
    }

    fn any_moment(
        &mut self,
        threads: &Threads,
        moments: &[Moment],
        sink: &mut dyn ClauseSink,
    ) -> Literal {
        let parts = self.parts();
        let (passed, blaster) = (parts.passed, parts.blaster);
        let is_passed = |thread, position: usize| passed[thread][position];
        let happen: Vec<Lit> = (moments.iter())
            .map(|moment| happens(threads, moment, is_passed, blaster))
            .collect();
        let lit = blaster.gates.any(&happen);
        self.literal(lit, Polarity::Positive, sink)
    }

    fn forbid(&mut self, threads: &Threads, site: &Site, sink: &mut dyn ClauseSink) {
        let parts = self.parts();
        (parts.sought).forbid(threads, site, parts.blaster, sink);
        self.settle_all(sink);
    }
}
