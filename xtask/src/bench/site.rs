//! The crawled site, in a process of its own that counts its requests.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Write};
use std::net::SocketAddr;
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};

use super::machine;

/// A site that was idle for this long has nothing left to do.
const REST: Duration = Duration::from_millis(100);
const PATIENCE: Duration = Duration::from_secs(30);

/// A running site.
pub(crate) struct Site {
    server: Child,
    asks: ChildStdin,
    tells: BufReader<ChildStdout>,
    /// URL of its root.
    pub(crate) url: String,
}

impl Site {
    /// Serves this many pages of 3 KB with ten links each.
    pub(crate) fn start(program: &Path, pages: u64) -> Result<Self> {
        let graph = ["graph", "--body", "3000", "--links", "10"];
        Self::of(program, &graph, pages)
    }

    /// Serves this many pages that are built by scripts.
    pub(crate) fn routed(program: &Path, pages: u64) -> Result<Self> {
        Self::of(program, &["routed"], pages)
    }

    fn of(program: &Path, words: &[&str], pages: u64) -> Result<Self> {
        let pages = pages.to_string();
        Self::spawned(Command::new(program).args(words).args(["--pages", &pages]))
    }

    /// Serves the site that the arguments describe, on one core.
    pub(crate) fn on_core(core: &str, program: &Path, words: &[String]) -> Result<Self> {
        Self::spawned(
            Command::new("taskset")
                .args(["--cpu-list", core])
                .arg(program)
                .args(words),
        )
    }

    fn spawned(command: &mut Command) -> Result<Self> {
        let mut server = command
            .arg("--counts")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .context("cannot start testsite")?;
        let asks = server.stdin.take().context("its stdin")?;
        let mut tells = BufReader::new(server.stdout.take().context("its stdout")?);
        let mut url = String::new();
        tells.read_line(&mut url)?;
        if url.is_empty() {
            bail!("testsite did not start: {command:?}");
        }
        Ok(Self {
            server,
            asks,
            tells,
            url: url.trim().to_owned(),
        })
    }

    /// Fails unless each page was requested exactly once, and nothing else but robots.txt.
    pub(crate) fn check_each_once(&mut self, pages: u64) -> Result<()> {
        let counts = self.counts()?;
        if let Some((target, requests)) = counts.iter().find(|(_, requests)| **requests != 1) {
            bail!("{target} was requested {requests} times");
        }
        if counts.len() as u64 != pages {
            bail!("{} pages were requested, not {pages}", counts.len());
        }
        Ok(())
    }

    /// Number of requests by target, without robots.txt.
    pub(crate) fn counts(&mut self) -> Result<BTreeMap<String, u64>> {
        let mut counts = BTreeMap::new();
        for line in self.ask("counts")? {
            let told = line.split_once(' ');
            let (requests, target) = told.with_context(|| format!("no count in {line:?}"))?;
            counts.insert(target.to_owned(), requests.parse()?);
        }
        counts.remove("/robots.txt");
        Ok(counts)
    }

    /// The targets of all its pages, requested or not.
    pub(crate) fn pages(&mut self) -> Result<Vec<String>> {
        self.ask("pages")
    }

    /// Resets the counts once the site is idle: a client that stops in the middle, as wrk does, leaves requests
    /// that are still to be read.
    pub(crate) fn reset(&mut self) -> Result<()> {
        let begun = Instant::now();
        loop {
            let before = self.processor()?;
            std::thread::sleep(REST);
            if self.processor()? == before {
                break;
            }
            if begun.elapsed() > PATIENCE {
                bail!("testsite does not become idle");
            }
        }
        self.ask("reset").map(drop)
    }

    /// CPU time so far.
    pub(crate) fn processor(&self) -> Result<Duration> {
        machine::threads(self.server.id())
    }

    fn ask(&mut self, question: &str) -> Result<Vec<String>> {
        writeln!(self.asks, "{question}")?;
        self.asks.flush()?;
        let mut lines = Vec::new();
        loop {
            let mut line = String::new();
            if self.tells.read_line(&mut line)? == 0 {
                bail!("testsite has exited");
            }
            let line = line.trim_end();
            if line.is_empty() {
                return Ok(lines);
            }
            lines.push(line.to_owned());
        }
    }

    /// Address it listens on.
    pub(crate) fn addr(&self) -> Result<SocketAddr> {
        let text = self.url.trim_start_matches("http://");
        Ok(text.trim_end_matches('/').parse()?)
    }
}

impl Drop for Site {
    fn drop(&mut self) {
        // It may have exited already.
        let _ = self.server.kill();
        let _ = self.server.wait();
    }
}
