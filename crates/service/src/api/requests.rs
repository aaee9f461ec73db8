//! What callers send, field by field. Each becomes the one [`JobParams`] that workers read.

use serde::Deserialize;
use utoipa::{IntoParams, ToSchema};

use crate::config::Config;
use crate::job_params::{JobParams, OutputFormat, RobotsChoice, SitemapsChoice, UseJs};

use super::problem::Problem;
use super::schemas;
use super::whole::whole;

/// One page, now.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct ScrapeRequest {
    /// The page: an absolute http or https URL.
    #[schema(schema_with = schemas::url)]
    pub(super) url: String,
    /// What `content` is written in.
    pub(super) output_format: Option<OutputFormat>,
    /// Whether the page is rendered in a browser.
    #[schema(schema_with = schemas::use_js)]
    pub(super) use_js: Option<UseJs>,
}

/// A list of pages.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct BatchRequest {
    /// The pages: absolute http or https URLs. Those that are none are listed in the answer; the rest run.
    #[schema(schema_with = schemas::urls)]
    pub(super) urls: Vec<String>,
    /// What `content` is written in.
    pub(super) output_format: Option<OutputFormat>,
    /// Whether pages are rendered in a browser.
    #[schema(schema_with = schemas::use_js)]
    pub(super) use_js: Option<UseJs>,
}

/// A site's pages, or with `POST /v1/map` its URLs.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct SiteRequest {
    /// Where to begin: an absolute http or https URL.
    #[schema(schema_with = schemas::url)]
    pub(super) url: String,
    /// Links are followed while depth is below this; the page at `url` is depth 0. 2 unless said otherwise.
    #[schema(minimum = 0, maximum = 1_000)]
    #[serde(default, deserialize_with = "whole")]
    pub(super) max_depth: Option<u32>,
    /// The exact host of `url` only; `false`: any host. True unless said otherwise.
    pub(super) same_domain: Option<bool>,
    /// What `content` is written in.
    pub(super) output_format: Option<OutputFormat>,
    /// Whether pages are rendered in a browser.
    #[schema(schema_with = schemas::use_js)]
    pub(super) use_js: Option<UseJs>,
    /// Most URLs of the job.
    #[schema(minimum = 1, maximum = 100_000_000)]
    #[serde(default, deserialize_with = "whole")]
    pub(super) max_pages: Option<u64>,
    /// The job's hard end, in seconds.
    #[schema(minimum = 1, maximum = 31_536_000)]
    #[serde(default, deserialize_with = "whole")]
    pub(super) max_duration: Option<u64>,
    /// Most body bytes of the job.
    #[schema(minimum = 1, maximum = 1_000_000_000_000_000_i64)]
    #[serde(default, deserialize_with = "whole")]
    pub(super) max_bytes: Option<u64>,
    /// Follow only URLs that match one of these regular expressions.
    #[schema(schema_with = schemas::include)]
    #[serde(default)]
    pub(super) include: Vec<String>,
    /// Never follow URLs that match one of these; stronger than `include`.
    #[schema(schema_with = schemas::exclude)]
    #[serde(default)]
    pub(super) exclude: Vec<String>,
    /// URLs that differ in their query alone are one page.
    pub(super) ignore_query: Option<bool>,
    /// Whether robots.txt is obeyed.
    pub(super) robots: Option<RobotsChoice>,
    /// Whether sitemaps are read.
    pub(super) sitemaps: Option<SitemapsChoice>,
}

impl BatchRequest {
    pub(super) fn params(self, config: &Config) -> Result<JobParams, Problem> {
        check_js(self.use_js, config)?;
        let most = config.jobs.max_tasks;
        if self.urls.is_empty() {
            let words = "urls: at least one URL is needed";
            return Err(Problem::invalid("urls", words).in_body());
        }
        if self.urls.len() as u64 > u64::from(most) {
            let words = format!("urls: {} are too many; at most {most}", self.urls.len());
            return Err(Problem::invalid("urls", words).in_body());
        }
        Ok(JobParams {
            urls: Some(self.urls),
            output_format: self.output_format,
            use_js: self.use_js,
            ..JobParams::default()
        })
    }
}

