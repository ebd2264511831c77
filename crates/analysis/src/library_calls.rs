//! What library functions do with the pointers they are given, and how many
//! visible steps a call of them takes.

use library::{
    Atomic, Barrier, C11Thread, Cancellation, Condition, Descriptors, Function, Input, Keys,
    Memory, Mutex, Once, Output, Pages, Process, RwLock, Signals, Strings, System, Thread, Time,
    Verifier,
};

/// What is done with the address of a variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Use {
    Read,
    Write,
    /// A lock or the like in the variable is used.
    Synchronise,
    /// Read or written until the call returns, by a function that then forgets it.
    Lend,
    /// It may be kept anywhere, so whatever happens next is not known.
    Escape,
}

/// What happens to the pointer in argument `index`.
pub(crate) fn argument_uses(function: Function, index: usize) -> &'static [Use] {
    const READ: &[Use] = &[Use::Read];
    const WRITE: &[Use] = &[Use::Write];
    const UPDATE: &[Use] = &[Use::Read, Use::Write];
    const SYNCHRONISE: &[Use] = &[Use::Synchronise];
    const LEND: &[Use] = &[Use::Lend];
    const ESCAPE: &[Use] = &[Use::Escape];
    const AWAIT: &[Use] = &[Use::Read, Use::Synchronise];
    match (function, index) {
        (Function::Thread(Thread::Create), 3)
        | (Function::Thread(Thread::Exit), _)
        | (Function::C11Thread(C11Thread::ThreadCreate), 2)
        | (Function::C11Thread(C11Thread::ThreadExit), _)
        | (Function::Keys(Keys::Set), 1)
        | (Function::C11Thread(C11Thread::KeySet), 1) => ESCAPE,
        (Function::Thread(Thread::Create) | Function::Keys(Keys::Create), 0)
        | (Function::Thread(Thread::Join | Thread::TryJoin | Thread::TimedJoin), 1)
        | (Function::C11Thread(C11Thread::ThreadCreate | C11Thread::KeyCreate), 0)
        | (Function::C11Thread(C11Thread::ThreadJoin), 1) => WRITE,
        (Function::C11Thread(op), _) if is_thread_or_key(op) => LEND,
        (
            Function::Mutex(_)
            | Function::Condition(_)
            | Function::RwLock(_)
            | Function::Barrier(_)
            | Function::Spin(_)
            | Function::Once(_)
            | Function::Semaphore(_)
            | Function::C11Thread(_),
            _,
        ) => SYNCHRONISE,
        (Function::Atomic(op), _) => match (op, index) {
            (Atomic::LoadSized, 0) | (Atomic::Load, 1) => READ,
            (Atomic::StoreSized | Atomic::FlagClear, 0) | (Atomic::Store, 1) => WRITE,
            (Atomic::Exchange | Atomic::CompareExchange, 1) => UPDATE,
            (Atomic::CompareExchangeSized, 1)
            | (Atomic::Load | Atomic::Store | Atomic::Exchange | Atomic::CompareExchange, _) => {
                LEND
            }
            (_, 0) => UPDATE,
            _ => ESCAPE,
        },
        (Function::Memory(op), _) => match (op, index) {
            (Memory::Copy | Memory::PCopy | Memory::Move | Memory::Set | Memory::BZero, 0)
            | (Memory::PosixMemalign, 0) => WRITE,
            (Memory::Copy | Memory::PCopy | Memory::Move, 1)
            | (Memory::Compare | Memory::Find | Memory::FindLast, _) => READ,
            _ => LEND,
        },
        (Function::Strings(op), _) => match (op, index) {
            // These keep a pointer into the string, or store one.
            (
                Strings::StrtokR
                | Strings::Strtol
                | Strings::Strtoll
                | Strings::Strtoul
                | Strings::Strtoull
                | Strings::Strtod
                | Strings::Strtof,
                _,
            ) => ESCAPE,
            (
                Strings::Strcpy
                | Strings::Strncpy
                | Strings::Stpcpy
                | Strings::Stpncpy
                | Strings::Strlcpy,
                0,
            ) => WRITE,
            (Strings::Strcat | Strings::Strncat | Strings::Strlcat, 0) => UPDATE,
            _ => READ,
        },
        (Function::Output(op), _) => match (op, index) {
            (
                Output::Sprintf
                | Output::Snprintf
                | Output::Asprintf
                | Output::Vsprintf
                | Output::Vsnprintf
                | Output::Vasprintf
                | Output::SprintfChecked
                | Output::SnprintfChecked
                | Output::VsprintfChecked
                | Output::VsnprintfChecked,
                0,
            ) => WRITE,
            (Output::SetBuffer, _) => LEND,
            _ => READ,
        },
        (Function::Input(Input::Sscanf | Input::Vsscanf), 0) => READ,
        (Function::Time(Time::Sleep), _) => LEND,
        (Function::Input(_) | Function::Time(_) | Function::Math(_), _)
        | (Function::Verifier(Verifier::NondetMemory), _) => WRITE,
        (Function::Process(Process::RandR), _) => UPDATE,
        (Function::Cancellation(Cancellation::SetState | Cancellation::SetType), 1) => WRITE,
        (Function::System(System::Call), 1 | 5) => AWAIT,
        (Function::System(System::Call), 4) => READ,
        (Function::Signals(Signals::EmptySet | Signals::FillSet), 0)
        | (Function::Signals(Signals::Mask | Signals::Action), 2) => WRITE,
        (Function::Signals(Signals::AddToSet | Signals::RemoveFromSet), 0) => UPDATE,
        (Function::Signals(Signals::IsInSet), 0)
        | (Function::Signals(Signals::Mask | Signals::Action), 1) => READ,
        // The handler may run at any time.
        (Function::Signals(Signals::Handler), 1) => ESCAPE,
        (Function::Descriptors(op), _) => match op {
            Descriptors::Write | Descriptors::Send | Descriptors::Open => READ,
            Descriptors::Poll => UPDATE,
            _ => WRITE,
        },
        // They hand the elements to the program's own functions, or keep what
        // they are given until the end.
        (
            Function::Process(
                Process::Sort | Process::Search | Process::AtExit | Process::CxaAtExit,
            )
            | Function::Unsupported,
            _,
        ) => ESCAPE,
        (
            Function::Thread(_)
            | Function::Cancellation(_)
            | Function::Keys(_)
            | Function::Jumps(_)
            | Function::Pages(_)
            | Function::Process(_)
            | Function::Signals(_)
            | Function::System(_)
            | Function::Bits(_)
            | Function::Verifier(_),
            _,
        ) => LEND,
    }
}

