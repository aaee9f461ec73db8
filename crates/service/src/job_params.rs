//! Parameters of a job: the API creates jobs from them, and the workers derive their plans from them.
//!
//! They are stored as requested ([`crawler_store::NewJob::params`]); missing values are taken from [`JobDefaults`].

use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;

use crawler_fetch::Guard;
use crawler_model::{
    CrawlPlan, CrawlRules, CrawlSpec, DEFAULT_USER_AGENT, DepthLimit, DocumentRules, JsPolicy,
    LinkFilter, PlanError, RequestSpec, RobotsPolicy, SitemapPolicy,
};
use crawler_store::{JobId, JobKind, JobLimits, NewJob, NewTask, Owner, Priority};
use crawler_weburl::{CrawlUrl, KeyPolicy, PatternLimits, ScopeKind, SlashPolicy, Userinfo};
use serde::{Deserialize, Serialize};

use crate::config::UnusableSetting;
pub use crate::invalid_urls::{InvalidUrl, InvalidUrls};

/// Format of a document's `content`.
#[derive(Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, Debug, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum OutputFormat {
    /// Markdown.
    #[default]
    Markdown,
    /// HTML without scripts and other active content.
    Html,
    /// Plain text.
    Text,
}

/// Whether to obey robots.txt.
#[derive(Clone, Copy, PartialEq, Eq, Serialize, Deserialize, Debug, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum RobotsChoice {
    /// Obey it.
    Respect,
    /// Ignore it.
    Ignore,
}

/// Whether to read sitemaps.
#[derive(Clone, Copy, PartialEq, Eq, Serialize, Deserialize, Debug, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum SitemapsChoice {
    /// Do not read them.
    Skip,
    /// Visit their URLs like links of the seed.
    Include,
    /// Visit only their URLs.
    Only,
}

/// Whether to follow URLs that look like crawler traps.
#[derive(Clone, Copy, PartialEq, Eq, Serialize, Deserialize, Debug, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum TrapsChoice {
    /// Do not follow them. They are listed as skipped tasks, and counted in the job's `traps`.
    On,
    /// Follow all URLs.
    Off,
}

/// Whether to render pages in a browser.
#[derive(Clone, Copy, PartialEq, Eq, Serialize, Deserialize, Debug, utoipa::ToSchema)]
#[serde(untagged)]
pub enum UseJs {
    /// Always or never.
    Fixed(bool),
    /// Only pages that need it.
    Auto(AutoMode),
}

/// The value `auto`.
#[derive(Clone, Copy, PartialEq, Eq, Serialize, Deserialize, Debug, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum AutoMode {
    /// `auto`
    Auto,
}

/// Parameters of a job. `None` means the default.
#[derive(Clone, PartialEq, Default, Serialize, Deserialize, Debug)]
#[serde(deny_unknown_fields, default)]
pub struct JobParams {
    /// The URL to start from; for `scrape`, `crawl` and `map`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// URLs of a `batch_scrape`. Not stored: they are the job's tasks.
    #[serde(skip)]
    pub urls: Option<Vec<String>>,
    /// Number of URLs of a `batch_scrape`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub url_count: Option<u64>,
    /// Maximum depth of pages; the seed has depth 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_depth: Option<u32>,
    /// Stay on the exact host; `false`: follow links to any host.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub same_domain: Option<bool>,
    /// Format of `content`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub output_format: Option<OutputFormat>,
    /// Whether to render pages in a browser.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub use_js: Option<UseJs>,
    /// Maximum number of URLs, including the seeds and URLs that fail or are skipped.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_pages: Option<u64>,
    /// Maximum duration, in seconds since the job was started.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_duration: Option<u64>,
    /// Maximum number of body bytes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_bytes: Option<u64>,
    /// Only follow URLs that match one of these regular expressions.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub include: Vec<String>,
    /// Do not follow URLs that match one of these regular expressions.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub exclude: Vec<String>,
    /// Treat URLs that differ only in their query as the same page.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ignore_query: Option<bool>,
    /// Whether to obey robots.txt.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub robots: Option<RobotsChoice>,
    /// Whether to read sitemaps.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sitemaps: Option<SitemapsChoice>,
    /// Whether crawler traps are avoided.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub traps: Option<TrapsChoice>,
    /// The priority of the job, 0 to 9.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub priority: Option<u64>,
}

