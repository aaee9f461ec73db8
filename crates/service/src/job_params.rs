//! What is asked of a job: one type for the API, which makes jobs of it, and for the workers, which make plans of it.
//!
//! It is stored as it was asked ([`store::NewJob::params`]); what it leaves open is filled in from [`JobDefaults`].

use std::time::Duration;

use model::{
    Backoff, CrawlPlan, CrawlSpec, DocumentRules, JsPolicy, LinkFilter, PlanError, RobotsErrors,
    RobotsPolicy, SitemapPolicy,
};
use serde::{Deserialize, Serialize};
use store::{JobId, JobKind, JobLimits, NewJob, NewTask};
use weburl::{CrawlUrl, KeyPolicy, QueryPolicy, ScopeKind, SlashPolicy, Userinfo};

/// What a document's `content` is written in.
#[derive(Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, Debug, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum OutputFormat {
    /// Markdown.
    #[default]
    Markdown,
    /// HTML that cannot do anything.
    Html,
    /// Plain text.
    Text,
}

/// robots.txt.
#[derive(Clone, Copy, PartialEq, Eq, Serialize, Deserialize, Debug, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum RobotsChoice {
    /// Obeyed.
    Respect,
    /// Not asked for.
    Ignore,
}

/// Sitemaps.
#[derive(Clone, Copy, PartialEq, Eq, Serialize, Deserialize, Debug, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum SitemapsChoice {
    /// Not asked for.
    Skip,
    /// Their URLs are visited like links of the seed.
    Include,
    /// Only their URLs are visited.
    Only,
}

/// Whether pages are rendered in a browser.
#[derive(Clone, Copy, PartialEq, Eq, Serialize, Deserialize, Debug, utoipa::ToSchema)]
#[serde(untagged)]
pub enum UseJs {
    /// Always or never.
    Fixed(bool),
    /// Where a page needs it.
    Auto(AutoWord),
}

/// The word `auto`.
#[derive(Clone, Copy, PartialEq, Eq, Serialize, Deserialize, Debug, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum AutoWord {
    /// As needed.
    Auto,
}

/// What was asked. `None` means "as the configuration says".
#[derive(Clone, PartialEq, Default, Serialize, Deserialize, Debug)]
#[serde(deny_unknown_fields, default)]
pub struct JobParams {
    /// Where it begins; of `scrape`, `crawl` and `map`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// The pages of `batch_scrape`. Not stored: they are the job's tasks.
    #[serde(skip)]
    pub urls: Option<Vec<String>>,
    /// How many pages a `batch_scrape` has.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub url_count: Option<u64>,
    /// Links are followed while depth is below this.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_depth: Option<u32>,
    /// The exact host, else any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub same_domain: Option<bool>,
    /// What `content` is written in.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub output_format: Option<OutputFormat>,
    /// Rendered in a browser.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub use_js: Option<UseJs>,
    /// Most tasks, seeds included.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_pages: Option<u64>,
    /// The hard end, in seconds from the job's creation.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_duration: Option<u64>,
    /// Most body bytes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_bytes: Option<u64>,
    /// Only URLs that match one of these regular expressions.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub include: Vec<String>,
    /// No URL that matches one of these.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub exclude: Vec<String>,
    /// URLs that differ in their query alone are one page.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ignore_query: Option<bool>,
    /// robots.txt.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub robots: Option<RobotsChoice>,
    /// Sitemaps.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sitemaps: Option<SitemapsChoice>,
}

