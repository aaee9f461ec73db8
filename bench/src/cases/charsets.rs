//! Detecting a page's charset: from the header, from the page, from its bytes.

use std::hint::black_box;

use crawler_html::CharsetSource;

use crate::case::Case;
use crate::pages::{CONTENT_TYPE, R, S};

/// No label and not UTF-8: detected from the bytes.
const FOREIGN: &[u8] = b"<title>Pr\xfcfung</title><p>Der gr\xf6\xdfte Teil der B\xfccher stand schon vor f\xfcnf Jahren hier; \
    sp\xe4ter kamen \xfcber tausend dazu, die n\xf6tige W\xe4rme f\xfcr die R\xe4ume aber nicht.</p>";

pub(crate) fn cases() -> Vec<Case> {
    [
        (
            "header",
            S.body,
            Some(CONTENT_TYPE),
            CharsetSource::Header,
            1_000,
        ),
        (
            "meta",
            R.body,
            Some("text/html"),
            CharsetSource::Meta,
            1_000,
        ),
        ("utf8", S.body, None, CharsetSource::Detected, 500),
        ("guess", FOREIGN, None, CharsetSource::Detected, 100),
    ]
    .map(|(name, body, content_type, source, times)| {
        Case::new(format!("charset-{name}"), times, 1, move |_| {
            Box::new(move || {
                let label = black_box(content_type).and_then(crawler_html::charset_label);
                let charset = crawler_html::charset(black_box(body), label, Some("org"));
                usize::from(charset.source == source)
            })
        })
    })
    .into()
}
