//! Content types that are wrong, missing, or not HTML.

use std::time::Duration;

use super::Expect;
use super::case::{Case, ONE_LINK, PAGE, case, fixed};
use crate::{SiteResponse, SocketStep};

const PNG: &[u8] =
    b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x01\0\0\0\x01\x08\x06\0\0\0\x1f\x15\xc4\x89";

pub(super) fn cases() -> Vec<Case> {
    let mut cases = pages();
    cases.extend(others());
    cases
}

fn pages() -> Vec<Case> {
    let typed = |name, content_type, why| {
        fixed(
            name,
            ONE_LINK,
            why,
            SiteResponse::new(200, content_type, PAGE),
        )
    };
    vec![
        typed(
            "type-missing",
            "",
            "no type, and the first bytes look like HTML",
        ),
        typed("type-xhtml", "application/xhtml+xml", "XHTML is a page"),
        typed(
            "type-odd",
            "TeXt/HtMl ; ChArSeT=\"utf-8\" ; foo=\"a;b\"",
            "case and parameters do not matter",
        ),
        typed(
            "type-no-space",
            "text/html;charset=utf-8;",
            "an extra semicolon",
        ),
        fixed(
            "type-twice",
            ONE_LINK,
            "sent twice",
            SiteResponse::new(200, "text/html", PAGE)
                .header("Content-Type", "text/html; charset=utf-8"),
        ),
        fixed(
            "type-attachment",
            ONE_LINK,
            "a browser would download it, but it is HTML",
            SiteResponse::html(PAGE)
                .header("Content-Disposition", "attachment; filename=\"a.html\""),
        ),
        fixed(
            "png-as-html",
            Expect::AnyOf(&[Expect::Fetched { links: 0 }, Expect::NotHtml]),
            "labeled HTML; whether or not its bytes are checked, there are no links",
            SiteResponse::html(PNG),
        ),
        fixed(
            "empty-page",
            Expect::Fetched { links: 0 },
            "empty, labeled HTML",
            SiteResponse::html(""),
        ),
    ]
}

fn others() -> Vec<Case> {
    let typed = |name, content_type, body: &'static [u8], why| {
        fixed(
            name,
            Expect::NotHtml,
            why,
            SiteResponse::new(200, content_type, body),
        )
    };
    vec![
        typed(
            "html-as-png",
            "image/png",
            PAGE.as_bytes(),
            "the label decides",
        ),
        typed(
            "html-as-text",
            "text/plain",
            PAGE.as_bytes(),
            "markup shown as text has no links",
        ),
        typed(
            "html-as-json",
            "application/json",
            PAGE.as_bytes(),
            "not a page",
        ),
        typed(
            "type-missing-binary",
            "",
            PNG,
            "no type, and the first bytes are not HTML",
        ),
        typed("type-missing-empty", "", b"", "no type and no bytes"),
        fixed(
            "type-rubbish",
            Expect::AnyOf(&[Expect::NotHtml, ONE_LINK]),
            "an invalid type: treated as another type or as none",
            SiteResponse::new(200, "html", PAGE),
        ),
        case(
            "pdf-endless",
            Expect::NotHtml,
            "the body of a PDF is never read: the connection is closed after the head, so that \
             only a little of it is sent",
            |_| {
                SiteResponse::script(vec![
                    SocketStep::send(
                        "HTTP/1.1 200 OK\r\nContent-Type: application/pdf\r\nContent-Length: 5000000000\r\n\r\n%PDF-1.7\n",
                    ),
                    SocketStep::SendForever(vec![b'x'; 16 << 10].into(), Duration::from_millis(5)),
                ])
            },
        ),
        case(
            "zip-fast",
            Expect::NotHtml,
            "an archive at full speed",
            |_| {
                SiteResponse::script(vec![
                    SocketStep::send(
                        "HTTP/1.1 200 OK\r\nContent-Type: application/zip\r\n\r\nPK\x03\x04",
                    ),
                    SocketStep::SendForever(vec![0; 64 << 10].into(), Duration::ZERO),
                ])
            },
        ),
    ]
}
