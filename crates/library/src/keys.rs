//! Thread-specific data of POSIX: keys with one value per thread.

use crate::Family;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Keys {
    Create,
    Delete,
    Get,
    Set,
}

pub(crate) const FAMILY: Family = family! {
    "Thread-specific data",
    "Each thread has its own value per key, at first null. When a thread ends, the destructors of \
     its values that are not null run in the order of their keys.",
    Keys:
    Create ["pthread_key_create"]
        "Makes a key with an optional destructor; it never fails.";
    Delete ["pthread_key_delete"]
        "Ends the use of the key; its destructor does not run any more. What is no key, or was \
         deleted, returns EINVAL.";
    Get ["pthread_getspecific"]
        "Returns the calling thread's value, also after the key was deleted, and null for what is no \
         key.";
    Set ["pthread_setspecific"]
        "Sets the calling thread's value; what is no key, or was deleted, returns EINVAL.";
};
