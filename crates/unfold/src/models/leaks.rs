//! Memory that is lost when the process ends: a block that was not freed, and no
//! variable or block that can be reached holds its address.
//!
//! This is looked for only when main returns and there never was another thread:
//! what else a thread knows is not written down anywhere. Everything else is a
//! limit of the verdict.

use crate::checks::Check;
use crate::known::{Content, Object, ObjectId, ObjectKey};
use crate::pass::{Pass, State};
use formula::TermId;

/// More blocks than this take too many rounds.
const MOST_BLOCKS: usize = 64;

impl<'p> Pass<'p> {
    /// A block begins its life, or ends it where the condition holds.
    pub fn note_block(
        &mut self,
        state: &mut State,
        block: ObjectId,
        condition: TermId,
        is_held: bool,
    ) {
        if !self.options.checks.has(Check::Leak) {
            return;
        }
        if !self.is_alone {
            self.leave_out_leaks();
            return;
        }
        let flag = self.held_object(block);
        let value = self.terms.constant(8, u128::from(is_held));
        self.write_at(state, None, flag, 0, 1, condition, value);
    }

    fn held_object(&mut self, block: ObjectId) -> ObjectId {
        let key = ObjectKey::Held(block);
        let data = &self.known.objects[block];
        let (name, owner) = (format!("use of {}", data.name), data.owner);
        self.known.object(key.clone(), || Object {
            key,
            size: 1,
            name,
            is_constant: false,
            owner,
            starts_as: Content::Zero,
        })
    }

    fn blocks(&self) -> Vec<ObjectId> {
        let objects = self.known.objects.iter();
        let blocks = objects.filter(|(_, data)| matches!(data.key, ObjectKey::Heap(_)));
        blocks.map(|(id, _)| id).collect()
    }

    /// The process ends in a way in which lost memory is not looked for.
    pub fn leave_out_leaks(&mut self) {
        if self.options.checks.has(Check::Leak) && !self.blocks().is_empty() {
            let what = "lost memory is looked for only where main returns and there are no threads";
            self.limits.insert(what.to_owned());
        }
    }

    /// Main has returned.
    pub fn check_leaks(&mut self, state: &mut State) {
        if !self.options.checks.has(Check::Leak) {
            return;
        }
        let blocks = self.blocks();
        let has_arrays = (self.known.objects.keys()).any(|object| self.known.is_array(object));
        if !self.is_alone || has_arrays || blocks.len() > MOST_BLOCKS {
            self.leave_out_leaks();
            return;
        }
        let held: Vec<TermId> = blocks
            .iter()
            .map(|block| {
                let flag = self.held_object(*block);
                let flag = self.peek(state, flag, 0, 1);
                self.terms.is_nonzero(flag)
            })
            .collect();
        let word = self.program.target.pointer_bytes;
        let pointers = state.memory.terms_of_size(word);
        let never = self.terms.bool(false);
        let mut reached = vec![never; blocks.len()];
        // Blocks hold the addresses of blocks, so it takes as many rounds.
        for _ in 0..=blocks.len() {
            let before = reached.clone();
            for (object, pointer) in &pointers {
                let from = match self.known.objects[*object].key {
                    ObjectKey::Heap(_) => match blocks.iter().position(|block| block == object) {
                        Some(index) => self.terms.and(before[index], held[index]),
                        None => continue,
                    },
                    // They are gone.
                    ObjectKey::Local(_) | ObjectKey::Handler(_) => continue,
                    _ => self.truth(),
                };
                if self.terms.as_bool(from) == Some(false) {
                    continue;
                }
                for (index, block) in blocks.iter().enumerate() {
                    let points = self.points_into(*pointer, *block);
                    let points = self.terms.and(from, points);
                    reached[index] = self.terms.or(reached[index], points);
                }
            }
            if before == reached {
                break;
            }
        }
        for (is_held, is_reached) in held.into_iter().zip(reached) {
            let is_out_of_reach = self.terms.not(is_reached);
            let is_lost = self.terms.and(is_held, is_out_of_reach);
            self.notice(state, Check::Leak, is_lost);
        }
    }

    /// Whether an address belongs to a block, even if it is outside of it.
    fn points_into(&mut self, pointer: TermId, block: ObjectId) -> TermId {
        let (bits, top) = (self.offset_bits(), self.word() - 1);
        let high = self.terms.extract(pointer, top, bits);
        let number = u128::from(self.known.number(block));
        let number = self.terms.constant(top + 1 - bits, number);
        self.terms.equal(high, number)
    }
}
