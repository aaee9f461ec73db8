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
use crate::write_audit::WriteAudit;

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
/// A job with a limit fetches one in this many pages.
const LEFT_OUT: u32 = 4;
/// Time limit for a job to be accepted, and, after the last fault, for the next of its tasks to end.
const JOB_TIMEOUT: Duration = Duration::from_mins(2);
/// Longest time from a worker's last sign of life until its tasks are returned to the queue. The promise is for default settings;
/// leases are shorter here.
const LONGEST_TAKEOVER: Duration = Duration::from_secs(45);

/// A running service that faults are injected into.
pub(crate) trait SystemUnderTest {
    /// The faults of a round, in any order.
    fn faults(&self) -> Vec<Fault>;
    /// Injects a fault and returns the number of requests that may be repeated because of it.
    fn inject(&mut self, fault: Fault, random: &mut Random) -> u64;
    /// Current address of the API.
    fn addr(&self) -> String;
    /// The site that its jobs fetch.
    fn site(&self) -> Site {
        Site {
            pages: 240,
            latency: Duration::from_millis(40),
            is_scripted: false,
        }
    }
    /// Whether injecting a fault creates jobs.
    fn creates_jobs(&self) -> bool {
        false
    }
    /// The triggers in its database.
    fn write_audit(&self) -> &WriteAudit;
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
    /// Kills the database server's first process with SIGKILL and starts the server again.
    KillServer,
    /// Kills another process of the database server with SIGKILL.
    KillBackend,
    /// Terminates all connections to the database.
    Cut,
    /// Fills the disk of the database, and frees it after a while.
    FullDisk,
    /// Kills the render process with SIGKILL and starts another.
    RenderProcess,
    /// Kills the browser with SIGKILL.
    Browser,
    /// Kills one of the browser's other processes with SIGKILL, such as one that renders pages.
    BrowserChild,
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

/// Sums of the rounds so far. Printed at the end, also if a check fails in the middle; `cargo xtask chaos` reads the line.
struct Totals<'a> {
    name: &'a str,
    seed: u64,
    started: Instant,
    rounds: u64,
    faults: u64,
    pages: u64,
    lost: u64,
    duplicated: u64,
    poisoned: u64,
    stale_writes: u64,
    /// Rounds with a finding of any kind.
    wrong: u64,
    slowest_takeover: Duration,
}

impl Drop for Totals<'_> {
    fn drop(&mut self) {
        print_line(&format!(
            "{}: rounds {}, faults {}, pages {}, lost {}, doubled {}, stale writes {}, poisoned {}, rounds with findings {}, \
             slowest takeover {} ms (seed {}, {} s)",
            self.name,
            self.rounds,
            self.faults,
            self.pages,
            self.lost,
            self.duplicated,
            self.stale_writes,
            self.poisoned,
            self.wrong,
            self.slowest_takeover.as_millis(),
            self.seed,
            self.started.elapsed().as_secs()
        ));
    }
}

/// Runs `CHAOS_ROUNDS` rounds, or the default number, from `CHAOS_SEED` or a random seed.
pub(crate) fn run(name: &str, rounds: u64, system: &mut impl SystemUnderTest) {
    let rounds = rounds_or(rounds);
    let clock = || std::time::UNIX_EPOCH.elapsed().unwrap().as_secs() % 1_000_000;
    let seed = number("CHAOS_SEED").unwrap_or_else(clock);
    let mut totals = Totals {
        name,
        seed,
        started: Instant::now(),
        rounds: 0,
        faults: 0,
        pages: 0,
        lost: 0,
        duplicated: 0,
        poisoned: 0,
        stale_writes: 0,
        wrong: 0,
        slowest_takeover: Duration::ZERO,
    };
    for round in 1..=rounds {
        let findings = run_round(&mut totals, Random(seed + round), system);
        if !findings.is_clean() {
            totals.wrong += 1;
            findings.other.iter().for_each(|line| print_line(line));
            let file =
                std::env::temp_dir().join(format!("crawler-chaos-{name}-{seed}-{round}.log"));
            std::fs::write(&file, system.logs()).unwrap();
            print_line(&format!("logs of the processes: {}", file.display()));
        }
    }
    let Totals {
        wrong,
        slowest_takeover,
        ..
    } = totals;
    assert_eq!(
        wrong, 0,
        "repeat with: cargo xtask chaos --rounds {rounds} --seed {seed}"
    );
    assert!(slowest_takeover <= LONGEST_TAKEOVER, "{slowest_takeover:?}");
}

