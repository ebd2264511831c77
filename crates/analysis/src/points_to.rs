//! What every pointer of a program may point to.
//!
//! The idea is Andersen's: a pointer is a set of targets, an assignment an
//! inclusion between sets, and the smallest sets that satisfy all inclusions are
//! the answer. One answer holds for the whole run (the order of instructions does
//! not matter) and for all calls of a function together. Members of structs are
//! told apart by their offset in bytes, elements of arrays are not: an index that
//! varies makes a *stride*, see [`Offsets`].
//!
//! **Objects.** Each global and thread-local variable, each instruction that
//! makes a local variable, each call that allocates, and each function is one
//! object, however many there are of it in a run. So are the copies of structs
//! passed by value, per parameter; the variadic arguments, per function; and all
//! that the C library provides ([`AbstractObject::Environment`]).
//!
//! **Integers** are followed like pointers, since programs keep addresses in
//! them, whole or byte by byte. An address that arithmetic has been done on may
//! point anywhere in its object; adding constants and marking low bits is
//! followed exactly.
//!
//! **Unknown code.** What a function without body or model is given may be kept,
//! read, written and called by it. [`AbstractObject::Unknown`] stands for what
//! such code hands out; its content is all that has escaped.
//!
//! **The promise:** whatever an access of a run touches is among the targets of
//! its address, for the instructions of all functions that can be reached. There
//! is one exception: an address that was *guessed* has no targets. That is an
//! integer from an input or a constant that happens to be an address, one computed
//! by going from one object to another by their distance, one put together from
//! its low bits, or one that outlived its object and now is the address of another.
//! Null and pointers that were never written have no targets either.
//!
//! **The cost** grows with the number of distinct offsets; beyond 256 per object
//! that are pointed to, or that hold pointers, the object is treated as if it
//! had one member only. Programs of 10,000 lines take about a tenth of a second,
//! unless each pointer may point to hundreds of objects.

mod calls;
mod cells;
mod constraints;
mod flows;
mod leaves;
mod sets;
mod solver;
#[cfg(test)]
mod tests;

pub use cells::Offsets;

use crate::meaning::Meaning;
use constraints::{Builder, Nodes};
use cranelift_entity::{EntityRef, SecondaryMap, entity_impl};
use ir::{ConstId, Constant, FunctionId, GlobalId, InstId, Op, Operand, Program};
use sets::LocationId;
use solver::{NodeId, Solver};
use std::collections::{BTreeMap, HashMap};

/// An abstract object. Ids are in the order of [`AbstractObject`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ObjectId(u32);
entity_impl!(ObjectId, "object");

/// What an object is. One may stand for several objects of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum AbstractObject {
    Global(GlobalId),
    /// The copies of all threads.
    ThreadLocal(GlobalId),
    /// Made by an [`Op::Local`].
    Local {
        function: FunctionId,
        inst: InstId,
    },
    /// Made by a call of `malloc` or the like.
    Heap {
        function: FunctionId,
        inst: InstId,
    },
    /// A function's own copy of a struct that is passed by value.
    Argument {
        function: FunctionId,
        index: u32,
    },
    /// What a `va_list` walks through.
    Variadic {
        function: FunctionId,
    },
    Function(FunctionId),
    /// The arguments of `main`, streams, `errno`, and other memory of the C
    /// library.
    Environment,
    /// Memory of code that we do not have.
    Unknown,
}

impl AbstractObject {
    /// The object in words, for tests and messages.
    pub fn describe(self, program: &Program) -> String {
        let function_name = |function: FunctionId| &program.functions[function].name;
        match self {
            AbstractObject::Global(id) | AbstractObject::ThreadLocal(id) => {
                let global = &program.globals[id];
                global.name.as_ref().unwrap_or(&global.symbol).clone()
            }
            AbstractObject::Local { function, inst } => {
                let body = program.functions[function].body.as_ref();
                let variable = body.and_then(|body| match &body.insts[inst].op {
                    Op::Local { variable, .. } => Some(&body.locals[(*variable)?].name),
                    _ => None,
                });
                match variable {
                    Some(variable) => format!("{}:{variable}", function_name(function)),
                    None => format!("{}:{inst}", function_name(function)),
                }
            }
            AbstractObject::Heap { function, inst } => {
                let body = program.functions[function].body.as_ref();
                let line = body
                    .and_then(|body| body.insts[inst].location)
                    .map_or(inst.to_string(), |location| location.line.to_string());
                format!("heap@{}:{line}", function_name(function))
            }
            AbstractObject::Argument { function, index } => {
                format!("argument {index} of {}", function_name(function))
            }
            AbstractObject::Variadic { function } => {
                format!("variadic arguments of {}", function_name(function))
            }
            AbstractObject::Function(function) => function_name(function).clone(),
            AbstractObject::Environment => "the environment".to_owned(),
            AbstractObject::Unknown => "unknown".to_owned(),
        }
    }
}

