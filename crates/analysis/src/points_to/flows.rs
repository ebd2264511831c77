//! What calls of library functions do with the pointers that they are given or
//! find in memory.
//!
//! Written from the descriptions in [`library`], independently of whoever
//! executes the functions. What is not listed here does nothing with pointers:
//! it reads or writes numbers and text only.

use library::{
    Atomic, C11Thread, Descriptors, Function, Input, Keys, Memory, Once, Output, Pages, Process,
    Signals, Strings, Thread, Verifier,
};

/// One thing that a call does. Numbers are those of arguments, from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Flow {
    /// The result is a fresh object on the heap.
    Allocate,
    /// So is what argument `.0` points to afterwards.
    AllocateInto(usize),
    /// The result is a fresh object with the content of that of argument `.0`.
    Duplicate(usize),
    /// What one argument points to is copied to where another one points to.
    CopyMemory {
        to: usize,
        from: usize,
        /// The argument with the number of bytes.
        bytes: Option<usize>,
    },
    /// The content of an array is put in another order.
    Permute(usize),
    /// The result is the argument.
    Return(usize),
    /// The result points somewhere into what the argument points to.
    ReturnInside(usize),
    /// A pointer into what argument `inside` points to is stored.
    StoreInside {
        to: usize,
        inside: usize,
    },
    /// What argument `to` points to afterwards is the argument `value`.
    Store {
        to: usize,
        value: usize,
    },
    /// The result is what the argument points to.
    Load(usize),
    /// What argument `to` points to is changed by arithmetic with `value`.
    Combine {
        to: usize,
        value: usize,
    },
    /// The result, and what it points to, belongs to the C library.
    ReturnEnvironment,
    /// A new thread runs `function` with `argument`.
    Start {
        function: usize,
        argument: usize,
    },
    /// The function runs with the elements of two arrays, or the array and a key.
    CallOnElements {
        function: usize,
        first: usize,
        second: usize,
        bytes: usize,
    },
    /// The function runs without arguments during the call.
    Call(usize),
    /// The function runs when the process ends, with the second argument if any.
    CallAtEnd(usize, Option<usize>),
    /// The function runs with any value of a key when a thread ends.
    CallOnKeys(usize),
    /// The argument becomes the result of the calling thread.
    EndThread(usize),
    /// The result of some thread is stored.
    StoreThreadResult(usize),
    SetKey(usize),
    GetKey,
    /// What the argument points to goes into a pipe or the like.
    Send(usize),
    /// What comes out of one is stored there.
    Receive(usize),
    /// The function may run at any time.
    Handle(usize),
    /// So may the one whose address is behind the argument.
    HandleBehind(usize),
    /// The result is a function that may run at any time.
    ReturnHandler,
    /// One is stored there.
    StoreHandler(usize),
    /// All arguments may be kept by somebody we do not know, and the result is
    /// whatever that may know.
    Escape,
}

