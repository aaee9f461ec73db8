//! Fair shares by the clock, from the request log of a host: 20 jobs of three owners, of the same and of different weights.
//!
//! The tests of the worker and of the store count turns, so that they hold on a busy machine. This one runs for minutes and is
//! run by `cargo xtask fairness`.

use std::collections::HashMap;
use std::fmt::Write as _;
use std::io::Write as _;
use std::time::{Duration, Instant};

use serde_json::json;
use testsite::{Request, Server, SiteResponse};

use crate::keyed_service::{Caller, KeyedService, StoreChoice};

/// Requests per second to the host.
const RATE: u32 = 40;
const SECONDS: u64 = 90;
/// Every window of this length is looked at.
const WINDOW: Duration = Duration::from_secs(30);
/// How much an owner may have more or less than its share in a window.
const MAX_DEVIATION: f64 = 0.10;
/// How long a small job may take, compared with its fair share of the host.
const MAX_RATIO: f64 = 1.20;
/// Pages of the small job.
const SMALL: u32 = 10;
/// Large jobs of each owner; with the small one of the second owner, there are 20 at any time.
const LARGE_JOBS: [u32; 3] = [13, 5, 1];
const SMALL_OWNER: usize = 1;

const CONFIG: &str = "
worker:
  pool_size: 8
  per_host_concurrency: 8
  per_host_rps: 40
egress:
  allow: [127.0.0.0/8]
";

#[test]
#[ignore = "run by cargo xtask fairness, for minutes"]
fn fairness_on_sqlite() {
    check(StoreChoice::Sqlite);
}

#[test]
#[ignore = "run by cargo xtask fairness, for minutes"]
fn fairness_of_two_workers_on_postgres() {
    check(StoreChoice::Postgres);
}

fn check(store: StoreChoice) {
    let seconds = std::env::var("FAIRNESS_SECONDS").map_or(SECONDS, |text| text.parse().unwrap());
    let duration = Duration::from_secs(seconds);
    assert!(
        duration > WINDOW + WINDOW / 2,
        "too short for several windows"
    );
    let missed: Vec<String> = [[1, 1, 1], [1, 2, 3]]
        .into_iter()
        .flat_map(|weights| Run::new(store, weights).of(duration).report())
        .collect();
    assert!(missed.is_empty(), "{}", missed.join("; "));
}

/// A service, a site, and the callers with their large jobs.
struct Run {
    store: StoreChoice,
    weights: [u32; 3],
    callers: Vec<Caller>,
    server: Server,
    _service: KeyedService,
}

/// What was requested of the host, and when.
struct Measured {
    store: StoreChoice,
    weights: [u32; 3],
    /// Time since the start, and index of the owner.
    requests: Vec<(Duration, usize)>,
    /// How long each small job took.
    small_jobs: Vec<Duration>,
}

impl Run {
    fn new(store: StoreChoice, weights: [u32; 3]) -> Self {
        let server = Server::start(|request: &Request| match request.path() {
            "/robots.txt" => SiteResponse::status(404),
            _ => SiteResponse::html("<p>words"),
        });
        let service = KeyedService::start(CONFIG, store);
        let callers = ["a", "b", "c"].into_iter().zip(weights);
        let callers = callers.map(|(name, weight)| {
            let quota = format!("weight={weight}");
            service.add_caller(name, &["--quota", &quota])
        });
        Self {
            store,
            weights,
            callers: callers.collect(),
            server,
            _service: service,
        }
    }

    /// Creates the large jobs, each of another size, and small ones one after the other for this long.
    fn of(self, duration: Duration) -> Measured {
        let seconds = u32::try_from(duration.as_secs()).unwrap() + 60;
        let weights: u32 = self.weights.iter().sum();
        for owner in [2, 1, 0] {
            // Half more than the owner can get, so that only jobs of the first one end, which differ much in size.
            let pages = seconds * RATE * self.weights[owner] / weights * 3 / 2;
            let least = if owner == 0 { 1 } else { 8 };
            let sizes = (0..LARGE_JOBS[owner]).map(|job| job + least);
            let sum: u32 = sizes.clone().sum();
            for size in sizes {
                self.create(owner, &format!("large{size}"), pages * size / sum + 1);
            }
        }
        let started = Instant::now();
        let mut small_jobs = Vec::new();
        while started.elapsed() < duration {
            let name = format!("small{}", small_jobs.len());
            let created = Instant::now();
            let id = self.create(SMALL_OWNER, &name, SMALL);
            self.callers[SMALL_OWNER].wait_for_status(&id, &["completed"]);
            small_jobs.push(created.elapsed());
        }
        let ended = Instant::now();
        let hits = self.server.hits().into_iter();
        let requests = hits.filter(|hit| hit.at >= started && hit.at <= ended);
        let owner_of = |path: &str| {
            ["/a/", "/b/", "/c/"]
                .iter()
                .position(|one| path.starts_with(one))
        };
        let mut requests: Vec<(Duration, usize)> = requests
            .filter_map(|hit| Some((hit.at - started, owner_of(&hit.path_and_query)?)))
            .collect();
        requests.sort();
        Measured {
            store: self.store,
            weights: self.weights,
            requests,
            small_jobs,
        }
    }

