//! How finely inputs are looked at.
//!
//! An input of many bits that is only ever compared with constants need not be tried
//! with all its values: two values for which all those comparisons come out alike
//! make no difference. So a few values stand for all.
//!
//! Followed is the result of a call through variables of the function whose address
//! goes nowhere. If it is used for anything but comparisons with constants and
//! switches, nothing is said; unless all that is ever used of it is what is left when
//! it is divided by a small constant.

use crate::inputs::Domain;
use analysis::Site;
use ir::{
    BinaryOp, Body, Comparison, Constant, InstId, Op, Operand, Program, Terminator, Type, ValueId,
};
use std::collections::{BTreeSet, HashMap, HashSet};

/// Constants with which one input may be compared, at most.
const MOST_CONSTANTS: usize = 8;

/// Constants up to which it is tried what is left after a division.
const MOST_LEFT: u128 = 16;

/// Of calls whose results are looked at coarsely: values that stand for all.
#[derive(Clone, Debug, Default)]
pub struct Observed(HashMap<Site, (u32, Vec<u128>)>);

impl Observed {
    pub(super) fn of(program: &Program) -> Observed {
        let mut observed = HashMap::new();
        for (function, data) in program.functions.iter() {
            let Some(body) = &data.body else {
                continue;
            };
            let mut locals = None;
            for (inst, data) in body.insts.iter() {
                let (Op::Call { .. }, Some(result)) = (&data.op, data.result) else {
                    continue;
                };
                let Type::Int(width @ 2..=64) = body.values[result] else {
                    continue;
                };
                let locals = locals.get_or_insert_with(|| followed_locals(program, body));
                if let Some(uses) = Uses::of(program, body, locals, result) {
                    observed.insert(Site { function, inst }, (width, uses.values(width)));
                }
            }
        }
        Observed(observed)
    }

    /// Values that stand for all, if there are any for what this instruction asks for.
    pub(super) fn values(&self, site: Option<Site>, domain: Domain) -> Option<&[u128]> {
        let (width, values) = self.0.get(&site?)?;
        (domain == Domain::Bits(*width)).then_some(values)
    }
}

/// Variables that are read and written as one number, and nothing else; with what is
/// read from them.
fn followed_locals(program: &Program, body: &Body) -> HashMap<ValueId, Vec<ValueId>> {
    let mut lost: HashSet<ValueId> = HashSet::new();
    let mut types: HashMap<ValueId, Type> = HashMap::new();
    let mut loads: HashMap<ValueId, Vec<ValueId>> = HashMap::new();
    let mut lose = |operand: Operand| {
        if let Operand::Value(value) = operand {
            lost.insert(value);
        }
    };
    // What is written to it in another type would mix with what is there.
    let mut is_other = |address: ValueId, ty: Type| {
        let known = types.entry(address).or_insert_with(|| ty.clone());
        *known != ty
    };
    for block in body.blocks.values() {
        for phi in &block.phis {
            phi.incoming.iter().for_each(|(_, operand)| lose(*operand));
        }
        block.terminator.for_each_operand(&mut lose);
    }
    for inst in body.insts.values() {
        match &inst.op {
            Op::Load {
                address: Operand::Value(address),
                ..
            } => {
                let Some(result) = inst.result else {
                    continue;
                };
                loads.entry(*address).or_default().push(result);
                if is_other(*address, body.values[result].clone()) {
                    lose(Operand::Value(*address));
                }
            }
            Op::Store {
                address: Operand::Value(address),
                value,
                ..
            } => {
                lose(*value);
                if is_other(*address, body.operand_type(program, *value)) {
                    lose(Operand::Value(*address));
                }
            }
            other => other.for_each_operand(&mut lose),
        }
    }
    let mut followed = HashMap::new();
    for inst in body.insts.values() {
        if let (Op::Local { count: None, .. }, Some(local)) = (&inst.op, inst.result)
            && !lost.contains(&local)
        {
            followed.insert(local, loads.remove(&local).unwrap_or_default());
        }
    }
    followed
}

/// What a value is compared with.
#[derive(Default)]
struct Uses {
    constants: BTreeSet<u128>,
    is_ordered: bool,
    /// What is left after a division by one of these is used, and whether with a sign.
    divisors: BTreeSet<(u128, bool)>,
}

