//! From arguments to what was asked.

use std::time::Duration;

use model::{
    CrawlSpec, JsPolicy, LinkFilter, Profile, RobotsErrors, RobotsPolicy, ScrapeSpec, SitemapPolicy,
};
use output::{Format, MapFormat};
use weburl::{ScopeKind, SlashPolicy};

use crate::args::{
    CrawlArgs, FormatWord, JsWord, LinksWord, MapFormatWord, ProfileWord, RequestArgs, RobotsWord,
    SchemesWord, ScopeWord, SiteArgs, SitemapsWord, SlashWord, TrapsWord,
};

/// What was asked of `crawl` or `map`. Sitemaps are skipped or included by default, as the command says.
pub(crate) fn spec(site: &SiteArgs, links: LinkFilter, sitemaps: SitemapsWord) -> CrawlSpec {
    CrawlSpec {
        seed: site
            .url
            .clone()
            .or_else(|| site.seed.clone())
            .unwrap_or_default(),
        profile: match site.profile {
            ProfileWord::Conservative => Profile::Conservative,
            ProfileWord::Balanced => Profile::Balanced,
            ProfileWord::Aggressive => Profile::Aggressive,
            ProfileWord::Exhaustive => Profile::Exhaustive,
        },
        workers: site.workers,
        max_pages: site.max_pages,
        max_depth: site.max_depth,
        max_duration: site.max_duration,
        max_bytes: site.max_bytes,
        rate: Duration::from_millis(site.rate_ms),
        timeout: site.request.timeout,
        max_attempts: site.max_attempts,
        max_redirects: site.max_redirects,
        max_body_bytes: site.max_body_bytes,
        robots: robots(site.request.robots),
        robots_errors: RobotsErrors::Disallow,
        sitemaps: match site.sitemaps.unwrap_or(sitemaps) {
            SitemapsWord::Skip => SitemapPolicy::Skip,
            SitemapsWord::Include => SitemapPolicy::Include,
            SitemapsWord::Only => SitemapPolicy::Only,
        },
        scope: Some(match site.scope {
            ScopeWord::Host => ScopeKind::Host,
            ScopeWord::Domain => ScopeKind::Domain,
            ScopeWord::Prefix => ScopeKind::Prefix,
        }),
        include: site.include.clone(),
        exclude: site.exclude.clone(),
        slash: site.trailing_slash.map(|word| match word {
            SlashWord::Merge => SlashPolicy::Merge,
            SlashWord::Keep => SlashPolicy::Keep,
        }),
        strip_query: site.strip_query,
        links,
        path_delays: site.path_delay.clone(),
        user_agent: site.request.user_agent.clone(),
        headers: site.request.header.clone(),
        proxies: site.request.proxy.clone(),
        traps: site.traps.map(|word| word == TrapsWord::On),
        js: js(site.request.js),
    }
}

/// What was asked of `scrape`.
pub(crate) fn scrape_spec(request: &RequestArgs) -> ScrapeSpec {
    ScrapeSpec {
        timeout: request.timeout,
        robots: robots(request.robots),
        robots_errors: RobotsErrors::Disallow,
        user_agent: request.user_agent.clone(),
        headers: request.header.clone(),
        proxies: request.proxy.clone(),
    }
}

/// Whether pages are rendered.
pub(crate) fn js(word: JsWord) -> JsPolicy {
    match word {
        JsWord::Never => JsPolicy::Never,
        JsWord::Auto => JsPolicy::Auto,
        JsWord::Always => JsPolicy::Always,
    }
}

fn robots(word: RobotsWord) -> RobotsPolicy {
    match word {
        RobotsWord::Respect => RobotsPolicy::Respect,
        RobotsWord::Ignore => RobotsPolicy::Ignore,
    }
}

/// Which links are printed.
pub(crate) fn link_filter(args: &CrawlArgs) -> LinkFilter {
    LinkFilter {
        in_scope_only: args.links == LinksWord::InScope,
        all_schemes: args.schemes == SchemesWord::All,
        keep_fragments: !args.strip_fragments,
    }
}

impl From<FormatWord> for Format {
    fn from(word: FormatWord) -> Self {
        match word {
            FormatWord::Text => Self::Text,
            FormatWord::Tree => Self::Tree,
            FormatWord::Edges => Self::Edges,
            FormatWord::Json => Self::Json,
            FormatWord::Ndjson => Self::Ndjson,
            FormatWord::Csv => Self::Csv,
            FormatWord::Html => Self::Html,
        }
    }
}

impl From<MapFormatWord> for MapFormat {
    fn from(word: MapFormatWord) -> Self {
        match word {
            MapFormatWord::Text => Self::Text,
            MapFormatWord::Json => Self::Json,
            MapFormatWord::Ndjson => Self::Ndjson,
            MapFormatWord::Csv => Self::Csv,
            MapFormatWord::Sitemap => Self::Sitemap,
        }
    }
}
