//! Content codings to decode and to refuse.

use super::Expect;
use super::case::{Case, DECODE, ONE_LINK, PAGE, fixed};
use crate::SiteResponse;
use crate::coding::{brotli, deflate, gzip, zlib, zstd};

#[expect(clippy::too_many_lines, reason = "a table")]
pub(super) fn cases() -> Vec<Case> {
    let page = PAGE.as_bytes();
    let coded =
        |coding: &str, body: Vec<u8>| SiteResponse::html(body).header("Content-Encoding", coding);
    let good = |name, coding, body, why| fixed(name, ONE_LINK, why, coded(coding, body));
    let bad = |name, coding, body, why| fixed(name, DECODE, why, coded(coding, body));
    let compressed = gzip(&page.repeat(20));
    let with_tail = [&gzip(page)[..], b"and some rubbish"].concat();
    let five = (0..5).fold(page.to_vec(), |body, _| gzip(&body));
    vec![
        good("coding-gzip", "gzip", gzip(page), "the usual coding"),
        good(
            "coding-x-gzip",
            "X-GZip",
            gzip(page),
            "its old name, in mixed case",
        ),
        good(
            "coding-deflate-zlib",
            "deflate",
            zlib(page),
            "deflate as specified",
        ),
        good(
            "coding-deflate-raw",
            "deflate",
            deflate(page),
            "deflate as some servers send it",
        ),
        good("coding-br", "br", brotli(page), "brotli"),
        good("coding-zstd", "zstd", zstd(page), "zstandard"),
        good(
            "coding-identity",
            "identity",
            page.to_vec(),
            "no coding, stated explicitly",
        ),
        good(
            "coding-empty",
            "",
            page.to_vec(),
            "a coding without a name is none",
        ),
        good(
            "coding-two",
            "gzip, br",
            brotli(&gzip(page)),
            "two layers are allowed",
        ),
        good(
            "gzip-tail",
            "gzip",
            with_tail,
            "rubbish after the end of the stream is ignored",
        ),
        bad(
            "coding-five",
            "gzip, gzip, gzip, gzip, gzip",
            five,
            "more than two layers are refused",
        ),
        fixed(
            "coding-five-lines",
            DECODE,
            "the same over five header lines",
            (0..5).fold(
                SiteResponse::html((0..5).fold(page.to_vec(), |body, _| gzip(&body))),
                |response, _| response.header("Content-Encoding", "gzip"),
            ),
        ),
        bad(
            "coding-unknown",
            "x-foo",
            page.to_vec(),
            "an unknown coding",
        ),
        bad(
            "gzip-lie",
            "gzip",
            page.to_vec(),
            "labeled gzip but plain text",
        ),
        fixed(
            "gzip-cut",
            Expect::Truncated,
            "the stream ends too early: the decoded part is used and marked as truncated",
            coded("gzip", compressed[..compressed.len() - 20].to_vec()),
        ),
        fixed(
            "gzip-empty",
            Expect::Fetched { links: 0 },
            "an empty body is an empty page, whatever its coding",
            coded("gzip", Vec::new()),
        ),
    ]
}
