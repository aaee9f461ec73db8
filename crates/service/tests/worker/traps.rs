//! Crawler traps in jobs: archives are fetched completely, endless calendars end, and every refusal is counted and listed.

use crawler_service::job_params::{JobParams, SitemapsChoice, TrapsChoice};
use crawler_store::{Access, Job, JobKind, JobState, JobStopReason, Results, TaskState};
use testsite::{Request, Server, SiteResponse};

use crate::test_store::{TestStore, fast};

const DAYS: u32 = 1_000;
/// Pages in one year of the archive: it has twelve months of 28 days.
const DAYS_OF_YEAR: u32 = 12 * 28;

fn day_path(day: u32) -> String {
    let (year, rest) = (2022 + day / DAYS_OF_YEAR, day % DAYS_OF_YEAR);
    format!("/log/{year}/{:02}/{:02}", rest / 28 + 1, rest % 28 + 1)
}

fn links(paths: impl IntoIterator<Item = String>) -> String {
    let links: Vec<String> = paths
        .into_iter()
        .map(|path| format!("<a href={path}>more</a>"))
        .collect();
    links.join(" ")
}

/// An archive of a thousand days below `/log`, each with its own entry; `/` links to years, and years to days, if `linked`.
fn archive(linked: bool) -> Server {
    Server::start(move |request: &Request| {
        let all = || (0..DAYS).map(day_path);
        let path = request.path();
        let years = ["/log/2022", "/log/2023", "/log/2024"].map(str::to_owned);
        match path {
            "/robots.txt" => SiteResponse::new(
                200,
                "text/plain",
                format!("Sitemap: http://{}/sitemap.xml\n", request.server()),
            ),
            "/sitemap.xml" => {
                let origin = format!("http://{}", request.server());
                let urls = all().map(|path| format!("<url><loc>{origin}{path}</loc></url>"));
                let urls: String = urls.collect();
                SiteResponse::new(200, "application/xml", format!("<urlset>{urls}</urlset>"))
            }
            "/" if linked => SiteResponse::html(links(years)),
            "/" => SiteResponse::html("<p>A ship's log."),
            year if linked && years.iter().any(|one| one == year) => {
                SiteResponse::html(links(all().filter(|day| day.starts_with(year))))
            }
            day => match all().position(|one| one == day) {
                Some(at) => {
                    SiteResponse::html(format!("<p>Entry {at}: wind {} knots, fog.", at * 7))
                }
                None => SiteResponse::status(404),
            },
        }
    })
}

/// A calendar without events and without an end.
fn endless_calendar() -> Server {
    Server::start(|request: &Request| {
        let path = request.path();
        if path == "/robots.txt" {
            return SiteResponse::status(404);
        }
        let months: u32 = path
            .trim_start_matches("/calendar/")
            .split_once('/')
            .and_then(|(year, month)| {
                let (year, month): (u32, u32) = (year.parse().ok()?, month.parse().ok()?);
                Some(year * 12 + month - 1)
            })
            .unwrap_or(2026 * 12);
        let month = |months: u32| format!("/calendar/{}/{:02}", months / 12, months % 12 + 1);
        let beside = [month(months - 1), month(months + 1), month(months + 12)];
        SiteResponse::html(format!("<p>No events.</p>{}", links(beside)))
    })
}

async fn crawl(test_store: &TestStore, params: JobParams) -> Job {
    let (job, _) = test_store.run(JobKind::Crawl, &params).await;
    job
}

fn site(server: &Server) -> JobParams {
    JobParams {
        max_depth: Some(100),
        max_pages: Some(3_000),
        ..JobParams::for_url(server.url("/"))
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_archive_of_many_days_is_fetched_completely() {
    for (linked, index_pages) in [(true, 4), (false, 1)] {
        let server = archive(linked);
        let test_store = TestStore::fresh(fast()).await;
        let params = JobParams {
            sitemaps: (!linked).then_some(SitemapsChoice::Include),
            ..site(&server)
        };
        let job = crawl(&test_store, params).await;
        assert_eq!(job.state, JobState::Completed, "{job:?}");
        assert_eq!(job.counts.done, u64::from(DAYS) + index_pages, "{job:?}");
        assert!(job.refused.is_empty(), "{job:?}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_endless_calendar_ends_and_the_job_lists_what_was_not_followed() {
    let server = endless_calendar();
    let test_store = TestStore::fresh(fast()).await;
    let job = crawl(&test_store, site(&server)).await;
    assert_eq!(job.state, JobState::Completed, "{job:?}");
    assert!(job.counts.done < 100, "{job:?}");
    let refused = job.refused.get("trap_calendar");
    assert!(refused > 0, "{job:?}");
    let skipped = test_store.store.tasks(
        &Access::AllOwners,
        job.id,
        Some(TaskState::Skipped),
        1_000,
        None,
    );
    let skipped = skipped.await.unwrap().entries;
    assert_eq!(skipped.len() as u64, refused, "each is a task");
    for task in skipped {
        assert_eq!(task.reason.as_deref(), Some("trap_calendar"), "{task:?}");
        let message = "not followed: crawler trap, endless calendar";
        assert_eq!(task.error.as_deref(), Some(message), "{task:?}");
        let path = task.url.replace(&server.origin(), "");
        assert_eq!(server.count(&path), 0, "{path}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_request_can_follow_traps() {
    let server = endless_calendar();
    let test_store = TestStore::fresh(fast()).await;
    let params = JobParams {
        max_pages: Some(150),
        traps: Some(TrapsChoice::Off),
        ..site(&server)
    };
    let job = crawl(&test_store, params).await;
    assert_eq!(job.counts.done, 150, "{job:?}");
    assert_eq!(
        job.stop_reason.map(JobStopReason::as_str),
        Some("max_pages"),
        "{job:?}"
    );
    assert!(job.refused.is_empty(), "{job:?}");
}
