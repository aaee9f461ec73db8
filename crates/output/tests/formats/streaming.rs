//! Every crawl format streams: output is written as pages come in, not at the end.

use std::io::{self, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use crawler_model::{LinkFilter, Summary};
use crawler_output::{Format, Target, sink};

use crate::fixture::{about, linking, reports};

/// Counts the bytes written and the size of the largest write.
#[derive(Clone, Default)]
struct Counter {
    bytes: Arc<AtomicU64>,
    largest: Arc<AtomicU64>,
}

impl Write for Counter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.bytes.fetch_add(bytes.len() as u64, Ordering::Relaxed);
        self.largest
            .fetch_max(bytes.len() as u64, Ordering::Relaxed);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Maximum number of bytes a sink may buffer: its buffer, and for html a chunk.
const MAX_BUFFERED: u64 = 1_000_000;

#[test]
fn two_hundred_thousand_pages_are_streamed() {
    for format in Format::ALL {
        let counter = Counter::default();
        let target = Target::writer("counter", Box::new(counter.clone()));
        let mut sink = sink(format, target, LinkFilter::default(), about());
        let mut last = 0;
        for number in 0..20 {
            for page in 0..10_000 {
                let text = format!("https://example.org/{number}/{page}");
                let next = format!("https://example.org/{number}/{}", page + 1);
                sink.page(&linking(&text, 1, &[&next])).unwrap();
            }
            let written = counter.bytes.load(Ordering::Relaxed);
            assert!(written > last + 100_000, "{format:?}: {written}");
            last = written;
        }
        sink.finish(&Summary::default()).unwrap();
        let all = counter.bytes.load(Ordering::Relaxed);
        assert!(
            all - last < MAX_BUFFERED,
            "{format:?} buffered {} bytes",
            all - last
        );
        assert!(
            counter.largest.load(Ordering::Relaxed) < MAX_BUFFERED,
            "{format:?}"
        );
    }
}

#[test]
fn a_page_with_very_many_links_is_streamed() {
    let links: Vec<String> = (0..50_000)
        .map(|number| format!("https://example.org/some/longer/path/{number}"))
        .collect();
    let links: Vec<&str> = links.iter().map(String::as_str).collect();
    let report = linking("https://example.org/", 0, &links);
    for format in Format::ALL {
        let counter = Counter::default();
        let target = Target::writer("counter", Box::new(counter.clone()));
        let mut sink = sink(format, target, LinkFilter::default(), about());
        sink.page(&report).unwrap();
        assert!(
            counter.bytes.load(Ordering::Relaxed) > 1_000_000,
            "{format:?}"
        );
        assert!(
            counter.largest.load(Ordering::Relaxed) < MAX_BUFFERED,
            "{format:?}"
        );
    }
}

#[test]
fn a_flush_writes_everything() {
    for format in Format::ALL {
        let counter = Counter::default();
        let target = Target::writer("counter", Box::new(counter.clone()));
        let mut sink = sink(format, target, LinkFilter::default(), about());
        sink.flush().unwrap();
        let before = counter.bytes.load(Ordering::Relaxed);
        sink.page(&reports()[0]).unwrap();
        sink.flush().unwrap();
        assert!(counter.bytes.load(Ordering::Relaxed) > before, "{format:?}");
    }
}
