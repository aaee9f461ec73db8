//! Ends a browser even if our process is killed: a shell that waits on a pipe.
//!
//! It is started before the browser and its profile exist, so that nothing is left at whatever moment our process is killed.
//! Our process holds the other end of the pipe. When it exits, even by SIGKILL, the pipe closes, and the watchdog kills
//! all processes of the browser and removes its profile. It also kills single processes on command.

use std::io;
use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use tokio::io::AsyncWriteExt;
use tokio::process::{Child, ChildStdin, Command};
use tokio::sync::mpsc;
use tokio::time::timeout;

/// Processes that left the group have the profile path in their command line. One grep searches all of them, because one
/// program per process would be too slow. The path reaches grep through a pipe and the shell through its environment, so
/// that neither of them matches. Without a group, our process was killed while it started the browser, which may not have its
/// command line yet.
const SCRIPT: &str = r#"
group=
while read -r word number; do
  case $word in
    group) group=$number ;;
    kill) kill -9 "$number" 2>/dev/null ;;
  esac
done
if [ -n "$group" ]; then
  kill -9 -- "-$group" 2>/dev/null
else
  sleep 1
fi
for try in 1 2 3; do
  found=$(printf '%s\n' "$PROFILE" | grep -lFs -f - /proc/[0-9]*/cmdline)
  [ -z "$found" ] && break
  for file in $found; do
    process=${file%/cmdline}
    kill -9 "${process#/proc/}" 2>/dev/null
  done
done
rm -rf -- "$PROFILE"
"#;

/// Time limit for ending everything.
const FINISH_TIMEOUT: Duration = Duration::from_secs(5);

/// A watchdog process for one browser.
#[derive(Debug)]
pub(crate) struct Watchdog {
    child: Child,
    commands: mpsc::Sender<String>,
}

impl Watchdog {
    /// Starts a watchdog for a browser that is about to be started with this profile.
    pub(crate) fn start(profile: &Path) -> io::Result<Self> {
        let mut child = Command::new("/bin/sh")
            .args(["-c", SCRIPT])
            .env_clear()
            .env("PATH", "/usr/local/bin:/usr/bin:/bin")
            .env("PROFILE", profile)
            .current_dir("/")
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            // A separate group, so that Ctrl-C in a terminal does not end it.
            .process_group(0)
            .spawn()?;
        let pipe = child
            .stdin
            .take()
            .ok_or_else(|| io::Error::other("cannot open the pipe to the watchdog"))?;
        let (commands, waiting) = mpsc::channel(64);
        tokio::spawn(forward_commands(pipe, waiting));
        Ok(Self { child, commands })
    }

    /// Sets the process group of the browser.
    pub(crate) fn set_group(&self, group: u32) {
        // The queue is empty until the browser runs.
        let _ = self.commands.try_send(format!("group {group}\n"));
    }

    /// Kills one process.
    pub(crate) fn kill(&self, process: u32) {
        // A watchdog that no longer takes commands is already ending everything.
        let _ = self.commands.try_send(format!("kill {process}\n"));
    }

    /// Ends all remaining processes and waits for that.
    pub(crate) async fn finish(self) {
        let Self {
            mut child,
            commands,
        } = self;
        drop(commands);
        if timeout(FINISH_TIMEOUT, child.wait()).await.is_err() {
            tracing::warn!("the browser watchdog did not exit in time");
        }
    }
}

/// Ends, and closes the pipe, when all senders are dropped.
async fn forward_commands(mut pipe: ChildStdin, mut waiting: mpsc::Receiver<String>) {
    while let Some(command) = waiting.recv().await {
        if pipe.write_all(command.as_bytes()).await.is_err() {
            break;
        }
    }
}

// The watchdog searches `/proc`.
#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    /// As if our process was killed before it knew the browser's process group.
    #[tokio::test]
    async fn a_browser_without_a_known_group_is_ended_and_its_profile_deleted() {
        let folder = tempfile::tempdir().unwrap();
        let profile = folder.path().join("profile");
        let watchdog = Watchdog::start(&profile).unwrap();
        std::fs::create_dir(&profile).unwrap();
        let mut browser = Command::new("/bin/sh")
            .args(["-c", "read -r line", "sh"])
            .arg(format!("--user-data-dir={}", profile.display()))
            .stdin(Stdio::piped())
            .process_group(0)
            .spawn()
            .unwrap();
        watchdog.finish().await;
        // Its pipe is still open, so only a signal ends it.
        let status = browser.wait().await.unwrap();
        assert_eq!(
            std::os::unix::process::ExitStatusExt::signal(&status),
            Some(9)
        );
        assert!(!profile.exists());
    }
}
