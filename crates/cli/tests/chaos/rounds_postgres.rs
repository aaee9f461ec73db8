//! Four workers, an API and a Postgres: each is killed, stopped or cut off, at random moments.

use std::path::Path;

use tempfile::TempDir;

use crate::cluster::Cluster;
use crate::harness::random::Random;
use crate::harness::service::Service;
use crate::process;
use crate::rounds::{CONFIG, Fault, MOST_HELD, Patient, run};

struct Crew {
    folder: TempDir,
    cluster: Cluster,
    api: Service,
    workers: Vec<Service>,
    dead: String,
}

impl Crew {
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
            dead: String::new(),
        }
    }
}

fn process(folder: &Path, cluster: &Cluster, mode: &str) -> Service {
    process::start_ready(folder, mode, Some(&cluster.url()))
}

impl Patient for Crew {
    fn faults(&self) -> Vec<Fault> {
        let mut faults = vec![Fault::Worker; 5];
        faults.extend([Fault::Api, Fault::Restart, Fault::Cut]);
        faults
    }

    fn hurt(&mut self, fault: Fault, random: &mut Random) -> u64 {
        match fault {
            Fault::Worker => {
                let place = usize::try_from(random.below(Self::WORKERS)).unwrap();
                self.workers[place].kill();
                self.dead += &self.workers[place].log();
                self.workers[place] = process(self.folder.path(), &self.cluster, "worker");
                MOST_HELD
            }
            Fault::Api => {
                self.api.kill();
                self.dead += &self.api.log();
                self.api = process(self.folder.path(), &self.cluster, "api");
                0
            }
            Fault::Restart => {
                self.cluster.stop_at_once();
                self.cluster.go_on();
                MOST_HELD * Self::WORKERS
            }
            Fault::Cut => {
                self.cluster.cut_all();
                MOST_HELD * Self::WORKERS
            }
        }
    }

    fn addr(&self) -> String {
        self.api.addr()
    }

    fn logs(&self) -> String {
        let workers = self.workers.iter().map(Service::log);
        let all: Vec<String> = workers.chain([self.api.log(), self.dead.clone()]).collect();
        all.join("\n")
    }
}

#[test]
fn killed_restarted_and_cut_off_nothing_is_lost_or_doubled() {
    let mut crew = Crew::start();
    run("postgres", 3, &mut crew);
    for worker in &mut crew.workers {
        assert!(worker.is_running(), "{}", worker.log());
    }
}
