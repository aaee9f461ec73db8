//! Writes an html report of a made-up site: `sample_report <pages> <file> [rough]`.
//!
//! For viewing the report in a browser at any size without a crawl. A rough site has all its pages in one folder and
//! responds with many different statuses, and its crawl refused many links.

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use crawler_model::{
    Discovery, FailKind, Failure, LinkFacts, LinkFilter, Outcome, PageReport, RefuseReason,
    SkipReason, StopReason, Summary, Task,
};
use crawler_output::{Format, ReportHeader, Target, sink};
use crawler_weburl::{CrawlUrl, UrlKey};

const ORIGIN: &str = "https://www.example.org";
const SECTIONS: [&str; 9] = [
    "docs",
    "blog",
    "products",
    "support",
    "community",
    "about",
    "news",
    "downloads",
    "careers",
];
const TOPICS: [&str; 8] = [
    "getting-started",
    "reference",
    "tutorials",
    "2024",
    "2025",
    "archive",
    "guides",
    "releases",
];

const ROUGH_STATUSES: [u16; 18] = [
    400, 401, 402, 403, 404, 405, 406, 408, 410, 418, 421, 429, 451, 500, 501, 502, 503, 507,
];

/// A small random number generator with a fixed seed: every run writes the same site.
struct Random(u64);

impl Random {
    fn below(&mut self, sides: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % sides
    }
}

struct Page {
    path: String,
    parent: usize,
    depth: u32,
}

fn pages(count: usize, random: &mut Random) -> Vec<Page> {
    let mut pages = vec![Page {
        path: "/".into(),
        parent: 0,
        depth: 0,
    }];
    for section in SECTIONS.iter().take(count.saturating_sub(1)) {
        pages.push(Page {
            path: format!("/{section}/"),
            parent: 0,
            depth: 1,
        });
    }
    while pages.len() < count {
        let number = pages.len();
        // Squared: the first sections are the largest.
        let roll = usize::try_from(random.below(100)).unwrap_or_default();
        let section = roll * roll * SECTIONS.len() / 10_000;
        let topic = TOPICS[usize::try_from(random.below(8)).unwrap_or_default()];
        let path = match random.below(10) {
            0 => format!("/{}/page-{number}", SECTIONS[section]),
            1..=7 => format!("/{}/{topic}/page-{number}", SECTIONS[section]),
            _ => format!(
                "/{}/{topic}/part-{}/page-{number}?view=all",
                SECTIONS[section],
                number % 5
            ),
        };
        let near = pages.len().saturating_sub(1 + pages.len() / 3);
        let parent = if number < 60 || random.below(3) == 0 {
            1 + section
        } else {
            near + usize::try_from(random.below((pages.len() - near) as u64)).unwrap_or_default()
        };
        let depth = pages[parent].depth + 1;
        pages.push(Page {
            path,
            parent,
            depth,
        });
    }
    pages
}

fn flat_pages(count: usize) -> Vec<Page> {
    let page = |number: usize| Page {
        path: match number {
            0 => "/".into(),
            _ => format!("/p/{number}"),
        },
        parent: number.saturating_sub(1) / 40,
        depth: match number {
            0 => 0,
            1..=40 => 1,
            41..=1640 => 2,
            _ => 3,
        },
    };
    (0..count).map(page).collect()
}

fn report(pages: &[Page], number: usize, random: &mut Random) -> PageReport {
    let page = &pages[number];
    let url = |at: usize| format!("{ORIGIN}{}", pages[at].path);
    let task = Task {
        url: CrawlUrl::parse(&url(number)).expect("a generated URL is valid"),
        reported_url: None,
        depth: page.depth,
        hops: 0,
        via: (number > 0).then(|| Arc::from(url(page.parent))),
        found: if number == 0 {
            Discovery::Seed
        } else {
            Discovery::Link
        },
        attempt: 1,
        wants_text: false,
        ticket: 0,
    };
    let roll = if number < 10 {
        999
    } else {
        random.below(1_000)
    };
    let target = usize::try_from(random.below(pages.len() as u64)).unwrap_or_default();
    let (outcome, status) = match roll {
        0..25 => (Outcome::Failed(Failure::of_status(404)), Some(404)),
        25..32 => (Outcome::Failed(Failure::of_status(500)), Some(500)),
        32..35 => (
            Outcome::Failed(Failure::new(FailKind::Timeout, "no answer in 10 s")),
            None,
        ),
        35..75 => {
            let to = CrawlUrl::parse(&url(target)).expect("a generated URL is valid");
            (Outcome::Redirected { to }, Some(301))
        }
        75..85 => {
            let rule = "Disallow: /private".into();
            (Outcome::Skipped(SkipReason::Robots { rule }), None)
        }
        85..130 => (Outcome::Fetched { html: false }, Some(200)),
        _ => (Outcome::Fetched { html: true }, Some(200)),
    };
    let mut report = PageReport::new(task, outcome);
    report.status = status;
    report.content_type = status.map(|_| match roll {
        85..110 => "application/pdf".into(),
        110..125 => "image/png".into(),
        125..130 => "application/json".into(),
        _ => "text/html; charset=utf-8".to_owned(),
    });
    if status.is_some() {
        report.wire_bytes =
            2_000 + random.below(60_000) * (1 + u64::from(random.below(40) == 0) * 30);
        let slow = 1 + u64::from(random.below(12) == 0) * 12;
        report.elapsed = Duration::from_millis(18 + random.below(90) * slow + random.below(120));
    } else if report.outcome.failure().is_some() {
        report.elapsed = Duration::from_secs(10);
    }
    link(&mut report, pages, number, target, random);
    report
}

