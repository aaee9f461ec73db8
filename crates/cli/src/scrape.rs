//! `scrape`: prints the content of single pages.
//!
//! Pages are fetched concurrently and printed in the order given. A page that cannot be fetched is reported on stderr
//! and in the exit code; the other pages are not affected.

mod given_urls;
mod page_writer;
mod scrape_result;

use std::process::ExitCode;
use std::sync::Arc;

use anyhow::Context;
use crawler::wiring::{self, Browser, PageFetch};
use crawler_engine::{Document, Part, Scraper, Stop, StopLevel};
use crawler_model::{DEFAULT_USER_AGENT, JsPolicy, Notice, ScrapePlan, SinkError, counted};
use futures_util::{Stream, StreamExt};
use tokio::task::JoinError;

use crate::advice::with_advice;
use crate::args::{ScrapeArgs, When};
use crate::console::{Console, Level, Value};
use crate::spec::{js, plan_error, request_spec};
use crate::{browser, exit, signals};
use given_urls::{Given, GivenUrls};
use page_writer::{Layout, PageWriter};
use scrape_result::{PageProblem, ScrapeResult};

/// Maximum number of pages in flight over all hosts; the limit per host is lower.
const MAX_IN_FLIGHT: usize = 8;

pub(crate) fn scrape(args: &ScrapeArgs) -> ExitCode {
    let console = Console::new(&args.messages, When::Never);
    let bad_usage = |message: &str| {
        console.print(Level::Error, message, "bad_usage", &[]);
        ExitCode::from(exit::BAD_USAGE)
    };
    let plan = match ScrapePlan::resolve(&request_spec(&args.request), DEFAULT_USER_AGENT) {
        Ok(plan) => plan,
        Err(error) => return bad_usage(&plan_error(&error)),
    };
    let urls = match GivenUrls::check(&args.urls) {
        Ok(urls) => urls,
        Err(message) => return bad_usage(&message),
    };
    let js = js(args.request.js);
    let agent = args.request.user_agent.clone();
    let browser = match browser::find(js, &plan.fetch, agent, MAX_IN_FLIGHT, &console) {
        Ok(browser) => browser,
        Err(code) => return code,
    };
    let file = args.file.output_file.as_deref();
    let layout = Layout {
        format: args.format,
        several: urls.may_be_several(),
    };
    let writer = match PageWriter::open(layout, file) {
        Ok(writer) => writer,
        Err(error) => {
            console.print(Level::Error, &error.to_string(), "output_failed", &[]);
            return ExitCode::from(exit::FAILED);
        }
    };
    let part = if args.main_content {
        Part::Main
    } else {
        Part::Whole
    };
    // The failure of the only page is fatal, so it is printed even with -q.
    let failure = if urls.may_be_several() {
        Level::Warning
    } else {
        Level::Error
    };
    let options = PageOptions { js, part, layout };
    match run(plan, urls, options, browser, writer, &console, failure) {
        Ok(ScrapeEnd::Finished { failed: false } | ScrapeEnd::OutputClosed) => ExitCode::SUCCESS,
        Ok(ScrapeEnd::Finished { failed: true }) => ExitCode::from(exit::FAILED),
        Ok(ScrapeEnd::NoUrls) => {
            bad_usage("<URL>: no URLs on stdin; give one per line, like https://example.org/")
        }
        Ok(ScrapeEnd::Signaled) => ExitCode::from(exit::SIGNALED),
        Err(error) => {
            console.print(Level::Error, &format!("{error:#}"), "failed", &[]);
            ExitCode::from(exit::FAILED)
        }
    }
}

/// How pages are fetched, extracted and printed.
#[derive(Clone, Copy)]
struct PageOptions {
    js: JsPolicy,
    part: Part,
    layout: Layout,
}

/// How the command ended.
enum ScrapeEnd {
    /// Every URL was processed.
    Finished { failed: bool },
    /// There was no URL.
    NoUrls,
    /// The reader of stdout is gone.
    OutputClosed,
    /// A signal stopped the command.
    Signaled,
}

fn run(
    plan: ScrapePlan,
    urls: GivenUrls,
    options: PageOptions,
    browser: Option<Browser>,
    writer: PageWriter,
    console: &Console,
    failure: Level,
) -> anyhow::Result<ScrapeEnd> {
    let runtime = wiring::runtime(usize::MAX).context("cannot start the runtime")?;
    let ended = runtime.block_on(async {
        let stop = Stop::new();
        let signals = tokio::spawn(signals::listen(stop.clone(), console.clone()));
        let rng_seed = wiring::random_number();
        let notices = console.clone();
        let print_notice = move |notice: Notice| {
            let message = with_advice(&notice, notice.remedy());
            notices.print(Level::Info, &message, notice.as_str(), &[]);
        };
        let fetch = PageFetch::new(browser, &plan.fetch, MAX_IN_FLIGHT, &urls.hosts()).await?;
        let fetch = Arc::new(fetch);
        let scraper_fetch = Arc::clone(&fetch);
        let scraper = Arc::new(Scraper::new(
            scraper_fetch,
            plan,
            rng_seed,
            stop.clone(),
            print_notice,
        ));
        let given = urls.stream(stop.clone());
        let pages = given
            .map(|given| tokio::spawn(scrape_page(given, Arc::clone(&scraper), options)))
            .buffered(MAX_IN_FLIGHT);
        let ended = print(pages, writer, &stop, console, failure).await;
        let rendered = fetch.close().await;
        signals.abort();
        let ended = ended?;
        Ok(
            match (browser::print_unrendered(&rendered, console), ended) {
                (false, ScrapeEnd::Finished { .. }) => ScrapeEnd::Finished { failed: true },
                (_, ended) => ended,
            },
        )
    });
    // Does not wait for pages in flight or for a blocked stdin.
    runtime.shutdown_background();
    ended
}

