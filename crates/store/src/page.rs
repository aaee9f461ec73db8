//! Lists in pages, by key and never by offset: a page costs the same wherever it lies.

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
}
