//! What follows from an attempt at a site file: another URL, another attempt, or a result.
//!
//! The one implementation for every caller: both frontiers and the scraper. Pure: the caller sends the requests, waits, and
//! keeps the results.

use std::time::Duration;

use crawler_model::site_rules::{MAX_SITE_FILE_REDIRECTS, MAX_WAIT, check_redirects, may_retry};
use crawler_model::{FailKind, Failure, LinkList};
use crawler_sitefiles::RobotsFile;
use crawler_weburl::{CrawlUrl, Origin, Resolved, Resolver};

use crate::site_file_task::{RobotsFetchResult, SitemapFetchResult};

/// An attempt that has ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SiteFileAttempt {
    /// Attempts at this URL so far, including this one.
    pub attempt: u32,
    /// Maximum number of attempts.
    pub max_attempts: u32,
    /// Redirects followed so far.
    pub hops: u32,
    /// The pause that the host asked for.
    pub retry_after: Option<Duration>,
    /// Whether more may be requested: the caller is not stopping, and the host is not parked.
    pub may_continue: bool,
}

/// What follows from an attempt.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum SiteFileStep<T> {
    /// Fetch it from here.
    Follow(CrawlUrl),
    /// Fetch it again, after the usual delay.
    Retry,
    /// This is the result.
    Done(T),
}

/// A sitemap that was read, perhaps in part.
#[derive(Debug)]
pub struct SitemapContent {
    /// Pages it names.
    pub pages: LinkList,
    /// Further sitemaps it names.
    pub sitemaps: Vec<CrawlUrl>,
    /// What was wrong with it, if it was read only in part.
    pub problem: Option<String>,
}

impl SiteFileAttempt {
    /// What follows from an attempt at a robots.txt. After too many redirects, the file counts as having no rules.
    pub fn robots_step(&self, answer: RobotsFetchResult) -> SiteFileStep<RobotsFile> {
        let file = match answer {
            RobotsFetchResult::Moved(to) => {
                return match check_redirects(self.hops, MAX_SITE_FILE_REDIRECTS) {
                    Ok(()) => SiteFileStep::Follow(to),
                    Err(_) => SiteFileStep::Done(RobotsFile::without_rules()),
                };
            }
            RobotsFetchResult::Rules(rules) => RobotsFile::Rules(rules),
            RobotsFetchResult::Unavailable(failure) | RobotsFetchResult::Unreachable(failure)
                if self.retries(failure.kind) =>
            {
                return SiteFileStep::Retry;
            }
            // Like any 4xx, this is final: the file is not requested again (RFC 9309).
            RobotsFetchResult::Throttled(failure) => RobotsFile::Throttled(failure),
            RobotsFetchResult::Unavailable(failure) => RobotsFile::Unavailable(failure),
            RobotsFetchResult::Unreachable(failure) => RobotsFile::Unreachable(failure),
        };
        SiteFileStep::Done(file)
    }

    /// What follows from an attempt at a sitemap.
    pub fn sitemap_step(
        &self,
        answer: SitemapFetchResult,
    ) -> SiteFileStep<Result<SitemapContent, Failure>> {
        match answer {
            SitemapFetchResult::Moved(to) => {
                match check_redirects(self.hops, MAX_SITE_FILE_REDIRECTS) {
                    Ok(()) => SiteFileStep::Follow(to),
                    Err(failure) => SiteFileStep::Done(Err(failure)),
                }
            }
            SitemapFetchResult::Failed(failure) if self.retries(failure.kind) => {
                SiteFileStep::Retry
            }
            SitemapFetchResult::Failed(failure) => SiteFileStep::Done(Err(failure)),
            SitemapFetchResult::Read {
                pages,
                sitemaps,
                problem,
            } => SiteFileStep::Done(Ok(SitemapContent {
                pages,
                sitemaps,
                problem,
            })),
        }
    }

    fn retries(&self, kind: FailKind) -> bool {
        let (attempt, max_attempts) = (self.attempt, self.max_attempts);
        self.may_continue && may_retry(kind, attempt, max_attempts, self.retry_after, MAX_WAIT)
    }
}

/// The sitemaps of an origin, and whether its robots.txt names them: else there is only `/sitemap.xml`.
pub fn sitemaps_of(origin: &Origin, file: &RobotsFile) -> Vec<(CrawlUrl, bool)> {
    let at = |path: &str| CrawlUrl::from_normalized(&format!("{origin}{path}"));
    let Some(base) = at("/robots.txt") else {
        return Vec::new();
    };
    let resolver = Resolver::new(&base);
    let named = file.sitemaps().iter().filter_map(|text| {
        let mut url = String::new();
        match resolver.resolve(text, &mut url) {
            Resolved::Web(url) => Some((CrawlUrl::from_normalized(url.as_str())?, true)),
            _ => None,
        }
    });
    let mut sitemaps: Vec<(CrawlUrl, bool)> = named.collect();
    if sitemaps.is_empty() {
        sitemaps.extend(at("/sitemap.xml").map(|url| (url, false)));
    }
    sitemaps
}

