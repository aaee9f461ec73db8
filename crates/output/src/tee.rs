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
        self.for_each(|sink| {
            if sink.wants_unvisited() {
                sink.left(url)
            } else {
                Ok(())
            }
        })
    }

    fn wants_unvisited(&self) -> bool {
        self.0.iter().any(|sink| sink.wants_unvisited())
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

#[cfg(test)]
mod tests {
    use std::io;
    use std::sync::{Arc, Mutex};

    use super::*;

    /// Records the URLs that were left, and fails on each of them if told to.
    struct LeftUrls {
        urls: Arc<Mutex<Vec<String>>>,
        fails: bool,
    }

    impl Sink for LeftUrls {
        fn page(&mut self, _report: &PageReport) -> Result<(), SinkError> {
            Ok(())
        }

        fn left(&mut self, url: &CrawlUrl) -> Result<(), SinkError> {
            self.urls.lock().unwrap().push(url.to_string());
            if self.fails {
                return Err(SinkError {
                    target: "full".to_owned(),
                    error: io::ErrorKind::StorageFull.into(),
                });
            }
            Ok(())
        }

        fn wants_unvisited(&self) -> bool {
            true
        }

        fn flush(&mut self) -> Result<(), SinkError> {
            Ok(())
        }

        fn finish(&mut self, _summary: &Summary) -> Result<(), SinkError> {
            Ok(())
        }
    }

    #[test]
    fn a_sink_that_fails_does_not_hide_left_urls_from_the_next() {
        let urls = Arc::<Mutex<Vec<String>>>::default();
        let sink = |fails| -> Box<dyn Sink> {
            let urls = Arc::clone(&urls);
            Box::new(LeftUrls { urls, fails })
        };
        let mut tee = Tee(vec![sink(true), sink(false)]);
        let url = CrawlUrl::parse("http://a.test/left").unwrap();
        assert!(tee.left(&url).is_err());
        assert_eq!(urls.lock().unwrap().len(), 2);
    }
}
