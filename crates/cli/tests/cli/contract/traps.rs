//! `--traps`: endless URL spaces are refused, each refusal counted by reason; off, they are followed.

use serde_json::Value;
use testsite::{Pages, Request, Server, SiteResponse};

use crate::contract::run::{crawl, visited};
use crate::run::{Finished, crawler, objects};

/// Without a depth limit, so that only trap detection ends the crawl; the page limit ends a test that fails.
const FLAGS: [&str; 8] = [
    "--max-pages",
    "2500",
    "--max-depth",
    "0",
    "--log-format",
    "json",
    "--format",
    "edges",
];

fn endless(next: impl Fn(&str) -> Vec<String> + Send + Sync + 'static) -> Server {
    Server::start(move |request: &Request| match request.path() {
        "/robots.txt" => SiteResponse::status(404),
        _ => SiteResponse::html(
            next(request.target())
                .iter()
                .map(|link| format!("<a href=\"{link}\">more</a>\n"))
                .collect::<String>(),
        ),
    })
}

fn number_in(target: &str) -> u64 {
    let digits: String = target.chars().filter(char::is_ascii_digit).collect();
    digits.parse().unwrap_or(0)
}

/// `-vv` gives the reason for each link that is not followed.
#[test]
fn verbose_output_names_why_a_link_is_not_followed() {
    let links = [
        "/a",
        "/excluded/x",
        "/b/b/b/b/b/b/b/b",
        "mailto:x@example.org",
        "http://other.example/",
    ];
    let server = Server::start(
        Pages::new()
            .links("/", &links)
            .links("/a", &["/deep", "/a"]),
    );
    let flags = ["--max-depth", "1", "--exclude", "/excluded/"];
    let url = |path: &str| server.url(path);
    let seed = url("/");
    let ended = crawler(&[&[&*seed, "-vv"][..], &flags].concat()).success();
    for (link, reason) in [
        (url("/excluded/x"), "excluded by --exclude"),
        (url("/b/b/b/b/b/b/b/b"), "crawler trap, repeating path"),
        ("mailto:x@example.org".to_owned(), "not http"),
        ("http://other.example/".to_owned(), "out of scope"),
        (url("/deep"), "beyond --max-depth"),
    ] {
        ended.stderr_contains(&format!("  link {link} (not followed: {reason})\n"));
    }
    ended.stderr_contains(&format!("  link {}\n", url("/a")));
    let json = [&[&*seed, "-vv", "--log-format", "json"][..], &flags].concat();
    let ended = crawler(&json).success();
    let events = objects(&ended.stderr);
    let reason = |link: &str| {
        let is_link = |line: &&Value| line["event"] == "link" && line["url"] == *link;
        events.iter().find(is_link).unwrap()["not_followed"].clone()
    };
    assert_eq!(reason(&url("/deep")), "too_deep");
    assert_eq!(reason(&url("/a")), Value::Null);
}

fn repeating_path() -> Server {
    endless(|target| vec![format!("{}/loop", target.trim_end_matches('/'))])
}

fn calendar() -> Server {
    endless(|target| {
        // Year and month as one number: 200001 is 2000/01.
        let months = number_in(target).max(200_001);
        let (year, month) = (months / 100, months % 100);
        let next = if month == 12 {
            (year + 1) * 100 + 1
        } else {
            months + 1
        };
        vec![format!("/calendar/{:04}/{:02}", next / 100, next % 100)]
    })
}

fn sessions() -> Server {
    endless(|target| {
        let session = number_in(target).wrapping_mul(31) % 100_000_000 + 12_345_678;
        vec![
            format!("/page?PHPSESSID=ab{session}cd"),
            format!("/cart;jsessionid=AB{session}"),
        ]
    })
}

fn queries() -> Server {
    endless(|target| {
        let at = number_in(target) % 1_000_000;
        (1..=4)
            .map(|step| {
                let at = at * 3 + step;
                format!("/list?color={}&size={}&sort={}", at % 83, at % 89, at % 97)
            })
            .collect()
    })
}

fn crawl_with(server: &Server, flags: &[&str]) -> Finished {
    let mut args = FLAGS.to_vec();
    args.extend(flags);
    crawl(server, &args)
}

fn assert_trapped(server: &Server, reason: &str) {
    let ended = crawl_with(server, &[]);
    let summary = ended.event("summary");
    assert_eq!(summary["stop_reason"], "done", "{summary}");
    assert!(summary[reason].as_u64() > Some(0), "{summary}");
    assert_eq!(
        summary["traps"], summary[reason],
        "counted once, by its reason: {summary}"
    );
    assert!(ended.stderr.contains("--traps off"), "{}", ended.stderr);
}

fn assert_followed(server: &Server, flags: &[&str]) {
    let mut args = vec!["--max-pages", "100"];
    args.extend(flags);
    args.extend(["--max-depth", "0", "--log-format", "json"]);
    let summary = crawl(server, &args).event("summary");
    assert_eq!(summary["stop_reason"], "max_pages", "{summary}");
    assert_eq!(summary["traps"], 0, "{summary}");
}

#[test]
fn repeating_path_segments() {
    assert_trapped(&repeating_path(), "refused_trap_path");
}

