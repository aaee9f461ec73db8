//! One occurrence of a URL, in an encoding that sorts by key, best first.

use crawler_weburl::UrlKey;

use super::entry::{Entry, FACTS};

/// Rank of an occurrence; lower is better.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Rank {
    /// Reported as a page.
    Page,
    /// Linked from a page.
    Link,
    /// Known but not visited.
    Left,
}

/// One occurrence of a URL.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Record<'a> {
    pub(super) key: UrlKey,
    pub(super) rank: Rank,
    pub(super) entry: Entry<'a>,
}

impl<'a> Record<'a> {
    /// Appends key, rank, facts, URL: compared as bytes, the best record of a key is its first.
    pub(super) fn push_to(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.key.0.to_be_bytes());
        out.push(match self.rank {
            Rank::Page => 0,
            Rank::Link => 1,
            Rank::Left => 2,
        });
        out.extend_from_slice(&self.entry.facts());
        out.extend_from_slice(self.entry.url.as_bytes());
    }

    /// Reads what [`Record::push_to`] wrote.
    pub(super) fn read(line: &'a [u8]) -> Option<Self> {
        let (key, rest) = line.split_first_chunk::<8>()?;
        let (rank, rest) = rest.split_first()?;
        let (facts, url) = rest.split_first_chunk::<FACTS>()?;
        Some(Self {
            key: UrlKey(u64::from_be_bytes(*key)),
            rank: match rank {
                0 => Rank::Page,
                1 => Rank::Link,
                _ => Rank::Left,
            },
            entry: Entry::of(std::str::from_utf8(url).ok()?, *facts)?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crawler_model::{Discovery, RenderReason, Rendering};

    #[test]
    fn a_record_reads_back_as_written() {
        let mut renderings = vec![None];
        for reason in RenderReason::ALL {
            let rendered = Rendering::because(reason);
            let timed_out = Rendering {
                timed_out: true,
                ..rendered
            };
            renderings.extend([rendered, Rendering::not(reason), timed_out].map(Some));
        }
        for (at, rendering) in renderings.into_iter().enumerate() {
            let (status, depth) = if at % 2 == 0 {
                (None, None)
            } else {
                (Some(200), Some(3))
            };
            let entry = Entry {
                url: "http://a/é",
                status,
                depth,
                found: Discovery::Redirect,
                listed: true,
                rendering,
            };
            let record = Record {
                key: UrlKey(7),
                rank: Rank::Link,
                entry,
            };
            let mut line = Vec::new();
            record.push_to(&mut line);
            assert_eq!(Record::read(&line), Some(record));
            line.clear();
            entry.push_to(&mut line);
            assert_eq!(Entry::read(&line), Some(entry));
        }
    }
}
