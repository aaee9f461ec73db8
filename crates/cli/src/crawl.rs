//! `crawl` and `map`: the same crawl, into different sinks.

mod first_page_probe;
mod outputs;
mod run;

use std::path::Path;
use std::process::ExitCode;
use std::time::SystemTime;

use anyhow::Context;
use crawler::wiring::{self, Browser};
use crawler_model::{
    CrawlPlan, CrawlSpec, DEFAULT_USER_AGENT, JsPolicy, Sink, SinkError, StopReason,
};
use crawler_output::{Format, MapFormat, ReportHeader, UniqueLinks};
use tokio::runtime::Runtime;

use crate::advice::with_advice;
use crate::args::{CrawlArgs, LogChoice, MapArgs, ProfileChoice, SitemapsChoice};
use crate::console::{Console, Level};
use crate::plan_line;
use crate::spec::{link_filter, plan_error, spec};
use crate::state::{FoundState, State};
use crate::{browser, console, exit, summary_lines};
use outputs::Outputs;
use run::{Ending, Run};

pub(crate) fn crawl(args: &CrawlArgs) -> ExitCode {
    let filter = link_filter(args);
    let format = Format::from(args.format);
    let file = args.file.output_file.as_deref();
    let links = args.unique_links.as_deref();
    let json = args.messages.log_format == LogChoice::Json;
    if file.is_some() && file == links {
        let message = "--unique-links: same file as --output-file; choose another";
        console::print_error(message, json);
        return ExitCode::from(exit::BAD_USAGE);
    }
    let command = CrawlCommand {
        spec: spec(&args.site, filter, SitemapsChoice::Skip),
        profile: args.site.profile,
        settings: CommandSettings {
            command: "crawl",
            format: format.as_str(),
            file,
            unique_links: links,
        },
        state: args.site.state.as_deref(),
    };
    let console = Console::new(&args.messages, args.progress.progress);
    command.run(&console, |plan, head, outputs| {
        let header = ReportHeader {
            seed: plan.seed().to_string(),
            version: env!("CARGO_PKG_VERSION"),
            started: head.started,
            config_line: head.config_line.clone(),
        };
        let mut sinks = vec![crawler_output::sink(
            format,
            outputs.open(file)?,
            filter,
            header,
        )];
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
    let command = CrawlCommand {
        spec: spec(
            &args.site,
            crawler_model::LinkFilter::default(),
            SitemapsChoice::Include,
        ),
        profile: args.site.profile,
        settings: CommandSettings {
            command: "map",
            format: format.as_str(),
            file,
            unique_links: None,
        },
        state: args.site.state.as_deref(),
    };
    let console = Console::new(&args.messages, args.progress.progress);
    command.run(&console, |plan, _, outputs| {
        Ok(vec![crawler_output::map_sink(
            format,
            outputs.open(file)?,
            plan.keys,
            plan.seed(),
        )])
    })
}

/// Note for `-o site.html` without `--format`, which writes text.
fn format_hint(file: Option<&Path>, format: &str) -> Option<String> {
    let extension = file?.extension()?.to_str()?.to_ascii_lowercase();
    let format_of_name = match extension.as_str() {
        "html" | "htm" => "html",
        "json" => "json",
        "ndjson" | "jsonl" => "ndjson",
        "csv" => "csv",
        _ => return None,
    };
    (format == "text").then(|| {
        format!("Note: writing text; use --format {format_of_name} to match the file name")
    })
}

/// Note for `--workers` above the number of browser tabs.
fn tabs_hint(typed: Option<usize>, plan: &CrawlPlan) -> Option<String> {
    let (typed, tabs) = (typed?, plan.workers);
    (plan.js == JsPolicy::Always && typed > tabs)
        .then(|| format!("Note: --workers {typed} reduced to {tabs}, the number of browser tabs"))
}

/// Settings of the command that are not in the plan.
#[derive(Clone, Copy)]
pub(crate) struct CommandSettings<'a> {
    pub(crate) command: &'static str,
    pub(crate) format: &'a str,
    pub(crate) file: Option<&'a Path>,
    pub(crate) unique_links: Option<&'a Path>,
}

/// Why the crawl cannot start.
pub(crate) struct Refused {
    pub(crate) message: String,
    /// The user should give another file or another command.
    pub(crate) bad_usage: bool,
}

/// Header of an output file: taken from the first run of a resumed crawl.
pub(crate) struct RunHeader {
    pub(crate) started: SystemTime,
    pub(crate) config_line: String,
}

/// One crawl to run.
struct CrawlCommand<'a> {
    spec: CrawlSpec,
    profile: ProfileChoice,
    settings: CommandSettings<'a>,
    state: Option<&'a Path>,
}

