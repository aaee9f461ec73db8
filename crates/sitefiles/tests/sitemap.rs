//! Sitemaps of every format, complete and damaged.

use std::io::Write;

use crawler_sitefiles::SitemapKind::{Atom, Index, Rss, Text, UrlSet};
use crawler_sitefiles::{
    SitemapError, SitemapKind, SitemapLimits, SitemapLocation, SitemapSummary, read_sitemap,
};
use flate2::Compression;
use flate2::write::GzEncoder;

/// The locations, with sitemaps marked by `@`, and the result.
type ReadResult = (Vec<String>, Result<SitemapSummary, SitemapError>);

fn read_within(body: &[u8], limits: SitemapLimits) -> ReadResult {
    let mut found = Vec::new();
    let summary = read_sitemap(body, limits, |item| {
        found.push(match item {
            SitemapLocation::Page(url) => url.to_owned(),
            SitemapLocation::Sitemap(url) => format!("@{url}"),
        });
    });
    (found, summary)
}

fn read(body: impl AsRef<[u8]>) -> ReadResult {
    read_within(body.as_ref(), SitemapLimits::default())
}

/// Reads a body that is complete and of this kind.
fn found(body: impl AsRef<[u8]>, kind: SitemapKind) -> Vec<String> {
    let (found, summary) = read(body);
    let whole = SitemapSummary {
        kind,
        locations: found.len(),
        cut: false,
        malformed: false,
    };
    assert_eq!(summary, Ok(whole), "{found:?}");
    found
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder
        .write_all(bytes)
        .expect("writing to memory cannot fail");
    encoder.finish().expect("writing to memory cannot fail")
}

fn urlset(inner: &str) -> String {
    format!(
        "<?xml version=\"1.0\"?><urlset xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\">{inner}</urlset>"
    )
}

const TWO: &str = "<url><loc>http://a/1</loc></url><url><loc>http://a/2</loc></url>";

