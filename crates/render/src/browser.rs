//! One running Chromium: its processes, its pipe and its watchdog.
//!
//! It runs in its own process group, as an unprivileged user if we are root, with an empty environment (ours may hold
//! secrets) and a new profile. It ends when its pipe closes, when it is closed, or when its watchdog notices that our
//! process has exited.

use std::env;
use std::fmt;
use std::hash::{BuildHasher, RandomState};
use std::io;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, Weak};
use std::time::Duration;

use crawler_model::lock;

use serde::Deserialize;
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncReadExt, BufReader};
use tokio::process::{Child, Command};
use tokio::time::{Instant, timeout};

use crate::browser_user::BrowserUser;
use crate::budget_meter::BudgetMeter;
use crate::cdp::Cdp;
use crate::egress_proxy::EgressProxy;
use crate::flags::{flags, prepare_profile};
use crate::process_limits::watch_processes;
use crate::watchdog::Watchdog;
use crate::{Chromium, RenderSettings, processes};

/// Time limit for a start, which takes a third of a second, or several seconds on a busy machine.
const START_TIMEOUT: Duration = Duration::from_secs(20);
/// Time limit for a browser to exit before it is killed.
const EXIT_TIMEOUT: Duration = Duration::from_secs(2);
/// Time limit for the response of a healthy browser.
const PING_TIMEOUT: Duration = Duration::from_secs(3);
/// Time for page processes to enter their sandbox, and the interval between checks.
const SANDBOX_TIMEOUT: Duration = Duration::from_secs(3);
const SANDBOX_CHECK_INTERVAL: Duration = Duration::from_millis(20);
/// Prefix of profile folder names, followed by our process id.
const PROFILE_PREFIX: &str = "crawler-br-";
/// Maximum number of stderr lines kept, and their maximum length.
const MAX_STDERR_LINES: usize = 12;
const MAX_STDERR_LINE_BYTES: u64 = 400;

/// Moves the pipes from standard input and output to file descriptors 3 and 4, where Chromium expects them. The memory
/// limit stops processes that allocate faster than we check.
const LAUNCH_SCRIPT: &str = r#"ulimit -c 0; ulimit -d "$1" 2>/dev/null; shift; exec 3<&0 4>&1 </dev/null >/dev/null; exec "$@""#;
/// Environment variables passed to the browser, and those added for a visible window.
const PASSED_VARIABLES: [&str; 4] = ["PATH", "LANG", "LC_ALL", "TZ"];
const WINDOW_VARIABLES: [&str; 4] = [
    "DISPLAY",
    "WAYLAND_DISPLAY",
    "XAUTHORITY",
    "XDG_RUNTIME_DIR",
];

/// A running browser.
pub(crate) struct Browser {
    pub(crate) cdp: Cdp,
    /// Its own user agent.
    pub(crate) user_agent: String,
    pub(crate) group: u32,
    started: Instant,
    pages: AtomicU64,
    /// Number of open tabs.
    tabs: AtomicUsize,
    pub(crate) over_memory: AtomicBool,
    failed: AtomicBool,
    watched: AtomicBool,
    /// Whether its page processes were found to be sandboxed.
    sandboxed: AtomicBool,
    pub(crate) memory_kills: AtomicU64,
    pub(crate) cpu_kills: AtomicU64,
    /// The meters of its tabs.
    pub(crate) meters: Mutex<Vec<Weak<BudgetMeter>>>,
    processes: Mutex<Option<ChildProcesses>>,
    /// Refuses and counts requests made by the browser itself, until the browser is dropped.
    _own_requests_proxy: EgressProxy,
}

struct ChildProcesses {
    child: Child,
    watchdog: Watchdog,
}

/// Numbers of page processes that were killed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct ProcessKills {
    /// For exceeding the memory limit.
    pub(crate) memory: u64,
    /// For using the CPU time of a page while it was not known which tab they belong to.
    pub(crate) cpu: u64,
}

/// The browser did not start.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub(crate) enum StartError {
    /// It cannot start until the configuration changes.
    #[error("{0}")]
    Permanent(String),
    /// Another attempt may succeed.
    #[error("{0}")]
    Temporary(String),
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Version {
    user_agent: String,
}