/// Defaults of job parameters, and settings that jobs cannot change.
#[derive(Clone, PartialEq, Debug)]
pub struct JobDefaults {
    /// How pages are requested; a job can only change whether robots.txt is obeyed.
    pub request: RequestSpec,
    /// Maximum depth.
    pub max_depth: u32,
    /// Maximum number of tasks.
    pub max_tasks: Option<u64>,
    /// Maximum number of hosts of a batch.
    pub max_hosts: Option<u64>,
    /// Maximum duration.
    pub max_duration: Option<Duration>,
    /// Maximum number of body bytes.
    pub max_bytes: Option<u64>,
    /// Treat URLs that differ only in their query as the same page.
    pub strip_query: bool,
    /// Do not follow links with `rel=nofollow`.
    pub obey_nofollow: bool,
    /// Extensions of paths that are not followed, in lower case and without the dot.
    pub blocked_extensions: Vec<String>,
    /// Keep the fragments of links in maps.
    pub keep_fragments: bool,
    /// Which pages to render in a browser.
    pub js: JsPolicy,
    /// Render every page, whatever the job says.
    pub force_js: bool,
}

impl JobDefaults {
    /// Returns which pages to render, given the `use_js` of a request.
    pub fn js(&self, use_js: Option<UseJs>) -> JsPolicy {
        match use_js {
            _ if self.force_js => JsPolicy::Always,
            None => self.js,
            Some(UseJs::Fixed(false)) => JsPolicy::Never,
            Some(UseJs::Fixed(true)) => JsPolicy::Always,
            Some(UseJs::Auto(AutoMode::Auto)) => JsPolicy::Auto,
        }
    }

    /// Returns the rules for site files, and for pages whose URLs come from elsewhere.
    pub fn plan_without_seed(&self) -> Result<Arc<CrawlRules>, UnusableSetting> {
        let spec = JobParams::default().spec(JobKind::Scrape, self);
        Ok(CrawlRules::without_seed(&spec, DEFAULT_USER_AGENT, 0)?)
    }
}

/// A validated job, and the URLs that were left out.
#[derive(Clone, PartialEq, Debug)]
pub struct PreparedJob {
    /// The job to create.
    pub job: NewJob,
    /// Invalid URLs of a batch.
    pub invalid_urls: InvalidUrls,
}

/// An invalid parameter.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{field}: {message}")]
pub struct ParamsError {
    /// Name of the field.
    pub field: String,
    /// Error message.
    pub message: String,
    /// Whether it is a URL that the service may not request.
    pub is_refused: bool,
}

/// Why a URL is refused whatever its name resolves to.
pub(crate) const REFUSED: &str = "its address is not public, or its host, address or port is refused (see egress.allow and egress.deny)";

impl ParamsError {
    fn new(field: &str, message: impl Into<String>) -> Self {
        Self {
            field: field.to_owned(),
            message: message.into(),
            is_refused: false,
        }
    }
}

impl From<PlanError> for ParamsError {
    fn from(error: PlanError) -> Self {
        Self::new(error.field.as_str(), error.message)
    }
}

impl JobParams {
    /// Returns the parameters of a `scrape`, `crawl` or `map` job.
    pub fn for_url(url: impl Into<String>) -> Self {
        Self {
            url: Some(url.into()),
            ..Self::default()
        }
    }

    /// Returns the parameters of a `batch_scrape` job.
    pub fn batch(urls: impl IntoIterator<Item = impl Into<String>>) -> Self {
        Self {
            urls: Some(urls.into_iter().map(Into::into).collect()),
            ..Self::default()
        }
    }

    /// Validates the parameters and returns a new job of this owner with a new id.
    pub fn new_job(
        &self,
        kind: JobKind,
        owner: Owner,
        defaults: &JobDefaults,
    ) -> Result<PreparedJob, ParamsError> {
        self.guarded_job(kind, owner, defaults, &Guard::anywhere())
    }

