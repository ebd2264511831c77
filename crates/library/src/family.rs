//! The shape of the tables: what an entry and a family hold, and the macro that
//! lets each family write its table with one line per operation.

use crate::Function;

/// One library function.
#[derive(Clone, Copy, Debug)]
pub struct Entry {
    /// The linker symbol.
    pub name: &'static str,
    pub function: Function,
    /// What Threadbare does when the function is called; for
    /// [`Function::Unsupported`], why it cannot be called.
    pub model: &'static str,
    /// Whether a caller may have to wait for another thread. Locks with a time
    /// limit are not blocking, since they may time out at any moment.
    pub blocking: bool,
}

/// Library functions that belong together.
#[derive(Clone, Copy, Debug)]
pub struct Family {
    pub title: &'static str,
    /// A short paragraph on what holds for the whole family.
    pub about: &'static str,
    pub entries: &'static [Entry],
}

/// Writes a [`Family`] as a table. After title, introduction and the enum of
/// operations come lines of an operation, the names of the functions that
/// perform it, and how it is modelled. `(Operation, blocking)` is one that may
/// have to wait, `(Operation(argument))` one with an argument; the operation
/// `Unsupported` belongs to every family.
macro_rules! family {
    (
        $title:literal,
        $about:literal,
        $operations:ident:
        $($operation:tt [$($name:literal),+ $(,)?] $model:literal;)+
    ) => {
        $crate::Family {
            title: $title,
            about: $about,
            entries: &[$($(
                $crate::Entry {
                    name: $name,
                    function: function!($operations, $operation),
                    model: $model,
                    blocking: is_blocking!($operation),
                },
            )+)+],
        }
    };
}

macro_rules! function {
    ($operations:ident, Unsupported) => {
        $crate::Function::Unsupported
    };
    ($operations:ident, $operation:ident) => {
        $crate::Function::$operations($operations::$operation)
    };
    ($operations:ident, ($operation:ident, blocking)) => {
        $crate::Function::$operations($operations::$operation)
    };
    ($operations:ident, ($operation:ident($argument:expr))) => {
        $crate::Function::$operations($operations::$operation($argument))
    };
}

macro_rules! is_blocking {
    (($operation:ident, blocking)) => {
        true
    };
    ($operation:tt) => {
        false
    };
}
