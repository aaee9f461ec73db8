//! The programs that crawl, each with its command line.

use std::path::{Path, PathBuf};
use std::process::Command;

use super::course::{Course, Size};
use super::peers::Peers;
use crate::bench::workplace::Workplace;
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
pub(crate) struct Track<'a> {
    pub(crate) place: &'a Workplace,
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
    pub(crate) fn good_end(self) -> u64 {
        match self {
            Self::Wget2 => 8,
            _ => 0,
        }
    }

    /// Command line for a site.
    pub(crate) fn command(self, course: Course, url: &str, track: &Track<'_>) -> Command {
        let at_once = course.at_once().to_string();
        match self {
            Self::Wrk => {
                let seconds = format!("{}s", course.seconds(track.size));
                let coding = if course == Course::RichGzipped {
                    "gzip"
                } else {
                    "identity"
                };
                let mut wrk = Command::new("wrk");
                wrk.args(["--threads", "1", "--connections", &at_once])
                    .args(["--duration", &seconds, "--script"])
                    .arg(root().join("xtask/src/bench/crawl/walk.lua"))
                    .args([url, "--"])
                    .arg(track.targets())
                    .arg(coding);
                wrk
            }
            Self::Ours => {
                let mut crawler = Command::new(&track.place.crawler);
                crawler
                    .args(["crawl", url, "--workers", &at_once])
                    .args(["--max-pages", "0", "--max-depth", "0"])
                    .args(["--format", "ndjson", "--quiet", "-o"])
                    .arg(track.output())
                    .env("SSL_CERT_FILE", track.authority());
                crawler
            }
            Self::Wget2 => {
                let threads = format!("--max-threads={at_once}");
                let mut wget2 = Command::new("wget2");
                wget2
                    .args(["--no-config", "--quiet", "--recursive", "--level=0"])
                    .args([&threads, "--no-hsts", "--no-ocsp"])
                    .args(["--output-document=/dev/null", "--no-check-certificate"])
                    .arg(url)
                    .env("HOME", track.folder)
                    .current_dir(track.folder);
                wget2
            }
            Self::Spider => {
                let mut spider = Command::new(&track.peers.spider);
                spider.args([url, &at_once]).current_dir(track.folder);
                spider
            }
        }
    }
}

impl Track<'_> {
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
