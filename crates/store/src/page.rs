//! Lists in pages, by key and never by offset: a page costs the same wherever it lies.

use futures_util::{Stream, TryStreamExt};

/// Where the next page begins. Opaque to those who pass it along.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Cursor(String);

impl Cursor {
    /// From the text a caller was given before; a text that is none of ours is refused by the verb that reads it.
    pub fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }

    /// The text to pass along.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// One page of a list.
#[derive(Clone, PartialEq, Debug)]
pub struct Page<T> {
    /// What it holds.
    pub entries: Vec<T>,
    /// Where the next one begins; `None` at the end.
    pub next: Option<Cursor>,
}

impl<T> Page<T> {
    /// A page of at most `limit` out of up to `limit + 1` entries: the extra one tells that there is more.
    pub fn cut(mut entries: Vec<T>, limit: u32, key: impl Fn(&T) -> String) -> Self {
        let limit = limit as usize;
        let more = entries.len() > limit;
        entries.truncate(limit);
        let next = entries
            .last()
            .filter(|_| more)
            .map(|entry| Cursor(key(entry)));
        Self { entries, next }
    }

    /// A page of at most `limit` entries, read one by one and cut short once they weigh more than `heavy` bytes: so
    /// a page of large entries is a short one. It has at least one entry if there is any.
    pub async fn gather<E>(
        rows: impl Stream<Item = Result<T, E>>,
        limit: u32,
        heavy: usize,
        weigh: impl Fn(&T) -> usize,
        key: impl Fn(&T) -> String,
    ) -> Result<Self, E> {
        let mut rows = std::pin::pin!(rows);
        let mut entries = Vec::new();
        let mut weight = 0;
        while let Some(entry) = rows.try_next().await? {
            if entries.len() >= limit as usize || weight > heavy {
                let next = entries.last().map(|last| Cursor(key(last)));
                return Ok(Self { entries, next });
            }
            weight += weigh(&entry);
            entries.push(entry);
        }
        Ok(Self {
            entries,
            next: None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_extra_entry_tells_that_there_is_more() {
        let page = Page::cut(vec![1, 2, 3], 2, ToString::to_string);
        assert_eq!(page.entries, [1, 2]);
        assert_eq!(page.next, Some(Cursor::new("2")));
        let page = Page::cut(vec![1, 2], 2, ToString::to_string);
        assert_eq!(page.next, None);
    }

    #[tokio::test]
    async fn a_heavy_page_is_short() {
        let read = async |weights: &[usize], limit| {
            let rows = futures_util::stream::iter(weights.iter().copied().map(Ok::<_, ()>));
            let page = Page::gather(rows, limit, 10, |weight| *weight, ToString::to_string);
            let page = page.await.unwrap();
            (page.entries, page.next)
        };
        let cursor = |text: &str| Some(Cursor::new(text));
        assert_eq!(read(&[1, 2, 3], 2).await, (vec![1, 2], cursor("2")));
        assert_eq!(read(&[1, 2], 2).await, (vec![1, 2], None));
        assert_eq!(read(&[6, 7, 8], 9).await, (vec![6, 7], cursor("7")));
        assert_eq!(read(&[99, 1], 9).await, (vec![99], cursor("99")));
        assert_eq!(read(&[99], 9).await, (vec![99], None));
        assert_eq!(read(&[], 9).await, (Vec::new(), None));
    }
}
