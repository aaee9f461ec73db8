//! robots.txt: fetched first and once, obeyed, and reported where it blocks.

use std::time::Duration;

use testsite::{Pages, Request, Server, SiteResponse, SocketStep};

use crate::run::crawler;

fn robots(text: &str) -> Pages {
    Pages::new().robots(text)
}

fn agents(rules: &str) -> String {
    format!("User-agent: *\n{rules}")
}

#[test]
fn a_disallowed_seed_is_not_fetched() {
    for (rule, seed) in [
        ("Disallow: /", "/"),
        ("Disallow: /private", "/private/a"),
        ("Disallow: /*?id=", "/a?id=3"),
        ("disallow:/p*e$", "/private"),
    ] {
        let server = Server::start(robots(&agents(rule)).html("/", "never"));
        for format in ["text", "ndjson"] {
            let ended = crawler(&[&server.url(seed), "--format", format]).with_code(1);
            let error = ended.stderr_lines("error: ");
            assert_eq!(error.len(), 1, "{}", ended.output());
            for text in [rule, &server.url(seed), "robots.txt", "--robots ignore"] {
                assert!(error[0].contains(text), "{text}: {}", ended.output());
            }
            if format == "text" {
                assert_eq!(ended.stdout, "");
            }
        }
        assert_eq!(server.counts(), [("/robots.txt".to_owned(), 2)]);
    }
}

#[test]
fn ignored_robots_txt_is_not_requested() {
    let server = Server::start(robots(&agents("Disallow: /")).html("/", "here"));
    let ended = crawler(&[&server.url("/"), "--robots", "ignore"]).with_code(0);
    assert_eq!(server.counts(), [("/".to_owned(), 1)]);
    ended
        .stderr_contains("robots ignore")
        .stderr_lacks("error:");
}

fn partly_private() -> Server {
    let rules = agents("Disallow: /private\nAllow: /private/open\nCrawl-delay: 0\n");
    let links = ["/private/1", "/a", "/private/2", "/private/open", "/b"];
    Server::start(
        robots(&rules)
            .links("/", &links)
            .html("/a", "a")
            .html("/b", "b")
            .html("/private/open", "open"),
    )
}

#[test]
fn disallowed_pages_are_skipped_not_printed_and_counted() {
    let server = partly_private();
    let ended = crawler(&[server.url("/")]).with_code(0);
    let expected = ["/", "/a", "/private/open", "/b"].map(|path| server.url(path));
    let mut visited = ended.visited();
    visited.sort_unstable();
    let mut expected: Vec<&str> = expected.iter().map(String::as_str).collect();
    expected.sort_unstable();
    assert_eq!(visited, expected);
    // It is still printed as a link.
    assert!(ended.stdout.contains(&server.url("/private/1")));
    assert_eq!(server.count("/private/1") + server.count("/private/2"), 0);
    ended
        .stderr_contains("4 pages")
        .stderr_contains("2 blocked by robots.txt");
    ended.stderr_lacks("Failed").stderr_lacks("failed");
}

#[test]
fn machine_formats_list_disallowed_pages_with_the_reason() {
    let server = partly_private();
    let private = server.url("/private/1");
    let reason = "blocked by robots.txt (Disallow: /private)";

    let ended = crawler(&[&server.url("/"), "--format", "ndjson"]).with_code(0);
    let object = ended.object("/private/1");
    assert_eq!(object["outcome"], "skipped");
    assert_eq!(object["skip_reason"], reason);
    assert_eq!(object["skipped"], "robots");
    assert!(object.get("error").is_none(), "skipped, not failed");
    assert_eq!(ended.objects().len(), 6);

    let ended = crawler(&[&server.url("/"), "--format", "json"]).with_code(0);
    let pages: Vec<serde_json::Value> = serde_json::from_str(&ended.stdout).unwrap();
    let page = pages.iter().find(|page| page["page_url"] == *private);
    assert_eq!(page.unwrap()["skip_reason"], reason);

    let ended = crawler(&[&server.url("/"), "--format", "csv"]).with_code(0);
    let mut rows = ended.stdout.lines();
    let row = rows.find(|row| row.starts_with(&private)).unwrap();
    assert!(row.ends_with(&format!(",{reason},,")), "{row}");
    assert_eq!(server.count("/private/1"), 0);
}

