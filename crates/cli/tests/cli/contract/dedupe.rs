//! `--trailing-slash`, `--strip-query`, fragments, and redirects to another spelling: which URLs are the same page.

use testsite::{Pages, Proxy, Server, SiteResponse};

use crate::contract::run::{crawl, crawl_from, crawler, object, objects, visited};

fn slashes(first: &str, second: &str) -> Server {
    let site = Pages::new()
        .links("/", &[first, second, "/b"])
        .links("/a", &[])
        .links("/a/", &[])
        .links("/b", &[second]);
    Server::start(site)
}

#[test]
fn merged_slashes_are_one_page_fetched_and_printed_as_first_found() {
    for flags in [[].as_slice(), &["--trailing-slash", "merge"]] {
        for (first, second) in [("/a", "/a/"), ("/a/", "/a")] {
            let server = slashes(first, second);
            let ended = crawl(&server, flags);
            assert_eq!(ended.visited_paths(&server), ["/", first, "/b"]);
            assert_eq!((server.count(first), server.count(second)), (1, 0));
            // Links are printed as they are.
            assert_eq!(ended.links(&server, "/"), [first, second, "/b"]);
        }
    }
}

#[test]
fn kept_slashes_are_two_pages() {
    let server = slashes("/a", "/a/");
    assert_eq!(
        visited(&server, &["--trailing-slash", "keep"]),
        ["/", "/a", "/a/", "/b"]
    );
}

#[test]
fn merge_applies_to_the_path_and_not_to_the_query() {
    let links = ["/a?x=/", "/a?x=", "/a/?x="];
    let server = Server::start(Pages::new().links("/", &links).links("/a", &[]));
    assert_eq!(visited(&server, &[]), ["/", "/a?x=", "/a?x=/"]);
}

#[test]
fn strip_query_applies_only_to_dedupe() {
    let links = ["/p?x=1", "/p?x=2", "/p", "/q?y=1"];
    let site = Pages::new()
        .links("/", &links)
        .links("/p", &[])
        .links("/q", &[]);
    let server = Server::start(site);
    let ended = crawl(&server, &["--strip-query", "--workers", "1"]);
    assert_eq!(ended.visited_paths(&server), ["/", "/p?x=1", "/q?y=1"]);
    assert_eq!(ended.links(&server, "/"), links);
    assert_eq!(server.count("/p?x=1"), 1, "fetched as first found");
    assert_eq!(server.count("/q?y=1"), 1);
    assert_eq!(server.count("/p"), 0);
}

#[test]
fn queries_distinguish_pages_by_default() {
    let links = ["/p?x=1", "/p?x=2", "/p", "/p?x=1"];
    let server = Server::start(Pages::new().links("/", &links).links("/p", &[]));
    assert_eq!(visited(&server, &[]), ["/", "/p", "/p?x=1", "/p?x=2"]);
}

#[test]
fn fragments_never_distinguish_pages() {
    for flag in ["true", "false"] {
        let server = Server::start(
            Pages::new()
                .links("/", &["/#top", "#here", "/a#1", "/a#2", "/a"])
                .links("/a", &[]),
        );
        assert_eq!(visited(&server, &["--strip-fragments", flag]), ["/", "/a"]);
        assert_eq!(server.total(), 3);
    }
}

#[test]
fn spellings_of_one_url_are_one_page() {
    let links = [
        "http://example.test/a",
        "http://EXAMPLE.test/a",
        "http://example.test:80/a",
        "HTTP://example.test/x/../a",
        "/./a",
        "a",
    ];
    let site = Pages::new().links("/", &links).links("/a", &[]);
    let server = Server::start(site);
    let proxy = Proxy::start_routed(server.addr());
    let ended = crawler(&["http://example.test", "--proxy", &proxy.url()]).success();
    assert_eq!(
        ended.visited_paths(&server),
        ["http://example.test/", "http://example.test/a"]
    );
    assert_eq!(server.count("/a"), 1);
    let same = "http://example.test/a";
    let printed: Vec<&str> = ended.stdout.lines().skip(2).take(6).collect();
    assert_eq!(printed, [same; 6], "normalized, duplicates kept");
}

#[test]
fn a_redirect_to_the_merged_slash_is_followed_in_place() {
    let site = Pages::new()
        .links("/", &["/a"])
        .redirect("/a", "/a/")
        .links("/a/", &["below", "/b"])
        .links("/a/below", &[])
        .links("/b", &[]);
    let server = Server::start(site);
    let ended = crawl(&server, &[]);
    assert_eq!(ended.visited_paths(&server), ["/", "/a", "/a/below", "/b"]);
    // Its links are those of the target, resolved against the target's URL.
    assert_eq!(ended.links(&server, "/a"), ["/a/below", "/b"]);
}

#[test]
fn the_seed_may_redirect_in_place_too() {
    let server = Server::start(
        Pages::new()
            .redirect("/docs", "/docs/")
            .links("/docs/", &["one"])
            .links("/docs/one", &[]),
    );
    let ended = crawl_from(&server, "/docs", &[]);
    assert_eq!(ended.visited_paths(&server), ["/docs", "/docs/one"]);
}

#[test]
fn a_redirect_to_an_ignored_query_is_followed_in_place() {
    let site = Pages::new()
        .links("/", &["/p?session=1"])
        .page("/p?session=1", SiteResponse::redirect(302, "/p?session=2"))
        .links("/p?session=2", &["/found"])
        .links("/found", &[]);
    let server = Server::start(site);
    let ended = crawl(&server, &["--strip-query"]);
    assert_eq!(
        ended.visited_paths(&server),
        ["/", "/found", "/p?session=1"]
    );
    assert_eq!(ended.links(&server, "/p?session=1"), ["/found"]);
}

#[test]
fn keep_reports_the_same_redirect_as_a_page() {
    let server = Server::start(
        Pages::new()
            .links("/", &["/a"])
            .redirect("/a", "/a/")
            .links("/a/", &["/b"]),
    );
    let ended = crawl(&server, &["--trailing-slash", "keep"]);
    assert_eq!(ended.visited_paths(&server), ["/", "/a", "/a/", "/b"]);
    assert_eq!(ended.links(&server, "/a"), ["/a/"]);
    assert_eq!(ended.links(&server, "/a/"), ["/b"]);
}

#[test]
fn redirects_in_place_count_against_the_redirect_limit() {
    let server = Server::start(
        Pages::new()
            .links("/", &["/a"])
            .redirect("/a", "/a/")
            .redirect("/a/", "/a"),
    );
    let pages = objects(&server, &["--max-redirects", "4"]);
    assert_eq!(pages.len(), 2);
    let page = object(&pages, &server.url("/a"));
    let error = format!("fetch failed: redirect loop back to {}", server.url("/a/"));
    assert_eq!(page["error"], error);
    assert_eq!(page["error_kind"], "too_many_redirects");
    assert_eq!(
        server.count_below("/a"),
        5,
        "the first request and four hops"
    );
}
