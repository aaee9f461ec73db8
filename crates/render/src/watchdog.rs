//! Ends a browser even if our process is killed: a shell that waits on a pipe.
//!
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
/// that neither of them matches.
const SCRIPT: &str = r#"
while read -r word number; do
  case $word in
    kill) kill -9 "$number" 2>/dev/null ;;
  esac
done
kill -9 -- "-$GROUP" 2>/dev/null
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
    /// Starts a watchdog for a process group and its profile.
    pub(crate) fn start(group: u32, profile: &Path) -> io::Result<Self> {
        let mut child = Command::new("/bin/sh")
            .args(["-c", SCRIPT])
            .env_clear()
            .env("PATH", "/usr/local/bin:/usr/bin:/bin")
            .env("GROUP", group.to_string())
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
