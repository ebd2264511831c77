//! What each function of a program is: one of the program's own, one that the
//! library tables know, or nobody's.

use cranelift_entity::SecondaryMap;
use ir::{Callee, FunctionId, Program};
use library::{Entry, Function, is_atomic_function, lookup, overrides_body};

pub(crate) struct Meaning {
    entries: SecondaryMap<FunctionId, Option<&'static Entry>>,
    atomic: SecondaryMap<FunctionId, bool>,
}

impl Meaning {
    pub(crate) fn of(program: &Program) -> Meaning {
        let mut meaning = Meaning {
            entries: SecondaryMap::new(),
            atomic: SecondaryMap::new(),
        };
        for (id, function) in program.functions.iter() {
            let entry = lookup(&function.symbol)
                .filter(|entry| function.body.is_none() || overrides_body(entry.function));
            meaning.entries[id] = entry;
            meaning.atomic[id] = entry.is_none() && is_atomic_function(&function.name);
        }
        meaning
    }

    /// The library's entry, unless the program defines the function itself.
    pub(crate) fn entry(&self, function: FunctionId) -> Option<&'static Entry> {
        self.entries[function]
    }

    pub(crate) fn of_callee(&self, callee: &Callee) -> Option<Function> {
        match callee {
            Callee::Direct(function) => self.entry(*function).map(|entry| entry.function),
            Callee::Indirect(_) => None,
        }
    }

    /// Whether calls of the function are one step as a whole.
    pub(crate) fn is_atomic(&self, function: FunctionId) -> bool {
        self.atomic[function]
    }
}