pub(super) fn flows(function: Function) -> Vec<Flow> {
    let copy = |to, from, bytes| Flow::CopyMemory { to, from, bytes };
    match function {
        Function::Memory(op) => match op {
            Memory::Malloc
            | Memory::Calloc
            | Memory::AlignedAlloc
            | Memory::New
            | Memory::NewAligned => vec![Flow::Allocate],
            Memory::Realloc | Memory::ReallocArray => vec![Flow::Duplicate(0)],
            Memory::PosixMemalign => vec![Flow::AllocateInto(0)],
            Memory::Copy | Memory::Move => vec![copy(0, 1, Some(2)), Flow::Return(0)],
            Memory::PCopy => vec![copy(0, 1, Some(2)), Flow::ReturnInside(0)],
            Memory::Set => vec![Flow::Return(0)],
            Memory::Find | Memory::FindLast => vec![Flow::ReturnInside(0)],
            Memory::Free
            | Memory::Delete
            | Memory::UsableSize
            | Memory::BZero
            | Memory::Compare => vec![],
        },
        Function::Pages(Pages::Map) => vec![Flow::Allocate],
        Function::Strings(op) => match op {
            Strings::Strdup | Strings::Strndup => vec![Flow::Duplicate(0)],
            Strings::Strcpy | Strings::Strncpy => vec![copy(0, 1, None), Flow::Return(0)],
            Strings::Stpcpy | Strings::Stpncpy => vec![copy(0, 1, None), Flow::ReturnInside(0)],
            Strings::Strlcpy => vec![copy(0, 1, None)],
            // Appending copies to anywhere in the first string.
            Strings::Strcat | Strings::Strncat => {
                vec![copy(0, 1, None), Flow::Permute(0), Flow::Return(0)]
            }
            Strings::Strlcat => vec![copy(0, 1, None), Flow::Permute(0)],
            Strings::Strchr
            | Strings::Strchrnul
            | Strings::Strrchr
            | Strings::Strstr
            | Strings::Strpbrk => vec![Flow::ReturnInside(0)],
            Strings::StrtokR => vec![
                Flow::StoreInside { to: 2, inside: 0 },
                Flow::ReturnInside(0),
                Flow::Load(2),
            ],
            Strings::Strtol
            | Strings::Strtoll
            | Strings::Strtoul
            | Strings::Strtoull
            | Strings::Strtod
            | Strings::Strtof => vec![Flow::StoreInside { to: 1, inside: 0 }],
            Strings::Strerror
            | Strings::CtypeClasses
            | Strings::CtypeToUpper
            | Strings::CtypeToLower => vec![Flow::ReturnEnvironment],
            _ => vec![],
        },
        Function::Output(Output::Asprintf | Output::Vasprintf) => vec![Flow::AllocateInto(0)],
        Function::Input(Input::Fopen) => vec![Flow::ReturnEnvironment],
        Function::Input(Input::Fgets) => vec![Flow::Return(0)],
        Function::Process(op) => match op {
            Process::ErrnoLocation | Process::GetEnv | Process::SetLocale => {
                vec![Flow::ReturnEnvironment]
            }
            Process::AtExit => vec![Flow::CallAtEnd(0, None)],
            Process::CxaAtExit => vec![Flow::CallAtEnd(0, Some(1))],
            Process::Sort => vec![
                Flow::Permute(0),
                Flow::CallOnElements {
                    function: 3,
                    first: 0,
                    second: 0,
                    bytes: 2,
                },
            ],
            Process::Search => vec![
                Flow::CallOnElements {
                    function: 4,
                    first: 0,
                    second: 1,
                    bytes: 3,
                },
                Flow::ReturnInside(1),
            ],
            _ => vec![],
        },
        Function::Atomic(op) => match op {
            Atomic::Load => vec![copy(2, 1, Some(0))],
            Atomic::Store => vec![copy(1, 2, Some(0))],
            Atomic::Exchange => vec![copy(3, 1, Some(0)), copy(1, 2, Some(0))],
            Atomic::CompareExchange => vec![copy(2, 1, Some(0)), copy(1, 3, Some(0))],
            Atomic::LoadSized => vec![Flow::Load(0)],
            Atomic::StoreSized => vec![Flow::Store { to: 0, value: 1 }],
            Atomic::ExchangeSized => vec![Flow::Load(0), Flow::Store { to: 0, value: 1 }],
            Atomic::CompareExchangeSized => {
                vec![copy(1, 0, None), Flow::Store { to: 0, value: 2 }]
            }
            Atomic::FetchAdd
            | Atomic::FetchSub
            | Atomic::FetchAnd
            | Atomic::FetchOr
            | Atomic::FetchXor
            | Atomic::FetchNand => vec![Flow::Load(0), Flow::Combine { to: 0, value: 1 }],
            Atomic::FlagTestAndSet
            | Atomic::FlagClear
            | Atomic::ThreadFence
            | Atomic::SignalFence
            | Atomic::IsLockFree => vec![],
        },
        Function::Thread(op) => match op {
            Thread::Create => vec![Flow::Start {
                function: 2,
                argument: 3,
            }],
            Thread::Exit => vec![Flow::EndThread(0)],
            Thread::Join | Thread::TryJoin | Thread::TimedJoin => {
                vec![Flow::StoreThreadResult(1)]
            }
            _ => vec![],
        },
        Function::C11Thread(op) => match op {
            C11Thread::ThreadCreate => vec![Flow::Start {
                function: 1,
                argument: 2,
            }],
            C11Thread::ThreadExit => vec![Flow::EndThread(0)],
            C11Thread::ThreadJoin => vec![Flow::StoreThreadResult(1)],
            C11Thread::CallOnce => vec![Flow::Call(1)],
            C11Thread::KeyCreate => vec![Flow::CallOnKeys(1)],
            C11Thread::KeySet => vec![Flow::SetKey(1)],
            C11Thread::KeyGet => vec![Flow::GetKey],
            _ => vec![],
        },
        Function::Once(Once::Once) => vec![Flow::Call(1)],
        Function::Keys(op) => match op {
            Keys::Create => vec![Flow::CallOnKeys(1)],
            Keys::Set => vec![Flow::SetKey(1)],
            Keys::Get => vec![Flow::GetKey],
            Keys::Delete => vec![],
        },
        Function::Descriptors(op) => match op {
            Descriptors::Write | Descriptors::Send => vec![Flow::Send(1)],
            Descriptors::Read | Descriptors::Recv => vec![Flow::Receive(1)],
            _ => vec![],
        },
        Function::Signals(Signals::Handler) => vec![Flow::Handle(1), Flow::ReturnHandler],
        Function::Signals(Signals::Action) => {
            vec![Flow::HandleBehind(1), Flow::StoreHandler(2)]
        }
        // Any pointer there is.
        Function::Verifier(Verifier::Nondet(library::NondetType::Pointer)) => vec![Flow::Escape],
        Function::Unsupported => vec![Flow::Escape],
        _ => vec![],
    }
}
