//! Several sinks as one.

use std::fmt;

use crawler_model::{Notice, PageReport, Sink, SinkError, Summary};
use crawler_weburl::CrawlUrl;

/// Forwards everything to each of its sinks, in order.
///
/// Every sink gets everything even if another fails, so that a full disk does not truncate the other file. The first error is returned.
pub struct Tee(pub Vec<Box<dyn Sink>>);

impl Tee {
    fn for_each(
        &mut self,
        mut call: impl FnMut(&mut Box<dyn Sink>) -> Result<(), SinkError>,
    ) -> Result<(), SinkError> {
        let mut first = Ok(());
        for sink in &mut self.0 {
            let result = call(sink);
            first = first.and(result);
        }
        first
    }
}

impl Sink for Tee {
    fn page(&mut self, report: &PageReport) -> Result<(), SinkError> {
        self.for_each(|sink| sink.page(report))
    }

    fn notice(&mut self, notice: &Notice) -> Result<(), SinkError> {
        self.for_each(|sink| sink.notice(notice))
    }

    fn left(&mut self, url: &CrawlUrl) -> Result<(), SinkError> {
        self.0
            .iter_mut()
            .filter(|sink| sink.wants_left())
            .try_for_each(|sink| sink.left(url))
    }

    fn wants_left(&self) -> bool {
        self.0.iter().any(|sink| sink.wants_left())
    }

    fn mark(&mut self, events: &[u8]) -> Result<(), SinkError> {
        self.for_each(|sink| sink.mark(events))
    }

    fn flush(&mut self) -> Result<(), SinkError> {
        self.for_each(|sink| sink.flush())
    }

    fn finish(&mut self, summary: &Summary) -> Result<(), SinkError> {
        self.for_each(|sink| sink.finish(summary))
    }
}

impl fmt::Debug for Tee {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Tee").field(&self.0.len()).finish()
    }
}
