//! Writing a request.

use std::hint::black_box;

use fetch::probe::Asker;
use weburl::UrlRef;

use crate::case::Case;
use crate::pages::{R, plan};

/// `host`, `user-agent`, `accept`, `accept-encoding`.
const HEADERS: usize = 4;

pub(crate) fn cases() -> Vec<Case> {
    vec![Case::new("request-head", 500, HEADERS, |_| {
        let url = UrlRef::split(R.url).expect("a URL");
        let asker = Asker::new(&plan(R.url).fetch, url).expect("rules that are written here");
        Box::new(move || asker.ask(black_box(url)).unwrap_or_default())
    })]
}