#[test]
fn a_urlset() {
    let body = urlset(
        "<!-- first --><url>\n <loc>\n  http://a/?x=1&amp;y=2 </loc><lastmod>2026-01-01</lastmod></url>
         <url><priority>1</priority><loc><![CDATA[http://a/?x=1&y=2]]></loc></url>
         <url><loc>http://a/&#x4e2d;&#233;</loc></url>
         <url><loc>http://a/?x=1&y=2&eacute;</loc></url>
         <url><loc></loc></url><url><loc/></url><url/>",
    );
    let urls = [
        "http://a/?x=1&y=2",
        "http://a/?x=1&y=2",
        "http://a/中é",
        "http://a/?x=1&y=2&eacute;",
    ];
    assert_eq!(found(body, UrlSet), urls);
}

#[test]
fn prefixes_are_ignored_and_context_is_not() {
    let body = "<s:urlset xmlns:s='x' xmlns:image='y' xmlns:xhtml='z'><s:url><s:loc>http://a/1</s:loc>
        <image:image><image:loc>http://a/1.png</image:loc></image:image>
        <xhtml:link rel='alternate' href='http://a/de'/></s:url><s:loc>http://a/stray</s:loc></s:urlset>";
    assert_eq!(found(body, UrlSet), ["http://a/1"]);
}

#[test]
fn an_index() {
    let body = "<sitemapindex><sitemap><loc>http://a/1.xml</loc><lastmod>x</lastmod></sitemap>
        <sitemap><loc> http://a/2.xml.gz </loc></sitemap></sitemapindex>";
    assert_eq!(
        found(body, Index),
        ["@http://a/1.xml", "@http://a/2.xml.gz"]
    );
}

#[test]
fn feeds() {
    let rss = "<rss version='2.0' xmlns:atom='x'><channel><title>t</title><link>http://a/</link>
        <atom:link href='http://a/feed' rel='self'/><item><title>1</title><link>http://a/1</link>
        <guid>http://a/g</guid><description><![CDATA[<link>http://a/no</link>]]></description></item>
        <item><link><![CDATA[ http://a/2 ]]></link></item></channel></rss>";
    assert_eq!(found(rss, Rss), ["http://a/1", "http://a/2"]);
    let rdf = "<rdf:RDF xmlns:rdf='x'><channel><link>http://a/</link></channel><item><link>http://a/1</link></item></rdf:RDF>";
    assert_eq!(found(rdf, Rss), ["http://a/1"]);
    let atom = "<feed xmlns='http://www.w3.org/2005/Atom'><link href='http://a/'/><link rel='self' href='http://a/feed'/>
        <entry><link href='http://a/1?x=1&amp;y=2'/><link rel='edit' href='http://a/e'/></entry>
        <entry><link href='http://a/2' rel='alternate'>x</link><link rel='alternate'/></entry></feed>";
    assert_eq!(found(atom, Atom), ["http://a/1?x=1&y=2", "http://a/2"]);
}

#[test]
fn text() {
    let body = "\u{FEFF}http://a/1\r\n\r\n  https://a/2  \n# comment\nftp://a/\nHTTP://a/3\rwww.a\nhttp://a/4";
    assert_eq!(
        found(body, Text),
        ["http://a/1", "https://a/2", "HTTP://a/3", "http://a/4"]
    );
    let long = format!("http://a/{}\nhttp://a/1\n", "x".repeat(100_000));
    assert_eq!(found(long, Text), ["http://a/1"]);
}

#[test]
fn gzip_is_decompressed_once() {
    let body = urlset(TWO);
    let urls = ["http://a/1", "http://a/2"];
    assert_eq!(found(gzip(body.as_bytes()), UrlSet), urls);
    assert_eq!(found(gzip(b"http://a/1\nhttp://a/2\n"), Text), urls);
    let (first, second) = body.as_bytes().split_at(60);
    assert_eq!(found([gzip(first), gzip(second)].concat(), UrlSet), urls);
    assert_eq!(
        read(gzip(&gzip(body.as_bytes()))),
        (vec![], Err(SitemapError::NotASitemap))
    );
}

#[test]
fn encodings() {
    let body =
        "<?xml version='1.0' encoding='X'?><urlset><url><loc>http://a/é€😀</loc></url></urlset>";
    let little: Vec<u8> = body.encode_utf16().flat_map(u16::to_le_bytes).collect();
    let big: Vec<u8> = body.encode_utf16().flat_map(u16::to_be_bytes).collect();
    let marked = |mark: &[u8], body: &[u8]| [mark, body].concat();
    for bytes in [
        body.as_bytes().to_vec(),
        marked(b"\xEF\xBB\xBF", body.as_bytes()),
        marked(b"\n  ", body.as_bytes()),
        marked(b"\xFF\xFE", &little),
        marked(b"\xFE\xFF", &big),
        little,
        big,
    ] {
        assert_eq!(found(bytes, UrlSet), ["http://a/é€😀"]);
    }
    let latin = b"<?xml version='1.0' encoding='ISO-8859-1'?><urlset><url><loc>http://a/\xE9</loc></url></urlset>";
    assert_eq!(found(latin, UrlSet), ["http://a/é"]);
    let broken = b"<urlset><url><loc>http://a/\xE9/x</loc></url></urlset>";
    assert_eq!(found(broken, UrlSet), ["http://a/\u{FFFD}/x"]);
}

/// Chunks of the stream end inside characters; the text must not depend on where.
#[test]
fn characters_across_chunk_boundaries() {
    for shift in 0..8 {
        let body = format!(
            "{}http://a/1\n{}\nhttp://a/é",
            " ".repeat(shift),
            "é😀".repeat(10_000)
        );
        let utf16: Vec<u8> = format!("\u{FEFF}{body}")
            .encode_utf16()
            .flat_map(u16::to_le_bytes)
            .collect();
        assert_eq!(found(&body, Text), ["http://a/1", "http://a/é"]);
        assert_eq!(found(utf16, Text), ["http://a/1", "http://a/é"]);
    }
}

#[test]
fn bodies_that_are_not_sitemaps() {
    let deep_html = "<!DOCTYPE html><html><body><a href='http://a/'>a</a></body></html>";
    let bodies: [&[u8]; 9] = [
        b"",
        b"   \n ",
        b"not found",
        b"{\"urlset\": []}",
        deep_html.as_bytes(),
        b"<html><urlset><url><loc>http://a/</loc></url></urlset></html>",
        b"<?xml version='1.0'?>",
        b"\x1F\x8B",
        b"\x1F\x8B\x08\x00garbage garbage",
    ];
    for body in bodies {
        assert_eq!(
            read(body),
            (vec![], Err(SitemapError::NotASitemap)),
            "{body:?}"
        );
    }
    assert_eq!(found("<urlset/>", UrlSet), Vec::<String>::new());
}

/// Locations before the damage are reported, and never half of one.
#[test]
fn damaged_files() {
    let urls = ["http://a/1", "http://a/2"];
    let start = format!("<urlset>{TWO}");
    for end in [
        "",
        "<url><loc>http://a/3",
        "<url><loc>http://a/3</lo",
        "<![CDATA[",
        "<!-- x",
        "<",
    ] {
        let (found, summary) = read(format!("{start}{end}"));
        assert_eq!(found, urls, "{end}");
        assert_eq!(
            summary,
            Ok(SitemapSummary {
                kind: UrlSet,
                locations: 2,
                cut: false,
                malformed: true
            })
        );
    }
    let crossed = "<urlset><url><loc>http://a/1</loc></lastmod><b></url><url><loc>http://a/2</loc></url></urlset>";
    let (found, summary) = read(crossed);
    assert_eq!(found, urls);
    assert!(summary.unwrap().malformed);
}

#[test]
fn truncated_gzip() {
    let lines = (0..20_000)
        .map(|n| format!("http://a/{}\n", n * 7919 % 20_011))
        .collect::<Vec<_>>()
        .concat();
    let whole = gzip(lines.as_bytes());
    let (found, summary) = read(&whole[..whole.len() / 2]);
    assert!(
        found.len() > 1_000 && found.len() < 20_000,
        "{}",
        found.len()
    );
    assert!(lines.starts_with(&(found.join("\n") + "\n")));
    assert_eq!(
        summary,
        Ok(SitemapSummary {
            kind: Text,
            locations: found.len(),
            cut: false,
            malformed: true
        })
    );
}

#[test]
fn limits() {
    let text = (0..10)
        .map(|n| format!("http://a/{n}\n"))
        .collect::<Vec<_>>()
        .concat();
    let inner = (0..10)
        .map(|n| format!("<url><loc>http://a/{n}</loc></url>"))
        .collect::<Vec<_>>()
        .concat();
    for body in [text, format!("<urlset>{inner}</urlset>")] {
        let length = body.len();
        for (max_urls, max_bytes, items, cut) in [
            (10, length, 10, false),
            (9, length, 9, true),
            (1, 1_000_000, 1, true),
            (
                10,
                length - 1,
                if body.starts_with('<') { 10 } else { 9 },
                true,
            ),
        ] {
            let (found, summary) = read_within(
                body.as_bytes(),
                SitemapLimits {
                    max_urls,
                    max_bytes,
                },
            );
            let summary = summary.unwrap();
            assert_eq!(
                (found.len(), summary.locations, summary.cut),
                (items, items, cut),
                "{body}"
            );
            assert!(!summary.malformed);
        }
        let tiny = SitemapLimits {
            max_urls: 10,
            max_bytes: 5,
        };
        assert_eq!(
            read_within(body.as_bytes(), tiny),
            (vec![], Err(SitemapError::TooLarge))
        );
    }
}

#[test]
fn entities_are_refused() {
    let laughs = "<!DOCTYPE urlset [<!ENTITY a 'ha'><!ENTITY b '&a;&a;&a;&a;'>]>
        <urlset><url><loc>http://a/&b;</loc></url></urlset>";
    let outside = "<?xml version='1.0'?>\n<!DOCTYPE urlset [ <!ENTITY % x SYSTEM 'http://evil/'> %x; ]><urlset/>";
    for body in [laughs, outside] {
        assert_eq!(read(body), (vec![], Err(SitemapError::EntityBomb)));
    }
    let harmless = format!("<!DOCTYPE urlset SYSTEM 'http://a/x.dtd'><urlset>{TWO}</urlset>");
    assert_eq!(found(harmless, UrlSet).len(), 2);
}

#[test]
fn error_messages() {
    let text = SitemapError::EntityBomb.to_string();
    assert_eq!(text, "sitemap refused: its DTD declares entities");
    let _: Box<dyn std::error::Error> = Box::new(SitemapError::NotASitemap);
}
