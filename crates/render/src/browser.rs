//! One running Chromium: its processes, its pipe, its guardian.
//!
//! It runs in a process group of its own, as nobody in particular when we are root, with an empty environment (ours has
//! secrets) and a fresh profile. It ends when its pipe does, when it is closed, and when its guardian sees that we are gone.

use std::env;
use std::fmt;
use std::hash::{BuildHasher, RandomState};
use std::io;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use serde::Deserialize;
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncReadExt, BufReader};
use tokio::process::{Child, Command};
use tokio::time::{Instant, timeout};

use crate::browser_user::BrowserUser;
use crate::cdp::Cdp;
use crate::egress_proxy::EgressProxy;
use crate::flags::{flags, prepare_profile};
use crate::guardian::Guardian;
use crate::{Chromium, RenderSettings, processes};

/// A start takes a third of a second, on a busy machine some seconds.
const START: Duration = Duration::from_secs(20);
/// A browser that is asked to end does so at once, or is killed.
const END: Duration = Duration::from_secs(2);
/// A browser that is well answers within this.
const LISTEN: Duration = Duration::from_secs(3);
/// How often its memory is looked at.
const LOOK: Duration = Duration::from_millis(300);
/// Its page processes are in their sandbox within this, and how often they are looked at until then.
const LOCK_IN: Duration = Duration::from_secs(3);
const LOOK_AGAIN: Duration = Duration::from_millis(20);
/// How the names of profiles begin; the number of the process that made one follows.
const PROFILE: &str = "crawler-br-";
/// Lines of its complaints that are kept, and how long each.
const COMPLAINTS: usize = 12;
const COMPLAINT: u64 = 400;

/// The pipes come as standard input and output and are moved to where Chromium looks for them. The limit is a backstop:
/// whoever allocates faster than we look dies of it.
const LAUNCH: &str = r#"ulimit -c 0; ulimit -d "$1" 2>/dev/null; shift; exec 3<&0 4>&1 </dev/null >/dev/null; exec "$@""#;
/// Variables of ours the browser may see; with a window, those that lead to the screen too.
const KEPT: [&str; 4] = ["PATH", "LANG", "LC_ALL", "TZ"];
const KEPT_FOR_A_WINDOW: [&str; 4] = [
    "DISPLAY",
    "WAYLAND_DISPLAY",
    "XAUTHORITY",
    "XDG_RUNTIME_DIR",
];

/// One running browser.
pub(crate) struct Browser {
    pub(crate) cdp: Cdp,
    /// As it names itself.
    pub(crate) user_agent: String,
    group: u32,
    begun: Instant,
    pages: AtomicU64,
    /// Tabs that are open.
    tabs: AtomicUsize,
    tired: AtomicBool,
    given_up: AtomicBool,
    watched: AtomicBool,
    /// Its page processes were seen in their sandbox.
    sandboxed: AtomicBool,
    /// Page processes that were ended for their memory.
    too_big: AtomicU64,
    inner: Mutex<Option<Inner>>,
    strays: EgressProxy,
}

struct Inner {
    child: Child,
    guardian: Guardian,
}

/// A browser did not start.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub(crate) enum StartError {
    /// It will not start as long as nobody changes something.
    #[error("{0}")]
    Never(String),
    /// It may start another time.
    #[error("{0}")]
    Once(String),
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Version {
    user_agent: String,
}