/// What holds where nothing was asked, and what nobody can ask for.
#[derive(Clone, PartialEq, Debug)]
pub struct JobDefaults {
    /// The agent string.
    pub user_agent: String,
    /// Per request.
    pub timeout: Duration,
    /// Redirects walked for one URL.
    pub max_redirects: u32,
    /// Decoded body bytes read of one page.
    pub max_body_bytes: u64,
    /// Attempts, the first included.
    pub max_attempts: u32,
    /// Pauses between them.
    pub backoff: Backoff,
    /// Depth.
    pub max_depth: u32,
    /// Tasks.
    pub max_tasks: Option<u64>,
    /// Time.
    pub max_duration: Option<Duration>,
    /// Body bytes.
    pub max_bytes: Option<u64>,
    /// robots.txt is obeyed.
    pub respect_robots: bool,
    /// A robots.txt that cannot be read.
    pub robots_errors: RobotsErrors,
    /// The query is no part of a page's identity.
    pub strip_query: bool,
    /// Links with `rel=nofollow` are not followed.
    pub obey_nofollow: bool,
    /// Endings of paths that are not followed, in lower case and without their dot.
    pub blocked_extensions: Vec<String>,
    /// Maps list links with their fragments.
    pub keep_fragments: bool,
    /// Rendering in a browser.
    pub js: JsPolicy,
    /// Everything is rendered, whatever is asked.
    pub force_js: bool,
}

impl JobDefaults {
    /// Whether pages are rendered, when this was asked.
    pub fn js(&self, asked: Option<UseJs>) -> JsPolicy {
        match asked {
            _ if self.force_js => JsPolicy::Always,
            None => self.js,
            Some(UseJs::Fixed(false)) => JsPolicy::Never,
            Some(UseJs::Fixed(true)) => JsPolicy::Always,
            Some(UseJs::Auto(AutoWord::Auto)) => JsPolicy::Auto,
        }
    }
}

/// Files that are no pages.
const BINARY: [&str; 46] = [
    "7z", "aac", "apk", "avi", "avif", "bin", "bmp", "bz2", "css", "deb", "dmg", "doc", "docx",
    "eot", "exe", "flac", "gif", "gz", "ico", "iso", "jar", "jpeg", "jpg", "js", "m4a", "mkv",
    "mov", "mp3", "mp4", "mpeg", "msi", "ogg", "pdf", "png", "ppt", "pptx", "rar", "rpm", "svg",
    "tar", "tgz", "ttf", "wav", "webm", "woff2", "zip",
];

impl Default for JobDefaults {
    fn default() -> Self {
        Self {
            user_agent: concat!("crawler/", env!("CARGO_PKG_VERSION")).to_owned(),
            timeout: Duration::from_secs(10),
            max_redirects: 5,
            max_body_bytes: 5_000_000,
            max_attempts: 3,
            backoff: Backoff::default(),
            max_depth: 2,
            max_tasks: None,
            max_duration: None,
            max_bytes: None,
            respect_robots: true,
            robots_errors: RobotsErrors::Allow,
            strip_query: true,
            obey_nofollow: false,
            blocked_extensions: BINARY.map(str::to_owned).to_vec(),
            keep_fragments: false,
            js: JsPolicy::Never,
            force_js: false,
        }
    }
}

/// A URL of a batch that is none.
#[derive(Clone, PartialEq, Eq, Serialize, Debug)]
pub struct InvalidUrl {
    /// As it was given.
    pub url: String,
    /// What is wrong with it.
    pub reason: String,
}

/// A job that may be made, and what was left out of it.
#[derive(Clone, PartialEq, Debug)]
pub struct PreparedJob {
    /// To be made.
    pub job: NewJob,
    /// URLs of a batch that cannot be fetched.
    pub invalid_urls: Vec<InvalidUrl>,
}

/// What is wrong with what was asked.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{field}: {words}")]
pub struct ParamsError {
    /// The field at fault.
    pub field: String,
    /// What is wrong with it.
    pub words: String,
}

impl ParamsError {
    fn new(field: &str, words: impl Into<String>) -> Self {
        Self {
            field: field.to_owned(),
            words: words.into(),
        }
    }
}

impl From<PlanError> for ParamsError {
    fn from(error: PlanError) -> Self {
        let field = match error.flag {
            "<URL>" => "url".to_owned(),
            flag => flag.trim_start_matches('-').replace('-', "_"),
        };
        Self::new(&field, error.words)
    }
}

