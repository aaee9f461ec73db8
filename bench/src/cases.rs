//! All cases, in the order in which a page passes through the crates.

mod admission;
mod bodies;
mod charsets;
mod links;
mod references;
mod requests;
mod scans;
mod seen_keys;
mod sinks;
mod urls;

use crate::case::Case;

/// All cases, in display order.
pub(crate) fn all() -> Vec<Case> {
    [
        requests::cases(),
        bodies::cases(),
        charsets::cases(),
        scans::cases(),
        references::cases(),
        urls::cases(),
        links::cases(),
        seen_keys::cases(),
        admission::cases(),
        sinks::cases(),
    ]
    .into_iter()
    .flatten()
    .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Runs every case with its maximum number of repetitions.
    #[test]
    fn every_case_returns_the_expected_result() {
        for case in all() {
            let max_times = case.times * 2;
            assert_eq!(case.run(max_times), Ok(()));
        }
    }

    #[test]
    fn names_are_unique() {
        let mut names: Vec<String> = all().into_iter().map(|case| case.name).collect();
        names.sort();
        let count = names.len();
        names.dedup();
        assert_eq!(names.len(), count);
    }

    #[test]
    fn a_wrong_result_and_too_many_repetitions_are_errors() {
        let case = |found| Case::new("x", 2, 7, move |_| Box::new(move || found));
        assert_eq!(case(7).run(4), Ok(()));
        assert_eq!(case(8).run(1), Err("x found 8, not 7".into()));
        assert!(case(7).run(5).is_err());
    }
}