fn is_thread_or_key(op: C11Thread) -> bool {
    matches!(
        op,
        C11Thread::ThreadCreate
            | C11Thread::ThreadJoin
            | C11Thread::ThreadExit
            | C11Thread::ThreadCurrent
            | C11Thread::ThreadDetach
            | C11Thread::ThreadEqual
            | C11Thread::ThreadYield
            | C11Thread::ThreadSleep
            | C11Thread::KeyCreate
            | C11Thread::KeyGet
            | C11Thread::KeySet
            | C11Thread::KeyDelete
    )
}

/// How many visible steps a call takes whatever its arguments are; `None` if it
/// takes some only when it accesses shared memory.
pub(crate) fn fixed_steps(function: Function) -> Option<u64> {
    match function {
        Function::Thread(
            Thread::Create | Thread::Join | Thread::TryJoin | Thread::TimedJoin | Thread::Detach,
        ) => Some(1),
        Function::Mutex(op) => match op {
            Mutex::AttrInit | Mutex::AttrDestroy | Mutex::AttrSet(_) | Mutex::AttrGet(_) => None,
            _ => Some(1),
        },
        Function::Condition(op) => match op {
            // One to release the mutex, one to retake it.
            Condition::Wait | Condition::TimedWait => Some(2),
            Condition::AttrInit
            | Condition::AttrDestroy
            | Condition::AttrSet(_)
            | Condition::AttrGet(_) => None,
            _ => Some(1),
        },
        Function::RwLock(op) => match op {
            RwLock::AttrInit
            | RwLock::AttrDestroy
            | RwLock::AttrSetKind(_)
            | RwLock::AttrSet(_)
            | RwLock::AttrGet(_) => None,
            _ => Some(1),
        },
        Function::Barrier(op) => match op {
            // One to arrive, one to leave.
            Barrier::Wait => Some(2),
            Barrier::AttrInit
            | Barrier::AttrDestroy
            | Barrier::AttrSet(_)
            | Barrier::AttrGet(_) => None,
            _ => Some(1),
        },
        // One to look up what a number stands for, if that can change.
        Function::Descriptors(
            Descriptors::Read
            | Descriptors::Write
            | Descriptors::Recv
            | Descriptors::Send
            | Descriptors::EventFdRead
            | Descriptors::EventFdWrite
            | Descriptors::Poll,
        ) => Some(2),
        Function::Time(Time::Time | Time::Clock | Time::GetTimeOfDay | Time::ClockGetTime)
        | Function::Descriptors(
            Descriptors::Pipe
            | Descriptors::Pipe2
            | Descriptors::SocketPair
            | Descriptors::EventFd
            | Descriptors::Open
            | Descriptors::Close
            | Descriptors::Dup
            | Descriptors::Dup2
            | Descriptors::Dup3
            | Descriptors::Control,
        )
        | Function::Signals(Signals::Handler | Signals::Action)
        | Function::Spin(_)
        | Function::Semaphore(_)
        | Function::Cancellation(Cancellation::Cancel) => Some(1),
        // One to begin, one to finish.
        Function::Once(Once::Once) => Some(2),
        Function::Once(_) => Some(1),
        Function::C11Thread(op) => match op {
            C11Thread::ThreadCreate | C11Thread::ThreadJoin | C11Thread::ThreadDetach => Some(1),
            C11Thread::ConditionWait | C11Thread::ConditionTimedWait | C11Thread::CallOnce => {
                Some(2)
            }
            C11Thread::ThreadExit | C11Thread::KeyGet | C11Thread::KeySet => Some(0),
            _ if is_thread_or_key(op) => None,
            _ => Some(1),
        },
        Function::Memory(
            Memory::Free | Memory::Delete | Memory::Realloc | Memory::ReallocArray,
        )
        | Function::Pages(Pages::Unmap) => Some(1),
        Function::Verifier(Verifier::AtomicBegin) => Some(1),
        // They look at no memory; the end of the thread is counted elsewhere.
        Function::Thread(Thread::Exit)
        | Function::Jumps(_)
        | Function::Cancellation(Cancellation::Push | Cancellation::Pop | Cancellation::Next)
        | Function::Keys(Keys::Get | Keys::Set)
        | Function::Process(Process::AtExit | Process::CxaAtExit)
        | Function::Unsupported => Some(0),
        _ => None,
    }
}

