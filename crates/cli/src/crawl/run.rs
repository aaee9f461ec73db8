//! Connects the parts of a crawl: frontier, fetcher, writer, signals, progress.

use std::sync::Arc;
use std::time::Duration;

use crawler::wiring::{self, Browser, GivenHosts, PageFetch, RenderTotals};
use crawler_engine::{Progress, Stop};
use crawler_frontier::{Frontier, MemoryFrontier, Moment};
use crawler_model::{CrawlPlan, Sink, Summary, counted};
use crawler_output::{Tee, Written};

use super::first_page_probe::FirstPageProbe;
use crate::console::{Console, Level, Value};
use crate::log_sink::LogSink;
use crate::numbers::span;
use crate::state::State;
use crate::{progress_line, signals};

/// One run of a crawl.
pub(super) struct Run<'a> {
    pub(super) plan: &'a CrawlPlan,
    pub(super) console: &'a Console,
    pub(super) rng_seed: u64,
    pub(super) browser: Option<Browser>,
}

/// Result of a run.
pub(super) struct Ending {
    pub(super) summary: Summary,
    /// The first page seems to need a browser and was fetched without one.
    pub(super) needs_browser: bool,
    /// Totals of the rendered pages.
    pub(super) rendered: RenderTotals,
}

impl Run<'_> {
    /// Runs a crawl without a state file.
    pub(super) async fn start(self, mut sinks: Vec<Box<dyn Sink>>) -> anyhow::Result<Ending> {
        sinks.push(Box::new(self.log_sink()));
        let frontier = MemoryFrontier::new(self.plan, self.rng_seed);
        self.drive(frontier, Duration::ZERO, Tee(sinks)).await
    }

    /// Runs a crawl with a state file, from where the last run stopped.
    pub(super) async fn resume(
        self,
        state: State,
        sinks: Vec<Box<dyn Sink>>,
        outputs: Vec<Written>,
    ) -> anyhow::Result<Ending> {
        let resumed = state.resume(self.plan, Box::new(Tee(sinks)), outputs).await;
        let resumed = resumed?;
        if let Some(counts) = resumed.counts {
            let left = counts.queued + counts.in_flight;
            let text = format!(
                "Resuming after {} and {}, {} left",
                counted(counts.pages, "page"),
                span(resumed.from),
                counted(left, "known URL"),
            );
            let fields = [
                ("pages", Value::Number(counts.pages)),
                ("left", Value::Number(left)),
                ("seconds", Value::Seconds(resumed.from.as_secs_f64())),
            ];
            self.console.print(Level::Info, &text, "resumed", &fields);
        }
        // Added after the replay, so that earlier messages are not repeated.
        let sinks = Tee(vec![resumed.sink, Box::new(self.log_sink())]);
        self.drive(resumed.frontier, resumed.from, sinks).await
    }

    fn log_sink(&self) -> LogSink {
        LogSink::new(self.console.clone(), self.plan.fetch.max_body)
    }

    async fn drive(
        self,
        frontier: impl Frontier + 'static,
        from: Moment,
        sinks: Tee,
    ) -> anyhow::Result<Ending> {
        let (plan, console) = (self.plan, self.console);
        let stop = Stop::new();
        let signals = tokio::spawn(signals::listen(stop.clone(), console.clone()));
        let progress = Arc::new(Progress::default());
        let display = console.shows_progress().then(|| {
            tokio::spawn(progress_line::show(
                console.clone(),
                Arc::clone(&progress),
                plan.limits,
                from,
            ))
        });
        let given = GivenHosts::of([plan.seed()]);
        let fetch = PageFetch::new(self.browser, &plan.fetch, plan.workers, &given).await?;
        let fetch = Arc::new(FirstPageProbe::new(fetch));
        let crawl_fetch = Arc::clone(&fetch);
        let writer = wiring::writer(Box::new(sinks))?;
        let summary = wiring::drive(
            frontier,
            from,
            crawl_fetch,
            plan.workers,
            writer,
            stop,
            progress,
        )
        .await;
        let rendered = fetch.fetch.close().await;
        if let Some(display) = display {
            display.abort();
        }
        signals.abort();
        console.end_progress();
        Ok(Ending {
            summary: summary?,
            needs_browser: fetch.needs_browser(),
            rendered,
        })
    }
}
