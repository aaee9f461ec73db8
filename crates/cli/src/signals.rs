//! SIGINT, SIGTERM and SIGHUP: the first drains, the second stops at once.

use std::process;
use std::time::Duration;

use crawler_engine::{Stop, StopLevel};
use tokio::signal::unix::{SignalKind, signal};

use crate::console::{Console, Level};
use crate::exit::SIGNALED;

/// Maximum time to print a message before listening again.
const PRINT_TIMEOUT: Duration = Duration::from_millis(100);
/// Maximum time to close the output after a second signal.
const CLOSE_TIMEOUT: Duration = Duration::from_secs(1);

/// Listens for signals until it is dropped.
pub(crate) async fn listen(stop: Stop, console: Console) -> std::io::Result<()> {
    let mut interrupt = signal(SignalKind::interrupt())?;
    let mut terminate = signal(SignalKind::terminate())?;
    let mut hangup = signal(SignalKind::hangup())?;
    loop {
        tokio::select! {
            _ = interrupt.recv() => (),
            _ = terminate.recv() => (),
            _ = hangup.recv() => (),
        }
        stop.request();
        if stop.level() == StopLevel::Drain {
            let console = console.clone();
            let printed = tokio::task::spawn_blocking(move || {
                let text = "Stopping: finishing requests in flight; press Ctrl-C again to stop immediately";
                console.print(Level::Info, text, "stopping", &[]);
            });
            // A blocked stderr must not delay the second signal.
            let _ = tokio::time::timeout(PRINT_TIMEOUT, printed).await;
        } else {
            exit_after_timeout();
        }
    }
}

/// Exits after [`CLOSE_TIMEOUT`], in which the output can close, even if its reader is blocked.
#[expect(
    clippy::exit,
    reason = "a second signal ends the process even if the writer is blocked"
)]
fn exit_after_timeout() {
    tokio::spawn(async {
        tokio::time::sleep(CLOSE_TIMEOUT).await;
        process::exit(i32::from(SIGNALED));
    });
}
