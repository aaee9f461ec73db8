//! The charset that a page declares in its first bytes.
//!
//! This is the standard's prescan: it looks for `meta` before the encoding is known, so it reads bytes and has
//! a simpler notion of markup, in which scripts and titles hold tags like any other element. An XML page may
//! declare its encoding in the XML declaration instead. A declaration of UTF-16 cannot be true, because then
//! these bytes could not be read as ASCII, and means UTF-8.

use encoding_rs::{Encoding, UTF_8, UTF_16BE, UTF_16LE, WINDOWS_1252, X_USER_DEFINED};
use memchr::{memchr, memmem};

use crate::attributes::{Attributes, TagPart, is_space};

/// Number of bytes to search. The standard requires the first kilobyte and allows more.
const WINDOW: usize = 4096;

/// The encoding the page declares, if it declares a known one.
pub(crate) fn declared_encoding(body: &[u8]) -> Option<&'static Encoding> {
    let window = &body[..body.len().min(WINDOW)];
    if window.starts_with(b"<\0?\0x\0") {
        return Some(UTF_16LE);
    }
    if window.starts_with(b"\0<\0?\0x") {
        return Some(UTF_16BE);
    }
    meta_encoding(window).or_else(|| xml_encoding(window))
}

fn meta_encoding(window: &[u8]) -> Option<&'static Encoding> {
    let mut at = 0;
    loop {
        at += memchr(b'<', &window[at..])?;
        let rest = &window[at + 1..];
        at += 1;
        if rest.starts_with(b"!--") {
            // The dashes that open the comment may close it, as in `<!-->`.
            at += 1;
            at += memmem::find(&window[at..], b"-->")? + 3;
        } else if is_meta(rest) {
            let mut attributes = Attributes::new(window, at + 4);
            if let Some(encoding) = meta(&mut attributes)? {
                return Some(encoding);
            }
            at = attributes.position();
        } else if starts_tag(rest) {
            at += rest
                .iter()
                .position(|byte| *byte == b'>' || is_space(*byte))?;
            let mut attributes = Attributes::new(window, at);
            if !attributes.skip() {
                return None;
            }
            at = attributes.position();
        } else if matches!(rest.first(), Some(b'!' | b'/' | b'?')) {
            at += memchr(b'>', rest)? + 1;
        }
    }
}

fn is_meta(rest: &[u8]) -> bool {
    rest.len() > 4
        && rest[..4].eq_ignore_ascii_case(b"meta")
        && (is_space(rest[4]) || rest[4] == b'/')
}

fn starts_tag(rest: &[u8]) -> bool {
    let name = rest.strip_prefix(b"/").unwrap_or(rest);
    name.first().is_some_and(u8::is_ascii_alphabetic)
}

/// Reads the attributes of a `meta`: `None` if the window ends inside it, otherwise the encoding it declares,
/// if any.
#[expect(
    clippy::option_option,
    reason = "the end of the window ends the search, a missing charset does not"
)]
fn meta(attributes: &mut Attributes<'_>) -> Option<Option<&'static Encoding>> {
    let mut is_pragma = None;
    let mut content = None;
    let mut charset = None;
    loop {
        match attributes.next_part() {
            TagPart::Unclosed => return None,
            TagPart::Closed { .. } => break,
            TagPart::Attribute { name, value } => {
                if name.eq_ignore_ascii_case(b"http-equiv") {
                    is_pragma.get_or_insert(value.eq_ignore_ascii_case(b"content-type"));
                } else if name.eq_ignore_ascii_case(b"content") {
                    content.get_or_insert(value);
                } else if name.eq_ignore_ascii_case(b"charset") {
                    charset.get_or_insert(value);
                }
            }
        }
    }
    let label = match (charset, content) {
        (Some(charset), _) => Some(charset),
        (None, Some(content)) if is_pragma == Some(true) => content_charset(content),
        _ => None,
    };
    Some(label.and_then(encoding_for))
}

/// The charset in a `content` attribute: the first `charset` followed by `=`.
fn content_charset(content: &[u8]) -> Option<&[u8]> {
    let mut rest = content;
    loop {
        let at = rest
            .windows(7)
            .position(|name| name.eq_ignore_ascii_case(b"charset"))?;
        rest = rest[at + 7..].trim_ascii_start();
        if let Some(value) = rest.strip_prefix(b"=") {
            rest = value.trim_ascii_start();
            break;
        }
    }
    match rest.first()? {
        quote @ (b'"' | b'\'') => memchr(*quote, &rest[1..]).map(|end| &rest[1..=end]),
        _ => rest.split(|byte| *byte == b';' || is_space(*byte)).next(),
    }
}

/// The encoding of an XML declaration, which must be the very first bytes of the page.
fn xml_encoding(window: &[u8]) -> Option<&'static Encoding> {
    let declaration = window.strip_prefix(b"<?xml")?;
    let declaration = &declaration[..memchr(b'>', declaration)?];
    let at = memmem::find(declaration, b"encoding")? + b"encoding".len();
    let rest = declaration[at..]
        .trim_ascii_start()
        .strip_prefix(b"=")?
        .trim_ascii_start();
    let quote = rest.first().filter(|byte| matches!(byte, b'"' | b'\''))?;
    encoding_for(&rest[1..=memchr(*quote, &rest[1..])?])
}

