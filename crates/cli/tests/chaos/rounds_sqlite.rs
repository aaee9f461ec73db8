//! One process with a SQLite file, killed repeatedly.

use tempfile::TempDir;

use crate::harness::random::Random;
use crate::harness::service::Service;
use crate::process;
use crate::rounds::{CONFIG, Fault, MAX_LEASED_TASKS, SystemUnderTest, run};
use crate::write_audit::WriteAudit;

struct SingleProcess {
    folder: TempDir,
    process: Service,
    write_audit: WriteAudit,
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

    fn write_audit(&self) -> &WriteAudit {
        &self.write_audit
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
    let write_audit = WriteAudit::Sqlite(folder.path().join("crawler.db")).install();
    let old_logs = String::new();
    run(
        "sqlite",
        2,
        &mut SingleProcess {
            folder,
            process,
            write_audit,
            old_logs,
        },
    );
}