impl SiteRequest {
    pub(super) fn params(self, config: &Config) -> Result<JobParams, Problem> {
        check_js(self.use_js, config)?;
        let jobs = &config.jobs;
        let within = [
            (
                "max_depth",
                self.max_depth.map(u64::from),
                0,
                u64::from(jobs.max_depth),
            ),
            ("max_pages", self.max_pages, 1, u64::from(jobs.max_tasks)),
            (
                "max_duration",
                self.max_duration,
                1,
                jobs.max_duration.as_secs(),
            ),
            ("max_bytes", self.max_bytes, 1, jobs.max_bytes),
        ];
        for (field, asked, least, most) in within {
            if asked.is_some_and(|asked| !(least..=most).contains(&asked)) {
                let asked = asked.unwrap_or_default();
                let words = format!(
                    "{field}: {asked} is out of range; allowed: {least} to {most} (jobs.* of the configuration)"
                );
                return Err(Problem::invalid(field, words).in_body());
            }
        }
        check_patterns("include", &self.include)?;
        check_patterns("exclude", &self.exclude)?;
        Ok(JobParams {
            url: Some(self.url),
            urls: None,
            url_count: None,
            max_depth: self.max_depth,
            same_domain: self.same_domain,
            output_format: self.output_format,
            use_js: self.use_js,
            max_pages: self.max_pages,
            max_duration: self.max_duration,
            max_bytes: self.max_bytes,
            include: self.include,
            exclude: self.exclude,
            ignore_query: self.ignore_query,
            robots: self.robots,
            sitemaps: self.sitemaps,
        })
    }
}

/// Every page's links are matched with every pattern.
const MOST_PATTERNS: usize = 100;
const LONGEST_PATTERN: usize = 1_000;

fn check_patterns(field: &str, patterns: &[String]) -> Result<(), Problem> {
    if patterns.len() > MOST_PATTERNS {
        let words = format!(
            "{field}: {} patterns are too many; at most {MOST_PATTERNS}",
            patterns.len()
        );
        return Err(Problem::invalid(field, words).in_body());
    }
    let long = patterns.iter().position(|one| one.len() > LONGEST_PATTERN);
    long.map_or(Ok(()), |at| {
        let words = format!("{field}[{at}]: longer than {LONGEST_PATTERN} bytes");
        Err(Problem::invalid(format!("{field}[{at}]"), words).in_body())
    })
}

/// Whether this service renders at all. Whether there is a browser is for whoever does the work to say.
pub(super) fn check_js(asked: Option<UseJs>, config: &Config) -> Result<(), Problem> {
    match asked {
        None | Some(UseJs::Fixed(false)) => Ok(()),
        Some(_) if config.browser.enabled => Ok(()),
        Some(_) => Err(Problem::no_rendering(
            "use_js: this service does not render pages (browser.enabled is false); send false or leave it out",
        )),
    }
}

/// Which jobs to list.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(super) struct JobsQuery {
    /// Only jobs that stand here: queued, running, completed, completed_with_errors, failed, cancelled.
    #[param(pattern = "^(queued|running|completed|completed_with_errors|failed|cancelled)$")]
    pub(super) status: Option<String>,
    /// Only jobs of this type: scrape, batch_scrape, crawl, map.
    #[serde(rename = "type")]
    #[param(pattern = "^(scrape|batch_scrape|crawl|map)$")]
    pub(super) kind: Option<String>,
    /// Entries a page, 1 to 200; 50 unless said otherwise.
    #[param(minimum = 1, maximum = 200)]
    pub(super) limit: Option<u32>,
    /// The `next_cursor` of the page before.
    pub(super) cursor: Option<String>,
}

/// A page of a job's documents.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(super) struct DocumentsQuery {
    /// Entries a page, 1 to 100; 20 unless said otherwise.
    #[param(minimum = 1, maximum = 100)]
    pub(super) limit: Option<u32>,
    /// The `next_cursor` of the page before.
    pub(super) cursor: Option<String>,
}

/// A page of a job's map.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(super) struct MapQuery {
    /// Entries a page, 1 to 1,000; 100 unless said otherwise.
    #[param(minimum = 1, maximum = 1_000)]
    pub(super) limit: Option<u32>,
    /// The `next_cursor` of the page before.
    pub(super) cursor: Option<String>,
}

/// A page of a job's tasks.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(super) struct TasksQuery {
    /// Only tasks that stand here: queued, processing, done, failed, skipped.
    #[param(pattern = "^(queued|processing|done|failed|skipped)$")]
    pub(super) status: Option<String>,
    /// Entries a page, 1 to 1,000; 100 unless said otherwise.
    #[param(minimum = 1, maximum = 1_000)]
    pub(super) limit: Option<u32>,
    /// The `next_cursor` of the page before.
    pub(super) cursor: Option<String>,
}

/// What to export.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(super) struct ExportQuery {
    /// `documents` or `map`; documents unless said otherwise.
    #[serde(rename = "type")]
    #[param(pattern = "^(documents|map)$")]
    pub(super) kind: Option<String>,
    /// `ndjson`, the only one.
    #[param(pattern = "^ndjson$")]
    pub(super) format: Option<String>,
}
