//! Request bodies and queries. Bodies are converted to [`JobParams`], which the workers read.

use crawler_model::counted;
use http::StatusCode;
use serde::Deserialize;
use utoipa::{IntoParams, ToSchema};

use crate::config::Config;
use crate::job_params::{
    JobParams, OutputFormat, RobotsChoice, SitemapsChoice, TrapsChoice, UseJs,
};

use super::problem::Problem;
use super::schemas;
use super::whole_number::whole_number;

/// A page to scrape.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct ScrapeRequest {
    /// URL of the page, absolute, http or https.
    #[schema(schema_with = schemas::url)]
    pub(super) url: String,
    /// Format of `content`.
    pub(super) output_format: Option<OutputFormat>,
    /// Whether to render the page in a browser.
    #[schema(schema_with = schemas::use_js)]
    pub(super) use_js: Option<UseJs>,
}

/// A list of pages to scrape.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct BatchRequest {
    /// URLs of the pages, absolute, http or https. Invalid ones, and those that the service may not request, are listed in the response; the others are scraped.
    #[schema(schema_with = schemas::urls)]
    pub(super) urls: Vec<String>,
    /// Format of `content`.
    pub(super) output_format: Option<OutputFormat>,
    /// Whether to render pages in a browser.
    #[schema(schema_with = schemas::use_js)]
    pub(super) use_js: Option<UseJs>,
    /// Priority among your jobs, 0 to 9; higher ones go first. Default: 5.
    #[schema(minimum = 0, maximum = 9)]
    #[serde(default, deserialize_with = "whole_number")]
    pub(super) priority: Option<u64>,
}

/// A site to crawl, or to map with `POST /v1/map`.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct SiteRequest {
    /// The URL to start from, absolute, http or https.
    #[schema(schema_with = schemas::url)]
    pub(super) url: String,
    /// Maximum depth of pages; the page at `url` has depth 0. Default: 2.
    #[schema(minimum = 0, maximum = 1_000)]
    #[serde(default, deserialize_with = "whole_number")]
    pub(super) max_depth: Option<u32>,
    /// Stay on the exact host of `url`; `false`: follow links to any host. Default: true.
    pub(super) same_domain: Option<bool>,
    /// Format of `content`.
    pub(super) output_format: Option<OutputFormat>,
    /// Whether to render pages in a browser.
    #[schema(schema_with = schemas::use_js)]
    pub(super) use_js: Option<UseJs>,
    /// Maximum number of URLs in the job. URLs that fail or are skipped count too, so the job may have fewer documents; a
    /// redirect and its target count as one. Further URLs are counted in `left_out`.
    #[schema(minimum = 1, maximum = 100_000_000)]
    #[serde(default, deserialize_with = "whole_number")]
    pub(super) max_pages: Option<u64>,
    /// Maximum duration of the job, in seconds from its first page.
    #[schema(minimum = 1, maximum = 31_536_000)]
    #[serde(default, deserialize_with = "whole_number")]
    pub(super) max_duration: Option<u64>,
    /// Maximum number of body bytes of the job.
    #[schema(minimum = 1, maximum = 1_000_000_000_000_000_i64)]
    #[serde(default, deserialize_with = "whole_number")]
    pub(super) max_bytes: Option<u64>,
    /// Only follow URLs that match one of these regular expressions.
    #[schema(schema_with = schemas::include)]
    #[serde(default)]
    pub(super) include: Vec<String>,
    /// Do not follow URLs that match one of these regular expressions; takes precedence over `include`.
    #[schema(schema_with = schemas::exclude)]
    #[serde(default)]
    pub(super) exclude: Vec<String>,
    /// Treat URLs that differ only in their query as the same page.
    pub(super) ignore_query: Option<bool>,
    /// Whether to obey robots.txt. `ignore` needs the permission of the operator (`crawl.allow_ignore_robots`).
    pub(super) robots: Option<RobotsChoice>,
    /// Whether to read sitemaps.
    pub(super) sitemaps: Option<SitemapsChoice>,
    /// Whether to avoid crawler traps: endless calendars, session ids, repeating paths, pages that only lead to more of the same.
    /// Default: `on`.
    pub(super) traps: Option<TrapsChoice>,
    /// Priority among your jobs, 0 to 9; higher ones go first. Default: 5.
    #[schema(minimum = 0, maximum = 9)]
    #[serde(default, deserialize_with = "whole_number")]
    pub(super) priority: Option<u64>,
}

impl BatchRequest {
    pub(super) fn params(self, config: &Config) -> Result<JobParams, Problem> {
        check_js(self.use_js, config)?;
        let max = config.jobs.max_tasks;
        if self.urls.is_empty() {
            let message = "urls: at least one URL is required";
            return Err(Problem::invalid("urls", message).in_body());
        }
        if self.urls.len() as u64 > u64::from(max) {
            let message = format!(
                "urls: too many, {}; at most {max} are allowed (jobs.max_tasks)",
                self.urls.len()
            );
            return Err(Problem::invalid("urls", message).in_body());
        }
        Ok(JobParams {
            urls: Some(self.urls),
            output_format: self.output_format,
            use_js: self.use_js,
            priority: self.priority,
            ..JobParams::default()
        })
    }
}

