//! One process with a SQLite file, killed repeatedly.

use tempfile::TempDir;

use crate::harness::random::Random;
use crate::harness::service::Service;
use crate::process;
use crate::rounds::{CONFIG, Fault, MAX_LEASED_TASKS, SystemUnderTest, run};

struct SingleProcess {
    folder: TempDir,
    process: Service,
    old_logs: String,
}

impl SystemUnderTest for SingleProcess {
    fn faults(&self) -> Vec<Fault> {
        vec![Fault::Worker; 6]
    }

    fn inject(&mut self, _: Fault, _: &mut Random) -> u64 {
        self.process.kill();
        self.old_logs += &self.process.log();
        self.process = process::start_ready(self.folder.path(), "all", None);
        MAX_LEASED_TASKS
    }

    fn addr(&self) -> String {
        self.process.addr()
    }

    fn logs(&self) -> String {
        format!("{}{}", self.old_logs, self.process.log())
    }
}

#[test]
fn a_process_killed_repeatedly_loses_and_duplicates_nothing() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("config.yaml"), CONFIG).unwrap();
    let process = process::start_ready(folder.path(), "all", None);
    let old_logs = String::new();
    run(
        "sqlite",
        2,
        &mut SingleProcess {
            folder,
            process,
            old_logs,
        },
    );
}
