//! The site that is crawled, in a process of its own, which counts what it was asked for.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Write};
use std::net::SocketAddr;
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use anyhow::{Context, Result, bail};

/// A running site.
pub(crate) struct Site {
    server: Child,
    asks: ChildStdin,
    tells: BufReader<ChildStdout>,
    /// Its root.
    pub(crate) url: String,
}

impl Site {
    /// Serves that many pages of 3 KB with ten links each.
    pub(crate) fn start(program: &Path, pages: u64) -> Result<Self> {
        let graph = ["graph", "--body", "3000", "--links", "10"];
        Self::of(program, &graph, pages)
    }

    /// Serves that many pages that only scripts make.
    pub(crate) fn routed(program: &Path, pages: u64) -> Result<Self> {
        Self::of(program, &["routed"], pages)
    }

    fn of(program: &Path, words: &[&str], pages: u64) -> Result<Self> {
        let mut server = Command::new(program)
            .args(words)
            .args(["--counts", "--pages", &pages.to_string()])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .context("cannot start testsite")?;
        let asks = server.stdin.take().context("its stdin")?;
        let mut tells = BufReader::new(server.stdout.take().context("its stdout")?);
        let mut url = String::new();
        tells.read_line(&mut url)?;
        Ok(Self {
            server,
            asks,
            tells,
            url: url.trim().to_owned(),
        })
    }

    /// Fails unless each of the pages was asked for exactly once, and nothing else but robots.txt.
    pub(crate) fn check_each_once(&mut self, pages: u64) -> Result<()> {
        let counts = self.counts()?;
        if let Some((target, requests)) = counts.iter().find(|(_, requests)| **requests != 1) {
            bail!("{target} was asked for {requests} times");
        }
        if counts.len() as u64 != pages {
            bail!("{} pages were asked for, not {pages}", counts.len());
        }
        Ok(())
    }

    /// How often it was asked for what, robots.txt aside.
    pub(crate) fn counts(&mut self) -> Result<BTreeMap<String, u64>> {
        writeln!(self.asks, "?")?;
        self.asks.flush()?;
        let mut counts = BTreeMap::new();
        loop {
            let mut line = String::new();
            self.tells.read_line(&mut line)?;
            let Some((requests, target)) = line.trim_end().split_once(' ') else {
                break;
            };
            counts.insert(target.to_owned(), requests.parse()?);
        }
        counts.remove("/robots.txt");
        Ok(counts)
    }

    /// Its address.
    pub(crate) fn addr(&self) -> Result<SocketAddr> {
        let text = self.url.trim_start_matches("http://");
        Ok(text.trim_end_matches('/').parse()?)
    }
}

impl Drop for Site {
    fn drop(&mut self) {
        // It may have ended by itself, which is as good.
        let _ = self.server.kill();
        let _ = self.server.wait();
    }
}
