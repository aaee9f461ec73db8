//! Lists in pages, by key and never by offset: the cost of a page does not depend on its position.

use futures_util::{Stream, TryStreamExt};

/// The position of the next page. Opaque to clients.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Cursor(String);

impl Cursor {
    /// Wraps text from a client. The call that uses it rejects text that is not a cursor.
    pub fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }

    /// The text for the client.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// One page of a list.
#[derive(Clone, PartialEq, Debug)]
pub struct ListPage<T> {
    /// Its entries.
    pub entries: Vec<T>,
    /// The next page; `None` at the end.
    pub next: Option<Cursor>,
}

impl<T> ListPage<T> {
    /// A page of at most `limit` out of up to `limit + 1` entries; the extra one shows that there are more.
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

    /// A page of at most `limit` entries, read one by one and cut short once their sizes exceed `max_size`. It has at
    /// least one entry if there is any.
    pub async fn gather<E>(
        rows: impl Stream<Item = Result<T, E>>,
        limit: u32,
        max_size: usize,
        size: impl Fn(&T) -> usize,
        key: impl Fn(&T) -> String,
    ) -> Result<Self, E> {
        let mut rows = std::pin::pin!(rows);
        let mut entries = Vec::new();
        let mut total = 0;
        while let Some(entry) = rows.try_next().await? {
            if entries.len() >= limit as usize || total > max_size {
                let next = entries.last().map(|last| Cursor(key(last)));
                return Ok(Self { entries, next });
            }
            total += size(&entry);
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
    fn the_extra_entry_shows_that_there_are_more() {
        let page = ListPage::cut(vec![1, 2, 3], 2, ToString::to_string);
        assert_eq!(page.entries, [1, 2]);
        assert_eq!(page.next, Some(Cursor::new("2")));
        let page = ListPage::cut(vec![1, 2], 2, ToString::to_string);
        assert_eq!(page.next, None);
    }

    #[tokio::test]
    async fn a_page_of_large_entries_is_short() {
        let read = async |sizes: &[usize], limit| {
            let rows = futures_util::stream::iter(sizes.iter().copied().map(Ok::<_, ()>));
            let page = ListPage::gather(rows, limit, 10, |size| *size, ToString::to_string);
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
