//! Descriptors: pipes, sockets and events between threads, and files by number. What
//! goes through a pipe is exact; what a file contains is unknown, see
//! [`crate::Input`].

use crate::Family;

/// Operations are named like the C functions, which every reader knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Descriptors {
    Pipe,
    /// `(numbers, flags)`.
    Pipe2,
    /// `(domain, type, protocol, numbers)`.
    SocketPair,
    /// `(value, flags)`.
    EventFd,
    EventFdRead,
    EventFdWrite,
    Read,
    Write,
    /// `(number, buffer, size, flags)`.
    Recv,
    Send,
    /// `(entries, count, timeout)`.
    Poll,
    Open,
    Close,
    Dup,
    /// `(old, new)`.
    Dup2,
    /// `(old, new, flags)`.
    Dup3,
    /// `(number, command, argument)`.
    Control,
}

/// Whether a call may end what a number stands for, or let it stand for something else.
pub fn changes_descriptors(function: crate::Function) -> bool {
    matches!(
        function,
        crate::Function::Descriptors(Descriptors::Close | Descriptors::Dup2 | Descriptors::Dup3)
    )
}

pub(crate) const FAMILY: Family = family! {
    "Descriptors",
    "Numbers from 3 on stand for what the program opens, always the lowest one that is free; 0, 1 \
     and 2 are files. Numbers of streams are from 512 on. A call that uses a number looks up what it \
     stands for, and then does its work, perhaps after waiting; these are two visible steps, except for \
     0, 1 and 2 if the program never closes anything. What is closed while a call uses it \
     stays there for that call, as on Linux. A pipe or a socket holds 65536 bytes; to write more than 4096 \
     of them at once to one without room for them is not supported. To write where nobody can read ends the process, as \
     SIGPIPE does, or fails with EPIPE if that signal is ignored. Calls are interrupted only with `--signals`. \
     Functions that fail return -1 and set `errno`.",
    Descriptors:
    Pipe ["pipe"]
        "Makes a pipe and stores the numbers of its two ends; it never fails.";
    Pipe2 ["pipe2"]
        "Like `pipe`, with `O_NONBLOCK` and `O_CLOEXEC`.";
    SocketPair ["socketpair"]
        "Makes two connected stream sockets (`AF_UNIX`, `SOCK_STREAM`); other kinds are not supported.";
    EventFd ["eventfd"]
        "Makes a counter, with `EFD_NONBLOCK`, `EFD_SEMAPHORE` and `EFD_CLOEXEC`.";
    (EventFdRead, blocking) ["eventfd_read"]
        "Waits until the counter is not 0, stores it and sets it to 0, or takes 1 from it if it is a \
         semaphore.";
    (EventFdWrite, blocking) ["eventfd_write"]
        "Adds to the counter; waits while the sum would be too large.";
    (Read, blocking) ["read", "__read_chk"]
        "From a pipe or a socket: waits until there are bytes, and stores as many as are there and asked for; 0 \
         if there are none and nobody can write any more. From a counter: as `eventfd_read`. From a \
         file: stores nondeterministic bytes and returns a nondeterministic number of them, or -1. If nothing \
         is there and the descriptor does not wait, it fails with EAGAIN.";
    (Write, blocking) ["write"]
        "To a pipe or a socket: writes all bytes in one step, and waits until they fit. To a counter: as \
         `eventfd_write`. To a file: writes bytes and returns how many.";
    (Recv, blocking) ["recv"]
        "Like `read`, from sockets; `MSG_DONTWAIT` is known, other flags are not supported.";
    (Send, blocking) ["send"]
        "Like `write`, to sockets; `MSG_DONTWAIT` and `MSG_NOSIGNAL` are known, other flags are not \
         supported.";
    (Poll, blocking) ["poll"]
        "Waits until something can be read or written, or is over, and tells what. With a time limit it does \
         not wait: whoever waits takes this step later. Files are not supported.";
    Open ["open", "open64", "creat"]
        "Returns the number of a file, or -1, chosen nondeterministically.";
    Close ["close"]
        "Ends the use of a number.";
    Dup ["dup"]
        "Returns another number for the same.";
    Dup2 ["dup2"]
        "Lets a number stand for what another one stands for.";
    Dup3 ["dup3"]
        "The same, with `O_CLOEXEC`.";
    Control ["fcntl", "fcntl64"]
        "`F_GETFL`, `F_SETFL` (for `O_NONBLOCK`), `F_GETFD`, `F_SETFD`, `F_DUPFD` and `F_DUPFD_CLOEXEC`; \
         other commands are not supported.";
    Unsupported [
        "socket", "bind", "listen", "accept", "accept4", "connect", "shutdown", "sendto",
        "sendmsg", "recvfrom", "recvmsg", "select", "pselect", "ppoll", "epoll_create",
        "epoll_create1", "epoll_ctl", "epoll_wait", "epoll_pwait", "timerfd_create",
        "timerfd_settime", "readv", "writev", "pread", "pread64", "pwrite", "pwrite64", "lseek",
        "lseek64", "fsync", "fdatasync", "ftruncate", "inotify_init", "inotify_init1",
    ]
        "Not supported: there is no model of it yet.";
};