impl Browser {
    /// Starts one and waits until it answers.
    pub(crate) async fn start(
        chromium: &Chromium,
        settings: &RenderSettings,
    ) -> Result<Arc<Self>, StartError> {
        let once = |error: io::Error| StartError::Once(format!("cannot start Chromium: {error}"));
        let user = BrowserUser::needed().map_err(|error| StartError::Never(error.to_string()))?;
        let strays = EgressProxy::refusing().map_err(once)?;
        let profile = profile(user)?;
        let flags = flags(settings, &profile, strays.port());
        let mut command = Command::new("/bin/sh");
        command
            .args(["-c", LAUNCH, "sh"])
            .arg(((settings.page_memory * 4) >> 10).to_string())
            .arg(chromium.program())
            .args(flags)
            .env_clear()
            .envs(KEPT.iter().filter_map(kept))
            .env("HOME", &profile)
            .env("TMPDIR", &profile)
            .current_dir(&profile)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .process_group(0)
            .kill_on_drop(true);
        if !settings.headless {
            command.envs(KEPT_FOR_A_WINDOW.iter().filter_map(kept));
        }
        if let Some(user) = user {
            command.uid(user.user).gid(user.group);
        }
        let spawned = command.spawn();
        let mut child = match spawned {
            Ok(child) => child,
            Err(error) => {
                let _ = std::fs::remove_dir_all(&profile);
                return Err(once(error));
            }
        };
        let group = child.id().unwrap_or_default();
        let guardian = match Guardian::start(group, &profile) {
            Ok(guardian) => guardian,
            Err(error) => {
                let _ = child.kill().await;
                let _ = std::fs::remove_dir_all(&profile);
                return Err(once(error));
            }
        };
        let pipes = (child.stdin.take(), child.stdout.take(), child.stderr.take());
        let (Some(commands), Some(messages), Some(complaints)) = pipes else {
            return Err(StartError::Once("no pipe to Chromium".to_owned()));
        };
        let complaints = Complaints::listen(complaints);
        let cdp = Cdp::over(commands, messages);
        let version = cdp
            .call_within::<Version>(START, None, "Browser.getVersion", json!({}))
            .await;
        let user_agent = match version {
            Ok(version) => version.user_agent,
            Err(error) => {
                guardian.finish().await;
                let _ = timeout(END, child.wait()).await;
                return Err(complaints.explain(&error.to_string(), chromium));
            }
        };
        let browser = Arc::new(Self {
            cdp,
            user_agent,
            group,
            begun: Instant::now(),
            pages: AtomicU64::new(0),
            tabs: AtomicUsize::new(0),
            tired: AtomicBool::new(false),
            given_up: AtomicBool::new(false),
            watched: AtomicBool::new(false),
            sandboxed: AtomicBool::new(false),
            too_big: AtomicU64::new(0),
            inner: Mutex::new(Some(Inner { child, guardian })),
            strays,
        });
        tokio::spawn(watch(
            Arc::downgrade(&browser),
            browser.cdp.clone(),
            settings.clone(),
        ));
        Ok(browser)
    }

    /// Whether it is there.
    pub(crate) fn is_alive(&self) -> bool {
        !self.cdp.is_gone()
    }

    /// Whether it did enough: too many pages, too old, too big.
    pub(crate) fn is_tired(&self, settings: &RenderSettings) -> bool {
        self.tired.load(Ordering::Relaxed)
            || self.is_given_up()
            || self.pages.load(Ordering::Relaxed) >= settings.recycle_pages
            || self.begun.elapsed() >= settings.recycle_age
    }

    /// It is not used for another page: something is wrong with it.
    pub(crate) fn give_up(&self) {
        self.given_up.store(true, Ordering::Relaxed);
    }

    /// Whether something was wrong with it.
    pub(crate) fn is_given_up(&self) -> bool {
        self.given_up.load(Ordering::Relaxed)
    }

    /// Whether it is there and listens.
    pub(crate) async fn answers(&self) -> bool {
        self.cdp
            .call_within::<Value>(LISTEN, None, "Browser.getVersion", json!({}))
            .await
            .is_ok()
    }

    /// How long it has been there.
    pub(crate) fn age(&self) -> Duration {
        self.begun.elapsed()
    }

    /// Whether somebody watches over it already; from now on somebody does.
    pub(crate) fn is_watched(&self) -> bool {
        self.watched.swap(true, Ordering::Relaxed)
    }

    /// A tab was opened.
    pub(crate) fn tab_opened(&self) {
        self.tabs.fetch_add(1, Ordering::Relaxed);
    }

