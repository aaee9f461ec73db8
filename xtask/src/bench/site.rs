//! The site that is crawled, in a process of its own, which counts what it was asked for.

use std::io::{BufRead, BufReader, Write};
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
    pub(crate) fn start(program: &std::path::Path, pages: u64) -> Result<Self> {
        let mut server = Command::new(program)
            .args(["graph", "--counts", "--body", "3000", "--links", "10"])
            .args(["--pages", &pages.to_string()])
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
        writeln!(self.asks, "?")?;
        self.asks.flush()?;
        let mut met = 0;
        loop {
            let mut line = String::new();
            self.tells.read_line(&mut line)?;
            let Some((requests, target)) = line.trim_end().split_once(' ') else {
                break;
            };
            if target == "/robots.txt" {
                continue;
            }
            if requests != "1" {
                bail!("{target} was asked for {requests} times");
            }
            met += 1;
        }
        if met != pages {
            bail!("{met} pages were asked for, not {pages}");
        }
        Ok(())
    }
}

impl Drop for Site {
    fn drop(&mut self) {
        // It may have ended by itself, which is as good.
        let _ = self.server.kill();
        let _ = self.server.wait();
    }
}