impl JobParams {
    /// Of one page.
    pub fn scrape(url: impl Into<String>) -> Self {
        Self {
            url: Some(url.into()),
            ..Self::default()
        }
    }

    /// Of a site; the same for `crawl` and `map`.
    pub fn site(url: impl Into<String>) -> Self {
        Self::scrape(url)
    }

    /// Of a list of pages.
    pub fn batch(urls: impl IntoIterator<Item = impl Into<String>>) -> Self {
        Self {
            urls: Some(urls.into_iter().map(Into::into).collect()),
            ..Self::default()
        }
    }

    /// The job that was asked for, checked; it has a fresh name.
    pub fn new_job(
        &self,
        kind: JobKind,
        defaults: &JobDefaults,
    ) -> Result<PreparedJob, ParamsError> {
        let (seeds, invalid_urls) = self.seeds(kind)?;
        if let Some(first) = seeds.first() {
            self.plan_from(kind, first, defaults)?;
        }
        let keys = self.keys(defaults);
        let stored = Self {
            // Without what a person may have typed around it.
            url: self
                .url
                .as_ref()
                .and(seeds.first())
                .map(CrawlUrl::to_string),
            url_count: (kind == JobKind::BatchScrape).then_some(seeds.len() as u64),
            ..self.clone()
        };
        let seeds: Vec<NewTask> = seeds.iter().map(|url| seed_task(url, keys)).collect();
        let params = serde_json::to_value(stored)
            .map_err(|error| ParamsError::new("params", error.to_string()))?;
        let follows = matches!(kind, JobKind::Crawl | JobKind::Map);
        let job = NewJob {
            id: JobId::fresh(),
            kind,
            params,
            limits: JobLimits {
                max_depth: follows.then_some(self.max_depth.unwrap_or(defaults.max_depth)),
                max_tasks: self.max_pages.or(defaults.max_tasks).filter(|_| follows),
                max_bytes: self.max_bytes.or(defaults.max_bytes),
                max_duration: self
                    .max_duration
                    .map(Duration::from_secs)
                    .or(defaults.max_duration),
            },
            seeds,
        };
        Ok(PreparedJob { job, invalid_urls })
    }

    /// The plan by which a job's pages are fetched.
    pub fn plan(&self, kind: JobKind, defaults: &JobDefaults) -> Result<CrawlPlan, ParamsError> {
        if kind == JobKind::BatchScrape {
            // Its pages have nothing in common: no scope, no links, so no page stands for the others.
            let nowhere = CrawlUrl::parse("http://any.invalid/")
                .map_err(|error| ParamsError::new("urls", error.to_string()))?;
            return self.plan_from(kind, &nowhere, defaults);
        }
        let (seeds, _) = self.seeds(kind)?;
        let seed = seeds
            .first()
            .ok_or_else(|| ParamsError::new("url", "is missing"))?;
        self.plan_from(kind, seed, defaults)
    }