    /// A tab was closed.
    pub(crate) fn tab_closed(&self) {
        self.tabs.fetch_sub(1, Ordering::Relaxed);
    }

    /// Whether no tab is open.
    pub(crate) fn is_empty(&self) -> bool {
        self.tabs.load(Ordering::Relaxed) == 0
    }

    /// A page begins.
    pub(crate) fn count_page(&self) {
        self.pages.fetch_add(1, Ordering::Relaxed);
    }

    /// How many page processes were ended for their memory.
    pub(crate) fn too_big(&self) -> u64 {
        self.too_big.load(Ordering::Relaxed)
    }

    /// Requests of the browser's own, none of which went anywhere.
    pub(crate) fn strays(&self) -> u64 {
        self.strays.asked()
    }

    /// Whether every process that renders pages is in its sandbox. Asked when there is one; one that has just been split
    /// off gets a moment to lock itself in.
    pub(crate) async fn is_sandboxed(&self) -> bool {
        let begun = Instant::now();
        while !self.sandboxed.load(Ordering::Relaxed) {
            if processes::are_sandboxed(&of_group(self.group).await) {
                self.sandboxed.store(true, Ordering::Relaxed);
            } else if begun.elapsed() > LOCK_IN {
                // One that died meanwhile is another matter.
                return !self.is_alive();
            } else {
                tokio::time::sleep(LOOK_AGAIN).await;
            }
        }
        true
    }

    /// Ends it and every process of it.
    pub(crate) async fn close(&self) {
        let inner = self
            .inner
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .take();
        let Some(Inner {
            mut child,
            guardian,
        }) = inner
        else {
            return;
        };
        self.cdp.post(None, "Browser.close", json!({}));
        // Its leader is not waited for yet: as long as it is not, the group's number is nobody else's.
        let _ = timeout(END, self.cdp.gone()).await;
        guardian.finish().await;
        let _ = timeout(END, child.wait()).await;
    }

