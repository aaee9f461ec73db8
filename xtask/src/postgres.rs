//! A Postgres for the tests: the cluster of `TEST_DATABASE_URL`, or a temporary one.
//!
//! Postgres refuses to run as root, so root starts it as another user.

use std::net::TcpListener;
use std::os::unix::fs::chown;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};

use crate::requirements::POSTGRES;
use crate::shell::{output_of, print, run};

/// Environment variable with the URL of a cluster in which databases may be created.
pub(crate) const VARIABLE: &str = "TEST_DATABASE_URL";
/// Environment variable with the folder of the server's programs, for tests that start their own cluster.
const PROGRAMS_VARIABLE: &str = "POSTGRES_PROGRAMS";
const START_TIMEOUT: Duration = Duration::from_mins(1);

/// How durable a cluster's writes are.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Durability {
    /// For tests: nothing needs to survive a power cut.
    None,
    /// For benchmarks: every commit reaches the disk, as in production.
    Full,
}

/// A Postgres to test with.
pub(crate) struct Postgres {
    /// Value of [`VARIABLE`] for the tests.
    pub(crate) url: String,
    own: Option<Cluster>,
}

struct Cluster {
    folder: PathBuf,
    programs: PathBuf,
    server: Child,
    user: Option<User>,
}

#[derive(Clone, Copy)]
struct User {
    id: u32,
    group: u32,
}

impl Postgres {
    /// Uses the cluster named by [`VARIABLE`], or starts one.
    pub(crate) fn from_env_or_start() -> Result<Self> {
        if let Ok(url) = std::env::var(VARIABLE) {
            return Ok(Self { url, own: None });
        }
        Self::start(Durability::None)
    }

    /// Starts a cluster.
    pub(crate) fn start(durability: Durability) -> Result<Self> {
        let programs = programs()?;
        let user = unprivileged()?;
        let folder = std::env::temp_dir().join(format!("crawler-postgres-{}", std::process::id()));
        std::fs::create_dir_all(&folder)?;
        if let Some(user) = user {
            chown(&folder, Some(user.id), Some(user.group))?;
        }
        let data = folder.join("data");
        run(as_user(&programs.join("initdb"), user, &folder)
            .args([
                "--username=postgres",
                "--auth=trust",
                "--no-sync",
                "--encoding=UTF8",
                "--locale=C",
            ])
            .arg("--pgdata")
            .arg(&data)
            .stdout(Stdio::null()))?;
        let port = free_port()?;
        let log = std::fs::File::create(folder.join("log"))?;
        let safety = match durability {
            Durability::None => &["-c", "fsync=off", "-c", "full_page_writes=off"][..],
            Durability::Full => &[],
        };
        let server = as_user(&programs.join("postgres"), user, &folder)
            .arg("-D")
            .arg(&data)
            .arg("-k")
            .arg(&folder)
            .args(["-p", &port.to_string()])
            .args([
                "-c",
                "listen_addresses=127.0.0.1",
                "-c",
                "max_connections=300",
            ])
            .args(safety)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(log)
            .spawn()
            .context("cannot start postgres")?;
        let mut cluster = Cluster {
            folder,
            programs,
            server,
            user,
        };
        cluster.wait(port)?;
        Ok(Self {
            url: format!("postgres://postgres@127.0.0.1:{port}/postgres"),
            own: Some(cluster),
        })
    }

    /// Runs SQL from a file, or a command, in a database of the cluster.
    pub(crate) fn psql(&self, database: Option<&str>, arguments: &[&str]) -> Result<()> {
        let program = self
            .own
            .as_ref()
            .map_or_else(|| "psql".into(), |cluster| cluster.programs.join("psql"));
        let url = database.map_or_else(|| self.url.clone(), |name| self.url_of(name));
        run(Command::new(program)
            .args([
                "--no-psqlrc",
                "--quiet",
                "-v",
                "ON_ERROR_STOP=1",
                "-d",
                &url,
            ])
            .args(arguments)
            .env("PGOPTIONS", "-c client_min_messages=warning")
            .stdout(Stdio::null()))
    }

    /// Name and version, for display.
    pub(crate) fn version(&self) -> Result<String> {
        let program = self
            .own
            .as_ref()
            .map_or_else(|| "psql".into(), |cluster| cluster.programs.join("psql"));
        let output = output_of(Command::new(program).args([
            "--no-psqlrc",
            "--tuples-only",
            "--no-align",
            "--dbname",
            &self.url,
            "--command",
            "SHOW server_version",
        ]))?;
        let number = output.split_whitespace().next().unwrap_or("unknown");
        Ok(format!("Postgres {number}"))
    }

