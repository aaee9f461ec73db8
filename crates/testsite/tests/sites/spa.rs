//! The applications without scripts: a shell and its files, but no content.

use std::collections::{BTreeSet, VecDeque};

use crate::raw_client;

use testsite::Server;
use testsite::spa::{APPLICATIONS, ApplicationOutcome, Applications, ClientRoutedSite, runaway};

#[test]
fn every_route_is_the_same_empty_shell() {
    let site = ClientRoutedSite::new(40);
    let server = Server::start(site.clone());
    let shell = raw_client::text(server.addr(), "/");
    assert!(shell.starts_with("HTTP/1.1 200 OK\r\n"));
    assert!(!shell.contains("<a "));
    for path in site.pages() {
        let got = raw_client::text(server.addr(), &path);
        assert_eq!(got, shell, "{path}");
        assert!(!got.contains(&site.text(&path).unwrap()));
    }
    for file in [
        "/app.js",
        "/assets/app.css",
        "/assets/logo.png",
        "/assets/tin.woff2",
    ] {
        assert!(
            raw_client::text(server.addr(), file).starts_with("HTTP/1.1 200 "),
            "{file}"
        );
    }
    for absent in [
        "/robots.txt",
        "/app.css",
        "/api/page/40.json",
        "/api/page/x.json",
    ] {
        assert!(
            raw_client::text(server.addr(), absent).starts_with("HTTP/1.1 404 "),
            "{absent}"
        );
    }
}

#[test]
fn the_links_reach_every_route_and_each_has_its_own_phrase() {
    let site = ClientRoutedSite::new(300);
    let server = Server::start(site.clone());
    let mut seen = BTreeSet::from(["/".to_owned()]);
    let mut queue = VecDeque::from(["/".to_owned()]);
    while let Some(path) = queue.pop_front() {
        for link in site.links(&path) {
            if seen.insert(link.clone()) {
                queue.push_back(link);
            }
        }
    }
    assert_eq!(seen, site.pages().into_iter().collect());
    let phrases: BTreeSet<_> = seen.iter().map(|path| site.text(path)).collect();
    assert_eq!(phrases.len(), 300);
    assert_eq!(site.text("/p/300"), None);
    let got = raw_client::text(server.addr(), "/api/page/7.json");
    assert!(got.contains(&site.text("/p/7").unwrap()));
    for link in site.links("/p/7") {
        assert!(got.contains(&format!("\"to\":\"{link}\"")), "{link}");
    }
}

#[test]
fn an_application_is_empty_without_its_script() {
    let server = Server::start(Applications);
    let index = raw_client::text(server.addr(), "/");
    let mut names = BTreeSet::new();
    for application in APPLICATIONS {
        let name = application.name;
        assert!(names.insert(name), "{name} occurs twice");
        assert!(
            index.contains(&format!("\"{}\"", application.path)),
            "{name}"
        );
        let page = raw_client::text(server.addr(), application.path);
        assert!(page.starts_with("HTTP/1.1 200 "), "{name}");
        assert!(
            !page.contains("<a ") && !page.contains("/landed/"),
            "{name}"
        );
        let code = raw_client::text(server.addr(), &format!("/code{}.js", application.path));
        assert!(code.starts_with("HTTP/1.1 200 "), "{name}");
        match application.outcome {
            ApplicationOutcome::Document { texts, .. } => {
                assert!(texts.iter().all(|text| !page.contains(text)), "{name}");
            }
            ApplicationOutcome::Moves(to) => {
                let landed = raw_client::text(server.addr(), to);
                assert!(landed.contains("You have landed"), "{name}");
            }
        }
    }
}

#[test]
fn every_runaway_page_is_served() {
    let server = Server::start(runaway::RunawaySite);
    let mut names = BTreeSet::new();
    for page in runaway::PAGES {
        assert!(names.insert(page.name), "{} occurs twice", page.name);
        if page.outcome == runaway::RunawayOutcome::Fails {
            continue;
        }
        // Only the beginning: some are endless.
        let got = raw_client::get(server.addr(), &page.path(), 200);
        let got = String::from_utf8_lossy(&got);
        assert!(got.starts_with("HTTP/1.1 200 "), "{}", page.name);
        assert!(got.contains(runaway::TEXT), "{}", page.name);
    }
}

#[test]
fn the_big_page_is_fifty_megabytes() {
    let server = Server::start(runaway::RunawaySite);
    let got = raw_client::get(server.addr(), "/big", usize::MAX);
    assert!(got.len() > 50_000_000, "{}", got.len());
}
