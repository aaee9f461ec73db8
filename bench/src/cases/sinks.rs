//! Writing a finished page in every format.
//!
//! The same page is written every time, so after the first time the HTML report, which numbers URLs, has seen all of its
//! links, as it has seen nearly all links of a real crawl.

use std::io;
use std::time::SystemTime;

use crawler_model::LinkFilter;
use crawler_output::{Format, ReportHeader, Target};

use crate::case::Case;
use crate::pages::{Page, R, S, report};

pub(crate) fn cases() -> Vec<Case> {
    Format::ALL
        .into_iter()
        .flat_map(|format| [S, R].map(|page| sink_case(format, page)))
        .collect()
}

fn sink_case(format: Format, page: Page) -> Case {
    let name = format!("sink-{}-{}", format.as_str(), page.name);
    Case::new(name, 100, 1, move |_| {
        let about = ReportHeader {
            seed: page.url.into(),
            version: "0",
            started: SystemTime::UNIX_EPOCH,
            config_line: String::new(),
        };
        let target = Target::writer("nowhere", Box::new(io::sink()));
        let mut sink = crawler_output::sink(format, target, LinkFilter::default(), about);
        let report = report(page);
        Box::new(move || usize::from(sink.page(&report).is_ok()))
    })
}
