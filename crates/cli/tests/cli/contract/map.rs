//! `crawler map`: each in-scope URL once, one per line, sorted; five formats.

use serde_json::Value;
use testsite::{Pages, Request, Server, SiteResponse};

use crate::contract::run::crawler;
use crate::run::Finished;

fn server() -> Server {
    Server::start(|request: &Request| {
        let origin = request.origin();
        match request.path() {
            "/robots.txt" => SiteResponse::text("User-agent: *\nDisallow: /private\n"),
            "/" => SiteResponse::html(
                "<a href=/z>z</a><a href=/b#f>b</a><a href=/a/>a</a><a href=/a>a</a><a href=/z>z</a>\
                 <a href=https://other.test/>o</a><a href=/moved>m</a><a href=/gone>g</a>\
                 <a href=/private>p</a><a href='/q?x=1&amp;y=\"<2>'>q</a>",
            ),
            "/b" => SiteResponse::html("<a href=/>home</a><a href=/deep/page>d</a>"),
            "/moved" => SiteResponse::redirect(301, "/target"),
            "/gone" => SiteResponse::status(404),
            "/sitemap.xml" => SiteResponse::text(format!("{origin}/listed\n{origin}/b\n")),
            _ => SiteResponse::html("a page"),
        }
    })
}

const ALL: [&str; 11] = [
    "/",
    "/a/",
    "/b",
    "/deep/page",
    "/gone",
    "/listed",
    "/moved",
    "/private",
    "/q?x=1&y=%22%3C2%3E",
    "/target",
    "/z",
];

fn map(server: &Server, flags: &[&str]) -> Finished {
    let url = server.url("/");
    let mut args = vec!["map", url.as_str()];
    args.extend(flags);
    crawler(&args).success()
}

fn lines(server: &Server, flags: &[&str]) -> Vec<String> {
    let origin = server.origin();
    map(server, flags)
        .stdout
        .lines()
        .map(|url| url.strip_prefix(&origin).unwrap_or(url).to_owned())
        .collect()
}

#[test]
fn each_url_once_one_per_line_sorted() {
    let server = server();
    assert_eq!(lines(&server, &[]), ALL);
    assert_eq!(lines(&server, &["--format", "text"]), ALL);
    assert_eq!(server.count("/private"), 0);
}

#[test]
fn links_and_sitemaps_by_default() {
    let server = server();
    assert!(lines(&server, &["--sitemaps", "include"]).contains(&"/listed".to_owned()));
    assert!(!lines(&server, &["--sitemaps", "skip"]).contains(&"/listed".to_owned()));
    let only = lines(&server, &["--sitemaps", "only"]);
    assert!(
        only.contains(&"/listed".to_owned()) && !only.contains(&"/z".to_owned()),
        "{only:?}"
    );
}

#[test]
fn urls_left_unvisited_by_a_limit_are_listed() {
    let server = server();
    // Which spelling of a merged slash is printed for a page that was not fetched is not specified.
    let mut known = ALL.to_vec();
    known.retain(|path| !["/a/", "/deep/page", "/target"].contains(path));
    let mut listed = lines(&server, &["--max-pages", "1"]);
    let merged = listed.extract_if(.., |path| ["/a", "/a/"].contains(&path.as_str()));
    assert_eq!(merged.count(), 1);
    assert_eq!(listed, known);
}

#[test]
fn map_has_the_scope_of_a_crawl() {
    let server = server();
    assert_eq!(
        lines(
            &server,
            &["--exclude", "/(a|q|deep|gone|moved|private|listed)"]
        ),
        ["/", "/b", "/z"]
    );
}

#[test]
fn merged_slashes_are_one_url_and_kept_ones_two() {
    let server = server();
    let kept = lines(&server, &["--trailing-slash", "keep"]);
    assert!(
        kept.contains(&"/a".to_owned()) && kept.contains(&"/a/".to_owned()),
        "{kept:?}"
    );
}

#[test]
fn json_is_one_array() {
    let server = server();
    let array: Vec<Value> =
        serde_json::from_str(&map(&server, &["--format", "json"]).stdout).unwrap();
    assert_eq!(urls(&server, &array), ALL);
}

#[test]
fn ndjson_is_one_object_per_line() {
    let server = server();
    let objects = map(&server, &["--format", "ndjson"]).objects();
    assert_eq!(urls(&server, &objects), ALL);
    let gone = crate::contract::run::object(&objects, &server.url("/gone"));
    assert_eq!((&gone["status"], &gone["depth"]), (&404.into(), &1.into()));
}

fn urls(server: &Server, objects: &[Value]) -> Vec<String> {
    let origin = server.origin();
    objects
        .iter()
        .map(|object| {
            object["url"]
                .as_str()
                .unwrap()
                .strip_prefix(&origin)
                .unwrap()
                .to_owned()
        })
        .collect()
}

