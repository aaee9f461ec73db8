//! Finds the end of the text of a raw-text element.
//!
//! Raw text, RCDATA and script have one thing in common: the only markup in them is their own end tag,
//! `</name` followed by white space, `/` or `>`. Script adds the old practice of hiding code in a comment:
//! after `<!--`, a `<script` opens a second level, and the next `</script>` closes only that.
//!
//! The functions return the position of the end tag's `<`, or the end of the page: an element that is never
//! closed extends to the end, as in a browser, and is searched once.

use memchr::{memchr_iter, memchr2_iter};

use crate::attributes::is_space;

/// The position of the end tag of element `name`, whose text starts at `from`.
pub(crate) fn raw_text_end(bytes: &[u8], from: usize, name: &[u8]) -> usize {
    memchr_iter(b'<', &bytes[from..])
        .map(|length| from + length)
        .find(|&at| is_end_tag(&bytes[at + 1..], name))
        .unwrap_or(bytes.len())
}

/// How deep inside comments and nested script tags the text of a script is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Level {
    Plain,
    Escaped,
    DoubleEscaped,
}

/// The position of the end tag of a script whose text starts at `from`.
pub(crate) fn script_end(bytes: &[u8], from: usize) -> usize {
    let mut level = Level::Plain;
    // Start of the dashes of the latest `<!--`: they may also close it, as in `<!-->`.
    let mut dashes = from;
    for at in memchr2_iter(b'<', b'>', &bytes[from..]).map(|length| from + length) {
        let rest = &bytes[at + 1..];
        if bytes[at] == b'>' {
            if level != Level::Plain && bytes[dashes..at].ends_with(b"--") {
                level = Level::Plain;
            }
            continue;
        }
        match level {
            Level::Plain if rest.starts_with(b"!--") => {
                level = Level::Escaped;
                dashes = at + 2;
            }
            Level::Escaped if starts_with_name(rest, b"script") => level = Level::DoubleEscaped,
            Level::Plain | Level::Escaped if is_end_tag(rest, b"script") => return at,
            Level::DoubleEscaped if is_end_tag(rest, b"script") => level = Level::Escaped,
            _ => {}
        }
    }
    bytes.len()
}

/// Whether `rest`, the text after a `<`, is the end tag of `name`.
pub(crate) fn is_end_tag(rest: &[u8], name: &[u8]) -> bool {
    rest.first() == Some(&b'/') && starts_with_name(&rest[1..], name)
}

/// Whether `rest` starts with `name` followed by a byte that ends a tag name.
fn starts_with_name(rest: &[u8], name: &[u8]) -> bool {
    rest.len() > name.len()
        && rest[..name.len()].eq_ignore_ascii_case(name)
        && (is_space(rest[name.len()]) || matches!(rest[name.len()], b'/' | b'>'))
}

#[cfg(test)]
mod tests {
    use super::{raw_text_end, script_end};

    #[test]
    fn raw_text_ends_at_its_own_end_tag_only() {
        let table = [
            ("a<b>c</i>", "</style>"),
            ("</styles></style", "</style >"),
            ("<!-- ", "</STYLE> -->"),
            ("< /style>", "</style/>"),
            ("x</style", ""),
            ("", "</style\n"),
            ("never", ""),
        ];
        for (text, rest) in table {
            let page = format!("{text}{rest}");
            assert_eq!(
                raw_text_end(page.as_bytes(), 0, b"style"),
                text.len(),
                "{page:?}"
            );
        }
    }

    #[test]
    fn script_follows_its_escape_levels() {
        let table = [
            ("var a = '<b>';", "</script>"),
            ("<script>", "</script>"),
            ("<!-- ", "</script> -->"),
            ("<!-- <script> </script> ", "</script>"),
            ("<!-- <script> </script> --> ", "</script>"),
            ("<!-- <script> --> ", "</script>"),
            ("<!-- <script> -- </script> ", "</script>"),
            ("<!-- <scripty> ", "</script>"),
            ("<!-- <SCRIPT/ </sCript/ ", "</script>"),
            ("<!--> <script> ", "</script>"),
            ("<!---> <script> ", "</script>"),
            ("<!-- <script></script><script> --> ", "</script>"),
            ("<!- <script> ", "</script>"),
            ("<!--<script>-- ></script> ", "</script>"),
            ("<!--<script></scripts></script>", "</script>"),
            ("<!--<script></script", ""),
            ("<!--<script></script>", ""),
        ];
        for (text, rest) in table {
            let page = format!("{text}{rest}");
            assert_eq!(script_end(page.as_bytes(), 0), text.len(), "{page:?}");
        }
    }
}
