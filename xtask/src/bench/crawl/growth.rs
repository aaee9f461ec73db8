//! Memory by size of the crawl, on small pages.

use anyhow::{Context, Result};

use super::rounds::{CLIENT, MeasuredSite};
use super::runner::{CrawlBench, Runner};
use super::sample::Sample;
use super::scenario::Scenario;
use crate::shell::print;

/// Sizes of the three sites, in pages.
const PAGES: [u64; 3] = [20_000, 200_000, 1_000_000];

/// Our crawls, from the smallest site to the largest.
pub(crate) struct Growth(pub(crate) [(u64, Sample); 3]);

impl Growth {
    pub(crate) fn measure(bench: &CrawlBench<'_>) -> Result<Self> {
        let mut steps = Vec::new();
        for pages in PAGES.map(|pages| bench.size.of(pages)) {
            let args = ["graph", "--body", "300", "--links", "5", "--pages"];
            let mut args = args.map(str::to_owned).to_vec();
            args.push(pages.to_string());
            let mut site = MeasuredSite::served(&args, bench)?;
            let command = Runner::Ours.command(Scenario::Small, site.url(), bench);
            let sample = site.run(Runner::Ours, &command, CLIENT, bench)?;
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

    /// Memory of the largest crawl, in megabytes.
    pub(crate) fn peak_memory(&self) -> f64 {
        self.0[2].1.memory()
    }

    /// Bytes per additional page, from the first size to the second and from the second to the third.
    pub(crate) fn slopes(&self) -> [f64; 2] {
        let slope = |from: usize, to: usize| {
            let (pages_before, before) = &self.0[from];
            let (pages_after, after) = &self.0[to];
            (after.cost.memory as f64 - before.cost.memory as f64)
                / (pages_after - pages_before) as f64
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
    fn constant_memory_per_page_is_flat() {
        assert!(is_flat([300.0, 290.0], 120.0));
        assert!(is_flat([20.0, 60.0], 120.0));
        assert!(!is_flat([200.0, 300.0], 120.0));
    }
}
