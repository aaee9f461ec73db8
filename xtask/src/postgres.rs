//! A Postgres for the tests: the one of `TEST_DATABASE_URL`, else a cluster of our own that is gone afterwards.
//!
//! A cluster is a folder, a process and a port. Postgres refuses to run as root, so as root it gets another user.

use std::net::TcpListener;
use std::os::unix::fs::chown;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};

use crate::shell::{exists, output_of, run, tell};

/// The variable that names a cluster in which databases may be made.
pub(crate) const VARIABLE: &str = "TEST_DATABASE_URL";
const PATIENCE: Duration = Duration::from_mins(1);

/// What a cluster is for.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Keep {
    /// Tests: nothing outlives them, so nothing needs to survive a power cut.
    Nothing,
    /// Figures: every commit reaches the disk, as it would elsewhere.
    Safe,
}

/// A Postgres to test with.
pub(crate) struct Postgres {
    /// What [`VARIABLE`] is to say.
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
    /// Uses the cluster that is given, or starts one.
    pub(crate) fn at_hand() -> Result<Self> {
        if let Ok(url) = std::env::var(VARIABLE) {
            return Ok(Self { url, own: None });
        }
        Self::start(Keep::Nothing)
    }

    /// Starts a cluster.
    pub(crate) fn start(keep: Keep) -> Result<Self> {
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
        let safety = match keep {
            Keep::Nothing => &["-c", "fsync=off", "-c", "full_page_writes=off"][..],
            Keep::Safe => &[],
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

    /// Its name and version.
    pub(crate) fn version(&self) -> Result<String> {
        let program = self
            .own
            .as_ref()
            .map_or_else(|| "psql".into(), |cluster| cluster.programs.join("psql"));
        let told = output_of(Command::new(program).args([
            "--no-psqlrc",
            "--tuples-only",
            "--no-align",
            "--dbname",
            &self.url,
            "--command",
            "SHOW server_version",
        ]))?;
        let number = told.split_whitespace().next().unwrap_or("unknown");
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
    fn answers(&self, port: u16) -> bool {
        Command::new(self.programs.join("pg_isready"))
            .args(["--quiet", "--host=127.0.0.1", &format!("--port={port}")])
            .status()
            .is_ok_and(|status| status.success())
    }

    fn wait(&mut self, port: u16) -> Result<()> {
        let begun = Instant::now();
        while !self.answers(port) {
            if let Some(status) = self.server.try_wait()? {
                let log = std::fs::read_to_string(self.folder.join("log")).unwrap_or_default();
                bail!("postgres ended with {status}:\n{log}");
            }
            if begun.elapsed() > PATIENCE {
                bail!("postgres does not answer after {PATIENCE:?}");
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
            // Better a server that is killed than one that stays.
            let _ = self.server.kill();
        }
        let _ = self.server.wait();
        if let Err(error) = std::fs::remove_dir_all(&self.folder) {
            tell(&format!("{} stays behind: {error}", self.folder.display()));
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

/// Where the server's programs are: beside `pg_config`'s idea of them, in PATH, or where Debian keeps them.
fn programs() -> Result<PathBuf> {
    if let Some(found) = installed() {
        return Ok(found);
    }
    tell("installing postgresql, which the tests of the store need");
    let tried = exists("apt-get", "--version")
        && run(Command::new("apt-get").args(["update", "-qq"])).is_ok()
        && run(Command::new("apt-get")
            .args([
                "install",
                "-y",
                "-qq",
                "--no-install-recommends",
                "postgresql",
            ])
            .env("DEBIAN_FRONTEND", "noninteractive"))
        .is_ok();
    match installed() {
        Some(found) if tried => Ok(found),
        _ => bail!(
            "no Postgres server here: install one (`apt install postgresql`), or set {VARIABLE}"
        ),
    }
}

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

/// Whom to be instead of root; `None` when we are somebody else already.
fn unprivileged() -> Result<Option<User>> {
    use std::os::unix::fs::MetadataExt;
    let me = std::fs::metadata("/proc/self").map_or(1, |metadata| metadata.uid());
    if me != 0 {
        return Ok(None);
    }
    let known = std::fs::read_to_string("/etc/passwd").context("who there is")?;
    for name in ["postgres", "nobody"] {
        for line in known.lines() {
            let fields: Vec<&str> = line.split(':').collect();
            if let [who, _, id, group, ..] = fields.as_slice()
                && *who == name
            {
                return Ok(Some(User {
                    id: id.parse()?,
                    group: group.parse()?,
                }));
            }
        }
    }
    bail!("Postgres does not run as root, and there is neither a user postgres nor nobody")
}
