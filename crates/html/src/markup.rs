//! Everything that starts with `<!`, `<?` or `</` and is no tag: comments, bogus comments,
//! doctypes, CDATA.
//!
//! Each function answers where the construct ends, looking at every byte at most once. What never
//! closes ends with the page, so an open `<!--` is paid for once and not at every `<` behind it.

use memchr::{memchr, memchr_iter, memmem};

/// Where the construct opened by `<!` at `open` ends. CDATA counts only in svg and math; in HTML
/// it is a bogus comment. A doctype ends at the first `>` even inside quotes.
pub(crate) fn declaration_end(bytes: &[u8], open: usize, in_foreign: bool) -> usize {
    let inside = open + 2;
    let rest = &bytes[inside..];
    if rest.starts_with(b"--") {
        comment_end(bytes, inside + 2)
    } else if in_foreign && rest.starts_with(b"[CDATA[") {
        let text = inside + 7;
        memmem::find(&bytes[text..], b"]]>").map_or(bytes.len(), |length| text + length + 3)
    } else {
        bogus_end(bytes, inside)
    }
}

/// Where a bogus comment or doctype ends: behind the next `>`.
pub(crate) fn bogus_end(bytes: &[u8], from: usize) -> usize {
    memchr(b'>', &bytes[from..]).map_or(bytes.len(), |length| from + length + 1)
}

/// Where the comment whose text starts at `from` ends: `-->`, `--!>`, or at once with `>`
/// or `->`. The dashes of `<!--` itself do not count for the first two.
fn comment_end(bytes: &[u8], from: usize) -> usize {
    let text = &bytes[from..];
    if text.starts_with(b">") {
        return from + 1;
    }
    if text.starts_with(b"->") {
        return from + 2;
    }
    memchr_iter(b'>', text)
        .find(|&at| text[..at].ends_with(b"--") || text[..at].ends_with(b"--!"))
        .map_or(bytes.len(), |at| from + at + 1)
}

#[cfg(test)]
mod tests {
    use super::declaration_end;

    #[test]
    fn where_each_construct_ends() {
        // the part up to and including its end, then what is left
        let table = [
            ("<!-->", "x"),
            ("<!--->", "x"),
            ("<!---->", "x"),
            ("<!----!>", "x"),
            ("<!-- a -- b - > -->", "x"),
            ("<!--a--!>", "x"),
            ("<!--!>-->", "x"),
            ("<!---!>-->", "x"),
            ("<!--a--!->--!-->", "x"),
            ("<!--a--->", "x"),
            ("<!--<!-->", "-->"),
            ("<!--<!->-->", "x"),
            ("<!--a<!--b-->", "-->"),
            ("<!--a", ""),
            ("<!--a--", ""),
            ("<!--", ""),
            ("<!---", ""),
            ("<!doctype html PUBLIC \"a>", "\">"),
            ("<!x>", "x"),
            ("<!>", "x"),
            ("<!", ""),
            ("<!-x>", "x"),
            ("<![CDATA[a>", "b]]>"),
            ("<!x", ""),
        ];
        for (construct, rest) in table {
            let page = format!("{construct}{rest}");
            assert_eq!(
                declaration_end(page.as_bytes(), 0, false),
                construct.len(),
                "{page:?}"
            );
        }
    }

    #[test]
    fn cdata_counts_only_in_foreign_content() {
        let table = [
            ("<![CDATA[a>b]]>", "x"),
            ("<![CDATA[]]]]>", "x"),
            ("<![CDATA[a]]", ""),
            ("<![cdata[a>", "b]]>"),
        ];
        for (construct, rest) in table {
            let page = format!("{construct}{rest}");
            assert_eq!(
                declaration_end(page.as_bytes(), 0, true),
                construct.len(),
                "{page:?}"
            );
        }
    }
}