/// Somewhere in an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Target {
    pub object: ObjectId,
    pub offsets: Offsets,
}

/// All targets of a pointer, in order, none covered by another.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TargetSet {
    targets: Vec<Target>,
    /// It may also be an address that unknown code has made up. All objects that
    /// such code can know are among the targets of addresses that are used.
    pub is_unknown: bool,
}

impl TargetSet {
    pub fn iter(&self) -> impl Iterator<Item = Target> + '_ {
        self.targets.iter().copied()
    }

    /// The objects, each once.
    pub fn objects(&self) -> impl Iterator<Item = ObjectId> + '_ {
        let is_first = |index: usize| {
            index == 0 || self.targets[index - 1].object != self.targets[index].object
        };
        let firsts = (0..self.targets.len()).filter(move |index| is_first(*index));
        firsts.map(|index| self.targets[index].object)
    }

    pub fn contains(&self, object: ObjectId) -> bool {
        self.targets.iter().any(|target| target.object == object)
    }

    pub fn is_empty(&self) -> bool {
        self.targets.is_empty() && !self.is_unknown
    }

    /// The target, if there is only one.
    pub fn single(&self) -> Option<Target> {
        match (&self.targets[..], self.is_unknown) {
            ([target], false) => Some(*target),
            _ => None,
        }
    }
}

/// The functions that have to do with a call.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Site {
    /// What is called, library functions included. In order.
    pub callees: Vec<FunctionId>,
    /// What new threads run.
    pub starts: Vec<FunctionId>,
    /// What the called library function calls itself before it returns.
    pub callbacks: Vec<FunctionId>,
}

pub struct PointsTo {
    objects: Vec<AbstractObject>,
    ids: HashMap<AbstractObject, ObjectId>,
    /// From the solver's numbers.
    ids_by_index: HashMap<u32, ObjectId>,
    indices: Vec<u32>,
    solver: Solver,
    values: SecondaryMap<FunctionId, Option<Vec<Nodes>>>,
    constants: HashMap<ConstId, Target>,
    sites: BTreeMap<(FunctionId, InstId), Site>,
    no_site: Site,
    at_end: Vec<FunctionId>,
    on_keys: Vec<FunctionId>,
    escaped: NodeId,
    thread_arguments: NodeId,
    thread_results: NodeId,
}

impl PointsTo {
    pub fn of(program: &Program) -> PointsTo {
        let meaning = Meaning::of(program);
        let mut builder = Builder::new(program, &meaning);
        builder.build();

        let mut objects: Vec<AbstractObject> = builder.objects.values().copied().collect();
        objects.sort_unstable();
        let ids: HashMap<AbstractObject, ObjectId> = objects
            .iter()
            .enumerate()
            .map(|(index, object)| (*object, ObjectId::new(index)))
            .collect();
        let by_index = builder
            .objects
            .iter()
            .map(|(index, object)| (*index, ids[object]));
        let mut points_to = PointsTo {
            ids_by_index: by_index.collect(),
            indices: objects
                .iter()
                .filter_map(|object| builder.object_index(*object))
                .collect(),
            constants: HashMap::new(),
            objects,
            ids,
            escaped: builder.escaped,
            thread_arguments: builder.thread_arguments,
            thread_results: builder.thread_results,
            values: builder.values,
            sites: builder.sites,
            no_site: Site::default(),
            at_end: builder.at_end,
            on_keys: builder.on_keys,
            solver: builder.solver,
        };
        points_to.constants = points_to.addresses(program).collect();
        points_to
    }

    /// The constants that are addresses.
    fn addresses(&self, program: &Program) -> impl Iterator<Item = (ConstId, Target)> {
        program.constants().filter_map(|(id, constant)| {
            let (object, offset) = match constant {
                Constant::Global { global, offset } => {
                    let object = match program.globals[*global].is_thread_local {
                        true => AbstractObject::ThreadLocal(*global),
                        false => AbstractObject::Global(*global),
                    };
                    (object, *offset)
                }
                Constant::Function(function) => (AbstractObject::Function(*function), 0),
                _ => return None,
            };
            let offsets = Offsets::exactly(offset);
            let object = self.id(object)?;
            Some((id, Target { object, offsets }))
        })
    }

