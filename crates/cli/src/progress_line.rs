//! The progress line: pages, rate, queue, errors, and the limit that will end the crawl.

use std::sync::Arc;
use std::time::Duration;

use engine::Progress;
use frontier::Glance;
use model::Limits;
use tokio::time::{Instant, MissedTickBehavior};

use crate::numbers::{grouped, size, span};
use crate::talk::{Talk, Value};

const REDRAW: Duration = Duration::from_millis(200);
/// Where it cannot be redrawn in place, it is said less often.
const REPEAT: Duration = Duration::from_secs(2);

/// Shows progress until it is dropped; `from` is how long the crawl has run before.
pub(crate) async fn show(talk: Talk, progress: Arc<Progress>, limits: Limits, from: Duration) {
    let begun = Instant::now();
    let first = progress.glance().pages;
    let every = if talk.redraws() { REDRAW } else { REPEAT };
    let mut ticks = tokio::time::interval_at(begun + every, every);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let mut before = (begun, first);
    let mut rate = 0.0;
    loop {
        ticks.tick().await;
        let glance = progress.glance();
        let now = Instant::now();
        let passed = (now - before.0).as_secs_f64();
        if passed >= 1.0 {
            rate = glance.pages.saturating_sub(before.1) as f64 / passed;
            before = (now, glance.pages);
        } else if before.1 == first {
            let pages = glance.pages.saturating_sub(first);
            rate = pages as f64 / begun.elapsed().as_secs_f64().max(0.1);
        }
        let elapsed = from + begun.elapsed();
        let line = line(&glance, rate, elapsed, &limits, talk.room());
        let fields = [
            ("pages", Value::Number(glance.pages)),
            ("queued", Value::Number(glance.queued)),
            ("in_flight", Value::Number(glance.in_flight)),
            ("failed", Value::Number(glance.failed)),
            ("bytes", Value::Number(glance.bytes)),
            ("seconds", Value::Seconds(elapsed.as_secs_f64())),
        ];
        talk.progress(&line, &fields);
    }
}

/// As much as fits: what matters least is left out first.
fn line(glance: &Glance, rate: f64, elapsed: Duration, limits: &Limits, room: usize) -> String {
    let limit = match (limits.pages, limits.duration, limits.bytes) {
        (Some(pages), _, _) => format!("of at most {}", grouped(pages)),
        (None, Some(duration), _) => format!("at most {}", span(duration)),
        (None, None, Some(bytes)) => format!("at most {}", size(bytes)),
        (None, None, None) => String::new(),
    };
    // Each with how soon it may be left out; 0 is never.
    let mut parts = vec![
        (0, format!("{} pages", grouped(glance.pages))),
        (2, limit),
        (0, format!("{rate:.0}/s")),
        (0, format!("{} queued", grouped(glance.queued))),
        (4, format!("{} in flight", glance.in_flight)),
        (0, format!("{} errors", grouped(glance.failed))),
        (3, size(glance.bytes)),
        (1, span(elapsed)),
    ];
    parts.retain(|(_, part)| !part.is_empty());
    loop {
        let texts: Vec<&str> = parts.iter().map(|(_, part)| part.as_str()).collect();
        let line = texts.join("  ");
        let first_to_go = parts.iter().map(|(rank, _)| *rank).max().unwrap_or(0);
        if line.chars().count() <= room {
            return line;
        }
        if first_to_go == 0 {
            return fit(&texts.join(" "), room).to_owned();
        }
        parts.retain(|(rank, _)| *rank != first_to_go);
    }
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
        for (room, expected) in [
            (
                usize::MAX,
                "1,234 pages  of at most 2,000  100/s  678 queued  25 in flight  5 errors  4.0 MB  12.0 s",
            ),
            (
                79,
                "1,234 pages  of at most 2,000  100/s  678 queued  5 errors  4.0 MB  12.0 s",
            ),
            (50, "1,234 pages  100/s  678 queued  5 errors  12.0 s"),
            (39, "1,234 pages 100/s 678 queued 5 errors"),
            (20, "1,234 pages 100/s 67"),
        ] {
            let line = line(&glance, 99.6, Duration::from_secs(12), &limits, room);
            assert_eq!(line, expected);
        }
    }
}
