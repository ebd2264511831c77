//! The tables are complete and free of contradictions, and the page for users
//! is up to date.

use crate::{
    Entry, Function, Verifier, families, is_atomic_function, lookup, overrides_body, page,
};
use std::collections::HashSet;
use std::path::Path;

fn entries() -> impl Iterator<Item = &'static Entry> {
    families().iter().flat_map(|family| family.entries)
}

#[test]
fn names_are_unique() {
    let mut seen = HashSet::new();
    for entry in entries() {
        assert!(seen.insert(entry.name), "{} is listed twice", entry.name);
    }
}

#[test]
fn every_text_is_a_sentence() {
    for family in families() {
        assert!(!family.title.is_empty());
        assert!(family.about.ends_with('.'), "{}", family.title);
        assert!(!family.entries.is_empty(), "{}", family.title);
    }
    for entry in entries() {
        assert!(!entry.name.is_empty());
        assert!(entry.model.ends_with('.'), "{}", entry.name);
        assert!(!entry.model.contains(['|', '\n']), "{}", entry.name);
    }
}

#[test]
fn unsupported_functions_say_so() {
    for entry in entries() {
        let says_so = entry.model.starts_with("Not supported: ");
        assert_eq!(
            entry.function == Function::Unsupported,
            says_so,
            "{}",
            entry.name
        );
    }
}

#[test]
fn lookup_finds_every_name() {
    for entry in entries() {
        let found = lookup(entry.name).map(|found| found.function);
        assert_eq!(found, Some(entry.function), "{}", entry.name);
    }
    assert!(lookup("frobnicate").is_none());
    assert!(lookup("").is_none());
}

/// What Threadbare promises to know at least.
#[test]
fn core_functions_are_supported() {
    let names = "
        pthread_create pthread_join pthread_exit pthread_self pthread_detach pthread_equal
        pthread_mutex_init pthread_mutex_lock pthread_mutex_trylock pthread_mutex_unlock
        pthread_mutex_destroy pthread_mutexattr_settype
        pthread_cond_init pthread_cond_wait pthread_cond_timedwait pthread_cond_signal
        pthread_cond_broadcast pthread_cond_destroy
        pthread_rwlock_rdlock pthread_rwlock_wrlock pthread_rwlock_unlock
        pthread_barrier_init pthread_barrier_wait pthread_spin_lock pthread_spin_unlock
        pthread_once pthread_key_create pthread_getspecific pthread_setspecific
        sem_init sem_wait sem_trywait sem_post sem_getvalue
        thrd_create thrd_join mtx_lock mtx_unlock cnd_wait cnd_signal call_once tss_get
        malloc calloc realloc free memcpy memmove memset memcmp
        strlen strcpy strcmp abort exit __assert_fail
        syscall setjmp longjmp mmap munmap pthread_cancel pthread_sigmask sigaction
        __VERIFIER_nondet_int __VERIFIER_nondet_bool __VERIFIER_assume __VERIFIER_error
        __VERIFIER_atomic_begin __VERIFIER_atomic_end reach_error
    ";
    for name in names.split_whitespace() {
        let function = lookup(name).map(|entry| entry.function);
        assert!(
            function.is_some_and(|function| function != Function::Unsupported),
            "{name}"
        );
    }
}

#[test]
fn waiting_functions_are_marked() {
    let is_blocking = |name| lookup(name).is_some_and(|entry| entry.blocking);
    assert!(is_blocking("pthread_mutex_lock"));
    assert!(is_blocking("pthread_cond_timedwait"));
    assert!(!is_blocking("pthread_mutex_trylock"));
    assert!(!is_blocking("pthread_mutex_timedlock"));
}

#[test]
fn atomic_functions_are_told_by_name() {
    assert!(is_atomic_function("__VERIFIER_atomic_take"));
    assert!(is_atomic_function("__VERIFIER_atomic_begin_work"));
    assert!(!is_atomic_function("__VERIFIER_atomic_begin"));
    assert!(!is_atomic_function("__VERIFIER_atomic_end"));
    assert!(!is_atomic_function("take"));
}

#[test]
fn few_functions_override_the_program() {
    let overriding: Vec<&str> = entries()
        .filter(|entry| overrides_body(entry.function))
        .map(|entry| entry.name)
        .collect();
    assert_eq!(
        overriding,
        [
            "reach_error",
            "__VERIFIER_error",
            "__VERIFIER_atomic_begin",
            "__CPROVER_atomic_begin",
            "__ESBMC_atomic_begin",
            "__VERIFIER_atomic_end",
            "__CPROVER_atomic_end",
            "__ESBMC_atomic_end"
        ]
    );
    assert!(!overrides_body(Function::Verifier(Verifier::Assert)));
}

#[test]
fn page_is_up_to_date() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/library.md");
    if std::env::var_os("UPDATE_DOCS").is_some() {
        std::fs::write(&path, page()).expect("docs/library.md should be writable");
    }
    let written = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(
        written == page(),
        "docs/library.md differs from the tables; to rewrite it: \
         UPDATE_DOCS=1 cargo test -p threadbare-library"
    );
}
