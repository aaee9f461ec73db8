//! The sites used for measuring speed.

use std::path::Path;

use super::runner::Runner;

/// Small: short pages, few links.
const SMALL: u64 = 10_000;
/// Rich: realistic pages. Each page also exists as `?page=2`, so `testsite` gets half of this number.
const RICH: u64 = 5_000;
/// Long: rich pages of 300 KB. The crawler has so much work per page that the site's share of a core is small.
const LONG: u64 = 4_000;

/// A site and its transport.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Scenario {
    Small,
    Rich,
    RichGzipped,
    SmallTls,
    SmallHttp2,
    SmallFar,
    /// Not in `ALL`: used only for scaling.
    LongGzipped,
}

/// Size of a benchmark.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Size {
    Full,
    /// A twentieth, for a trial run.
    Quick,
}

impl Size {
    /// Scales a number.
    pub(crate) fn of(self, full: u64) -> u64 {
        match self {
            Self::Full => full,
            Self::Quick => (full / 20).max(1),
        }
    }
}

impl Scenario {
    pub(crate) const ALL: [Self; 6] = [
        Self::Small,
        Self::Rich,
        Self::RichGzipped,
        Self::SmallTls,
        Self::SmallHttp2,
        Self::SmallFar,
    ];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Small => "S",
            Self::Rich => "R",
            Self::RichGzipped => "R, gzipped",
            Self::SmallTls => "S, TLS",
            Self::SmallHttp2 => "S, HTTP/2",
            Self::SmallFar => "S, 50 ms away",
            Self::LongGzipped => "L, gzipped",
        }
    }

    /// Arguments of `testsite`.
    pub(crate) fn site_args(self, size: Size, authority: &Path) -> Vec<String> {
        let authority = authority.display().to_string();
        let options: &[&str] = match self {
            Self::Small | Self::Rich => &[],
            Self::RichGzipped | Self::LongGzipped => &["--gzip"],
            Self::SmallTls => &["--tls", "--authority", &authority],
            Self::SmallHttp2 => &["--http2", "--authority", &authority],
            Self::SmallFar => &["--latency-ms", "50"],
        };
        let pages = self.pages(size);
        let (graph, pages) = match self {
            Self::Rich | Self::RichGzipped => ("realistic --body 63000", pages / 2),
            Self::LongGzipped => ("realistic --body 300000", pages / 2),
            _ => ("graph --body 3000 --links 20", pages),
        };
        let args = graph.split(' ').chain(["--kept", "--pages"]);
        args.map(str::to_owned)
            .chain([pages.to_string()])
            .chain(options.iter().map(|option| (*option).to_owned()))
            .collect()
    }

    pub(crate) fn pages(self, size: Size) -> u64 {
        match self {
            Self::Rich | Self::RichGzipped => size.of(RICH),
            Self::LongGzipped => size.of(LONG),
            _ => size.of(SMALL),
        }
    }

    /// Number of connections, or of concurrent requests on one connection.
    pub(crate) fn concurrency(self) -> u32 {
        match self {
            Self::SmallFar => 64,
            _ => 32,
        }
    }

    /// Programs that run on it.
    pub(crate) fn runners(self) -> &'static [Runner] {
        match self {
            Self::SmallFar => &[Runner::Wrk, Runner::Ours],
            Self::LongGzipped => &[Runner::Ours],
            // wrk does not support HTTP/2.
            Self::SmallHttp2 => &[Runner::Ours, Runner::Wget2, Runner::Spider],
            _ => &[Runner::Wrk, Runner::Ours, Runner::Wget2, Runner::Spider],
        }
    }

    /// Duration of wrk's run, in seconds.
    pub(crate) fn seconds(self, size: Size) -> u64 {
        match (self, size) {
            (_, Size::Quick) => 1,
            (Self::SmallFar, Size::Full) => 5,
            (_, Size::Full) => 2,
        }
    }
}