    /// Like [`JobParams::new_job`], without URLs that this guard refuses whatever their names resolve to.
    pub fn guarded_job(
        &self,
        kind: JobKind,
        owner: Owner,
        defaults: &JobDefaults,
        guard: &Guard,
    ) -> Result<PreparedJob, ParamsError> {
        let (seeds, invalid_urls) = self.seeds(kind, guard)?;
        check_hosts(&seeds, defaults)?;
        let plan = self.plan(kind, defaults, 0, 0)?;
        let priority = self.priority()?;
        let stored = Self {
            // The normalized form.
            url: self
                .url
                .as_ref()
                .and(seeds.first())
                .map(CrawlUrl::to_string),
            url_count: (kind == JobKind::BatchScrape).then_some(seeds.len() as u64),
            ..self.clone()
        };
        let seeds: Vec<NewTask> = seeds.iter().map(|url| seed_task(url, plan.keys)).collect();
        let params = serde_json::to_value(stored)
            .map_err(|error| ParamsError::new("params", error.to_string()))?;
        let follows = matches!(kind, JobKind::Crawl | JobKind::Map);
        let job = NewJob {
            id: JobId::fresh(),
            owner,
            priority,
            kind,
            params,
            limits: JobLimits {
                max_depth: plan.limits.depth.filter(|_| follows),
                max_tasks: plan.limits.pages,
                max_bytes: plan.limits.bytes,
                max_duration: plan.limits.duration,
            },
            renders: plan.js == JsPolicy::Always,
            seeds,
            idempotency: None,
        };
        Ok(PreparedJob { job, invalid_urls })
    }

    fn priority(&self) -> Result<Priority, ParamsError> {
        let Some(number) = self.priority else {
            return Ok(Priority::default());
        };
        let priority = u8::try_from(number).ok().and_then(Priority::new);
        priority.ok_or_else(|| {
            let message = format!("{number} is out of range; allowed: 0 to {}", Priority::MAX);
            ParamsError::new("priority", message)
        })
    }

    /// Returns the rules for fetching the pages of a job. `key_seed` seeds the keys of its URLs; pages of different `visit`s
    /// share nothing in a browser.
    pub fn plan(
        &self,
        kind: JobKind,
        defaults: &JobDefaults,
        key_seed: u64,
        visit: u64,
    ) -> Result<Arc<CrawlRules>, ParamsError> {
        let spec = CrawlSpec {
            visit,
            ..self.spec(kind, defaults)
        };
        if matches!(kind, JobKind::Scrape | JobKind::BatchScrape) {
            return Ok(CrawlRules::without_seed(
                &spec,
                DEFAULT_USER_AGENT,
                key_seed,
            )?);
        }
        self.seeds(kind, &Guard::anywhere())?;
        let plan = CrawlPlan::resolve(&spec, DEFAULT_USER_AGENT, key_seed)?;
        Ok(Arc::clone(plan.rules()))
    }

