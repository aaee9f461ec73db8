//! The wiring of a crawl: frontier, fetch, writer, signals, progress.

use std::sync::Arc;
use std::time::Duration;

use anyhow::Context;
use engine::{Progress, Shelf, Stop, drive_from};
use frontier::{Frontier, MemoryFrontier, Moment};
use model::{CrawlPlan, Sink, Summary};
use output::{Tee, Written};

use super::first_look::FirstLook;
use crate::browser::{Browser, Rendered};
use crate::log_sink::LogSink;
use crate::numbers::{counted, span};
use crate::state::State;
use crate::talk::{Level, Talk, Value};
use crate::typed_hosts::TypedHosts;
use crate::{browser, progress_line, signals};

/// A crawl that is wired and run.
pub(super) struct Run<'a> {
    pub(super) plan: &'a CrawlPlan,
    pub(super) talk: &'a Talk,
    pub(super) chance: u64,
    pub(super) browser: Option<Browser>,
}

/// How a crawl went.
pub(super) struct Ending {
    pub(super) summary: Summary,
    /// The first page seemed to need a browser, and had none.
    pub(super) needs_browser: bool,
    /// What the browser did.
    pub(super) rendered: Rendered,
}

impl Run<'_> {
    /// A crawl that nobody keeps.
    pub(super) async fn begin(self, mut sinks: Vec<Box<dyn Sink>>) -> anyhow::Result<Ending> {
        sinks.push(Box::new(LogSink::new(self.talk.clone())));
        let frontier = MemoryFrontier::new(self.plan.clone(), self.chance);
        self.drive(frontier, Duration::ZERO, Tee(sinks)).await
    }

    /// A crawl that is kept, from where it stopped.
    pub(super) async fn go_on(
        self,
        state: State,
        sinks: Vec<Box<dyn Sink>>,
        outputs: Vec<Written>,
    ) -> anyhow::Result<Ending> {
        let resumed = state.resume(self.plan, Box::new(Tee(sinks)), outputs).await;
        let resumed = resumed?;
        if let Some(glance) = resumed.glance {
            let left = glance.queued + glance.in_flight;
            let text = format!(
                "Resuming after {} and {}: {} to go",
                counted(glance.pages, "page", "pages"),
                span(resumed.from),
                counted(left, "known URL", "known URLs"),
            );
            let fields = [
                ("pages", Value::Number(glance.pages)),
                ("left", Value::Number(left)),
                ("seconds", Value::Seconds(resumed.from.as_secs_f64())),
            ];
            self.talk.say(Level::Info, &text, "resumed", &fields);
        }
        // What was said before is not said again.
        let log = Box::new(LogSink::new(self.talk.clone()));
        let sinks = Tee(vec![resumed.sink, log]);
        self.drive(resumed.frontier, resumed.from, sinks).await
    }

    async fn drive(
        self,
        frontier: impl Frontier + 'static,
        from: Moment,
        sinks: Tee,
    ) -> anyhow::Result<Ending> {
        let (plan, talk) = (self.plan, self.talk);
        let stop = Stop::new();
        let signals = tokio::spawn(signals::listen(stop.clone(), talk.clone()));
        let progress = Arc::new(Progress::default());
        progress.set(frontier.glance());
        let display = talk.shows_progress().then(|| {
            tokio::spawn(progress_line::show(
                talk.clone(),
                Arc::clone(&progress),
                plan.limits,
                from,
            ))
        });
        let typed = TypedHosts::of([&plan.seed]);
        let fetch = Browser::fetch(self.browser, &plan.fetch, plan.workers, &typed).await?;
        let writer = Shelf::start(Box::new(sinks)).context("cannot start the writer")?;
        let fetch = Arc::new(FirstLook::new(fetch));
        let driven = Arc::clone(&fetch);
        // A task among its workers: where there is one core, a report wakes no other thread.
        let driving = drive_from(from, frontier, driven, plan.workers, writer, stop, progress);
        let summary = match tokio::spawn(driving).await {
            Ok(summary) => summary,
            // It is never cancelled, so it panicked.
            Err(error) => std::panic::resume_unwind(error.into_panic()),
        };
        let rendered = browser::close(&fetch.fetch).await;
        if let Some(display) = display {
            display.abort();
        }
        signals.abort();
        talk.end_progress();
        Ok(Ending {
            summary: summary?,
            needs_browser: fetch.needs_browser(),
            rendered,
        })
    }
}
