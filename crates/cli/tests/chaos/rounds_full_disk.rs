//! The disk of the database fills under load and is freed after a while, on a real small file system. Until then no response
//! claims what is not true; afterwards the service works again within seconds, and nothing is lost or stored twice.

use std::fs::File;
use std::io::Write;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tempfile::TempDir;
use testsite::{Request, Server, SiteResponse};

use crate::client;
use crate::cluster::Cluster;
use crate::drain::wait_for_end;
use crate::harness::random::Random;
use crate::harness::service::Service;
use crate::harness::small_disk::SmallDisk;
use crate::harness::wait::{TIMEOUT, wait_until};
use crate::process;
use crate::rounds::{CONFIG, Fault, MAX_LEASED_TASKS, SystemUnderTest, print_line, rounds_or, run};
use crate::write_audit::WriteAudit;

/// Time limit for the service to work again once there is space.
const RECOVERY_TIME: Duration = Duration::from_secs(5);
/// Rounds of each store in `cargo xtask test`.
const ROUNDS: u64 = 2;
/// Megabytes that the results of one round need.
const ROUND_SIZE: u64 = 16;

struct SmallDiskService {
    process: Service,
    cluster: Option<Cluster>,
    write_audit: WriteAudit,
    _folder: TempDir,
    disk: SmallDisk,
    /// The site of the jobs that are sent while the disk is full.
    site: Server,
    accepted: u32,
    refused: u32,
    slowest_recovery: Duration,
}

/// A job that was accepted while the disk was full, and how it may end.
struct AcceptedJob {
    path: String,
    expected: &'static [&'static str],
}

/// Mounts a disk with enough space for all rounds, and this many megabytes more.
fn mount(megabytes: u64) -> SmallDisk {
    let size = megabytes + rounds_or(ROUNDS) * ROUND_SIZE;
    SmallDisk::mount(&format!("{size}m"))
}

impl SmallDiskService {
    fn start(disk: SmallDisk, cluster: Option<Cluster>) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let path = disk.path().join("crawler.db");
        let config = CONFIG.replace("store:", &format!("store:\n  path: {}", path.display()));
        std::fs::write(folder.path().join("config.yaml"), config).unwrap();
        let url = cluster.as_ref().map(Cluster::url);
        let process = process::start_ready(folder.path(), "all", url.as_deref());
        let write_audit = url.map_or(WriteAudit::Sqlite(path), WriteAudit::Postgres);
        Self {
            process,
            cluster,
            write_audit: write_audit.install(),
            _folder: folder,
            disk,
            site: Server::start(|_: &Request| SiteResponse::html("<p>words")),
            accepted: 0,
            refused: 0,
            slowest_recovery: Duration::ZERO,
        }
    }

    fn status(&self, path: &str) -> u16 {
        client::get(&self.addr(), path).unwrap().0
    }

    /// Sends a job of this many long URLs; returns its path if it is accepted.
    fn submit(&mut self, urls: u32, random: &mut Random) -> Option<String> {
        let long = |_| {
            let digits = (0..90).map(|_| format!("{:016x}", random.below(u64::MAX)));
            self.site.url(&format!("/{}", digits.collect::<String>()))
        };
        let body = json!({ "urls": (0..urls).map(long).collect::<Vec<_>>() });
        let (status, response) = client::post(&self.addr(), "/v1/batch/scrape", &body).unwrap();
        let accepted = status == 202;
        assert!(
            accepted || status == 503,
            "{response}\n{}",
            self.process.log()
        );
        if !accepted {
            self.refused += 1;
            return None;
        }
        self.accepted += 1;
        let response: Value = serde_json::from_str(&response).unwrap();
        Some(response["url"].as_str().unwrap().to_owned())
    }

    /// Cancels one in three of the accepted jobs.
    fn maybe_cancel(&self, path: String, random: &mut Random) -> AcceptedJob {
        let expected: &[&str] = if random.below(3) > 0 {
            &["completed"]
        } else {
            match client::delete(&self.addr(), &path).unwrap() {
                (200, _) => &["cancelled"],
                (409, _) => &["completed"],
                // A COMMIT whose reply is lost may have succeeded.
                (503, _) => &["completed", "cancelled"],
                other => panic!("{other:?}"),
            }
        };
        AcceptedJob { path, expected }
    }

    /// Fills the disk, again if the database has freed some space.
    fn fill(&self) {
        let ballast = self.disk.path().join("ballast");
        let zeros = vec![0; 64 << 10];
        let mut options = File::options();
        if let Ok(mut ballast) = options.create(true).append(true).open(ballast) {
            while ballast.write_all(&zeros).is_ok() {}
        }
    }

    fn free(&self) {
        std::fs::remove_file(self.disk.path().join("ballast")).unwrap();
    }

    /// Stops the service; every result must have been written.
    fn stop(mut self) {
        self.process.signal("TERM");
        self.process.wait_for_exit(TIMEOUT);
        let counts = self.process.wait_for_log("worker finished");
        print_line(&format!(
            "{} jobs accepted and {} refused while the disk was full; slowest recovery {:.1} s; results: {} written, {} lost, {} dropped; {} leases rescued",
            self.accepted,
            self.refused,
            self.slowest_recovery.as_secs_f64(),
            counts["done"],
            counts["lost"],
            counts["dropped"],
            counts["rescued"]
        ));
        assert_eq!(counts["dropped"], 0, "{counts}");
    }
}

