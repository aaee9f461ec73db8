//! `--scope`, `--include`, `--exclude`: which links are followed.
//!
//! Names like `www.example.test` lead to the test's own server through a proxy.

use testsite::{Pages, Proxy, Request, Server, SiteResponse};

use crate::contract::run::{crawl_from, crawler, visited};
use crate::run::Finished;

/// A server for every host, with a page for every path and links to the given URLs on `/`.
struct Web {
    server: Server,
    proxy: Proxy,
}

impl Web {
    fn linking(links: &'static [&'static str]) -> Self {
        let server = Server::start(move |request: &Request| match request.path() {
            "/robots.txt" => SiteResponse::status(404),
            "/" => SiteResponse::html(
                links
                    .iter()
                    .map(|link| format!("<a href=\"{link}\">a link</a>\n"))
                    .collect::<String>(),
            ),
            _ => SiteResponse::html("a page"),
        });
        let proxy = Proxy::start_routed(server.addr());
        Self { server, proxy }
    }

    fn crawl(&self, seed: &str, flags: &[&str]) -> Finished {
        let proxy = self.proxy.url();
        let mut args = vec![seed, "--proxy", &proxy];
        args.extend(flags);
        crawler(&args).success()
    }

    fn visited(&self, seed: &str, flags: &[&str]) -> Vec<String> {
        self.crawl(seed, flags).visited_paths(&self.server)
    }
}

const RELATIVES: &[&str] = &[
    "http://www.example.test/a",
    "http://example.test/b",
    "http://shop.example.test/c",
    "http://deep.shop.example.test/d",
    "http://notexample.test/e",
    "http://example.test.evil.test/f",
    "http://other.test/g",
];

#[test]
fn host_is_the_exact_name() {
    for flags in [[].as_slice(), &["--scope", "host"]] {
        let web = Web::linking(RELATIVES);
        let seed = "http://www.example.test/";
        let ended = web.crawl(seed, flags);
        assert_eq!(
            ended.visited_paths(&web.server),
            [seed, "http://www.example.test/a"]
        );
        // Links out of scope are printed, not followed.
        for link in RELATIVES {
            assert!(ended.stdout.lines().any(|line| line == *link), "{link}");
        }
        let web = Web::linking(RELATIVES);
        let seed = "http://example.test/";
        assert_eq!(web.visited(seed, flags), [seed, "http://example.test/b"]);
    }
}

#[test]
fn hosts_are_compared_without_case() {
    let web = Web::linking(&["http://WWW.EXAMPLE.test/a", "HTTP://www.Example.Test/b"]);
    assert_eq!(
        web.visited("http://Www.example.TEST/", &[]),
        [
            "http://www.example.test/",
            "http://www.example.test/a",
            "http://www.example.test/b"
        ]
    );
}

#[test]
fn domain_includes_subdomains() {
    let web = Web::linking(RELATIVES);
    assert_eq!(
        web.visited("http://www.example.test/", &["--scope", "domain"]),
        [
            "http://deep.shop.example.test/d",
            "http://example.test/b",
            "http://shop.example.test/c",
            "http://www.example.test/",
            "http://www.example.test/a",
        ]
    );
}

#[test]
fn domain_uses_the_public_suffix_list() {
    let web = Web::linking(&[
        "http://example.co.uk/a",
        "http://shop.example.co.uk/b",
        "http://other.co.uk/c",
        "http://co.uk/d",
    ]);
    assert_eq!(
        web.visited("http://www.example.co.uk/", &["--scope", "domain"]),
        [
            "http://example.co.uk/a",
            "http://shop.example.co.uk/b",
            "http://www.example.co.uk/"
        ]
    );
    let web = Web::linking(&["http://me.github.io/a", "http://you.github.io/b"]);
    assert_eq!(
        web.visited("http://me.github.io/", &["--scope", "domain"]),
        ["http://me.github.io/", "http://me.github.io/a"]
    );
}