    fn create(&self, owner: usize, name: &str, pages: u32) -> String {
        let caller = &self.callers[owner];
        let page = |page| self.server.url(&format!("/{}/{name}/{page}", caller.name));
        let urls: Vec<String> = (0..pages).map(page).collect();
        caller.create("/v1/batch/scrape", &json!({ "urls": urls }))
    }
}

impl Measured {
    /// The part of the host that an owner is due.
    fn share(&self, owner: usize) -> f64 {
        f64::from(self.weights[owner]) / f64::from(self.weights.iter().sum::<u32>())
    }

    /// The lowest and the highest part of its share that each owner had in a window.
    fn extremes(&self) -> [(f64, f64); 3] {
        let mut extremes = [(f64::MAX, f64::MIN); 3];
        let mut counts: HashMap<usize, u32> = HashMap::new();
        let last = self.requests.last().expect("requests").0;
        let mut end = 0;
        for (first, (start, owner)) in self.requests.iter().enumerate() {
            if *start + WINDOW > last {
                break;
            }
            while self.requests[end].0 < *start + WINDOW {
                *counts.entry(self.requests[end].1).or_default() += 1;
                end += 1;
            }
            let total = (end - first) as f64;
            for (index, (lowest, highest)) in extremes.iter_mut().enumerate() {
                let count = counts.get(&index).copied().unwrap_or_default();
                let part = f64::from(count) / (total * self.share(index));
                (*lowest, *highest) = (lowest.min(part), highest.max(part));
            }
            *counts.entry(*owner).or_default() -= 1;
        }
        extremes
    }

    /// Prints what was measured and returns the bars that were missed.
    fn report(&self) -> Vec<String> {
        let setup = format!("{:?}, weights {:?}", self.store, self.weights);
        let total = self.requests.len() as f64;
        let rate = total / self.requests.last().expect("requests").0.as_secs_f64();
        let mut missed = Vec::new();
        let mut table = format!(
            "\n{setup}: {total} requests, {rate:.1}/s\nowner   share due   had   least and most of its share in {WINDOW:?}\n"
        );
        for (owner, (lowest, highest)) in self.extremes().into_iter().enumerate() {
            let name = ["a", "b", "c"][owner];
            let requests = self.requests.iter().filter(|one| one.1 == owner).count() as f64;
            writeln!(
                table,
                "{name:<8}{:>8.1}%{:>6.1}%{:>10.1}%{:>7.1}%",
                self.share(owner) * 100.0,
                requests / total * 100.0,
                lowest * 100.0,
                highest * 100.0
            )
            .unwrap();
            if lowest < 1.0 - MAX_DEVIATION || highest > 1.0 + MAX_DEVIATION {
                missed.push(format!(
                    "{setup}: {name} had {:.1}% to {:.1}% of its share",
                    lowest * 100.0,
                    highest * 100.0
                ));
            }
        }
        // Its turn comes once in a turn of all jobs of its owner, of which each comes once in a turn of all owners.
        let jobs = f64::from(LARGE_JOBS[SMALL_OWNER] + 1);
        let fair = f64::from(SMALL) * jobs / self.share(SMALL_OWNER) / rate;
        let longest = self.small_jobs.iter().max().expect("small jobs");
        let ratio = longest.as_secs_f64() / fair;
        writeln!(
            table,
            "{} jobs of {SMALL} pages, longest {longest:.2?}: {ratio:.2} of their fair time of {fair:.2} s",
            self.small_jobs.len()
        )
        .unwrap();
        if ratio > MAX_RATIO {
            missed.push(format!(
                "{setup}: a small job took {ratio:.2} of its fair time"
            ));
        }
        // Nothing can be done if stderr is closed.
        let _ = std::io::stderr().write_all(table.as_bytes());
        missed
    }
}
