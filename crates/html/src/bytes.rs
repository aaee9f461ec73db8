//! Byte search tuned for the short distances between tags.
//!
//! Starting a vector search costs more than scanning the few bytes between two tags or inside a value, and a
//! page has thousands of both. The first bytes are searched eight at a time, and the rest with `memchr`.

use memchr::{memchr, memchr3};

const WORD: usize = size_of::<u64>();
/// How far to search word by word for one byte: most gaps between tags are shorter.
const MAX_WORD_SEARCH: usize = 4 * WORD;
/// The same for three bytes: their vector search costs more to start, and nearly all values are shorter.
const MAX_WORD_SEARCH_ANY: usize = 16 * WORD;
const ONES: u64 = u64::from_le_bytes([0x01; WORD]);
const HIGHS: u64 = u64::from_le_bytes([0x80; WORD]);

/// The position of the first `needle` in `bytes`.
#[inline]
pub(crate) fn find(needle: u8, bytes: &[u8]) -> Option<usize> {
    match search_words([needle], bytes, MAX_WORD_SEARCH) {
        WordSearch::Done(found) => found,
        WordSearch::NotBefore(at) => memchr(needle, &bytes[at..]).map(|length| at + length),
    }
}

/// The position of the first of the `needles` in `bytes`.
#[inline]
pub(crate) fn find_any(needles: [u8; 3], bytes: &[u8]) -> Option<usize> {
    match search_words(needles, bytes, MAX_WORD_SEARCH_ANY) {
        WordSearch::Done(found) => found,
        WordSearch::NotBefore(at) => {
            let [one, two, three] = needles;
            memchr3(one, two, three, &bytes[at..]).map(|length| at + length)
        }
    }
}

/// Result of the word-by-word search.
enum WordSearch {
    /// The search is complete: the position, or `None` if there is no match.
    Done(Option<usize>),
    /// There is no match before this position; the rest has not been searched.
    NotBefore(usize),
}

#[inline]
fn search_words<const N: usize>(needles: [u8; N], bytes: &[u8], limit: usize) -> WordSearch {
    let mut at = 0;
    while at < limit
        && let Some(word) = bytes[at..].first_chunk::<WORD>()
    {
        let word = u64::from_le_bytes(*word);
        let mut found = 0;
        for needle in needles {
            // A matching byte becomes zero; the subtraction then sets the high bit of the lowest zero byte.
            let differs = word ^ u64::from_le_bytes([needle; WORD]);
            found |= differs.wrapping_sub(ONES) & !differs & HIGHS;
        }
        if found != 0 {
            return WordSearch::Done(Some(at + found.trailing_zeros() as usize / 8));
        }
        at += WORD;
    }
    if at == limit {
        return WordSearch::NotBefore(at);
    }
    let last = bytes[at..].iter().position(|byte| needles.contains(byte));
    WordSearch::Done(last.map(|length| at + length))
}

/// Roles of a byte inside a tag, as bits.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct ByteClass(u8);

impl ByteClass {
    /// White space. Includes the carriage return, which the standard turns into a line feed before tokenizing.
    pub(crate) const SPACE: Self = Self(1);
    /// Ends the name of a tag.
    pub(crate) const TAG_END: Self = Self(2);
    /// Ends the name of an attribute.
    pub(crate) const NAME_END: Self = Self(4);
    /// Ends an unquoted value.
    pub(crate) const VALUE_END: Self = Self(8);

    #[inline]
    pub(crate) fn has(self, byte: u8) -> bool {
        CLASSES[usize::from(byte)] & self.0 != 0
    }

    /// The position of the first byte of this class at or after `at`, or the length if there is none.
    #[inline]
    pub(crate) fn find(self, bytes: &[u8], mut at: usize) -> usize {
        while at < bytes.len() && !self.has(bytes[at]) {
            at += 1;
        }
        at
    }
}

const CLASSES: [u8; 256] = {
    let mut classes = [0; 256];
    let spaces = [b' ', b'\n', b'\t', b'\r', 0x0C];
    let mut at = 0;
    while at < spaces.len() {
        classes[spaces[at] as usize] = ByteClass::SPACE.0
            | ByteClass::TAG_END.0
            | ByteClass::NAME_END.0
            | ByteClass::VALUE_END.0;
        at += 1;
    }
    classes[b'>' as usize] = ByteClass::TAG_END.0 | ByteClass::NAME_END.0 | ByteClass::VALUE_END.0;
    classes[b'/' as usize] = ByteClass::TAG_END.0 | ByteClass::NAME_END.0;
    classes[b'=' as usize] = ByteClass::NAME_END.0;
    classes
};

#[cfg(test)]
mod tests {
    use super::*;

    /// At every distance, among bytes that differ from the needle by one bit or by the value one.
    #[test]
    fn the_first_match_is_found_at_any_distance() {
        for needle in [b'<', b'"', 0, 1, 0x7F, 0x80, 0xFF] {
            for other in [
                needle ^ 1,
                needle ^ 0x80,
                needle.wrapping_add(1),
                needle.wrapping_sub(1),
            ] {
                for length in 0..150 {
                    let mut bytes = vec![other; length];
                    assert_eq!(find(needle, &bytes), None, "{needle} in {length} × {other}");
                    for at in (0..length).rev() {
                        bytes[at] = needle;
                        assert_eq!(
                            find(needle, &bytes),
                            Some(at),
                            "{needle} at {at} of {length}"
                        );
                        // The needle in each of the three positions; the other two needles come after it and
                        // must not win.
                        for rotation in 0..3 {
                            let mut needles = [needle, needle ^ 0x10, needle ^ 0x20];
                            needles.rotate_right(rotation);
                            let mut bytes = bytes.clone();
                            for (next, other) in bytes[at + 1..].iter_mut().zip([0x10, 0x20]) {
                                *next = needle ^ other;
                            }
                            assert_eq!(find_any(needles, &bytes), Some(at), "{needles:?} at {at}");
                            bytes[at] = other;
                            let second = (at + 1 < length).then_some(at + 1);
                            assert_eq!(find_any(needles, &bytes), second, "{needles:?} at {at}");
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn byte_classes() {
        for byte in 0..=u8::MAX {
            let space = matches!(byte, b' ' | b'\n' | b'\t' | b'\r' | 0x0C);
            assert_eq!(ByteClass::SPACE.has(byte), space, "{byte}");
            assert_eq!(
                ByteClass::TAG_END.has(byte),
                space || matches!(byte, b'>' | b'/'),
                "{byte}"
            );
            assert_eq!(
                ByteClass::NAME_END.has(byte),
                space || matches!(byte, b'>' | b'/' | b'='),
                "{byte}"
            );
            assert_eq!(
                ByteClass::VALUE_END.has(byte),
                space || byte == b'>',
                "{byte}"
            );
        }
        assert_eq!(ByteClass::TAG_END.find(b"<li>", 1), 3);
        assert_eq!(ByteClass::VALUE_END.find(b"a/b", 0), 3);
        assert_eq!(ByteClass::VALUE_END.find(b"a", 1), 1);
    }
}
