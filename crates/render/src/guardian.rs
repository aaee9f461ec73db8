//! What ends a browser when we cannot: a shell that waits at the end of a pipe.
//!
//! As long as we live we hold the pipe's other end. When we are gone, killed without a word included, the pipe ends, and
//! the guardian kills every process of the browser and removes its profile. It is also the hand that kills: one process
//! by its number, or all of them when we let go.

use std::io;
use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use tokio::io::AsyncWriteExt;
use tokio::process::{Child, ChildStdin, Command};
use tokio::sync::mpsc;
use tokio::time::timeout;

/// Processes that left the group carry the profile's name in their command line. It is looked for in all of them at once:
/// a program for each would take longer than the browser does to end. Our own shell has the name in its environment alone,
/// and what it starts is told on a pipe.
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

/// How long it may take to end everything.
const PATIENCE: Duration = Duration::from_secs(5);

/// The guardian of one browser.
#[derive(Debug)]
pub(crate) struct Guardian {
    child: Child,
    orders: mpsc::Sender<String>,
}

impl Guardian {
    /// Guards a group of processes and the profile they work in.
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
            // Of its own, so that Ctrl-C in a terminal is not meant for it.
            .process_group(0)
            .spawn()?;
        let pipe = child
            .stdin
            .take()
            .ok_or_else(|| io::Error::other("no pipe to the guardian"))?;
        let (orders, waiting) = mpsc::channel(64);
        tokio::spawn(pass_on(pipe, waiting));
        Ok(Self { child, orders })
    }

    /// Has one process killed.
    pub(crate) fn kill(&self, process: u32) {
        // A guardian that takes no orders any more is ending everything anyway.
        let _ = self.orders.try_send(format!("kill {process}\n"));
    }

    /// Ends what is left and waits until it is over.
    pub(crate) async fn finish(self) {
        let Self { mut child, orders } = self;
        drop(orders);
        if timeout(PATIENCE, child.wait()).await.is_err() {
            tracing::warn!("a browser's guardian does not end");
        }
    }
}

/// Ends when all senders are gone, and with it the pipe.
async fn pass_on(mut pipe: ChildStdin, mut waiting: mpsc::Receiver<String>) {
    while let Some(order) = waiting.recv().await {
        if pipe.write_all(order.as_bytes()).await.is_err() {
            break;
        }
    }
}
