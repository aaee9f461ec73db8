//! The browser of a command: found before anything is fetched, closed when all is over.
//!
//! It starts with the first page that needs it. `CHROME` names the program, `BROWSER_SANDBOX=off` does without its sandbox.

use std::process::ExitCode;
use std::sync::Arc;
use std::thread::available_parallelism;
use std::time::Duration;

use anyhow::Context;
use fetch::{Guard, HttpFetch};
use model::{FetchRules, JsPolicy};
use render::{Chromium, Escalating, Missed, RenderSettings, Renderer};

use crate::exit;
use crate::numbers::counted;
use crate::talk::{Level, Talk, Value};
use crate::typed_hosts::TypedHosts;
use crate::values::duration;

/// Most tabs of a command. A page waits for its network more than it computes, so there are two for each core.
const MOST_TABS: usize = 8;
const TABS_PER_CORE: usize = 2;

/// What a command asks of its browser.
pub(crate) struct Wanted {
    /// Pages in flight at once.
    pub(crate) at_once: usize,
    /// Time for one request.
    pub(crate) timeout: Duration,
    /// A page is cut after this many bytes.
    pub(crate) max_body: u64,
    /// As it was given.
    pub(crate) user_agent: Option<String>,
}

/// A browser that is there and has not been started.
pub(crate) struct Browser {
    chromium: Chromium,
    settings: RenderSettings,
}

impl Browser {
    /// `None`: no page is rendered. Where one may be and there is no browser, that is said, and how to get one.
    pub(crate) fn find(
        js: JsPolicy,
        wanted: Wanted,
        talk: &Talk,
    ) -> Result<Option<Self>, ExitCode> {
        if js == JsPolicy::Never {
            return Ok(None);
        }
        let asked = std::env::var("BROWSER_SANDBOX").unwrap_or_default();
        let sandbox = sandbox(&asked).map_err(|words| {
            talk.say(Level::Error, &words, "bad_usage", &[]);
            ExitCode::from(exit::BAD_USAGE)
        })?;
        let chromium = Chromium::find(None).map_err(|missing| {
            let words = format!("--js {}: {missing}", js.as_str());
            talk.say(Level::Error, &words, "no_browser", &[]);
            ExitCode::from(exit::FAILED)
        })?;
        if !sandbox {
            let words = "BROWSER_SANDBOX=off: a page that breaks out of the browser has the rights of this process";
            talk.say(Level::Warning, words, "no_sandbox", &[]);
        }
        let asked = std::env::var("BROWSER_TIMEOUT").unwrap_or_default();
        let nav_timeout = nav_timeout(&asked).map_err(|words| {
            talk.say(Level::Error, &words, "bad_usage", &[]);
            ExitCode::from(exit::BAD_USAGE)
        })?;
        let usual = RenderSettings::default();
        let settings = RenderSettings {
            tabs: tabs(wanted.at_once),
            nav_timeout: nav_timeout.unwrap_or(usual.nav_timeout.max(wanted.timeout)),
            user_agent: wanted.user_agent,
            max_body: wanted.max_body,
            sandbox,
            ..usual
        };
        Ok(Some(Self { chromium, settings }))
    }

    /// Pages rendered at once.
    pub(crate) fn tabs(&self) -> usize {
        self.settings.tabs
    }

    /// The one fetcher of a command: by HTTP, and through the browser where there is one.
    ///
    /// By HTTP somebody gets what he asks for, wherever it lies. What a page loads the page chooses: it gets to no private
    /// address that was not typed.
    pub(crate) async fn fetch(
        browser: Option<Self>,
        rules: &FetchRules,
        at_once: usize,
        typed: &TypedHosts,
    ) -> anyhow::Result<Escalating> {
        let fetcher = |at_once, guard| {
            HttpFetch::new(rules, at_once, guard, html::looks_like_html)
                .map(Arc::new)
                .context("cannot set up fetching")
        };
        let http = fetcher(at_once, Guard::anywhere())?;
        let renderer = match browser {
            None => Err("pages are not rendered: --js is never".to_owned()),
            Some(browser) => {
                let allowed = typed.allowed(rules).await;
                let http = fetcher(browser.tabs(), Guard::new(false, allowed))?;
                Ok(Renderer::new(browser.chromium, browser.settings, http))
            }
        };
        let need = html::render_need;
        Ok(Escalating::new(
            http,
            renderer,
            need,
            html::rendering_helped,
        ))
    }
}

