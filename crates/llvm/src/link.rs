//! Which definition a symbol of a module means, over all modules, as a linker
//! would decide it.
//!
//! Only decides; it creates nothing. Functions and variables share one name
//! space. A symbol that nobody defines is not an error here: body-less functions
//! are ordinary, and whether an undefined variable is ever used is found out by
//! lowering.

use crate::ast::{Linkage, Module};
use std::collections::HashMap;

/// Something that a symbol can stand for. Indices are those of the module's lists.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Entity {
    Variable { module: usize, index: usize },
    Function { module: usize, index: usize },
    Alias { module: usize, index: usize },
}

impl Entity {
    pub(crate) fn module(self) -> usize {
        match self {
            Entity::Variable { module, .. }
            | Entity::Function { module, .. }
            | Entity::Alias { module, .. } => module,
        }
    }
}

/// What a symbol turned out to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Resolution {
    Defined(Entity),
    /// Declared, as this entity, but defined nowhere.
    Declared(Entity),
    /// Not even declared in the module that mentions it.
    Unknown,
}

pub(crate) struct Duplicate {
    pub symbol: String,
    pub first: Entity,
    pub second: Entity,
}

/// How much a definition counts; a stronger one wins, two strong ones clash.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Strength {
    AvailableExternally,
    Weak,
    Common,
    Strong,
}

pub(crate) struct Linked<'m> {
    /// The winning definition of each symbol that modules can share.
    shared: HashMap<&'m str, (Entity, Strength)>,
    /// Per module: everything it defines or declares.
    own: Vec<HashMap<&'m str, (Entity, Linkage)>>,
}

/// Resolves all symbols. `size` gives the bytes of a common variable, of which
/// the largest is kept.
pub(crate) fn link<'m>(
    modules: &'m [Module<'_>],
    mut size: impl FnMut(Entity) -> u64,
) -> Result<Linked<'m>, Duplicate> {
    let mut linked = Linked {
        shared: HashMap::new(),
        own: Vec::new(),
    };
    for (module_index, module) in modules.iter().enumerate() {
        let mut own = HashMap::new();
        for (symbol, entity, linkage, is_definition) in entities(module, module_index) {
            own.insert(symbol, (entity, linkage));
            if !is_definition {
                continue;
            }
            let strength = match linkage {
                Linkage::Internal | Linkage::Appending | Linkage::ExternalWeak => continue,
                Linkage::External => Strength::Strong,
                Linkage::Weak => Strength::Weak,
                Linkage::Common => Strength::Common,
                Linkage::AvailableExternally => Strength::AvailableExternally,
            };
            let Some((winner, known)) = linked.shared.get_mut(symbol) else {
                linked.shared.insert(symbol, (entity, strength));
                continue;
            };
            if strength == Strength::Strong && *known == Strength::Strong {
                return Err(Duplicate {
                    symbol: symbol.to_owned(),
                    first: *winner,
                    second: entity,
                });
            }
            let is_larger_common = strength == Strength::Common
                && *known == Strength::Common
                && size(entity) > size(*winner);
            if strength > *known || is_larger_common {
                (*winner, *known) = (entity, strength);
            }
        }
        linked.own.push(own);
    }
    Ok(linked)
}

/// Everything a module names, with whether it is a definition.
fn entities<'m>(
    module: &'m Module<'_>,
    module_index: usize,
) -> impl Iterator<Item = (&'m str, Entity, Linkage, bool)> {
    let variables = module.variables.iter().enumerate();
    let variables = variables.map(move |(index, variable)| {
        let module = module_index;
        let entity = Entity::Variable { module, index };
        let is_definition = variable.initial.is_some();
        (&*variable.name, entity, variable.linkage, is_definition)
    });
    let functions = module.functions.iter().enumerate();
    let functions = functions.map(move |(index, function)| {
        let module = module_index;
        let entity = Entity::Function { module, index };
        let is_definition = function.body.is_some();
        (&*function.name, entity, function.linkage, is_definition)
    });
    let aliases = module.aliases.iter().enumerate();
    let aliases = aliases.map(move |(index, alias)| {
        let module = module_index;
        let entity = Entity::Alias { module, index };
        (&*alias.name, entity, alias.linkage, true)
    });
    variables.chain(functions).chain(aliases)
}

impl Linked<'_> {
    /// What `symbol` means when `module` says it.
    pub(crate) fn resolve(&self, module: usize, symbol: &str) -> Resolution {
        let Some((entity, linkage)) = self.own[module].get(symbol) else {
            return self.resolve_shared(symbol);
        };
        if matches!(linkage, Linkage::Internal | Linkage::Appending) {
            return Resolution::Defined(*entity);
        }
        match self.shared.get(symbol) {
            Some((winner, _)) => Resolution::Defined(*winner),
            None => Resolution::Declared(*entity),
        }
    }

    /// What `symbol` means to a module that does not declare it.
    pub(crate) fn resolve_shared(&self, symbol: &str) -> Resolution {
        match self.shared.get(symbol) {
            Some((winner, _)) => Resolution::Defined(*winner),
            None => Resolution::Unknown,
        }
    }

    /// Whether this definition is part of the program.
    pub(crate) fn is_kept(&self, entity: Entity, symbol: &str, linkage: Linkage) -> bool {
        match linkage {
            Linkage::Internal => true,
            Linkage::Appending => false,
            _ => self
                .shared
                .get(symbol)
                .is_some_and(|(winner, _)| *winner == entity),
        }
    }
}
