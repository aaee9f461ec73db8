//! A report about a site file, without its site-file task.
//!
//! The text of a robots.txt is recorded and parsed again; without a text, nothing is forbidden.

use crawler_frontier::{
    RobotsFetchResult, SiteFileReport, SiteFileResult, SiteFileTask, SitemapFetchResult,
};
use crawler_model::CrawlRules;
use crawler_sitefiles::{Robots, robots_token};

use super::links::{read_links, write_links};
use super::page::{read_failure, read_status, write_failure};
use super::{BytesIn, BytesOut, Damaged};

pub(crate) fn write_site_file(out: &mut BytesOut, report: &SiteFileReport) {
    match &report.found {
        SiteFileResult::Robots(_, answer) => write_robots(out, answer, report.text.as_deref()),
        SiteFileResult::Sitemap(_, answer) => write_sitemap(out, answer),
    }
    out.number(report.status.map_or(0, u64::from));
    out.option(report.retry_after, BytesOut::duration);
    out.duration(report.elapsed);
    out.number(report.wire_bytes);
}

pub(crate) fn read_site_file(
    bytes: &mut BytesIn<'_>,
    site_file: SiteFileTask,
    plan: &CrawlRules,
) -> Result<SiteFileReport, Damaged> {
    let mut text = None;
    let found = match site_file {
        SiteFileTask::Robots(site_file) => {
            let answer = read_robots(bytes, &mut text, plan)?;
            SiteFileResult::Robots(site_file, answer)
        }
        SiteFileTask::Sitemap(site_file) => {
            SiteFileResult::Sitemap(site_file, read_sitemap(bytes, plan)?)
        }
    };
    Ok(SiteFileReport {
        found,
        status: read_status(bytes)?,
        retry_after: bytes.option(BytesIn::duration)?,
        elapsed: bytes.duration()?,
        wire_bytes: bytes.number()?,
        text,
    })
}

/// Parses a robots.txt; without a text, everything is allowed.
pub(crate) fn rules(text: Option<&str>, plan: &CrawlRules) -> Robots {
    text.map_or_else(Robots::allow_all, |text| {
        Robots::parse(text.as_bytes(), robots_token(&plan.fetch.user_agent))
    })
}

fn write_robots(out: &mut BytesOut, answer: &RobotsFetchResult, text: Option<&str>) {
    match answer {
        RobotsFetchResult::Rules(_) => {
            out.byte(0);
            out.option(text, BytesOut::text);
        }
        RobotsFetchResult::Unavailable(failure) => {
            out.byte(1);
            write_failure(out, failure);
        }
        RobotsFetchResult::Unreachable(failure) => {
            out.byte(2);
            write_failure(out, failure);
        }
        RobotsFetchResult::Moved(to) => {
            out.byte(3);
            out.text(to.as_str());
        }
        RobotsFetchResult::Throttled(failure) => {
            out.byte(4);
            write_failure(out, failure);
        }
    }
}

fn read_robots(
    bytes: &mut BytesIn<'_>,
    text: &mut Option<String>,
    plan: &CrawlRules,
) -> Result<RobotsFetchResult, Damaged> {
    Ok(match bytes.byte()? {
        0 => {
            *text = bytes.option(|bytes| bytes.text().map(str::to_owned))?;
            RobotsFetchResult::Rules(rules(text.as_deref(), plan))
        }
        1 => RobotsFetchResult::Unavailable(read_failure(bytes)?),
        2 => RobotsFetchResult::Unreachable(read_failure(bytes)?),
        3 => RobotsFetchResult::Moved(bytes.url()?),
        4 => RobotsFetchResult::Throttled(read_failure(bytes)?),
        _ => return Err(Damaged("a result for robots.txt")),
    })
}

fn write_sitemap(out: &mut BytesOut, answer: &SitemapFetchResult) {
    match answer {
        SitemapFetchResult::Read {
            pages,
            sitemaps,
            problem,
        } => {
            out.byte(0);
            write_links(out, pages);
            out.number(sitemaps.len() as u64);
            for sitemap in sitemaps {
                out.text(sitemap.as_str());
            }
            out.option(problem.as_deref(), BytesOut::text);
        }
        SitemapFetchResult::Failed(failure) => {
            out.byte(1);
            write_failure(out, failure);
        }
        SitemapFetchResult::Moved(to) => {
            out.byte(2);
            out.text(to.as_str());
        }
    }
}

fn read_sitemap(bytes: &mut BytesIn<'_>, plan: &CrawlRules) -> Result<SitemapFetchResult, Damaged> {
    Ok(match bytes.byte()? {
        0 => {
            let pages = read_links(bytes, &plan.keys)?;
            let count = bytes.count()?;
            SitemapFetchResult::Read {
                pages,
                sitemaps: (0..count).map(|_| bytes.url()).collect::<Result<_, _>>()?,
                problem: bytes.option(|bytes| bytes.text().map(str::to_owned))?,
            }
        }
        1 => SitemapFetchResult::Failed(read_failure(bytes)?),
        2 => SitemapFetchResult::Moved(bytes.url()?),
        _ => return Err(Damaged("an answer about a sitemap")),
    })
}
