//! The programs that crawl, each with its command line.

use std::path::{Path, PathBuf};
use std::process::Command;

use super::peers::Peers;
use super::scenario::{Scenario, Size};
use crate::bench::bench_setup::BenchSetup;
use crate::shell::root;

/// A program that fetches a whole site.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Runner {
    /// The upper limit: requests every page and parses none.
    Wrk,
    Ours,
    Wget2,
    Spider,
}

/// Programs, folders and size of a benchmark.
pub(crate) struct CrawlBench<'a> {
    pub(crate) setup: &'a BenchSetup,
    pub(crate) peers: &'a Peers,
    /// In memory, so that no disk is involved.
    pub(crate) folder: &'a Path,
    pub(crate) size: Size,
}

impl Runner {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Wrk => "wrk",
            Self::Ours => "crawler",
            Self::Wget2 => "wget2",
            Self::Spider => "spider",
        }
    }

    /// An exit code besides 0 that is not a failure: wget2 reports dead links this way.
    pub(crate) fn accepted_exit_code(self) -> u64 {
        match self {
            Self::Wget2 => 8,
            _ => 0,
        }
    }

    /// Command line for a site.
    pub(crate) fn command(self, scenario: Scenario, url: &str, bench: &CrawlBench<'_>) -> Command {
        let concurrency = scenario.concurrency().to_string();
        match self {
            Self::Wrk => {
                let seconds = format!("{}s", scenario.seconds(bench.size));
                let coding = if scenario == Scenario::RichGzipped {
                    "gzip"
                } else {
                    "identity"
                };
                let mut wrk = Command::new("wrk");
                wrk.args(["--threads", "1", "--connections", &concurrency])
                    .args(["--duration", &seconds, "--script"])
                    .arg(root().join("xtask/src/bench/crawl/walk.lua"))
                    .args([url, "--"])
                    .arg(bench.targets())
                    .arg(coding);
                wrk
            }
            Self::Ours => {
                let mut crawler = Command::new(&bench.setup.crawler);
                crawler
                    .args(["crawl", url, "--workers", &concurrency])
                    .args(["--max-pages", "0", "--max-depth", "0"])
                    .args(["--format", "ndjson", "--quiet", "-o"])
                    .arg(bench.output())
                    .env("SSL_CERT_FILE", bench.authority());
                crawler
            }
            Self::Wget2 => {
                let threads = format!("--max-threads={concurrency}");
                let mut wget2 = Command::new("wget2");
                wget2
                    .args(["--no-config", "--quiet", "--recursive", "--level=0"])
                    .args([&threads, "--no-hsts", "--no-ocsp"])
                    .args(["--output-document=/dev/null", "--no-check-certificate"])
                    .arg(url)
                    .env("HOME", bench.folder)
                    .current_dir(bench.folder);
                wget2
            }
            Self::Spider => {
                let mut spider = Command::new(&bench.peers.spider);
                spider.args([url, &concurrency]).current_dir(bench.folder);
                spider
            }
        }
    }
}

impl CrawlBench<'_> {
    /// Output file of our crawl.
    pub(crate) fn output(&self) -> PathBuf {
        self.folder.join("pages.ndjson")
    }

    /// List of the paths that wrk requests.
    pub(crate) fn targets(&self) -> PathBuf {
        self.folder.join("targets")
    }

    /// The certificate authority of the TLS sites.
    pub(crate) fn authority(&self) -> PathBuf {
        self.folder.join("authority.pem")
    }
}