/// Returns the command that starts the browser in a process group of its own. `proxy_port` is for its own requests.
fn launch_command(
    chromium: &Chromium,
    settings: &RenderSettings,
    profile: &Path,
    proxy_port: u16,
) -> Command {
    let mut command = Command::new("/bin/sh");
    command
        .args(["-c", LAUNCH_SCRIPT, "sh"])
        .arg(((settings.page_memory * 4) >> 10).to_string())
        .arg(chromium.program())
        .args(flags(settings, profile, proxy_port))
        .env_clear()
        .envs(PASSED_VARIABLES.iter().filter_map(variable))
        .env("HOME", profile)
        .env("TMPDIR", profile)
        .current_dir(profile)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .process_group(0)
        .kill_on_drop(true);
    if !settings.headless {
        command.envs(WINDOW_VARIABLES.iter().filter_map(variable));
    }
    command
}

impl Browser {
    /// Starts a browser and waits until it responds. Requests that it makes by itself are refused and added to `strays`.
    pub(crate) async fn start(
        chromium: &Chromium,
        settings: &RenderSettings,
        strays: &Arc<AtomicU64>,
    ) -> Result<Arc<Self>, StartError> {
        let temporary =
            |error: io::Error| StartError::Temporary(format!("cannot start Chromium: {error}"));
        let user =
            BrowserUser::needed().map_err(|error| StartError::Permanent(error.to_string()))?;
        let own_requests_proxy = EgressProxy::refusing(strays).map_err(temporary)?;
        let profile = new_profile_path();
        let watchdog = Watchdog::start(&profile).map_err(temporary)?;
        create_profile(&profile, user)?;
        let mut command = launch_command(chromium, settings, &profile, own_requests_proxy.port());
        if let Some(user) = user {
            command.uid(user.user).gid(user.group);
        }
        let mut child = command.spawn().map_err(temporary)?;
        let group = child.id().unwrap_or_default();
        watchdog.set_group(group);
        let pipes = (child.stdin.take(), child.stdout.take(), child.stderr.take());
        let (Some(commands), Some(messages), Some(stderr)) = pipes else {
            return Err(StartError::Temporary(
                "cannot open the pipes to Chromium".to_owned(),
            ));
        };
        let stderr = StderrTail::collect(stderr);
        let cdp = Cdp::over(commands, messages);
        let version = cdp
            .call_within::<Version>(START_TIMEOUT, None, "Browser.getVersion", json!({}))
            .await;
        let user_agent = match version {
            Ok(version) => version.user_agent,
            Err(error) => {
                watchdog.finish().await;
                let _ = timeout(EXIT_TIMEOUT, child.wait()).await;
                return Err(stderr.explain(&error.to_string(), chromium));
            }
        };
        let browser = Arc::new(Self {
            cdp,
            user_agent,
            group,
            started: Instant::now(),
            pages: AtomicU64::new(0),
            tabs: AtomicUsize::new(0),
            over_memory: AtomicBool::new(false),
            failed: AtomicBool::new(false),
            watched: AtomicBool::new(false),
            sandboxed: AtomicBool::new(false),
            memory_kills: AtomicU64::new(0),
            cpu_kills: AtomicU64::new(0),
            meters: Mutex::default(),
            processes: Mutex::new(Some(ChildProcesses { child, watchdog })),
            _own_requests_proxy: own_requests_proxy,
        });
        tokio::spawn(watch_processes(
            Arc::downgrade(&browser),
            browser.cdp.clone(),
            settings.clone(),
        ));
        Ok(browser)
    }

    /// Whether it is running.
    pub(crate) fn is_alive(&self) -> bool {
        !self.cdp.is_closed()
    }

    /// Whether it should be replaced: too many pages, too old, too much memory, or failed.
    pub(crate) fn is_expired(&self, settings: &RenderSettings) -> bool {
        self.over_memory.load(Ordering::Relaxed)
            || self.is_failed()
            || self.pages.load(Ordering::Relaxed) >= settings.recycle_pages
            || self.started.elapsed() >= settings.recycle_age
    }

