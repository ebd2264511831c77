//! The library functions Threadbare knows: their names, the family each belongs
//! to, and in plain English how each is modelled.
//!
//! This crate is data. It executes nothing and depends on nothing, because
//! whatever gives the functions their meaning does so on its own: two
//! implementations that share no code can check each other. The page for users
//! is written from the same tables, see [`page()`].
//!
//! There is one file per family, each with an enum of operations and a table
//! that maps names to them. A name counts only when the program does not define
//! the function itself; [`overrides_body`] tells the few exceptions.

#[macro_use]
mod family;

mod atomic;
mod attribute;
mod barrier;
mod bits;
mod c11_threads;
mod cancellation;
mod condition;
mod cpp_threads;
mod descriptors;
mod input;
mod jumps;
mod keys;
mod math;
mod memory;
mod mutex;
mod once;
mod output;
mod page;
mod pages;
mod process;
mod rwlock;
mod semaphore;
mod signals;
mod spin;
mod strings;
mod surroundings;
mod system;
mod thread;
mod time;
mod verifier;

pub use atomic::Atomic;
pub use attribute::Attribute;
pub use barrier::Barrier;
pub use bits::Bits;
pub use c11_threads::C11Thread;
pub use cancellation::{Cancellation, CancellationPoint, cancellation_point, is_of_cpp};
pub use condition::Condition;
pub use descriptors::{Descriptors, changes_descriptors};
pub use family::{Entry, Family};
pub use input::Input;
pub use jumps::Jumps;
pub use keys::Keys;
pub use math::Math;
pub use memory::Memory;
pub use mutex::Mutex;
pub use once::Once;
pub use output::Output;
pub use page::page;
pub use pages::Pages;
pub use process::Process;
pub use rwlock::RwLock;
pub use semaphore::Semaphore;
pub use signals::Signals;
pub use spin::Spin;
pub use strings::Strings;
pub use surroundings::{ARGUMENT_CHARACTERS, MemoryModel, Surroundings, Undefined};
pub use system::System;
pub use thread::Thread;
pub use time::Time;
pub use verifier::{NondetType, Verifier};

use std::collections::HashMap;
use std::sync::OnceLock;

/// What a known library function does. Functions that differ only in name, such
/// as `sched_yield` and `pthread_yield`, are the same operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Function {
    Thread(Thread),
    Cancellation(Cancellation),
    Mutex(Mutex),
    Condition(Condition),
    RwLock(RwLock),
    Barrier(Barrier),
    Spin(Spin),
    Once(Once),
    Keys(Keys),
    Semaphore(Semaphore),
    C11Thread(C11Thread),
    Atomic(Atomic),
    Memory(Memory),
    Pages(Pages),
    Strings(Strings),
    Output(Output),
    Input(Input),
    Descriptors(Descriptors),
    Process(Process),
    Signals(Signals),
    System(System),
    Jumps(Jumps),
    Time(Time),
    Math(Math),
    Bits(Bits),
    Verifier(Verifier),
    /// Known, but not modelled: an error when a run reaches a call of it.
    Unsupported,
}

/// All families, in the order in which the page for users shows them.
pub fn families() -> &'static [Family] {
    static FAMILIES: [Family; 27] = [
        thread::FAMILY,
        cancellation::FAMILY,
        mutex::FAMILY,
        condition::FAMILY,
        rwlock::FAMILY,
        barrier::FAMILY,
        spin::FAMILY,
        once::FAMILY,
        keys::FAMILY,
        semaphore::FAMILY,
        c11_threads::FAMILY,
        cpp_threads::FAMILY,
        atomic::FAMILY,
        memory::FAMILY,
        pages::FAMILY,
        strings::FAMILY,
        output::FAMILY,
        input::FAMILY,
        descriptors::FAMILY,
        process::FAMILY,
        signals::FAMILY,
        system::FAMILY,
        jumps::FAMILY,
        time::FAMILY,
        math::FAMILY,
        bits::FAMILY,
        verifier::FAMILY,
    ];
    &FAMILIES
}

/// The entry of a linker symbol, if it is known.
pub fn lookup(name: &str) -> Option<&'static Entry> {
    static BY_NAME: OnceLock<HashMap<&'static str, &'static Entry>> = OnceLock::new();
    let by_name = BY_NAME.get_or_init(|| {
        let entries = families().iter().flat_map(|family| family.entries);
        entries.map(|entry| (entry.name, entry)).collect()
    });
    let exact = by_name.get(name).copied();
    exact.or_else(|| {
        let mut prefixes = cpp_threads::FAMILY.entries.iter();
        prefixes.find(|entry| name.starts_with("_Z") && name.starts_with(entry.name))
    })
}

/// Whether a function with this name, defined by the program, runs as a whole
/// without interruption by other threads.
pub fn is_atomic_function(name: &str) -> bool {
    name.starts_with("__VERIFIER_atomic_")
        && !matches!(name, "__VERIFIER_atomic_begin" | "__VERIFIER_atomic_end")
}

/// Whether calls of the function may go on elsewhere than after the call, or have others
/// do so.
pub fn may_jump(function: Function) -> bool {
    matches!(function, Function::Jumps(_) | Function::Cancellation(_))
}

/// Whether the function keeps its meaning even if the program defines a function
/// of that name. Verification tasks often come with stand-ins for these few, for
/// ordinary compilers.
pub fn overrides_body(function: Function) -> bool {
    matches!(
        function,
        Function::Verifier(Verifier::Error | Verifier::AtomicBegin | Verifier::AtomicEnd)
    )
}

#[cfg(test)]
mod tests;
