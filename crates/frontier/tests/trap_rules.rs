//! What the detection of crawler traps must not refuse: days between those with content, and areas of a job that was joined late.

#![expect(clippy::unwrap_used, reason = "test helpers may panic")]

use std::sync::Arc;

use crawler_frontier::{AdmissionFilter, Bounds};
use crawler_model::{
    CrawlPlan, CrawlRules, CrawlSpec, DepthLimit, Discovery, LinkFacts, Outcome, PageReport,
    RefuseReason, Task, TextSketch, UrlFree,
};
use crawler_weburl::{CrawlUrl, UrlRef};

const SEED: &str = "http://site.example/";

/// A worker that has admitted some links of a job.
struct Worker {
    rules: Arc<CrawlRules>,
    filter: AdmissionFilter,
}

impl Worker {
    fn new() -> Self {
        let spec = CrawlSpec {
            seed: SEED.to_owned(),
            max_depth: Some(DepthLimit::Unlimited),
            traps: Some(true),
            ..CrawlSpec::default()
        };
        let plan = CrawlPlan::resolve(&spec, "crawler/0", 7).unwrap();
        Self {
            rules: Arc::clone(plan.rules()),
            filter: AdmissionFilter::default(),
        }
    }

    /// Takes in a page; returns why its links are refused.
    fn fetch(
        &mut self,
        url: &str,
        (via, depth): (&str, u32),
        links: &[String],
    ) -> Vec<RefuseReason> {
        let task = Task {
            url: CrawlUrl::parse(url).unwrap(),
            reported_url: None,
            depth,
            hops: 0,
            via: (depth > 0).then(|| Arc::from(via)),
            found: Discovery::Link,
            attempt: 1,
            wants_text: true,
            ticket: 0,
        };
        let mut report = PageReport::new(task, Outcome::Fetched { html: true });
        report.text = Some(Box::new(same_text()));
        for link in links {
            let facts = LinkFacts {
                web: true,
                in_scope: true,
                ..LinkFacts::default()
            };
            let key = self.rules.keys.key(UrlRef::split(link).unwrap());
            report.links.push(link, link.len(), key, facts);
        }
        let mut source = self.filter.source(&self.rules, &report);
        let mut refused = Vec::new();
        for link in links {
            let url = UrlRef::split(link).unwrap();
            let (rules, source) = (&self.rules, Some(&mut source));
            let admitted = self
                .filter
                .admit(rules, url, depth + 1, Bounds::ALL, source);
            refused.extend(admitted.err());
        }
        self.filter.take_in(&self.rules, &report, source);
        refused
    }

    /// Fetches pages of `/maze/`, each of which links to eight new ones only; returns how many links were refused.
    fn walk_maze(&mut self, pages: std::ops::Range<u32>) -> usize {
        let page = |number: u32| format!("{SEED}maze/{number}");
        let mut refused = 0;
        for number in pages {
            let links: Vec<String> = (1..=8).map(|at| page(number * 8 + at)).collect();
            let via = page(number.saturating_sub(1) / 8);
            let reasons = self.fetch(&page(number), (&via, 3), &links);
            assert!(reasons.iter().all(|one| *one == RefuseReason::TrapPages));
            refused += reasons.len();
        }
        refused
    }

    /// Fetches a page that links to the maze and to many other pages.
    fn fetch_index(&mut self, url: &str, depth: u32) {
        let mut links: Vec<String> = (0..30).map(|at| format!("{SEED}page-{at}")).collect();
        links.push(format!("{SEED}maze/1"));
        assert_eq!(self.fetch(url, (SEED, depth), &links), []);
    }
}

/// The text of all pages: long enough to be judged.
fn same_text() -> TextSketch {
    let hash = UrlFree { all: 5, rest: 5 };
    TextSketch {
        words: 40,
        exact: hash,
        content: hash,
        phrases: (1..=30).collect(),
        distinct: 30,
    }
}

/// The address of a day; months have 28 days.
fn day(number: u32) -> String {
    format!(
        "{SEED}log/2024/{:02}/{:02}",
        1 + number / 28,
        1 + number % 28
    )
}

/// A log has entries at the beginning of a year and at its end. The days between them are empty, and each links to its neighbors.
#[test]
fn days_between_those_with_content_are_not_refused() {
    const LAST: u32 = 250;
    let mut worker = Worker::new();
    worker.fetch(SEED, ("", 0), &[day(0), day(LAST)]);
    for with_entry in [0, LAST] {
        let links = [day(with_entry + 1), format!("{SEED}entries/{with_entry}")];
        assert_eq!(worker.fetch(&day(with_entry), (SEED, 1), &links), []);
    }
    let mut outside = Vec::new();
    for number in 1..LAST {
        let via = (&*day(number - 1), 1 + number);
        let refused = worker.fetch(&day(number), via, &[day(number - 1), day(number + 1)]);
        assert_eq!(refused, [], "day {number} of {LAST}");
        // The last entry may be one day too early, but a calendar that is empty for so long is not followed further.
        let after = format!("{SEED}log/2025/03/{:02}", 1 + number % 28);
        if number > 50 {
            outside.extend(worker.fetch(&day(number), via, &[after]));
        }
    }
    assert!(!outside.is_empty());
    assert!(outside.iter().all(|one| *one == RefuseReason::TrapCalendar));
}

#[test]
fn a_maze_is_found_by_a_worker_that_knows_the_job_from_its_seed() {
    let mut worker = Worker::new();
    worker.fetch_index(SEED, 0);
    assert!(worker.walk_maze(1..40) > 100);
}

/// A worker that joins a job later does not know which links are new: all are new to it.
#[test]
fn areas_are_not_judged_by_a_worker_that_joined_later() {
    let mut worker = Worker::new();
    worker.fetch_index(&format!("{SEED}index"), 1);
    assert_eq!(worker.walk_maze(1..400), 0);
}

/// The same after something of what was admitted was not stored, so that everything known is forgotten.
#[test]
fn areas_are_not_judged_by_a_worker_that_forgot_what_it_knew() {
    let mut worker = Worker::new();
    worker.fetch_index(SEED, 0);
    assert_eq!(worker.walk_maze(1..3), 0);
    worker.filter.forget();
    assert_eq!(worker.walk_maze(3..400), 0);
}
