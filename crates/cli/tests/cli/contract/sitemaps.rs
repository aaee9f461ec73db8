//! `--sitemaps skip|include|only`: sitemaps named in robots.txt, else /sitemap.xml; index files, gzip,
//! text and feeds.

use testsite::{Pages, Server, SiteResponse};

use crate::contract::run::{crawl, objects, visited};

/// A sitemap with these paths of the origin.
fn urlset(origin: &str, paths: &[&str]) -> String {
    let urls: String = paths
        .iter()
        .map(|path| format!("  <url><loc>{origin}{path}</loc><priority>0.5</priority></url>\n"))
        .collect();
    format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\
         <urlset xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\">\n{urls}</urlset>\n"
    )
}

/// Serves sitemap files with URLs of the site's own origin, and a few pages.
fn start(files: &'static [(&'static str, &'static str, Form)]) -> Server {
    let pages = Pages::new().links("/", &["/linked"]).links("/linked", &[]);
    Server::start(move |request: &testsite::Request| {
        let origin = request.origin();
        match files.iter().find(|(path, _, _)| *path == request.path()) {
            Some((_, paths, form)) => form.respond(&origin, paths),
            None => match request.path() {
                "/listed" => SiteResponse::html("<a href=\"/below\">b</a>"),
                _ => testsite::Site::respond(&pages, request),
            },
        }
    })
}

/// Format of a file; its paths are given separated by spaces.
#[derive(Clone, Copy, Debug)]
enum Form {
    Urlset,
    Index,
    Gzip,
    Text,
    Rss,
    Atom,
    Robots,
}

impl Form {
    fn respond(self, origin: &str, paths: &str) -> SiteResponse {
        let paths: Vec<&str> = paths.split(' ').collect();
        let each = |before: &str, after: &str| -> String {
            paths
                .iter()
                .map(|path| format!("{before}{origin}{path}{after}\n"))
                .collect()
        };
        match self {
            Self::Urlset => SiteResponse::new(200, "application/xml", urlset(origin, &paths)),
            Self::Index => {
                let files = each("<sitemap><loc>", "</loc></sitemap>");
                let index = format!(
                    "<sitemapindex xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\">{files}</sitemapindex>"
                );
                SiteResponse::new(200, "text/xml", index)
            }
            Self::Gzip => {
                let body = gzip_stored(urlset(origin, &paths).as_bytes());
                SiteResponse::new(200, "application/x-gzip", body)
            }
            Self::Text => SiteResponse::text(each("", "")),
            Self::Rss => {
                let items = each("<item><title>t</title><link>", "</link></item>");
                let feed = format!(
                    "<rss version=\"2.0\"><channel><title>c</title>{items}</channel></rss>"
                );
                SiteResponse::new(200, "application/rss+xml", feed)
            }
            Self::Atom => {
                let entries = each("<entry><title>t</title><link href=\"", "\"/></entry>");
                let feed = format!("<feed xmlns=\"http://www.w3.org/2005/Atom\">{entries}</feed>");
                SiteResponse::new(200, "application/atom+xml", feed)
            }
            Self::Robots => SiteResponse::text(format!(
                "User-agent: *\nAllow: /\n{}",
                each("Sitemap: ", "")
            )),
        }
    }
}

/// gzip data without compression: a header, one stored block, and the checksums.
fn gzip_stored(bytes: &[u8]) -> Vec<u8> {
    let length = u16::try_from(bytes.len()).unwrap();
    let mut crc = u32::MAX;
    for byte in bytes {
        crc ^= u32::from(*byte);
        for _ in 0..8 {
            crc = if crc & 1 == 1 {
                crc >> 1 ^ 0xEDB8_8320
            } else {
                crc >> 1
            };
        }
    }
    let mut out = vec![0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255, 1];
    out.extend(length.to_le_bytes());
    out.extend((!length).to_le_bytes());
    out.extend(bytes);
    out.extend((!crc).to_le_bytes());
    out.extend(u32::from(length).to_le_bytes());
    out
}

const DEFAULT_SITEMAP: &[(&str, &str, Form)] = &[("/sitemap.xml", "/listed /linked", Form::Urlset)];

#[test]
fn skip_does_not_request_sitemaps() {
    for flags in [[].as_slice(), &["--sitemaps", "skip"]] {
        let server = start(DEFAULT_SITEMAP);
        assert_eq!(visited(&server, flags), ["/", "/linked"]);
        assert_eq!(server.count("/sitemap.xml"), 0);
    }
}

#[test]
fn include_adds_sitemap_urls_to_the_links() {
    let server = start(DEFAULT_SITEMAP);
    assert_eq!(
        visited(&server, &["--sitemaps", "include"]),
        ["/", "/below", "/linked", "/listed"]
    );
    assert_eq!(server.count("/sitemap.xml"), 1);
    assert_eq!(server.count("/linked"), 1, "listed and linked is one page");
}