    fn plan_from(
        &self,
        kind: JobKind,
        seed: &CrawlUrl,
        defaults: &JobDefaults,
    ) -> Result<CrawlPlan, ParamsError> {
        let follows = matches!(kind, JobKind::Crawl | JobKind::Map);
        let scope = if follows && self.same_domain.unwrap_or(true) {
            ScopeKind::Host
        } else {
            ScopeKind::Any
        };
        let respect = match self.robots {
            None => defaults.respect_robots,
            Some(choice) => choice == RobotsChoice::Respect,
        };
        let spec = CrawlSpec {
            seed: seed.to_string(),
            timeout: Some(defaults.timeout),
            max_attempts: Some(defaults.max_attempts),
            max_redirects: Some(defaults.max_redirects),
            max_body_bytes: Some(defaults.max_body_bytes),
            robots: if respect {
                RobotsPolicy::Respect
            } else {
                RobotsPolicy::Ignore
            },
            robots_errors: defaults.robots_errors,
            js: defaults.js(self.use_js),
            sitemaps: match self.sitemaps.filter(|_| follows) {
                None | Some(SitemapsChoice::Skip) => SitemapPolicy::Skip,
                Some(SitemapsChoice::Include) => SitemapPolicy::Include,
                Some(SitemapsChoice::Only) => SitemapPolicy::Only,
            },
            scope: Some(scope),
            include: self.include.clone(),
            exclude: self.exclude.clone(),
            traps: Some(follows),
            links: LinkFilter {
                keep_fragments: defaults.keep_fragments,
                ..LinkFilter::default()
            },
            ..CrawlSpec::default()
        };
        let mut plan = CrawlPlan::resolve(&spec, &defaults.user_agent, 0)?;
        plan.keys = self.keys(defaults);
        plan.backoff = defaults.backoff;
        // A depth of 0 is the seed alone here, and no limit on the command line.
        let depth = self.max_depth.unwrap_or(defaults.max_depth);
        plan.limits.depth = Some(if follows { depth } else { 0 });
        plan.documents = match kind {
            JobKind::Map => None,
            JobKind::Crawl => Some(DocumentRules { error_pages: false }),
            JobKind::Scrape | JobKind::BatchScrape => Some(DocumentRules { error_pages: true }),
        };
        plan.blocked_extensions
            .clone_from(&defaults.blocked_extensions);
        plan.obey_nofollow = defaults.obey_nofollow;
        // Every request is made on the service's own behalf.
        plan.fetch.seed = None;
        Ok(plan)
    }

    fn keys(&self, defaults: &JobDefaults) -> KeyPolicy {
        KeyPolicy {
            slash: SlashPolicy::Merge,
            query: if self.ignore_query.unwrap_or(defaults.strip_query) {
                QueryPolicy::Strip
            } else {
                QueryPolicy::Keep
            },
            seed: 0,
        }
    }

    /// Where it begins, and which URLs of a batch are none.
    fn seeds(&self, kind: JobKind) -> Result<(Vec<CrawlUrl>, Vec<InvalidUrl>), ParamsError> {
        if kind == JobKind::BatchScrape {
            let Some(urls) = &self.urls else {
                return Err(ParamsError::new("urls", "is missing"));
            };
            let mut good = Vec::new();
            let mut bad = Vec::new();
            for url in urls {
                match page(url) {
                    Ok(url) => good.push(url),
                    Err(reason) => bad.push(InvalidUrl {
                        url: without_userinfo(url),
                        reason,
                    }),
                }
            }
            return Ok((good, bad));
        }
        let Some(url) = &self.url else {
            return Err(ParamsError::new("url", "is missing"));
        };
        let url = page(url).map_err(|words| ParamsError::new("url", words))?;
        Ok((vec![url], Vec::new()))
    }
}

/// A page of a job. Jobs are stored and told of, so they carry no credentials: dropped in silence they would only be
/// missed later.
fn page(typed: &str) -> Result<CrawlUrl, String> {
    if Userinfo::of(typed).is_some() {
        return Err(
            "a job's URL carries no user name or password; POST /v1/scrape sends them".to_owned(),
        );
    }
    CrawlUrl::parse(typed).map_err(|error| error.to_string())
}

/// What is given back of a URL that had credentials.
fn without_userinfo(typed: &str) -> String {
    if Userinfo::of(typed).is_none() {
        return typed.to_owned();
    }
    CrawlUrl::parse(typed).map_or_else(|_| "(not shown)".to_owned(), |url| url.to_string())
}

fn seed_task(url: &CrawlUrl, keys: KeyPolicy) -> NewTask {
    NewTask {
        requested_url: url.to_string(),
        final_url: keys.key_text(url.parts()),
        url: url.to_string(),
        host: url.host_key(),
        depth: 0,
        hops: 0,
        via: None,
        found: model::Found::Seed,
    }
}
