//! A Postgres server for one test, which the test can stop and restart. Postgres refuses to run as root, so root starts it
//! as another user.

use std::fs::Permissions;
use std::net::TcpListener;
use std::os::unix::fs::{MetadataExt, PermissionsExt, chown};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use tempfile::TempDir;
use testsite::Tls;

use crate::harness::random::Random;
use crate::harness::wait::{TIMEOUT, wait_until};
use crate::process_tree::{RunningProcess, descendants, kill_one, wait_for_ends};

/// A cluster with one database.
pub(crate) struct Cluster {
    folder: TempDir,
    programs: PathBuf,
    port: u16,
    user: Option<(u32, u32)>,
    /// Options of the server, besides its addresses.
    options: &'static str,
}

impl Cluster {
    pub(crate) fn start() -> Self {
        let folder = std::env::temp_dir();
        Self::start_in(&folder, &[], "-c max_connections=200")
    }

    /// Starts a cluster that needs less than 100 MB, on another disk.
    pub(crate) fn start_small(disk: &Path) -> Self {
        let options = "-c max_connections=50 -c min_wal_size=4MB -c max_wal_size=8MB";
        Self::start_in(disk, &["--wal-segsize=1"], options)
    }

    fn start_in(parent: &Path, initdb: &[&str], options: &'static str) -> Self {
        let folder = tempfile::Builder::new()
            .prefix("crawler-chaos-")
            .tempdir_in(parent)
            .unwrap();
        let user = unprivileged();
        if let Some((id, group)) = user {
            chown(folder.path(), Some(id), Some(group)).unwrap();
        }
        // The port is free again at the end of this statement.
        let free = TcpListener::bind(("127.0.0.1", 0)).and_then(|free| free.local_addr());
        let port = free.unwrap().port();
        let cluster = Self {
            folder,
            programs: programs(),
            port,
            user,
            options,
        };
        let initialized = cluster
            .command("initdb")
            .args(["--username=postgres", "--auth=trust", "--no-sync"])
            .args(initdb)
            .args(["--encoding=UTF8", "--locale=C", "--pgdata"])
            .arg(cluster.data())
            .output()
            .unwrap();
        assert!(initialized.status.success(), "{initialized:?}");
        cluster.start_server();
        cluster
    }

    /// Restarts the server with TLS, required of connections over TCP.
    pub(crate) fn require_tls(&self, tls: &Tls) {
        let files = ["server.crt", "server.key"].map(|name| self.data().join(name));
        tls.write_server(&files[0], &files[1]);
        for file in &files {
            std::fs::set_permissions(file, Permissions::from_mode(0o600)).unwrap();
            if let Some((id, group)) = self.user {
                chown(file, Some(id), Some(group)).unwrap();
            }
        }
        let rules = "local all all trust\nhostssl all all 127.0.0.1/32 trust\n";
        std::fs::write(self.data().join("pg_hba.conf"), rules).unwrap();
        let settings = self.data().join("postgresql.conf");
        let mut text = std::fs::read_to_string(&settings).unwrap();
        text.push_str("\nssl = on\n");
        std::fs::write(&settings, text).unwrap();
        self.stop_immediately();
        self.start_server();
    }

    fn data(&self) -> PathBuf {
        self.folder.path().join("data")
    }

    fn command(&self, program: &str) -> Command {
        let mut command = Command::new(self.programs.join(program));
        command.current_dir(self.folder.path());
        if let Some((id, group)) = self.user {
            command.uid(id).gid(group);
        }
        command
    }

    pub(crate) fn port(&self) -> u16 {
        self.port
    }

    /// Value of `DATABASE_URL` with this port: that of the server, or of a forwarder.
    pub(crate) fn url_with_port(port: u16) -> String {
        format!("postgres://postgres@127.0.0.1:{port}/postgres")
    }

    pub(crate) fn url(&self) -> String {
        Self::url_with_port(self.port)
    }

    /// Starts the server, which recovers from an immediate stop.
    pub(crate) fn start_server(&self) {
        assert!(self.try_start(), "{}", self.log());
        self.wait_until_it_responds();
    }

    fn wait_until_it_responds(&self) {
        wait_until("postgres responds", TIMEOUT, || {
            self.try_query("SELECT 1").is_some()
        });
    }

    fn try_start(&self) -> bool {
        // fsync stays on, as in production, so that a stop loses no committed data.
        let options = format!(
            "-p {} -k {} -c listen_addresses=127.0.0.1 {}",
            self.port,
            self.folder.path().display(),
            self.options
        );
        let started = self
            .command("pg_ctl")
            .args(["start", "--silent", "--wait", "-D"])
            .arg(self.data())
            .arg("-l")
            .arg(self.folder.path().join("log"))
            .args(["-o", &options])
            .stdout(Stdio::null())
            .status();
        started.unwrap().success()
    }

