//! `--links`, `--schemes`, `--strip-fragments`, `--unique-links`: which of a page's links are printed.

use testsite::{Pages, Server};

use crate::contract::run::{crawl, crawler};

const BODY: &str = r##"<a href="/a#one">1</a><a href="https://other.test/x#y">2</a>
<a href="mailto:me@example.test">3</a><a href="/a#two">4</a><a href="tel:+4930123">5</a>
<a href="#top">6</a><a href="javascript:void(0)">7</a><a href="/a#one">8</a>"##;

fn server() -> Server {
    Server::start(
        Pages::new()
            .html("/", BODY)
            .links("/a", &["https://third.test/", "/a"]),
    )
}

#[test]
fn all_http_links_without_fragments_is_the_default() {
    let server = server();
    let expected = ["/a", "https://other.test/x", "/a", "/", "/a"];
    for flags in [
        [].as_slice(),
        &[
            "--links",
            "all",
            "--schemes",
            "http",
            "--strip-fragments",
            "true",
        ],
        &["--strip-fragments"],
    ] {
        assert_eq!(
            crawl(&server, flags).links(&server, "/"),
            expected,
            "{flags:?}"
        );
    }
}

#[test]
fn links_in_scope() {
    let server = server();
    let ended = crawl(&server, &["--links", "in-scope"]);
    assert_eq!(ended.links(&server, "/"), ["/a", "/a", "/", "/a"]);
    assert_eq!(ended.links(&server, "/a"), ["/a"]);
}

#[test]
fn schemes_all() {
    let server = server();
    let links = crawl(&server, &["--schemes", "all"]).links(&server, "/");
    assert_eq!(
        links,
        [
            "/a",
            "https://other.test/x",
            "mailto:me@example.test",
            "/a",
            "tel:+4930123",
            "/",
            "javascript:void(0)",
            "/a",
        ]
    );
}

#[test]
fn fragments_can_be_printed() {
    let server = server();
    let ended = crawl(&server, &["--strip-fragments", "false"]);
    assert_eq!(
        ended.links(&server, "/"),
        [
            "/a#one",
            "https://other.test/x#y",
            "/a#two",
            "/#top",
            "/a#one"
        ]
    );
    assert_eq!(ended.visited_paths(&server), ["/", "/a"]);
}

#[test]
fn filters_apply_to_machine_formats_too() {
    let server = server();
    let flags = ["--links", "in-scope", "--strip-fragments", "false"];
    for (format, count) in [
        ("ndjson", "/a#two\""),
        ("csv", "/a#two,"),
        ("edges", "/a#two]"),
        ("tree", "/a#two\n"),
    ] {
        let mut args = flags.to_vec();
        args.extend(["--format", format]);
        let out = crawl(&server, &args).stdout;
        assert_eq!(out.matches(count).count(), 1, "{format}: {out}");
        assert!(!out.contains("other.test"), "{format}: {out}");
    }
}

#[test]
fn unique_links_are_every_distinct_link_sorted() {
    let server = server();
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("links.txt");
    let name = file.to_str().unwrap();
    let origin = server.origin();
    let ended = crawl(&server, &["--unique-links", name]);
    assert_eq!(
        std::fs::read_to_string(&file).unwrap(),
        format!("{origin}/\n{origin}/a\nhttps://other.test/x\nhttps://third.test/\n")
    );
    // The pages are printed as usual.
    assert_eq!(ended.visited_paths(&server), ["/", "/a"]);

    crawl(
        &server,
        &[
            "--unique-links",
            name,
            "--links",
            "in-scope",
            "--strip-fragments",
            "false",
        ],
    );
    assert_eq!(
        std::fs::read_to_string(&file).unwrap(),
        format!("{origin}/#top\n{origin}/a\n{origin}/a#one\n{origin}/a#two\n")
    );
}

#[test]
fn only_anchors_are_links() {
    let body = r#"<link href="/style.css"><script src="/x.js"></script><img src="/i.png">
        <area href="/area"><!-- <a href="/comment">c</a> --><a name="here">no href</a>
        <A HREF='/yes'>an anchor</A><a href="/open">unclosed"#;
    let server = Server::start(Pages::new().html("/", body));
    let links = crawl(&server, &[]).links(&server, "/");
    assert!(
        links
            .iter()
            .all(|link| ["/yes", "/open", "/area"].contains(&link.as_str())),
        "{links:?}"
    );
    assert_eq!(
        links
            .iter()
            .filter(|link| *link != "/area")
            .collect::<Vec<_>>(),
        ["/yes", "/open"]
    );
}

#[test]
fn invalid_values_are_bad_usage() {
    for (flag, value) in [
        ("--links", "some"),
        ("--schemes", "ftp"),
        ("--strip-fragments", "maybe"),
    ] {
        let ended = crawler(&["http://127.0.0.1:1/", flag, value]);
        assert_eq!(ended.code, Some(2), "{flag}");
        assert!(
            ended.stderr.contains(flag) && ended.stderr.contains(value),
            "{}",
            ended.stderr
        );
    }
}
