//! One URL of a map, and its encoding for the sort by URL.

use crawler_model::{Discovery, RenderReason, Rendering};

/// One URL of a map.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Entry<'a> {
    pub(super) url: &'a str,
    /// `None` if it was not fetched or there was no response.
    pub(super) status: Option<u16>,
    /// Hops from the seed, if known.
    pub(super) depth: Option<u32>,
    pub(super) found: Discovery,
    /// Whether it belongs in a sitemap: not known to be failed, redirected or skipped, and of the same origin.
    pub(super) listed: bool,
    /// Whether the page was rendered and why, if that was decided; without the waiting time.
    pub(super) rendering: Option<Rendering>,
}

const FOUND: [Discovery; 4] = [
    Discovery::Seed,
    Discovery::Link,
    Discovery::Redirect,
    Discovery::Sitemap,
];
/// Length of [`Entry::facts`].
pub(super) const FACTS: usize = 9;

impl<'a> Entry<'a> {
    /// Everything but the URL, in a fixed number of bytes. Compared as bytes, fewer hops sort first.
    pub(super) fn facts(&self) -> [u8; FACTS] {
        let depth = self.depth.unwrap_or(u32::MAX).to_be_bytes();
        let found = FOUND.iter().position(|found| *found == self.found);
        let found = u8::try_from(found.unwrap_or_default()).unwrap_or_default();
        let status = self.status.unwrap_or_default().to_be_bytes();
        let [a, b, c, d] = depth;
        [
            a,
            b,
            c,
            d,
            found,
            u8::from(self.listed),
            status[0],
            status[1],
            rendering_byte(self.rendering),
        ]
    }

    pub(super) fn of(url: &'a str, facts: [u8; FACTS]) -> Option<Self> {
        let [a, b, c, d, found, listed, high, low, rendering] = facts;
        let depth = u32::from_be_bytes([a, b, c, d]);
        let status = u16::from_be_bytes([high, low]);
        Some(Self {
            url,
            status: (status != 0).then_some(status),
            depth: (depth != u32::MAX).then_some(depth),
            found: *FOUND.get(usize::from(found))?,
            listed: listed == 1,
            rendering: rendering_of(rendering),
        })
    }

    /// Appends the encoding that sorts by URL: the URL, a zero (less than any byte of a URL), the facts.
    pub(super) fn push_to(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(self.url.as_bytes());
        out.push(0);
        out.extend_from_slice(&self.facts());
    }

    /// Reads what [`Entry::push_to`] wrote.
    pub(super) fn read(line: &'a [u8]) -> Option<Self> {
        let (rest, facts) = line.split_last_chunk::<FACTS>()?;
        let (_, url) = rest.split_last()?;
        Self::of(std::str::from_utf8(url).ok()?, *facts)
    }
}

/// 0 for none; otherwise one more than the index of the reason in [`RenderReason::ALL`] (plus the length of that list if the
/// page timed out), shifted left by one, with the lowest bit set if the page was rendered.
fn rendering_byte(rendering: Option<Rendering>) -> u8 {
    let number = rendering.and_then(|rendering| {
        let mut reasons = RenderReason::ALL.iter();
        let index = reasons.position(|reason| *reason == rendering.reason)?;
        let index = index + usize::from(rendering.timed_out) * RenderReason::ALL.len();
        let index = u8::try_from(index).ok()?;
        Some((index + 1) << 1 | u8::from(rendering.rendered))
    });
    number.unwrap_or(0)
}

fn rendering_of(byte: u8) -> Option<Rendering> {
    let index = usize::from(byte >> 1).checked_sub(1)?;
    let reasons = RenderReason::ALL.len();
    let timed_out = index >= reasons;
    let reason = *RenderReason::ALL.get(if timed_out { index - reasons } else { index })?;
    Some(Rendering {
        rendered: byte & 1 == 1,
        timed_out,
        ..Rendering::because(reason)
    })
}
