//! Every program over every site, in turns: what else the machine does meets all of them.

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
use crate::shell::tell;

/// The site's core.
pub(crate) const SERVER: &str = "0";
/// The crawler's core.
pub(crate) const CLIENT: &str = "1";
/// For the crawl that may use both: the site then has to share.
const BOTH: &str = "0,1";

/// Runs of a course by who ran it.
pub(crate) type Runs = BTreeMap<Runner, Vec<Sample>>;

/// How often each program runs over each site.
pub(crate) fn count(size: Size) -> usize {
    match size {
        Size::Usual => 3,
        Size::Quick => 1,
    }
}

/// How long each program runs over each site, at least.
fn least(size: Size) -> Duration {
    match size {
        Size::Usual => Duration::from_millis(1_500),
        Size::Quick => Duration::ZERO,
    }
}

/// A site that is served, and what it has.
pub(crate) struct Ground {
    site: Site,
    pages: Vec<String>,
}

impl Ground {
    /// Starts it, and has us crawl it once for nothing: from then on every page is written and kept.
    pub(crate) fn prepared(course: Course, track: &Track<'_>) -> Result<Self> {
        let words = course.words(track.size, &track.authority());
        let mut ground = Self::served(&words, track)?;
        if ground.pages.len() as u64 != course.pages(track.size) {
            bail!("{}: it has {} pages", course.name(), ground.pages.len());
        }
        let command = Runner::Ours.command(course, ground.url(), track);
        ground.run(Runner::Ours, &command, CLIENT, track)?;
        std::fs::write(track.targets(), ground.pages.join("\n"))?;
        Ok(ground)
    }

    /// Starts a site by what `testsite` is told.
    pub(crate) fn served(words: &[String], track: &Track<'_>) -> Result<Self> {
        let mut site = Site::on_core(SERVER, &track.place.testsite, words)?;
        let pages = site.pages()?;
        Ok(Self { site, pages })
    }

    pub(crate) fn url(&self) -> &str {
        &self.site.url
    }

    /// Runs a program, and checks from the site's side what it fetched. Ours must have fetched, and printed, each page
    /// exactly once; of the others it is told.
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

    /// Runs a program as often as it takes to have run for a while: what disturbs the machine for a moment then meets the fast
    /// as it meets the slow.
    fn run_long(&mut self, runner: Runner, command: &Command, track: &Track<'_>) -> Result<Sample> {
        let mut sample = self.run(runner, command, CLIENT, track)?;
        while sample.cost.time < least(track.size) {
            sample.add(&self.run(runner, command, CLIENT, track)?);
        }
        Ok(sample)
    }

    /// Fails unless what we printed has a line for each page, and no more than one for what is none.
    fn check_printed(&self, track: &Track<'_>) -> Result<()> {
        let path = track.output();
        let file = std::fs::File::open(&path).context("what was printed")?;
        let lines = BufReader::new(file).split(b'\n').count();
        std::fs::remove_file(path)?;
        // The rich site has a link that leads nowhere, which is told too.
        if !(self.pages.len()..=self.pages.len() + 1).contains(&lines) {
            bail!("{lines} lines for {} pages", self.pages.len());
        }
        Ok(())
    }
}

/// All rounds over one site.
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
            tell(&told(course.name(), runner.name(), round, &sample));
            runs.entry(*runner).or_default().push(sample);
        }
    }
    Ok(runs)
}

/// Our crawl of a site with long pages on one core and on both, in turns; the site stays where it is.
pub(crate) fn scaling(track: &Track<'_>) -> Result<(Vec<Sample>, Vec<Sample>)> {
    let course = Course::LongGzipped;
    let mut ground = Ground::prepared(course, track)?;
    let (mut one, mut two) = (Vec::new(), Vec::new());
    for round in 0..count(track.size) {
        for (cores, samples) in [(CLIENT, &mut one), (BOTH, &mut two)] {
            let command = Runner::Ours.command(course, ground.url(), track);
            let sample = ground.run(Runner::Ours, &command, cores, track)?;
            let name = format!("crawler on cores {cores}");
            tell(&told(course.name(), &name, round, &sample));
            samples.push(sample);
        }
    }
    Ok((one, two))
}

/// A line for who watches.
fn told(course: &str, runner: &str, round: usize, sample: &Sample) -> String {
    format!(
        "{course}, round {}, {runner}: {:.0} pages/s, {:.4} cpu s per 1,000, {:.1} MB, core {:.0} %, site's {:.0} %; {}",
        round + 1,
        sample.rate(),
        sample.price(),
        sample.memory(),
        sample.busy() * 100.0,
        sample.server_busy() * 100.0,
        sample.fetched.said(),
    )
}
