//! Parses one line into its field, its value and its text.

/// The field of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Field {
    UserAgent,
    Allow,
    Disallow,
    CrawlDelay,
    Sitemap,
}

/// Accepted prefixes of each field's name, in any case. Other text may follow (`Disallow-all`); the
/// misspellings are those that Google's parser accepts.
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

/// Reads one line; `None` for a blank line, a comment, an unknown field or anything unreadable.
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

/// Splits name and value at the colon. Without a colon, splits at white space, but only if that leaves
/// exactly two words: `disallow /x` is a rule, a sentence is not.
fn split(text: &[u8]) -> Option<(&[u8], &[u8])> {
    let is_blank = |byte: &u8| matches!(byte, b' ' | b'\t');
    let colon = memchr::memchr(b':', text);
    let at = colon.or_else(|| text.iter().position(is_blank))?;
    let (name, rest) = text.split_at_checked(at)?;
    let value = rest.get(1..)?;
    let trimmed = value.trim_ascii();
    (colon.is_some() || !trimmed.iter().any(is_blank)).then_some((name, value))
}

fn field(name: &[u8]) -> Option<Field> {
    let has_prefix = |prefix: &&str| {
        name.get(..prefix.len())
            .is_some_and(|start| start.eq_ignore_ascii_case(prefix.as_bytes()))
    };
    NAMES
        .iter()
        .find(|(_, names)| names.iter().any(has_prefix))
        .map(|(field, _)| *field)
}
