//! Character references: the five of XML and the numbered ones.
//!
//! No other entity is expanded, so nothing expands to more than one character. An unknown name stays
//! as written, because a URL with a bare `&` is more common than one with a declared entity.

/// Appends the character of `&name;`.
pub(super) fn push(name: &str, text: &mut String) {
    match character(name) {
        Some(character) => text.push(character),
        None => text.extend(["&", name, ";"]),
    }
}

/// Appends `escaped` with its references decoded.
pub(super) fn push_unescaped(escaped: &str, text: &mut String) {
    let mut rest = escaped;
    while let Some((before, after)) = rest.split_once('&') {
        text.push_str(before);
        if let Some((character, next)) = reference(after) {
            text.push(character);
            rest = next;
        } else {
            text.push('&');
            rest = after;
        }
    }
    text.push_str(rest);
}

/// Decodes the reference after an `&` into its character and the rest. Searches no further than the
/// longest name, so that many `&` in a row take linear time.
fn reference(after: &str) -> Option<(char, &str)> {
    const MAX_NAME: usize = 12;
    let near = after.as_bytes().get(..MAX_NAME).unwrap_or(after.as_bytes());
    let end = memchr::memchr(b';', near)?;
    let (name, rest) = after.split_at_checked(end)?;
    Some((character(name)?, rest.strip_prefix(';')?))
}

fn character(name: &str) -> Option<char> {
    if let Some(number) = name.strip_prefix('#') {
        let code = match number.strip_prefix(['x', 'X']) {
            Some(digits) => u32::from_str_radix(digits, 16),
            None => number.parse(),
        };
        return char::from_u32(code.ok()?);
    }
    match name {
        "amp" => Some('&'),
        "lt" => Some('<'),
        "gt" => Some('>'),
        "quot" => Some('"'),
        "apos" => Some('\''),
        _ => None,
    }
}
