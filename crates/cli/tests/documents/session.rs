//! A bash session that runs the commands of a document and records their output.

use std::fmt::Write as _;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use tempfile::TempDir;
use testsite::Server;

use crate::block::{Block, Step};
use crate::{expected, root, site};

/// Time limit of a session; far longer than any document takes.
const DEADLINE: Duration = Duration::from_mins(3);

/// `cargo` for documents: `run` is the built binary, other commands are only checked to exist.
const CARGO: &str = r#"#!/usr/bin/env bash
case "$1 $2 $3" in
    "run --release --") shift 3; exec crawler "$@" ;;
    "install --path crates/cli") exit 0 ;;
    "xtask "*) grep -q "\[\"$2\"[],]" "$ROOT/xtask/src/main.rs" && exit 0 ;;
    "fmt "* | "test -p "*) exit 0 ;;
esac
echo "cargo $*: not allowed in documents" >&2
exit 2
"#;

/// `curl` for documents: responses are also recorded, because a script may discard the error of a rejected request.
const CURL: &str = r#"#!/usr/bin/env bash
set -o pipefail
"$(type -ap curl | sed -n 2p)" "$@" | tee -a "$RESPONSES"
"#;

/// Store of the service.
#[derive(Debug)]
pub(crate) enum Store {
    Sqlite,
    Postgres(String),
}

/// Folders, a site and a free port, which replace the names used in documents.
pub(crate) struct Session {
    work: TempDir,
    files: TempDir,
    site: Server,
    port: u16,
    store: Store,
}

impl Session {
    pub(crate) fn new(store: Store) -> Self {
        let free = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        Self {
            work: tempfile::tempdir().unwrap(),
            files: tempfile::tempdir().unwrap(),
            site: site::start(),
            port: free.local_addr().unwrap().port(),
            store,
        }
    }

    /// Runs the blocks in order, in one shell; panics at the first whose result differs from the document.
    pub(crate) fn run(&self, blocks: &[Block]) {
        let steps: Vec<(&Block, Step)> = blocks
            .iter()
            .flat_map(|block| block.steps().into_iter().map(move |step| (block, step)))
            .collect();
        self.execute(&self.script(&steps));
        for (number, (block, step)) in steps.iter().enumerate() {
            self.check(number, block, step);
        }
        if matches!(self.store, Store::Postgres(_)) {
            assert!(!self.work.path().join("crawler.db").exists());
        }
    }

    fn script(&self, steps: &[(&Block, Step)]) -> String {
        let mut script = String::from("trap 'kill $(jobs -p); wait' EXIT\nset -o pipefail\n");
        for (number, (_, step)) in steps.iter().enumerate() {
            let commands = self.to_test(&step.commands);
            let file = self.files.path().join(number.to_string());
            let file = file.display();
            // bash ignores -e inside a group whose status is tested, so the group is not tested, and +e is set only where
            // a failure is expected.
            let (before, after) = if step.fails {
                ("set +e", "set -e")
            } else {
                ("set -e", "")
            };
            write!(
                script,
                "{before}\nexport RESPONSES={file}.responses\n{{\n{commands}\n}} >{file}.out 2>{file}.err\necho $? >{file}.code\n{after}\n"
            )
            .unwrap();
        }
        script
    }

    fn execute(&self, script: &str) {
        let tools = self.files.path().join("bin");
        fs::create_dir(&tools).unwrap();
        for (name, script) in [("cargo", CARGO), ("curl", CURL)] {
            fs::write(tools.join(name), script).unwrap();
            fs::set_permissions(tools.join(name), fs::Permissions::from_mode(0o755)).unwrap();
        }
        let config = self.files.path().join("config.yaml");
        fs::write(
            &config,
            "egress:\n  allow: [127.0.0.1]\nworker:\n  per_host_rps: 0\n",
        )
        .unwrap();
        let program = Path::new(env!("CARGO_BIN_EXE_crawler")).parent().unwrap();
        let path = std::env::var("PATH").unwrap();
        let mut command = Command::new("bash");
        command
            .args(["-c", script])
            .current_dir(self.work.path())
            .env(
                "PATH",
                format!("{}:{}:{path}", tools.display(), program.display()),
            )
            .env("ROOT", root())
            .env("HTTP_ADDR", format!("127.0.0.1:{}", self.port))
            .env("CONFIG_PATH", config)
            .env_remove("DATABASE_URL")
            .env_remove("RUST_LOG")
            .process_group(0)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        let mut child = command.spawn().unwrap();
        let group = format!("-{}", child.id());
        let (send, ended) = mpsc::channel();
        thread::spawn(move || send.send(child.wait()).ok());
        if ended.recv_timeout(DEADLINE).is_err() {
            Command::new("kill")
                .args(["-KILL", "--", &group])
                .status()
                .unwrap();
            panic!("the session did not end within {DEADLINE:?}:\n{script}");
        }
    }

    fn check(&self, number: usize, block: &Block, step: &Step) {
        let commands = &step.commands;
        let file =
            |ending: &str| -> PathBuf { self.files.path().join(format!("{number}.{ending}")) };
        let read =
            |ending: &str| self.to_document(&fs::read_to_string(file(ending)).unwrap_or_default());
        let (out, err) = (read("out"), read("err"));
        let code = read("code");
        let expected_code = if step.fails { "1" } else { "0" };
        assert_eq!(
            code.trim(),
            expected_code,
            "{block}: exit code of\n{commands}\n{out}\n{err}"
        );
        let is_rejected = read("responses").contains("\"type\":\"about:blank\"");
        if let Some(shown) = &step.output {
            assert!(
                expected::matches(shown, &out, &err),
                "{block}: the output differs\n$ {commands}{out}\n── stderr\n{err}"
            );
        }
        let is_shown = step.output.as_ref().is_some_and(|shown| !shown.is_empty());
        assert!(
            is_shown || !is_rejected,
            "{block}: the API rejected a request\n{commands}\n{out}"
        );
    }

    /// Commands as they are run here.
    fn to_test(&self, text: &str) -> String {
        let database = match &self.store {
            Store::Postgres(url) => url,
            Store::Sqlite => "no database",
        };
        text.replace("https://example.org", &self.site.origin())
            .replace("localhost:8080", &self.address())
            .replace("127.0.0.1:8080", &self.address())
            .replace("postgres://crawler:secret@localhost/crawler", database)
    }

    /// Output as a document shows it.
    fn to_document(&self, text: &str) -> String {
        text.replace(&self.site.origin(), "https://example.org")
            .replace(&self.address(), "localhost:8080")
    }

    fn address(&self) -> String {
        format!("127.0.0.1:{}", self.port)
    }
}
