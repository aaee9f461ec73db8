//! `crawl` and `map`: the same crawl, into different sinks.

use std::hash::{BuildHasher, RandomState};
use std::io::IsTerminal;
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::SystemTime;

use anyhow::Context;
use engine::{Progress, Shelf, Stop, drive};
use fetch::{Guard, HttpFetch};
use frontier::MemoryFrontier;
use model::{CrawlPlan, CrawlSpec, Sink, SinkError, StopReason, Summary};
use output::{Format, MapFormat, ReportAbout, Target, Tee, UniqueLinks};

use crate::args::{CrawlArgs, LogWord, MapArgs, ProfileWord, SitemapsWord};
use crate::log_sink::LogSink;
use crate::plan_line;
use crate::spec::{link_filter, spec};
use crate::talk::{Level, Talk};
use crate::terminal_stdout::TerminalStdout;
use crate::{AGENT, exit, progress_line, signals, summary_lines, talk};

pub(crate) fn crawl(args: &CrawlArgs) -> ExitCode {
    let filter = link_filter(args);
    let format = Format::from(args.format);
    let file = args.file.output_file.as_deref();
    if file.is_some() && file == args.unique_links.as_deref() {
        let words = "--unique-links: the same file as --output-file; give it one of its own";
        talk::refuse(words, args.talk.log_format == LogWord::Json);
        return ExitCode::from(exit::BAD_USAGE);
    }
    let job = Job {
        spec: spec(&args.site, filter, SitemapsWord::Skip),
        profile: args.site.profile,
        format: format.as_str(),
        file,
    };
    let talk = Talk::new(&args.talk, args.progress.progress);
    job.run(&talk, |plan, config_line, talk| {
        let about = ReportAbout {
            seed: plan.seed.to_string(),
            version: env!("CARGO_PKG_VERSION"),
            started: SystemTime::now(),
            config_line: config_line.to_owned(),
        };
        let mut sinks = vec![output::sink(format, target(file, talk)?, filter, about)];
        if let Some(links) = &args.unique_links {
            sinks.push(Box::new(UniqueLinks::new(Target::create(links)?, filter)));
        }
        Ok(sinks)
    })
}

pub(crate) fn map(args: &MapArgs) -> ExitCode {
    let format = MapFormat::from(args.format);
    let file = args.file.output_file.as_deref();
    let job = Job {
        spec: spec(
            &args.site,
            model::LinkFilter::default(),
            SitemapsWord::Include,
        ),
        profile: args.site.profile,
        format: format.as_str(),
        file,
    };
    let talk = Talk::new(&args.talk, args.progress.progress);
    job.run(&talk, |plan, _, talk| {
        Ok(vec![output::map_sink(
            format,
            target(file, talk)?,
            plan.keys,
            &plan.seed,
        )])
    })
}

/// A file, or stdout, which `-` names too.
fn target(file: Option<&Path>, talk: &Talk) -> Result<Target, SinkError> {
    match file.filter(|file| *file != Path::new("-")) {
        Some(file) => Target::create(file),
        None if std::io::stdout().is_terminal() && talk.shows_progress() && talk.redraws() => Ok(
            Target::writer("stdout", Box::new(TerminalStdout::new(talk.clone()))),
        ),
        None => Ok(Target::stdout()),
    }
}

/// `-o site.html` without `--format` writes text: worth a word before it surprises.
fn format_hint(file: Option<&Path>, format: &str) -> Option<String> {
    let ending = file?.extension()?.to_str()?.to_ascii_lowercase();
    let meant = match ending.as_str() {
        "html" | "htm" => "html",
        "json" => "json",
        "ndjson" | "jsonl" => "ndjson",
        "csv" => "csv",
        _ => return None,
    };
    (format == "text").then(|| {
        format!("Note: the format is text; --format {meant} writes what the file's name says")
    })
}

/// One crawl to run.
struct Job<'a> {
    spec: CrawlSpec,
    profile: ProfileWord,
    format: &'a str,
    file: Option<&'a Path>,
}

impl Job<'_> {
    /// Checks the plan, opens the output, crawls, and says how it went.
    fn run(
        &self,
        talk: &Talk,
        sinks: impl FnOnce(&CrawlPlan, &str, &Talk) -> Result<Vec<Box<dyn Sink>>, SinkError>,
    ) -> ExitCode {
        // A new number for each crawl: nobody can prepare URLs that collide.
        let chance = RandomState::new().hash_one("crawl");
        let plan = match CrawlPlan::resolve(&self.spec, AGENT, chance) {
            Ok(plan) => plan,
            Err(error) => {
                talk.say(Level::Error, &error.to_string(), "bad_usage", &[]);
                return ExitCode::from(exit::BAD_USAGE);
            }
        };
        let line = plan_line::line(&plan, self.profile, self.format, self.file);
        let sinks = match sinks(&plan, &line, talk) {
            Ok(sinks) => sinks,
            Err(error) => {
                talk.say(Level::Error, &error.to_string(), "output_failed", &[]);
                return ExitCode::from(exit::FAILED);
            }
        };
        talk.say(Level::Info, &line, "start", &plan_line::fields(&plan));
        if let Some(hint) = format_hint(self.file, self.format) {
            talk.say(Level::Info, &hint, "format_hint", &[]);
        }
        match run_to_end(&plan, sinks, talk, chance) {
            Ok(summary) => {
                if summary.stop != StopReason::OutputClosed {
                    summary_lines::say(talk, &summary, &plan);
                    if let Some(problem) = &summary.seed_problem {
                        talk.say(Level::Error, &problem.to_string(), "seed_failed", &[]);
                    }
                }
                exit::of_summary(&summary)
            }
            Err(error) => {
                talk.say(Level::Error, &format!("{error:#}"), "failed", &[]);
                ExitCode::from(exit::FAILED)
            }
        }
    }
}

fn run_to_end(
    plan: &CrawlPlan,
    mut sinks: Vec<Box<dyn Sink>>,
    talk: &Talk,
    chance: u64,
) -> anyhow::Result<Summary> {
    let threads = std::thread::available_parallelism().map_or(2, std::num::NonZero::get);
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(threads.min(plan.workers).max(1))
        .enable_all()
        .build()
        .context("cannot start the runtime")?;
    sinks.push(Box::new(LogSink::new(talk.clone())));
    let ended = runtime.block_on(async {
        let stop = Stop::new();
        let signals = tokio::spawn(signals::listen(stop.clone(), talk.clone()));
        let progress = Arc::new(Progress::default());
        let display = talk.shows_progress().then(|| {
            tokio::spawn(progress_line::show(
                talk.clone(),
                Arc::clone(&progress),
                plan.limits,
            ))
        });
        let guard = Guard::anywhere();
        let fetch = HttpFetch::new(&plan.fetch, plan.workers, guard, html::looks_like_html)
            .context("cannot set up fetching")?;
        let shelf = Shelf::start(Box::new(Tee(sinks))).context("cannot start the writer")?;
        let frontier = MemoryFrontier::new(plan.clone(), chance);
        let summary = drive(
            frontier,
            Arc::new(fetch),
            plan.workers,
            shelf,
            stop,
            progress,
        )
        .await;
        if let Some(display) = display {
            display.abort();
        }
        signals.abort();
        talk.end_progress();
        Ok(summary?)
    });
    // What is still in flight after a second signal is not waited for.
    runtime.shutdown_background();
    ended
}
