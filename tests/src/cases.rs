//! Many cases at once: each is checked on its own, and all failures are shown
//! together at the end, in the order of the cases.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};

/// Checks every case on as many threads as there are processors, and panics with
/// the list of all failures if there are any.
pub fn check_all<T: Sync>(
    cases: &[T],
    name: impl Fn(&T) -> String,
    check: impl Fn(&T) -> Result<(), String> + Sync,
) {
    assert!(!cases.is_empty(), "there are no cases to check");
    let results = map_all(cases, check);
    let failures: Vec<String> = cases
        .iter()
        .zip(results)
        .filter_map(|(case, result)| Some(format!("{}: {}", name(case), result.err()?)))
        .collect();
    let (failed, all) = (failures.len(), cases.len());
    assert!(
        failed == 0,
        "{failed} of {all} cases failed:\n{}",
        failures.join("\n")
    );
}

/// Applies `work` to every case; a panic becomes an error of its case.
pub fn map_all<T: Sync, R: Send>(
    cases: &[T],
    work: impl Fn(&T) -> Result<R, String> + Sync,
) -> Vec<Result<R, String>> {
    let next = AtomicUsize::new(0);
    let worker = || {
        let mut done = Vec::new();
        loop {
            let index = next.fetch_add(1, Ordering::Relaxed);
            let Some(case) = cases.get(index) else {
                return done;
            };
            let result = catch_unwind(AssertUnwindSafe(|| work(case)));
            let result = result.unwrap_or_else(|panic| Err(panic_message(&*panic)));
            done.push((index, result));
        }
    };
    let n_workers = std::thread::available_parallelism().map_or(2, usize::from);
    let mut results: Vec<_> = std::thread::scope(|scope| {
        let workers: Vec<_> = (0..n_workers).map(|_| scope.spawn(worker)).collect();
        let finished = workers.into_iter().map(|worker| worker.join());
        finished.flat_map(Result::unwrap_or_default).collect()
    });
    results.sort_by_key(|(index, _)| *index);
    assert_eq!(
        results.len(),
        cases.len(),
        "every case should have a result"
    );
    results.into_iter().map(|(_, result)| result).collect()
}

pub fn panic_message(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    let text = text.or_else(|| panic.downcast_ref::<&str>().copied());
    format!("panicked: {}", text.unwrap_or("without a message"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_are_in_the_order_of_the_cases() {
        let cases: Vec<u32> = (0..100).collect();
        let results = map_all(&cases, |case| Ok(case * 2));
        let expected: Vec<_> = (0..100).map(|case| Ok(case * 2)).collect();
        assert_eq!(results, expected);
    }

    #[test]
    fn all_failures_are_told() {
        let check = |case: &u32| match case {
            1 => Err("is wrong".to_owned()),
            2 => panic!("what a pity"),
            _ => Ok(()),
        };
        let run = || check_all(&[0, 1, 2, 3], u32::to_string, check);
        let panic = catch_unwind(AssertUnwindSafe(run)).expect_err("should fail");
        let message = panic_message(&*panic);
        assert_eq!(
            message,
            "panicked: 2 of 4 cases failed:\n1: is wrong\n2: panicked: what a pity"
        );
    }
}
