//! `crawl` and `map`: the same crawl, into different sinks.

mod first_look;
mod outputs;
mod run;

use std::hash::{BuildHasher, RandomState};
use std::path::Path;
use std::process::ExitCode;
use std::time::{SystemTime, UNIX_EPOCH};

use anyhow::Context;
use journal::About;
use model::{CrawlPlan, CrawlSpec, JsPolicy, Sink, SinkError, StopReason};
use output::{Format, MapFormat, ReportAbout, UniqueLinks};
use tokio::runtime::Runtime;

use crate::args::{CrawlArgs, LogWord, MapArgs, ProfileWord, SitemapsWord};
use crate::browser::{Browser, Wanted};
use crate::plan_line;
use crate::spec::{link_filter, spec};
use crate::state::{Asked, Refused, State};
use crate::talk::{Level, Talk};
use crate::{AGENT, exit, state, summary_lines, talk};
use outputs::Outputs;
use run::{Ending, Run};

pub(crate) fn crawl(args: &CrawlArgs) -> ExitCode {
    let filter = link_filter(args);
    let format = Format::from(args.format);
    let file = args.file.output_file.as_deref();
    let links = args.unique_links.as_deref();
    let json = args.talk.log_format == LogWord::Json;
    if file.is_some() && file == links {
        let words = "--unique-links: the same file as --output-file; give it one of its own";
        talk::refuse(words, json);
        return ExitCode::from(exit::BAD_USAGE);
    }
    let job = Job {
        spec: spec(&args.site, filter, SitemapsWord::Skip),
        profile: args.site.profile,
        asked: Asked {
            command: "crawl",
            format: format.as_str(),
            file,
            unique_links: links,
        },
        state: args.site.state.as_deref(),
    };
    let talk = Talk::new(&args.talk, args.progress.progress);
    job.run(&talk, |plan, head, outputs| {
        let about = ReportAbout {
            seed: plan.seed.to_string(),
            version: env!("CARGO_PKG_VERSION"),
            started: head.started,
            config_line: head.config_line.clone(),
        };
        let mut sinks = vec![output::sink(format, outputs.open(file)?, filter, about)];
        if let Some(links) = links {
            let target = outputs.open(Some(links))?;
            sinks.push(Box::new(UniqueLinks::new(target, filter)));
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
        asked: Asked {
            command: "map",
            format: format.as_str(),
            file,
            unique_links: None,
        },
        state: args.site.state.as_deref(),
    };
    let talk = Talk::new(&args.talk, args.progress.progress);
    job.run(&talk, |plan, _, outputs| {
        Ok(vec![output::map_sink(
            format,
            outputs.open(file)?,
            plan.keys,
            &plan.seed,
        )])
    })
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

/// `--workers` that was typed and is more than there are tabs.
fn tabs_hint(typed: Option<usize>, plan: &CrawlPlan) -> Option<String> {
    let (typed, tabs) = (typed?, plan.workers);
    (plan.js == JsPolicy::Always && typed > tabs).then(|| {
        format!("Note: --workers {typed} is cut to {tabs}: with --js always there are no more pages in flight than tabs")
    })
}

/// What stands at the head of an output: of the crawl's beginning, whoever goes on with it.
struct Head {
    started: SystemTime,
    config_line: String,
}

/// One crawl to run.
struct Job<'a> {
    spec: CrawlSpec,
    profile: ProfileWord,
    asked: Asked<'a>,
    state: Option<&'a Path>,
}

type Sinks = Vec<Box<dyn Sink>>;

impl Job<'_> {
    /// Checks the plan, opens the state and the output, crawls, and says how it went.
    fn run(
        &self,
        talk: &Talk,
        sinks: impl FnOnce(&CrawlPlan, &Head, &mut Outputs<'_>) -> Result<Sinks, SinkError>,
    ) -> ExitCode {
        // A new number for each crawl: nobody can prepare URLs that collide.
        let chance = RandomState::new().hash_one("crawl");
        let mut plan = match CrawlPlan::resolve(&self.spec, AGENT, chance) {
            Ok(plan) => plan,
            Err(error) => {
                talk.say(Level::Error, &error.to_string(), "bad_usage", &[]);
                return ExitCode::from(exit::BAD_USAGE);
            }
        };
        let browser = match Browser::find(plan.js, self.wanted(&plan), talk) {
            Ok(browser) => browser,
            Err(code) => return code,
        };
        if let (JsPolicy::Always, Some(browser)) = (plan.js, &browser) {
            // More would only wait for a tab, and be waited for when somebody stops us.
            plan.workers = browser.tabs();
        }
        let fewer_workers = tabs_hint(self.spec.workers, &plan);
        let runtime = match runtime(&plan) {
            Ok(runtime) => runtime,
            Err(error) => return failed(talk, &error),
        };
        let line = plan_line::line(&plan, self.profile, self.asked.format, self.asked.file);
        let mut head = Head {
            started: SystemTime::now(),
            config_line: line.clone(),
        };
        let state = match self.open_state(&plan, &head, chance, &runtime) {
            Ok(state) => state,
            Err(refused) => return refuse(talk, &refused),
        };
        let kept = state.as_ref().map(|state| state.lengths.clone());
        if let Some(state) = &state {
            plan.keys.seed = state.about.chance;
            head.started = state.started();
            head.config_line.clone_from(&state.about.config_line);
        }
        let state = match state {
            Some(state) if state.is_over(&[self.asked.file, self.asked.unique_links]) => {
                return over(talk, state, &runtime);
            }
            other => other,
        };
        let mut outputs = Outputs::new(talk, kept);
        let sinks = match sinks(&plan, &head, &mut outputs) {
            Ok(sinks) => sinks,
            Err(error) => {
                talk.say(Level::Error, &error.to_string(), "output_failed", &[]);
                return ExitCode::from(exit::FAILED);
            }
        };
        talk.say(Level::Info, &line, "start", &plan_line::fields(&plan));
        if let Some(hint) = format_hint(self.asked.file, self.asked.format) {
            talk.say(Level::Info, &hint, "format_hint", &[]);
        }
        if let Some(hint) = fewer_workers {
            talk.say(Level::Info, &hint, "workers_hint", &[]);
        }
        let run = Run {
            plan: &plan,
            talk,
            chance,
            browser,
        };
        let is_kept = state.is_some();
        let ended = match state {
            None => runtime.block_on(run.begin(sinks)),
            Some(state) => runtime.block_on(run.go_on(state, sinks, outputs.written)),
        };
        // What is still in flight after a second signal is not waited for.
        runtime.shutdown_background();
        match ended {
            Ok(Ending {
                summary,
                needs_browser,
                rendered,
            }) => {
                let mut went_well = true;
                if summary.stop != StopReason::OutputClosed {
                    summary_lines::say(talk, &summary, &plan, is_kept);
                    went_well = rendered.say(talk);
                    if let Some(problem) = &summary.seed_problem {
                        talk.say(Level::Error, &problem.to_string(), "seed_failed", &[]);
                    }
                    if needs_browser && summary.fetched == 1 && summary.links == 0 {
                        let words = format!(
                            "{} has no links; it may need JavaScript: try --js auto",
                            plan.seed
                        );
                        talk.say(Level::Info, &words, "js_hint", &[]);
                    }
                }
                if went_well {
                    exit::of_summary(&summary)
                } else {
                    ExitCode::from(exit::FAILED)
                }
            }
            Err(error) => failed(talk, &error),
        }
    }

    /// What a browser has to do.
    fn wanted(&self, plan: &CrawlPlan) -> Wanted {
        Wanted {
            at_once: plan.workers,
            timeout: plan.fetch.deadlines.total,
            max_body: plan.fetch.max_body,
            user_agent: self.spec.user_agent.clone(),
        }
    }

    fn open_state(
        &self,
        plan: &CrawlPlan,
        head: &Head,
        chance: u64,
        runtime: &Runtime,
    ) -> Result<Option<State>, Refused> {
        let Some(path) = self.state else {
            return Ok(None);
        };
        for file in [self.asked.file, self.asked.unique_links] {
            if file == Some(path) {
                let words = "--state: the same file as an output; give it one of its own".into();
                let bad_usage = true;
                return Err(Refused { words, bad_usage });
            }
        }
        let started = head.started.duration_since(UNIX_EPOCH).unwrap_or_default();
        let about = About {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            chance,
            started: u64::try_from(started.as_millis()).unwrap_or(0),
            config_line: head.config_line.clone(),
        };
        let settings = state::settings(plan, self.asked);
        let opened = runtime.block_on(State::open(path, about, settings));
        opened.map(Some)
    }
}

fn refuse(talk: &Talk, refused: &Refused) -> ExitCode {
    let (event, code) = if refused.bad_usage {
        ("bad_usage", exit::BAD_USAGE)
    } else {
        ("state_failed", exit::FAILED)
    };
    talk.say(Level::Error, &refused.words, event, &[]);
    ExitCode::from(code)
}

fn failed(talk: &Talk, error: &anyhow::Error) -> ExitCode {
    talk.say(Level::Error, &format!("{error:#}"), "failed", &[]);
    ExitCode::from(exit::FAILED)
}

/// Nothing is left to do.
fn over(talk: &Talk, state: State, runtime: &Runtime) -> ExitCode {
    let code = state.finished.unwrap_or(0);
    let text = "The crawl came to its end before; remove the file of --state to crawl again";
    talk.say(Level::Info, text, "finished_before", &[]);
    runtime.block_on(state.close());
    ExitCode::from(code)
}

fn runtime(plan: &CrawlPlan) -> anyhow::Result<Runtime> {
    let threads = std::thread::available_parallelism().map_or(2, std::num::NonZero::get);
    tokio::runtime::Builder::new_multi_thread()
        .worker_threads(threads.min(plan.workers).max(1))
        .enable_all()
        .build()
        .context("cannot start the runtime")
}
