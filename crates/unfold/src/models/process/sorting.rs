//! Sorting and searching with a comparison of the program's own.

use crate::Error;
use crate::access::Targets;
use crate::calls::{Call, Reply, split};
use crate::compute::words;
use crate::models::call_back::CallBack;
use crate::pass::{Frame, Pass, State};
use crate::races::{Mode, Noting};
use formula::TermId;
use library::Process;

/// Elements that are sorted or searched, at most: each comparison is a call.
const MAX_SORTED: u64 = 64;

const MAX_SEARCHED: u64 = 256;

impl<'p> Pass<'p> {
    pub(crate) fn sort_model(
        &mut self,
        state: &mut State,
        frame: &mut Frame,
        op: Process,
        call: &Call,
    ) -> Result<Reply, Error> {
        let first = usize::from(op == Process::Search);
        let word = self.word();
        let (count, size) = (
            self.number(call, first + 1, word),
            self.number(call, first + 2, word),
        );
        let constants = (self.terms.as_constant(count), self.terms.as_constant(size));
        let (Some(count), Some(size)) = constants else {
            return Err(self.unsupported(frame, "an array of unknown size to sort or search"));
        };
        let most = match op {
            Process::Sort => MAX_SORTED,
            _ => MAX_SEARCHED,
        };
        if count > u128::from(most) || size > 4096 {
            let what = format!("sorting or searching more than {most} elements");
            return Err(self.unsupported(frame, what));
        }
        let (count, size) = (count as u64, size as u64);
        match op {
            Process::Sort => self.sort(state, frame, call, count, size),
            _ => self.search_sorted(state, frame, call, count, size),
        }
    }

    /// Insertion sort. The first step only makes sure of the memory; elements change
    /// places right after the last step of a comparison.
    fn sort(
        &mut self,
        state: &mut State,
        frame: &mut Frame,
        call: &Call,
        count: u64,
        size: u64,
    ) -> Result<Reply, Error> {
        if count == 0 || size == 0 {
            return Ok(Reply::Nothing);
        }
        let base = self.argument(call, 0);
        let targets = self.resolve(frame, base, count * size, true)?;
        let Ok(position) = self.begin_access(state, frame, &targets, count * size, 0) else {
            return Ok(Reply::Never);
        };
        self.note_targets(state, position, &targets, count * size, Mode::WRITE);
        let function = self.argument(call, 3);
        let mut index = 0;
        for current in 1..count {
            let mut condition = self.truth();
            for at in (1..=current).rev() {
                if self.terms.as_bool(condition) == Some(false) {
                    break;
                }
                index += 1;
                let arguments = vec![
                    self.advanced(base, size * (at - 1)),
                    self.advanced(base, size * at),
                ];
                let back = CallBack {
                    function,
                    arguments,
                    has_result: true,
                    index,
                    condition,
                };
                let Some((next, order)) = self.call_back(state.clone(), frame, &back)? else {
                    return Ok(Reply::Never);
                };
                *state = next;
                let zero = self.int(0);
                let is_greater = self.terms.signed_less(zero, order);
                condition = self.terms.and(condition, is_greater);
                self.while_noting(Noting::Silent, |pass| {
                    pass.swap(state, frame, &targets, size, at, condition);
                });
            }
        }
        Ok(Reply::Nothing)
    }

    fn swap(
        &mut self,
        state: &mut State,
        frame: &Frame,
        targets: &Targets,
        size: u64,
        at: u64,
        condition: TermId,
    ) {
        for target in &targets.list {
            let left = target.offset + size * (at - 1);
            let right = left + size;
            let object = target.object;
            let position = self.aside(state, frame, object, (left, 2 * size));
            let mut condition = self.terms.and(condition, target.condition);
            if position.is_some() {
                condition = self.terms.and(condition, state.ok);
            }
            for (offset, len) in split(size) {
                let (a, b) = (left + offset, right + offset);
                let first = self.read_at(state, position, object, a, len, condition);
                let second = self.read_at(state, position, object, b, len, condition);
                self.write_at(state, position, object, a, len, condition, second);
                self.write_at(state, position, object, b, len, condition, first);
            }
        }
    }

    /// Binary search: all ways that it may take.
    fn search_sorted(
        &mut self,
        state: &mut State,
        frame: &mut Frame,
        call: &Call,
        count: u64,
        size: u64,
    ) -> Result<Reply, Error> {
        let (key, base) = (self.argument(call, 0), self.argument(call, 1));
        let function = self.argument(call, 4);
        let word = self.word();
        let mut found = self.terms.constant(word, 0);
        let always = self.truth();
        let mut open = vec![(0, count, always)];
        while let Some((low, high, condition)) = open.pop() {
            if low >= high || self.terms.as_bool(condition) == Some(false) {
                continue;
            }
            let middle = low + (high - low) / 2;
            let element = self.advanced(base, size * middle);
            let back = CallBack {
                function,
                arguments: vec![key, element],
                has_result: true,
                index: middle as u32 + 1,
                condition,
            };
            let Some((next, order)) = self.call_back(state.clone(), frame, &back)? else {
                return Ok(Reply::Never);
            };
            *state = next;
            let zero = self.int(0);
            let is_equal = words::is_zero(&mut self.terms, order);
            let (is_less, is_greater) = (
                self.terms.signed_less(order, zero),
                self.terms.signed_less(zero, order),
            );
            let hit = self.terms.and(condition, is_equal);
            found = self.terms.ite(hit, element, found);
            open.push((middle + 1, high, self.terms.and(condition, is_greater)));
            open.push((low, middle, self.terms.and(condition, is_less)));
        }
        Ok(Reply::Return(found))
    }
}