/// The encoding of a label, corrected for a page whose markup can be read as ASCII.
fn encoding_for(label: &[u8]) -> Option<&'static Encoding> {
    let encoding = Encoding::for_label(label)?;
    if encoding == UTF_16LE || encoding == UTF_16BE {
        Some(UTF_8)
    } else if encoding == X_USER_DEFINED {
        Some(WINDOWS_1252)
    } else {
        Some(encoding)
    }
}

#[cfg(test)]
mod tests {
    use super::{WINDOW, declared_encoding};

    fn name(body: &str) -> &'static str {
        declared_encoding(body.as_bytes()).map_or("none", |encoding| encoding.name())
    }

    #[test]
    fn declarations() {
        let table = [
            ("<meta charset=koi8-r>", "KOI8-R"),
            ("<META/CharSet='KOI8-R'/>", "KOI8-R"),
            ("<meta charset=utf-16>", "UTF-8"),
            ("<meta charset=x-user-defined>", "windows-1252"),
            ("<meta charset=nonsense><meta charset=big5>", "Big5"),
            ("<meta charset=gbk charset=big5>", "GBK"),
            (
                "<meta content='text/html;charset=gbk' http-equiv=content-type>",
                "GBK",
            ),
            (
                "<meta content='text/html;charset=gbk' http-equiv=refresh>",
                "none",
            ),
            (
                "<meta http-equiv=content-type content='charset charset = \"gbk\"'>",
                "GBK",
            ),
            (
                "<meta http-equiv=content-type content='charset=gbk;x'>",
                "GBK",
            ),
            ("<metadata charset=gbk>", "none"),
            ("<!--><meta charset=gbk>", "GBK"),
            ("<!-- <meta charset=big5> --><meta charset=gbk>", "GBK"),
            ("<!x <meta charset=big5><meta charset=gbk>", "GBK"),
            (
                "<p title='<meta charset=big5>'></p ><meta charset=gbk>",
                "GBK",
            ),
            ("<script>'<meta charset=gbk>'</script>", "GBK"),
            ("<meta charset=gbk", "none"),
            ("<?xml version='1.0' encoding='gbk'?><html>", "GBK"),
            (
                "<?xml version='1.0' encoding=\"ISO-8859-2\" ?><meta charset=gbk>",
                "GBK",
            ),
            (" <?xml version='1.0' encoding='gbk'?>", "none"),
            ("<?xml version='1.0'?>", "none"),
            ("<\0?\0x\0", "UTF-16LE"),
            ("\0<\0?\0x", "UTF-16BE"),
            ("", "none"),
            ("<", "none"),
        ];
        for (body, expected) in table {
            assert_eq!(name(body), expected, "{body:?}");
        }
    }

    #[test]
    fn only_the_first_bytes_count() {
        let meta = "<meta charset=gbk>";
        let padding = " ".repeat(WINDOW - meta.len());
        assert_eq!(name(&format!("{padding}{meta}")), "GBK");
        assert_eq!(name(&format!("{padding} {meta}")), "none");
    }
}
