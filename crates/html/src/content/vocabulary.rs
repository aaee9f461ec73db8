//! Learned weights of words: in class names, in short texts, and in the headings above a text.
//!
//! The weights are trained with the model and stored in its file. Words are identified by hash only; which of
//! the three uses a word had is part of the hash.

use super::concept::word_hash;

/// Where a word was used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Use {
    Class,
    Text,
    Heading,
}

/// The key of a word: its hash combined with its use. Never zero.
pub(crate) fn key(hash: u32, used: Use) -> u32 {
    let salt = match used {
        Use::Class => 0x51ed_270b,
        Use::Text => 0xb492_b66f,
        Use::Heading => 0x9ae1_6a3b,
    };
    ((hash ^ salt).wrapping_mul(0x9e37_79b1) ^ hash >> 15).max(1)
}

/// The hash of two consecutive words.
pub(crate) fn pair(first: u32, second: u32) -> u32 {
    first.rotate_left(11).wrapping_mul(0x85eb_ca6b) ^ second
}

/// Learned weights by key.
#[derive(Debug, Clone, Default)]
pub struct Vocabulary {
    /// Open addressing; the length is a power of two, or zero if there are no words.
    slots: Vec<(u32, i8)>,
}

impl Vocabulary {
    /// Builds a vocabulary from keys and weights.
    pub fn new(words: &[(u32, i8)]) -> Self {
        if words.is_empty() {
            return Self::default();
        }
        let size = (words.len() * 2).next_power_of_two();
        let mut slots = vec![(0, 0); size];
        for (key, weight) in words {
            let mut slot = *key as usize & (size - 1);
            while slots[slot].0 != 0 && slots[slot].0 != *key {
                slot = (slot + 1) & (size - 1);
            }
            slots[slot] = (*key, *weight);
        }
        Self { slots }
    }

    /// The weight of a key, 0 if unknown.
    #[inline]
    pub(crate) fn weight(&self, key: u32) -> i8 {
        if self.slots.is_empty() {
            return 0;
        }
        let mask = self.slots.len() - 1;
        let mut slot = key as usize & mask;
        loop {
            let (found, weight) = self.slots[slot];
            if found == key {
                return weight;
            }
            if found == 0 {
                return 0;
            }
            slot = (slot + 1) & mask;
        }
    }
}

/// Aggregate weight of a group of words.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct WordSignal {
    pub low: i16,
    pub high: i16,
    pub sum: i16,
    pub known: i16,
}

impl WordSignal {
    /// Adds a word's weight.
    #[inline]
    pub(crate) fn add(&mut self, weight: i8) {
        if weight != 0 {
            let weight = i16::from(weight);
            self.low = self.low.min(weight);
            self.high = self.high.max(weight);
            self.sum = self.sum.saturating_add(weight);
            self.known = self.known.saturating_add(1);
        }
    }

    /// The combination of both signals.
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

/// Calls `each` with the keys of a short text: its words and its word pairs.
pub(crate) fn each_key(words: &[u32], used: Use, mut each: impl FnMut(u32)) {
    for word in words {
        each(key(*word, used));
    }
    for two in words.windows(2) {
        each(key(pair(two[0], two[1]), used));
    }
    if words.len() == 1 {
        // A word on its own means something different from one in a sentence.
        each(key(pair(words[0], word_hash(b"")), used));
    }
}

#[cfg(test)]
mod tests {
    use super::{Use, Vocabulary, WordSignal, key};

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
    fn a_word_signal_adds_up() {
        let mut word_signal = WordSignal::default();
        for weight in [10, -30, 0] {
            word_signal.add(weight);
        }
        assert_eq!(
            (
                word_signal.low,
                word_signal.high,
                word_signal.sum,
                word_signal.known,
                word_signal.mean()
            ),
            (-30, 10, -20, 2, -10)
        );
    }
}