    /// Marks it as failed; it is not used for another page.
    pub(crate) fn mark_failed(&self) {
        self.failed.store(true, Ordering::Relaxed);
    }

    /// Whether it was marked as failed.
    pub(crate) fn is_failed(&self) -> bool {
        self.failed.load(Ordering::Relaxed)
    }

    /// Whether it is running and responds.
    pub(crate) async fn responds(&self) -> bool {
        self.cdp
            .call_within::<Value>(PING_TIMEOUT, None, "Browser.getVersion", json!({}))
            .await
            .is_ok()
    }

    /// Returns the time since its start.
    pub(crate) fn age(&self) -> Duration {
        self.started.elapsed()
    }

    /// Marks it as watched for idleness. Returns whether it already was.
    pub(crate) fn mark_watched(&self) -> bool {
        self.watched.swap(true, Ordering::Relaxed)
    }

    /// Counts an opened tab.
    pub(crate) fn tab_opened(&self) {
        self.tabs.fetch_add(1, Ordering::Relaxed);
    }

    /// Counts a closed tab.
    pub(crate) fn tab_closed(&self) {
        self.tabs.fetch_sub(1, Ordering::Relaxed);
    }

    /// Whether it has no open tabs.
    pub(crate) fn is_empty(&self) -> bool {
        self.tabs.load(Ordering::Relaxed) == 0
    }

    /// Counts a page.
    pub(crate) fn count_page(&self) {
        self.pages.fetch_add(1, Ordering::Relaxed);
    }

    /// Returns the numbers of page processes that were killed.
    pub(crate) fn kills(&self) -> ProcessKills {
        ProcessKills {
            memory: self.memory_kills.load(Ordering::Relaxed),
            cpu: self.cpu_kills.load(Ordering::Relaxed),
        }
    }

    /// Measures the CPU time of a tab's processes until its meter is dropped.
    pub(crate) fn meter_tab(&self, meter: &Arc<BudgetMeter>) {
        let mut meters = lock(&self.meters);
        meters.retain(|meter| meter.strong_count() > 0);
        meters.push(Arc::downgrade(meter));
    }

    /// Whether every page process is in its sandbox. Called when there is one; a process that has just been forked gets
    /// a moment to enter its sandbox.
    pub(crate) async fn is_sandboxed(&self) -> bool {
        let started = Instant::now();
        while !self.sandboxed.load(Ordering::Relaxed) {
            if processes::are_sandboxed(&of_group(self.group).await) {
                self.sandboxed.store(true, Ordering::Relaxed);
            } else if started.elapsed() > SANDBOX_TIMEOUT {
                // If the browser exited meanwhile, the sandbox is not the problem.
                return !self.is_alive();
            } else {
                tokio::time::sleep(SANDBOX_CHECK_INTERVAL).await;
            }
        }
        true
    }

    /// Ends all its processes.
    pub(crate) async fn close(&self) {
        let processes = lock(&self.processes).take();
        let Some(ChildProcesses {
            mut child,
            watchdog,
        }) = processes
        else {
            return;
        };
        self.cdp.post(None, "Browser.close", json!({}));
        // The leader is not reaped yet, so that its process group id cannot be reused.
        let _ = timeout(EXIT_TIMEOUT, self.cdp.closed()).await;
        watchdog.finish().await;
        let _ = timeout(EXIT_TIMEOUT, child.wait()).await;
    }

    /// Kills one of its processes.
    pub(crate) fn kill(&self, process: u32) {
        let processes = lock(&self.processes);
        if let Some(processes) = &*processes {
            processes.watchdog.kill(process);
        }
    }
}

impl fmt::Debug for Browser {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Browser")
            .field("group", &self.group)
            .field("pages", &self.pages)
            .finish_non_exhaustive()
    }
}

/// Returns the current processes of a group.
pub(crate) async fn of_group(group: u32) -> Vec<processes::Process> {
    tokio::task::spawn_blocking(move || processes::of_group(group))
        .await
        .unwrap_or_default()
}

fn variable<'a>(name: &&'a str) -> Option<(&'a str, std::ffi::OsString)> {
    Some((name, env::var_os(name)?))
}

