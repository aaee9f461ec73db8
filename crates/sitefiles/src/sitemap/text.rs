//! Text sitemaps: one URL per line, all other lines skipped.

use std::io::BufRead;
use std::ops::ControlFlow;

use super::location_sender::{LocationSender, MAX_LOCATION, SitemapLocation};
use super::utf8::Utf8;
use super::{SitemapError, SitemapKind, SitemapSummary};

pub(super) fn read(
    mut source: Utf8<'_>,
    mut sender: LocationSender<impl FnMut(SitemapLocation<'_>)>,
) -> Result<SitemapSummary, SitemapError> {
    let mut line = Vec::new();
    // Reads never fail: a damaged file or a limit looks like the end of input and is checked below.
    while let Ok(ahead) = source.fill_buf() {
        if ahead.is_empty() {
            break;
        }
        let end = memchr::memchr2(b'\n', b'\r', ahead);
        let part = end.and_then(|end| ahead.get(..end)).unwrap_or(ahead);
        // One byte over the limit is enough to know that the line is too long.
        let room = (MAX_LOCATION + 1).saturating_sub(line.len());
        line.extend(part.iter().take(room));
        let used = part.len() + usize::from(end.is_some());
        source.consume(used);
        if end.is_some() {
            if send(&line, &mut sender).is_break() {
                break;
            }
            line.clear();
        }
    }
    // The last line of a truncated file may be half a URL.
    let ended = !sender.full && !source.cut() && !source.broken();
    if ended {
        let _ = send(&line, &mut sender);
    }
    let cut = sender.full || source.cut();
    match sender.locations {
        0 if cut => Err(SitemapError::TooLarge),
        0 => Err(SitemapError::NotASitemap),
        locations => Ok(SitemapSummary {
            kind: SitemapKind::Text,
            locations,
            cut,
            malformed: source.broken(),
        }),
    }
}

fn send(
    line: &[u8],
    sender: &mut LocationSender<impl FnMut(SitemapLocation<'_>)>,
) -> ControlFlow<()> {
    let line = line.trim_ascii();
    let has_prefix = |prefix: &[u8]| {
        line.get(..prefix.len())
            .is_some_and(|start| start.eq_ignore_ascii_case(prefix))
    };
    let is_url = line.len() <= MAX_LOCATION && (has_prefix(b"http://") || has_prefix(b"https://"));
    match std::str::from_utf8(line) {
        Ok(url) if is_url => sender.send(SitemapLocation::Page(url)),
        _ => ControlFlow::Continue(()),
    }
}
