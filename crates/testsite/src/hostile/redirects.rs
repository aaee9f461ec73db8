//! Redirects that loop, have invalid targets or leave the web.

use std::time::Duration;

use super::Expect;
use super::case::{Case, ONE_LINK, PAGE, case, fixed};
use crate::{SiteResponse, SocketStep};

const TOO_MANY_REDIRECTS: Expect = Expect::Failed("too_many_redirects");
const BAD_REDIRECT: Expect = Expect::Failed("bad_redirect");

pub(super) fn cases() -> Vec<Case> {
    let mut cases = loops();
    cases.extend(locations());
    cases.extend(invalid_locations());
    cases
}

fn loops() -> Vec<Case> {
    vec![
        case(
            "redirect-self",
            TOO_MANY_REDIRECTS,
            "a redirect to its own URL is followed in place, under the hop limit",
            |visit| SiteResponse::redirect(302, visit.request.target()),
        )
        .at_most(12),
        case(
            "redirect-loop-2",
            Expect::Redirect,
            "two pages that redirect to each other: the second closes a loop",
            |visit| match visit.rest {
                "in" => SiteResponse::redirect(301, "/redirect-loop-2/b"),
                _ => SiteResponse::redirect(301, "/redirect-loop-2/in"),
            },
        )
        .also("b", TOO_MANY_REDIRECTS)
        .at_most(2),
        chain("redirect-chain-5", 5, "five hops are common").also("5", ONE_LINK),
        chain("redirect-chain-10", 10, "ten hops are the maximum").also("10", ONE_LINK),
        chain("redirect-chain-11", 11, "the eleventh redirect in a row is one too many")
            .also("9", Expect::Redirect)
            .also("10", TOO_MANY_REDIRECTS)
            .also("11", Expect::Never),
        chain("redirect-chain-10000", 10_000, "a practically endless chain takes eleven requests")
            .also("10", TOO_MANY_REDIRECTS)
            .also("11", Expect::Never)
            .at_most(11),
        fixed(
            "location-slash",
            ONE_LINK,
            "to itself with a slash added: the same page when slashes are merged, followed in place",
            SiteResponse::redirect(301, "/location-slash/in/"),
        )
        .page("in/", SiteResponse::html(PAGE)),
    ]
}

/// Page `i` redirects to page `i + 1`; the last one is a page.
fn chain(name: &'static str, hops: u32, why: &'static str) -> Case {
    case(name, Expect::Redirect, why, move |visit| {
        match visit.rest.parse::<u32>() {
            Ok(hop) if hop < hops => SiteResponse::redirect(302, &format!("/{name}/{}", hop + 1)),
            Ok(hop) if hop == hops => SiteResponse::html(PAGE),
            _ => SiteResponse::status(404),
        }
    })
    .at("0")
}

fn locations() -> Vec<Case> {
    vec![
        fixed(
            "location-relative",
            Expect::Redirect,
            "a relative Location is resolved against the URL that sent it",
            SiteResponse::redirect(303, "target"),
        )
        .expects_page("target"),
        fixed(
            "location-fragment",
            Expect::Redirect,
            "the fragment is not part of the request that follows",
            SiteResponse::redirect(308, "/location-fragment/target#part"),
        )
        .expects_page("target"),
        fixed(
            "location-space",
            Expect::Redirect,
            "a space in a Location is encoded, as in browsers",
            SiteResponse::redirect(307, "/location-space/a b"),
        )
        .expects_page("a%20b"),
        case(
            "location-credentials",
            Expect::Redirect,
            "user and password in a Location must not reach the output",
            |visit| match visit.rest {
                "in" => {
                    let host = visit.request.header("host").unwrap_or_default();
                    let target = format!("http://user:secret@{host}/location-credentials/target");
                    SiteResponse::redirect(302, &target)
                }
                _ => SiteResponse::html(PAGE),
            },
        ),
        case(
            "location-8-bit",
            Expect::Redirect,
            "servers send raw Latin-1 or UTF-8 here; the result must be a URL, not a panic",
            |visit| match visit.rest {
                "in" => SiteResponse::raw(
                    b"HTTP/1.1 302 Found\r\nLocation: /location-8-bit/caf\xe9\r\n\
                      Content-Length: 0\r\nConnection: close\r\n\r\n",
                ),
                _ => SiteResponse::html(PAGE),
            },
        ),
        fixed(
            "location-off-site",
            Expect::Redirect,
            "the target is out of scope and not requested",
            SiteResponse::redirect(301, "http://elsewhere.example/"),
        ),
        fixed(
            "redirect-endless-body",
            Expect::Redirect,
            "the body of a redirect is not read, even if it is endless",
            SiteResponse::script(vec![
                SocketStep::send("HTTP/1.1 302 Found\r\nLocation: /healthy/1\r\n\r\n"),
                SocketStep::SendForever(vec![b'x'; 4096].into(), Duration::from_millis(1)),
            ]),
        ),
    ]
}

fn invalid_locations() -> Vec<Case> {
    [
        ("location-empty", "", "an empty Location"),
        (
            "location-file",
            "file:///etc/passwd",
            "local files are not read",
        ),
        (
            "location-javascript",
            "javascript:alert(1)",
            "a script is not a target",
        ),
        (
            "location-data",
            "data:text/html,<p>x",
            "a data URL is not a target",
        ),
        (
            "location-invalid",
            "http://[:::1/",
            "an invalid URL cannot be followed",
        ),
    ]
    .into_iter()
    .map(|(name, location, why)| {
        fixed(
            name,
            BAD_REDIRECT,
            why,
            SiteResponse::redirect(302, location),
        )
    })
    .chain([fixed(
        "location-missing",
        BAD_REDIRECT,
        "a redirect without a Location",
        SiteResponse::status(302),
    )])
    .collect()
}
