//! Those who look on while CaDiCaL searches, and add clauses as they see fit.
//!
//! CaDiCaL lets one *external propagator* look on: it is told what is assigned and what
//! is taken back, and asked for clauses. Here several share that place, each an
//! [`Onlooker`] that knows nothing of the others: one takes clauses of other solvers,
//! one sees to it that events fit one order.
//!
//! This file must not know what any of them does.

use cadical_sys::ExternalPropagator;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// A clause to be added in the middle of the search, in CaDiCaL's numbers.
pub(crate) struct Remark {
    pub clause: Vec<i32>,
    /// The solver may forget it again.
    pub is_forgettable: bool,
}

/// Somebody who looks on. Literals are DIMACS numbers.
pub(crate) trait Onlooker: Send {
    /// Variables that it wants to hear of, and that its clauses speak of.
    fn observed(&self) -> &[i32];

    /// Nothing is assigned: what was assigned is told anew.
    fn restart(&mut self) {}

    /// These literals hold now. One may be told twice.
    fn assigned(&mut self, _literals: &[i32]) {}

    /// What is assigned from now on can be taken back apart from what was before.
    fn decided(&mut self) {}

    /// All that was assigned after so many decisions is taken back.
    fn taken_back(&mut self, _decisions: usize) {}

    /// The next clause to add, if there is one. It must follow from the formula.
    fn remark(&mut self) -> Option<Remark>;

    /// Whether it has nothing against a model. If it has, it must have a clause.
    fn agrees(&mut self) -> bool {
        true
    }
}

/// Everybody who looks on, and what they are just saying.
#[derive(Default)]
struct Panel {
    /// First those whose clauses are about what is assigned now.
    members: Vec<(Role, Box<dyn Onlooker>)>,
    /// What is left of the clause being added, and the 0 at its end; last first.
    saying: Vec<i32>,
}

/// Who looks on; there is at most one of each.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Role {
    Order,
    Import,
}

/// The place of a solver for those who look on.
#[derive(Clone, Default)]
pub(crate) struct Onlookers(Arc<Mutex<Panel>>);

impl Onlookers {
    fn panel(&self) -> MutexGuard<'_, Panel> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Gives the place of a role to somebody, or to nobody. Whoever does that connects
    /// the solver anew.
    pub(crate) fn seat(&self, role: Role, member: Option<Box<dyn Onlooker>>) {
        let mut panel = self.panel();
        panel.members.retain(|(other, _)| *other != role);
        panel.members.extend(member.map(|member| (role, member)));
        panel.members.sort_by_key(|(role, _)| *role);
    }

    /// What all of them want to hear of, when nothing has been told yet.
    pub(crate) fn restart(&self) -> Vec<i32> {
        let mut panel = self.panel();
        panel.saying.clear();
        let mut observed = Vec::new();
        for (_, member) in &mut panel.members {
            member.restart();
            observed.extend(member.observed().iter().map(|literal| literal.abs()));
        }
        observed.sort_unstable();
        observed.dedup();
        observed
    }
}

impl ExternalPropagator for Onlookers {
    fn notify_assignment(&mut self, literals: &[i32]) {
        for (_, member) in &mut self.panel().members {
            member.assigned(literals);
        }
    }

    fn notify_new_decision_level(&mut self) {
        for (_, member) in &mut self.panel().members {
            member.decided();
        }
    }

    fn notify_backtrack(&mut self, level: usize) {
        for (_, member) in &mut self.panel().members {
            member.taken_back(level);
        }
    }

    fn cb_check_found_model(&mut self, _: &[i32]) -> bool {
        let mut panel = self.panel();
        panel.members.iter_mut().all(|(_, member)| member.agrees())
    }

    fn cb_has_external_clause(&mut self, is_forgettable: &mut bool) -> bool {
        let mut panel = self.panel();
        let remarks = panel.members.iter_mut();
        let Some(remark) = remarks.into_iter().find_map(|(_, member)| member.remark()) else {
            return false;
        };
        *is_forgettable = remark.is_forgettable;
        panel.saying.clear();
        panel.saying.push(0);
        panel.saying.extend(remark.clause);
        true
    }

    fn cb_add_external_clause_lit(&mut self) -> i32 {
        self.panel().saying.pop().unwrap_or(0)
    }
}
