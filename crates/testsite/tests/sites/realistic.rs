//! The realistic site: the reported links match its pages.

use std::collections::BTreeSet;

use testsite::{REALISTIC_DEAD_PATH, REALISTIC_LINKS_PER_PAGE, Realistic, Server};
use url::Url;

use crate::anchors::hrefs;
use crate::raw_client;

#[test]
fn the_reported_links_match_the_pages_and_reach_all_of_them() {
    let site = Realistic {
        pages: 60,
        ..Realistic::default()
    };
    let origin = "http://127.0.0.1:8080";
    let mut found = BTreeSet::new();
    let urls = site.urls(origin);
    for target in urls.iter().map(|url| &url[origin.len()..]) {
        let body = site.body(target, origin).unwrap();
        assert!((60_000..70_000).contains(&body.len()), "{}", body.len());
        let page = Url::parse(&format!("{origin}{target}")).unwrap();
        let resolved: Vec<String> = hrefs(&body)
            .iter()
            .map(|href| page.join(href).unwrap())
            .filter(|url| url.scheme().starts_with("http"))
            .map(String::from)
            .collect();
        assert_eq!(
            resolved,
            site.links_with_fragments(target, origin).unwrap(),
            "{target}"
        );
        assert_eq!(resolved.len(), REALISTIC_LINKS_PER_PAGE);
        found.extend(site.links_of(target, origin).unwrap());
    }
    found.retain(|link| link.starts_with(origin));
    let dead = format!("{origin}{REALISTIC_DEAD_PATH}");
    assert!(site.body(REALISTIC_DEAD_PATH, origin).is_none());
    assert_eq!(found, urls.into_iter().chain([dead]).collect());
}

#[test]
fn pages_are_served_as_reported() {
    let site = Realistic::default();
    let server = Server::start(site);
    let path = site.path(100);
    let got = raw_client::text(server.addr(), &path);
    assert!(got.ends_with(&site.body(&path, &server.origin()).unwrap()));
    assert!(raw_client::text(server.addr(), "/docs/none/").starts_with("HTTP/1.1 404 "));
    assert!(raw_client::text(server.addr(), "/robots.txt").starts_with("HTTP/1.1 404 "));
}
