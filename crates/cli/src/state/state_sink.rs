//! The sink of a crawl with a state file: on each mark it syncs the outputs to disk, then commits to the state file.

use std::path::PathBuf;

use crawler_journal::{StateError, StateFile};
use crawler_model::{Notice, PageReport, Sink, SinkError, StopReason, Summary};
use crawler_output::Written;
use crawler_weburl::CrawlUrl;
use tokio::runtime::Handle;

use crate::exit;

/// Keeps the outputs and the state file consistent. Runs on the writer thread, which may block.
pub(super) struct StateSink {
    sink: Box<dyn Sink>,
    outputs: Vec<Written>,
    /// `None` once the crawl has finished.
    file: Option<StateFile>,
    path: PathBuf,
    handle: Handle,
}

impl StateSink {
    pub(super) fn new(
        sink: Box<dyn Sink>,
        outputs: Vec<Written>,
        file: StateFile,
        path: PathBuf,
        handle: Handle,
    ) -> Self {
        Self {
            sink,
            outputs,
            file: Some(file),
            path,
            handle,
        }
    }

    /// Syncs each output to disk and returns its length.
    fn lengths(&self) -> Result<Vec<u64>, SinkError> {
        self.outputs
            .iter()
            .map(|output| output.sync().map(|()| output.bytes()))
            .collect()
    }

    fn error(&self, error: &StateError) -> SinkError {
        SinkError {
            target: self.path.display().to_string(),
            error: std::io::Error::other(error.message()),
        }
    }
}

impl Sink for StateSink {
    fn page(&mut self, report: &PageReport) -> Result<(), SinkError> {
        self.sink.page(report)
    }

    fn notice(&mut self, notice: &Notice) -> Result<(), SinkError> {
        self.sink.notice(notice)
    }

    fn left(&mut self, url: &CrawlUrl) -> Result<(), SinkError> {
        self.sink.left(url)
    }

    fn wants_unvisited(&self) -> bool {
        self.sink.wants_unvisited()
    }

    fn mark(&mut self, events: &[u8]) -> Result<(), SinkError> {
        self.sink.flush()?;
        let lengths = self.lengths()?;
        let Some(file) = &mut self.file else {
            return Ok(());
        };
        let committed = self.handle.block_on(file.commit(events, &lengths));
        committed.map_err(|error| self.error(&error))
    }

    /// Does nothing: marks flush, at least ten times per second while there is anything to write. That way the output depends
    /// only on the recorded events and not on a clock.
    fn flush(&mut self) -> Result<(), SinkError> {
        Ok(())
    }

    fn finish(&mut self, summary: &Summary) -> Result<(), SinkError> {
        self.sink.finish(summary)?;
        let Some(mut file) = self.file.take() else {
            return Ok(());
        };
        let can_resume = matches!(summary.stop, StopReason::Signal | StopReason::OutputClosed);
        if !can_resume {
            let lengths = self.lengths()?;
            let code = exit::number_of(summary);
            let finished = self.handle.block_on(file.finish(code, &lengths));
            finished.map_err(|error| self.error(&error))?;
        }
        let closed = self.handle.block_on(file.close());
        closed.map_err(|error| self.error(&error))
    }
}
