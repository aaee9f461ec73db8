//! `--state FILE`: a crawl that can be resumed.
//!
//! Opening checks everything before anything is changed: that the file is a state file, that no other process uses it, that it
//! holds the same crawl. Then the recorded events are replayed into the sinks, which skip what is already written.

mod settings;
mod state_sink;

use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use crawler_engine::DriveError;
use crawler_frontier::{Delivery, Frontier, Moment, ProgressCounts};
use crawler_journal::{
    JournaledFrontier, RecordedSetting, SavedCrawl, StateError, StateFile, StateHeader, differences,
};
use crawler_model::{CrawlPlan, Sink, SinkError};
use crawler_output::Written;
use tokio::runtime::Handle;

use settings::settings;
use state_sink::StateSink;

use crate::console::{Console, Level};
use crate::crawl::{CommandSettings, Refused, RunHeader};
use crate::private_file;

impl From<StateError> for Refused {
    fn from(error: StateError) -> Self {
        Self {
            message: format!("--state: {error}"),
            bad_usage: error.is_bad_usage(),
        }
    }
}

/// A crawl that is stored in a state file.
pub(crate) struct FoundState {
    file: StateFile,
    saved: SavedCrawl,
}

/// An open state file for this crawl.
pub(crate) struct State {
    path: PathBuf,
    file: StateFile,
    is_new: bool,
    about: StateHeader,
    settings: Vec<RecordedSetting>,
    /// Bytes written to each output.
    lengths: Vec<u64>,
    /// Exit code of the crawl, if it has finished.
    finished: Option<u8>,
}

/// A crawl ready to continue.
pub(crate) struct Resumed {
    pub(crate) frontier: JournaledFrontier,
    /// Elapsed time of the crawl so far.
    pub(crate) from: Moment,
    pub(crate) sink: Box<dyn Sink>,
    /// Progress so far; `None` for a new crawl.
    pub(crate) counts: Option<ProgressCounts>,
}

impl FoundState {
    /// Opens the file if a crawl is stored in it; otherwise, nothing is created.
    pub(crate) async fn open(path: &Path) -> Result<Option<Self>, Refused> {
        let found = StateFile::open(path).await?;
        Ok(found.map(|(file, saved)| Self { file, saved }))
    }

    /// The random number of the crawl.
    pub(crate) fn rng_seed(&self) -> u64 {
        self.saved.about.rng_seed
    }
}

impl State {
    /// The state of the crawl that was found, if it is this one, or of a new crawl: `head` and `rng_seed` are recorded in a new
    /// file.
    pub(crate) async fn open(
        path: &Path,
        found: Option<FoundState>,
        head: &RunHeader,
        rng_seed: u64,
        plan: &CrawlPlan,
        command: CommandSettings<'_>,
        console: &Console,
    ) -> Result<Self, Refused> {
        let started = head.started.duration_since(UNIX_EPOCH).unwrap_or_default();
        let about = StateHeader {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            rng_seed,
            started: u64::try_from(started.as_millis()).unwrap_or(0),
            config_line: head.config_line.clone(),
        };
        let settings = settings(plan, command);
        let (file, recorded) = match found {
            Some(FoundState { file, saved }) => (file, Some(saved)),
            None => (StateFile::create(path).await?, None),
        };
        if let Some(advice) = private_file::advice(path) {
            console.print(
                Level::Warning,
                &format!("--state: {advice}"),
                "state_readable",
                &[],
            );
        }
        let mut state = Self {
            path: path.to_owned(),
            file,
            is_new: recorded.is_none(),
            about,
            settings,
            lengths: Vec::new(),
            finished: None,
        };
        if let Some(recorded) = recorded {
            let differences = differences(&recorded.settings, &state.settings);
            let (was, is) = (&recorded.about.version, &state.about.version);
            let refused = if !differences.is_empty() {
                format!(
                    "--state: {} holds a different crawl ({}); rerun the original command or choose another file",
                    path.display(),
                    differences.join("; ")
                )
            } else if was != is {
                // Another version may decide or print differently, so the replay would not match.
                format!(
                    "--state: {} was created by crawler {was}, this is {is}; finish it with that version or choose another file",
                    path.display()
                )
            } else {
                String::new()
            };
            if !refused.is_empty() {
                // The file is unchanged, so an error here does not matter.
                let _ = state.file.close().await;
                return Err(Refused {
                    message: refused,
                    bad_usage: true,
                });
            }
            state.about = recorded.about;
            state.lengths = recorded.lengths;
            state.finished = recorded.finished;
        }
        Ok(state)
    }

