//! The hostile site: every behavior starts as declared, and all healthy pages exist.

use std::collections::BTreeSet;
use std::io::Read;

use testsite::Server;
use testsite::hostile::{Behavior, Expect, HEALTHY, Hostile, behaviors, healthy_paths, throttlers};

use crate::anchors::hrefs;
use crate::raw_client;

#[test]
fn every_behavior_has_its_own_name_and_path() {
    let all: Vec<Behavior> = [behaviors(), throttlers()].concat();
    assert!(behaviors().len() >= 120, "{}", behaviors().len());
    let names: BTreeSet<&str> = all.iter().map(|behavior| behavior.name).collect();
    assert_eq!(names.len(), all.len());
    for behavior in &all {
        assert!(
            behavior.path.starts_with(&behavior.prefix()),
            "{behavior:?}"
        );
        assert!(!behavior.why.is_empty(), "{behavior:?}");
    }
}

#[test]
fn the_root_links_to_every_entry_and_the_healthy_pages_are_linked() {
    let server = Server::start(Hostile::new());
    let index = raw_client::text(server.addr(), "/");
    for behavior in behaviors() {
        assert!(
            index.contains(&format!("href=\"{}\"", behavior.path)),
            "{}",
            behavior.name
        );
    }
    let mut found = index;
    for path in healthy_paths() {
        assert!(found.contains(&format!("href=\"{path}\"")), "{path}");
        let page = raw_client::text(server.addr(), &path);
        assert!(page.starts_with("HTTP/1.1 200 "), "{path}");
        found.push_str(&page);
    }
    assert_eq!(server.count_below("/healthy/"), HEALTHY as u64);
    assert!(raw_client::text(server.addr(), "/robots.txt").starts_with("HTTP/1.1 404 "));
}

/// Reads only the first bytes of each response, because some are endless.
#[test]
fn every_response_starts_as_declared() {
    let server = Server::start(Hostile::new());
    for behavior in behaviors() {
        if matches!(
            behavior.expect,
            Expect::Failed("timeout" | "protocol" | "reset")
        ) {
            continue;
        }
        let text = String::from_utf8_lossy(&raw_client::get(server.addr(), &behavior.path, 1))
            .into_owned();
        let status = text.get(9..10);
        let class = match behavior.expect {
            Expect::Redirect | Expect::Failed("too_many_redirects" | "bad_redirect") => "3",
            Expect::Failed("dead_link" | "client_error") => "4",
            Expect::Failed("server_error") => "5",
            _ if behavior.name == "location-slash" => "3",
            _ if behavior.name == "status-500-once" => "5",
            _ if ["early-hints", "endless-100", "endless-103"].contains(&behavior.name) => "1",
            _ if behavior.name == "close-at-first" => continue,
            _ => "2",
        };
        assert_eq!(status, Some(class), "{}: {text}", behavior.name);
    }
}

#[test]
fn expected_pages_exist() {
    let server = Server::start(Hostile::new());
    for behavior in behaviors() {
        for (path, expect) in behavior.also {
            let status = match expect {
                Expect::Fetched { .. } => "200",
                Expect::Redirect | Expect::Failed("too_many_redirects") => "302",
                _ => continue,
            };
            if behavior.name == "redirect-loop-2" {
                continue;
            }
            let text = raw_client::text(server.addr(), &path);
            assert_eq!(text.get(9..12), Some(status), "{path}: {text}");
        }
    }
}

#[test]
fn responses_are_invalid_as_declared() {
    let server = Server::start(Hostile::new());
    let at = |path: &str| raw_client::text(server.addr(), path);
    assert_eq!(at("/close-at-once/in"), "");
    assert_eq!(at("/reset-at-once/in"), "");
    assert!(at("/http-0.9/in").starts_with("<!doctype html>"));
    assert!(at("/length-negative/in").contains("\r\nContent-Length: -5\r\n"));
    assert_eq!(
        at("/length-differing/in").matches("Content-Length").count(),
        2
    );
    assert!(at("/headers-10000/in").contains("\r\nX-9999: y\r\n"));
    let head = at("/headers-250/in")
        .split_once("\r\n\r\n")
        .unwrap()
        .0
        .to_owned();
    assert_eq!(head.lines().count(), 251);
    assert!(at("/redirect-chain-10000/9999").contains("Location: /redirect-chain-10000/10000\r\n"));
    assert!(at("/status-500-once/in").starts_with("HTTP/1.1 500 "));
    assert!(at("/status-500-once/in").starts_with("HTTP/1.1 200 "));
    assert!(at("/trap-calendar/2026/12/28").contains("/trap-calendar/2027/01/01"));
    let endless = raw_client::get(server.addr(), "/endless-body/in", 4 << 20);
    assert!(endless.len() >= 4 << 20);
    let bomb = raw_client::get(server.addr(), "/bomb-gzip/in", 1 << 20);
    let start = bomb
        .windows(4)
        .position(|bytes| bytes == b"\r\n\r\n")
        .unwrap()
        + 4;
    let mut unpacked = vec![0; 64 << 20];
    let mut decoder = flate2::read::GzDecoder::new(&bomb[start..]);
    decoder.read_exact(&mut unpacked).unwrap();
}

#[test]
fn throttlers_run_alone() {
    for behavior in throttlers() {
        let server = Server::start(Hostile::only(behavior.name).unwrap());
        let first = raw_client::text(server.addr(), &behavior.path);
        assert!(
            first.starts_with(&format!("HTTP/1.1 {} ", &behavior.name[..3])),
            "{first}"
        );
        if behavior.expect == (Expect::Fetched { links: 1 }) {
            raw_client::text(server.addr(), &behavior.path);
            let third = raw_client::text(server.addr(), &behavior.path);
            assert!(third.starts_with("HTTP/1.1 200 "), "{third}");
        }
    }
    assert!(Hostile::only("no-such-thing").is_none());
}

/// Resolves the links of `link-…` with a URL library.
#[test]
fn unusual_links_are_counted_as_in_the_url_standard() {
    let server = Server::start(Hostile::new());
    for behavior in behaviors()
        .into_iter()
        .filter(|behavior| behavior.name.starts_with("link-"))
    {
        let page = url::Url::parse(&server.url(&behavior.path)).unwrap();
        let body = raw_client::text(server.addr(), &behavior.path);
        let links: Vec<String> = hrefs(&body)
            .iter()
            .filter_map(|href| page.join(href).ok())
            .filter(|url| url.scheme().starts_with("http"))
            .map(String::from)
            .collect();
        let seen = Expect::Fetched { links: links.len() };
        assert!(
            behavior.expect.accepts(&seen),
            "{}: {links:?}",
            behavior.name
        );
        for (path, _) in behavior.also {
            assert!(links.contains(&server.url(&path)), "{path}: {links:?}");
        }
    }
}