#[test]
fn only_follows_no_links() {
    let server = start(DEFAULT_SITEMAP);
    let visited = visited(&server, &["--sitemaps", "only"]);
    assert_eq!(visited, ["/linked", "/listed"]);
    assert_eq!(server.count("/below"), 0);
}

#[test]
fn sitemaps_in_robots_txt_replace_the_default_location() {
    let server = start(&[
        ("/robots.txt", "/maps/one.xml /maps/two.xml", Form::Robots),
        ("/maps/one.xml", "/listed", Form::Urlset),
        ("/maps/two.xml", "/other", Form::Urlset),
        ("/sitemap.xml", "/usual", Form::Urlset),
    ]);
    assert_eq!(
        visited(&server, &["--sitemaps", "include"]),
        ["/", "/below", "/linked", "/listed", "/other"]
    );
    assert_eq!(server.count("/sitemap.xml"), 0);
}

#[test]
fn the_default_location_is_used_when_robots_txt_names_none() {
    let server = start(&[
        ("/robots.txt", "", Form::Text),
        ("/sitemap.xml", "/listed", Form::Urlset),
    ]);
    assert_eq!(visited(&server, &["--sitemaps", "only"]), ["/listed"]);
}

#[test]
fn a_site_without_a_sitemap_is_crawled_by_its_links() {
    let server = start(&[]);
    let ended = crawl(&server, &["--sitemaps", "include"]);
    assert_eq!(ended.visited_paths(&server), ["/", "/linked"]);
    assert!(
        !ended.stderr.contains("sitemap.xml"),
        "no file named it: {}",
        ended.stderr
    );
}

#[test]
fn index_files_are_followed() {
    let server = start(&[
        ("/sitemap.xml", "/one.xml /inner.xml", Form::Index),
        ("/one.xml", "/a", Form::Urlset),
        ("/inner.xml", "/two.xml /sitemap.xml", Form::Index),
        ("/two.xml", "/b", Form::Urlset),
    ]);
    assert_eq!(visited(&server, &["--sitemaps", "only"]), ["/a", "/b"]);
    assert_eq!(server.count("/sitemap.xml"), 1, "a cycle is followed once");
}

#[test]
fn gzip() {
    let server = start(&[
        ("/robots.txt", "/sitemap.xml.gz", Form::Robots),
        ("/sitemap.xml.gz", "/a /b", Form::Gzip),
    ]);
    assert_eq!(visited(&server, &["--sitemaps", "only"]), ["/a", "/b"]);
}

#[test]
fn text() {
    let server = start(&[
        ("/robots.txt", "/urls.txt", Form::Robots),
        ("/urls.txt", "/a /b?c=d", Form::Text),
    ]);
    assert_eq!(visited(&server, &["--sitemaps", "only"]), ["/a", "/b?c=d"]);
}

#[test]
fn rss_and_atom() {
    let server = start(&[
        ("/robots.txt", "/feed.rss /feed.atom", Form::Robots),
        ("/feed.rss", "/a /b", Form::Rss),
        ("/feed.atom", "/c", Form::Atom),
    ]);
    assert_eq!(
        visited(&server, &["--sitemaps", "only"]),
        ["/a", "/b", "/c"]
    );
}

#[test]
fn urls_in_a_sitemap_must_be_in_scope_and_allowed() {
    const RULES: &str = "User-agent: *\nDisallow: /private\n";
    let other = Server::start_ipv6(Pages::new());
    let elsewhere = other.url("/x");
    let server = Server::start(move |request: &testsite::Request| match request.path() {
        "/robots.txt" => SiteResponse::text(RULES),
        "/sitemap.xml" => {
            let origin = request.origin();
            SiteResponse::text(format!(
                "{origin}/a\n{origin}/private/b\n{elsewhere}\n{origin}/c.pdf\n"
            ))
        }
        _ => SiteResponse::html("a page"),
    });
    let flags = ["--sitemaps", "only", "--exclude", r"\.pdf$"];
    assert_eq!(visited(&server, &flags), ["/a"]);
    assert_eq!((other.total(), server.count("/private/b")), (0, 0));
}

#[test]
fn pages_found_in_a_sitemap_are_marked() {
    let server = start(DEFAULT_SITEMAP);
    let pages = objects(&server, &["--sitemaps", "include"]);
    let found =
        |path: &str| crate::contract::run::object(&pages, &server.url(path))["found"].clone();
    assert_eq!(found("/"), "seed");
    assert_eq!(found("/listed"), "sitemap");
    assert_eq!(found("/below"), "link");
}
