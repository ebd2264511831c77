//! What the surroundings of a program may do to it, and what they give it: the
//! flags that change how a program behaves. They exist once, here, so that those
//! who execute programs cannot disagree about which there are.

/// How long arguments are that nobody has given, without the zero at their end.
pub const ARGUMENT_CHARACTERS: usize = 8;

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
    /// So many further arguments at most; how many there are and what they say, in
    /// at most [`ARGUMENT_CHARACTERS`] each, is up to the surroundings.
    pub more_arguments: u32,
    /// So many signals may arrive in each thread, one after the other, if the program
    /// has handlers for them.
    pub signals: u32,
    pub undefined: Undefined,
    pub memory_model: MemoryModel,
}

/// Which orders of accesses threads may see: what the hardware or the language
/// promises. Each model allows all that those before it allow, if every access is
/// atomic.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum MemoryModel {
    /// Sequential consistency: there is one order of all accesses.
    #[default]
    Sc,
    /// Total store order, as on x86: a read may overtake earlier writes.
    Tso,
    /// Partial store order, as on SPARC: a write may overtake earlier writes, too.
    Pso,
    /// C and C++ as repaired by Lahav and others (PLDI 2017): what the memory orders
    /// in the source ask for.
    Rc11,
}

impl MemoryModel {
    pub const ALL: [MemoryModel; 4] = [
        MemoryModel::Sc,
        MemoryModel::Tso,
        MemoryModel::Pso,
        MemoryModel::Rc11,
    ];

    pub fn name(self) -> &'static str {
        match self {
            MemoryModel::Sc => "sc",
            MemoryModel::Tso => "tso",
            MemoryModel::Pso => "pso",
            MemoryModel::Rc11 => "rc11",
        }
    }

    pub fn from_name(name: &str) -> Option<MemoryModel> {
        MemoryModel::ALL
            .into_iter()
            .find(|model| model.name() == name)
    }
}

/// What a call of a function with neither body nor model means. In any case it
/// changes nothing, and what it returns may be anything.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Undefined {
    /// That is only assumed: verdicts name the calls that are reached, and what goes
    /// wrong after one of them is no violation for sure.
    #[default]
    Assumed,
    /// That is what it means.
    Any,
}

impl Default for Surroundings {
    fn default() -> Surroundings {
        Surroundings {
            spurious_wakeups: false,
            malloc_may_fail: false,
            address_reuse: true,
            arguments: vec!["program".to_owned()],
            more_arguments: 0,
            signals: 0,
            undefined: Undefined::default(),
            memory_model: MemoryModel::default(),
        }
    }
}
