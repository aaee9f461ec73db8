//! The result of one program on one site in one round: one run, or several short ones.

use std::time::Duration;

use anyhow::{Context, Result, bail};

use super::fetched::Fetched;
use crate::bench::median::median;
use crate::bench::tree::Cost;

/// Measured cost and completeness.
#[derive(Clone, Debug)]
pub(crate) struct Sample {
    pub(crate) cost: Cost,
    pub(crate) fetched: Fetched,
    /// CPU time of the site.
    pub(crate) server: Duration,
}

impl Sample {
    /// Parses wrk's output: wrk runs for a fixed time and counts its requests.
    pub(crate) fn of_wrk(mut cost: Cost, server: Duration, printed: &str) -> Result<Self> {
        let line = |word: &str| printed.lines().find(|line| line.contains(word));
        for error in ["Socket errors", "Non-2xx"] {
            if let Some(line) = line(error) {
                bail!("wrk: {}", line.trim());
            }
        }
        let read = |word: &str, index: usize| {
            line(word)
                .and_then(|line| line.split_whitespace().nth(index))
                .with_context(|| format!("no {word:?} in wrk's output: {printed}"))
        };
        let requests: u64 = read(" requests in ", 0)?.parse()?;
        let rate: f64 = read("Requests/sec:", 1)?.parse()?;
        // Without start-up time.
        cost.time = Duration::from_secs_f64(requests as f64 / rate);
        Ok(Self {
            cost,
            fetched: Fetched {
                requests,
                ..Fetched::default()
            },
            server,
        })
    }

    /// Adds another run: sums times and pages, and keeps the maximum of memory.
    pub(crate) fn add(&mut self, other: &Self) {
        self.cost.time += other.cost.time;
        self.cost.processor += other.cost.processor;
        self.cost.memory = self.cost.memory.max(other.cost.memory);
        self.fetched.add(&other.fetched);
        self.server += other.server;
    }

    /// Pages per second.
    pub(crate) fn rate(&self) -> f64 {
        self.pages() / self.cost.time.as_secs_f64()
    }

    /// Pages per CPU second.
    pub(crate) fn pages_per_cpu_second(&self) -> f64 {
        self.pages() / self.cost.processor.as_secs_f64()
    }

    /// CPU seconds per 1,000 pages.
    pub(crate) fn cpu_seconds_per_thousand(&self) -> f64 {
        1_000.0 / self.pages_per_cpu_second()
    }

    /// Peak memory in megabytes (10^6 bytes).
    pub(crate) fn memory(&self) -> f64 {
        self.cost.memory as f64 / 1e6
    }

    /// Utilization of its core, from 0 to 1.
    pub(crate) fn busy(&self) -> f64 {
        self.cost.processor.as_secs_f64() / self.cost.time.as_secs_f64()
    }

    /// Utilization of the site's core, from 0 to 1.
    pub(crate) fn server_busy(&self) -> f64 {
        self.server.as_secs_f64() / self.cost.time.as_secs_f64()
    }

    fn pages(&self) -> f64 {
        self.fetched.requests as f64
    }
}

/// Median of a figure over runs.
pub(crate) fn median_of(samples: &[Sample], figure: impl Fn(&Sample) -> f64) -> Option<f64> {
    median(samples.iter().map(figure))
}

/// Median of the ratios of two programs' figures, each pair from the same round.
pub(crate) fn ratio(
    ours: &[Sample],
    theirs: &[Sample],
    figure: impl Fn(&Sample) -> f64,
) -> Option<f64> {
    let pairs = ours.iter().zip(theirs);
    median(pairs.map(|(ours, theirs)| figure(ours) / figure(theirs)))
}

#[cfg(test)]
mod tests {
    use super::*;

    const COST: Cost = Cost {
        time: Duration::from_millis(2_100),
        processor: Duration::from_secs(1),
        memory: 2_000_000,
    };

    #[test]
    fn output_of_wrk_is_parsed() {
        let printed = "Running 2s test @ http://127.0.0.1:1/\n  100000 requests in 2.00s, 320.00MB read\nRequests/sec:  50000.00\n";
        let sample = Sample::of_wrk(COST, Duration::from_secs(1), printed).unwrap();
        let figures = [
            sample.rate(),
            sample.cpu_seconds_per_thousand(),
            sample.busy(),
        ];
        assert_eq!(
            figures.map(|figure| format!("{figure:.2}")),
            ["50000.00", "0.01", "0.50"]
        );
        let refused = printed.to_owned() + "  Non-2xx or 3xx responses: 3\n";
        assert!(Sample::of_wrk(COST, Duration::ZERO, &refused).is_err());
        assert!(Sample::of_wrk(COST, Duration::ZERO, "nothing").is_err());
    }

    #[test]
    fn ratios_are_computed_within_a_round() {
        let of = |seconds| Sample {
            cost: Cost {
                processor: Duration::from_secs(seconds),
                ..COST
            },
            fetched: Fetched {
                requests: 100,
                ..Fetched::default()
            },
            server: Duration::ZERO,
        };
        // A round in which everything took four times as long changes nothing.
        let (ours, theirs) = ([of(1), of(4), of(2)], [of(3), of(12), of(4)]);
        assert_eq!(
            ratio(&ours, &theirs, Sample::pages_per_cpu_second),
            Some(3.0)
        );
        assert_eq!(ratio(&ours, &[], Sample::pages_per_cpu_second), None);
        let mut twice = of(1);
        twice.add(&of(4));
        assert_eq!(
            (twice.pages_per_cpu_second(), twice.cost.memory),
            (40.0, COST.memory)
        );
        assert_eq!(twice.cost.time, COST.time * 2);
    }
}