impl SiteRequest {
    pub(super) fn params(self, config: &Config) -> Result<JobParams, Problem> {
        check_js(self.use_js, config)?;
        check_robots(self.robots, config)?;
        let jobs = &config.jobs;
        let limited = [
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
        for (field, value, min, max) in limited {
            if let Some(value) = value
                && !(min..=max).contains(&value)
            {
                let message = format!(
                    "{field}: {value} is out of range; allowed: {min} to {max} (section jobs of the configuration)"
                );
                return Err(Problem::invalid(field, message).in_body());
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
            traps: self.traps,
            priority: self.priority,
        })
    }
}

/// Limited because every link is matched against every pattern. Their total size is limited by `UrlPatterns`.
pub(super) const MAX_PATTERNS: usize = 100;
pub(super) const MAX_PATTERN_BYTES: usize = 1_000;

fn check_patterns(field: &str, patterns: &[String]) -> Result<(), Problem> {
    if patterns.len() > MAX_PATTERNS {
        let message = format!(
            "{field}: {} are too many; allowed: at most {MAX_PATTERNS}",
            counted(patterns.len(), "pattern")
        );
        return Err(Problem::invalid(field, message).in_body());
    }
    let long = patterns
        .iter()
        .position(|one| one.len() > MAX_PATTERN_BYTES);
    long.map_or(Ok(()), |at| {
        let message = format!("{field}[{at}]: longer than {MAX_PATTERN_BYTES} bytes");
        Err(Problem::invalid(format!("{field}[{at}]"), message).in_body())
    })
}

/// Checks whether rendering is enabled. Whether there is a browser is known only where the page is rendered.
pub(super) fn check_js(use_js: Option<UseJs>, config: &Config) -> Result<(), Problem> {
    match use_js {
        None | Some(UseJs::Fixed(false)) => Ok(()),
        Some(_) if config.browser.enabled => Ok(()),
        Some(_) => Err(Problem::no_rendering(
            "use_js: rendering is disabled (browser.enabled is false); set it to false or leave it out",
        )),
    }
}

/// Whether robots.txt is obeyed is up to the operator of the service.
fn check_robots(robots: Option<RobotsChoice>, config: &Config) -> Result<(), Problem> {
    let crawl = &config.crawl;
    if robots != Some(RobotsChoice::Ignore) || crawl.allow_ignore_robots || !crawl.respect_robots {
        return Ok(());
    }
    let problem = Problem::new(
        StatusCode::FORBIDDEN,
        "robots_required",
        "robots: ignore is not allowed here; leave the field out, or ask the operator to set crawl.allow_ignore_robots",
    );
    Err(problem.at("robots").in_body())
}

/// Which jobs to list.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(super) struct JobsQuery {
    /// Only jobs with this status: queued, running, completed, completed_with_errors, failed or cancelled.
    #[param(pattern = "^(queued|running|completed|completed_with_errors|failed|cancelled)$")]
    pub(super) status: Option<String>,
    /// Only jobs of this type: scrape, batch_scrape, crawl or map.
    #[serde(rename = "type")]
    #[param(pattern = "^(scrape|batch_scrape|crawl|map)$")]
    pub(super) kind: Option<String>,
    /// Only jobs of this owner. Useful with an admin key: with other keys, any owner but their own is 404 `owner_not_found`, like one that does not exist.
    #[param(min_length = 1, max_length = 100)]
    pub(super) owner: Option<String>,
    /// Number of entries per page, 1 to 200. Default: 50.
    #[param(minimum = 1, maximum = 200)]
    pub(super) limit: Option<u32>,
    /// The `next_cursor` of the previous page.
    pub(super) cursor: Option<String>,
}

/// Whose usage is shown.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(super) struct UsageQuery {
    /// Show this owner instead of your own. Needs an admin key; an owner that does not exist is 404 `owner_not_found`.
    #[param(min_length = 1, max_length = 100)]
    pub(super) owner: Option<String>,
}

/// A page of a job's documents.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(super) struct DocumentsQuery {
    /// Number of entries per page, 1 to 100. Default: 20.
    #[param(minimum = 1, maximum = 100)]
    pub(super) limit: Option<u32>,
    /// The `next_cursor` of the previous page.
    pub(super) cursor: Option<String>,
}

/// A page of a job's map.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(super) struct MapQuery {
    /// Number of entries per page, 1 to 1,000. Default: 100.
    #[param(minimum = 1, maximum = 1_000)]
    pub(super) limit: Option<u32>,
    /// The `next_cursor` of the previous page.
    pub(super) cursor: Option<String>,
}

/// A page of a job's tasks.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(super) struct TasksQuery {
    /// Only tasks with this status: queued, processing, done, failed or skipped.
    #[param(pattern = "^(queued|processing|done|failed|skipped)$")]
    pub(super) status: Option<String>,
    /// Number of entries per page, 1 to 1,000. Default: 100.
    #[param(minimum = 1, maximum = 1_000)]
    pub(super) limit: Option<u32>,
    /// The `next_cursor` of the previous page.
    pub(super) cursor: Option<String>,
}

/// What to export.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(super) struct ExportQuery {
    /// `documents` or `map`. Default: `map` for map jobs, else `documents`.
    #[serde(rename = "type")]
    #[param(pattern = "^(documents|map)$")]
    pub(super) kind: Option<String>,
    /// `ndjson`, the only format.
    #[param(pattern = "^ndjson$")]
    pub(super) format: Option<String>,
}
