//! What the surroundings of a program may do to it, and what they give it: the
//! flags that change how a program behaves. They exist once, here, so that those
//! who execute programs cannot disagree about which there are.

/// How far the surroundings go.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Surroundings {
    /// Waits for conditions may end without a signal.
    pub spurious_wakeups: bool,
    /// Allocations may fail.
    pub malloc_may_fail: bool,
    /// Allocations may get the address of a freed block of the same size.
    pub address_reuse: bool,
    /// The command line of the program, its name first.
    pub arguments: Vec<String>,
}

impl Default for Surroundings {
    fn default() -> Surroundings {
        Surroundings {
            spurious_wakeups: false,
            malloc_may_fail: false,
            address_reuse: true,
            arguments: vec!["program".to_owned()],
        }
    }
}