/// Returns the path of a new profile. Its name is short because the browser puts its sockets there, and socket paths have a
/// length limit.
fn new_profile_path() -> PathBuf {
    let number = RandomState::new().hash_one("profile") & 0xffff_ffff;
    let name = format!("{PROFILE_PREFIX}{}-{number:08x}", std::process::id());
    env::temp_dir().join(name)
}

/// Creates a profile folder owned by the browser's user. If that fails, the watchdog removes what there is of it.
fn create_profile(folder: &Path, user: Option<BrowserUser>) -> Result<(), StartError> {
    remove_stale_profiles(&env::temp_dir());
    let failed = |error: io::Error| {
        let folder = folder.display();
        let message = format!(
            "cannot create the browser profile {folder}: {error}; set TMPDIR to use another folder"
        );
        StartError::Permanent(message)
    };
    if let (Some(user), Some(inaccessible)) =
        (user, user.and_then(|user| user.inaccessible_folder(folder)))
    {
        let inaccessible = inaccessible.display();
        return Err(StartError::Permanent(format!(
            "the browser runs as user {} and cannot access {inaccessible}, which would hold its profile; set TMPDIR to use another folder",
            user.user
        )));
    }
    let mut builder = std::fs::DirBuilder::new();
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder).map_err(failed)?;
    let owner = user.map(|user| (user.user, user.group));
    prepare_profile(folder, owner).map_err(failed)
}

/// Removes profiles of processes that no longer exist, for example after a power failure.
fn remove_stale_profiles(temporary: &Path) {
    let Ok(entries) = std::fs::read_dir(temporary) else {
        return;
    };
    for entry in entries.flatten() {
        let name = entry.file_name();
        let owner = name
            .to_str()
            .and_then(|name| name.strip_prefix(PROFILE_PREFIX));
        let owner = owner.and_then(|rest| rest.split_once('-')?.0.parse::<u32>().ok());
        let is_over = |owner: u32| {
            Path::new("/proc/self").exists() && !Path::new(&format!("/proc/{owner}")).exists()
        };
        if owner.is_some_and(is_over) {
            // Folders of other users cannot be removed and stay.
            let _ = std::fs::remove_dir_all(entry.path());
        }
    }
}

/// The last lines of a browser's stderr, used to explain a failed start.
struct StderrTail(Arc<Mutex<Vec<String>>>);

impl StderrTail {
    fn collect(pipe: tokio::process::ChildStderr) -> Self {
        let lines = Arc::new(Mutex::new(Vec::new()));
        let tail = Arc::clone(&lines);
        let mut pipe = BufReader::new(pipe);
        // Read to the end: a full pipe would block the browser.
        tokio::spawn(async move {
            let mut line = Vec::new();
            loop {
                line.clear();
                let mut piece = (&mut pipe).take(MAX_STDERR_LINE_BYTES);
                if !matches!(piece.read_until(b'\n', &mut line).await, Ok(1..)) {
                    return;
                }
                let text = String::from_utf8_lossy(&line).trim().to_owned();
                let mut tail = lock(&tail);
                tail.push(text);
                if tail.len() > MAX_STDERR_LINES {
                    tail.remove(0);
                }
            }
        });
        Self(lines)
    }

    /// Returns why it did not start.
    fn explain(&self, error: &str, chromium: &Chromium) -> StartError {
        let lines = lock(&self.0);
        let program = chromium.program().display();
        let mentions_sandbox = |line: &&String| {
            ["sandbox", "namespace"]
                .iter()
                .any(|word| line.to_ascii_lowercase().contains(word))
        };
        if let Some(line) = lines.iter().find(mentions_sandbox) {
            return StartError::Permanent(format!(
                "{program} cannot start its sandbox ({line}): allow user namespaces (in a container: with a seccomp \
                 profile that permits them, or install chromium-sandbox), or disable the sandbox with browser.sandbox: \
                 false (BROWSER_SANDBOX=off), which gives a page that escapes the browser the rights of this user"
            ));
        }
        let last = lines.last().map_or("no output on stderr", String::as_str);
        StartError::Temporary(format!("{program} did not start: {error}; {last}"))
    }
}

/// The result type of a command whose result is ignored.
pub(crate) type Ignored = Value;
