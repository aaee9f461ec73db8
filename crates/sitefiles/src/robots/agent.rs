//! User-agent matching: our product token, and whether a `User-agent` line applies to it.

/// The product token of a user agent string: the part before the first `/` or space.
pub fn robots_token(user_agent: &str) -> &str {
    user_agent.split(['/', ' ']).next().unwrap_or(user_agent)
}

/// Whether a `User-agent` value names `agent`.
///
/// A token is letters, `_` and `-`, so `FooBot/2.1` and `FooBot Images` both name `FooBot`.
/// Real crawlers also have digits in their names, against the standard; a value that equals such a
/// name in full matches too, since the site can have meant no other crawler.
pub(super) fn names(value: &[u8], agent: &str) -> bool {
    let ends_at = |stop: fn(&u8) -> bool| {
        let end = value.iter().position(stop).unwrap_or(value.len());
        value.get(..end).unwrap_or(value)
    };
    let token = ends_at(|byte| !(byte.is_ascii_alphabetic() || matches!(byte, b'_' | b'-')));
    let word = ends_at(|byte| byte.is_ascii_whitespace() || *byte == b'/');
    let is_agent = |name: &[u8]| name.eq_ignore_ascii_case(agent.as_bytes());
    !agent.is_empty() && (is_agent(token) || is_agent(word))
}

/// Whether a `User-agent` value applies to every crawler. `*` followed by other text does too, as in Google's parser.
pub(super) fn names_everyone(value: &[u8]) -> bool {
    matches!(value, [b'*']) || matches!(value, [b'*', next, ..] if next.is_ascii_whitespace())
}
