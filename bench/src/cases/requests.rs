//! Building the head of a request.

use std::hint::black_box;

use crawler_fetch::probe::RequestProbe;
use crawler_weburl::UrlRef;

use crate::case::Case;
use crate::pages::{R, plan};

/// Number of headers: `host`, `user-agent`, `accept`, `accept-encoding`.
const HEADERS: usize = 4;

pub(crate) fn cases() -> Vec<Case> {
    vec![Case::new("request-head", 500, HEADERS, |_| {
        let url = UrlRef::split(R.url).expect("a URL");
        let probe = RequestProbe::new(&plan(R.url).fetch, url).expect("fixed rules are valid");
        Box::new(move || probe.header_count(black_box(url)).unwrap_or_default())
    })]
}
