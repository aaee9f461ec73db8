//! Four workers whose clocks are a year apart, an API and a Postgres: each of their processes is killed, suspended, stopped or cut
//! off, and replies to commits are dropped, at random moments.

use std::time::{Duration, Instant};

use tempfile::TempDir;

use crate::cluster::Cluster;
use crate::forwarder::Forwarder;
use crate::harness::random::Random;
use crate::harness::service::Service;
use crate::harness::wait::{TIMEOUT, wait_until};
use crate::process::{self, SkewedClock};
use crate::rounds::{CONFIG, Fault, MAX_LEASED_TASKS, SystemUnderTest, run};
use crate::write_audit::WriteAudit;

struct Processes {
    folder: TempDir,
    cluster: Cluster,
    /// Between the processes and the cluster.
    forwarder: Forwarder,
    clock: SkewedClock,
    write_audit: WriteAudit,
    api: Service,
    workers: Vec<Service>,
    old_logs: String,
}

const YEAR: i64 = 365 * 86_400;
/// How far the workers' clocks are ahead of the others.
const AHEAD: [i64; 4] = [0, YEAR, -YEAR, 0];
/// Number of replies to commits that are dropped in a row.
const LOST_COMMITS: u64 = 8;

impl Processes {
    fn start() -> Self {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("config.yaml"), CONFIG).unwrap();
        let cluster = Cluster::start();
        let forwarder = Forwarder::start(cluster.port());
        let url = Cluster::url_with_port(forwarder.port);
        let api = process::start_ready(folder.path(), "api", Some(&url));
        let write_audit = WriteAudit::Postgres(cluster.url()).install();
        let clock = SkewedClock::compile(folder.path());
        let start = |ahead: &i64| clock.start_ready(folder.path(), "worker", &url, *ahead);
        Self {
            api,
            workers: AHEAD.iter().map(start).collect(),
            folder,
            cluster,
            forwarder,
            clock,
            write_audit,
            old_logs: String::new(),
        }
    }

    fn url(&self) -> String {
        Cluster::url_with_port(self.forwarder.port)
    }
}

impl SystemUnderTest for Processes {
    fn faults(&self) -> Vec<Fault> {
        let mut faults = vec![Fault::Worker; 5];
        faults.extend([Fault::Api, Fault::Restart, Fault::Cut]);
        faults.extend([Fault::KillServer, Fault::KillBackend]);
        faults.extend([Fault::Suspend, Fault::LoseCommits]);
        faults
    }

    fn inject(&mut self, fault: Fault, random: &mut Random) -> u64 {
        let all_workers = MAX_LEASED_TASKS * self.workers.len() as u64;
        let index = usize::try_from(random.below(self.workers.len() as u64)).unwrap();
        match fault {
            Fault::Worker => {
                self.workers[index].kill();
                self.old_logs += &self.workers[index].log();
                let (folder, url) = (self.folder.path(), self.url());
                self.workers[index] = self.clock.start_ready(folder, "worker", &url, AHEAD[index]);
                MAX_LEASED_TASKS
            }
            Fault::Suspend => {
                self.workers[index].signal("STOP");
                let length = Duration::from_millis(2_500 + random.below(4_000));
                let started = Instant::now();
                wait_until("its leases have expired", TIMEOUT, || {
                    started.elapsed() > length
                });
                self.workers[index].signal("CONT");
                MAX_LEASED_TASKS
            }
            Fault::LoseCommits => {
                self.forwarder.lose_commits(LOST_COMMITS);
                all_workers
            }
            Fault::Api => {
                self.api.kill();
                self.old_logs += &self.api.log();
                let url = self.url();
                self.api = process::start_ready(self.folder.path(), "api", Some(&url));
                0
            }
            Fault::Restart => {
                self.cluster.stop_immediately();
                self.cluster.start_server();
                all_workers
            }
            Fault::Cut => {
                self.cluster.break_connections();
                all_workers
            }
            Fault::KillServer => {
                self.cluster.kill_server();
                self.cluster.start_server();
                all_workers
            }
            Fault::KillBackend => {
                self.cluster.kill_backend(random);
                all_workers
            }
            Fault::FullDisk | Fault::RenderProcess | Fault::Browser | Fault::BrowserChild => {
                unreachable!("this disk is large, and there is no browser")
            }
        }
    }

    fn addr(&self) -> String {
        self.api.addr()
    }

    fn write_audit(&self) -> &WriteAudit {
        &self.write_audit
    }

    fn logs(&self) -> String {
        let workers = self.workers.iter().map(Service::log);
        let all: Vec<String> = workers
            .chain([self.api.log(), self.old_logs.clone()])
            .collect();
        all.join("\n")
    }
}

#[test]
fn processes_killed_restarted_or_cut_off_lose_and_duplicate_nothing() {
    let mut processes = Processes::start();
    run("postgres", 3, &mut processes);
    for worker in &mut processes.workers {
        assert!(worker.is_running(), "{}", worker.log());
    }
}
