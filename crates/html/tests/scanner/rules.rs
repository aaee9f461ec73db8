//! The scanner's rules, one table per construct. Those of SVG and MathML are in `svg_rules`.

use crawler_html::{Link, ScanEvent, scan_links};
use encoding_rs::{EUC_JP, GBK, ISO_2022_JP, SHIFT_JIS, UTF_8, UTF_16BE, UTF_16LE, WINDOWS_1252};

use crate::agreement::agree;
use crate::oracle::in_order;

/// The page's links on one line, with bases in brackets.
pub(crate) fn summary(page: &str) -> String {
    let fact = |(kind, href, ..): (&str, String, bool, bool)| match kind {
        "base" => format!("[{href}]"),
        _ => href,
    };
    in_order(page.as_bytes())
        .into_iter()
        .map(fact)
        .collect::<Vec<_>>()
        .join(" ")
}

/// Checks a table of pages and their links, and that the oracle agrees.
pub(crate) fn check(table: &[(&str, &str)]) {
    for (page, expected) in table {
        assert_eq!(summary(page), *expected, "{page:?}");
        agree(page);
    }
}

#[test]
fn links_and_bases() {
    check(&[
        ("<a href=1>", "1"),
        ("<A HREF='1'>x</A><a href=\"2\"/>", "1 2"),
        ("<a>", ""),
        ("<a name=x>", ""),
        ("<a href>", ""),
        ("<a href=\"\">", ""),
        ("<a href=' 1 '>", " 1 "),
        ("<a href=1 href=2>", "1"),
        ("<a href=1/><a/href=2><a\thref=3\x0C>", "1/ 2 3"),
        ("<a xhref=1><a hrefs=2><a data-href=3><a xlink:href=4>", ""),
        ("<area href=1><abbr href=2><link href=3><a- href=4>", ""),
        ("<a\0 href=1><a\0href=2>", ""),
        ("<a title='<a href=no>' href=yes>", "yes"),
        ("<a title=<a href=yes>", "yes"),
        ("<base href=1><a href=2><base><BASE HREF=3>", "[1] 2 [3]"),
        ("<basefont href=1>", ""),
        ("<p><base href=1>", "[1]"),
        ("a < b <a href=1> < / <3", "1"),
        ("<<a href=1>", "1"),
        ("<a href=1", ""),
        ("<a href='1>", ""),
        ("<a href=1><a href=\"2", "1"),
        ("<", ""),
        ("</", ""),
        ("", ""),
        ("<a href=x\u{0}y><a href='a\r\nb\rc'>", "x\u{FFFD}y a\nb\nc"),
        ("<a href='?a=1&amp;b=2&copy=3&lt;'>", "?a=1&b=2&copy=3<"),
        ("<noscript><a href=1></noscript><a href=2>", "1 2"),
        ("<select><a href=1><option><a href=2></select>", "1 2"),
        ("<table><a href=1><tr><a href=2><td><a href=3>", "1 2 3"),
    ]);
}

#[test]
fn an_empty_href_is_a_link() {
    let nothing = vec![("a", String::new(), false, false)];
    assert_eq!(in_order(b"<a href>"), nothing);
    assert_eq!(in_order(b"<a href=''>"), nothing);
    assert_eq!(in_order(b"<a href=>"), nothing);
}

#[test]
fn rel_and_download() {
    let table = [
        ("<a href=x>", false, false),
        ("<a href=x rel=nofollow>", true, false),
        ("<a rel='me\tNoFollow\nugc' href=x>", true, false),
        ("<a rel='no&#102;ollow' href=x>", true, false),
        ("<a rel='nofollow,ugc' href=x>", false, false),
        ("<a rel='a\u{A0}nofollow' href=x>", false, false),
        ("<a rel=ugc rel=nofollow href=x>", false, false),
        ("<a href=x download>", false, true),
        ("<a DOWNLOAD=y rel=nofollow href=x>", true, true),
        ("<a data-download href=x>", false, false),
    ];
    for (page, nofollow, download) in table {
        assert_eq!(
            in_order(page.as_bytes()),
            [("a", "x".to_owned(), nofollow, download)],
            "{page:?}"
        );
        agree(page);
    }
}