/// A crawl that is ready to write its first byte.
struct ReadyCrawl {
    plan: CrawlPlan,
    /// The line that describes the plan.
    line: String,
    head: RunHeader,
    rng_seed: u64,
    browser: Option<Browser>,
    state: Option<State>,
    runtime: Runtime,
}

type Sinks = Vec<Box<dyn Sink>>;

impl CrawlCommand<'_> {
    /// Checks the plan, opens the state file and the outputs, crawls, and prints the summary.
    fn run(
        &self,
        console: &Console,
        sinks: impl FnOnce(&CrawlPlan, &RunHeader, &mut Outputs<'_>) -> Result<Sinks, SinkError>,
    ) -> ExitCode {
        let ready = match self.prepare(console) {
            Ok(ready) => ready,
            Err(code) => return code,
        };
        let ReadyCrawl {
            plan,
            state,
            runtime,
            ..
        } = ready;
        let lengths = state.as_ref().map(State::lengths);
        let mut outputs = Outputs::new(console, lengths);
        let sinks = match sinks(&plan, &ready.head, &mut outputs) {
            Ok(sinks) => sinks,
            Err(error) => {
                console.print(Level::Error, &error.to_string(), "output_failed", &[]);
                return ExitCode::from(exit::FAILED);
            }
        };
        self.print_start(console, &ready.line, &plan);
        let run = Run {
            plan: &plan,
            console,
            rng_seed: ready.rng_seed,
            browser: ready.browser,
        };
        let has_state = state.is_some();
        let ended = match state {
            None => runtime.block_on(run.start(sinks)),
            Some(state) => runtime.block_on(run.resume(state, sinks, outputs.written)),
        };
        // After a second signal, requests in flight are abandoned.
        runtime.shutdown_background();
        match ended {
            Ok(ending) => print_ending(console, &ending, &plan, has_state),
            Err(error) => failed(console, &error),
        }
    }

    /// Resolves the plan, locates the browser and opens the state file. If there is nothing to crawl, the message was printed
    /// and the exit code is returned.
    fn prepare(&self, console: &Console) -> Result<ReadyCrawl, ExitCode> {
        let workers = self.spec.workers.unwrap_or(self.spec.profile.workers());
        let runtime = wiring::runtime(workers)
            .context("cannot start the runtime")
            .map_err(|error| failed(console, &error))?;
        let found = self
            .find_state(&runtime)
            .map_err(|refused| print_refusal(console, &refused))?;
        // URLs have the same keys as in the crawl that is resumed.
        let rng_seed = found
            .as_ref()
            .map_or_else(wiring::random_number, FoundState::rng_seed);
        let plan = CrawlPlan::resolve(&self.spec, DEFAULT_USER_AGENT, rng_seed);
        let plan = plan.map_err(|error| {
            console.print(Level::Error, &plan_error(&error), "bad_usage", &[]);
            ExitCode::from(exit::BAD_USAGE)
        })?;
        let agent = self.spec.request.user_agent.clone();
        let browser = browser::find(plan.js, &plan.fetch, agent, plan.workers, console)?;
        let (format, file) = (self.settings.format, self.settings.file);
        let line = plan_line::line(&plan, self.profile, format, file);
        let mut head = RunHeader {
            started: SystemTime::now(),
            config_line: line.clone(),
        };
        let mut state = None;
        if let Some(path) = self.state {
            let open = State::open(path, found, &head, rng_seed, &plan, self.settings, console);
            let opened = runtime.block_on(open);
            let opened = opened.map_err(|refused| print_refusal(console, &refused))?;
            head.started = opened.started();
            opened.config_line().clone_into(&mut head.config_line);
            state = Some(opened);
        }
        let files = [file, self.settings.unique_links];
        if let Some(finished) = state.take_if(|state| state.is_finished(&files)) {
            return Err(already_finished(console, finished, &runtime));
        }
        Ok(ReadyCrawl {
            plan,
            line,
            head,
            rng_seed,
            browser,
            state,
            runtime,
        })
    }

    fn print_start(&self, console: &Console, line: &str, plan: &CrawlPlan) {
        console.print(Level::Info, line, "start", &plan_line::fields(plan));
        if let Some(hint) = format_hint(self.settings.file, self.settings.format) {
            console.print(Level::Info, &hint, "format_hint", &[]);
        }
        if let Some(hint) = tabs_hint(self.spec.workers, plan) {
            console.print(Level::Info, &hint, "workers_hint", &[]);
        }
    }

    /// The crawl that is stored in the state file, if there is one.
    fn find_state(&self, runtime: &Runtime) -> Result<Option<FoundState>, Refused> {
        let Some(path) = self.state else {
            return Ok(None);
        };
        for file in [self.settings.file, self.settings.unique_links] {
            if file == Some(path) {
                let message = "--state: same file as an output; choose another".into();
                let bad_usage = true;
                return Err(Refused { message, bad_usage });
            }
        }
        runtime.block_on(FoundState::open(path))
    }
}

