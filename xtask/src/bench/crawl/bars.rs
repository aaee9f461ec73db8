//! The bars (must hold) and goals (aimed for), as the table shows them.

use super::growth::{Growth, is_flat};
use super::rounds::Runs;
use super::runner::Runner;
use super::sample::{Sample, median_of, ratio};
use super::scenario::Scenario;
use std::collections::BTreeMap;

/// All figures of one run of the benchmark.
pub(crate) struct Figures {
    pub(crate) scenarios: BTreeMap<Scenario, Runs>,
    /// Samples on one core and on both.
    pub(crate) scaling: (Vec<Sample>, Vec<Sample>),
    pub(crate) growth: Growth,
}

/// A row of the table.
#[derive(Debug)]
pub(crate) struct Bar {
    /// Name of the measured figure.
    pub(crate) what: String,
    /// The bar, formatted.
    pub(crate) limit: String,
    pub(crate) goal: String,
    pub(crate) seen: String,
    pub(crate) holds: bool,
    pub(crate) reaches_goal: bool,
}

/// How a figure is formatted.
#[derive(Clone, Copy)]
enum Unit {
    Times,
    Share,
    Megabytes,
    Bytes,
    Seconds,
}

/// Direction of a limit.
#[derive(Clone, Copy)]
enum Bound {
    AtLeast,
    AtMost,
}

const BYTES_PER_PAGE_GOAL: f64 = 120.0;

impl Figures {
    /// All bars, in display order.
    #[expect(clippy::too_many_lines, reason = "a table")]
    pub(crate) fn bars(&self) -> Vec<Bar> {
        use Scenario::{Rich, RichGzipped, Small, SmallFar, SmallHttp2, SmallTls};
        let mut bars = Vec::new();
        for (scenario, runner, bar, goal) in [
            (Small, Runner::Spider, 5.0, 10.0),
            (Small, Runner::Wget2, 2.0, 4.0),
            (Rich, Runner::Spider, 4.0, 7.0),
            (Rich, Runner::Wget2, 3.0, 6.0),
            (RichGzipped, Runner::Spider, 2.5, 3.5),
            (SmallTls, Runner::Spider, 2.0, 4.0),
            (SmallHttp2, Runner::Spider, 2.0, 4.0),
        ] {
            let what = format!(
                "pages per CPU second on {}, to {}",
                scenario.name(),
                runner.name()
            );
            let seen = self.ratio(scenario, runner, Sample::pages_per_cpu_second);
            bars.push(Bar::new(
                what,
                seen,
                Bound::AtLeast,
                (Some(bar), goal),
                Unit::Times,
            ));
        }
        for (scenario, bar, goal) in [(Small, 0.3, 0.5), (Rich, 0.2, 0.35)] {
            let what = format!("pages/s on {}, of wrk's", scenario.name());
            let seen = self.ratio(scenario, Runner::Wrk, Sample::rate);
            bars.push(Bar::new(
                what,
                seen,
                Bound::AtLeast,
                (Some(bar), goal),
                Unit::Share,
            ));
        }
        let what = "pages/s on two cores, to one (long pages)".to_owned();
        let seen = ratio(&self.scaling.1, &self.scaling.0, Sample::rate);
        bars.push(Bar::new(
            what,
            seen,
            Bound::AtLeast,
            (Some(1.7), 1.9),
            Unit::Times,
        ));
        let what = "pages/s at 50 ms and 64 connections, of wrk's".to_owned();
        let seen = self.ratio(SmallFar, Runner::Wrk, Sample::rate);
        bars.push(Bar::new(
            what,
            seen,
            Bound::AtLeast,
            (Some(0.97), 0.97),
            Unit::Share,
        ));
        let what = "CPU seconds per 1,000 pages there".to_owned();
        let seen = self.ours(SmallFar, Sample::cpu_seconds_per_thousand);
        bars.push(Bar::new(
            what,
            seen,
            Bound::AtMost,
            (None, 0.05),
            Unit::Seconds,
        ));
        let what = format!("resident memory, {} pages", self.growth.0[2].0);
        let seen = Some(self.growth.peak_memory());
        bars.push(Bar::new(
            what,
            seen,
            Bound::AtMost,
            (Some(200.0), 145.0),
            Unit::Megabytes,
        ));
        for scenario in [Small, Rich] {
            let what = format!("resident memory on {}", scenario.name());
            let seen = self.ours(scenario, Sample::memory);
            bars.push(Bar::new(
                what,
                seen,
                Bound::AtMost,
                (Some(32.0), 12.0),
                Unit::Megabytes,
            ));
        }
        bars.push(self.flatness());
        bars
    }