    /// Returns the spec of a job.
    pub fn spec(&self, kind: JobKind, defaults: &JobDefaults) -> CrawlSpec {
        let follows = matches!(kind, JobKind::Crawl | JobKind::Map);
        let scope = if follows && self.same_domain.unwrap_or(true) {
            ScopeKind::Host
        } else {
            ScopeKind::Any
        };
        let depth = if follows {
            self.max_depth.unwrap_or(defaults.max_depth)
        } else {
            0
        };
        // The tasks of the other kinds are the URLs of the request, which were counted when it was received.
        let max_pages = self.max_pages.or(defaults.max_tasks).filter(|_| follows);
        let max_duration = self.max_duration.map(Duration::from_secs);
        CrawlSpec {
            seed: self.url.clone().unwrap_or_default(),
            request: RequestSpec {
                robots: match self.robots {
                    None => defaults.request.robots,
                    Some(RobotsChoice::Respect) => RobotsPolicy::Respect,
                    Some(RobotsChoice::Ignore) => RobotsPolicy::Ignore,
                },
                ..defaults.request.clone()
            },
            js: defaults.js(self.use_js),
            sitemaps: match self.sitemaps.filter(|_| follows) {
                None | Some(SitemapsChoice::Skip) => SitemapPolicy::Skip,
                Some(SitemapsChoice::Include) => SitemapPolicy::Include,
                Some(SitemapsChoice::Only) => SitemapPolicy::Only,
            },
            scope: Some(scope),
            include: self.include.clone(),
            exclude: self.exclude.clone(),
            pattern_limits: PatternLimits::Strict,
            traps: Some(follows && self.traps != Some(TrapsChoice::Off)),
            links: LinkFilter {
                keep_fragments: defaults.keep_fragments,
                ..LinkFilter::default()
            },
            slash: Some(SlashPolicy::Merge),
            strip_query: self.ignore_query.unwrap_or(defaults.strip_query),
            // 0 is no limit; `None` would be the limit of the profile.
            max_pages: Some(max_pages.unwrap_or(0)),
            max_depth: Some(DepthLimit::Links(depth)),
            max_duration: max_duration.or(defaults.max_duration),
            max_bytes: self.max_bytes.or(defaults.max_bytes),
            documents: match kind {
                JobKind::Map => None,
                JobKind::Crawl => Some(DocumentRules { error_pages: false }),
                JobKind::Scrape | JobKind::BatchScrape => Some(DocumentRules { error_pages: true }),
            },
            blocked_extensions: defaults.blocked_extensions.clone(),
            obey_nofollow: defaults.obey_nofollow,
            ..CrawlSpec::default()
        }
    }

    /// Returns the seeds, and the invalid URLs of a batch.
    fn seeds(
        &self,
        kind: JobKind,
        guard: &Guard,
    ) -> Result<(Vec<CrawlUrl>, InvalidUrls), ParamsError> {
        let is_refused = |url: &CrawlUrl| guard.refuses(url.parts());
        if kind == JobKind::BatchScrape {
            let Some(urls) = &self.urls else {
                return Err(ParamsError::new("urls", "is missing"));
            };
            let mut valid = Vec::new();
            let mut invalid = InvalidUrls::default();
            for typed in urls {
                match job_url(typed) {
                    Ok(url) if is_refused(&url) => invalid.add(typed, REFUSED.to_owned()),
                    Ok(url) => valid.push(url),
                    Err(reason) => invalid.add(typed, reason),
                }
            }
            return Ok((valid, invalid));
        }
        let Some(url) = &self.url else {
            return Err(ParamsError::new("url", "is missing"));
        };
        let url = job_url(url).map_err(|message| ParamsError::new("url", message))?;
        if is_refused(&url) {
            return Err(ParamsError {
                is_refused: true,
                ..ParamsError::new("url", REFUSED)
            });
        }
        Ok((vec![url], InvalidUrls::default()))
    }
}

/// Each host takes time of its own: its name is resolved, and its robots.txt is read.
fn check_hosts(seeds: &[CrawlUrl], defaults: &JobDefaults) -> Result<(), ParamsError> {
    let Some(max) = defaults.max_hosts else {
        return Ok(());
    };
    let hosts: HashSet<&str> = seeds.iter().map(|url| url.parts().host()).collect();
    if hosts.len() as u64 <= max {
        return Ok(());
    }
    let message = format!(
        "too many hosts, {}; at most {max} are allowed in one batch (jobs.max_hosts)",
        hosts.len()
    );
    Err(ParamsError::new("urls", message))
}

/// Parses the URL of a job. Jobs are stored and shown, so URLs with credentials are rejected instead of silently
/// dropping the credentials.
fn job_url(typed: &str) -> Result<CrawlUrl, String> {
    if Userinfo::of(typed).is_some() {
        return Err(
            "the URL of a job must not contain a user name or password; POST /v1/scrape supports them".to_owned(),
        );
    }
    CrawlUrl::parse(typed).map_err(|error| error.to_string())
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
        found: crawler_model::Discovery::Seed,
    }
}
