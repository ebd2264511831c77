//! Data races: a run that ends with a step of one thread, the *mover*, while the
//! next step of another, the *rival*, accesses the same memory.
//!
//! Since runs may stop anywhere, nothing is lost by looking at the last step only.
//! Who the two are is chosen by literals of their own, so that for each spot it is
//! enough to say how the mover's last step uses it, and how the rival's next step
//! will: the size is that of the code, not of the pairs in it.
//!
//! What the mover would do right after its last step does not count any more, not
//! even if it came to a bound. So runs that look for races have a literal that
//! says so, and it excludes all other violations.

use cranelift_entity::SecondaryMap;
use formula::{Blaster, ClauseSink, Lit, Polarity};
use std::collections::{BTreeMap, HashMap};
use unfold::{Moment, Place, SpotId, ThreadId, Threads, Use};

use super::Passed;
use super::ends::Ends;

/// How a spot is used: for each kind of access, whether it happens.
#[derive(Clone, Default)]
struct Usage {
    reads: Vec<Lit>,
    writes: Vec<Lit>,
    atomic_reads: Vec<Lit>,
    atomic_writes: Vec<Lit>,
}

impl Usage {
    fn add(&mut self, found: &Use, lit: Lit) {
        let list = match (found.is_atomic, found.is_write) {
            (false, false) => &mut self.reads,
            (false, true) => &mut self.writes,
            (true, false) => &mut self.atomic_reads,
            (true, true) => &mut self.atomic_writes,
        };
        list.push(lit);
    }

    fn conflicts(&self, other: &Usage, blaster: &mut Blaster) -> Lit {
        let gates = &mut blaster.gates;
        let mut usage = |usage: &Usage| {
            let lists = [
                &usage.reads,
                &usage.writes,
                &usage.atomic_reads,
                &usage.atomic_writes,
            ];
            lists.map(|list| gates.any(list))
        };
        let (one, two) = (usage(self), usage(other));
        let gates = &mut blaster.gates;
        let [reads, writes, atomic_reads, atomic_writes] = two;
        let pairs = [
            (one[0], gates.or(writes, atomic_writes)),
            (
                one[1],
                gates.any(&[reads, writes, atomic_reads, atomic_writes]),
            ),
            (one[2], writes),
            (one[3], gates.or(reads, writes)),
        ];
        let found = pairs.map(|(one, two)| gates.and(one, two));
        gates.any(&found)
    }
}

pub(crate) struct Races {
    /// The run is about a race.
    pub is_sought: Lit,
    /// There is one; only with the former.
    pub found: Lit,
    pub movers: SecondaryMap<ThreadId, Option<Lit>>,
    pub rivals: SecondaryMap<ThreadId, Option<Lit>>,
    /// By place: it is the mover's last step, and it is the rival's next one.
    moves: HashMap<Place, Vec<Lit>>,
    awaits: HashMap<Place, Vec<Lit>>,
    /// Only for [`Races::unordered`]: the steps that may be the mover's last, and those
    /// of rivals, with the literals that say so.
    pub lasts: Vec<(At, Lit)>,
    pub others: Vec<(At, Lit)>,
    /// How they use spots: whether they write, and whether they are atomic.
    spots: HashMap<At, Vec<(SpotId, bool, bool)>>,
}

/// A step, by thread and position.
pub(crate) type At = (ThreadId, usize);

impl Races {
    pub(crate) fn new(
        threads: &Threads,
        ends: &Ends,
        is_last: &mut dyn FnMut(ThreadId, &mut Blaster) -> Lit,
        blaster: &mut Blaster,
        sink: &mut impl ClauseSink,
    ) -> Races {
        let mut races = Races {
            is_sought: blaster.gates.input(),
            found: Lit::FALSE,
            movers: SecondaryMap::new(),
            rivals: SecondaryMap::new(),
            moves: HashMap::new(),
            awaits: HashMap::new(),
            lasts: Vec::new(),
            others: Vec::new(),
            spots: HashMap::new(),
        };
        races.choose(threads, is_last, blaster, sink);
        let mut moves: BTreeMap<SpotId, Usage> = BTreeMap::new();
        let mut awaits: BTreeMap<SpotId, Usage> = BTreeMap::new();
        for (id, thread) in threads.threads.iter() {
            let (Some(mover), Some(rival)) = (races.movers[id], races.rivals[id]) else {
                continue;
            };
            for (index, position) in thread.positions.iter().enumerate() {
                if position.uses.is_empty() {
                    continue;
                }
                let is_last = blaster.gates.and(mover, ends[id].finishes[index]);
                let is_next = blaster.gates.and(rival, ends[id].stands[index]);
                let place = position.step.place;
                races.moves.entry(place).or_default().push(is_last);
                races.awaits.entry(place).or_default().push(is_next);
                for found in &position.uses {
                    let condition = blaster.literal(&threads.terms, found.condition);
                    let happens = blaster.gates.and(is_last, condition);
                    moves.entry(found.spot).or_default().add(found, happens);
                    if found.is_foreseen {
                        let happens = blaster.gates.and(is_next, condition);
                        awaits.entry(found.spot).or_default().add(found, happens);
                    }
                }
            }
        }
        let found: Vec<Lit> = (moves.iter())
            .filter_map(|(spot, moves)| Some(moves.conflicts(awaits.get(spot)?, blaster)))
            .collect();
        races.found = blaster.gates.any(&found);
        races
    }

