//! The progress line: pages, rate, queue, errors, and the limit that will end the crawl.

use std::sync::Arc;
use std::time::Duration;

use engine::Progress;
use frontier::Glance;
use model::Limits;
use tokio::time::{Instant, MissedTickBehavior};

use crate::numbers::{grouped, size, span};
use crate::talk::Talk;

const REDRAW: Duration = Duration::from_millis(200);
/// Where it cannot be redrawn in place, it is said less often.
const REPEAT: Duration = Duration::from_secs(2);

/// Shows progress until it is dropped.
pub(crate) async fn show(talk: Talk, progress: Arc<Progress>, limits: Limits) {
    let begun = Instant::now();
    let every = if talk.redraws() { REDRAW } else { REPEAT };
    let mut ticks = tokio::time::interval_at(begun + every, every);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let mut before = (begun, 0);
    let mut rate = 0.0;
    loop {
        ticks.tick().await;
        let glance = progress.glance();
        let now = Instant::now();
        let passed = (now - before.0).as_secs_f64();
        if passed >= 1.0 {
            rate = glance.pages.saturating_sub(before.1) as f64 / passed;
            before = (now, glance.pages);
        } else if before.1 == 0 {
            rate = glance.pages as f64 / begun.elapsed().as_secs_f64().max(0.1);
        }
        let line = line(&glance, rate, begun.elapsed(), &limits);
        talk.progress(fit(&line, Talk::width().saturating_sub(1)));
    }
}

fn line(glance: &Glance, rate: f64, elapsed: Duration, limits: &Limits) -> String {
    let limit = match (limits.pages, limits.duration, limits.bytes) {
        (Some(pages), _, _) => format!("  of at most {}", grouped(pages)),
        (None, Some(duration), _) => format!("  at most {}", span(duration)),
        (None, None, Some(bytes)) => format!("  at most {}", size(bytes)),
        (None, None, None) => String::new(),
    };
    format!(
        "{} pages{limit}  {rate:.0}/s  {} queued  {} in flight  {} errors  {}  {}",
        grouped(glance.pages),
        grouped(glance.queued),
        glance.in_flight,
        grouped(glance.failed),
        size(glance.bytes),
        span(elapsed),
    )
}

/// Cuts a line to a terminal's width; a wrapped line could not be redrawn.
fn fit(line: &str, width: usize) -> &str {
    line.char_indices()
        .nth(width)
        .map_or(line, |(at, _)| &line[..at])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn says_what_matters_and_fits() {
        let glance = Glance {
            pages: 1_234,
            failed: 5,
            queued: 678,
            in_flight: 25,
            bytes: 4_000_000,
        };
        let limits = Limits {
            pages: Some(2_000),
            ..Limits::default()
        };
        let line = line(&glance, 99.6, Duration::from_secs(12), &limits);
        assert_eq!(
            line,
            "1,234 pages  of at most 2,000  100/s  678 queued  25 in flight  5 errors  4.0 MB  12.0 s"
        );
        assert_eq!(fit(&line, 20), "1,234 pages  of at m");
    }
}