    /// What an operand of a function may point to. Nothing, if the function can
    /// never run; for a value of several parts, what any of them may point to.
    pub fn targets(&self, function: FunctionId, operand: Operand) -> TargetSet {
        let value = match operand {
            Operand::Const(id) => {
                return TargetSet {
                    targets: self.constants.get(&id).copied().into_iter().collect(),
                    is_unknown: false,
                };
            }
            Operand::Value(value) => value,
        };
        let nodes = self.values[function].as_ref();
        let nodes = nodes.and_then(|values| values.get(value.index()));
        let sets = nodes
            .into_iter()
            .flatten()
            .map(|node| self.solver.set(*node));
        self.target_set(sets.flatten().copied())
    }

    /// What the pointers may point to that an object holds in the word that
    /// starts at any of the offsets.
    pub fn pointees(&self, object: ObjectId, offsets: Offsets, bytes: u64) -> TargetSet {
        let index = self.indices[object.index()];
        let found = self.solver.content(index, offsets, bytes);
        self.target_set(found.into_iter())
    }

    /// What any pointer that an object holds may point to.
    pub fn all_pointees(&self, object: ObjectId) -> TargetSet {
        self.pointees(object, Offsets::ANY, 1)
    }

    /// What any pointer may point to that the targets of a pointer hold.
    pub fn pointees_of(&self, targets: &TargetSet) -> TargetSet {
        let contents = targets.objects().map(|object| {
            let index = self.indices[object.index()];
            self.solver.content(index, Offsets::ANY, 1)
        });
        self.target_set(contents.flatten())
    }

    /// The functions that a call may call, in order: for a call without target
    /// none.
    pub fn callees(&self, function: FunctionId, inst: InstId) -> &[FunctionId] {
        &self.site(function, inst).callees
    }

    pub fn site(&self, function: FunctionId, inst: InstId) -> &Site {
        self.sites.get(&(function, inst)).unwrap_or(&self.no_site)
    }

    /// Whether the function can be reached, so that its sets mean something.
    pub fn is_reached(&self, function: FunctionId) -> bool {
        self.values[function].is_some()
    }

    /// Functions that may run when the process ends, besides those that the
    /// program itself lists.
    pub fn at_end(&self) -> &[FunctionId] {
        &self.at_end
    }

    /// Destructors of keys, which run when a thread ends.
    pub fn key_destructors(&self) -> &[FunctionId] {
        &self.on_keys
    }

    /// All that code outside of the program may know.
    pub fn escaped(&self) -> TargetSet {
        self.target_set(self.solver.set(self.escaped).iter().copied())
    }

    /// What new threads are given.
    pub fn thread_arguments(&self) -> TargetSet {
        self.target_set(self.solver.set(self.thread_arguments).iter().copied())
    }

    /// What threads hand to those who join them.
    pub fn thread_results(&self) -> TargetSet {
        self.target_set(self.solver.set(self.thread_results).iter().copied())
    }

    pub fn objects(&self) -> impl Iterator<Item = (ObjectId, AbstractObject)> + '_ {
        let numbered = self.objects.iter().enumerate();
        numbered.map(|(index, object)| (ObjectId::new(index), *object))
    }

    pub fn object(&self, id: ObjectId) -> AbstractObject {
        self.objects[id.index()]
    }

    pub fn id(&self, object: AbstractObject) -> Option<ObjectId> {
        self.ids.get(&object).copied()
    }

    fn target_set(&self, locations: impl Iterator<Item = LocationId>) -> TargetSet {
        let mut targets = Vec::new();
        let mut is_unknown = false;
        for location in locations {
            let location = self.solver.location(location);
            let object = self.ids_by_index[&location.object];
            if self.objects[object.index()] == AbstractObject::Unknown {
                is_unknown = true;
            } else {
                targets.push(Target {
                    object,
                    offsets: location.at,
                });
            }
        }
        targets.sort_unstable();
        targets.dedup();
        let all = targets.clone();
        let is_covered = |target: &Target| {
            let first = all.partition_point(|other| other.object < target.object);
            let same = all[first..].iter();
            same.take_while(|other| other.object == target.object)
                .any(|other| other != target && other.offsets.covers(target.offsets))
        };
        targets.retain(|target| !is_covered(target));
        TargetSet {
            targets,
            is_unknown,
        }
    }
}
