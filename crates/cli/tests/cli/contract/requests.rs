//! `--user-agent`, `--header`, `--proxy`, and the token that robots.txt is matched on.

use testsite::{LoggedRequest, Pages, Proxy, Server, Tls};

use crate::contract::run::{crawl, run, visited};

/// The values of a request header.
pub(crate) fn values<'a>(hit: &'a LoggedRequest, name: &str) -> Vec<&'a str> {
    hit.headers
        .iter()
        .filter(|(known, _)| known.eq_ignore_ascii_case(name))
        .map(|(_, value)| value.as_str())
        .collect()
}

fn two_pages() -> Server {
    Server::start(Pages::new().links("/", &["/a"]).links("/a", &[]))
}

#[test]
fn the_default_user_agent_is_sent() {
    let server = two_pages();
    crawl(&server, &[]);
    let ours = concat!("crawler/", env!("CARGO_PKG_VERSION"));
    assert_eq!(server.hits().len(), 3);
    for hit in server.hits() {
        assert_eq!(values(&hit, "user-agent"), [ours], "{}", hit.path_and_query);
        assert_eq!(hit.method, "GET");
    }
}

#[test]
fn user_agent_is_sent_with_every_request() {
    let server = two_pages();
    crawl(
        &server,
        &["--user-agent", "Example Bot/2.0 (+https://example.org)"],
    );
    assert_eq!(server.hits().len(), 3);
    for hit in server.hits() {
        assert_eq!(
            values(&hit, "user-agent"),
            ["Example Bot/2.0 (+https://example.org)"]
        );
    }
}

#[test]
fn the_robots_token_is_the_agent_up_to_a_slash_or_space() {
    const RULES: &str = "User-agent: mybot\nDisallow: /mine\n\n\
        User-agent: my\nDisallow: /short\n\n\
        User-agent: crawler\nDisallow: /default\n\n\
        User-agent: *\nDisallow: /anyone\n";
    let links = ["/mine", "/short", "/default", "/anyone"];
    for (agent, refused) in [
        (Some("mybot/1.0"), "/mine"),
        (Some("mybot"), "/mine"),
        (Some("MyBot (+https://example.org)"), "/mine"),
        (Some("my bot/1.0"), "/short"),
        (Some("stranger/1.0 mybot"), "/anyone"),
        (None, "/default"),
    ] {
        let site = links.iter().fold(
            Pages::new().robots(RULES).links("/", &links),
            |site, link| site.links(link, &[]),
        );
        let server = Server::start(site);
        let flags: Vec<&str> = agent
            .iter()
            .flat_map(|agent| ["--user-agent", agent])
            .collect();
        let mut expected = vec!["/"];
        expected.extend(links.iter().filter(|link| **link != refused));
        expected.sort_unstable();
        assert_eq!(visited(&server, &flags), expected, "{agent:?}");
    }
}

#[test]
fn headers_go_to_the_seeds_origin_only() {
    let other = Server::start(Pages::new().links("/x", &[]));
    let site = Pages::new()
        .links("/", &["/a", &other.url("/x"), "/moved"])
        .links("/a", &[])
        .redirect("/moved", &other.url("/y"));
    let server = Server::start(site);
    let flags = [
        "--header",
        "X-Key: secret one",
        "--header",
        "Accept-Language: de",
        "--header",
        "x-key: two",
    ];
    crawl(&server, &flags);
    let at_seed = server.hits();
    assert_eq!(at_seed.len(), 4);
    for hit in at_seed {
        assert_eq!(
            values(&hit, "x-key"),
            ["secret one", "two"],
            "{}",
            hit.path_and_query
        );
        assert_eq!(values(&hit, "accept-language"), ["de"]);
    }
    let elsewhere = other.hits();
    assert_eq!(elsewhere.len(), 3, "robots.txt, /x and /y");
    for hit in elsewhere {
        assert!(values(&hit, "x-key").is_empty(), "{}", hit.path_and_query);
        assert!(values(&hit, "accept-language").is_empty());
    }
}

#[test]
fn requests_go_through_the_proxy() {
    let server = two_pages();
    let proxy = Proxy::start();
    assert_eq!(visited(&server, &["--proxy", &proxy.url()]), ["/", "/a"]);
    assert_eq!(proxy.total(), 3);
    assert_eq!(server.total(), 3);
    for hit in server.hits() {
        assert_eq!(values(&hit, "via"), ["1.1 test"], "{}", hit.path_and_query);
    }
}

#[test]
fn only_the_proxy_gets_its_password() {
    let server = two_pages();
    let proxy = Proxy::start_guarded("me", "s3cret");
    let ended = crawl(
        &server,
        &["-vv", "--proxy", &proxy.url_with("me", "s3cret")],
    );
    assert_eq!(ended.visited_paths(&server), ["/", "/a"]);
    assert!(!ended.stderr.contains("s3cret"), "{}", ended.stderr);
    for hit in server.hits() {
        assert!(values(&hit, "proxy-authorization").is_empty());
        assert!(values(&hit, "authorization").is_empty());
    }
}

#[test]
fn several_proxies_take_turns() {
    let links = ["/1", "/2", "/3", "/4", "/5", "/6", "/7", "/8", "/9", "/10"];
    let server = Server::start(Pages::new().links("/", &links));
    let proxies = [Proxy::start(), Proxy::start(), Proxy::start()];
    let urls = proxies.each_ref().map(Proxy::url);
    let flags: Vec<&str> = urls.iter().flat_map(|url| ["--proxy", url]).collect();
    crawl(&server, &flags);
    let totals = proxies.each_ref().map(Proxy::total);
    assert_eq!(totals, [4, 4, 4], "robots.txt, the seed and ten pages");
}

#[test]
fn a_proxy_tunnels_https() {
    let tls = Tls::generate();
    let folder = tempfile::tempdir().unwrap();
    let authority = folder.path().join("authority.pem");
    tls.write_authority(&authority);
    let server = Server::start_tls(Pages::new().links("/", &["/a"]).links("/a", &[]), &tls);
    let proxy = Proxy::start();
    let (url, through) = (server.url("/"), proxy.url());
    let ended = run(&[&url, "--proxy", &through])
        .env("SSL_CERT_FILE", &authority)
        .finish()
        .success();
    assert_eq!(ended.visited_paths(&server), ["/", "/a"]);
    assert!(proxy.total() > 0);
    let address = server.addr().to_string();
    for hit in proxy.hits() {
        assert_eq!(
            (hit.method.as_str(), hit.path_and_query.as_str()),
            ("CONNECT", address.as_str())
        );
    }
}
