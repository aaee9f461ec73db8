//! `--state FILE` in a build without the feature `state`: refused.

use std::convert::Infallible;
use std::path::Path;
use std::time::SystemTime;

use crawler_frontier::{MemoryFrontier, Moment, ProgressCounts};
use crawler_model::{CrawlPlan, Sink};
use crawler_output::Written;

use crate::console::Console;
use crate::crawl::{CommandSettings, Refused, RunHeader};

/// A crawl that is stored in a state file; there is none in this build.
pub(crate) enum FoundState {}

/// An open state file; there is none in this build.
pub(crate) enum State {}

/// A crawl ready to continue.
pub(crate) struct Resumed {
    pub(crate) frontier: MemoryFrontier,
    pub(crate) from: Moment,
    pub(crate) sink: Box<dyn Sink>,
    pub(crate) counts: Option<ProgressCounts>,
}

impl FoundState {
    /// Finds nothing.
    #[expect(
        clippy::unused_async,
        reason = "same signature as with the feature `state`"
    )]
    pub(crate) async fn open(_path: &Path) -> Result<Option<Self>, Refused> {
        Ok(None)
    }

    pub(crate) fn rng_seed(&self) -> u64 {
        match *self {}
    }
}

impl State {
    /// Fails: this build does not support state files.
    #[expect(
        clippy::unused_async,
        reason = "same signature as with the feature `state`"
    )]
    pub(crate) async fn open(
        _path: &Path,
        _found: Option<FoundState>,
        _head: &RunHeader,
        _rng_seed: u64,
        _plan: &CrawlPlan,
        command: CommandSettings<'_>,
        _console: &Console,
    ) -> Result<Self, Refused> {
        let command = command.command;
        Err(Refused {
            message: format!(
                "{command} --state: not part of this build; rebuild with --features state"
            ),
            bad_usage: true,
        })
    }

    pub(crate) fn config_line(&self) -> &str {
        match *self {}
    }

    pub(crate) fn lengths(&self) -> Vec<u64> {
        match *self {}
    }

    pub(crate) fn exit_code(&self) -> Option<u8> {
        match *self {}
    }

    pub(crate) fn started(&self) -> SystemTime {
        match *self {}
    }

    pub(crate) fn is_finished(&self, _files: &[Option<&Path>]) -> bool {
        match *self {}
    }

    #[expect(
        clippy::unused_async,
        reason = "same signature as with the feature `state`"
    )]
    pub(crate) async fn close(self) {
        match self {}
    }

    #[expect(
        clippy::unused_async,
        reason = "same signature as with the feature `state`"
    )]
    pub(crate) async fn resume(
        self,
        _plan: &CrawlPlan,
        _sink: Box<dyn Sink>,
        _outputs: Vec<Written>,
    ) -> Result<Resumed, Infallible> {
        match self {}
    }
}