#[test]
fn disallowed_pages_do_not_count_against_max_pages() {
    let server = partly_private();
    let args = [&server.url("/"), "--max-pages", "4", "--format", "ndjson"];
    let ended = crawler(&args).with_code(0);
    let objects = ended.objects();
    let fetched = objects.iter().filter(|page| page["outcome"] == "fetched");
    assert_eq!(fetched.count(), 4, "{}", ended.output());
    ended.stderr_contains("4 pages");
}

#[test]
fn without_robots_txt_everything_is_allowed() {
    for status in [404, 410, 403, 401, 429] {
        let site = Pages::new()
            .page("/robots.txt", SiteResponse::status(status))
            .links("/", &["/a"])
            .html("/a", "a");
        let server = Server::start(site);
        let ended = crawler(&[server.url("/")]).with_code(0);
        assert_eq!(ended.visited().len(), 2, "{status}");
        assert_eq!(server.count("/robots.txt"), 1, "{status}");
    }
}

#[test]
fn a_server_error_for_robots_txt_blocks_the_site() {
    let site = Pages::new()
        .page("/robots.txt", SiteResponse::status(503))
        .html("/", "never");
    let server = Server::start(site);
    let ended = crawler(&[server.url("/")]).with_code(1);
    assert_eq!(server.count("/"), 0);
    assert_eq!(server.count("/robots.txt"), 3, "retried like a page");
    ended
        .stderr_contains(&server.url("/robots.txt"))
        .stderr_contains("server error (503)")
        .stderr_contains("--robots ignore");
    assert_eq!(ended.stderr_lines("error: the seed ").len(), 1);
    assert_eq!(ended.stdout, "");
}

#[test]
fn robots_txt_with_a_long_retry_after_is_not_retried() {
    let busy = SiteResponse::status(503).header("Retry-After", "3600");
    let server = Server::start(Pages::new().page("/robots.txt", busy));
    let ended = crawler(&[server.url("/")]).with_code(1);
    assert_eq!(server.counts(), [("/robots.txt".to_owned(), 1)]);
    ended
        .stderr_contains("server error (503)")
        .stderr_contains("--robots ignore");
    assert!(ended.took < Duration::from_secs(20));
}

#[test]
fn a_robots_txt_that_recovers_is_obeyed() {
    let requests = std::sync::atomic::AtomicU64::new(0);
    let site = Pages::new().links("/", &["/private", "/a"]).html("/a", "a");
    let server = Server::start(move |request: &Request| {
        use testsite::Site;
        if request.path() != "/robots.txt" {
            return site.respond(request);
        }
        match requests.fetch_add(1, std::sync::atomic::Ordering::Relaxed) {
            0 => SiteResponse::status(503).header("Retry-After", "2"),
            _ => SiteResponse::text(agents("Disallow: /private")),
        }
    });
    let ended = crawler(&[server.url("/")]).with_code(0);
    assert_eq!(server.count("/private"), 0);
    assert_eq!(ended.visited().len(), 2, "{}", ended.output());
    let hits = server.hits();
    assert_eq!(hits[1].path_and_query, "/robots.txt");
    assert!(hits[1].at - hits[0].at >= Duration::from_secs(2));
}

#[test]
fn no_response_for_robots_txt_is_a_network_failure() {
    let ended = crawler(&["http://127.0.0.1:1/", "--max-attempts", "1"]).with_code(1);
    ended
        .stderr_contains("connection refused")
        .stderr_contains("[network (retry-able)]");
    ended
        .stderr_lacks("robots.txt")
        .stderr_lacks("--robots ignore");
    let resets = Pages::new().page("/robots.txt", SiteResponse::script(vec![SocketStep::Reset]));
    let server = Server::start(resets.html("/", "never"));
    let ended = crawler(&[&server.url("/"), "--max-attempts", "2"]).with_code(1);
    assert_eq!(server.counts(), [("/robots.txt".to_owned(), 2)]);
    ended
        .stderr_contains("[network (retry-able)]")
        .stderr_lacks("--robots ignore");
}

