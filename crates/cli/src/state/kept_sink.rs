//! The sink that keeps: on each mark everything is on its disk, and then the state file says so.

use std::path::PathBuf;

use journal::{StateError, StateFile};
use model::{Notice, PageReport, Sink, SinkError, StopReason, Summary};
use output::Written;
use tokio::runtime::Handle;
use weburl::CrawlUrl;

use crate::exit;

/// A sink whose outputs never part from the state file. Called on the writer's thread, which may wait.
pub(super) struct KeptSink {
    sink: Box<dyn Sink>,
    outputs: Vec<Written>,
    /// Until the end.
    file: Option<StateFile>,
    path: PathBuf,
    handle: Handle,
}

impl KeptSink {
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

    /// How long each output is, once that is on its disk.
    fn lengths(&self) -> Result<Vec<u64>, SinkError> {
        self.outputs
            .iter()
            .map(|output| output.sync().map(|()| output.bytes()))
            .collect()
    }

    fn error(&self, error: &StateError) -> SinkError {
        SinkError {
            target: self.path.display().to_string(),
            error: std::io::Error::other(error.words()),
        }
    }
}

impl Sink for KeptSink {
    fn page(&mut self, report: &PageReport) -> Result<(), SinkError> {
        self.sink.page(report)
    }

    fn notice(&mut self, notice: &Notice) -> Result<(), SinkError> {
        self.sink.notice(notice)
    }

    fn left(&mut self, url: &CrawlUrl) -> Result<(), SinkError> {
        self.sink.left(url)
    }

    fn wants_left(&self) -> bool {
        self.sink.wants_left()
    }

    fn mark(&mut self, events: &[u8]) -> Result<(), SinkError> {
        self.sink.flush()?;
        let lengths = self.lengths()?;
        let Some(file) = &mut self.file else {
            return Ok(());
        };
        let kept = self.handle.block_on(file.commit(events, &lengths));
        kept.map_err(|error| self.error(&error))
    }

    /// Marks come at least ten times a second while there is anything to write, and flush. In between nothing is flushed,
    /// so that what is written depends on what was kept and not on a clock.
    fn flush(&mut self) -> Result<(), SinkError> {
        Ok(())
    }

    fn finish(&mut self, summary: &Summary) -> Result<(), SinkError> {
        self.sink.finish(summary)?;
        let Some(mut file) = self.file.take() else {
            return Ok(());
        };
        let goes_on = matches!(summary.stop, StopReason::Signal | StopReason::OutputClosed);
        if !goes_on {
            let lengths = self.lengths()?;
            let code = exit::number_of(summary);
            let finished = self.handle.block_on(file.finish(code, &lengths));
            finished.map_err(|error| self.error(&error))?;
        }
        let closed = self.handle.block_on(file.close());
        closed.map_err(|error| self.error(&error))
    }
}
