//! Runs every program on every site, in turns, so that other load on the machine affects all of them.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader};
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, Result, bail};

use super::course::{Course, Size};
use super::fetched::Fetched;
use super::runner::{Runner, Track};
use super::sample::Sample;
use crate::bench::site::Site;
use crate::bench::stopwatch;
use crate::shell::print;

/// Core of the site.
pub(crate) const SERVER: &str = "0";
/// Core of the crawler.
pub(crate) const CLIENT: &str = "1";
/// Both cores, for the crawl that may use both; the site then shares one.
const BOTH: &str = "0,1";

/// Samples of a course by program.
pub(crate) type Runs = BTreeMap<Runner, Vec<Sample>>;

/// Rounds of each program on each site.
pub(crate) fn count(size: Size) -> usize {
    match size {
        Size::Full => 3,
        Size::Quick => 1,
    }
}

/// Minimum time each program runs on each site.
fn least(size: Size) -> Duration {
    match size {
        Size::Full => Duration::from_millis(1_500),
        Size::Quick => Duration::ZERO,
    }
}

/// A running site and its pages.
pub(crate) struct Ground {
    site: Site,
    pages: Vec<String>,
}

impl Ground {
    /// Starts it and crawls it once unmeasured, so that the server has every page in memory.
    pub(crate) fn prepared(course: Course, track: &Track<'_>) -> Result<Self> {
        let args = course.site_args(track.size, &track.authority());
        let mut ground = Self::served(&args, track)?;
        if ground.pages.len() as u64 != course.pages(track.size) {
            bail!(
                "{}: the site has {} pages",
                course.name(),
                ground.pages.len()
            );
        }
        let command = Runner::Ours.command(course, ground.url(), track);
        ground.run(Runner::Ours, &command, CLIENT, track)?;
        std::fs::write(track.targets(), ground.pages.join("\n"))?;
        Ok(ground)
    }

    /// Starts a site with the given `testsite` arguments.
    pub(crate) fn served(args: &[String], track: &Track<'_>) -> Result<Self> {
        let mut site = Site::on_core(SERVER, &track.place.testsite, args)?;
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
        track: &Track<'_>,
    ) -> Result<Sample> {
        self.site.reset()?;
        let before = self.site.processor()?;
        let (cost, printed) = stopwatch::time(command, runner.good_end(), cores, track.folder)?;
        let server = self.site.processor()?.saturating_sub(before);
        if runner == Runner::Wrk {
            return Sample::of_wrk(cost, server, &printed);
        }
        let fetched = Fetched::new(&self.pages, self.site.counts()?);
        if runner == Runner::Ours {
            fetched.check()?;
            self.check_printed(track)?;
        }
        Ok(Sample {
            cost,
            fetched,
            server,
        })
    }

    /// Repeats a program until the minimum time has passed, so that a short disturbance affects fast and slow programs
    /// alike.
    fn run_long(&mut self, runner: Runner, command: &Command, track: &Track<'_>) -> Result<Sample> {
        let mut sample = self.run(runner, command, CLIENT, track)?;
        while sample.cost.time < least(track.size) {
            sample.add(&self.run(runner, command, CLIENT, track)?);
        }
        Ok(sample)
    }

    /// Fails unless our output has one line per page, and at most one for the dead link.
    fn check_printed(&self, track: &Track<'_>) -> Result<()> {
        let path = track.output();
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
pub(crate) fn over(course: Course, track: &Track<'_>) -> Result<Runs> {
    let mut ground = Ground::prepared(course, track)?;
    let mut runs = Runs::new();
    for round in 0..count(track.size) {
        let there = |runner: &&Runner| track.peers.has(**runner);
        for runner in course.runners().iter().filter(there) {
            let command = runner.command(course, ground.url(), track);
            let sample = ground
                .run_long(*runner, &command, track)
                .with_context(|| format!("{} over {}", runner.name(), course.name()))?;
            print(&told(course.name(), runner.name(), round, &sample));
            runs.entry(*runner).or_default().push(sample);
        }
    }
    Ok(runs)
}

/// Crawls a site with long pages on one core and on both, in turns; the site stays on its core.
pub(crate) fn scaling(track: &Track<'_>) -> Result<(Vec<Sample>, Vec<Sample>)> {
    let course = Course::LongGzipped;
    let mut ground = Ground::prepared(course, track)?;
    let (mut one, mut two) = (Vec::new(), Vec::new());
    for round in 0..count(track.size) {
        for (cores, samples) in [(CLIENT, &mut one), (BOTH, &mut two)] {
            let command = Runner::Ours.command(course, ground.url(), track);
            let sample = ground.run(Runner::Ours, &command, cores, track)?;
            let name = format!("crawler on cores {cores}");
            print(&told(course.name(), &name, round, &sample));
            samples.push(sample);
        }
    }
    Ok((one, two))
}

/// Progress line on the terminal.
fn told(course: &str, runner: &str, round: usize, sample: &Sample) -> String {
    format!(
        "{course}, round {}, {runner}: {:.0} pages/s, {:.4} CPU s per 1,000, {:.1} MB, core {:.0}%, site {:.0}%; {}",
        round + 1,
        sample.rate(),
        sample.price(),
        sample.memory(),
        sample.busy() * 100.0,
        sample.server_busy() * 100.0,
        sample.fetched.said(),
    )
}
