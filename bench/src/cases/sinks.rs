//! Writing a finished page, in every format.
//!
//! It is the same page each time: the HTML report, which numbers URLs, knows all but the first, as it knows nearly every
//! link of a crawl.

use std::io;
use std::time::SystemTime;

use crawler_model::LinkFilter;
use crawler_output::{Format, ReportHeader, Target};

use crate::case::Case;
use crate::pages::{Page, R, S, report};

pub(crate) fn cases() -> Vec<Case> {
    Format::ALL
        .into_iter()
        .flat_map(|format| [S, R].map(|page| written(format, page)))
        .collect()
}

fn written(format: Format, page: Page) -> Case {
    let name = format!("sink-{}-{}", format.as_str(), page.name);
    Case::new(name, 100, 1, move |_| {
        let about = ReportHeader {
            seed: page.url.into(),
            version: "0",
            started: SystemTime::UNIX_EPOCH,
            config_line: String::new(),
        };
        let nowhere = Target::writer("nowhere", Box::new(io::sink()));
        let mut sink = crawler_output::sink(format, nowhere, LinkFilter::default(), about);
        let report = report(page);
        Box::new(move || usize::from(sink.page(&report).is_ok()))
    })
}