impl SystemUnderTest for SmallDiskService {
    fn faults(&self) -> Vec<Fault> {
        vec![Fault::FullDisk; 2]
    }

    fn inject(&mut self, _: Fault, random: &mut Random) -> u64 {
        // Sometimes longer than a lease.
        let duration = Duration::from_millis(random.below(4_000));
        let started = Instant::now();
        let mut accepted = Vec::new();
        let refused_before = self.refused;
        self.fill();
        wait_until("it is not ready", RECOVERY_TIME, || {
            self.status("/readyz") == 503
        });
        wait_until("a job is refused", TIMEOUT, || {
            self.fill();
            // Small jobs fit into the space that the database has reserved.
            let urls = [1, 20, 400][usize::try_from(random.below(3)).unwrap()];
            if let Some(path) = self.submit(urls, random) {
                accepted.push(self.maybe_cancel(path, random));
            }
            assert_eq!(self.status("/healthz"), 200, "{}", self.process.log());
            self.refused > refused_before && started.elapsed() > duration
        });
        self.free();
        let took = wait_until("the service works again", TIMEOUT, || {
            if let Some(cluster) = &self.cluster {
                cluster.start_if_ended();
            }
            if self.status("/readyz") != 200 {
                return false;
            }
            let job = self.submit(1, random);
            let works = job.is_some();
            accepted.extend(job.map(|path| AcceptedJob {
                path,
                expected: &["completed"],
            }));
            works
        });
        assert!(took < RECOVERY_TIME, "{took:?}\n{}", self.process.log());
        self.slowest_recovery = self.slowest_recovery.max(took);
        for job in accepted {
            let finished = wait_for_end(&self.process, &job.path);
            let status = finished["status"].as_str().unwrap();
            assert!(
                job.expected.contains(&status),
                "{:?}: {finished}",
                job.expected
            );
            if status == "completed" {
                assert_eq!(finished["documents"], finished["tasks"]["total"]);
            }
        }
        // None, unless the machine stalls for longer than a lease.
        MAX_LEASED_TASKS
    }

    fn creates_jobs(&self) -> bool {
        true
    }

    fn write_audit(&self) -> &WriteAudit {
        &self.write_audit
    }

    fn addr(&self) -> String {
        self.process.addr()
    }

    fn logs(&self) -> String {
        self.process.log()
    }
}

#[test]
fn a_full_disk_is_survived_with_sqlite() {
    let disk = mount(48);
    let mut service = SmallDiskService::start(disk, None);
    run("sqlite-full-disk", ROUNDS, &mut service);
    service.stop();
}

#[test]
fn a_full_disk_is_survived_with_postgres() {
    let disk = mount(224);
    let cluster = Cluster::start_small(disk.path());
    let mut service = SmallDiskService::start(disk, Some(cluster));
    run("postgres-full-disk", ROUNDS, &mut service);
    service.stop();
}