#[test]
fn csv_is_one_row_per_url() {
    let server = server();
    let out = map(&server, &["--format", "csv"]).stdout;
    let mut rows = out.lines();
    assert!(rows.next().unwrap().starts_with("url,"));
    let origin = server.origin();
    let urls: Vec<&str> = rows
        .map(|row| {
            row.split(',')
                .next()
                .unwrap()
                .strip_prefix(&origin)
                .unwrap()
        })
        .collect();
    assert_eq!(urls, ALL);
}

/// The URLs of a sitemap, which must be valid.
fn sitemap_urls(text: &str, root: &str, entry: &str) -> Vec<String> {
    let rest = text
        .strip_prefix("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n")
        .unwrap_or_else(|| panic!("no head: {text}"));
    let space = "http://www.sitemaps.org/schemas/sitemap/0.9";
    let inner = rest
        .strip_prefix(&format!("<{root} xmlns=\"{space}\">\n"))
        .and_then(|rest| rest.trim_end().strip_suffix(&format!("</{root}>")))
        .unwrap_or_else(|| panic!("no {root}: {rest}"));
    inner
        .lines()
        .map(|line| {
            let url = line
                .strip_prefix(&format!("<{entry}><loc>"))
                .and_then(|line| line.strip_suffix(&format!("</loc></{entry}>")))
                .unwrap_or_else(|| panic!("not an entry: {line}"));
            assert!(!url.contains(['<', '>', '"', '\'']), "{url}");
            let plain = url.replace("&amp;", "&");
            assert_eq!(
                url.matches('&').count(),
                plain.matches('&').count(),
                "every & is escaped: {url}"
            );
            assert_eq!(
                plain.replace('&', "&amp;"),
                url,
                "every & is escaped: {url}"
            );
            plain
        })
        .collect()
}

#[test]
fn sitemap_is_a_valid_sitemap() {
    let server = server();
    let out = map(&server, &["--format", "sitemap"]).stdout;
    let urls = sitemap_urls(&out, "urlset", "url");
    let origin = server.origin();
    let paths: Vec<&str> = urls
        .iter()
        .map(|url| url.strip_prefix(&origin).unwrap())
        .collect();
    // A sitemap is for search engines: no dead links, redirects or forbidden pages.
    let good = [
        "/",
        "/a/",
        "/b",
        "/deep/page",
        "/listed",
        "/q?x=1&y=%22%3C2%3E",
        "/target",
        "/z",
    ];
    assert_eq!(paths, good);
}

#[test]
fn our_sitemap_can_be_crawled() {
    let first = server();
    let out = map(&first, &["--format", "sitemap"]).stdout;
    let origin = first.origin();
    let second = Server::start(move |request: &Request| match request.path() {
        "/sitemap.xml" => SiteResponse::new(
            200,
            "application/xml",
            out.replace(&origin, &request.origin()),
        ),
        "/robots.txt" => SiteResponse::status(404),
        _ => SiteResponse::html("a page"),
    });
    let url = second.url("/");
    let ended = crawler(&[&url, "--sitemaps", "only"]).success();
    assert_eq!(ended.visited_paths(&second).len(), 8);
}

#[test]
fn sitemap_is_split_into_an_index_beyond_50_000() {
    let links: String = (0..50_001)
        .map(|at| format!("<a href=/{at}>x</a>"))
        .collect();
    let server = Server::start(Pages::new().html("/", &links));
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("site.xml");
    let flags = [
        "--format",
        "sitemap",
        "--max-pages",
        "1",
        "--sitemaps",
        "skip",
        "-o",
        file.to_str().unwrap(),
    ];
    map(&server, &flags);
    let index = std::fs::read_to_string(&file).unwrap();
    let parts = sitemap_urls(&index, "sitemapindex", "sitemap");
    assert_eq!(
        parts,
        [server.url("/site-1.xml"), server.url("/site-2.xml")]
    );
    let mut urls: Vec<String> = Vec::new();
    for name in ["site-1.xml", "site-2.xml"] {
        let part = std::fs::read_to_string(folder.path().join(name)).unwrap();
        let listed = sitemap_urls(&part, "urlset", "url");
        assert!(listed.len() <= 50_000);
        urls.extend(listed);
    }
    assert_eq!(urls.len(), 50_002);
    assert!(urls.is_sorted());
    urls.dedup();
    assert_eq!(urls.len(), 50_002);
}

#[test]
fn an_unknown_format_is_bad_usage() {
    for format in ["html", "tree", "edges"] {
        let ended = crawler(&["map", "http://127.0.0.1:1/", "--format", format]);
        assert_eq!(ended.code, Some(2), "{format}");
    }
}