#[cfg(test)]
mod tests {
    use crawler_sitefiles::Robots;

    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    const FIRST: SiteFileAttempt = SiteFileAttempt {
        attempt: 1,
        max_attempts: 2,
        hops: 0,
        retry_after: None,
        may_continue: true,
    };

    fn url() -> CrawlUrl {
        CrawlUrl::parse("http://a.example/other.txt").unwrap()
    }

    /// The step of each file for the same attempt, as text.
    fn steps(attempt: SiteFileAttempt, failure: &Failure) -> [String; 2] {
        let robots = match attempt.robots_step(RobotsFetchResult::Unavailable(failure.clone())) {
            SiteFileStep::Follow(_) => "follow".to_owned(),
            SiteFileStep::Retry => "retry".to_owned(),
            SiteFileStep::Done(file) => format!("{:?}", matches!(file, RobotsFile::Rules(_))),
        };
        let sitemap = match attempt.sitemap_step(SitemapFetchResult::Failed(failure.clone())) {
            SiteFileStep::Follow(_) => "follow".to_owned(),
            SiteFileStep::Retry => "retry".to_owned(),
            SiteFileStep::Done(content) => format!("{:?}", content.is_ok()),
        };
        [robots, sitemap]
    }

    #[test]
    fn robots_txt_and_sitemaps_are_retried_alike() {
        let failure = Failure::of_status(503);
        let retried = ["retry", "retry"];
        let given_up = ["false", "false"];
        for (attempt, expected) in [
            (FIRST, retried),
            (
                SiteFileAttempt {
                    attempt: 2,
                    ..FIRST
                },
                given_up,
            ),
            (
                SiteFileAttempt {
                    retry_after: Some(60 * SECOND),
                    ..FIRST
                },
                retried,
            ),
            (
                SiteFileAttempt {
                    retry_after: Some(61 * SECOND),
                    ..FIRST
                },
                given_up,
            ),
            (
                SiteFileAttempt {
                    may_continue: false,
                    ..FIRST
                },
                given_up,
            ),
        ] {
            assert_eq!(steps(attempt, &failure), expected, "{attempt:?}");
        }
        assert_eq!(steps(FIRST, &Failure::of_status(404)), given_up);
    }

    #[test]
    fn five_redirects_are_followed() {
        for hops in 0..8 {
            let attempt = SiteFileAttempt { hops, ..FIRST };
            let robots = attempt.robots_step(RobotsFetchResult::Moved(url()));
            let sitemap = attempt.sitemap_step(SitemapFetchResult::Moved(url()));
            if hops < 5 {
                assert!(matches!(robots, SiteFileStep::Follow(to) if to == url()));
                assert!(matches!(sitemap, SiteFileStep::Follow(to) if to == url()));
            } else {
                assert!(matches!(robots, SiteFileStep::Done(RobotsFile::Rules(_))));
                assert!(matches!(sitemap, SiteFileStep::Done(Err(_))));
            }
        }
    }

    #[test]
    fn each_response_to_robots_txt_has_its_result() {
        let last = SiteFileAttempt {
            may_continue: false,
            ..FIRST
        };
        let failure = || Failure::of_status(429);
        let done = |answer| match last.robots_step(answer) {
            SiteFileStep::Done(file) => file,
            other => panic!("{other:?}"),
        };
        assert!(matches!(
            done(RobotsFetchResult::Throttled(failure())),
            RobotsFile::Throttled(_)
        ));
        assert!(matches!(
            done(RobotsFetchResult::Unavailable(failure())),
            RobotsFile::Unavailable(_)
        ));
        assert!(matches!(
            done(RobotsFetchResult::Unreachable(failure())),
            RobotsFile::Unreachable(_)
        ));
        assert!(matches!(
            done(RobotsFetchResult::Rules(Robots::allow_all())),
            RobotsFile::Rules(_)
        ));
    }

    #[test]
    fn sitemaps_are_relative_to_the_origin() {
        let origin = url().origin();
        let file = |text: &str| RobotsFile::Rules(Robots::parse(text.as_bytes(), "crawler"));
        let found = |file: &RobotsFile| -> Vec<(String, bool)> {
            let urls = sitemaps_of(&origin, file).into_iter();
            urls.map(|(url, named)| (url.to_string(), named)).collect()
        };
        let named = |url: &str| (url.to_owned(), true);
        assert_eq!(
            found(&file(
                "Sitemap: /a.xml\nSitemap: http://b.example/b.xml\nSitemap: ftp://c/"
            )),
            [
                named("http://a.example/a.xml"),
                named("http://b.example/b.xml")
            ]
        );
        let default = [("http://a.example/sitemap.xml".to_owned(), false)];
        assert_eq!(found(&file("")), default);
        assert_eq!(found(&file("Sitemap: mailto:a@b.example")), default);
        assert_eq!(
            found(&RobotsFile::Unavailable(Failure::of_status(503))),
            default
        );
    }
}
