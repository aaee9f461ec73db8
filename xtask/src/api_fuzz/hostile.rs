//! Requests that are made to keep the service busy, in many variations: patterns, deep and long JSON, batches, headers.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, anyhow, bail};
use serde_json::{Value, json};

use super::request_probe::{ResponseTimes, post, send};
use crate::shell::print;

/// Parts of patterns that are expensive together.
const ATOMS: [&str; 16] = [
    "a",
    ".",
    r"\w",
    r"\pL",
    "[ab]",
    "[^/]",
    "(a|b)",
    "(a*)*",
    r"\b",
    "(?i:k)",
    "(?u:\\d)",
    "[\\x00-\\xff]",
    "(?s:.)",
    "é",
    "(?:)",
    "$",
];
const COUNTS: [&str; 8] = ["", "*", "+?", "{3}", "{30}", "{1000}", "{0,900}", "{2,}"];
const PATHS: [&str; 4] = ["/v1/crawl", "/v1/map", "/v1/batch/scrape", "/v1/scrape"];

/// A sequence of numbers that looks random and is the same in each run (splitmix64).
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut bits = self.0;
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        usize::try_from((bits ^ (bits >> 31)) % end.max(1) as u64).unwrap_or_default()
    }

    fn one_of<'a>(&mut self, choices: &[&'a str]) -> &'a str {
        choices[self.below(choices.len())]
    }
}

/// Number of threads that send at once.
const THREADS: usize = 16;

/// The responses to hostile requests.
#[derive(Default)]
struct Responses {
    /// How often each status was seen.
    statuses: BTreeMap<u16, usize>,
    times: Vec<Duration>,
}

/// Sends this many requests, from several threads at once; each must have a response, and none with a status of 500 or more.
pub(super) fn attack(addr: &str, key: &str, cases: usize) -> Result<()> {
    let next = AtomicUsize::new(0);
    let threads = std::thread::scope(|scope| {
        let started: Vec<_> = (0..THREADS)
            .map(|_| scope.spawn(|| send_cases(addr, key, &next, cases)))
            .collect();
        started
            .into_iter()
            .map(|thread| thread.join().map_err(|_| anyhow!("a thread panicked"))?)
            .collect::<Result<Vec<Responses>>>()
    })?;
    let mut all = Responses::default();
    for responses in threads {
        all.times.extend(responses.times);
        for (status, count) in responses.statuses {
            *all.statuses.entry(status).or_default() += count;
        }
    }
    let statuses: Vec<String> = all
        .statuses
        .iter()
        .map(|(status, count)| format!("{status}: {count}"))
        .collect();
    let times = ResponseTimes::of(all.times).context("no cases")?;
    print(&format!(
        "hostile requests from {THREADS} threads: {times}; statuses {}",
        statuses.join(", ")
    ));
    Ok(())
}

/// Sends cases until there are no more, or one has failed.
fn send_cases(addr: &str, key: &str, next: &AtomicUsize, cases: usize) -> Result<Responses> {
    let mut responses = Responses::default();
    loop {
        let case = next.fetch_add(1, Ordering::SeqCst);
        if case >= cases {
            return Ok(responses);
        }
        let sent = send_case(addr, key, case, &mut responses);
        if sent.is_err() {
            // The other threads need not send the rest.
            next.store(cases, Ordering::SeqCst);
        }
        sent.with_context(|| format!("case {case}"))?;
    }
}

/// Sends the case with this number, which is the same in every run.
fn send_case(addr: &str, key: &str, case: usize, responses: &mut Responses) -> Result<()> {
    let mut numbers = Numbers(case as u64);
    let path = numbers.one_of(&PATHS);
    let body = body(&mut numbers, case, path);
    let header = header(&mut numbers);
    let request = post(path, key, &header, &body);
    let started = Instant::now();
    let response = send(addr, &request)?;
    responses.times.push(started.elapsed());
    let status = response
        .split(' ')
        .nth(1)
        .and_then(|code| code.parse::<u16>().ok());
    // 502 and 504 are failures of a target.
    let is_fine = |status: u16| status < 500 || path == "/v1/scrape" && matches!(status, 502 | 504);
    let Some(status) = status.filter(|status| is_fine(*status)) else {
        let start: String = String::from_utf8_lossy(&body).chars().take(500).collect();
        let response: String = response.chars().take(2_000).collect();
        bail!("POST {path} {header:?} {start}\n{response}");
    };
    *responses.statuses.entry(status).or_default() += 1;
    Ok(())
}