/// Changes the report to that of a page on a rough site: many different statuses, short response times.
fn roughen(report: &mut PageReport, random: &mut Random) {
    let mut any = |statuses: &[u16]| {
        let at = random.below(statuses.len() as u64);
        statuses[usize::try_from(at).unwrap_or_default()]
    };
    let Some(status) = report.status else {
        return;
    };
    report.elapsed /= 100;
    let status = match status {
        404 | 500 => any(&ROUGH_STATUSES),
        301 => any(&[301, 302, 303, 307, 308]),
        _ if report.wire_bytes.is_multiple_of(90) => any(&[201, 202, 203, 206]),
        _ => status,
    };
    report.status = Some(status);
    if report.outcome.failure().is_some() {
        report.outcome = Outcome::Failed(Failure::of_status(status));
    }
}

fn link(
    report: &mut PageReport,
    pages: &[Page],
    number: usize,
    target: usize,
    random: &mut Random,
) {
    let mut add = |at: usize| {
        let text = format!("{ORIGIN}{}", pages[at].path);
        let facts = LinkFacts {
            web: true,
            in_scope: true,
            ..LinkFacts::default()
        };
        report
            .links
            .push(&text, text.len(), UrlKey(at as u64 + 1), facts);
    };
    match report.outcome {
        Outcome::Redirected { .. } => add(target),
        Outcome::Fetched { html: true } => {
            (0..pages.len().min(10)).for_each(&mut add);
            let children = number.saturating_add(1)..(number * 3 / 2 + 200).min(pages.len());
            children
                .filter(|child| pages[*child].parent == number)
                .for_each(&mut add);
            for _ in 0..random.below(9) {
                add(usize::try_from(random.below(pages.len() as u64)).unwrap_or_default());
            }
        }
        _ => {}
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().collect();
    let (count, file, rough) = match &arguments[..] {
        [_, count, file] => (count, file, false),
        [_, count, file, mode] if mode == "rough" => (count, file, true),
        _ => return Err("usage: sample_report <pages> <file> [rough]".into()),
    };
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    let count = count.parse::<usize>()?.max(1);
    let pages = if rough {
        flat_pages(count)
    } else {
        pages(count, &mut random)
    };
    let about = ReportHeader {
        seed: format!("{ORIGIN}/"),
        version: env!("CARGO_PKG_VERSION"),
        started: SystemTime::UNIX_EPOCH + Duration::from_secs(1_790_000_000),
        config_line: "scope=host workers=25 max-pages=none max-depth=none robots=respect".into(),
    };
    let target = Target::create(Path::new(file))?;
    let mut sink = sink(Format::Html, target, LinkFilter::default(), about);
    let mut summary = Summary {
        stop: StopReason::Done,
        elapsed: Duration::from_millis(900 + pages.len() as u64 * 4),
        ..Summary::default()
    };
    if rough {
        summary.stop = StopReason::MaxPages;
        summary.left = 412;
        summary.refused.insert(RefuseReason::TooDeep, 33);
        summary.refused.insert(RefuseReason::TrapCalendar, 9_780);
    }
    for number in 0..pages.len() {
        let mut report = report(&pages, number, &mut random);
        if rough {
            roughen(&mut report, &mut random);
        }
        summary.bytes += report.wire_bytes;
        sink.page(&report)?;
    }
    sink.finish(&summary)?;
    Ok(())
}
