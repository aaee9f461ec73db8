//! `scrape`: single pages, their content on stdout.
//!
//! Pages are fetched a few at once and printed in the order they were given. A page that cannot be had
//! costs one line on stderr and the exit code, never the other pages.

mod given_urls;
mod outcome;
mod page_writer;

use std::hash::{BuildHasher, RandomState};
use std::process::ExitCode;
use std::sync::Arc;

use anyhow::Context;
use engine::{Document, Part, Scraper, Stop, StopLevel};
use futures_util::{Stream, StreamExt};
use model::{JsPolicy, Notice, ScrapePlan, SinkError};
use render::Escalating;
use tokio::task::JoinError;

use crate::args::{ScrapeArgs, When};
use crate::browser::{Browser, Wanted};
use crate::spec::{js, scrape_spec};
use crate::talk::{Level, Talk, Value};
use crate::{AGENT, browser, exit, signals};
use given_urls::{Given, GivenUrls};
use outcome::{Outcome, Problem};
use page_writer::{Layout, PageWriter};

/// Pages in flight at once, over all hosts; one host has fewer.
const AT_ONCE: usize = 8;

pub(crate) fn scrape(args: &ScrapeArgs) -> ExitCode {
    let talk = Talk::new(&args.talk, When::Never);
    let refuse = |words: &str| {
        talk.say(Level::Error, words, "bad_usage", &[]);
        ExitCode::from(exit::BAD_USAGE)
    };
    let plan = match ScrapePlan::resolve(&scrape_spec(&args.request), AGENT) {
        Ok(plan) => plan,
        Err(error) => return refuse(&error.to_string()),
    };
    let urls = match GivenUrls::check(&args.urls) {
        Ok(urls) => urls,
        Err(words) => return refuse(&words),
    };
    let js = js(args.request.js);
    let wanted = Wanted {
        at_once: AT_ONCE,
        timeout: plan.fetch.deadlines.total,
        max_body: plan.fetch.max_body,
        user_agent: args.request.user_agent.clone(),
    };
    let browser = match Browser::find(js, wanted, &talk) {
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
            talk.say(Level::Error, &error.to_string(), "output_failed", &[]);
            return ExitCode::from(exit::FAILED);
        }
    };
    let part = if args.main_content {
        Part::Main
    } else {
        Part::Whole
    };
    // What stops us altogether is said even when quiet.
    let failure = if urls.may_be_several() {
        Level::Warning
    } else {
        Level::Error
    };
    let way = Way { js, part, layout };
    match run(plan, urls, way, browser, writer, &talk, failure) {
        Ok(Ended::Whole { failed: false } | Ended::Closed) => ExitCode::SUCCESS,
        Ok(Ended::Whole { failed: true }) => ExitCode::from(exit::FAILED),
        Ok(Ended::Nothing) => {
            refuse("<URL>: none came on stdin; write one a line, like https://example.org/")
        }
        Ok(Ended::Signalled) => ExitCode::from(exit::SIGNALLED),
        Err(error) => {
            talk.say(Level::Error, &format!("{error:#}"), "failed", &[]);
            ExitCode::from(exit::FAILED)
        }
    }
}

/// How pages are had and laid out.
#[derive(Clone, Copy)]
struct Way {
    js: JsPolicy,
    part: Part,
    layout: Layout,
}

/// How it went.
enum Ended {
    /// Every URL had its turn.
    Whole { failed: bool },
    /// There was no URL.
    Nothing,
    /// Nobody reads what we print.
    Closed,
    /// Somebody stopped us.
    Signalled,
}

fn run(
    plan: ScrapePlan,
    urls: GivenUrls,
    way: Way,
    browser: Option<Browser>,
    writer: PageWriter,
    talk: &Talk,
    failure: Level,
) -> anyhow::Result<Ended> {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .context("cannot start the runtime")?;
    let ended = runtime.block_on(async {
        let stop = Stop::new();
        let signals = tokio::spawn(signals::listen(stop.clone(), talk.clone()));
        let chance = RandomState::new().hash_one("scrape");
        let speaker = talk.clone();
        let tell = move |notice: Notice| {
            speaker.say(Level::Info, &notice.to_string(), notice.as_str(), &[]);
        };
        let fetch = Browser::fetch(browser, &plan.fetch, AT_ONCE, &urls.hosts()).await?;
        let fetch = Arc::new(fetch);
        let by = Arc::clone(&fetch);
        let scraper = Arc::new(Scraper::new(by, plan, chance, stop.clone(), tell));
        let given = urls.stream(stop.clone());
        let pages = given
            .map(|given| tokio::spawn(one(given, Arc::clone(&scraper), way)))
            .buffered(AT_ONCE);
        let ended = print(pages, writer, &stop, talk, failure).await;
        let rendered = browser::close(&fetch).await;
        signals.abort();
        let ended = ended?;
        Ok(match (rendered.say_missed(talk), ended) {
            (false, Ended::Whole { .. }) => Ended::Whole { failed: true },
            (_, ended) => ended,
        })
    });
    // A page that is still in flight, or a stdin that says nothing, is not waited for.
    runtime.shutdown_background();
    ended
}

