//! The browser of a command: its environment variables and its messages.
//!
//! `CHROME` names the program, `BROWSER_SANDBOX=off` disables its sandbox, `BROWSER_TIMEOUT` limits the time for one page, and
//! `BROWSER_MAX_REQUESTS`, `_BYTES`, `_HOSTS` and `_CPU` what it may use.

use std::process::ExitCode;
use std::time::Duration;

use crawler::wiring::{Browser, BrowserOptions, RenderTotals};
use crawler_model::{
    DURATION_FORMAT, FetchRules, JsPolicy, NAV_TIMEOUTS, PageBudget, PageBudgets, SIZE_FORMAT,
    counted, parse_bytes, parse_duration,
};

use crate::console::{Console, Level, Value};
use crate::exit;

/// Locates the browser; `None` if no page is rendered. Prints an error that says what to do if there is none.
pub(crate) fn find(
    js: JsPolicy,
    rules: &FetchRules,
    user_agent: Option<String>,
    concurrency: usize,
    console: &Console,
) -> Result<Option<Browser>, ExitCode> {
    if js == JsPolicy::Never {
        return Ok(None);
    }
    let bad_usage = |message: String| {
        console.print(Level::Error, &message, "bad_usage", &[]);
        ExitCode::from(exit::BAD_USAGE)
    };
    let variable = |name: &str| std::env::var(name).unwrap_or_default();
    let sandbox = sandbox(&variable("BROWSER_SANDBOX")).map_err(bad_usage)?;
    let options = BrowserOptions {
        concurrency,
        timeout: rules.deadlines.total,
        max_body: rules.max_body,
        user_agent,
        sandbox,
        nav_timeout: nav_timeout(&variable("BROWSER_TIMEOUT")).map_err(bad_usage)?,
        budgets: budgets(&variable).map_err(bad_usage)?,
    };
    let browser = Browser::find(options).map_err(|missing| {
        let message = format!("--js {}: {missing}", js.as_str());
        if missing.not_built {
            return bad_usage(message);
        }
        console.print(Level::Error, &message, "no_browser", &[]);
        ExitCode::from(exit::FAILED)
    })?;
    if !sandbox {
        let message = "BROWSER_SANDBOX=off: a page that exploits the browser gains the privileges of this process";
        console.print(Level::Warning, message, "no_sandbox", &[]);
    }
    Ok(Some(browser))
}

/// Prints how many pages were rendered and how many could not be. Returns false if the browser never started.
pub(crate) fn print_totals(totals: &RenderTotals, console: &Console) -> bool {
    if totals.pages > 0 {
        let message = format!("Rendered {}", counted(totals.pages, "page"));
        let fields = [("pages", Value::Number(totals.pages))];
        console.print(Level::Info, &message, "rendered", &fields);
    }
    print_unrendered(totals, console)
}

/// Prints how many pages could not be rendered. Returns false if the browser never started.
pub(crate) fn print_unrendered(totals: &RenderTotals, console: &Console) -> bool {
    let (pages, message) = (totals.unrendered, &totals.message);
    if pages > 0 {
        let level = if totals.never_started {
            Level::Error
        } else {
            Level::Warning
        };
        let count = counted(pages, "page");
        let message =
            format!("{count} could not be rendered; using the HTTP response instead: {message}");
        console.print(
            level,
            &message,
            "not_rendered",
            &[("pages", Value::Number(pages))],
        );
    }
    !totals.never_started
}

/// Parses `BROWSER_TIMEOUT`; empty means the default.
fn nav_timeout(text: &str) -> Result<Option<Duration>, String> {
    if text.is_empty() {
        return Ok(None);
    }
    let bad =
        || format!("BROWSER_TIMEOUT: \"{text}\" is not a duration from 1s to 1h, such as 10s");
    let timeout = parse_duration(text).filter(|timeout| NAV_TIMEOUTS.contains(timeout));
    timeout.map(Some).ok_or_else(bad)
}

/// Reads what one page may use; a variable that is empty or not set means the default.
fn budgets(variable: &impl Fn(&str) -> String) -> Result<PageBudgets, String> {
    let defaults = PageBudgets::default();
    Ok(PageBudgets {
        requests: budget(
            variable,
            PageBudget::Requests,
            defaults.requests,
            "a whole number",
            |text| text.parse().ok(),
        )?,
        bytes: budget(
            variable,
            PageBudget::Bytes,
            defaults.bytes,
            SIZE_FORMAT,
            parse_bytes,
        )?,
        hosts: budget(
            variable,
            PageBudget::Hosts,
            defaults.hosts,
            "a whole number",
            |text| text.parse().ok(),
        )?,
        cpu: budget(
            variable,
            PageBudget::Cpu,
            defaults.cpu,
            DURATION_FORMAT,
            parse_duration,
        )?,
    })
}

fn budget<T>(
    variable: &impl Fn(&str) -> String,
    budget: PageBudget,
    default: T,
    format: &str,
    parse: impl Fn(&str) -> Option<T>,
) -> Result<T, String> {
    let name = budget.variable();
    let text = variable(name);
    if text.is_empty() {
        return Ok(default);
    }
    parse(&text).ok_or_else(|| format!("{name}: \"{text}\" is not {format}"))
}

/// Parses `BROWSER_SANDBOX`.
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
    fn the_sandbox_is_on_unless_switched_off_explicitly() {
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
    fn budgets_have_defaults_and_bad_values_are_named() {
        assert_eq!(budgets(&|_| String::new()), Ok(PageBudgets::default()));
        let given = |name: &str| match name {
            "BROWSER_MAX_REQUESTS" => "7".to_owned(),
            "BROWSER_MAX_BYTES" => "2MB".to_owned(),
            "BROWSER_MAX_HOSTS" => "0".to_owned(),
            "BROWSER_MAX_CPU" => "90s".to_owned(),
            other => panic!("{other}"),
        };
        let expected = PageBudgets {
            requests: 7,
            bytes: 2_000_000,
            hosts: 0,
            cpu: Duration::from_secs(90),
        };
        assert_eq!(budgets(&given), Ok(expected));
        let message = budgets(&|_| "many".to_owned()).unwrap_err();
        assert!(
            message.starts_with("BROWSER_MAX_REQUESTS: \"many\""),
            "{message}"
        );
    }

    #[test]
    fn browser_timeouts() {
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
}
