//! Finding bytes in a page, for distances as short as those between tags.
//!
//! A vector search costs more to start than the few bytes cost that stand between two tags or in a value, and a page has
//! thousands of both. Words of eight bytes are looked at first; what is farther away is the vector's.

use memchr::{memchr, memchr3};

const WORD: usize = size_of::<u64>();
/// How far words are looked at for one byte: most gaps between tags are shorter.
const NEAR: usize = 4 * WORD;
/// For three: the vector search for them costs more to start, and nearly all values are shorter.
const NEAR_ANY: usize = 16 * WORD;
const ONES: u64 = u64::from_le_bytes([0x01; WORD]);
const HIGHS: u64 = u64::from_le_bytes([0x80; WORD]);

/// Where `needle` first stands in `bytes`.
#[inline]
pub(crate) fn find(needle: u8, bytes: &[u8]) -> Option<usize> {
    match near([needle], bytes, NEAR) {
        Near::Told(found) => found,
        Near::Behind(at) => memchr(needle, &bytes[at..]).map(|length| at + length),
    }
}

/// Where the first of `needles` stands in `bytes`.
#[inline]
pub(crate) fn find_any(needles: [u8; 3], bytes: &[u8]) -> Option<usize> {
    match near(needles, bytes, NEAR_ANY) {
        Near::Told(found) => found,
        Near::Behind(at) => {
            let [one, two, three] = needles;
            memchr3(one, two, three, &bytes[at..]).map(|length| at + length)
        }
    }
}

/// What the first words say.
enum Near {
    /// Where it is, or that it is nowhere.
    Told(Option<usize>),
    /// It is not before this place.
    Behind(usize),
}

#[inline]
fn near<const N: usize>(needles: [u8; N], bytes: &[u8], most: usize) -> Near {
    let mut at = 0;
    while at < most
        && let Some(word) = bytes[at..].first_chunk::<WORD>()
    {
        let word = u64::from_le_bytes(*word);
        let mut found = 0;
        for needle in needles {
            // A byte that is the needle is zero now, and the lowest zero byte is the lowest with its high bit set then.
            let differs = word ^ u64::from_le_bytes([needle; WORD]);
            found |= differs.wrapping_sub(ONES) & !differs & HIGHS;
        }
        if found != 0 {
            return Near::Told(Some(at + found.trailing_zeros() as usize / 8));
        }
        at += WORD;
    }
    if at == most {
        return Near::Behind(at);
    }
    let last = bytes[at..].iter().position(|byte| needles.contains(byte));
    Near::Told(last.map(|length| at + length))
}

/// What a byte does in a tag, as bits.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Class(u8);

impl Class {
    /// White space. A carriage return counts: the standard turns it into a line feed before the tokeniser sees it.
    pub(crate) const SPACE: Self = Self(1);
    /// Ends the name of a tag.
    pub(crate) const TAG_END: Self = Self(2);
    /// Ends the name of an attribute.
    pub(crate) const NAME_END: Self = Self(4);
    /// Ends a value without quotes.
    pub(crate) const VALUE_END: Self = Self(8);

    #[inline]
    pub(crate) fn has(self, byte: u8) -> bool {
        CLASSES[usize::from(byte)] & self.0 != 0
    }

    /// Where the first byte of this class stands from `at` on; the end, if there is none.
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
        classes[spaces[at] as usize] =
            Class::SPACE.0 | Class::TAG_END.0 | Class::NAME_END.0 | Class::VALUE_END.0;
        at += 1;
    }
    classes[b'>' as usize] = Class::TAG_END.0 | Class::NAME_END.0 | Class::VALUE_END.0;
    classes[b'/' as usize] = Class::TAG_END.0 | Class::NAME_END.0;
    classes[b'=' as usize] = Class::NAME_END.0;
    classes
};

#[cfg(test)]
mod tests {
    use super::*;

    /// At every distance, among bytes that differ from the needle in one bit or by one.
    #[test]
    fn the_first_is_found_at_any_distance() {
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
                        // In each of the three places; two that are behind it do not come first.
                        for turn in 0..3 {
                            let mut needles = [needle, needle ^ 0x10, needle ^ 0x20];
                            needles.rotate_right(turn);
                            let mut bytes = bytes.clone();
                            for (next, other) in bytes[at + 1..].iter_mut().zip([0x10, 0x20]) {
                                *next = needle ^ other;
                            }
                            assert_eq!(find_any(needles, &bytes), Some(at), "{needles:?} at {at}");
                            bytes[at] = other;
                            let behind = (at + 1 < length).then_some(at + 1);
                            assert_eq!(find_any(needles, &bytes), behind, "{needles:?} at {at}");
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn what_ends_what() {
        for byte in 0..=u8::MAX {
            let space = matches!(byte, b' ' | b'\n' | b'\t' | b'\r' | 0x0C);
            assert_eq!(Class::SPACE.has(byte), space, "{byte}");
            assert_eq!(
                Class::TAG_END.has(byte),
                space || matches!(byte, b'>' | b'/'),
                "{byte}"
            );
            assert_eq!(
                Class::NAME_END.has(byte),
                space || matches!(byte, b'>' | b'/' | b'='),
                "{byte}"
            );
            assert_eq!(Class::VALUE_END.has(byte), space || byte == b'>', "{byte}");
        }
        assert_eq!(Class::TAG_END.find(b"<li>", 1), 3);
        assert_eq!(Class::VALUE_END.find(b"a/b", 0), 3);
        assert_eq!(Class::VALUE_END.find(b"a", 1), 1);
    }
}
