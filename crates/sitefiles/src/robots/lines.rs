//! The body as lines: where it starts, where it ends, and how long a line may be.

use super::Robots;

/// Bytes of one line that are read, as at Google: eight times the longest URL of old browsers,
/// less the terminator. What a line has beyond it is ignored.
const MAX_LINE: usize = 8 * 2083 - 1;

/// The lines of `body`, blank ones included. Any of CR, LF and CRLF ends a line: the blank line
/// that CRLF yields means nothing here.
pub(super) fn lines(body: &[u8]) -> impl Iterator<Item = &[u8]> {
    readable(without_mark(body))
        .split(|byte| is_end(*byte))
        .map(|line| line.get(..MAX_LINE).unwrap_or(line))
}

/// The part within the size limit. Its last line is dropped when the limit cut it, since half a
/// rule says something else than the rule; unless it is so long that its end is ignored anyway.
fn readable(body: &[u8]) -> &[u8] {
    let Some((kept, rest)) = body.split_at_checked(Robots::MAX_BYTES) else {
        return body;
    };
    if rest.first().is_none_or(|byte| is_end(*byte)) {
        return kept;
    }
    let whole = kept
        .iter()
        .rposition(|byte| is_end(*byte))
        .map_or(0, |end| end + 1);
    if kept.len() - whole >= MAX_LINE {
        kept
    } else {
        kept.get(..whole).unwrap_or(kept)
    }
}

/// Skips a UTF-8 byte order mark, or as much of one as there is, as Google does.
fn without_mark(body: &[u8]) -> &[u8] {
    let mark = [0xEF, 0xBB, 0xBF];
    let length = body
        .iter()
        .zip(mark)
        .take_while(|(byte, expected)| **byte == *expected)
        .count();
    body.get(length..).unwrap_or(body)
}

fn is_end(byte: u8) -> bool {
    matches!(byte, b'\n' | b'\r')
}