    fn flatness(&self) -> Bar {
        let [before, after] = self.growth.slopes();
        let [small, medium, large] = self.growth.0.each_ref().map(|(pages, _)| *pages);
        let what =
            format!("memory per further page, {medium} → {large} (before it {small} → {medium})");
        let mut bar = Bar::new(
            what,
            Some(after),
            Bound::AtMost,
            (None, BYTES_PER_PAGE_GOAL),
            Unit::Bytes,
        );
        "flat".clone_into(&mut bar.limit);
        bar.seen = format!("{} ({})", bar.seen, Unit::Bytes.write(before));
        bar.holds = is_flat([before, after], BYTES_PER_PAGE_GOAL);
        bar
    }

    fn ratio(&self, scenario: Scenario, runner: Runner, figure: fn(&Sample) -> f64) -> Option<f64> {
        let runs = self.scenarios.get(&scenario)?;
        ratio(runs.get(&Runner::Ours)?, runs.get(&runner)?, figure)
    }

    fn ours(&self, scenario: Scenario, figure: fn(&Sample) -> f64) -> Option<f64> {
        median_of(self.scenarios.get(&scenario)?.get(&Runner::Ours)?, figure)
    }
}

impl Bar {
    /// A figure that was not measured does not hold.
    fn new(
        what: String,
        seen: Option<f64>,
        bound: Bound,
        (bar, goal): (Option<f64>, f64),
        unit: Unit,
    ) -> Self {
        let reaches = |limit: f64| {
            seen.is_some_and(|seen| match bound {
                Bound::AtLeast => seen >= limit,
                Bound::AtMost => seen <= limit,
            })
        };
        let sign = match bound {
            Bound::AtLeast => "≥",
            Bound::AtMost => "≤",
        };
        let limit = |limit: f64| format!("{sign} {}", unit.write_limit(limit));
        Self {
            what,
            limit: bar.map_or_else(|| "–".to_owned(), limit),
            goal: limit(goal),
            seen: seen.map_or_else(|| "not measured".to_owned(), |seen| unit.write(seen)),
            holds: bar.is_none_or(reaches),
            reaches_goal: reaches(goal),
        }
    }
}

impl Unit {
    fn write(self, figure: f64) -> String {
        match self {
            Self::Times => format!("{figure:.2}×"),
            Self::Share => format!("{:.1}%", figure * 100.0),
            Self::Megabytes => format!("{figure:.1} MB"),
            Self::Bytes => format!("{figure:.0} B"),
            Self::Seconds => format!("{figure:.3}"),
        }
    }

    fn write_limit(self, figure: f64) -> String {
        match self {
            Self::Times => format!("{figure}×"),
            Self::Share => format!("{:.0}%", figure * 100.0),
            Self::Megabytes => format!("{figure} MB"),
            Self::Bytes => format!("{figure} B"),
            Self::Seconds => figure.to_string(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bar_is_checked_in_its_own_direction() {
        let bar =
            |seen, bound| Bar::new("x".to_owned(), seen, bound, (Some(2.0), 4.0), Unit::Times);
        let fast = bar(Some(3.0), Bound::AtLeast);
        assert!(fast.holds && !fast.reaches_goal);
        assert_eq!((fast.limit.as_str(), fast.seen.as_str()), ("≥ 2×", "3.00×"));
        assert!(!bar(Some(1.99), Bound::AtLeast).holds);
        assert!(bar(Some(1.99), Bound::AtMost).holds);
        assert!(!bar(None, Bound::AtMost).holds);
    }
}
