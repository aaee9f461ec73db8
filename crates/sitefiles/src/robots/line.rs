//! One line, taken apart: its field, its value, and how it was written.

/// What a line is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Field {
    UserAgent,
    Allow,
    Disallow,
    CrawlDelay,
    Sitemap,
}

/// How each field may begin, any case. A name may go on after it (`Disallow-all`), and the
/// misspellings are those that Google found often enough to accept.
const NAMES: [(Field, &[&str]); 5] = [
    (Field::UserAgent, &["user-agent", "useragent", "user agent"]),
    (Field::Allow, &["allow"]),
    (
        Field::Disallow,
        &[
            "disallow",
            "dissallow",
            "dissalow",
            "disalow",
            "diasllow",
            "disallaw",
        ],
    ),
    (
        Field::CrawlDelay,
        &["crawl-delay", "crawldelay", "crawl delay"],
    ),
    (Field::Sitemap, &["sitemap", "site-map"]),
];

/// A line of a known field. `value` and `text` are trimmed and without the comment.
#[derive(Clone, Copy, Debug)]
pub(super) struct Line<'a> {
    pub(super) field: Field,
    pub(super) value: &'a [u8],
    pub(super) text: &'a [u8],
}

/// Reads one line; nothing for a blank, a comment, an unknown field or anything unreadable.
pub(super) fn read(line: &[u8]) -> Option<Line<'_>> {
    let text = line.split(|byte| *byte == b'#').next()?.trim_ascii();
    let (name, value) = split(text)?;
    let field = field(name.trim_ascii())?;
    Some(Line {
        field,
        value: value.trim_ascii(),
        text,
    })
}

/// Name and value round the colon. Without a colon white space will do, but only if it leaves
/// exactly two words: `disallow /x` is a rule, a sentence is not.
fn split(text: &[u8]) -> Option<(&[u8], &[u8])> {
    let is_blank = |byte: &u8| matches!(byte, b' ' | b'\t');
    let colon = memchr::memchr(b':', text);
    let at = colon.or_else(|| text.iter().position(is_blank))?;
    let (name, rest) = text.split_at_checked(at)?;
    let value = rest.get(1..)?;
    let message = value.trim_ascii();
    (colon.is_some() || !message.iter().any(is_blank)).then_some((name, value))
}

fn field(name: &[u8]) -> Option<Field> {
    let begins = |with: &&str| {
        name.get(..with.len())
            .is_some_and(|start| start.eq_ignore_ascii_case(with.as_bytes()))
    };
    NAMES
        .iter()
        .find(|(_, names)| names.iter().any(begins))
        .map(|(field, _)| *field)
}
