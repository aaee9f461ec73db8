//! Runs every program on every site, in turns, so that other load on the machine affects all of them.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader};
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, Result, bail};

use super::fetched::Fetched;
use super::runner::{CrawlBench, Runner};
use super::sample::Sample;
use super::scenario::{Scenario, Size};
use crate::bench::site::Site;
use crate::bench::stopwatch;
use crate::shell::print;

/// Core of the site.
pub(crate) const SERVER: &str = "0";
/// Core of the crawler.
pub(crate) const CLIENT: &str = "1";
/// Both cores, for the crawl that may use both; the site then shares one.
const BOTH: &str = "0,1";

/// Samples of a scenario, by program.
pub(crate) type Runs = BTreeMap<Runner, Vec<Sample>>;

/// Rounds of each program on each site.
pub(crate) fn count(size: Size) -> usize {
    match size {
        Size::Full => 3,
        Size::Quick => 1,
    }
}

/// Minimum time each program runs on each site.
fn min_run_time(size: Size) -> Duration {
    match size {
        Size::Full => Duration::from_millis(1_500),
        Size::Quick => Duration::ZERO,
    }
}

/// A running site and its pages.
pub(crate) struct MeasuredSite {
    site: Site,
    pages: Vec<String>,
}

impl MeasuredSite {
    /// Starts a site and crawls it once unmeasured, so that the server has every page in memory.
    pub(crate) fn prepared(scenario: Scenario, bench: &CrawlBench<'_>) -> Result<Self> {
        let args = scenario.site_args(bench.size, &bench.authority());
        let mut site = Self::served(&args, bench)?;
        if site.pages.len() as u64 != scenario.pages(bench.size) {
            bail!(
                "{}: the site has {} pages",
                scenario.name(),
                site.pages.len()
            );
        }
        let command = Runner::Ours.command(scenario, site.url(), bench);
        site.run(Runner::Ours, &command, CLIENT, bench)?;
        std::fs::write(bench.targets(), site.pages.join("\n"))?;
        Ok(site)
    }

    /// Starts a site with the given `testsite` arguments.
    pub(crate) fn served(args: &[String], bench: &CrawlBench<'_>) -> Result<Self> {
        let mut site = Site::on_core(SERVER, &bench.setup.testsite, args)?;
        let pages = site.pages()?;
        Ok(Self { site, pages })
    }

    pub(crate) fn url(&self) -> &str {
        &self.site.url
    }

    /// Runs a program and checks on the site's side what it fetched. Ours must have fetched and printed each page exactly
    /// once; for the others this is reported.
    pub(crate) fn run(
        &mut self,
        runner: Runner,
        command: &Command,
        cores: &str,
        bench: &CrawlBench<'_>,
    ) -> Result<Sample> {
        self.site.reset()?;
        let before = self.site.processor()?;
        let (cost, printed) =
            stopwatch::time(command, runner.accepted_exit_code(), cores, bench.folder)?;
        let server = self.site.processor()?.saturating_sub(before);
        if runner == Runner::Wrk {
            return Sample::of_wrk(cost, server, &printed);
        }
        let fetched = Fetched::new(&self.pages, self.site.counts()?);
        if runner == Runner::Ours {
            fetched.check()?;
            self.check_printed(bench)?;
        }
        Ok(Sample {
            cost,
            fetched,
            server,
        })
    }

    /// Repeats a program until the minimum time has passed, so that a short disturbance affects fast and slow programs
    /// alike.
    fn run_long(
        &mut self,
        runner: Runner,
        command: &Command,
        bench: &CrawlBench<'_>,
    ) -> Result<Sample> {
        let mut sample = self.run(runner, command, CLIENT, bench)?;
        while sample.cost.time < min_run_time(bench.size) {
            sample.add(&self.run(runner, command, CLIENT, bench)?);
        }
        Ok(sample)
    }

    /// Fails unless our output has one line per page, and at most one for the dead link.
    fn check_printed(&self, bench: &CrawlBench<'_>) -> Result<()> {
        let path = bench.output();
        let file = std::fs::File::open(&path).context("cannot open the output")?;
        let lines = BufReader::new(file).split(b'\n').count();
        std::fs::remove_file(path)?;
        // The rich site has one dead link, which is printed as well.
        if !(self.pages.len()..=self.pages.len() + 1).contains(&lines) {
            bail!("{lines} lines for {} pages", self.pages.len());
        }
        Ok(())
    }
}

/// All rounds on one site.
pub(crate) fn all_rounds(scenario: Scenario, bench: &CrawlBench<'_>) -> Result<Runs> {
    let mut site = MeasuredSite::prepared(scenario, bench)?;
    let mut runs = Runs::new();
    for round in 0..count(bench.size) {
        let is_available = |runner: &&Runner| bench.peers.has(**runner);
        for runner in scenario.runners().iter().filter(is_available) {
            let command = runner.command(scenario, site.url(), bench);
            let sample = site
                .run_long(*runner, &command, bench)
                .with_context(|| format!("{} on {}", runner.name(), scenario.name()))?;
            print(&progress_line(
                scenario.name(),
                runner.name(),
                round,
                &sample,
            ));
            runs.entry(*runner).or_default().push(sample);
        }
    }
    Ok(runs)
}

/// Crawls a site with long pages on one core and on both, in turns; the site stays on its core.
pub(crate) fn scaling(bench: &CrawlBench<'_>) -> Result<(Vec<Sample>, Vec<Sample>)> {
    let scenario = Scenario::LongGzipped;
    let mut site = MeasuredSite::prepared(scenario, bench)?;
    let (mut one, mut two) = (Vec::new(), Vec::new());
    for round in 0..count(bench.size) {
        for (cores, samples) in [(CLIENT, &mut one), (BOTH, &mut two)] {
            let command = Runner::Ours.command(scenario, site.url(), bench);
            let sample = site.run(Runner::Ours, &command, cores, bench)?;
            let name = format!("crawler on cores {cores}");
            print(&progress_line(scenario.name(), &name, round, &sample));
            samples.push(sample);
        }
    }
    Ok((one, two))
}

/// Progress line on the terminal.
fn progress_line(scenario: &str, runner: &str, round: usize, sample: &Sample) -> String {
    format!(
        "{scenario}, round {}, {runner}: {:.0} pages/s, {:.4} CPU s per 1,000, {:.1} MB, core {:.0}%, site {:.0}%; {}",
        round + 1,
        sample.rate(),
        sample.cpu_seconds_per_thousand(),
        sample.memory(),
        sample.busy() * 100.0,
        sample.server_busy() * 100.0,
        sample.fetched.describe(),
    )
}
