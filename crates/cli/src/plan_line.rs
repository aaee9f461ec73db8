//! The line at the start of a crawl that shows its resolved configuration.

use std::fmt::Write as _;
use std::path::Path;

use crawler_model::{CrawlPlan, JsPolicy, RobotsPolicy, SitemapPolicy, counted, grouped};
use crawler_weburl::{QueryPolicy, ScopeKind, SlashPolicy};

use crate::args::ProfileChoice;
use crate::console::Value;
use crate::numbers::size;

/// The configuration as fields of a JSON message.
pub(crate) fn fields(plan: &CrawlPlan) -> Vec<(&'static str, Value<'_>)> {
    vec![
        ("seed", Value::Text(plan.seed().as_str())),
        ("max_pages", Value::Number(plan.limits.pages.unwrap_or(0))),
        (
            "max_depth",
            Value::Number(plan.limits.depth.map_or(0, u64::from)),
        ),
        ("workers", Value::Number(plan.workers as u64)),
        (
            "timeout_seconds",
            Value::Seconds(plan.fetch.deadlines.total.as_secs_f64()),
        ),
        ("max_attempts", Value::Number(u64::from(plan.max_attempts))),
        (
            "rate_seconds",
            Value::Seconds(plan.min_interval.as_secs_f64()),
        ),
        ("js", Value::Text(plan.js.as_str())),
    ]
}

/// `Crawling https://example.org/: profile balanced, …`
pub(crate) fn line(
    plan: &CrawlPlan,
    profile: ProfileChoice,
    format: &str,
    file: Option<&Path>,
) -> String {
    let limit = |number: Option<u64>| number.map_or_else(|| "no limit".to_owned(), grouped);
    let mut line = format!(
        "Crawling {}: profile {}, max pages {}, max depth {}, workers {}, timeout {:?}, attempts {}",
        plan.seed(),
        format!("{profile:?}").to_lowercase(),
        limit(plan.limits.pages),
        limit(plan.limits.depth.map(u64::from)),
        plan.workers,
        plan.fetch.deadlines.total,
        plan.max_attempts,
    );
    let mut add = |text: String| {
        let _ = write!(line, ", {text}");
    };
    add_limits(plan, &mut add);
    add_scope(plan, &mut add);
    if plan.links.in_scope_only {
        add("links in-scope".into());
    }
    if plan.links.all_schemes {
        add("schemes all".into());
    }
    if plan.keys.query == QueryPolicy::Strip {
        add("query stripped".into());
    }
    if !plan.traps {
        add("traps off".into());
    }
    if plan.js != JsPolicy::Never {
        add(format!("js {}", plan.js.as_str()));
    }
    if !plan.fetch.proxies.is_empty() {
        // A proxy's URL may carry a password.
        add(counted(plan.fetch.proxies.len(), "proxy"));
    }
    let file = file.map_or_else(|| "stdout".to_owned(), |file| file.display().to_string());
    add(format!("{format} to {file}"));
    line
}

/// Limits besides those that are always shown, robots.txt and sitemaps.
fn add_limits(plan: &CrawlPlan, add: &mut impl FnMut(String)) {
    if let Some(duration) = plan.limits.duration {
        add(format!("max duration {duration:?}"));
    }
    if let Some(bytes) = plan.limits.bytes {
        add(format!("max bytes {}", size(bytes)));
    }
    if !plan.min_interval.is_zero() {
        add(format!("rate {:?}", plan.min_interval));
    }
    add(match plan.robots {
        RobotsPolicy::Respect => "robots respect".into(),
        RobotsPolicy::Ignore => "robots ignore".into(),
    });
    match plan.sitemaps {
        SitemapPolicy::Skip => (),
        SitemapPolicy::Include => add("sitemaps include".into()),
        SitemapPolicy::Only => add("sitemaps only".into()),
    }
}

/// Which URLs are followed, and delays of paths.
fn add_scope(plan: &CrawlPlan, add: &mut impl FnMut(String)) {
    add(match plan.scope_kind {
        ScopeKind::Host => "scope host".into(),
        ScopeKind::Domain => "scope domain".into(),
        ScopeKind::Prefix => "scope prefix".into(),
        ScopeKind::Any => "any host".into(),
    });
    add(match plan.keys.slash {
        SlashPolicy::Merge => "trailing slash merge".into(),
        SlashPolicy::Keep => "trailing slash keep".into(),
    });
    for pattern in &plan.include {
        add(format!("include {pattern}"));
    }
    for pattern in &plan.exclude {
        add(format!("exclude {pattern}"));
    }
    for gate in &plan.path_delays {
        add(format!("delay {:?} below {}", gate.delay, gate.prefix));
    }
}