/// Prints every page as its turn comes.
async fn print(
    pages: impl Stream<Item = Result<Outcome, JoinError>>,
    mut writer: PageWriter,
    stop: &Stop,
    talk: &Talk,
    failure: Level,
) -> Result<Ended, SinkError> {
    let mut pages = std::pin::pin!(pages);
    let (mut some, mut failed) = (false, false);
    loop {
        let outcome = tokio::select! {
            biased;
            () = stop.reached(StopLevel::AtOnce) => break,
            outcome = pages.next() => outcome,
        };
        // A page's own panic is its outcome; none is left to get here.
        let Some(Ok(outcome)) = outcome else { break };
        some = true;
        if outcome.was_stopped() {
            continue;
        }
        failed |= outcome.failed();
        tell(&outcome, talk, failure);
        match writer.write(&outcome) {
            Ok(()) => (),
            Err(error) if error.is_closed_pipe() => return Ok(Ended::Closed),
            Err(error) => return Err(error),
        }
    }
    Ok(match (stop.level(), some) {
        (StopLevel::Run, true) => Ended::Whole { failed },
        (StopLevel::Run, false) => Ended::Nothing,
        _ => Ended::Signalled,
    })
}

/// Gets, reads and renders one page, as a task of its own: a reader of stdout that takes its time must not
/// keep anybody's answer waiting. A panic costs its page.
async fn one(given: Given, scraper: Arc<Scraper<Escalating>>, way: Way) -> Outcome {
    let url = given
        .asked
        .as_ref()
        .map_or_else(|_| given.typed.clone(), |asked| asked.url.to_string());
    let page = match given.asked {
        Err(words) => Err(Problem::BadUrl(words)),
        Ok(asked) => {
            let page = tokio::spawn(async move {
                let answer = scraper.get(&asked, way.js).await?;
                // Reading a large page takes a while; the connections of others must not wait for it.
                let read = tokio::task::spawn_blocking(move || {
                    Document::read(answer, way.part).map(|document| way.layout.rendered(document))
                });
                match read.await {
                    Ok(read) => Ok(read?),
                    Err(error) => Err(Problem::of_panic(error)),
                }
            });
            page.await
                .unwrap_or_else(|error| Err(Problem::of_panic(error)))
        }
    };
    Outcome { url, page }
}

/// What is said on stderr about a page.
fn tell(outcome: &Outcome, talk: &Talk, failure: Level) {
    if let Some((words, kind)) = outcome.trouble() {
        let fields = [
            ("url", Value::Text(&outcome.url)),
            ("kind", Value::Text(kind)),
        ];
        talk.say(failure, &words, "page_failed", &fields);
        return;
    }
    let Ok(page) = &outcome.page else {
        return;
    };
    let document = &page.document;
    let url = document.url().as_str();
    let fields = [("url", Value::Text(url))];
    if document.truncated() {
        let words = format!("{url} is longer than we read: its end is missing");
        talk.say(Level::Warning, &words, "page_truncated", &fields);
    }
    if document.is_without_text() {
        let hint = if document.rendered() {
            "; it may be images only"
        } else if document.may_be_rendered() {
            ""
        } else {
            "; it may need JavaScript (--js auto), or be images only"
        };
        let words = format!("{url} has no text to print{hint}");
        talk.say(Level::Warning, &words, "page_empty", &fields);
    }
    if talk.says(Level::Detail) {
        let quality = document
            .quality()
            .map(|quality| format!(", quality {quality:.2}"))
            .unwrap_or_default();
        let (status, bytes) = (document.status(), document.bytes());
        let from = match document.requested() {
            same if same == document.url() => String::new(),
            requested => format!(", redirected from {requested}"),
        };
        let rendered = if document.rendered() {
            ", rendered"
        } else {
            ""
        };
        let words = format!("Scraped {url} ({status}, {bytes} bytes{rendered}{quality}{from})");
        let mut fields = vec![
            ("url", Value::Text(url)),
            ("status", Value::Number(u64::from(status))),
        ];
        if let Some(reason) = document.render_reason() {
            fields.push(("rendered", Value::Flag(document.rendered())));
            fields.push(("render_reason", Value::Text(reason)));
        }
        talk.say(Level::Detail, &words, "page_scraped", &fields);
    }
}
