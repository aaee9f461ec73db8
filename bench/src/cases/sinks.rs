//! Writing a finished page, in every format.
//!
//! The same page each time: to the html report, which numbers URLs, all but the first are known, as nearly every link
//! of a crawl is.

use std::io;
use std::time::SystemTime;

use model::LinkFilter;
use output::{Format, ReportAbout, Target};

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
        let about = ReportAbout {
            seed: page.url.into(),
            version: "0",
            started: SystemTime::UNIX_EPOCH,
            config_line: String::new(),
        };
        let nowhere = Target::writer("nowhere", Box::new(io::sink()));
        let mut sink = output::sink(format, nowhere, LinkFilter::default(), about);
        let report = report(page);
        Box::new(move || usize::from(sink.page(&report).is_ok()))
    })
}
