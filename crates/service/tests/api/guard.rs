//! Private addresses cannot be reached through the API, however they are spelled, resolved or redirected to.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use serde_json::json;

use crate::service::{service, service_with, service_with_names};
use crate::site::{Site, moved, page, response};

/// Spellings of loopback and of cloud metadata addresses.
pub(crate) const INNER: [&str; 24] = [
    "127.0.0.1",
    "127.1",
    "2130706433",
    "0x7f000001",
    "0177.0.0.1",
    "0",
    "127.0.0.1.",
    "①②⑦.⓪.⓪.①",
    "127。0。0。1",
    "%31%32%37.0.0.1",
    "[::1]",
    "[::ffff:127.0.0.1]",
    "[::127.0.0.1]",
    "[64:ff9b::7f00:1]",
    "[2002:7f00:1::]",
    "[2001:0:7f00:1::]",
    "localhost",
    "LOCALHOST.",
    "a.localhost",
    "inner.test",
    "inner6.test",
    "user:pass@127.0.0.1",
    "169.254.169.254",
    "[fd00:ec2::254]",
];

pub(crate) fn names() -> [(&'static str, IpAddr); 2] {
    [
        ("inner.test", Ipv4Addr::LOCALHOST.into()),
        ("inner6.test", Ipv6Addr::LOCALHOST.into()),
    ]
}

#[tokio::test]
async fn a_refused_address_is_403_on_the_page_and_on_a_redirect() {
    let canary = Site::start(|_| page("<title>inside</title>")).await;
    let port = canary.port;
    let site = Site::start(move |path| match path.strip_prefix("/to/") {
        Some(at) => moved(&format!(
            "http://{}:{port}/",
            INNER[at.parse::<usize>().unwrap()]
        )),
        None => response("404 Not Found", "text/plain", ""),
    })
    .await;
    let service = service_with_names(|_| (), &names()).await;
    for (at, host) in INNER.iter().enumerate() {
        for url in [
            format!("http://{host}:{port}/"),
            site.url(&format!("/to/{at}")),
        ] {
            let reply = service.post("/v1/scrape", &json!({"url": url})).await;
            let problem = reply.problem(403, "address_refused");
            assert!(!problem.to_string().contains("inside"), "{url}");
        }
    }
    assert_eq!(canary.connections(), 0);
}

/// What is known without resolving a name is refused when the job is created; the rest fails later.
#[tokio::test]
async fn a_job_of_a_refused_address_is_not_created() {
    let service = service_with_names(|_| (), &names()).await;
    for host in INNER {
        let url = format!("http://{host}:8080/");
        let is_name = host.rsplit('.').next() == Some("test");
        for path in ["/v1/crawl", "/v1/map"] {
            let reply = service.post(path, &json!({"url": url})).await;
            if is_name {
                assert_eq!(reply.status, 202, "{url}: {}", reply.body);
            } else if host.contains('@') {
                reply.problem(422, "invalid_url");
            } else {
                let problem = reply.problem(403, "address_refused");
                assert_eq!(problem["pointer"], "/url", "{problem}");
                let detail = problem["detail"].as_str().unwrap();
                assert!(detail.contains("egress.allow"), "{detail}");
            }
        }
        if is_name {
            continue;
        }
        let body = json!({"urls": [url, "https://example.org/"]});
        let reply = service.post("/v1/batch/scrape", &body).await;
        let accepted = reply.json();
        assert_eq!(accepted["invalid_url_count"], 1, "{accepted}");
        let reply = service
            .post("/v1/batch/scrape", &json!({"urls": [url]}))
            .await;
        reply.problem(422, "invalid_url");
    }
    let allowed = service_with(|config| config.egress.allow = vec!["10.0.0.1".to_owned()]).await;
    allowed
        .create("/v1/crawl", &json!({"url": "http://10.0.0.1/"}))
        .await;
}

#[tokio::test]
async fn a_robots_txt_that_redirects_to_a_private_address_is_not_followed() {
    let canary =
        Site::start(|_| response("200 OK", "text/plain", "User-agent: *\nDisallow: /")).await;
    let port = canary.port;
    let site = Site::start(move |path| match path {
        "/robots.txt" => moved(&format!("http://127.0.0.1:{port}/robots.txt")),
        _ => page("<title>outside</title>"),
    })
    .await;
    let service = service().await;
    let reply = service
        .post("/v1/scrape", &json!({"url": site.url("/")}))
        .await;
    // The default for a robots.txt that cannot be fetched is "allow".
    assert_eq!(reply.status, 200, "{}", reply.body);
    assert_eq!(canary.connections(), 0);
}

#[tokio::test]
async fn open_and_closed_ports_look_the_same() {
    let open = Site::start(|_| page("")).await;
    let closed = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let closed_port = closed.local_addr().unwrap().port();
    drop(closed);
    let service = service().await;
    let mut replies = Vec::new();
    for port in [open.port, closed_port] {
        let url = format!("http://127.0.0.1:{port}/");
        replies.push(service.post("/v1/scrape", &json!({"url": url})).await.body);
    }
    assert_eq!(replies[0], replies[1]);
    assert_eq!(open.connections(), 0);
}

#[tokio::test]
async fn an_operator_may_allow_private_addresses() {
    let site = Site::start(|_| page("<title>inside</title><p>words")).await;
    let service = service_with_names(|config| config.egress.allow_private = true, &names()).await;
    for host in ["127.0.0.1", "inner.test"] {
        let url = format!("http://{host}:{}/", site.port);
        let reply = service.post("/v1/scrape", &json!({"url": url})).await;
        assert_eq!(reply.json()["title"], "inside", "{}", reply.body);
    }
}

#[tokio::test]
async fn what_the_operator_denies_is_refused_although_it_is_allowed() {
    let site = Site::start(|_| page("<title>inside</title><p>words")).await;
    let denied = [
        "127.0.0.0/8".to_owned(),
        "site.test".to_owned(),
        "*.test".to_owned(),
        format!(":{}", site.port),
        format!(":1-{}", u16::MAX),
    ];
    for deny in denied {
        for allow_private in [false, true] {
            let service = service_with(|config| {
                config.egress.allow_private = allow_private;
                config.egress.deny = vec![deny.clone()];
            })
            .await;
            let reply = service
                .post("/v1/scrape", &json!({"url": site.url("/")}))
                .await;
            reply.problem(403, "address_refused");
        }
    }
    assert_eq!(site.connections(), 0);
    let service = service_with(|config| config.egress.deny = vec!["*.site.test".to_owned()]).await;
    let reply = service
        .post("/v1/scrape", &json!({"url": site.url("/")}))
        .await;
    assert_eq!(reply.status, 200, "{}", reply.body);
}

#[tokio::test]
async fn ports_of_other_protocols_are_refused_unless_the_operator_allows_them() {
    // Not privileged, and rarely in use: the first one that is free.
    let ports = [6000, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697, 10080];
    let mut listening = ports.iter().filter_map(|port| {
        let listener = std::net::TcpListener::bind(("127.0.0.1", *port)).ok()?;
        listener.set_nonblocking(true).unwrap();
        Some((listener, *port))
    });
    let (listener, port) = listening.next().expect("one of these ports is free");
    let redirecting = Site::start(move |_| moved(&format!("http://site.test:{port}/"))).await;
    let service = service().await;
    for url in [
        format!("http://site.test:{port}/"),
        redirecting.url("/"),
        "https://site.test:22/".to_owned(),
        "http://site.test:0/".to_owned(),
    ] {
        let reply = service.post("/v1/scrape", &json!({"url": url})).await;
        reply.problem(403, "address_refused");
    }
    assert!(listener.accept().is_err(), "it was connected to");
    let allowed = service_with(|config| config.egress.allow.push(format!(":{port}"))).await;
    let site = Site::on(tokio::net::TcpListener::from_std(listener).unwrap());
    let url = format!("http://site.test:{port}/");
    let reply = allowed.post("/v1/scrape", &json!({"url": url})).await;
    assert_eq!(reply.status, 200, "{}", reply.body);
    assert!(site.connections() > 0);
}
