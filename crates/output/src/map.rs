//! `crawler map`: each URL of the site once, sorted.
//!
//! A URL occurs many times, as a page and as a link, in several spellings of one key. They are sorted externally, in fixed
//! memory, twice. First all records are sorted by key, best first: a page before a link, a link before a URL that was not
//! visited, fewer hops first. The first record of each key is kept, so the spelling that was fetched wins, and the result does
//! not depend on the order in which pages finish. Those records are then sorted by URL and written.
//!
//! A sitemap may only list URLs of its own origin: that of the seed, or of the page that the seed redirects to.

mod csv;
mod entry;
mod json;
mod ndjson;
mod record;
mod sitemap;
mod text;
mod writer;

use crawler_model::{Discovery, Outcome, PageReport, Sink, SinkError, Summary};
use crawler_weburl::{CrawlUrl, KeyPolicy, UrlKey, UrlRef};

use crate::sorted_lines::{BUDGET, SortedLines};
use crate::{MapFormat, Target};
use entry::Entry;
use record::{Rank, Record};
use sitemap::SitemapWriter;
use writer::{MapWriter, Totals};

/// Collects a site's URLs and writes them when the crawl ends.
#[derive(Debug)]
pub(crate) struct MapSink {
    writer: Box<dyn MapWriter>,
    keys: KeyPolicy,
    seed: UrlKey,
    /// The seed, or the last page that it redirects to.
    home: CrawlUrl,
    by_key: SortedLines,
    record: Vec<u8>,
}

impl MapSink {
    pub(crate) fn new(format: MapFormat, target: Target, keys: KeyPolicy, seed: &CrawlUrl) -> Self {
        let writer: Box<dyn MapWriter> = match format {
            MapFormat::Text => Box::new(text::TextWriter(target)),
            MapFormat::Json => Box::new(json::JsonWriter::new(target)),
            MapFormat::Ndjson => Box::new(ndjson::NdjsonWriter(target)),
            MapFormat::Csv => Box::new(csv::CsvWriter::new(target)),
            MapFormat::Sitemap => Box::new(SitemapWriter::new(target)),
        };
        Self {
            writer,
            keys,
            seed: keys.key(seed.parts()),
            home: seed.clone(),
            by_key: SortedLines::new(BUDGET),
            record: Vec::new(),
        }
    }

    fn add(&mut self, key: UrlKey, rank: Rank, entry: Entry<'_>) -> Result<(), SinkError> {
        self.record.clear();
        Record { key, rank, entry }.push_to(&mut self.record);
        self.by_key.insert(&self.record)
    }

    /// The best record of each key, in the order of their URLs.
    fn by_url(&mut self) -> Result<(SortedLines, Totals), SinkError> {
        let mut by_url = SortedLines::new(BUDGET);
        let mut totals = Totals::default();
        let mut last = None;
        let mut lines = self.by_key.finish()?;
        while let Some(line) = lines.next_line()? {
            let Some(record) = Record::read(line) else {
                continue;
            };
            if last.replace(record.key) == Some(record.key) {
                continue;
            }
            let mut entry = record.entry;
            let url = UrlRef::split(entry.url);
            let origin = self.home.parts().origin_text();
            entry.listed &= url.is_some_and(|url| url.origin_text() == origin);
            totals.count(&entry);
            self.record.clear();
            entry.push_to(&mut self.record);
            by_url.insert(&self.record)?;
        }
        Ok((by_url, totals))
    }
}

impl Sink for MapSink {
    fn page(&mut self, report: &PageReport) -> Result<(), SinkError> {
        let page = Entry {
            url: report.url.as_str(),
            status: report.status,
            depth: Some(report.depth),
            found: report.found,
            listed: matches!(report.outcome, Outcome::Fetched { .. }),
            rendering: report.rendering,
        };
        let key = self.keys.key(report.url.parts());
        self.add(key, Rank::Page, page)?;
        if let Outcome::Redirected { to } = &report.outcome
            && key == self.keys.key(self.home.parts())
        {
            self.home = to.clone();
        }
        let found = match report.outcome {
            Outcome::Redirected { .. } => Discovery::Redirect,
            _ => Discovery::Link,
        };
        for link in report.links.iter().filter(|link| link.facts.in_scope) {
            let entry = Entry {
                url: link.page,
                status: None,
                depth: Some(report.depth + 1),
                found,
                listed: true,
                rendering: None,
            };
            self.add(link.key, Rank::Link, entry)?;
        }
        Ok(())
    }

    fn left(&mut self, url: &CrawlUrl) -> Result<(), SinkError> {
        let key = self.keys.key(url.parts());
        // A linked URL is already recorded with its depth and ranks higher. This adds the seed and URLs from sitemaps.
        let (depth, found) = if key == self.seed {
            (Some(0), Discovery::Seed)
        } else {
            (None, Discovery::Sitemap)
        };
        let entry = Entry {
            url: url.as_str(),
            status: None,
            depth,
            found,
            listed: true,
            rendering: None,
        };
        self.add(key, Rank::Left, entry)
    }

    fn wants_unvisited(&self) -> bool {
        true
    }

    fn flush(&mut self) -> Result<(), SinkError> {
        self.writer.flush()
    }

    fn finish(&mut self, _summary: &Summary) -> Result<(), SinkError> {
        let (mut by_url, totals) = self.by_url()?;
        self.writer.open(totals, self.home.parts().origin_text())?;
        let mut lines = by_url.finish()?;
        while let Some(line) = lines.next_line()? {
            if let Some(entry) = Entry::read(line) {
                self.writer.entry(&entry)?;
            }
        }
        self.writer.close()
    }
}