/// Prints the pages in order.
async fn print(
    pages: impl Stream<Item = Result<ScrapeResult, JoinError>>,
    mut writer: PageWriter,
    stop: &Stop,
    console: &Console,
    failure: Level,
) -> Result<ScrapeEnd, SinkError> {
    let mut pages = std::pin::pin!(pages);
    let (mut any, mut failed) = (false, false);
    loop {
        let result = tokio::select! {
            biased;
            () = stop.reached(StopLevel::AtOnce) => break,
            result = pages.next() => result,
        };
        // `scrape_page` turns panics into outcomes, so a join error cannot happen here.
        let Some(Ok(result)) = result else { break };
        any = true;
        if result.was_stopped() {
            continue;
        }
        failed |= result.failed();
        print_messages(&result, console, failure);
        match writer.write(&result) {
            Ok(()) => (),
            Err(error) if error.is_closed_pipe() => return Ok(ScrapeEnd::OutputClosed),
            Err(error) => return Err(error),
        }
    }
    Ok(match (stop.level(), any) {
        (StopLevel::Run, true) => ScrapeEnd::Finished { failed },
        (StopLevel::Run, false) => ScrapeEnd::NoUrls,
        _ => ScrapeEnd::Signaled,
    })
}

/// Fetches and extracts one page. Runs as its own task, so that a slow reader of stdout does not delay responses. A panic fails
/// only this page.
async fn scrape_page(
    given: Given,
    scraper: Arc<Scraper<PageFetch>>,
    options: PageOptions,
) -> ScrapeResult {
    let url = given.url.as_ref().map_or_else(
        |_| given.typed.clone(),
        |requested| requested.url.to_string(),
    );
    let page = match given.url {
        Err(message) => Err(PageProblem::BadUrl(message)),
        Ok(requested) => {
            let page = tokio::spawn(async move {
                let response = scraper.get(&requested, options.js).await?;
                // Extracting a large page takes a while and must not block other connections.
                let read = tokio::task::spawn_blocking(move || {
                    Document::read(response, options.part)
                        .map(|document| options.layout.prepare(document))
                });
                match read.await {
                    Ok(read) => Ok(read?),
                    Err(error) => Err(PageProblem::of_panic(error)),
                }
            });
            page.await
                .unwrap_or_else(|error| Err(PageProblem::of_panic(error)))
        }
    };
    ScrapeResult { url, page }
}

/// Prints the messages about a page to stderr.
fn print_messages(result: &ScrapeResult, console: &Console, failure: Level) {
    if let Some((message, kind)) = result.failure() {
        let fields = [
            ("url", Value::Text(&result.url)),
            ("error_kind", Value::Text(kind)),
            ("kind", Value::Text(kind)),
        ];
        console.print(failure, &message, "page_failed", &fields);
        return;
    }
    let Ok(page) = &result.page else {
        return;
    };
    let document = &page.document;
    let url = document.url();
    let fields = [("url", Value::Text(url))];
    if document.truncated() {
        let reason = if document.body_truncated() {
            "is too large and was truncated"
        } else {
            "could not be read completely: its elements are nested too deeply"
        };
        let message = format!("{url} {reason}");
        console.print(Level::Warning, &message, "page_truncated", &fields);
    }
    if document.render_timed_out() {
        let message = format!(
            "{url} was still running scripts at the time limit; its content may be incomplete"
        );
        console.print(Level::Warning, &message, "render_timed_out", &fields);
    }
    let only_images = document.has_only_images();
    if document.is_without_text() && (!only_images || page.text.trim().is_empty()) {
        let hint = if only_images {
            "; it contains only images (try --format markdown)"
        } else if document.rendered() {
            "; it may contain only images"
        } else if document.may_be_rendered() {
            ""
        } else {
            "; it may need JavaScript (try --js auto) or contain only images"
        };
        let message = format!("{url} has no text to print{hint}");
        console.print(Level::Warning, &message, "page_empty", &fields);
    }
    if console.prints(Level::Detail) {
        let quality = document
            .quality()
            .map(|quality| format!(", quality {quality:.2}"))
            .unwrap_or_default();
        let (status, bytes) = (document.status(), counted(document.bytes(), "byte"));
        let from = match document.requested() {
            same if same == document.url() => String::new(),
            requested => format!(", redirected from {requested}"),
        };
        let rendered = if document.rendered() {
            ", rendered"
        } else {
            ""
        };
        let message = format!("Scraped {url} ({status}, {bytes}{rendered}{quality}{from})");
        let mut fields = vec![
            ("url", Value::Text(url)),
            ("status", Value::Number(u64::from(status))),
        ];
        if let Some(reason) = document.render_reason() {
            fields.push(("rendered", Value::Flag(document.rendered())));
            fields.push(("render_reason", Value::Text(reason)));
        }
        console.print(Level::Detail, &message, "page_scraped", &fields);
    }
}