#[test]
fn prefix_is_below_the_seeds_path() {
    let links = [
        "/docs/a",
        "/docs/deep/b",
        "/docs",
        "/docs2/c",
        "/",
        "/other",
        "../up",
        "http://other.test/docs/d",
    ];
    let site = Pages::new()
        .links("/docs/", &links)
        .links("/docs/index.html", &links)
        .links("/docs/a", &["/docs/deep/b"])
        .links("/docs/deep/b", &[])
        .links("/", &["/docs/hidden"]);
    let server = Server::start(site);
    for (seed, flags) in [
        ("/docs/", ["--scope", "prefix"]),
        ("/docs/index.html", ["--scope", "prefix"]),
    ] {
        let mut visited = crawl_from(&server, seed, &flags).visited_paths(&server);
        // Whether /docs itself is in scope is not specified; it is merged with /docs/ anyway.
        visited.retain(|path| path != "/docs");
        let mut expected = vec!["/docs/a", "/docs/deep/b", seed];
        expected.sort_unstable();
        assert_eq!(visited, expected, "{seed}");
    }
}

/// Pages below three folders, some of them PDFs by name.
fn folders() -> Server {
    let links = [
        "/blog/1",
        "/blog/2.pdf",
        "/shop/1",
        "/shop/2.pdf",
        "/about?print=1",
    ];
    let site = links
        .iter()
        .fold(Pages::new().links("/", &links), |site, link| {
            site.links(link, &[])
        });
    Server::start(site)
}

#[test]
fn only_included_urls_are_followed() {
    let server = folders();
    assert_eq!(
        visited(&server, &["--include", "/blog/"]),
        ["/", "/blog/1", "/blog/2.pdf"]
    );
    assert_eq!(
        visited(&server, &["--include", "/blog/", "--include", "/about"]),
        ["/", "/about?print=1", "/blog/1", "/blog/2.pdf"],
        "repeatable"
    );
}

#[test]
fn excluded_urls_are_not_followed() {
    let server = folders();
    assert_eq!(
        visited(&server, &["--exclude", r"\.pdf$"]),
        ["/", "/about?print=1", "/blog/1", "/shop/1"]
    );
    assert_eq!(
        visited(
            &server,
            &["--exclude", r"\.pdf$", "--exclude", "^http://[^/]+/shop"]
        ),
        ["/", "/about?print=1", "/blog/1"],
        "repeatable"
    );
}

#[test]
fn exclude_overrides_include() {
    let server = folders();
    let flags = ["--include", "/blog/", "--exclude", r"\.pdf$"];
    assert_eq!(visited(&server, &flags), ["/", "/blog/1"]);
}

#[test]
fn patterns_match_the_full_url() {
    let server = folders();
    assert_eq!(
        visited(&server, &["--include", r"\?print="]),
        ["/", "/about?print=1"]
    );
    let host = format!("^http://127\\.0\\.0\\.1:{}/shop/1$", server.port());
    assert_eq!(visited(&server, &["--include", &host]), ["/", "/shop/1"]);
}

#[test]
fn a_bad_pattern_is_bad_usage() {
    for flag in ["--include", "--exclude"] {
        let ended = crawler(&["http://127.0.0.1:1/", flag, "(open"]);
        assert_eq!(ended.code, Some(2), "{flag}");
        assert!(
            ended.stderr.contains(flag) && ended.stderr.contains("(open"),
            "{}",
            ended.stderr
        );
    }
}

#[test]
fn a_redirect_out_of_scope_is_printed_and_not_followed() {
    let other = Server::start_ipv6(Pages::new().links("/x", &[]));
    let target = other.url("/x");
    let server = Server::start(
        Pages::new()
            .links("/", &["/away"])
            .redirect("/away", &target),
    );
    let ended = crawl_from(&server, "/", &[]);
    assert_eq!(ended.visited_paths(&server), ["/", "/away"]);
    assert_eq!(ended.links(&server, "/away"), [target]);
    assert_eq!(other.total(), 0);
}
