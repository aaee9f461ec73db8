//! Checks a finished job through the API: its counts, tasks, documents and links, compared with the site.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use crate::client;
use crate::site::Site;

/// A job that was accepted, and its expected results.
pub(crate) struct Accepted {
    pub(crate) id: String,
    /// Paths that have exactly one document each.
    pub(crate) documents: BTreeSet<String>,
    /// Links of a map, source and target.
    pub(crate) map: BTreeSet<(String, String)>,
    /// Tasks that end as failed.
    pub(crate) failed: u64,
    /// Number of requests if nothing goes wrong.
    pub(crate) requests: u64,
}

/// Problems found.
#[derive(Default)]
pub(crate) struct Findings {
    pub(crate) lost: u64,
    pub(crate) duplicated: u64,
    pub(crate) other: Vec<String>,
}

impl Findings {
    pub(crate) fn is_clean(&self) -> bool {
        self.lost == 0 && self.duplicated == 0 && self.other.is_empty()
    }

    /// Compares the found entries with the expected ones.
    fn compare<T: Ord + std::fmt::Debug>(
        &mut self,
        what: &str,
        found: Vec<T>,
        expected: &BTreeSet<T>,
    ) {
        let mut counts: BTreeMap<T, u64> = BTreeMap::new();
        for one in found {
            *counts.entry(one).or_default() += 1;
        }
        for (one, count) in &counts {
            if *count > 1 {
                self.duplicated += count - 1;
                self.other.push(format!("{what} {one:?}: {count} times"));
            }
            if !expected.contains(one) {
                self.other.push(format!("{what} {one:?}: not expected"));
            }
        }
        for one in expected.iter().filter(|one| !counts.contains_key(one)) {
            self.lost += 1;
            self.other.push(format!("{what} {one:?}: lost"));
        }
    }
}

fn path_of(url: &Value, origin: &str) -> String {
    let url = url.as_str().unwrap_or_default();
    url.strip_prefix(origin).unwrap_or(url).to_owned()
}

pub(crate) fn is_final(job: &Value) -> bool {
    !matches!(job["status"].as_str(), Some("queued" | "running") | None)
}

/// Checks a finished job.
pub(crate) fn audit(addr: &str, origin: &str, job: &Accepted, findings: &mut Findings) {
    let job_path = format!("/v1/jobs/{}", job.id);
    let response = client::get_json(addr, &job_path).unwrap();
    let tasks = client::list(addr, &format!("{job_path}/tasks"), "tasks", 1000).unwrap();
    let documents = client::list(addr, &format!("{job_path}/documents"), "documents", 100).unwrap();
    let map = client::list(addr, &format!("{job_path}/map"), "urls", 1000).unwrap();
    let mut wrong = |message: String| findings.other.push(format!("{}: {message}", job.id));
    let counts = &response["tasks"];
    let count = |name: &str| counts[name].as_u64().unwrap();
    if !is_final(&response) || count("queued") + count("processing") > 0 {
        wrong(format!("not finished: {response}"));
    }
    if count("done") + count("failed") + count("skipped") != count("total") {
        wrong(format!("counts: {counts}"));
    }
    if tasks.len() as u64 != count("total") || count("failed") != job.failed {
        let failed = tasks.iter().filter(|task| task["status"] == "failed");
        let failed: Vec<_> = failed.map(|task| (&task["url"], &task["error"])).collect();
        wrong(format!(
            "{} tasks, {counts}, failed: {failed:?}",
            tasks.len()
        ));
    }
    if response["documents"] != documents.len() || response["mapped_urls"] != map.len() {
        wrong(format!(
            "{} documents, {} links: {response}",
            documents.len(),
            map.len()
        ));
    }
    for document in &documents {
        let path = path_of(&document["final_url"], origin);
        let page = path.strip_prefix("/p/").and_then(|page| page.parse().ok());
        let page = if path == "/" { Some(0) } else { page };
        if page.is_some_and(|page| document["title"] != Site::title(page)) {
            wrong(format!("{path} is another page: {}", document["title"]));
        }
    }
    let finals = tasks.iter().map(|task| path_of(&task["final_url"], origin));
    let finals: Vec<String> = finals.collect();
    let known = finals.iter().cloned().collect();
    findings.compare("task", finals, &known);
    let documents = documents
        .iter()
        .map(|document| path_of(&document["final_url"], origin));
    findings.compare("document", documents.collect(), &job.documents);
    let links = map.iter().map(|link| {
        let [source, target] = ["source_url", "target_url"].map(|end| path_of(&link[end], origin));
        (source, target)
    });
    findings.compare("link", links.collect(), &job.map);
}
