//! Redirects that lead nowhere, round in circles, or out of the web.

use std::time::Duration;

use super::Expect;
use super::case::{Case, ONE_LINK, PAGE, case, fixed};
use crate::{Answer, Step};

const TOO_MANY: Expect = Expect::Failed("too_many_redirects");
const BAD: Expect = Expect::Failed("bad_redirect");

pub(super) fn cases() -> Vec<Case> {
    let mut cases = loops();
    cases.extend(locations());
    cases.extend(useless());
    cases
}

fn loops() -> Vec<Case> {
    vec![
        case(
            "redirect-self",
            TOO_MANY,
            "a redirect to its own URL is followed in place, under the hop limit",
            |visit| Answer::redirect(302, visit.request.target()),
        )
        .at_most(12),
        case(
            "redirect-loop-2",
            Expect::Redirect,
            "two pages that name each other: both are redirects, and the second leads to a seen URL",
            |visit| match visit.rest {
                "in" => Answer::redirect(301, "/redirect-loop-2/b"),
                _ => Answer::redirect(301, "/redirect-loop-2/in"),
            },
        )
        .also("b", Expect::Redirect)
        .at_most(2),
        chain("redirect-chain-5", 5, "five hops are everyday life").also("5", ONE_LINK),
        chain("redirect-chain-10", 10, "ten hops are the most that is allowed").also("10", ONE_LINK),
        chain("redirect-chain-11", 11, "the eleventh redirect answer in a row is one too many")
            .also("9", Expect::Redirect)
            .also("10", TOO_MANY)
            .also("11", Expect::Never),
        chain("redirect-chain-10000", 10_000, "a chain as good as endless costs eleven requests")
            .also("10", TOO_MANY)
            .also("11", Expect::Never)
            .at_most(11),
        fixed(
            "location-slash",
            ONE_LINK,
            "to itself with a slash added: the same page when slashes are merged, followed in place",
            Answer::redirect(301, "/location-slash/in/"),
        )
        .page("in/", Answer::html(PAGE)),
    ]
}

/// Page `i` redirects to page `i + 1`, and the last is a page.
fn chain(name: &'static str, hops: u32, why: &'static str) -> Case {
    case(name, Expect::Redirect, why, move |visit| {
        match visit.rest.parse::<u32>() {
            Ok(hop) if hop < hops => Answer::redirect(302, &format!("/{name}/{}", hop + 1)),
            Ok(hop) if hop == hops => Answer::html(PAGE),
            _ => Answer::status(404),
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
            Answer::redirect(303, "target"),
        )
        .lands("target"),
        fixed(
            "location-fragment",
            Expect::Redirect,
            "the fragment is not part of the request that follows",
            Answer::redirect(308, "/location-fragment/target#part"),
        )
        .lands("target"),
        fixed(
            "location-space",
            Expect::Redirect,
            "a space in a Location is encoded, as browsers do",
            Answer::redirect(307, "/location-space/a b"),
        )
        .lands("a%20b"),
        case(
            "location-credentials",
            Expect::Redirect,
            "user and password in a Location must not reach the output",
            |visit| match visit.rest {
                "in" => {
                    let host = visit.request.header("host").unwrap_or_default();
                    let target = format!("http://user:secret@{host}/location-credentials/target");
                    Answer::redirect(302, &target)
                }
                _ => Answer::html(PAGE),
            },
        ),
        case(
            "location-8-bit",
            Expect::Redirect,
            "servers send raw Latin-1 or UTF-8 here; it must end in a URL, not in a panic",
            |visit| match visit.rest {
                "in" => Answer::raw(
                    b"HTTP/1.1 302 Found\r\nLocation: /location-8-bit/caf\xe9\r\n\
                      Content-Length: 0\r\nConnection: close\r\n\r\n",
                ),
                _ => Answer::html(PAGE),
            },
        ),
        fixed(
            "location-off-site",
            Expect::Redirect,
            "leaving the scope is an outcome; the target is not asked for",
            Answer::redirect(301, "http://elsewhere.example/"),
        ),
        fixed(
            "redirect-endless-body",
            Expect::Redirect,
            "the body of a redirect is nobody's business, least of all an endless one",
            Answer::script(vec![
                Step::send("HTTP/1.1 302 Found\r\nLocation: /healthy/1\r\n\r\n"),
                Step::SendForever(vec![b'x'; 4096].into(), Duration::from_millis(1)),
            ]),
        ),
    ]
}

fn useless() -> Vec<Case> {
    [
        ("location-empty", "", "an empty Location names nothing"),
        (
            "location-file",
            "file:///etc/passwd",
            "a crawler of the web does not read files",
        ),
        (
            "location-javascript",
            "javascript:alert(1)",
            "a script is no place",
        ),
        (
            "location-data",
            "data:text/html,<p>x",
            "a document inside a URL is no place",
        ),
        (
            "location-invalid",
            "http://[:::1/",
            "what is no URL cannot be followed",
        ),
    ]
    .into_iter()
    .map(|(name, location, why)| fixed(name, BAD, why, Answer::redirect(302, location)))
    .chain([fixed(
        "location-missing",
        BAD,
        "a redirect without a Location",
        Answer::status(302),
    )])
    .collect()
}
