//! Memory by size of the crawl, on small pages.

use anyhow::{Context, Result};

use super::course::Course;
use super::rounds::{CLIENT, Ground};
use super::runner::{Runner, Track};
use super::sample::Sample;
use crate::shell::print;

/// Sizes of the three sites, in pages.
const PAGES: [u64; 3] = [20_000, 200_000, 1_000_000];

/// Our crawls, from the smallest site to the largest.
pub(crate) struct Growth(pub(crate) [(u64, Sample); 3]);

impl Growth {
    pub(crate) fn measured(track: &Track<'_>) -> Result<Self> {
        let mut steps = Vec::new();
        for pages in PAGES.map(|pages| track.size.of(pages)) {
            let words = ["graph", "--body", "300", "--links", "5", "--pages"];
            let mut words = words.map(str::to_owned).to_vec();
            words.push(pages.to_string());
            let mut ground = Ground::served(&words, track)?;
            let command = Runner::Ours.command(Course::Small, ground.url(), track);
            let sample = ground.run(Runner::Ours, &command, CLIENT, track)?;
            print(&format!(
                "growth, {pages} pages: {:.1} MB, {:.0} pages/s",
                sample.memory(),
                sample.rate()
            ));
            steps.push((pages, sample));
        }
        let steps = steps.try_into().ok().context("three steps")?;
        Ok(Self(steps))
    }

    /// Memory of the largest, in megabytes.
    pub(crate) fn most(&self) -> f64 {
        self.0[2].1.memory()
    }

    /// Bytes per additional page, from the first size to the second and from the second to the third.
    pub(crate) fn slopes(&self) -> [f64; 2] {
        let slope = |from: usize, to: usize| {
            let (fewer, less) = &self.0[from];
            let (more, most) = &self.0[to];
            (most.cost.memory as f64 - less.cost.memory as f64) / (more - fewer) as f64
        };
        [slope(0, 1), slope(1, 2)]
    }
}

/// Whether memory per page stays constant. A hash table doubles in steps, so up to a quarter more still counts as flat,
/// and so does anything below the goal.
pub(crate) fn is_flat([before, after]: [f64; 2], goal: f64) -> bool {
    after <= (before * 1.25).max(goal)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flat_is_not_more_for_each_page() {
        assert!(is_flat([300.0, 290.0], 120.0));
        assert!(is_flat([20.0, 60.0], 120.0));
        assert!(!is_flat([200.0, 300.0], 120.0));
    }
}
