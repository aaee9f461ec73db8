//! The end of everything that starts with `<!`, `<?` or `</` and is not a tag: comments, bogus comments,
//! doctypes, CDATA.
//!
//! Each function returns where the construct ends and looks at every byte at most once. A construct that is
//! never closed ends with the page, so an open `<!--` is searched once and not again at every later `<`.

use memchr::{memchr, memchr_iter, memmem};

/// The end of the construct opened by `<!` at `open`. CDATA exists only in SVG and MathML; in HTML it is a
/// bogus comment. A doctype ends at the first `>`, even inside quotes.
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

/// The end of a bogus comment or doctype: after the next `>`.
pub(crate) fn bogus_end(bytes: &[u8], from: usize) -> usize {
    memchr(b'>', &bytes[from..]).map_or(bytes.len(), |length| from + length + 1)
}

/// The end of the comment whose text starts at `from`: `-->` or `--!>`, or immediately with `>` or `->`. The
/// dashes of `<!--` itself do not count toward the first two.
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
        // The construct up to and including its end, and the text after it.
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