fn pattern(numbers: &mut Numbers) -> String {
    let mut pattern = String::new();
    for _ in 0..=numbers.below(40) {
        pattern.push_str(numbers.one_of(&ATOMS));
        pattern.push_str(numbers.one_of(&COUNTS));
    }
    match numbers.below(4) {
        0 => format!("({pattern}){{{}}}", numbers.below(1_100)),
        1 => pattern.replace('a', "(b|c)"),
        _ => pattern,
    }
}

fn url(numbers: &mut Numbers) -> String {
    let host = format!("h{}.invalid", numbers.below(100_000));
    match numbers.below(8) {
        0 => format!(
            "http://{host}/{}",
            "é%ff\u{202e}".repeat(numbers.below(3_000))
        ),
        1 => format!("http://{}{host}/", "a.".repeat(numbers.below(2_000))),
        2 => format!("http://{host}:{}/", numbers.below(100_000)),
        3 => format!("http://user:{}@{host}/", "p".repeat(numbers.below(3_000))),
        4 => format!("http://[{}]/", "0:".repeat(numbers.below(20))),
        5 => format!("http://{}/", numbers.below(usize::MAX)),
        6 => "\u{0}\u{fffd}http:".to_owned(),
        _ => format!("https://{host}/{}", "a/".repeat(numbers.below(1_000))),
    }
}

fn body(numbers: &mut Numbers, case: usize, path: &str) -> Vec<u8> {
    // Large bodies are slow to send, so they are few.
    let size = if case.is_multiple_of(200) { 95_000 } else { 50 };
    let text = match numbers.below(10) {
        0 => "[".repeat(numbers.below(size * 10)),
        1 => format!(r#"{{"url":{}1{}}}"#, "[".repeat(200), "]".repeat(200)),
        2 => format!(
            r#"{{"url":"http://a.invalid/","max_pages":{}}}"#,
            "9".repeat(numbers.below(400))
        ),
        3 => format!(
            r#"{{"url":"http://a.invalid/","max_depth":1e{}}}"#,
            numbers.below(1_000)
        ),
        4 => r#"{"url":"\ud800","urls":["\udfff\u0000"]}"#.to_owned(),
        5 => format!(r#"{{"{}":null}}"#, "k".repeat(numbers.below(size * 10))),
        _ => return request(numbers, path, size),
    };
    text.into_bytes()
}

/// A body of the right shape with hostile values.
fn request(numbers: &mut Numbers, path: &str, size: usize) -> Vec<u8> {
    let body: Value = match path {
        "/v1/batch/scrape" => {
            let count = numbers.below(size);
            json!({"urls": (0..count).map(|_| url(numbers)).collect::<Vec<_>>()})
        }
        "/v1/scrape" => json!({"url": url(numbers)}),
        _ => {
            let list = |numbers: &mut Numbers| -> Vec<String> {
                let count = numbers.below(110);
                (0..count).map(|_| pattern(numbers)).collect()
            };
            json!({"url": url(numbers), "include": list(numbers), "exclude": list(numbers)})
        }
    };
    body.to_string().into_bytes()
}

fn header(numbers: &mut Numbers) -> String {
    let mut header = String::new();
    let value = "v".repeat(numbers.below(2_000));
    let _ = match numbers.below(6) {
        0 => write!(header, "idempotency-key: {value}\r\n"),
        1 => write!(header, "x-request-id: {value}\r\n"),
        2 => write!(header, "x-{}: 1\r\n", numbers.below(1_000)),
        _ => Ok(()),
    };
    header
}
