//! Words that speak for or against: of classes, of short texts, of the headings above a text.
//!
//! The weights are learned with the model and travel in its file. Words are known by their hashes
//! only; which of the three a word was used as is part of the hash.

use super::concept::word_hash;

/// What a word was used as.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Use {
    Class,
    Text,
    Heading,
}

/// A word's key: its hash, told apart by its use. Never zero.
pub(crate) fn key(hash: u32, used: Use) -> u32 {
    let salt = match used {
        Use::Class => 0x51ed_270b,
        Use::Text => 0xb492_b66f,
        Use::Heading => 0x9ae1_6a3b,
    };
    ((hash ^ salt).wrapping_mul(0x9e37_79b1) ^ hash >> 15).max(1)
}

/// The key of two words in a row.
pub(crate) fn pair(first: u32, second: u32) -> u32 {
    first.rotate_left(11).wrapping_mul(0x85eb_ca6b) ^ second
}

/// Learned weights by key.
#[derive(Debug, Clone, Default)]
pub struct Vocabulary {
    /// Open addressing; the length is a power of two, or zero for no words at all.
    places: Vec<(u32, i8)>,
}

impl Vocabulary {
    /// The vocabulary of these keys and weights.
    pub fn new(words: &[(u32, i8)]) -> Self {
        if words.is_empty() {
            return Self::default();
        }
        let size = (words.len() * 2).next_power_of_two();
        let mut places = vec![(0, 0); size];
        for (key, weight) in words {
            let mut place = *key as usize & (size - 1);
            while places[place].0 != 0 && places[place].0 != *key {
                place = (place + 1) & (size - 1);
            }
            places[place] = (*key, *weight);
        }
        Self { places }
    }

    /// The weight of a key, 0 if unknown.
    #[inline]
    pub(crate) fn weight(&self, key: u32) -> i8 {
        if self.places.is_empty() {
            return 0;
        }
        let mask = self.places.len() - 1;
        let mut place = key as usize & mask;
        loop {
            let (found, weight) = self.places[place];
            if found == key {
                return weight;
            }
            if found == 0 {
                return 0;
            }
            place = (place + 1) & mask;
        }
    }
}

/// What a group of words says together.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Voice {
    pub low: i16,
    pub high: i16,
    pub sum: i16,
    pub known: i16,
}

impl Voice {
    /// Adds a word's weight.
    #[inline]
    pub(crate) fn hear(&mut self, weight: i8) {
        if weight != 0 {
            let weight = i16::from(weight);
            self.low = self.low.min(weight);
            self.high = self.high.max(weight);
            self.sum = self.sum.saturating_add(weight);
            self.known = self.known.saturating_add(1);
        }
    }

    /// Both voices together.
    pub(crate) fn with(self, other: Self) -> Self {
        Self {
            low: self.low.min(other.low),
            high: self.high.max(other.high),
            sum: self.sum.saturating_add(other.sum),
            known: self.known.saturating_add(other.known),
        }
    }

    /// The mean weight of the known words.
    pub(crate) fn mean(self) -> i16 {
        if self.known == 0 {
            0
        } else {
            self.sum / self.known
        }
    }
}

/// Hands `each` the keys of a short text: its words and its pairs of words.
pub(crate) fn each_key(words: &[u32], used: Use, mut each: impl FnMut(u32)) {
    for word in words {
        each(key(*word, used));
    }
    for two in words.windows(2) {
        each(key(pair(two[0], two[1]), used));
    }
    if words.len() == 1 {
        // A word that stands alone is another thing than one in a sentence.
        each(key(pair(words[0], word_hash(b"")), used));
    }
}

#[cfg(test)]
mod tests {
    use super::{Use, Vocabulary, Voice, key};

    #[test]
    fn words_are_found_by_use() {
        let words = [
            (key(7, Use::Class), 40),
            (key(7, Use::Text), -90),
            (key(9, Use::Text), 3),
        ];
        let vocabulary = Vocabulary::new(&words);
        for (key, weight) in words {
            assert_eq!(vocabulary.weight(key), weight);
        }
        assert_eq!(vocabulary.weight(key(8, Use::Text)), 0);
        assert_eq!(Vocabulary::default().weight(7), 0);
    }

    #[test]
    fn a_voice_sums_up() {
        let mut voice = Voice::default();
        for weight in [10, -30, 0] {
            voice.hear(weight);
        }
        assert_eq!(
            (voice.low, voice.high, voice.sum, voice.known, voice.mean()),
            (-30, 10, -20, 2, -10)
        );
    }
}
