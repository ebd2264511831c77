//! Jumps back into a function that has not returned yet.

use crate::Family;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Jumps {
    Save,
    Jump,
}

pub(crate) const FAMILY: Family = family! {
    "Jumps",
    "A jump goes back to where its buffer was last filled, by the same thread and in a function \
     that has not returned since. Local variables keep their values. As often as a loop may be \
     repeated, jumps may go back to one place. Buffers are known by their addresses, so copies of \
     them cannot be used; to fill one is no step, even if others could see it.",
    Jumps:
    Save ["setjmp", "_setjmp", "sigsetjmp", "__sigsetjmp"]
        "Remembers the place and returns 0; after a jump it returns once more, with what the jump \
         says.";
    Jump ["longjmp", "_longjmp", "siglongjmp", "__longjmp_chk"]
        "Goes back to the place; the value 0 becomes 1.";
    Unsupported ["getcontext", "setcontext", "makecontext", "swapcontext"]
        "Not supported: there is no model of it yet.";
};
