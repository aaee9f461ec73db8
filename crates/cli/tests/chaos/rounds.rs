//! Rounds of faults under load, the same for both stores; what is to hurt is each store's own.

use std::collections::BTreeSet;
use std::io::Write;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use testsite::Server;

use crate::audit::{Accepted, Findings, audit, is_final};
use crate::client;
use crate::harness::random::Random;
use crate::harness::wait::wait_until;
use crate::site::Site;

/// Tasks that one worker holds at most: those at work, and as many that wait.
pub(crate) const MOST_HELD: u64 = 16;
/// Leases run out soon, and a task is not to blame for a worker that is killed here.
pub(crate) const CONFIG: &str = "
worker:
  pool_size: 8
  per_host_concurrency: 8
  per_host_rps: 0
  lease: 2s
  heartbeat: 500ms
  max_crashes: 1000
store:
  connections: 5
egress:
  allow: [127.0.0.0/8]
";
/// How long a round's jobs may take once nothing is hurt any more.
const ENDING: Duration = Duration::from_mins(2);
const SITE: Site = Site {
    pages: 240,
    latency: Duration::from_millis(40),
};

/// What can be hurt.
pub(crate) trait Patient {
    /// The faults of a round, in no order.
    fn faults(&self) -> Vec<Fault>;
    /// Hurts it; requests that may now be repeated.
    fn hurt(&mut self, fault: Fault, random: &mut Random) -> u64;
    /// Where the API listens now.
    fn addr(&self) -> String;
    /// Its processes' logs, for a failure.
    fn logs(&self) -> String;
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum Fault {
    /// kill -9 of a worker (or of the one process), and another in its place.
    Worker,
    /// kill -9 of the API, and another in its place.
    Api,
    /// The database server stopped at once, and started.
    Restart,
    /// Every connection to the database broken.
    Cut,
}

fn number(name: &str) -> Option<u64> {
    let text = std::env::var(name).ok()?;
    Some(text.parse().unwrap_or_else(|_| panic!("{name}: {text:?}")))
}

fn tell(line: &str) {
    // Nobody to tell when stderr is gone.
    let _ = writeln!(std::io::stderr(), "{line}");
}

/// Runs `CHAOS_ROUNDS` rounds, or the default number, from `CHAOS_SEED` or a random seed.
pub(crate) fn run(name: &str, rounds: u64, patient: &mut impl Patient) {
    let rounds = number("CHAOS_ROUNDS").unwrap_or(rounds);
    let clock = || std::time::UNIX_EPOCH.elapsed().unwrap().as_secs() % 1_000_000;
    let seed = number("CHAOS_SEED").unwrap_or_else(clock);
    let begun = Instant::now();
    let (mut lost, mut doubled, mut wrong) = (0, 0, 0);
    for round in 1..=rounds {
        let findings = play(name, round, Random(seed + round), patient);
        lost += findings.lost;
        doubled += findings.doubled;
        if !findings.is_clean() {
            wrong += 1;
            findings.other.iter().for_each(|line| tell(line));
            let file =
                std::env::temp_dir().join(format!("crawler-chaos-{name}-{seed}-{round}.log"));
            std::fs::write(&file, patient.logs()).unwrap();
            tell(&format!("the processes' logs: {}", file.display()));
        }
    }
    let took = begun.elapsed().as_secs();
    tell(&format!(
        "{name}: {rounds} rounds, lost {lost}, doubled {doubled}, rounds with findings {wrong} ({took} s, seed {seed})"
    ));
    assert_eq!(
        wrong, 0,
        "again with: cargo xtask chaos --rounds {rounds} --seed {seed}"
    );
}

fn play(name: &str, round: u64, mut random: Random, patient: &mut impl Patient) -> Findings {
    let begun = Instant::now();
    let server = Server::start(move |request: &testsite::Request| SITE.answer(request));
    let mut jobs = vec![
        submit(patient, &server, "crawl"),
        submit(patient, &server, "map"),
    ];
    let mut faults = patient.faults();
    shuffle(&mut faults, &mut random);
    let mut repeats = 0;
    for (place, fault) in faults.iter().enumerate() {
        // Under load, and at no moment that is always the same.
        let more = server.total() + 15 + random.below(46);
        let waited = Instant::now();
        wait_until("some pages are asked for, or none is left", ENDING, || {
            server.total() >= more || waited.elapsed() > Duration::from_secs(3)
        });
        repeats += patient.hurt(*fault, &mut random);
        if place % 3 == 1 {
            jobs.push(submit(patient, &server, "batch"));
        }
    }
    let mut findings = Findings::default();
    for job in &jobs {
        if !finished(patient, job) {
            findings.lost += 1;
            findings.other.push(format!("{} is not over", job.id));
            return findings;
        }
    }
    for job in &jobs {
        audit(&patient.addr(), &server.origin(), job, &mut findings);
    }
    let mut counts = server.hits();
    counts.retain(|hit| hit.path_and_query != "/robots.txt");
    let least: u64 = jobs.iter().map(|job| job.requests).sum();
    let again = (counts.len() as u64).saturating_sub(least);
    if again > repeats {
        let words = format!("{again} pages fetched again, {repeats} were in doubt");
        findings.other.push(words);
    }
    tell(&format!(
        "{name} round {round}: {} faults, {} jobs, {least} pages, {again} fetched again; lost {}, doubled {} ({:.1} s)",
        faults.len(),
        jobs.len(),
        findings.lost,
        findings.doubled,
        begun.elapsed().as_secs_f64()
    ));
    findings
}

fn order(server: &Server, kind: &str) -> (&'static str, Value, Accepted) {
    let pages = SITE.all_pages();
    let mut job = Accepted {
        id: String::new(),
        documents: BTreeSet::new(),
        map: BTreeSet::new(),
        failed: 0,
        requests: 0,
    };
    if kind == "batch" {
        // Pages, pages behind redirects, and dead links, which in a batch are documents too.
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

/// Asks until a job is accepted: from then on it has to be there.
fn submit(patient: &impl Patient, server: &Server, kind: &str) -> Accepted {
    let (place, body, mut job) = order(server, kind);
    wait_until("a job is accepted", ENDING, || {
        let Ok((202, answer)) = client::post(&patient.addr(), place, &body) else {
            return false;
        };
        let answer: Value = serde_json::from_str(&answer).unwrap();
        answer["id"].as_str().unwrap().clone_into(&mut job.id);
        true
    });
    job
}

fn finished(patient: &impl Patient, job: &Accepted) -> bool {
    let begun = Instant::now();
    while begun.elapsed() < ENDING {
        let told = client::get(&patient.addr(), &format!("/v1/jobs/{}", job.id));
        match told {
            Ok((404, words)) => panic!("{} was accepted and is gone: {words}", job.id),
            Ok((200, words)) if is_final(&serde_json::from_str(&words).unwrap()) => return true,
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