/// Whether the function makes an object on the heap.
pub(crate) fn is_allocation(function: Function) -> bool {
    matches!(
        function,
        Function::Memory(
            Memory::Malloc
                | Memory::Calloc
                | Memory::Realloc
                | Memory::ReallocArray
                | Memory::AlignedAlloc
                | Memory::PosixMemalign
                | Memory::New
                | Memory::NewAligned
        ) | Function::Pages(Pages::Map)
            | Function::Strings(Strings::Strdup | Strings::Strndup)
            | Function::Output(Output::Asprintf | Output::Vasprintf)
    )
}

/// Which argument is a function that the call runs, now or later, in the thread
/// of the caller.
pub(crate) fn callback_argument(function: Function) -> Option<usize> {
    match function {
        Function::Once(Once::Once) | Function::C11Thread(C11Thread::CallOnce) => Some(1),
        Function::Process(Process::Sort) => Some(3),
        Function::Process(Process::Search) => Some(4),
        Function::Process(Process::AtExit | Process::CxaAtExit) => Some(0),
        _ => None,
    }
}

/// Which argument is the function that a new thread runs.
pub(crate) fn start_argument(function: Function) -> Option<usize> {
    match function {
        Function::Thread(Thread::Create) => Some(2),
        Function::C11Thread(C11Thread::ThreadCreate) => Some(1),
        _ => None,
    }
}

/// Which argument is a function to run when a thread with a value for the key
/// ends.
pub(crate) fn destructor_argument(function: Function) -> Option<usize> {
    match function {
        Function::Keys(Keys::Create) | Function::C11Thread(C11Thread::KeyCreate) => Some(1),
        _ => None,
    }
}

/// Whether the function gives a key a value, which its destructor may get.
pub(crate) fn sets_key(function: Function) -> bool {
    matches!(
        function,
        Function::Keys(Keys::Set) | Function::C11Thread(C11Thread::KeySet)
    )
}
