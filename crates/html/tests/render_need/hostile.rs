//! Truncated, corrupted and adversarial pages.

use std::time::Duration;

use crawler_html::{PageWeight, render_need};
use crawler_model::RenderNeed;
use proptest::prelude::*;

use crate::stopwatch::Stopwatch;
use crate::{HTML, TABLE, page};

#[test]
fn every_page_truncated_anywhere() {
    for (name, _) in TABLE {
        let body = page(name);
        for end in 0..body.len() {
            render_need(&body[..end], HTML);
        }
    }
}

#[test]
fn every_page_with_one_byte_changed() {
    for (name, _) in TABLE {
        let mut body = page(name);
        for at in 0..body.len() {
            for byte in [b'<', b'>', b'"', b'&', 0, 0xFF] {
                let kept = std::mem::replace(&mut body[at], byte);
                render_need(&body, HTML);
                body[at] = kept;
            }
        }
    }
}

proptest! {
    #[test]
    fn random_bytes(body in proptest::collection::vec(any::<u8>(), 0..2_000)) {
        render_need(&body, HTML);
        PageWeight::of(&body, None);
    }

    #[test]
    fn random_markup(pieces in proptest::collection::vec(0..PIECES.len(), 0..60)) {
        let body: String = pieces.into_iter().map(|piece| PIECES[piece]).collect();
        render_need(body.as_bytes(), HTML);
        PageWeight::of(body.as_bytes(), None);
    }
}

const PIECES: [&str; 26] = [
    "<div id=root>",
    "</div>",
    "<div>",
    "<app-root>",
    "</app-root>",
    "<template>",
    "</template>",
    "<noscript>",
    "</noscript>",
    "<script>",
    "</script>",
    "<script src=app.js>",
    "<!--",
    "-->",
    "<svg>",
    "<title/>",
    "</svg>",
    "enable JavaScript",
    "&nbsp;",
    "&",
    "{{ a }}",
    "loading",
    "<input type=hidden",
    ">",
    "<body onload=\"location='/'\">",
    "words ",
];

/// Each would be slow for a parser that reads any byte twice.
#[test]
fn time_is_linear() {
    let shapes: [(&str, &str); 14] = [
        ("open tags", "<div id=root>"),
        ("roots", "<div id=root></div>"),
        ("open comments", "<!-- "),
        ("open scripts", "<script>"),
        ("closed scripts", "<script>location</script>"),
        ("open styles", "<style>"),
        ("noscripts", "<noscript>"),
        ("templates", "<template>"),
        ("ampersands", "&"),
        ("entities", "<b>&nbsp;"),
        ("attributes", "<a b=c d='e' f=\"g\" class='a b c'>"),
        (
            "classes",
            "<i class='skeletonskeletonskeletonskeletonskeleton'>",
        ),
        ("mustaches", "<b>{{a}}"),
        ("angles", "<"),
    ];
    for (name, piece) in shapes {
        let one_mb = time_of(piece, 1 << 20);
        let four_mb = time_of(piece, 4 << 20);
        assert!(
            four_mb < one_mb * 12 + Duration::from_millis(50),
            "{name}: 1 MB in {one_mb:?}, 4 MB in {four_mb:?}"
        );
    }
}

/// The best of three runs, so that a busy machine does not fail the test.
fn time_of(piece: &str, bytes: usize) -> Duration {
    let body = piece.repeat(bytes / piece.len());
    let one = || {
        let start = Stopwatch::start();
        std::hint::black_box(render_need(body.as_bytes(), HTML));
        start.elapsed()
    };
    (0..3).map(|_| one()).min().unwrap()
}

#[test]
fn empty_pages_are_plain() {
    for body in [
        b"".as_slice(),
        b" ",
        b"\xEF\xBB\xBF",
        b"<",
        b"</",
        b"<!",
        b"\xFF\xFE",
    ] {
        assert_eq!(render_need(body, HTML), RenderNeed::Plain, "{body:?}");
    }
}
