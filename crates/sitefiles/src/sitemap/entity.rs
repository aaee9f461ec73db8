//! Character references: the five of XML and the numbered ones.
//!
//! Nothing else is ever looked up, so nothing can expand into more than one character. An unknown
//! name stays as it was written, because an address with a bare `&` in it is more common than one
//! with a declared entity.

/// Appends what `&name;` stands for.
pub(super) fn push(name: &str, text: &mut String) {
    match character(name) {
        Some(character) => text.push(character),
        None => text.extend(["&", name, ";"]),
    }
}

/// Appends `escaped` with its references undone.
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

/// The character that the text after a `&` begins with the name of, and what follows it. Looks a
/// name's length ahead and no further, or a row of `&` would be looked through once for each.
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
