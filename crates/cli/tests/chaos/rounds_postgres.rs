//! Four workers, an API and a Postgres: each is killed, stopped or cut off, at random moments.

use std::path::Path;

use tempfile::TempDir;

use crate::cluster::Cluster;
use crate::harness::random::Random;
use crate::harness::service::Service;
use crate::process;
use crate::rounds::{CONFIG, Fault, MAX_LEASED_TASKS, SystemUnderTest, run};

struct Processes {
    folder: TempDir,
    cluster: Cluster,
    api: Service,
    workers: Vec<Service>,
    old_logs: String,
}

impl Processes {
    const WORKERS: u64 = 4;

    fn start() -> Self {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("config.yaml"), CONFIG).unwrap();
        let cluster = Cluster::start();
        let start = |mode| process(folder.path(), &cluster, mode);
        Self {
            api: start("api"),
            workers: (0..Self::WORKERS).map(|_| start("worker")).collect(),
            folder,
            cluster,
            old_logs: String::new(),
        }
    }
}

fn process(folder: &Path, cluster: &Cluster, mode: &str) -> Service {
    process::start_ready(folder, mode, Some(&cluster.url()))
}

impl SystemUnderTest for Processes {
    fn faults(&self) -> Vec<Fault> {
        let mut faults = vec![Fault::Worker; 5];
        faults.extend([Fault::Api, Fault::Restart, Fault::Cut]);
        faults
    }

    fn inject(&mut self, fault: Fault, random: &mut Random) -> u64 {
        match fault {
            Fault::Worker => {
                let index = usize::try_from(random.below(Self::WORKERS)).unwrap();
                self.workers[index].kill();
                self.old_logs += &self.workers[index].log();
                self.workers[index] = process(self.folder.path(), &self.cluster, "worker");
                MAX_LEASED_TASKS
            }
            Fault::Api => {
                self.api.kill();
                self.old_logs += &self.api.log();
                self.api = process(self.folder.path(), &self.cluster, "api");
                0
            }
            Fault::Restart => {
                self.cluster.stop_immediately();
                self.cluster.start_server();
                MAX_LEASED_TASKS * Self::WORKERS
            }
            Fault::Cut => {
                self.cluster.break_connections();
                MAX_LEASED_TASKS * Self::WORKERS
            }
            Fault::FullDisk => unreachable!("this disk is large"),
        }
    }

    fn addr(&self) -> String {
        self.api.addr()
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
