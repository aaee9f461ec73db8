//! Language-independent counts over a run of text, in one pass.

/// Counts over one or more runs of text. Measures can be added.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Measure {
    /// Runs of letters, digits and underscores.
    pub words: u32,
    /// Letters and digits.
    pub letters: u32,
    /// Words of at most three letters that start in lower case: function words in most languages.
    pub glue: u32,
    /// Words that start with an upper-case letter.
    pub capitals: u32,
    /// Words that start with a digit.
    pub numbers: u32,
    /// Commas and semicolons.
    pub commas: u32,
    /// Full stops, question marks and exclamation marks (of any script) that end a word.
    pub stops: u32,
    /// Separators of a navigation bar rather than of a sentence: `|`, `›`, `•`, `/`, `#`, `@`.
    pub bars: u32,
    /// Currency and percent signs.
    pub money: u32,
    /// Case-insensitive hash of the words, to find repeated texts.
    pub hash: u32,
    /// Whether the last character that is not white space ends a sentence.
    pub ends_sentence: bool,
}

const SEED: u32 = 0x811c_9dc5;
const PRIME: u32 = 0x0100_0193;

impl Measure {
    /// Adds the counts of `text`, which follows the text counted before.
    pub(crate) fn read(&mut self, text: &str) {
        if self.hash == 0 {
            self.hash = SEED;
        }
        let mut word = Word::default();
        let mut after_word = false;
        for c in text.chars() {
            if c.is_ascii() {
                let byte = c as u8;
                if byte.is_ascii_alphanumeric() || byte == b'_' {
                    word.push(
                        u32::from(byte.to_ascii_lowercase()),
                        byte.is_ascii_uppercase(),
                        byte.is_ascii_digit(),
                    );
                    continue;
                }
                self.close(&mut word, &mut after_word);
                match byte {
                    b'.' | b'!' | b'?' => {
                        self.stops += u32::from(after_word);
                        self.ends_sentence = true;
                    }
                    b',' | b';' => self.commas += 1,
                    b'|' | b'/' | b'#' | b'@' | b'>' => self.bars += 1,
                    b'$' | b'%' => self.money += 1,
                    _ => {}
                }
                if !byte.is_ascii_whitespace() {
                    if !matches!(byte, b'.' | b'!' | b'?' | b'"' | b'\'' | b')' | b']') {
                        self.ends_sentence = false;
                    }
                    after_word = false;
                }
            } else if c.is_alphanumeric() {
                word.push(c as u32, c.is_uppercase(), false);
            } else {
                self.close(&mut word, &mut after_word);
                match c {
                    '。' | '！' | '？' | '…' | '।' | '؟' => {
                        self.stops += 1;
                        self.ends_sentence = true;
                    }
                    '，' | '、' | '،' | '；' => self.commas += 1,
                    '›' | '»' | '•' | '·' | '→' | '©' => {
                        self.bars += 1;
                        self.ends_sentence = false;
                    }
                    '€' | '£' | '¥' | '₹' => self.money += 1,
                    '”' | '’' | '\u{a0}' => {}
                    _ => self.ends_sentence = false,
                }
            }
        }
        self.close(&mut word, &mut after_word);
    }

    fn close(&mut self, word: &mut Word, after_word: &mut bool) {
        if word.length == 0 {
            return;
        }
        self.words += 1;
        self.letters += word.length;
        self.glue += u32::from(word.length <= 3 && !word.capital && !word.number);
        self.capitals += u32::from(word.capital);
        self.numbers += u32::from(word.number);
        self.hash = (self.hash.rotate_left(5) ^ word.hash).wrapping_mul(PRIME);
        self.ends_sentence = false;
        *after_word = true;
        *word = Word::default();
    }

    /// Adds another measure's counts; the hashes are chained in order.
    pub(crate) fn add(&mut self, other: &Self) {
        self.words += other.words;
        self.letters += other.letters;
        self.glue += other.glue;
        self.capitals += other.capitals;
        self.numbers += other.numbers;
        self.commas += other.commas;
        self.stops += other.stops;
        self.bars += other.bars;
        self.money += other.money;
        self.hash = (self.hash.rotate_left(5) ^ other.hash).wrapping_mul(PRIME);
        self.ends_sentence = other.ends_sentence;
    }
}

/// The word being read.
#[derive(Default)]
struct Word {
    length: u32,
    hash: u32,
    capital: bool,
    number: bool,
}

impl Word {
    #[inline]
    fn push(&mut self, letter: u32, capital: bool, number: bool) {
        if self.length == 0 {
            self.capital = capital;
            self.number = number;
            self.hash = SEED;
        }
        self.length += 1;
        self.hash = (self.hash ^ letter).wrapping_mul(PRIME);
    }
}

#[cfg(test)]
mod tests {
    use super::Measure;

    fn of(text: &str) -> Measure {
        let mut measure = Measure::default();
        measure.read(text);
        measure
    }

    #[test]
    fn words_are_runs_of_letters_and_digits() {
        let table = [
            ("", 0),
            ("  ", 0),
            ("one", 1),
            ("it's 3.5 km", 5),
            ("snake_case x", 2),
            ("日本語 です", 2),
            ("a-b/c", 3),
        ];
        for (text, words) in table {
            assert_eq!(of(text).words, words, "{text:?}");
        }
    }

    #[test]
    fn sentences_differ_from_navigation_bars() {
        let sentence = of("The cat sat on the mat, and slept.");
        assert_eq!(
            (sentence.stops, sentence.commas, sentence.ends_sentence),
            (1, 1, true)
        );
        assert!(sentence.glue >= 6);
        let bar = of("Home | News | Sport");
        assert_eq!(
            (bar.stops, bar.bars, bar.capitals, bar.ends_sentence),
            (0, 2, 3, false)
        );
    }

    #[test]
    fn the_hash_ignores_case_and_space() {
        assert_eq!(of("Read  More").hash, of("read more").hash);
        assert_ne!(of("read more").hash, of("more read").hash);
    }
}