    fn kill(&self, process: u32) {
        let inner = self.inner.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(inner) = &*inner {
            inner.guardian.kill(process);
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

/// The processes of a group now.
async fn of_group(group: u32) -> Vec<processes::Process> {
    tokio::task::spawn_blocking(move || processes::of_group(group))
        .await
        .unwrap_or_default()
}

fn kept<'a>(name: &&'a str) -> Option<(&'a str, std::ffi::OsString)> {
    Some((name, env::var_os(name)?))
}

/// A fresh folder, given to whoever the browser runs as. Its name is short: the browser's own sockets are in it, and the
/// name of a socket has an end.
fn profile(user: Option<BrowserUser>) -> Result<PathBuf, StartError> {
    let temporary = env::temp_dir();
    sweep(&temporary);
    let number = RandomState::new().hash_one("profile") & 0xffff_ffff;
    let folder = temporary.join(format!("{PROFILE}{}-{number:08x}", std::process::id()));
    let failed = |error: io::Error| {
        let folder = folder.display();
        let words = format!(
            "cannot make {folder}, the browser's folder: {error}; TMPDIR names another place"
        );
        StartError::Never(words)
    };
    if let (Some(user), Some(closed)) = (user, user.and_then(|user| user.shut_out(&folder))) {
        let closed = closed.display();
        return Err(StartError::Never(format!(
            "the browser runs as user {} and cannot enter {closed}, where its folder would be; TMPDIR names another place",
            user.user
        )));
    }
    let mut maker = std::fs::DirBuilder::new();
    std::os::unix::fs::DirBuilderExt::mode(&mut maker, 0o700);
    maker.create(&folder).map_err(failed)?;
    let owner = user.map(|user| (user.user, user.group));
    match prepare_profile(&folder, owner) {
        Ok(()) => Ok(folder),
        Err(error) => {
            let _ = std::fs::remove_dir_all(&folder);
            Err(failed(error))
        }
    }
}

/// Removes what browsers left behind whose owner, and guardian, were ended with the machine.
fn sweep(temporary: &Path) {
    let Ok(entries) = std::fs::read_dir(temporary) else {
        return;
    };
    for entry in entries.flatten() {
        let name = entry.file_name();
        let owner = name.to_str().and_then(|name| name.strip_prefix(PROFILE));
        let owner = owner.and_then(|rest| rest.split_once('-')?.0.parse::<u32>().ok());
        let is_over = |owner: u32| {
            Path::new("/proc/self").exists() && !Path::new(&format!("/proc/{owner}")).exists()
        };
        if owner.is_some_and(is_over) {
            // Whose it is not ours to remove stays.
            let _ = std::fs::remove_dir_all(entry.path());
        }
    }
}

/// Looks at the browser's memory while it is there.
async fn watch(browser: std::sync::Weak<Browser>, cdp: Cdp, settings: RenderSettings) {
    loop {
        tokio::select! {
            () = cdp.gone() => return,
            () = tokio::time::sleep(LOOK) => (),
        }
        // Held for no longer than it takes: a browser that somebody holds counts as one at work.
        let Some(group) = browser.upgrade().map(|browser| browser.group) else {
            return;
        };
        let processes = of_group(group).await;
        let Some(browser) = browser.upgrade() else {
            return;
        };
        if holds_too_much(&processes, &settings) {
            browser.tired.store(true, Ordering::Relaxed);
        }
        let too_big = |process: &&processes::Process| {
            process.renders && process.memory > settings.page_memory
        };
        for process in processes.iter().filter(too_big) {
            tracing::debug!(memory = process.memory, "a page's process is too big");
            browser.too_big.fetch_add(1, Ordering::Relaxed);
            browser.kill(process.id);
        }
    }
}

/// Whether all processes together hold more than a browser may. What they share is counted for each of them, so more tabs may
/// hold more.
fn holds_too_much(processes: &[processes::Process], settings: &RenderSettings) -> bool {
    let all: u64 = processes.iter().map(|process| process.memory).sum();
    all > settings.recycle_memory + settings.tabs as u64 * settings.page_memory / 2
}

/// What a browser says on stderr, as far as it may explain its end.
struct Complaints(Arc<Mutex<Vec<String>>>);

impl Complaints {
    fn listen(pipe: tokio::process::ChildStderr) -> Self {
        let lines = Arc::new(Mutex::new(Vec::new()));
        let kept = Arc::clone(&lines);
        let mut pipe = BufReader::new(pipe);
        // To the end: a pipe that nobody empties would stop the browser.
        tokio::spawn(async move {
            let mut line = Vec::new();
            loop {
                line.clear();
                let mut piece = (&mut pipe).take(COMPLAINT);
                if !matches!(piece.read_until(b'\n', &mut line).await, Ok(1..)) {
                    return;
                }
                let text = String::from_utf8_lossy(&line).trim().to_owned();
                let mut kept = kept.lock().unwrap_or_else(PoisonError::into_inner);
                kept.push(text);
                if kept.len() > COMPLAINTS {
                    kept.remove(0);
                }
            }
        });
        Self(lines)
    }

    /// Why it did not start.
    fn explain(&self, error: &str, chromium: &Chromium) -> StartError {
        let lines = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let program = chromium.program().display();
        let about_sandbox = |line: &&String| {
            ["sandbox", "namespace"]
                .iter()
                .any(|word| line.to_ascii_lowercase().contains(word))
        };
        if let Some(line) = lines.iter().find(about_sandbox) {
            return StartError::Never(format!(
                "{program} cannot start its sandbox ({line}): let it make user namespaces (in a container: a seccomp \
                 profile that allows them, or install chromium-sandbox), or switch the sandbox off with browser.sandbox: \
                 false (BROWSER_SANDBOX=off), which lets a page that breaks out of the browser act with our rights"
            ));
        }
        let last = lines.last().map_or("it said nothing", String::as_str);
        StartError::Once(format!("{program} did not start: {error}; {last}"))
    }
}

/// A command's answer that says nothing.
pub(crate) type Nothing = Value;
