//! `--state FILE`: a crawl that is kept, and goes on.
//!
//! Opening checks everything before anything is touched: whose file it is, that nobody else has it, that the crawl in it is
//! the one that was asked for. Then the crawl is played from the file into sinks of its own, which swallow what is written.

mod asked;
mod kept_sink;

use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use engine::DriveError;
use frontier::{Delivery, Frontier, Glance, Moment};
use journal::{About, JournaledFrontier, Setting, StateError, StateFile, differences};
use model::{CrawlPlan, Sink, SinkError};
use output::Written;
use tokio::runtime::Handle;

pub(crate) use asked::{Asked, settings};
use kept_sink::KeptSink;

/// Why the crawl does not begin, in words.
pub(crate) struct Refused {
    pub(crate) words: String,
    /// Another file, or another command, is what was meant.
    pub(crate) bad_usage: bool,
}

impl From<StateError> for Refused {
    fn from(error: StateError) -> Self {
        Self {
            words: error.to_string(),
            bad_usage: error.is_bad_usage(),
        }
    }
}

/// A state file that holds the crawl that was asked for, or will.
pub(crate) struct State {
    path: PathBuf,
    file: StateFile,
    is_new: bool,
    pub(crate) about: About,
    settings: Vec<Setting>,
    /// How much of each output is written.
    pub(crate) lengths: Vec<u64>,
    /// The exit code of the crawl, if it came to its end before.
    pub(crate) finished: Option<u8>,
}

/// A crawl that can go on.
pub(crate) struct Resumed {
    pub(crate) frontier: JournaledFrontier,
    /// The crawl's time.
    pub(crate) from: Moment,
    pub(crate) sink: Box<dyn Sink>,
    /// Whether it is not from the beginning.
    pub(crate) glance: Option<Glance>,
}

impl State {
    /// Opens the file for a crawl: `about` is what a new one will be.
    pub(crate) async fn open(
        path: &Path,
        about: About,
        settings: Vec<Setting>,
    ) -> Result<Self, Refused> {
        let (file, kept) = StateFile::open(path).await?;
        let mut state = Self {
            path: path.to_owned(),
            file,
            is_new: kept.is_none(),
            about,
            settings,
            lengths: Vec::new(),
            finished: None,
        };
        if let Some(kept) = kept {
            let differences = differences(&kept.settings, &state.settings);
            let (was, is) = (&kept.about.version, &state.about.version);
            let refused = if !differences.is_empty() {
                format!(
                    "--state: {} keeps another crawl: {}; give the same command, or another file",
                    path.display(),
                    differences.join("; ")
                )
            } else if was != is {
                // Another version may decide or print otherwise, and then nothing fits together.
                format!(
                    "--state: {} was begun by crawler {was}, and this is {is}; finish it with that one, or give another file",
                    path.display()
                )
            } else {
                String::new()
            };
            if !refused.is_empty() {
                // What cannot be closed is left as it was.
                let _ = state.file.close().await;
                return Err(Refused {
                    words: refused,
                    bad_usage: true,
                });
            }
            state.about = kept.about;
            state.lengths = kept.lengths;
            state.finished = kept.finished;
        }
        Ok(state)
    }

    /// When the crawl began.
    pub(crate) fn started(&self) -> SystemTime {
        UNIX_EPOCH + Duration::from_millis(self.about.started)
    }

    /// Whether the crawl is over and its files are as it left them.
    pub(crate) fn is_over(&self, files: &[Option<&Path>]) -> bool {
        let intact = |(file, length): (Option<&Path>, &u64)| {
            let Some(file) = file.filter(|file| *file != Path::new("-")) else {
                return true;
            };
            std::fs::metadata(file)
                .is_ok_and(|metadata| !metadata.is_file() || metadata.len() == *length)
        };
        self.finished.is_some() && files.iter().copied().zip(&self.lengths).all(intact)
    }

    /// Lets go of the file.
    pub(crate) async fn close(self) {
        // What cannot be closed is kept all the same.
        let _ = self.file.close().await;
    }

    /// Plays what is kept into the sink, and goes on from there.
    pub(crate) async fn resume(
        mut self,
        plan: &CrawlPlan,
        mut sink: Box<dyn Sink>,
        outputs: Vec<Written>,
    ) -> Result<Resumed, ResumeError> {
        if self.is_new {
            self.file.begin(&self.about, &self.settings).await?;
        }
        let mut frontier = JournaledFrontier::new(plan.clone(), self.about.chance);
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
            // As it was when these events were kept: a flush may end a piece of output.
            sink.flush()?;
        }
        let from = frontier.resume();
        let glance = (number > 0).then(|| frontier.glance());
        let sink = KeptSink::new(sink, outputs, self.file, self.path, Handle::current());
        Ok(Resumed {
            frontier,
            from,
            sink: Box::new(sink),
            glance,
        })
    }
}

/// Why a crawl cannot go on.
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
            ResumeError::State(error) => error.into(),
            ResumeError::Sink(error) => DriveError::from(error).into(),
        }
    }
}
