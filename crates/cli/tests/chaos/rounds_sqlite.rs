//! One process with everything in one file, killed again and again.

use tempfile::TempDir;

use crate::harness::random::Random;
use crate::harness::service::Service;
use crate::process;
use crate::rounds::{CONFIG, Fault, MOST_HELD, Patient, run};

struct Alone {
    folder: TempDir,
    process: Service,
    dead: String,
}

impl Patient for Alone {
    fn faults(&self) -> Vec<Fault> {
        vec![Fault::Worker; 6]
    }

    fn hurt(&mut self, _: Fault, _: &mut Random) -> u64 {
        self.process.kill();
        self.dead += &self.process.log();
        self.process = process::start_ready(self.folder.path(), "all", None);
        MOST_HELD
    }

    fn addr(&self) -> String {
        self.process.addr()
    }

    fn logs(&self) -> String {
        format!("{}{}", self.dead, self.process.log())
    }
}

#[test]
fn a_process_killed_again_and_again_loses_and_doubles_nothing() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("config.yaml"), CONFIG).unwrap();
    let process = process::start_ready(folder.path(), "all", None);
    let dead = String::new();
    run(
        "sqlite",
        2,
        &mut Alone {
            folder,
            process,
            dead,
        },
    );
}
