//! Unusual links: schemes, bases and spellings.

use super::Expect;
use super::case::{Case, ONE_LINK, case, fixed, page_of};
use crate::SiteResponse;
use crate::pages::list_of_links;

pub(super) fn cases() -> Vec<Case> {
    let mut cases = bases();
    cases.extend(hosts());
    cases.extend(spellings());
    cases
}

fn bases() -> Vec<Case> {
    let with_base = |name, why, head: &str| {
        fixed(
            name,
            ONE_LINK,
            why,
            page_of(&format!("{head}<a href=\"x\">link</a>")),
        )
    };
    vec![
        with_base(
            "base-relative",
            "a base below the page",
            "<base href=\"sub/\">",
        )
        .expects_page("sub/x"),
        with_base(
            "base-two",
            "the first of two bases is used",
            "<base href=\"one/\"><base href=\"two/\">",
        )
        .expects_page("one/x")
        .also("two/x", Expect::Never),
        with_base(
            "base-without-href",
            "a base without href is not the first",
            "<base target=_top><base href=\"two/\">",
        )
        .expects_page("two/x"),
        with_base(
            "base-invalid",
            "an invalid base is ignored",
            "<base href=\"http://[\">",
        )
        .expects_page("x"),
        with_base(
            "base-data",
            "a data: base is ignored",
            "<base href=\"data:text/html,x/\">",
        )
        .expects_page("x"),
        with_base(
            "base-javascript",
            "a javascript: base is ignored",
            "<base href=\"javascript:/x/\">",
        )
        .expects_page("x"),
        with_base(
            "base-elsewhere",
            "a base on another host applies to all links",
            "<base href=\"http://elsewhere.example/\">",
        )
        .also("x", Expect::Never),
        fixed(
            "base-late",
            ONE_LINK,
            "a base after the links applies to them too",
            page_of("<a href=\"x\">link</a><base href=\"late/\">"),
        )
        .expects_page("late/x")
        .also("x", Expect::Never),
    ]
}

#[expect(clippy::too_many_lines, reason = "a table")]
fn hosts() -> Vec<Case> {
    vec![
        links(
            "link-idn",
            2,
            "a host beyond ASCII",
            &["http://bücher.example/", "http://xn--bcher-kva.example/"],
        ),
        links(
            "link-userinfo",
            3,
            "the part before the @ is not the host",
            &[
                "http://user:word@elsewhere.example/",
                "http://127.0.0.1@elsewhere.example/",
                "http://elsewhere.example\\@127.0.0.1/",
            ],
        ),
        links(
            "link-ports",
            2,
            "65536 is not a valid port; 0 and an empty port are",
            &[
                "http://elsewhere.example:65536/",
                "http://elsewhere.example:0/",
                "http://elsewhere.example:/",
                "http://elsewhere.example:8x/",
            ],
        ),
        links(
            "link-bad-hosts",
            0,
            "none of these is a valid URL",
            &[
                "http://",
                "http://[::1",
                "http://a b.example/",
                "http://%zz.example/",
                "http://1.2.3.4.5/",
                "http://[::g]/",
                "http://a^b/",
            ],
        ),
        links(
            "link-backslashes",
            3,
            "a backslash is a slash",
            &[
                "\\healthy\\2",
                "http:\\\\elsewhere.example\\x",
                "\\\\elsewhere.example\\x",
            ],
        ),
        local(
            "link-ipv6",
            2,
            "another address of the same server is another host",
            &["http://[::1]:{port}/", "http://[0:0:0:0:0:0:0:1]:{port}/x"],
        ),
        local(
            "link-full-width",
            1,
            "full-width digits are digits: 127.0.0.1",
            &["http://１２７.０.０.１:{port}/link-full-width/x"],
        )
        .expects_page("x"),
        local(
            "link-number",
            1,
            "an address as one number: 127.0.0.1",
            &["http://2130706433:{port}/link-number/x"],
        )
        .expects_page("x"),
        local(
            "link-hex",
            1,
            "an address in hexadecimal and octal: 127.0.0.1",
            &["http://0x7f.0.0.01:{port}/link-hex/x"],
        )
        .expects_page("x"),
        local(
            "link-capitals",
            1,
            "scheme and host are case-insensitive",
            &["HTTP://127.0.0.1:{port}/link-capitals/x"],
        )
        .expects_page("x"),
    ]
}

fn spellings() -> Vec<Case> {
    let long = format!("/link-long/{}", "a".repeat(12_000));
    vec![
        links(
            "link-schemes",
            1,
            "other schemes than http are ignored",
            &[
                "javascript:alert(1)",
                "JaVaScRiPt:alert(1)",
                "java\nscript:alert(1)",
                " \tjavascript:alert(1)",
                "data:text/html,<p>x",
                "mailto:a@b.example",
                "tel:+123",
                "blob:http://127.0.0.1/x",
                "about:blank",
                "view-source:http://127.0.0.1/",
                "file:///etc/passwd",
                "ftp://elsewhere.example/",
                "ws://elsewhere.example/",
                "foo:bar",
                "/healthy/2",
            ],
        ),
        fixed(
            "link-long",
            Expect::AnyOf(&[Expect::Fetched { links: 2 }, ONE_LINK]),
            "a URL of 12,000 characters may be listed or dropped; the other link must be found",
            SiteResponse::html(list_of_links([long.as_str(), "/healthy/2"])),
        ),
        links(
            "link-whitespace",
            1,
            "tabs and line breaks in a URL are removed",
            &[" \n/link-white\tspace/a\r\n\tb \t"],
        )
        .expects_page("ab"),
        links("link-space", 1, "a space inside is encoded", &["a b"]).expects_page("a%20b"),
        links(
            "link-dots",
            3,
            "dots are resolved, encoded ones too",
            &[
                "/link-dots/a/../b/./c",
                "/link-dots/a/%2e%2e/b/c",
                "/../../link-dots/b/c",
            ],
        )
        .expects_page("b/c"),
        links("link-percent", 1, "an invalid escape is kept", &["%zz"]).expects_page("%zz"),
        links(
            "link-beyond-ascii",
            1,
            "a path beyond ASCII is encoded as UTF-8",
            &["smörgås"],
        )
        .expects_page("sm%C3%B6rg%C3%A5s"),
        links(
            "link-itself",
            3,
            "an empty link, a bare fragment and a bare question mark",
            &["", "#top", "?"],
        ),
    ]
}

fn links(name: &'static str, count: usize, why: &'static str, links: &[&str]) -> Case {
    fixed(
        name,
        Expect::Fetched { links: count },
        why,
        SiteResponse::html(list_of_links(links)),
    )
}

/// Links that contain the port of their server.
fn local(name: &'static str, count: usize, why: &'static str, links: &'static [&str]) -> Case {
    case(
        name,
        Expect::Fetched { links: count },
        why,
        move |visit| match visit.rest {
            "in" => {
                let port = visit.request.server().port().to_string();
                SiteResponse::html(list_of_links(
                    links.iter().map(|link| link.replace("{port}", &port)),
                ))
            }
            _ => SiteResponse::status(404),
        },
    )
}
