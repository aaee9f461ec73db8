//! Rounds of faults under load, the same for both stores; each store has its own faults.

use std::collections::BTreeSet;
use std::io::Write;
use std::sync::atomic::{AtomicU64, Ordering::SeqCst};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use testsite::Server;

use crate::audit::{Accepted, Findings, audit, audit_limited, audit_list, is_final};
use crate::client;
use crate::harness::random::Random;
use crate::harness::wait::wait_until;
use crate::site::Site;

/// Maximum number of tasks leased to one worker: those in flight, and as many waiting.
pub(crate) const MAX_LEASED_TASKS: u64 = 16;
/// Short leases.
pub(crate) const CONFIG: &str = "
worker:
  pool_size: 8
  per_host_concurrency: 8
  per_host_rps: 0
  lease: 2s
  heartbeat: 500ms
store:
  connections: 5
egress:
  allow: [127.0.0.0/8]
";
/// Limit of a job that leaves out most of the site.
const MAX_PAGES: u64 = 60;
/// Time limit for the jobs of a round after the last fault.
const JOB_TIMEOUT: Duration = Duration::from_mins(2);
const SITE: Site = Site {
    pages: 240,
    latency: Duration::from_millis(40),
};

/// A running service that faults are injected into.
pub(crate) trait SystemUnderTest {
    /// The faults of a round, in any order.
    fn faults(&self) -> Vec<Fault>;
    /// Injects a fault and returns the number of requests that may be repeated because of it.
    fn inject(&mut self, fault: Fault, random: &mut Random) -> u64;
    /// Current address of the API.
    fn addr(&self) -> String;
    /// Whether injecting a fault creates jobs.
    fn creates_jobs(&self) -> bool {
        false
    }
    /// Writes so far to results that were final, if the system counts them.
    fn stale_writes(&self) -> Option<u64> {
        None
    }
    /// Logs of its processes, for the report of a failure.
    fn logs(&self) -> String;
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum Fault {
    /// Kills a worker (or the only process) with SIGKILL and starts another.
    Worker,
    /// Suspends a worker for longer than its leases.
    Suspend,
    /// Drops the replies to some commits.
    LoseCommits,
    /// Kills the API with SIGKILL and starts another.
    Api,
    /// Stops the database server immediately and starts it again.
    Restart,
    /// Terminates all connections to the database.
    Cut,
    /// Fills the disk of the database, and frees it after a while.
    FullDisk,
}

fn number(name: &str) -> Option<u64> {
    let text = std::env::var(name).ok()?;
    Some(text.parse().unwrap_or_else(|_| panic!("{name}: {text:?}")))
}

/// Number of rounds to run: `CHAOS_ROUNDS`, or the default.
pub(crate) fn rounds_or(default: u64) -> u64 {
    number("CHAOS_ROUNDS").unwrap_or(default)
}

pub(crate) fn print_line(line: &str) {
    // Nothing can be done if stderr is closed.
    let _ = writeln!(std::io::stderr(), "{line}");
}

/// Runs `CHAOS_ROUNDS` rounds, or the default number, from `CHAOS_SEED` or a random seed.
pub(crate) fn run(name: &str, rounds: u64, system: &mut impl SystemUnderTest) {
    let rounds = rounds_or(rounds);
    let clock = || std::time::UNIX_EPOCH.elapsed().unwrap().as_secs() % 1_000_000;
    let seed = number("CHAOS_SEED").unwrap_or_else(clock);
    let started = Instant::now();
    let (mut lost, mut duplicated, mut poisoned, mut wrong) = (0, 0, 0, 0);
    for round in 1..=rounds {
        let findings = run_round(name, round, Random(seed + round), system);
        lost += findings.lost;
        duplicated += findings.duplicated;
        poisoned += findings.poisoned;
        if !findings.is_clean() {
            wrong += 1;
            findings.other.iter().for_each(|line| print_line(line));
            let file =
                std::env::temp_dir().join(format!("crawler-chaos-{name}-{seed}-{round}.log"));
            std::fs::write(&file, system.logs()).unwrap();
            print_line(&format!("logs of the processes: {}", file.display()));
        }
    }
    let took = started.elapsed().as_secs();
    let stale = system.stale_writes();
    let stale_text = stale.map_or("not counted".to_owned(), |count| count.to_string());
    print_line(&format!(
        "{name}: {rounds} rounds, lost {lost}, doubled {duplicated}, stale writes {stale_text}, innocent pages poisoned \
         {poisoned}, rounds with findings {wrong} ({took} s, seed {seed})"
    ));
    assert_eq!(stale.unwrap_or(0), 0, "writes to final results");
    assert_eq!(
        wrong, 0,
        "repeat with: cargo xtask chaos --rounds {rounds} --seed {seed}"
    );
}

fn run_round(
    name: &str,
    round: u64,
    mut random: Random,
    system: &mut impl SystemUnderTest,
) -> Findings {
    let started = Instant::now();
    let server = SITE.serve();
    let mut jobs = vec![
        submit(system, &server, "crawl"),
        submit(system, &server, "map"),
        submit(system, &server, "limited"),
    ];
    let mut faults = system.faults();
    shuffle(&mut faults, &mut random);
    let mut allowed_repeats = 0;
    for (index, fault) in faults.iter().enumerate() {
        // Under load, and at a random moment.
        let target = server.total() + 15 + random.below(46);
        let waited = Instant::now();
        wait_until(
            "some pages are requested, or none is left",
            JOB_TIMEOUT,
            || server.total() >= target || waited.elapsed() > Duration::from_secs(3),
        );
        allowed_repeats += system.inject(*fault, &mut random);
        if index % 3 == 1 {
            jobs.push(submit(system, &server, "batch"));
        }
    }
    let mut findings = Findings::default();
    for job in &jobs {
        if !finished(system, job) {
            findings.lost += 1;
            findings.other.push(format!("{} has not finished", job.id));
            return findings;
        }
    }
    for job in &mut jobs {
        if job.max_pages.is_some() {
            audit_limited(&system.addr(), &server.origin(), SITE, job, &mut findings);
        } else {
            audit(&system.addr(), &server.origin(), job, &mut findings);
        }
    }
    if !system.creates_jobs() {
        audit_list(&system.addr(), &jobs, &mut findings);
    }
    let mut counts = server.hits();
    counts.retain(|hit| hit.path_and_query != "/robots.txt");
    let expected_requests: u64 = jobs.iter().map(|job| job.requests).sum();
    let repeated = (counts.len() as u64).saturating_sub(expected_requests);
    if repeated > allowed_repeats {
        let message =
            format!("{repeated} pages fetched again, but only {allowed_repeats} could be");
        findings.other.push(message);
    }
    print_line(&format!(
        "{name} round {round}: {} faults, {} jobs, {expected_requests} pages, {repeated} fetched again; lost {}, doubled {}, poisoned {} ({:.1} s)",
        faults.len(),
        jobs.len(),
        findings.lost,
        findings.duplicated,
        findings.poisoned,
        started.elapsed().as_secs_f64()
    ));
    findings
}

fn expected_job(server: &Server, kind: &str) -> (&'static str, Value, Accepted) {
    let pages = SITE.all_pages();
    let mut job = Accepted {
        id: String::new(),
        documents: BTreeSet::new(),
        map: BTreeSet::new(),
        failed: 0,
        max_pages: None,
        requests: 0,
    };
    if kind == "limited" {
        let body = json!({ "url": server.url("/"), "max_depth": 20, "max_pages": MAX_PAGES });
        job.max_pages = Some(MAX_PAGES);
        return ("/v1/crawl", body, job);
    }
    if kind == "batch" {
        // Pages, redirects to pages, and dead links, which are documents too in a batch.
        let detours: Vec<String> = SITE.detours().into_iter().step_by(3).collect();
        let straight: Vec<String> = (1..SITE.pages)
            .step_by(4)
            .filter(|page| !Site::is_moved(*page))
            .map(Site::path)
            .collect();
        let paths: Vec<&String> = straight.iter().chain(&detours).collect();
        let urls: Vec<String> = paths.iter().map(|path| server.url(path)).collect();
        job.requests = paths.len() as u64;
        job.documents.extend(straight);
        for detour in detours {
            if let Some(page) = detour.strip_prefix("/r/") {
                job.documents.insert(format!("/p/{page}"));
                job.requests += 1;
            } else {
                job.documents.insert(detour);
            }
        }
        return ("/v1/batch/scrape", json!({ "urls": urls }), job);
    }
    let detours = SITE.detours();
    let dead = detours.iter().filter(|path| path.starts_with("/gone/"));
    job.failed = dead.count() as u64;
    job.requests = (pages.len() + detours.len()) as u64;
    let body = json!({ "url": server.url("/"), "max_depth": 20 });
    if kind == "map" {
        for page in 0..SITE.pages {
            let links = SITE.links_of(page).into_iter();
            job.map.extend(links.map(|link| (Site::path(page), link)));
        }
        return ("/v1/map", body, job);
    }
    job.documents = pages;
    ("/v1/crawl", body, job)
}

/// Number of jobs submitted.
static SUBMITTED: AtomicU64 = AtomicU64::new(0);

/// Sends the request, each time with the same key, until the job is accepted; from then on the job must not be lost.
fn submit(system: &impl SystemUnderTest, server: &Server, kind: &str) -> Accepted {
    let (path, body, mut job) = expected_job(server, kind);
    let key = format!("{kind}-{}", SUBMITTED.fetch_add(1, SeqCst));
    wait_until("a job is accepted", JOB_TIMEOUT, || {
        let Ok((202, response)) = client::post_with_key(&system.addr(), path, &key, &body) else {
            return false;
        };
        let response: Value = serde_json::from_str(&response).unwrap();
        response["id"].as_str().unwrap().clone_into(&mut job.id);
        true
    });
    job
}

fn finished(system: &impl SystemUnderTest, job: &Accepted) -> bool {
    let started = Instant::now();
    while started.elapsed() < JOB_TIMEOUT {
        let response = client::get(&system.addr(), &format!("/v1/jobs/{}", job.id));
        match response {
            Ok((404, body)) => panic!("{} was accepted and is lost: {body}", job.id),
            Ok((200, body)) if is_final(&serde_json::from_str(&body).unwrap()) => return true,
            _ => std::thread::sleep(Duration::from_millis(50)),
        }
    }
    false
}

fn shuffle<T>(items: &mut [T], random: &mut Random) {
    for last in (1..items.len()).rev() {
        let other = usize::try_from(random.below(last as u64 + 1)).unwrap();
        items.swap(last, other);
    }
}
