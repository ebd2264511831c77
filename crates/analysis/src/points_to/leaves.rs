//! Values made of several scalars: each scalar has a node of its own.

use ir::Type;

/// Aggregates with more scalars than this have one node for all of them.
const MOST_LEAVES: usize = 32;

/// A scalar within a value: where it lies when the value is in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Leaf {
    pub at: u64,
    pub bytes: u64,
}

/// The scalars of a value, in order of their places.
pub(super) fn leaves(ty: &Type, pointer_bytes: u64) -> Vec<Leaf> {
    let mut found = Vec::new();
    collect(ty, 0, pointer_bytes, &mut found);
    if found.len() == 1 || (!found.is_empty() && found.len() <= MOST_LEAVES) {
        return found;
    }
    vec![Leaf {
        at: 0,
        bytes: ty.bytes(pointer_bytes),
    }]
}

fn collect(ty: &Type, at: u64, pointer_bytes: u64, found: &mut Vec<Leaf>) {
    match ty {
        Type::Tuple(tuple) => {
            for (offset, field) in &tuple.fields {
                if found.len() > MOST_LEAVES {
                    return;
                }
                collect(field, at + offset, pointer_bytes, found);
            }
        }
        scalar => found.push(Leaf {
            at,
            bytes: scalar.bytes(pointer_bytes),
        }),
    }
}

/// Which of a value's leaves belong to the field at the end of `path`.
pub(super) fn field_leaves(ty: &Type, path: &[u32], pointer_bytes: u64) -> Option<Vec<usize>> {
    let (mut ty, mut at) = (ty, 0);
    let whole = leaves(ty, pointer_bytes);
    for index in path {
        let Type::Tuple(tuple) = ty else {
            return None;
        };
        let (offset, field) = tuple.fields.get(*index as usize)?;
        at += offset;
        ty = field;
    }
    let field = leaves(ty, pointer_bytes);
    let find = |leaf: &Leaf| {
        let wanted = at + leaf.at;
        whole.iter().position(|leaf_of_whole| {
            leaf_of_whole.at == wanted && leaf_of_whole.bytes == leaf.bytes
        })
    };
    field.iter().map(find).collect()
}