#[test]
fn five_redirects_are_followed_and_six_mean_no_rules() {
    let chain = |hops: usize| {
        let mut site = Pages::new().links("/", &["/private"]).html("/private", "p");
        for hop in 0..hops {
            let from = if hop == 0 {
                "/robots.txt".to_owned()
            } else {
                format!("/hop{hop}")
            };
            site = site.redirect(&from, &format!("/hop{}", hop + 1));
        }
        let rules = SiteResponse::text(agents("Disallow: /private"));
        Server::start(site.page(&format!("/hop{hops}"), rules))
    };
    for (hops, disallowed) in [(1, true), (5, true), (6, false)] {
        let server = chain(hops);
        let ended = crawler(&[server.url("/")]).with_code(0);
        let fetched = server.count("/private");
        assert_eq!(
            fetched,
            u64::from(!disallowed),
            "{hops}: {}",
            ended.output()
        );
        assert_eq!(server.count("/hop1"), 1, "{hops}");
    }
}

#[test]
fn robots_txt_is_fetched_once_per_origin() {
    let other = Server::start(
        robots(&agents("Disallow: /private"))
            .links("/", &["/private", "/x", "/y"])
            .html("/x", "x")
            .html("/y", "y"),
    );
    let many: Vec<String> = (0..30).map(|page| format!("/{page}")).collect();
    let mut links: Vec<&str> = many.iter().map(String::as_str).collect();
    let foreign = [other.url("/"), other.url("/z")];
    links.extend(foreign.iter().map(String::as_str));
    let mut site = robots(&agents("Disallow: /y")).links("/", &links);
    for page in &many {
        site = site.html(page, "page");
    }
    let server = Server::start(site);
    let ended = crawler(&[server.url("/")]).with_code(0);
    assert_eq!(server.count("/robots.txt"), 1);
    assert_eq!(other.count("/robots.txt"), 1);
    assert_eq!(other.count("/private"), 0);
    assert_eq!(other.count("/y"), 1, "rules apply to their own origin only");
    assert_eq!(server.count("/29"), 1, "{}", ended.output());
    for server in [&server, &other] {
        assert_eq!(server.hits()[0].path_and_query, "/robots.txt");
    }
}

#[test]
fn no_page_is_requested_before_robots_txt() {
    let pause = Duration::from_millis(700);
    let slow = SiteResponse::text(agents("Disallow: /private")).after(pause);
    let site = Pages::new()
        .page("/robots.txt", slow)
        .links("/", &["/private", "/a"])
        .html("/a", "a");
    let server = Server::start(site);
    crawler(&[server.url("/")]).with_code(0);
    let hits = server.hits();
    let paths: Vec<&str> = hits.iter().map(|hit| &*hit.path_and_query).collect();
    assert_eq!(paths, ["/robots.txt", "/", "/a"]);
    assert!(hits[1].at - hits[0].at >= pause);
}

#[test]
fn groups_are_matched_by_the_name_of_the_agent() {
    let rules = "User-agent: *\nDisallow: /\n\nUser-agent: crawler\nDisallow: /for-crawler\n\n\
                 User-agent: mybot\nDisallow: /for-mybot\n";
    let server = || {
        let links = ["/for-crawler", "/for-mybot"];
        let site = robots(rules).links("/", &links);
        Server::start(site.html("/for-crawler", "c").html("/for-mybot", "m"))
    };
    let counts = |server: &Server| {
        let count = |path| server.count(path);
        (count("/"), count("/for-crawler"), count("/for-mybot"))
    };
    let ours = server();
    crawler(&[ours.url("/")]).with_code(0);
    assert_eq!(counts(&ours), (1, 0, 1));
    for agent in ["mybot", "MyBot/2.0 (+https://example.org)", "mybot other"] {
        let theirs = server();
        crawler(&[&theirs.url("/"), "--user-agent", agent]).with_code(0);
        assert_eq!(counts(&theirs), (1, 1, 0), "{agent}");
        let hits = theirs.hits();
        let sent = hits[0]
            .headers
            .iter()
            .find(|(name, _)| name.eq_ignore_ascii_case("user-agent"));
        assert_eq!(sent.unwrap().1, agent);
    }
    let other = server();
    crawler(&[&other.url("/"), "--user-agent", "stranger/1"]).with_code(1);
    assert_eq!(counts(&other), (0, 0, 0));
}

#[test]
fn a_redirect_to_a_disallowed_page_is_skipped() {
    let site = robots(&agents("Disallow: /private"))
        .links("/", &["/door"])
        .redirect("/door", "/private");
    let server = Server::start(site);
    let ended = crawler(&[server.url("/")]).with_code(0);
    assert_eq!((server.count("/door"), server.count("/private")), (1, 0));
    ended.stderr_contains("1 blocked by robots.txt");
}
