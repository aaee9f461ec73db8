//! Escapes text for Markdown.
//!
//! A character is escaped only where a CommonMark or GFM parser could take it for markup: `snake_case`, `2 *
//! 3`, `a < b` and `AT&T` stay as they are. `<` becomes `&lt;` rather than `\<`, because older parsers only
//! support the former, and this is the one escape that must never fail.

use super::flanking::{Neighbor, may_mark};

/// What escaping depends on: the surroundings of the text.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct EscapeRules {
    pub(crate) stars: bool,
    pub(crate) underscores: bool,
    pub(crate) ticks: bool,
    pub(crate) tildes: bool,
    pub(crate) in_link: bool,
    pub(crate) in_cell: bool,
    /// The text is followed by the `[` of a link.
    pub(crate) before_link: bool,
    /// The text is followed by a delimiter; otherwise by a space or nothing.
    pub(crate) before_mark: bool,
}

/// Characters that can be markup in text.
const SPECIAL: [bool; 256] = table(b"\\`*_~[]<&|!");
/// Characters that must be escaped in a link destination, always or sometimes.
const UNSAFE_IN_DESTINATION: [bool; 256] = table(b"()&\\<>`| ");

const fn table(bytes: &[u8]) -> [bool; 256] {
    let mut table = [false; 256];
    let mut at = 0;
    while at < bytes.len() {
        table[bytes[at] as usize] = true;
        at += 1;
    }
    table
}

/// Appends the text, escaped.
pub(crate) fn escape(out: &mut String, text: &str, rules: EscapeRules) {
    let bytes = text.as_bytes();
    let mut written = 0;
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        if !SPECIAL[usize::from(byte)] {
            at += 1;
            continue;
        }
        let rest = &bytes[at + 1..];
        let next = rest.first().copied();
        let replacement = match byte {
            b'\\' => needs_backslash(next).then_some("\\\\"),
            b'`' => rules.ticks.then_some("\\`"),
            b'*' | b'_' | b'~' => {
                let length = 1 + rest.iter().take_while(|&&other| other == byte).count();
                let run = at..at + length;
                if is_delimiter(out, text, run.clone(), written, byte, rules) {
                    out.push_str(&text[written..at]);
                    for _ in run.clone() {
                        out.push('\\');
                        out.push(char::from(byte));
                    }
                    written = run.end;
                }
                at = run.end;
                continue;
            }
            b'[' => (rules.in_link || next == Some(b'^')).then_some("\\["),
            b']' => (rules.in_link || next == Some(b'(')).then_some("\\]"),
            b'<' => next
                .is_some_and(|next| {
                    next.is_ascii_alphabetic() || b"/!?".contains(&next) || is_address(rest)
                })
                .then_some("&lt;"),
            b'&' => is_reference(rest).then_some("\\&"),
            b'|' => rules.in_cell.then_some("\\|"),
            _ => (next.is_none() && rules.before_link).then_some("\\!"),
        };
        if let Some(replacement) = replacement {
            out.push_str(&text[written..at]);
            out.push_str(replacement);
            written = at + 1;
        }
        at += 1;
    }
    out.push_str(&text[written..]);
}

/// Whether `rest`, the text after a `<`, could be parsed as an email autolink.
fn is_address(rest: &[u8]) -> bool {
    let name = rest
        .iter()
        .take_while(|byte| byte.is_ascii_alphanumeric() || b".!#$%&'*+/=?^_`{|}~-".contains(byte))
        .count();
    name > 0 && rest.get(name) == Some(&b'@')
}

/// Whether a run of `*`, `_` or `~` could be parsed as a delimiter.
fn is_delimiter(
    out: &str,
    text: &str,
    run: std::ops::Range<usize>,
    written: usize,
    byte: u8,
    rules: EscapeRules,
) -> bool {
    let matters = match byte {
        b'*' => rules.stars,
        b'_' => rules.underscores,
        _ => rules.tildes,
    };
    if !matters {
        return false;
    }
    let before = if run.start == written {
        out.chars().next_back()
    } else {
        text[..run.start].chars().next_back()
    };
    let after = match text[run.end..].chars().next() {
        None if rules.before_mark => Neighbor::Symbol,
        after => Neighbor::of(after),
    };
    may_mark(Neighbor::of(before), after, byte != b'_')
}

/// At the end of a line a backslash would be a hard break; before punctuation, an escape.
fn needs_backslash(next: Option<u8>) -> bool {
    next.is_none_or(|next| next.is_ascii_punctuation())
}

/// Whether `rest`, the text after a `&`, makes it a character reference.
fn is_reference(rest: &[u8]) -> bool {
    let (rest, longest) = match rest {
        [b'#', b'x' | b'X', rest @ ..] => (rest, 6),
        [b'#', rest @ ..] => (rest, 7),
        rest => (rest, 32),
    };
    let length = rest
        .iter()
        .take(longest + 1)
        .take_while(|byte| byte.is_ascii_alphanumeric())
        .count();
    length > 0 && rest.get(length) == Some(&b';')
}

