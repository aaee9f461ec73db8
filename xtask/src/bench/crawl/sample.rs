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
        for trouble in ["Socket errors", "Non-2xx"] {
            if let Some(line) = line(trouble) {
                bail!("wrk: {}", line.trim());
            }
        }
        let read = |word: &str, place: usize| {
            line(word)
                .and_then(|line| line.split_whitespace().nth(place))
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

    /// Adds another run: times and pages are summed, of memory the maximum is kept.
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
    pub(crate) fn worth(&self) -> f64 {
        self.pages() / self.cost.processor.as_secs_f64()
    }

    /// CPU seconds per 1,000 pages.
    pub(crate) fn price(&self) -> f64 {
        1_000.0 / self.worth()
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
pub(crate) fn middle(samples: &[Sample], figure: impl Fn(&Sample) -> f64) -> Option<f64> {
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
    fn what_wrk_says_is_read() {
        let printed = "Running 2s test @ http://127.0.0.1:1/\n  100000 requests in 2.00s, 320.00MB read\nRequests/sec:  50000.00\n";
        let sample = Sample::of_wrk(COST, Duration::from_secs(1), printed).unwrap();
        let figures = [sample.rate(), sample.price(), sample.busy()];
        assert_eq!(
            figures.map(|figure| format!("{figure:.2}")),
            ["50000.00", "0.01", "0.50"]
        );
        let refused = printed.to_owned() + "  Non-2xx or 3xx responses: 3\n";
        assert!(Sample::of_wrk(COST, Duration::ZERO, &refused).is_err());
        assert!(Sample::of_wrk(COST, Duration::ZERO, "nothing").is_err());
    }

    #[test]
    fn ratios_are_formed_within_a_round() {
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
        assert_eq!(ratio(&ours, &theirs, Sample::worth), Some(3.0));
        assert_eq!(ratio(&ours, &[], Sample::worth), None);
        let mut twice = of(1);
        twice.add(&of(4));
        assert_eq!((twice.worth(), twice.cost.memory), (40.0, COST.memory));
        assert_eq!(twice.cost.time, COST.time * 2);
    }
}