/// Prints the summary and returns the exit code.
fn print_ending(console: &Console, ending: &Ending, plan: &CrawlPlan, has_state: bool) -> ExitCode {
    let summary = &ending.summary;
    if summary.stop == StopReason::OutputClosed {
        return exit::of_summary(summary);
    }
    summary_lines::print(console, summary, plan, has_state);
    let rendered_ok = browser::print_totals(&ending.rendered, console);
    if let Some(problem) = &summary.seed_problem {
        let message = with_advice(problem, problem.remedy());
        console.print(Level::Error, &message, "seed_failed", &[]);
    }
    if ending.needs_browser && summary.fetched == 1 && summary.links == 0 {
        let message = format!(
            "{} has no links and may need JavaScript; try --js auto",
            plan.seed()
        );
        console.print(Level::Info, &message, "js_hint", &[]);
    }
    if rendered_ok {
        exit::of_summary(summary)
    } else {
        ExitCode::from(exit::FAILED)
    }
}

fn print_refusal(console: &Console, refused: &Refused) -> ExitCode {
    let (event, code) = if refused.bad_usage {
        ("bad_usage", exit::BAD_USAGE)
    } else {
        ("state_failed", exit::FAILED)
    };
    console.print(Level::Error, &refused.message, event, &[]);
    ExitCode::from(code)
}

fn failed(console: &Console, error: &anyhow::Error) -> ExitCode {
    console.print(Level::Error, &format!("{error:#}"), "failed", &[]);
    ExitCode::from(exit::FAILED)
}

/// The crawl in the state file has finished: nothing is left to do.
fn already_finished(console: &Console, state: State, runtime: &Runtime) -> ExitCode {
    let code = state.exit_code().unwrap_or(0);
    let text = "The crawl in this state file has already finished; delete the file to crawl again";
    console.print(Level::Info, text, "finished_before", &[]);
    runtime.block_on(state.close());
    ExitCode::from(code)
}