/// The start of a line within its paragraph.
#[derive(Debug, Clone, Copy)]
pub(crate) struct LineStart<'t> {
    /// The text at the start of the line.
    pub(crate) text: &'t str,
    /// Whether nothing else is on the line.
    pub(crate) is_all: bool,
    /// Whether it is the first line of the paragraph.
    pub(crate) is_first: bool,
    /// Whether the paragraph contains a `]:` that could end a link reference definition.
    pub(crate) may_define: bool,
}

/// Escapes what would start a block at the start of a line. Appends it and returns how many bytes of the text
/// that was.
pub(crate) fn escape_line_start(out: &mut String, line: LineStart<'_>) -> usize {
    let text = line.text;
    let bytes = text.as_bytes();
    let Some(&first) = bytes.first() else {
        return 0;
    };
    let escaped = match first {
        b'>' => true,
        b'#' => {
            let level = bytes.iter().take_while(|&&byte| byte == b'#').count();
            level <= 6 && ends_word(bytes, level)
        }
        b'+' => ends_word(bytes, 1),
        b'-' => ends_word(bytes, 1) || consists_of(line, b"-:| "),
        b'*' => ends_word(bytes, 1) || consists_of(line, b"* "),
        b'_' => consists_of(line, b"_ "),
        b'=' => !line.is_first && consists_of(line, b"= "),
        b':' | b'|' => !line.is_first && consists_of(line, b"-:| "),
        b'~' => bytes.starts_with(b"~~~"),
        b'`' => bytes.starts_with(b"```"),
        b'[' => line.is_first && (line.may_define || is_bracketed_sign(bytes)),
        b'0'..=b'9' => return escape_number(out, text),
        _ => false,
    };
    if escaped {
        out.push('\\');
        out.push(char::from(first));
        return 1;
    }
    0
}

/// Whether the text starts with `[ ]`, `[x]` or `[!`: tasks and alerts.
fn is_bracketed_sign(bytes: &[u8]) -> bool {
    matches!(bytes, [b'[', b'!', ..] | [b'[', _, b']', ..])
}

fn ends_word(bytes: &[u8], at: usize) -> bool {
    matches!(bytes.get(at), None | Some(b' '))
}

fn consists_of(line: LineStart<'_>, allowed: &[u8]) -> bool {
    line.is_all && line.text.bytes().all(|byte| allowed.contains(&byte))
}

fn escape_number(out: &mut String, text: &str) -> usize {
    let bytes = text.as_bytes();
    let digits = bytes
        .iter()
        .take(10)
        .take_while(|byte| byte.is_ascii_digit())
        .count();
    let is_marker = digits <= 9
        && matches!(bytes.get(digits), Some(b'.' | b')'))
        && ends_word(bytes, digits + 1);
    if !is_marker {
        return 0;
    }
    out.push_str(&text[..digits]);
    out.push('\\');
    out.push_str(&text[digits..=digits]);
    digits + 1
}

/// Appends an address as a link destination.
pub(crate) fn destination(out: &mut String, target: &str) {
    if !target
        .bytes()
        .any(|byte| UNSAFE_IN_DESTINATION[usize::from(byte)])
    {
        out.push_str(target);
        return;
    }
    let balanced = has_balanced_brackets(target);
    for (at, character) in target.char_indices() {
        match character {
            '(' | ')' if !balanced => {
                out.push('\\');
                out.push(character);
            }
            // Not a backslash: parsers disagree on which of the two is processed first.
            '&' if is_reference(&target.as_bytes()[at + 1..]) => out.push_str("&amp;"),
            '\\' => out.push_str("%5C"),
            '<' => out.push_str("%3C"),
            '>' => out.push_str("%3E"),
            '`' => out.push_str("%60"),
            '|' => out.push_str("%7C"),
            ' ' => out.push_str("%20"),
            character => out.push(character),
        }
    }
}

/// Writes the title of a link, to stand between double quotes. Characters that bind more tightly than a link (code,
/// tags, table cells) are written as references.
pub(crate) fn link_title(out: &mut String, title: &str) {
    for (at, character) in title.char_indices() {
        match character {
            '&' if is_reference(&title.as_bytes()[at + 1..]) => out.push_str("&amp;"),
            '"' => out.push_str("&quot;"),
            '<' => out.push_str("&lt;"),
            '`' => out.push_str("&#96;"),
            '|' => out.push_str("&#124;"),
            '\\' => out.push_str("&#92;"),
            character => out.push(character),
        }
    }
}

/// Whether parentheses are balanced and nested no deeper than every parser supports.
fn has_balanced_brackets(target: &str) -> bool {
    let mut depth = 0_u32;
    for byte in target.bytes() {
        match byte {
            b'(' if depth < 8 => depth += 1,
            b')' if depth > 0 => depth -= 1,
            b'(' | b')' => return false,
            _ => {}
        }
    }
    depth == 0
}
