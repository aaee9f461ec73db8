//! Which headers and credentials are sent, and to which origins.

use crawler_model::FetchRules;
use crawler_weburl::Userinfo;

use crate::fetchers::{fetcher, page, rules};
use crate::server::{HTML, Server, response};

fn with_secrets(seed: &str) -> FetchRules {
    let mut rules = rules(seed);
    rules.headers = vec![
        ("X-Key".into(), "k3y".into()),
        ("Accept-Language".into(), "de".into()),
        ("Accept".into(), "text/html".into()),
    ];
    rules.userinfo = Userinfo::of("http://me:s3cret@example.org/");
    rules
}

#[tokio::test]
async fn headers_and_credentials_are_sent_to_the_seeds_origin_only() {
    let seed = Server::responding(response("200 OK", HTML, "")).await;
    let other = Server::responding(response("200 OK", HTML, "")).await;
    let fetcher = fetcher(&with_secrets(&seed.url("/start")));
    page(&fetcher, &seed.url("/a?b=c")).await.unwrap();
    // The same machine, another port: another origin.
    page(&fetcher, &other.url("/a")).await.unwrap();
    // The same port, another name of the machine.
    let named = seed.url("/named").replace("127.0.0.1", "localhost");
    page(&fetcher, &named).await.unwrap();

    let seed_request = &seed.heads()[0];
    assert!(
        seed_request.starts_with("GET /a?b=c HTTP/1.1\r\n"),
        "{seed_request}"
    );
    assert!(
        seed_request.contains(&format!("host: 127.0.0.1:{}\r\n", seed.port)),
        "{seed_request}"
    );
    assert!(
        seed_request.contains("user-agent: testbot/1.0\r\n"),
        "{seed_request}"
    );
    assert!(
        seed_request.contains("accept-encoding: gzip, deflate, br, zstd\r\n"),
        "{seed_request}"
    );
    assert!(
        seed_request.contains("authorization: Basic bWU6czNjcmV0\r\n"),
        "{seed_request}"
    );
    assert!(
        seed_request.contains("x-key: k3y\r\n") && seed_request.contains("accept-language: de\r\n")
    );
    assert!(
        seed_request.contains("accept: text/html\r\n"),
        "a caller's header replaces the default: {seed_request}"
    );
    for other_request in [&other.heads()[0], &seed.heads()[1]] {
        assert!(
            other_request.contains("user-agent: testbot/1.0\r\n"),
            "{other_request}"
        );
        assert!(other_request.contains("accept: text/html,application/xhtml+xml,*/*;q=0.8\r\n"));
        for secret in ["authorization", "x-key", "accept-language"] {
            assert!(!other_request.contains(secret), "{other_request}");
        }
    }
}

#[tokio::test]
async fn a_callers_own_authorization_overrides_that_of_the_url() {
    let server = Server::responding(response("200 OK", HTML, "")).await;
    let mut rules = with_secrets(&server.url("/"));
    rules.headers = vec![("Authorization".into(), "Bearer t0ken".into())];
    page(&fetcher(&rules), &server.url("/")).await.unwrap();
    let head = &server.heads()[0];
    assert!(head.contains("authorization: Bearer t0ken\r\n"), "{head}");
    assert!(!head.contains("Basic"), "{head}");
}

#[test]
fn debug_shows_no_secret() {
    let mut rules = with_secrets("http://example.org/");
    rules.proxies = vec!["http://p:pr0xy@127.0.0.1:1".into()];
    let shown = format!("{:?}", fetcher(&rules));
    for secret in ["s3cret", "k3y", "pr0xy", "czNjcmV0"] {
        assert!(!shown.contains(secret), "{shown}");
    }
}