impl Uses {
    fn of(
        program: &Program,
        body: &Body,
        locals: &HashMap<ValueId, Vec<ValueId>>,
        result: ValueId,
    ) -> Option<Uses> {
        let mut uses = Uses::default();
        let mut known = HashSet::from([result]);
        let mut open = vec![result];
        while let Some(value) = open.pop() {
            let ty = &body.values[value];
            if *ty != body.values[result] {
                return None;
            }
            let mut more = Vec::new();
            for block in body.blocks.values() {
                for phi in &block.phis {
                    if phi
                        .incoming
                        .iter()
                        .any(|(_, one)| *one == Operand::Value(value))
                    {
                        more.push(phi.result);
                    }
                }
                let mut is_used = false;
                block
                    .terminator
                    .for_each_operand(|one| is_used |= one == Operand::Value(value));
                match &block.terminator {
                    Terminator::Switch { cases, .. } if is_used => {
                        uses.constants.extend(cases.iter().map(|(case, _)| *case));
                    }
                    _ if is_used => return None,
                    _ => {}
                }
                for inst in &block.insts {
                    uses.add(program, body, locals, *inst, value, &mut more)?;
                }
            }
            open.extend(more.into_iter().filter(|value| known.insert(*value)));
        }
        let is_simple = match uses.divisors.len() {
            0 => uses.constants.len() <= MOST_CONSTANTS,
            count => count == 1 && uses.constants.is_empty(),
        };
        is_simple.then_some(uses)
    }

    /// Takes note of how an instruction uses a value; nothing if that is too much.
    fn add(
        &mut self,
        program: &Program,
        body: &Body,
        locals: &HashMap<ValueId, Vec<ValueId>>,
        inst: InstId,
        value: ValueId,
        more: &mut Vec<ValueId>,
    ) -> Option<()> {
        let value = Operand::Value(value);
        let op = &body.insts[inst].op;
        let mut count = 0;
        op.for_each_operand(|one| count += usize::from(one == value));
        if count == 0 {
            return Some(());
        }
        match op {
            Op::Compare { op, left, right } => {
                let other = if *left == value { *right } else { *left };
                let Operand::Const(constant) = other else {
                    return None;
                };
                let Constant::Int { value, .. } = program.constant(constant) else {
                    return None;
                };
                self.constants.insert(*value);
                self.is_ordered |= !matches!(op, Comparison::Equal | Comparison::NotEqual);
                Some(())
            }
            Op::Binary {
                op: op @ (BinaryOp::UnsignedRem | BinaryOp::SignedRem),
                left,
                right: Operand::Const(right),
                ..
            } if *left == value => match program.constant(*right) {
                Constant::Int { value, .. } if (1..=MOST_LEFT).contains(value) => {
                    self.divisors.insert((*value, *op == BinaryOp::SignedRem));
                    Some(())
                }
                _ => None,
            },
            Op::Store {
                address: Operand::Value(address),
                ..
            } if count == 1 => {
                more.extend(locals.get(address)?);
                Some(())
            }
            _ => None,
        }
    }

    /// One value at least of each kind that is told apart.
    fn values(&self, width: u32) -> Vec<u128> {
        let mask: u128 = (1 << width) - 1;
        if let Some((divisor, is_signed)) = self.divisors.first().copied() {
            let positive = 0..divisor.min(mask + 1);
            let negative = positive.clone().skip(1).filter(|_| is_signed);
            let negative = negative.map(|value| value.wrapping_neg() & mask);
            return positive.chain(negative).collect();
        }
        if !self.is_ordered {
            let mut values: Vec<u128> = self.constants.iter().copied().collect();
            let other = (0..=mask).find(|value| !self.constants.contains(value));
            values.extend(other);
            return values;
        }
        // Where something changes, in the order of numbers with or without a sign.
        let borders = self.constants.iter().copied().chain([0, 1 << (width - 1)]);
        let values = borders.flat_map(|border| [border.wrapping_sub(1), border, border + 1]);
        let values: BTreeSet<u128> = values.map(|value| value & mask).collect();
        values.into_iter().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_left_is_any_of_them() {
        let width = 8;
        for divisor in 1..=MOST_LEFT {
            for is_signed in [false, true] {
                let uses = Uses {
                    divisors: BTreeSet::from([(divisor, is_signed)]),
                    ..Uses::default()
                };
                let left = |value: u128| match is_signed {
                    true => i128::from(value as u8 as i8) % divisor as i128,
                    false => (value % divisor) as i128,
                };
                let chosen: HashSet<i128> = uses.values(width).into_iter().map(left).collect();
                assert!((0..256).all(|value| chosen.contains(&left(value))));
            }
        }
    }

    /// For each value there is one among those chosen for which all comparisons come
    /// out alike.
    #[test]
    fn values_stand_for_all() {
        let width = 5;
        let signed = |value: u128| (value as i128) << (128 - width) >> (128 - width);
        for first in 0..32u128 {
            for second in 0..32u128 {
                for is_ordered in [false, true] {
                    let constants = BTreeSet::from([first, second]);
                    let outcome = |value: u128| -> Vec<_> {
                        let each = constants.iter().map(|constant| match is_ordered {
                            false => (value == *constant, None),
                            true => (
                                value == *constant,
                                Some((value.cmp(constant), signed(value).cmp(&signed(*constant)))),
                            ),
                        });
                        each.collect()
                    };
                    let uses = Uses {
                        constants: constants.clone(),
                        is_ordered,
                        ..Uses::default()
                    };
                    let chosen: HashSet<_> = uses.values(width).into_iter().map(outcome).collect();
                    assert!((0..32).all(|value| chosen.contains(&outcome(value))));
                }
            }
        }
    }
}