/// What a browser did, told when all is over.
#[derive(Debug, Default)]
pub(crate) struct Rendered {
    /// Pages it rendered.
    pages: u64,
    /// Pages that needed it and are as HTTP gave them.
    missed: Missed,
    /// It never started.
    in_vain: bool,
}

impl Rendered {
    /// Says how many pages were rendered, and what `say_missed` says.
    pub(crate) fn say(&self, talk: &Talk) -> bool {
        if self.pages > 0 {
            let words = format!("Rendered {}", counted(self.pages, "page", "pages"));
            let fields = [("pages", Value::Number(self.pages))];
            talk.say(Level::Info, &words, "rendered", &fields);
        }
        self.say_missed(talk)
    }

    /// Says how many pages needed the browser and did not get it. False: not one did, because it did not start.
    pub(crate) fn say_missed(&self, talk: &Talk) -> bool {
        let Missed { pages, words } = &self.missed;
        if *pages > 0 {
            let level = if self.in_vain {
                Level::Error
            } else {
                Level::Warning
            };
            let pages_words = counted(*pages, "page", "pages");
            let words =
                format!("{pages_words} could not be rendered, and came by HTTP alone: {words}");
            talk.say(
                level,
                &words,
                "not_rendered",
                &[("pages", Value::Number(*pages))],
            );
        }
        !self.in_vain
    }
}

/// Ends the browser and all of its processes.
pub(crate) async fn close(fetch: &Escalating) -> Rendered {
    let Some(renderer) = fetch.renderer() else {
        return Rendered::default();
    };
    renderer.close().await;
    let (numbers, missed) = (renderer.numbers(), fetch.missed());
    Rendered {
        pages: numbers.pages,
        in_vain: numbers.starts == 0 && missed.pages > 0,
        missed,
    }
}

fn tabs(at_once: usize) -> usize {
    let cores = available_parallelism().map_or(1, std::num::NonZero::get);
    (cores * TABS_PER_CORE)
        .clamp(TABS_PER_CORE, MOST_TABS)
        .min(at_once)
        .max(1)
}

/// What `BROWSER_TIMEOUT` says, if anything.
fn nav_timeout(text: &str) -> Result<Option<Duration>, String> {
    if text.is_empty() {
        return Ok(None);
    }
    let bad = || format!("BROWSER_TIMEOUT: \"{text}\" is not a time from 1s to 1h, like 10s");
    // A bare number is seconds, as in the service's configuration.
    let asked = match text.parse() {
        Ok(seconds) => Duration::from_secs(seconds),
        Err(_) => duration(text).map_err(|_| bad())?,
    };
    let fits = (Duration::from_secs(1)..=Duration::from_hours(1)).contains(&asked);
    if fits { Ok(Some(asked)) } else { Err(bad()) }
}

/// What `BROWSER_SANDBOX` says.
fn sandbox(text: &str) -> Result<bool, String> {
    match text {
        "" | "on" | "true" => Ok(true),
        "off" | "false" => Ok(false),
        other => Err(format!(
            "BROWSER_SANDBOX: \"{other}\" is neither on nor off"
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sandbox_is_on_unless_it_is_switched_off_in_so_many_words() {
        for (text, on) in [
            ("", true),
            ("on", true),
            ("true", true),
            ("off", false),
            ("false", false),
        ] {
            assert_eq!(sandbox(text), Ok(on), "{text}");
        }
        assert!(sandbox("no").unwrap_err().contains("\"no\""));
    }

    #[test]
    fn the_time_of_a_page() {
        for (text, seconds) in [("10s", 10), ("2", 2), ("1m", 60)] {
            assert_eq!(
                nav_timeout(text),
                Ok(Some(Duration::from_secs(seconds))),
                "{text}"
            );
        }
        assert_eq!(nav_timeout(""), Ok(None));
        for text in ["0", "soon", "2h", "500ms"] {
            assert!(nav_timeout(text).unwrap_err().contains(text));
        }
    }

    #[test]
    fn there_are_never_more_tabs_than_pages_in_flight() {
        assert_eq!(tabs(1), 1);
        assert!((1..=2).contains(&tabs(2)));
        assert!((2..=MOST_TABS).contains(&tabs(1_000)));
    }
}