fn run_round(
    totals: &mut Totals<'_>,
    mut random: Random,
    system: &mut impl SystemUnderTest,
) -> Findings {
    let started = Instant::now();
    let site = system.site();
    let server = site.serve();
    let mut jobs: Vec<Accepted> = ["crawl", "map", "limited"]
        .map(|kind| submit(system, &server, kind))
        .into();
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
        totals.faults += 1;
        if index % 3 == 1 {
            jobs.push(submit(system, &server, "batch"));
        }
    }
    let mut findings = check_round(system, &server, &mut jobs);
    let expected_requests: u64 = jobs.iter().map(|job| job.requests).sum();
    let repeated = count_pages(&server).saturating_sub(expected_requests);
    if repeated > allowed_repeats {
        let message =
            format!("{repeated} pages fetched again, but only {allowed_repeats} could be");
        findings.other.push(message);
    }
    let stale_writes = system.write_audit().stale_writes();
    findings.stale_writes = stale_writes - totals.stale_writes;
    totals.rounds += 1;
    totals.pages += expected_requests;
    totals.lost += findings.lost;
    totals.duplicated += findings.duplicated;
    totals.poisoned += findings.poisoned;
    totals.stale_writes = stale_writes;
    totals.slowest_takeover = system.write_audit().slowest_takeover();
    print_line(&format!(
        "{} round {}: {} faults, {} jobs, {expected_requests} pages, {repeated} fetched again; lost {}, doubled {}, \
         stale writes {}, poisoned {} ({:.1} s)",
        totals.name,
        totals.rounds,
        faults.len(),
        jobs.len(),
        findings.lost,
        findings.duplicated,
        findings.stale_writes,
        findings.poisoned,
        started.elapsed().as_secs_f64()
    ));
    findings
}

/// Waits for the jobs of a round and compares their results with the site.
fn check_round(system: &impl SystemUnderTest, server: &Server, jobs: &mut [Accepted]) -> Findings {
    let mut findings = Findings::default();
    for job in &*jobs {
        if !finished(system, job) {
            findings.lost += 1;
            let response = client::get(&system.addr(), &format!("/v1/jobs/{}", job.id));
            let message = format!("{} has not finished: {response:?}", job.id);
            findings.other.push(message);
            return findings;
        }
    }
    let (addr, origin) = (system.addr(), server.origin());
    for job in &mut *jobs {
        if job.max_pages.is_some() {
            audit_limited(&addr, &origin, system.site(), job, &mut findings);
        } else {
            audit(&addr, &origin, job, &mut findings);
        }
    }
    if !system.creates_jobs() {
        audit_list(&addr, jobs, &mut findings);
    }
    findings
}

/// Number of requests for pages.
fn count_pages(server: &Server) -> u64 {
    let mut requests = server.hits();
    requests.retain(|request| request.path_and_query != "/robots.txt");
    requests.len() as u64
}

/// The request that creates a job of this kind, and what must come of it.
fn expected_job(site: Site, server: &Server, kind: &str) -> (&'static str, Value, Accepted) {
    let mut job = Accepted {
        id: String::new(),
        documents: BTreeSet::new(),
        map: BTreeSet::new(),
        failed: 0,
        max_pages: None,
        requests: 0,
    };
    let mut body = json!({ "url": server.url("/"), "max_depth": 20, "use_js": site.is_scripted });
    if kind == "limited" {
        let max_pages = u64::from(site.pages / LEFT_OUT);
        body["max_pages"] = max_pages.into();
        job.max_pages = Some(max_pages);
        return ("/v1/crawl", body, job);
    }
    if kind == "batch" {
        // Pages, redirects to pages, and dead links, which are documents too in a batch.
        let detours: Vec<String> = site.detours().into_iter().step_by(3).collect();
        let straight: Vec<String> = (1..site.pages)
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
        let body = json!({ "urls": urls, "use_js": site.is_scripted });
        return ("/v1/batch/scrape", body, job);
    }
    let (pages, detours) = (site.all_pages(), site.detours());
    let dead = detours.iter().filter(|path| path.starts_with("/gone/"));
    job.failed = dead.count() as u64;
    job.requests = (pages.len() + detours.len()) as u64;
    if kind == "map" {
        for page in 0..site.pages {
            let links = site.links_of(page).into_iter();
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
    let (path, body, mut job) = expected_job(system.site(), server, kind);
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

/// Waits for a job as long as its tasks end, one after another.
fn finished(system: &impl SystemUnderTest, job: &Accepted) -> bool {
    let (mut ended, mut since) = (0, Instant::now());
    while since.elapsed() < JOB_TIMEOUT {
        let response = client::get(&system.addr(), &format!("/v1/jobs/{}", job.id));
        match response {
            Ok((404, body)) => panic!("{} was accepted and is lost: {body}", job.id),
            Ok((200, body)) => {
                let found: Value = serde_json::from_str(&body).unwrap();
                if is_final(&found) {
                    return true;
                }
                let counts = ["done", "failed", "skipped"];
                let now = counts.map(|name| found["tasks"][name].as_u64().unwrap());
                if now.iter().sum::<u64>() != ended {
                    (ended, since) = (now.iter().sum(), Instant::now());
                }
            }
            _ => (),
        }
        std::thread::sleep(Duration::from_millis(50));
    }
    false
}

fn shuffle<T>(items: &mut [T], random: &mut Random) {
    for last in (1..items.len()).rev() {
        let other = usize::try_from(random.below(last as u64 + 1)).unwrap();
        items.swap(last, other);
    }
}