#[test]
fn calendars() {
    assert_trapped(&calendar(), "refused_trap_calendar");
}

#[test]
fn session_ids() {
    assert_trapped(&sessions(), "refused_trap_session");
}

#[test]
fn exploding_queries() {
    assert_trapped(&queries(), "refused_trap_query");
}

#[test]
fn with_traps_off_they_are_followed() {
    for server in [repeating_path(), calendar(), sessions(), queries()] {
        assert_followed(&server, &["--traps", "off"]);
    }
}

#[test]
fn traps_are_off_in_exhaustive_unless_given() {
    let server = repeating_path();
    assert_followed(&server, &["--profile", "exhaustive"]);
    let summary =
        crawl_with(&server, &["--profile", "exhaustive", "--traps", "on"]).event("summary");
    assert_eq!(summary["stop_reason"], "done", "{summary}");
}

#[test]
fn ordinary_sites_are_not_refused() {
    let links: Vec<String> = (0..400)
        .flat_map(|at| {
            [
                format!("/2024/{:02}/{:02}/story-{at}", 1 + at % 12, 1 + at % 28),
                format!("/article?id={at}"),
                format!("/en/docs/page-{at}/docs"),
            ]
        })
        .collect();
    let links: Vec<&str> = links.iter().map(String::as_str).collect();
    let server = Server::start(Pages::new().links("/", &links));
    assert_eq!(visited(&server, &[]).len(), 1_201);
}

/// Days with a sentence each, linked to the days beside them or listed in a sitemap.
fn archive(days: u32, is_listed: bool) -> Server {
    const WORDS: [&str; 16] = [
        "harbor", "ledger", "winter", "copper", "meadow", "orbit", "quarry", "signal", "timber",
        "anchor", "bridge", "castle", "desert", "engine", "forest", "garden",
    ];
    let day = |number: u32| {
        let (year, month, day) = (2019 + number / 336, 1 + number / 28 % 12, 1 + number % 28);
        format!("/news/{year}/{month:02}/{day:02}")
    };
    let mut site = Pages::new();
    let mut sitemap = Vec::new();
    for number in 0..days {
        let bits = (number + 1).wrapping_mul(2_654_435_761);
        let mut body: Vec<String> = (0..12)
            .map(|at| WORDS[(bits >> (2 * at)) as usize % WORDS.len()].to_owned())
            .collect();
        if is_listed {
            sitemap.push(format!("<url><loc>{}</loc></url>", day(number)));
        } else {
            let beside = [
                number.checked_sub(1),
                Some(number + 1).filter(|next| *next < days),
            ];
            let links = beside.into_iter().flatten();
            body.extend(links.map(|other| format!("<a href=\"{}\">day</a>", day(other))));
        }
        site = site.html(&day(number), &body.join(" "));
    }
    let sitemap = format!("<urlset>{}</urlset>", sitemap.concat());
    let first = if is_listed { "/".to_owned() } else { day(0) };
    Server::start(site.links("/", &[&*first]).html("/sitemap.xml", &sitemap))
}

#[test]
fn an_archive_of_days_that_link_to_each_other_is_fetched_completely() {
    let server = archive(730, false);
    let flags = ["--max-pages", "0", "--max-depth", "0"];
    assert_eq!(visited(&server, &flags).len(), 731);
}

#[test]
fn an_archive_of_short_entries_is_fetched_completely() {
    let day = |number: u32| {
        let (year, month, day) = (2023 + number / 336, 1 + number / 28 % 12, 1 + number % 28);
        format!("/sales/{year}/{month:02}/{day:02}")
    };
    let mut site = Pages::new().links("/", &[&day(0)]);
    for number in 0..730_u32 {
        let links = [number.saturating_sub(1), (number + 1).min(729)].map(day);
        let sold = number * 37 % 90;
        let entry = format!("<p>Day {number}: sold {sold} toys.</p>");
        let links = links.map(|link| format!("<a href={link}>another day</a>"));
        site = site.html(&day(number), &(entry + &links.join(" ")));
    }
    let server = Server::start(site);
    let flags = ["--max-pages", "0", "--max-depth", "0"];
    assert_eq!(visited(&server, &flags).len(), 731);
}

#[test]
fn an_archive_of_days_that_a_sitemap_lists_is_fetched_completely() {
    let server = archive(1_000, true);
    let flags = [
        "--max-pages",
        "0",
        "--max-depth",
        "0",
        "--sitemaps",
        "include",
    ];
    assert_eq!(visited(&server, &flags).len(), 1_001);
}

/// Each URL of a calendar that was found and not requested is reported or counted.
#[test]
fn every_refusal_is_reported() {
    let server = calendar();
    let ended = crawl_with(&server, &["-vv"]);
    let summary = ended.event("summary");
    let refused = summary["refused_trap_calendar"].as_u64().unwrap();
    let events = objects(&ended.stderr);
    let links = events
        .iter()
        .filter(|line| line["not_followed"] == "trap_calendar");
    let skipped = events.iter().filter(|line| line["event"] == "page_skipped");
    assert!(refused > 0, "{summary}");
    let told = links.count() + skipped.count();
    assert_eq!(told as u64, refused, "{summary}");
}
