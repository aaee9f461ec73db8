//! Converts arguments to specs.

use std::time::Duration;

use crawler::wiring;
use crawler_model::{
    CrawlSpec, DepthLimit, JsPolicy, LinkFilter, PlanError, PlanField, Profile, RequestSpec,
    RobotsPolicy, SitemapPolicy,
};
use crawler_output::{Format, MapFormat};
use crawler_weburl::{ScopeKind, SlashPolicy};

use crate::args::{
    CrawlArgs, FormatChoice, JsChoice, LinksChoice, MapFormatChoice, ProfileChoice, RequestArgs,
    RobotsChoice, SchemesChoice, ScopeChoice, SiteArgs, SitemapsChoice, SlashChoice, TrapsChoice,
};

/// The spec of `crawl` or `map`; `sitemaps` is the command's default for `--sitemaps`.
pub(crate) fn spec(site: &SiteArgs, links: LinkFilter, sitemaps: SitemapsChoice) -> CrawlSpec {
    CrawlSpec {
        seed: site
            .url
            .clone()
            .or_else(|| site.seed.clone())
            .unwrap_or_default(),
        request: RequestSpec {
            max_attempts: site.max_attempts,
            max_redirects: site.max_redirects,
            max_body_bytes: site.max_body_bytes,
            ..request_spec(&site.request)
        },
        profile: match site.profile {
            ProfileChoice::Conservative => Profile::Conservative,
            ProfileChoice::Balanced => Profile::Balanced,
            ProfileChoice::Aggressive => Profile::Aggressive,
            ProfileChoice::Exhaustive => Profile::Exhaustive,
        },
        workers: site.workers,
        browser_tabs: Some(wiring::max_tabs()),
        max_pages: site.max_pages,
        max_depth: site.max_depth.map(depth_limit),
        max_duration: site.max_duration,
        max_bytes: site.max_bytes,
        min_interval: Duration::from_millis(site.rate_ms),
        sitemaps: match site.sitemaps.unwrap_or(sitemaps) {
            SitemapsChoice::Skip => SitemapPolicy::Skip,
            SitemapsChoice::Include => SitemapPolicy::Include,
            SitemapsChoice::Only => SitemapPolicy::Only,
        },
        scope: Some(match site.scope {
            ScopeChoice::Host => ScopeKind::Host,
            ScopeChoice::Domain => ScopeKind::Domain,
            ScopeChoice::Prefix => ScopeKind::Prefix,
        }),
        include: site.include.clone(),
        exclude: site.exclude.clone(),
        slash: site.trailing_slash.map(|choice| match choice {
            SlashChoice::Merge => SlashPolicy::Merge,
            SlashChoice::Keep => SlashPolicy::Keep,
        }),
        strip_query: site.strip_query,
        links,
        path_delays: site.path_delay.clone(),
        traps: site.traps.map(|choice| choice == TrapsChoice::On),
        js: js(site.request.js),
        ..CrawlSpec::default()
    }
}

/// The flags that `crawl`, `map` and `scrape` have in common.
pub(crate) fn request_spec(request: &RequestArgs) -> RequestSpec {
    RequestSpec {
        timeout: request.timeout,
        robots: robots(request.robots),
        user_agent: request.user_agent.clone(),
        headers: request.header.clone(),
        proxies: request.proxy.clone(),
        ..RequestSpec::default()
    }
}

/// A plan's error with the name of its flag: `--max-attempts: …`.
pub(crate) fn plan_error(error: &PlanError) -> String {
    let flag = match error.field {
        PlanField::Url => "<URL>",
        PlanField::Include => "--include",
        PlanField::Exclude => "--exclude",
        PlanField::Workers => "--workers",
        PlanField::Timeout => "--timeout",
        PlanField::MinInterval => "--rate-ms",
        PlanField::MaxAttempts => "--max-attempts",
        PlanField::MaxRedirects => "--max-redirects",
        PlanField::MaxBodyBytes => "--max-body-bytes",
        PlanField::UserAgent => "--user-agent",
        PlanField::Header => "--header",
        PlanField::Proxy => "--proxy",
        PlanField::PathDelay => "--path-delay",
    };
    format!("{flag}: {}", error.message)
}

/// Whether pages are rendered.
pub(crate) fn js(choice: JsChoice) -> JsPolicy {
    match choice {
        JsChoice::Never => JsPolicy::Never,
        JsChoice::Auto => JsPolicy::Auto,
        JsChoice::Always => JsPolicy::Always,
    }
}

/// `--max-depth`: 0 is no limit.
fn depth_limit(depth: u32) -> DepthLimit {
    match depth {
        0 => DepthLimit::Unlimited,
        depth => DepthLimit::Links(depth),
    }
}

fn robots(choice: RobotsChoice) -> RobotsPolicy {
    match choice {
        RobotsChoice::Respect => RobotsPolicy::Respect,
        RobotsChoice::Ignore => RobotsPolicy::Ignore,
    }
}

pub(crate) fn link_filter(args: &CrawlArgs) -> LinkFilter {
    LinkFilter {
        in_scope_only: args.links == LinksChoice::InScope,
        all_schemes: args.schemes == SchemesChoice::All,
        keep_fragments: !args.strip_fragments,
    }
}

impl From<FormatChoice> for Format {
    fn from(choice: FormatChoice) -> Self {
        match choice {
            FormatChoice::Text => Self::Text,
            FormatChoice::Tree => Self::Tree,
            FormatChoice::Edges => Self::Edges,
            FormatChoice::Json => Self::Json,
            FormatChoice::Ndjson => Self::Ndjson,
            FormatChoice::Csv => Self::Csv,
            FormatChoice::Html => Self::Html,
        }
    }
}

impl From<MapFormatChoice> for MapFormat {
    fn from(choice: MapFormatChoice) -> Self {
        match choice {
            MapFormatChoice::Text => Self::Text,
            MapFormatChoice::Json => Self::Json,
            MapFormatChoice::Ndjson => Self::Ndjson,
            MapFormatChoice::Csv => Self::Csv,
            MapFormatChoice::Sitemap => Self::Sitemap,
        }
    }
}
