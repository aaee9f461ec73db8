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
    /// Its limit of URLs: which ones it fetches is not known before.
    pub(crate) max_pages: Option<u64>,
    /// Number of requests if nothing goes wrong.
    pub(crate) requests: u64,
}

/// Problems found.
#[derive(Default)]
pub(crate) struct Findings {
    pub(crate) lost: u64,
    pub(crate) duplicated: u64,
    /// Pages that are said to have crashed their workers; none did.
    pub(crate) poisoned: u64,
    /// Writes to results that were final.
    pub(crate) stale_writes: u64,
    pub(crate) other: Vec<String>,
}

impl Findings {
    pub(crate) fn is_clean(&self) -> bool {
        self.lost + self.duplicated + self.poisoned + self.stale_writes == 0
            && self.other.is_empty()
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
    findings.poisoned += count_poisoned(&tasks);
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

fn count_poisoned(tasks: &[Value]) -> u64 {
    let is_poisoned = |task: &&Value| task["reason"] == "poisoned";
    tasks.iter().filter(is_poisoned).count() as u64
}

/// Checks a finished job that left out URLs: each URL that its pages link to is either a task or left out, once.
pub(crate) fn audit_limited(
    addr: &str,
    origin: &str,
    site: Site,
    job: &mut Accepted,
    findings: &mut Findings,
) {
    let job_path = format!("/v1/jobs/{}", job.id);
    let response = client::get_json(addr, &job_path).unwrap();
    let tasks = client::list(addr, &format!("{job_path}/tasks"), "tasks", 1000).unwrap();
    let documents = client::list(addr, &format!("{job_path}/documents"), "documents", 100).unwrap();
    findings.poisoned += count_poisoned(&tasks);
    let paths = |rows: &[Value]| -> Vec<String> {
        let urls = rows.iter().map(|row| path_of(&row["final_url"], origin));
        urls.collect()
    };
    let mut found = BTreeSet::from([Site::path(0)]);
    for path in paths(&documents) {
        let page = path.strip_prefix("/p/").unwrap_or("0");
        found.extend(site.links_of(page.parse().unwrap()));
    }
    let task_paths = paths(&tasks);
    let redirects = task_paths
        .iter()
        .filter_map(|path| path.strip_prefix("/r/"));
    found.extend(redirects.map(|page| format!("/p/{page}")));
    let admitted: BTreeSet<String> = task_paths.iter().cloned().collect();
    let left_out = found.difference(&admitted).count();
    if response["left_out"] != left_out || response["stop_reason"] != "max_pages" {
        let message = format!("{}: {left_out} URLs left out: {response}", job.id);
        findings.other.push(message);
    }
    if response["documents"] != documents.len() || response["tasks"]["total"] != tasks.len() {
        findings.other.push(format!("{}: {response}", job.id));
    }
    job.requests = tasks.len() as u64;
    findings.compare("task", task_paths, &admitted);
    let known = paths(&documents).into_iter().collect();
    findings.compare("document", paths(&documents), &known);
}

/// Checks that no other job was created: a request whose response was lost was repeated with its key.
pub(crate) fn audit_list(addr: &str, accepted: &[Accepted], findings: &mut Findings) {
    let list = client::get_json(addr, "/v1/jobs?limit=50").unwrap();
    let jobs = list["jobs"].as_array().unwrap();
    let ids = accepted.iter().map(|job| job.id.as_str());
    let ids: BTreeSet<&str> = ids.collect();
    // Newest first: those of this round, then those of earlier ones.
    for job in jobs.iter().take(ids.len()) {
        if !ids.contains(job["id"].as_str().unwrap_or_default()) {
            findings.duplicated += 1;
            findings.other.push(format!("created twice: {job}"));
        }
    }
}