#[test]
fn comments_and_declarations() {
    check(&[
        ("<!--<a href=1>--><a href=2>", "2"),
        ("<!--><a href=1>-->", "1"),
        ("<!---><a href=1>-->", "1"),
        ("<!----><a href=1>", "1"),
        ("<!----!><a href=1>", "1"),
        ("<!--x--!><a href=1>-->", "1"),
        ("<!--!><a href=1>--><a href=2>", "2"),
        ("<!-- -- > <a href=1> --><a href=2>", "2"),
        ("<!--<!--><a href=1>", "1"),
        ("<!--<a href=1>", ""),
        ("<!x<a href=1><a href=2>", "2"),
        ("<?x<a href=1><a href=2>", "2"),
        ("</ x<a href=1><a href=2>", "2"),
        ("</><a href=1>", "1"),
        ("<!><a href=1>", "1"),
        ("<!doctype html SYSTEM 'x><a href=1>'>", "1"),
        ("<![CDATA[<a href=1>]]><a href=2>", "2"),
        ("<![CDATA[ > <a href=1> ]]>", "1"),
        ("</p title='><a href=1>'><a href=2>", "2"),
        ("</p <a href=1><a href=2>", "2"),
    ]);
}

#[test]
fn raw_text() {
    for name in [
        "style", "xmp", "iframe", "noembed", "noframes", "title", "textarea", "script",
    ] {
        let pages = [
            format!("<{name}><a href=1></{name}><a href=2>"),
            format!("<{name}><!--<a href=1></{name}><a href=2>--></{name}>"),
            format!("<{name}/><a href=1></{name} x='>'><a href=2>"),
            format!("<{name}><a href=1></{name}s></{name}/><a href=2>"),
        ];
        for page in pages {
            assert_eq!(summary(&page), "2", "{page:?}");
            agree(&page);
        }
        let open = format!("<a href=1><{name}><a href=2></{name}");
        assert_eq!(summary(&open), "1", "{open:?}");
        agree(&open);
    }
    check(&[
        ("<a href=1><plaintext><a href=2></plaintext><a href=3>", "1"),
        (
            "<script><!--<script></script><a href=1>--></script><a href=2>",
            "2",
        ),
        ("<script><!--<script>--></script><a href=1>", "1"),
        ("<script><!--></script><a href=1>", "1"),
        ("<noframesx><a href=1>", "1"),
        ("<script <a href=1></script><a href=2>", "2"),
    ]);
}

#[test]
fn templates_are_inert() {
    check(&[
        (
            "<template><a href=1><base href=2></template><a href=3>",
            "3",
        ),
        (
            "<template><template></template><a href=1></template><a href=2>",
            "2",
        ),
        ("</template><a href=1>", "1"),
        ("<template></template></template><a href=1>", "1"),
        (
            "<template><script></template></script><a href=1></template><a href=2>",
            "2",
        ),
        ("<template><a href=1>", ""),
        (
            "<table><template><tr><a href=1></table></template><a href=2></table>",
            "2",
        ),
    ]);
}

#[test]
fn every_encoding_is_converted_to_utf8() {
    let page = "<a href='/日本?a&amp;b'><base href=\"ＡＢＣ\">";
    for encoding in [SHIFT_JIS, EUC_JP, GBK, ISO_2022_JP] {
        let (bytes, _, unmappable) = encoding.encode(page);
        assert!(!unmappable);
        assert_eq!(
            scan(&bytes, encoding),
            ["/日本?a&b", "ＡＢＣ"],
            "{}",
            encoding.name()
        );
    }
    let wide = |order: fn(u16) -> [u8; 2]| {
        format!("\u{FEFF}{page}")
            .encode_utf16()
            .flat_map(order)
            .collect::<Vec<u8>>()
    };
    assert_eq!(
        scan(&wide(u16::to_le_bytes), UTF_16LE),
        ["/日本?a&b", "ＡＢＣ"]
    );
    assert_eq!(
        scan(&wide(u16::to_be_bytes), UTF_16BE),
        ["/日本?a&b", "ＡＢＣ"]
    );
    assert_eq!(scan(b"\xEF\xBB\xBF<a href=\xC3\xA9>", UTF_8), ["é"]);
    assert_eq!(scan(b"<a href=\xE9>", UTF_8), ["\u{FFFD}"]);
    assert_eq!(scan(b"<a href=\xE9>", WINDOWS_1252), ["é"]);
    // In Shift_JIS, 0x5C ends a character and 0x3C may not start a tag there.
    assert_eq!(scan(b"\x83<a href=1>", SHIFT_JIS), ["1"]);
    assert_eq!(scan(b"<a href=1>", encoding_rs::REPLACEMENT), [""; 0]);
}

fn scan(bytes: &[u8], encoding: &'static encoding_rs::Encoding) -> Vec<String> {
    let mut hrefs = Vec::new();
    scan_links(bytes, encoding, |found| match found {
        ScanEvent::Base(href) | ScanEvent::Link(Link { href, .. }) => hrefs.push(href.to_owned()),
    });
    hrefs
}