    /// The URL of one of its databases.
    pub(crate) fn url_of(&self, database: &str) -> String {
        let (before, after) = self.url.rsplit_once('/').unwrap_or((&self.url, ""));
        let query = after.find('?').map_or("", |at| &after[at..]);
        format!("{before}/{database}{query}")
    }
}

impl Cluster {
    fn is_ready(&self, port: u16) -> bool {
        Command::new(self.programs.join("pg_isready"))
            .args(["--quiet", "--host=127.0.0.1", &format!("--port={port}")])
            .status()
            .is_ok_and(|status| status.success())
    }

    fn wait(&mut self, port: u16) -> Result<()> {
        let started = Instant::now();
        while !self.is_ready(port) {
            if let Some(status) = self.server.try_wait()? {
                let log = std::fs::read_to_string(self.folder.join("log")).unwrap_or_default();
                bail!("postgres ended with {status}:\n{log}");
            }
            if started.elapsed() > START_TIMEOUT {
                bail!("postgres is not ready after {START_TIMEOUT:?}");
            }
            std::thread::sleep(Duration::from_millis(50));
        }
        Ok(())
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        let stopped = as_user(&self.programs.join("pg_ctl"), self.user, &self.folder)
            .args(["stop", "--silent", "--mode=immediate", "-D"])
            .arg(self.folder.join("data"))
            .stdout(Stdio::null())
            .status();
        if !stopped.is_ok_and(|status| status.success()) {
            // Kill it rather than leave it running.
            let _ = self.server.kill();
        }
        let _ = self.server.wait();
        if let Err(error) = std::fs::remove_dir_all(&self.folder) {
            print(&format!(
                "{} could not be removed: {error}",
                self.folder.display()
            ));
        }
    }
}

fn free_port() -> Result<u16> {
    Ok(TcpListener::bind(("127.0.0.1", 0))?.local_addr()?.port())
}

fn as_user(program: &Path, user: Option<User>, folder: &Path) -> Command {
    let mut command = Command::new(program);
    command.current_dir(folder);
    if let Some(user) = user {
        command.uid(user.id).gid(user.group);
    }
    command
}

/// Whether a server is named or can be started.
pub(crate) fn is_available() -> bool {
    std::env::var_os(VARIABLE).is_some() || installed().is_some()
}

fn programs() -> Result<PathBuf> {
    POSTGRES.ensure()?;
    installed().with_context(|| {
        format!(
            "no Postgres server here: install one (`apt install postgresql`), or set {VARIABLE}"
        )
    })
}

/// Tells a test where the server's programs are.
pub(crate) fn pass_programs(command: &mut Command) {
    if let Some(folder) = installed() {
        command.env(PROGRAMS_VARIABLE, folder);
    }
}

/// The folder of the server's programs: in PATH, or where Debian installs them.
fn installed() -> Option<PathBuf> {
    let has_all = |folder: &PathBuf| {
        ["initdb", "postgres", "pg_ctl", "psql", "pg_isready"]
            .iter()
            .all(|program| folder.join(program).is_file())
    };
    let path = std::env::var_os("PATH").unwrap_or_default();
    let mut debian: Vec<PathBuf> = std::fs::read_dir("/usr/lib/postgresql")
        .into_iter()
        .flatten()
        .flatten()
        .map(|entry| entry.path().join("bin"))
        .collect();
    debian.sort();
    std::env::split_paths(&path)
        .chain(debian.into_iter().rev())
        .find(has_all)
}

/// The user to run as instead of root; `None` when not root.
fn unprivileged() -> Result<Option<User>> {
    use std::os::unix::fs::MetadataExt;
    let own_id = std::fs::metadata("/proc/self").map_or(1, |metadata| metadata.uid());
    if own_id != 0 {
        return Ok(None);
    }
    let users = std::fs::read_to_string("/etc/passwd").context("cannot read /etc/passwd")?;
    for name in ["postgres", "nobody"] {
        for line in users.lines() {
            let fields: Vec<&str> = line.split(':').collect();
            if let [user, _, id, group, ..] = fields.as_slice()
                && *user == name
            {
                return Ok(Some(User {
                    id: id.parse()?,
                    group: group.parse()?,
                }));
            }
        }
    }
    bail!("Postgres does not run as root, and there is no user `postgres` or `nobody`")
}