    /// Starts the server if it has ended by itself, as it does when it cannot write to its log.
    pub(crate) fn start_if_ended(&self) {
        let status = self
            .command("pg_ctl")
            .args(["status", "--silent", "-D"])
            .arg(self.data())
            .stdout(Stdio::null())
            .status();
        if !status.unwrap().success() {
            // It may be about to end, or to fail again: the caller repeats this until the service works.
            let _ = self.try_start();
        }
    }

    /// Ends all processes of the server without a clean shutdown.
    pub(crate) fn stop_immediately(&self) {
        let stopped = self
            .command("pg_ctl")
            .args(["stop", "--silent", "--mode=immediate", "-D"])
            .arg(self.data())
            .status();
        assert!(stopped.unwrap().success(), "{}", self.log());
    }

    /// The file in which the server's first process notes its number.
    fn id_file(&self) -> PathBuf {
        self.data().join("postmaster.pid")
    }

    /// The server's first process, which starts one for each connection.
    fn postmaster(&self) -> RunningProcess {
        let file = std::fs::read_to_string(self.id_file()).unwrap();
        let id = file.lines().next().and_then(|id| id.parse().ok());
        RunningProcess::read(id.unwrap()).unwrap()
    }

    /// Kills the server's first process with SIGKILL. The others end when they notice; until then they keep the shared memory in
    /// use, and no server can start.
    pub(crate) fn kill_server(&self) {
        let postmaster = self.postmaster();
        let mut processes = descendants(postmaster.id);
        assert!(postmaster.kill());
        let folder = PathBuf::from(format!("/proc/{}", postmaster.id));
        processes.push(postmaster);
        wait_for_ends("postgres has ended", &processes);
        // The next server replaces the files with its number, unless nobody has waited for the orphaned process yet, as in many
        // containers: then the number still belongs to a process, and no server would start.
        if folder.exists() {
            let socket = format!(".s.PGSQL.{}.lock", self.port);
            for file in [self.id_file(), self.folder.path().join(socket)] {
                let _ = std::fs::remove_file(file);
            }
        }
    }

    /// Kills one of the server's other processes with SIGKILL: one of a connection, mostly. The server ends all connections and
    /// recovers.
    pub(crate) fn kill_backend(&self, random: &mut Random) {
        let killed = kill_one(&descendants(self.postmaster().id), random);
        wait_for_ends("the process has ended", killed.as_slice());
        self.wait_until_it_responds();
    }

    /// Terminates all other connections.
    pub(crate) fn break_connections(&self) {
        self.query(
            "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity \
             WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()",
        );
    }

    pub(crate) fn query(&self, sql: &str) -> String {
        self.try_query(sql).unwrap_or_else(|| panic!("{sql}"))
    }

    fn try_query(&self, sql: &str) -> Option<String> {
        let output = Command::new(self.programs.join("psql"))
            .args(["--no-psqlrc", "-qAt", "-v", "ON_ERROR_STOP=1", "-d"])
            .args([&self.url(), "-c", sql])
            .output()
            .ok()?;
        let text = String::from_utf8(output.stdout).ok()?;
        output.status.success().then(|| text.trim().to_owned())
    }

    fn log(&self) -> String {
        std::fs::read_to_string(self.folder.path().join("log")).unwrap_or_default()
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        // Fails if the server is already stopped.
        let _ = self
            .command("pg_ctl")
            .args(["stop", "--silent", "--mode=immediate", "-D"])
            .arg(self.data())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status();
    }
}

/// The folder of the server's programs. `cargo xtask` finds it and passes it on; without it they must be in PATH.
fn programs() -> PathBuf {
    std::env::var_os("POSTGRES_PROGRAMS")
        .map(PathBuf::from)
        .or_else(|| {
            let path = std::env::var_os("PATH")?;
            std::env::split_paths(&path).find(|folder| folder.join("pg_ctl").is_file())
        })
        .expect(
            "these tests start a Postgres: install one, and run `cargo xtask test` or set POSTGRES_PROGRAMS to the folder \
             of pg_ctl",
        )
}

/// The user to run Postgres as instead of root; `None` if the test does not run as root.
fn unprivileged() -> Option<(u32, u32)> {
    let own_id = std::fs::metadata(Path::new("/proc/self")).unwrap().uid();
    if own_id != 0 {
        return None;
    }
    let users = std::fs::read_to_string("/etc/passwd").unwrap();
    let ids = |name: &str| {
        users.lines().find_map(|line| {
            let fields: Vec<&str> = line.split(':').collect();
            (fields[0] == name).then(|| (fields[2].parse().unwrap(), fields[3].parse().unwrap()))
        })
    };
    let user = ids("postgres").or_else(|| ids("nobody"));
    assert!(
        user.is_some(),
        "Postgres does not run as root, and there is no user `postgres` or `nobody`"
    );
    user
}
