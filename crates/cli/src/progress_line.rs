//! The progress line: pages, rate, queue, errors, and the limit that will end the crawl.

use std::sync::Arc;
use std::time::Duration;

use crawler_engine::Progress;
use crawler_frontier::ProgressCounts;
use crawler_model::{Limits, counted, grouped};
use tokio::time::{Instant, MissedTickBehavior};

use crate::console::{Console, Value};
use crate::numbers::{size, span};

const REDRAW_INTERVAL: Duration = Duration::from_millis(200);
/// Interval where the line cannot be redrawn in place.
const REPEAT_INTERVAL: Duration = Duration::from_secs(2);

/// Shows progress until it is dropped; `from` is the elapsed time of earlier runs of a resumed crawl.
pub(crate) async fn show(
    console: Console,
    progress: Arc<Progress>,
    limits: Limits,
    from: Duration,
) {
    let started = Instant::now();
    let first = progress.progress_counts().pages;
    let interval = if console.redraws() {
        REDRAW_INTERVAL
    } else {
        REPEAT_INTERVAL
    };
    let mut ticks = tokio::time::interval_at(started + interval, interval);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let mut before = (started, first);
    let mut rate = 0.0;
    loop {
        ticks.tick().await;
        let counts = progress.progress_counts();
        let now = Instant::now();
        let seconds = (now - before.0).as_secs_f64();
        if seconds >= 1.0 {
            rate = counts.pages.saturating_sub(before.1) as f64 / seconds;
            before = (now, counts.pages);
        } else if before.1 == first {
            let pages = counts.pages.saturating_sub(first);
            rate = pages as f64 / started.elapsed().as_secs_f64().max(0.1);
        }
        let elapsed = from + started.elapsed();
        let line = line(&counts, rate, elapsed, &limits, console.width());
        let fields = [
            ("pages", Value::Number(counts.pages)),
            ("queued", Value::Number(counts.queued)),
            ("in_flight", Value::Number(counts.in_flight)),
            ("failed", Value::Number(counts.failed)),
            ("bytes", Value::Number(counts.bytes)),
            ("seconds", Value::Seconds(elapsed.as_secs_f64())),
        ];
        console.progress(&line, &fields);
    }
}

/// The progress line; parts are left out, least important first, until it fits.
fn line(
    counts: &ProgressCounts,
    rate: f64,
    elapsed: Duration,
    limits: &Limits,
    width: usize,
) -> String {
    let limit = match (limits.pages, limits.duration, limits.bytes) {
        (Some(pages), _, _) => format!("of at most {}", grouped(pages)),
        (None, Some(duration), _) => format!("at most {}", span(duration)),
        (None, None, Some(bytes)) => format!("at most {}", size(bytes)),
        (None, None, None) => String::new(),
    };
    // The higher the rank, the sooner a part is left out; 0 is never left out.
    let mut parts = vec![
        (0, counted(counts.pages, "page")),
        (2, limit),
        (0, format!("{rate:.0}/s")),
        (0, format!("{} queued", grouped(counts.queued))),
        (4, format!("{} in flight", counts.in_flight)),
        (0, counted(counts.failed, "error")),
        (3, size(counts.bytes)),
        (1, span(elapsed)),
    ];
    parts.retain(|(_, part)| !part.is_empty());
    loop {
        let texts: Vec<&str> = parts.iter().map(|(_, part)| part.as_str()).collect();
        let line = texts.join("  ");
        let highest = parts.iter().map(|(rank, _)| *rank).max().unwrap_or(0);
        if line.chars().count() <= width {
            return line;
        }
        if highest == 0 {
            return fit(&texts.join(" "), width).to_owned();
        }
        parts.retain(|(rank, _)| *rank != highest);
    }
}

/// Cuts a line to the terminal's width; a wrapped line could not be redrawn.
fn fit(line: &str, width: usize) -> &str {
    line.char_indices()
        .nth(width)
        .map_or(line, |(at, _)| &line[..at])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_fits_the_terminal() {
        let counts = ProgressCounts {
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
        for (width, expected) in [
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
            let line = line(&counts, 99.6, Duration::from_secs(12), &limits, width);
            assert_eq!(line, expected);
        }
    }
}
