//! Splits the body into lines, within the size limits.

use super::Robots;

/// Limit on the bytes read of one line, as in Google's parser: eight times the longest URL of old
/// browsers, less the terminator. The rest of a longer line is ignored.
const MAX_LINE: usize = 8 * 2083 - 1;

/// The lines of `body`, blank ones included. Any of CR, LF and CRLF ends a line: the blank line
/// that CRLF yields is ignored.
pub(super) fn lines(body: &[u8]) -> impl Iterator<Item = &[u8]> {
    readable(without_bom(body))
        .split(|byte| is_end(*byte))
        .map(|line| line.get(..MAX_LINE).unwrap_or(line))
}

/// The part within the size limit. Its last line is dropped when the limit cut it, since half a
/// rule has another meaning; unless it is so long that its end is ignored anyway.
fn readable(body: &[u8]) -> &[u8] {
    let Some((kept, rest)) = body.split_at_checked(Robots::MAX_BYTES) else {
        return body;
    };
    if rest.first().is_none_or(|byte| is_end(*byte)) {
        return kept;
    }
    let complete = kept
        .iter()
        .rposition(|byte| is_end(*byte))
        .map_or(0, |end| end + 1);
    if kept.len() - complete >= MAX_LINE {
        kept
    } else {
        kept.get(..complete).unwrap_or(kept)
    }
}

/// Skips a whole or partial UTF-8 byte order mark, as Google's parser does.
fn without_bom(body: &[u8]) -> &[u8] {
    let bom = [0xEF, 0xBB, 0xBF];
    let length = body
        .iter()
        .zip(bom)
        .take_while(|(byte, expected)| **byte == *expected)
        .count();
    body.get(length..).unwrap_or(body)
}

fn is_end(byte: u8) -> bool {
    matches!(byte, b'\n' | b'\r')
}
