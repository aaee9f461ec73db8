//! A small site with everything that is difficult for a format.

use std::sync::Arc;
use std::time::{Duration, SystemTime};

use crawler_model::{
    Discovery, FailKind, Failure, LinkFacts, LinkFilter, LinkList, Outcome, PageReport,
    RenderReason, Rendering, Sink, SkipReason, Summary, Task,
};
use crawler_output::{Format, MapFormat, ReportHeader, Target, map_sink, sink};
use crawler_weburl::{CrawlUrl, KeyPolicy, QueryPolicy, SlashPolicy, UrlKey, UrlRef};

pub(crate) const KEYS: KeyPolicy = KeyPolicy {
    slash: SlashPolicy::Merge,
    query: QueryPolicy::Keep,
    seed: 1,
};

pub(crate) fn url(text: &str) -> CrawlUrl {
    CrawlUrl::parse(text).unwrap()
}

/// Adds a link; links to example.org are in scope.
pub(crate) fn link(links: &mut LinkList, full: &str, change: impl FnOnce(&mut LinkFacts)) {
    let page_len = full.find('#').unwrap_or(full.len());
    let parts = UrlRef::split(&full[..page_len]);
    let mut facts = LinkFacts {
        web: parts.is_some(),
        in_scope: parts.is_some_and(|parts| parts.host() == "example.org"),
        ..LinkFacts::default()
    };
    change(&mut facts);
    let key = parts.map_or(UrlKey(0), |parts| KEYS.key(parts));
    links.push(full, page_len, key, facts);
}

pub(crate) fn page(text: &str, depth: u32, outcome: Outcome) -> PageReport {
    let task = Task {
        url: url(text),
        reported_url: None,
        depth,
        hops: 0,
        via: (depth > 0).then(|| Arc::from("https://example.org/")),
        found: if depth == 0 {
            Discovery::Seed
        } else {
            Discovery::Link
        },
        attempt: 1,
        wants_text: false,
        ticket: 0,
    };
    PageReport::new(task, outcome)
}

/// A fetched HTML page with these links.
pub(crate) fn linking(text: &str, depth: u32, links: &[&str]) -> PageReport {
    let mut report = page(text, depth, Outcome::Fetched { html: true });
    report.status = Some(200);
    for full in links {
        link(&mut report.links, full, |_| ());
    }
    report
}

/// The site.
pub(crate) fn reports() -> Vec<PageReport> {
    let mut home = linking(
        "https://example.org/",
        0,
        &[
            "https://example.org/about",
            "https://example.org/about#team",
            "https://example.org/missing",
            "https://example.org/old",
            "https://example.org/private",
            "https://other.example/x,y?a='b'",
            "mailto:someone@example.org",
            "javascript:alert(\"hi\")",
            "https://example.org/file.pdf",
            "https://example.org/d\u{e9}j\u{e0}</script><!--\u{2028}",
            "https://example.org/about/",
        ],
    );
    home.content_type = Some("text/html; charset=utf-8".into());
    (home.wire_bytes, home.body_bytes) = (1_234, 5_678);
    // Waiting for a tab does not count as the page's time.
    home.elapsed = Duration::from_micros(1_045_678);
    home.rendering =
        Some(Rendering::because(RenderReason::Requested).after(Duration::from_secs(1)));

    let mut about = linking("https://example.org/about", 1, &[]);
    about.content_type = Some("=HYPERLINK(\"http://x\",\"y\")".into());
    about.attempt = 2;
    about.rendering = Some(Rendering::not(RenderReason::Readable));
    link(&mut about.links, "https://example.org/", |_| ());
    link(&mut about.links, "https://example.org/draft", |facts| {
        facts.nofollow = true;
    });
    link(&mut about.links, "https://example.org/a.zip", |facts| {
        facts.download = true;
    });
    about.links.omit();
    about.links.omit();

    let mut missing = page(
        "https://example.org/missing",
        1,
        Outcome::Failed(Failure::of_status(404)),
    );
    missing.status = Some(404);
    missing.content_type = Some("text/html".into());

    let mut pdf = page(
        "https://example.org/file.pdf",
        1,
        Outcome::Fetched { html: false },
    );
    pdf.status = Some(200);
    pdf.content_type = Some("application/pdf".into());
    (pdf.wire_bytes, pdf.truncated) = (2_000_000, true);

    let to = url("https://example.org/new?a=1&b=2");
    let mut old = page(
        "https://example.org/old",
        1,
        Outcome::Redirected { to: to.clone() },
    );
    old.status = Some(301);
    link(&mut old.links, to.as_str(), |_| ());

    let rule = "Disallow: /private, \"really\"".into();
    let mut private = page(
        "https://example.org/private",
        1,
        Outcome::Skipped(SkipReason::Robots { rule }),
    );
    private.attempt = 0;

    let mut new = page(
        "https://example.org/new?a=1&b=2",
        2,
        Outcome::Failed(Failure::new(FailKind::Connect, "connection refused")),
    );
    new.via = Some(Arc::from("https://example.org/old"));
    new.found = Discovery::Redirect;
    new.attempt = 3;

    vec![home, about, missing, pdf, old, private, new]
}

pub(crate) fn about() -> ReportHeader {
    ReportHeader {
        seed: "https://example.org/".into(),
        version: "0.0.0",
        started: SystemTime::UNIX_EPOCH + Duration::from_secs(1_000_000_000),
        config_line: "workers=2 user-agent=\"</script>\"".into(),
    }
}

/// Feeds reports to a sink and finishes it.
pub(crate) fn run(sink: &mut dyn Sink, reports: &[PageReport]) {
    run_to(sink, reports, &Summary::default());
}

/// Like [`run`], with a summary.
pub(crate) fn run_to(sink: &mut dyn Sink, reports: &[PageReport], summary: &Summary) {
    for report in reports {
        sink.page(report).unwrap();
    }
    sink.finish(summary).unwrap();
}

/// The output of a format for the reports.
pub(crate) fn print(format: Format, filter: LinkFilter, reports: &[PageReport]) -> String {
    let (target, memory) = Target::memory();
    run(sink(format, target, filter, about()).as_mut(), reports);
    memory.text()
}

/// The output of a map format for the reports and the URLs left.
pub(crate) fn print_map(format: MapFormat, reports: &[PageReport], left: &[&str]) -> String {
    let (target, memory) = Target::memory();
    let mut sink = map_sink(format, target, KEYS, &url("https://example.org/"));
    for text in left {
        sink.left(&url(text)).unwrap();
    }
    run(sink.as_mut(), reports);
    memory.text()
}