    /// The line that describes the crawl, as first printed.
    pub(crate) fn config_line(&self) -> &str {
        &self.about.config_line
    }

    /// Bytes written to each output.
    pub(crate) fn lengths(&self) -> Vec<u64> {
        self.lengths.clone()
    }

    /// Exit code of the crawl, if it has finished.
    pub(crate) fn exit_code(&self) -> Option<u8> {
        self.finished
    }

    /// Start time of the crawl.
    pub(crate) fn started(&self) -> SystemTime {
        UNIX_EPOCH + Duration::from_millis(self.about.started)
    }

    /// Whether the crawl has finished and its output files are unchanged.
    pub(crate) fn is_finished(&self, files: &[Option<&Path>]) -> bool {
        let is_unchanged = |(file, length): (Option<&Path>, &u64)| {
            let Some(file) = file.filter(|file| *file != Path::new("-")) else {
                return true;
            };
            std::fs::metadata(file)
                .is_ok_and(|metadata| !metadata.is_file() || metadata.len() == *length)
        };
        self.finished.is_some() && files.iter().copied().zip(&self.lengths).all(is_unchanged)
    }

    /// Closes the file.
    pub(crate) async fn close(self) {
        // Everything is committed already, so an error here does not matter.
        let _ = self.file.close().await;
    }

    /// Replays the recorded events into the sink and continues from there.
    pub(crate) async fn resume(
        mut self,
        plan: &CrawlPlan,
        mut sink: Box<dyn Sink>,
        outputs: Vec<Written>,
    ) -> Result<Resumed, ResumeError> {
        if self.is_new {
            self.file.begin(&self.about, &self.settings).await?;
        }
        let mut frontier = JournaledFrontier::new(plan, self.about.rng_seed);
        let (mut number, mut out) = (0, Vec::new());
        while let Some((next, events)) = self.file.batch_after(number).await? {
            number = next;
            let replayed = frontier.replay(&events, &mut out).await;
            replayed.map_err(|error| self.file.damaged(error.to_string()))?;
            for delivery in out.drain(..) {
                match delivery {
                    Delivery::Page(report) => sink.page(&report)?,
                    Delivery::Notice(notice) => sink.notice(&notice)?,
                    Delivery::Mark(_) => (),
                }
            }
            // As in the run that recorded these events: a flush may end a chunk of output.
            sink.flush()?;
        }
        let since_start = match SystemTime::now().duration_since(self.started()) {
            Ok(since_start) if !self.is_new => since_start,
            _ => Duration::ZERO,
        };
        let from = frontier.resume(since_start);
        let counts = (number > 0).then(|| frontier.progress_counts());
        let sink = StateSink::new(sink, outputs, self.file, self.path, Handle::current());
        Ok(Resumed {
            frontier,
            from,
            sink: Box::new(sink),
            counts,
        })
    }
}

/// Why a crawl cannot be resumed.
#[derive(Debug)]
pub(crate) enum ResumeError {
    State(StateError),
    Sink(SinkError),
}

impl From<StateError> for ResumeError {
    fn from(error: StateError) -> Self {
        Self::State(error)
    }
}

impl From<SinkError> for ResumeError {
    fn from(error: SinkError) -> Self {
        Self::Sink(error)
    }
}

impl From<ResumeError> for anyhow::Error {
    fn from(error: ResumeError) -> Self {
        match error {
            ResumeError::State(error) => Self::from(error).context("--state"),
            ResumeError::Sink(error) => DriveError::from(error).into(),
        }
    }
}