    /// The same for memory models in which steps race that none happens before the other:
    /// the mover's last step, and any step that the rival has taken. Which of them are in
    /// order is not said here.
    ///
    /// Nothing is lost by looking at last steps of a thread: of two steps that race, take
    /// one that nothing leads from to the other, by program order and what reads see; what
    /// its thread does after it is not needed for either.
    pub(crate) fn unordered(
        threads: &Threads,
        passed: &Passed,
        ends: &Ends,
        blaster: &mut Blaster,
        sink: &mut impl ClauseSink,
    ) -> Races {
        let mut races = Races {
            is_sought: blaster.gates.input(),
            found: Lit::FALSE,
            movers: SecondaryMap::new(),
            rivals: SecondaryMap::new(),
            moves: HashMap::new(),
            awaits: HashMap::new(),
            lasts: Vec::new(),
            others: Vec::new(),
            spots: HashMap::new(),
        };
        races.choose(threads, &mut |_, _| Lit::TRUE, blaster, sink);
        let mut moves: BTreeMap<SpotId, Usage> = BTreeMap::new();
        let mut others: BTreeMap<SpotId, Usage> = BTreeMap::new();
        for (id, thread) in threads.threads.iter() {
            let (Some(mover), Some(rival)) = (races.movers[id], races.rivals[id]) else {
                continue;
            };
            let mut chosen: Vec<Lit> = Vec::new();
            for (index, position) in thread.positions.iter().enumerate() {
                if position.uses.is_empty() {
                    continue;
                }
                let guard = blaster.literal(&threads.terms, position.guard);
                let is_last = blaster.gates.and(mover, ends[id].finishes[index]);
                let is_other = blaster.gates.input();
                for needed in [rival, passed[id][index], guard] {
                    blaster.add_clause(&[!is_other, needed], sink);
                }
                for before in &chosen {
                    blaster.add_clause(&[!is_other, !*before], sink);
                }
                chosen.push(is_other);
                for lit in [is_last, is_other] {
                    (blaster.cnf).literal(&blaster.gates, lit, Polarity::Both, sink);
                }
                races.lasts.push(((id, index), is_last));
                races.others.push(((id, index), is_other));
                let place = position.step.place;
                races.moves.entry(place).or_default().push(is_last);
                races.awaits.entry(place).or_default().push(is_other);
                let spots = races.spots.entry((id, index)).or_default();
                for found in &position.uses {
                    spots.push((found.spot, found.is_write, found.is_atomic));
                    let condition = blaster.literal(&threads.terms, found.condition);
                    let happens = blaster.gates.and(is_last, condition);
                    moves.entry(found.spot).or_default().add(found, happens);
                    let happens = blaster.gates.and(is_other, condition);
                    others.entry(found.spot).or_default().add(found, happens);
                }
            }
        }
        let found: Vec<Lit> = (moves.iter())
            .filter_map(|(spot, moves)| Some(moves.conflicts(others.get(spot)?, blaster)))
            .collect();
        races.found = blaster.gates.any(&found);
        races
    }

    /// Whether two steps may race at all.
    pub(crate) fn conflict(&self, one: At, two: At) -> bool {
        let uses = |at: At| self.spots.get(&at).into_iter().flatten();
        uses(one).any(|(spot, writes, is_atomic)| {
            uses(two).any(|(other, also_writes, is_also_atomic)| {
                spot == other && (*writes || *also_writes) && !(*is_atomic && *is_also_atomic)
            })
        })
    }

    /// Makes the literals that choose two threads. The run ends with a step of the
    /// first.
    fn choose(
        &mut self,
        threads: &Threads,
        is_last: &mut dyn FnMut(ThreadId, &mut Blaster) -> Lit,
        blaster: &mut Blaster,
        sink: &mut impl ClauseSink,
    ) {
        let uses_memory = |thread: &ThreadId| {
            let positions = &threads.threads[*thread].positions;
            positions.iter().any(|position| !position.uses.is_empty())
        };
        let candidates: Vec<ThreadId> = threads.threads.keys().filter(uses_memory).collect();
        let mut chosen: [Vec<Lit>; 2] = [Vec::new(), Vec::new()];
        for thread in candidates {
            let (mover, rival) = (blaster.gates.input(), blaster.gates.input());
            self.movers[thread] = Some(mover);
            self.rivals[thread] = Some(rival);
            blaster.add_clause(&[!mover, !rival], sink);
            blaster.add_clause(&[!mover, self.is_sought], sink);
            for (lit, before) in [mover, rival].into_iter().zip(&mut chosen) {
                for other in before.iter() {
                    blaster.add_clause(&[!lit, !*other], sink);
                }
                before.push(lit);
            }
            let is_last = is_last(thread, blaster);
            blaster.add_clause(&[!mover, is_last], sink);
        }
    }

    /// Whether a moment does not count, since it would come right after the run.
    pub(crate) fn is_after_all(&self, ends: &Ends, moment: &Moment, blaster: &mut Blaster) -> Lit {
        match self.movers[moment.thread] {
            None => Lit::FALSE,
            // The last step of the run must be taken.
            Some(_) if moment.is_within => Lit::FALSE,
            Some(mover) => {
                let rests = ends[moment.thread].rests_from[moment.after];
                blaster.gates.and(mover, rests)
            }
        }
    }

    /// The race is between two places, whichever of them comes first.
    pub(crate) fn is_between(&self, one: Place, two: Place, blaster: &mut Blaster) -> Lit {
        let gates = &mut blaster.gates;
        let mut at = |list: &HashMap<Place, Vec<Lit>>, place: Place| match list.get(&place) {
            Some(list) => gates.any(list),
            None => Lit::FALSE,
        };
        let pairs = [(one, two), (two, one)];
        let pairs = pairs.map(|(one, two)| (at(&self.moves, one), at(&self.awaits, two)));
        let both = pairs.map(|(one, two)| gates.and(one, two));
        gates.any(&both)
    }
}
