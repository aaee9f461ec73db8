//! The applications by HTTP alone: a shell, its files, and not a word of what the scripts write.

use std::collections::{BTreeSet, VecDeque};

use crate::wire;

use testsite::Server;
use testsite::spa::{APPLICATIONS, Applications, Ends, Routed, wild};

#[test]
fn every_route_is_the_same_shell_without_a_word() {
    let site = Routed::new(40);
    let server = Server::start(site.clone());
    let shell = wire::text(server.addr(), "/");
    assert!(shell.starts_with("HTTP/1.1 200 OK\r\n"));
    assert!(!shell.contains("<a "));
    for path in site.pages() {
        let got = wire::text(server.addr(), &path);
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
            wire::text(server.addr(), file).starts_with("HTTP/1.1 200 "),
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
            wire::text(server.addr(), absent).starts_with("HTTP/1.1 404 "),
            "{absent}"
        );
    }
}

#[test]
fn the_links_reach_every_route_and_each_has_its_own_phrase() {
    let site = Routed::new(300);
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
    let got = wire::text(server.addr(), "/api/page/7.json");
    assert!(got.contains(&site.text("/p/7").unwrap()));
    for link in site.links("/p/7") {
        assert!(got.contains(&format!("\"to\":\"{link}\"")), "{link}");
    }
}

#[test]
fn an_application_says_nothing_without_its_script() {
    let server = Server::start(Applications);
    let index = wire::text(server.addr(), "/");
    let mut names = BTreeSet::new();
    for application in APPLICATIONS {
        let name = application.name;
        assert!(names.insert(name), "{name} is there twice");
        assert!(
            index.contains(&format!("\"{}\"", application.path)),
            "{name}"
        );
        let page = wire::text(server.addr(), application.path);
        assert!(page.starts_with("HTTP/1.1 200 "), "{name}");
        assert!(
            !page.contains("<a ") && !page.contains("/landed/"),
            "{name}"
        );
        let code = wire::text(server.addr(), &format!("/code{}.js", application.path));
        assert!(code.starts_with("HTTP/1.1 200 "), "{name}");
        match application.ends {
            Ends::Document { texts, .. } => {
                assert!(texts.iter().all(|text| !page.contains(text)), "{name}");
            }
            Ends::Moves(to) => {
                let landed = wire::text(server.addr(), to);
                assert!(landed.contains("You have landed"), "{name}");
            }
        }
    }
}

#[test]
fn every_wild_page_is_served() {
    let server = Server::start(wild::Wild);
    let mut names = BTreeSet::new();
    for page in wild::PAGES {
        assert!(names.insert(page.name), "{} is there twice", page.name);
        if page.ends == wild::Ends::Fails {
            continue;
        }
        // enough to see how it begins: some have no end
        let got = wire::get(server.addr(), &page.path(), 200);
        let got = String::from_utf8_lossy(&got);
        assert!(got.starts_with("HTTP/1.1 200 "), "{}", page.name);
        assert!(got.contains(wild::TEXT), "{}", page.name);
    }
}

#[test]
fn the_big_page_is_fifty_megabytes() {
    let server = Server::start(wild::Wild);
    let got = wire::get(server.addr(), "/big", usize::MAX);
    assert!(got.len() > 50_000_000, "{}", got.len());
}
