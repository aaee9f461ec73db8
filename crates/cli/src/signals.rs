//! SIGINT, SIGTERM and SIGHUP: the first drains, the second stops at once.

use std::process;
use std::time::Duration;

use engine::{Stop, StopLevel};
use tokio::signal::unix::{SignalKind, signal};

use crate::exit::SIGNALLED;
use crate::talk::{Level, Talk};

/// How long a line may take to say before we listen on.
const MOMENT: Duration = Duration::from_millis(100);
/// How long closing the output may take after a second signal.
const LAST_CHANCE: Duration = Duration::from_secs(1);

/// Listens until it is dropped.
pub(crate) async fn listen(stop: Stop, talk: Talk) -> std::io::Result<()> {
    let mut interrupt = signal(SignalKind::interrupt())?;
    let mut terminate = signal(SignalKind::terminate())?;
    let mut hangup = signal(SignalKind::hangup())?;
    loop {
        tokio::select! {
            _ = interrupt.recv() => (),
            _ = terminate.recv() => (),
            _ = hangup.recv() => (),
        }
        stop.ask();
        if stop.level() == StopLevel::Drain {
            let talk = talk.clone();
            let said = tokio::task::spawn_blocking(move || {
                let text = "Stopping: finishing what is in flight; once more to stop at once";
                talk.say(Level::Info, text, "stopping", &[]);
            });
            // A reader of stderr that does not read must not keep the second signal from us.
            let _ = tokio::time::timeout(MOMENT, said).await;
        } else {
            leave_soon();
        }
    }
}

/// The output gets a moment to be closed; a reader that does not read does not keep us.
#[expect(
    clippy::exit,
    reason = "the second signal means now, whatever the writer is waiting for"
)]
fn leave_soon() {
    tokio::spawn(async {
        tokio::time::sleep(LAST_CHANCE).await;
        process::exit(i32::from(SIGNALLED));
    });
}
