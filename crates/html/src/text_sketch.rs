//! Sketches a page's visible text and images, to tell whether it repeats another page.
//!
//! One pass over the bytes, without decoding or a tree: an approximation is enough, and most pages are never sketched.

mod word_kind;

use crawler_model::{MAX_PHRASES, TextSketch, UrlFree};
use memchr::{memchr, memchr_iter, memmem};
use xxhash_rust::xxh3::{xxh3_64, xxh3_64_with_seed};

use self::word_kind::{WordKind, is_separator};

/// Words in a phrase. A phrase does not cross a tag, so lists with the same items in another order have the same phrases.
const PHRASE: usize = 3;
/// Longest word that is told apart by all of its bytes.
const MAX_WORD: usize = 64;
/// Length of a run of other letters than those of ASCII from which it is divided: some languages have no spaces.
const LONG_RUN: usize = 18;
const PART_OF_RUN: usize = 6;
/// Bytes in which the title is looked for.
const MAX_HEAD: usize = 16_384;
/// Limit on the phrases considered.
const MAX_CONSIDERED: usize = 20_000;
/// An image is as much content as a sentence.
const PHRASES_OF_IMAGE: u64 = 6;
/// Limit on the numbers of a URL that are considered.
const MAX_URL_NUMBERS: usize = 8;
/// Limit on the words of a URL that are considered.
const MAX_URL_WORDS: usize = 32;
/// Any number that says where among other pages the page is: pages that differ only in these have the same text.
const POSITION: u64 = 0;

/// Elements whose content is not visible text: how they start and end.
const NOT_TEXT: [(&[u8], &[u8]); 4] = [
    (b"<script", b"</script"),
    (b"<style", b"</style"),
    (b"<head", b"</head"),
    (b"<noscript", b"</noscript"),
];

/// Elements that show a file.
const MEDIA: [&[u8]; 6] = [
    b"<img", b"<video", b"<audio", b"<source", b"<iframe", b"<embed",
];

/// Sketches the text between the tags of a page. `url`: its own, because the words and numbers in it tell nothing new.
pub fn text_sketch(body: &[u8], url: &str) -> TextSketch {
    let mut sketch = Sketch {
        url_words: url_words(url),
        url_numbers: url_numbers(url),
        ..Sketch::default()
    };
    sketch.title(body);
    let mut rest = body;
    let mut never_ends = [false; NOT_TEXT.len()];
    while let Some(open) = memchr(b'<', rest) {
        sketch.text(&rest[..open]);
        sketch.media(&rest[open..]);
        rest = after_tag(&rest[open..], &mut never_ends);
    }
    sketch.text(rest);
    sketch.finish()
}

/// The words of a URL after its origin, as hashes.
fn url_words(url: &str) -> Vec<u64> {
    let path = url.splitn(4, '/').nth(3).unwrap_or_default();
    let mut words = Vec::new();
    for (at, part) in path.split('%').enumerate() {
        // What follows a percent sign is not part of a word.
        let part = if at > 0 {
            part.get(2..).unwrap_or_default()
        } else {
            part
        };
        let parts = part.split(|c: char| !c.is_ascii_alphanumeric());
        words.extend(parts.filter(|word| !word.is_empty()).map(|word| {
            let mut word = word.as_bytes().to_owned();
            word.make_ascii_lowercase();
            xxh3_64(&word) | 1
        }));
    }
    words.truncate(MAX_URL_WORDS);
    words
}

fn url_numbers(url: &str) -> Vec<u64> {
    url.split(|c: char| !c.is_ascii_digit())
        .filter_map(|digits| digits.parse().ok())
        .take(MAX_URL_NUMBERS)
        .collect()
}

/// The bytes after a tag, or after an element whose content is not text. `never_ends` records elements without an end, so
/// that the end is searched for once.
fn after_tag<'a>(tag: &'a [u8], never_ends: &mut [bool; NOT_TEXT.len()]) -> &'a [u8] {
    if tag.starts_with(b"<!--") {
        return memmem::find(tag, b"-->").map_or(&[], |end| &tag[end + 3..]);
    }
    for ((start, end), never_ends) in NOT_TEXT.iter().zip(never_ends) {
        if *never_ends || !is_element(tag, start) {
            continue;
        }
        let mut ends = memchr_iter(b'<', tag).filter(|at| starts_with(&tag[*at..], end));
        match ends.next() {
            Some(at) => return after_angle(&tag[at..]),
            None => *never_ends = true,
        }
    }
    after_angle(tag)
}

fn is_element(tag: &[u8], start: &[u8]) -> bool {
    let ends = tag.get(start.len());
    ends.is_some_and(|byte| !byte.is_ascii_alphanumeric()) && starts_with(tag, start)
}

fn starts_with(text: &[u8], start: &[u8]) -> bool {
    text.get(..start.len())
        .is_some_and(|text| text.eq_ignore_ascii_case(start))
}

fn after_angle(tag: &[u8]) -> &[u8] {
    memchr(b'>', tag).map_or(&[], |end| &tag[end + 1..])
}

#[derive(Default)]
struct Sketch {
    url_words: Vec<u64>,
    url_numbers: Vec<u64>,
    words: u32,
    exact: UrlFree,
    /// Pairs of words and numbers, without dates and positions: of all, and of those that are not in the URL.
    all: Vec<u32>,
    rest: Vec<u32>,
    /// The last word of each since the last tag.
    last_of_all: u64,
    last_of_rest: u64,
    /// The last words of the text since the last tag.
    last: [u64; PHRASE],
    /// Number of words since the last tag, with positions in a row as one.
    in_run: usize,
    phrases: Vec<u32>,
}

impl Sketch {
    /// Takes in the text between two tags.
    fn text(&mut self, text: &[u8]) {
        (self.last, self.in_run) = ([0; PHRASE], 0);
        (self.last_of_all, self.last_of_rest) = (0, 0);
        let mut rest = text;
        while let Some(start) = rest.iter().position(|byte| is_word(*byte)) {
            rest = &rest[start..];
            let end = word_end(rest);
            let word = &rest[..end];
            if end > LONG_RUN && !word.is_ascii() {
                word.chunks(PART_OF_RUN).for_each(|part| self.word(part));
            } else {
                self.word(word);
            }
            rest = &rest[end..];
        }
        if (1..PHRASE).contains(&self.in_run) {
            self.phrase();
        }
    }

    /// Takes in the title, which tells pages apart that a script fills.
    fn title(&mut self, body: &[u8]) {
        let start = &body[..body.len().min(MAX_HEAD)];
        let mut tags = memchr_iter(b'<', start).map(|at| &start[at..]);
        let Some(title) = tags.find(|tag| is_element(tag, b"<title")) else {
            return;
        };
        let text = after_angle(title);
        let text = &text[..memchr(b'<', text).unwrap_or(text.len())];
        let words = text.split(|byte| !is_word(*byte));
        for word in words.filter(|word| !word.is_empty()) {
            let word = word.to_ascii_lowercase();
            self.exact.all = xxh3_64_with_seed(&word, self.exact.all);
            if !self.url_words.contains(&(xxh3_64(&word) | 1)) {
                self.exact.rest = xxh3_64_with_seed(&word, self.exact.rest);
            }
        }
    }

    /// Takes in the file that an element shows.
    fn media(&mut self, tag: &[u8]) {
        if !MEDIA.iter().any(|start| is_element(tag, start)) {
            return;
        }
        let tag = &tag[..memchr(b'>', tag).unwrap_or(tag.len())];
        let Some(at) = memmem::find(tag, b"src=") else {
            return;
        };
        let source = tag[at + 4..].trim_ascii_start();
        let ends = |byte: &u8| matches!(byte, b'?' | b'#') || byte.is_ascii_whitespace();
        let quotes = |byte: &u8| matches!(byte, b'"' | b'\'');
        let mut parts = source.split(|byte| quotes(byte) || ends(byte));
        let Some(source) = parts.find(|part| !part.is_empty()) else {
            return;
        };
        // Pages whose images differ in the query only are not the same page.
        self.exact.all = xxh3_64_with_seed(tag, self.exact.all);
        self.exact.rest = xxh3_64_with_seed(tag, self.exact.rest);
        push(&mut self.all, xxh3_64(source));
        push(&mut self.rest, xxh3_64(source));
        for number in 0..PHRASES_OF_IMAGE {
            push(&mut self.phrases, xxh3_64_with_seed(source, number));
        }
    }

    fn word(&mut self, word: &[u8]) {
        self.words = self.words.saturating_add(1);
        let mut lower = [0; MAX_WORD];
        let length = word.len().min(MAX_WORD);
        lower[..length].copy_from_slice(&word[..length]);
        let lower = &mut lower[..length];
        lower.make_ascii_lowercase();
        let hash = xxh3_64(lower) | 1;
        let kind = WordKind::of(lower, &self.url_numbers);
        let is_in_url = self.url_words.contains(&hash);
        self.exact.all = xxh3_64_with_seed(lower, self.exact.all);
        if !is_in_url {
            self.exact.rest = xxh3_64_with_seed(lower, self.exact.rest);
        }
        if kind != WordKind::Position {
            push(&mut self.all, mix(self.last_of_all, hash));
            self.last_of_all = hash;
            if !is_in_url {
                push(&mut self.rest, mix(self.last_of_rest, hash));
                self.last_of_rest = hash;
            }
        }
        if kind != WordKind::Word && self.in_run > 0 && self.last[PHRASE - 1] == POSITION {
            return;
        }
        self.in_run += 1;
        self.last.rotate_left(1);
        self.last[PHRASE - 1] = if kind == WordKind::Word {
            hash
        } else {
            POSITION
        };
        if self.in_run >= PHRASE {
            self.phrase();
        }
    }

    /// Records the last words as a phrase.
    fn phrase(&mut self) {
        let phrase = self.last.iter().fold(7, |hash, word| mix(hash, *word));
        push(&mut self.phrases, phrase);
    }

    fn finish(mut self) -> TextSketch {
        self.phrases.sort_unstable();
        self.phrases.dedup();
        let distinct = u32::try_from(self.phrases.len()).unwrap_or(u32::MAX);
        // The smallest hashes: two pages with the same phrases keep the same ones.
        self.phrases.truncate(MAX_PHRASES);
        TextSketch {
            words: self.words,
            exact: self.exact,
            content: UrlFree {
                all: hash_of_set(self.all),
                rest: hash_of_set(self.rest),
            },
            phrases: self.phrases,
            distinct,
        }
    }
}

fn hash_of_set(mut hashes: Vec<u32>) -> u64 {
    hashes.sort_unstable();
    hashes.dedup();
    hashes
        .iter()
        .fold(0, |hash, next| mix(hash, u64::from(*next)))
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte >= 0x80
}

/// The length of the word that a text starts with; `12:30` and `1013.2` are one word.
fn word_end(text: &[u8]) -> usize {
    let mut end = 1;
    while let Some(byte) = text.get(end).copied() {
        let joins = is_separator(byte)
            && text[end - 1].is_ascii_digit()
            && text.get(end + 1).is_some_and(u8::is_ascii_digit);
        if !is_word(byte) && !joins {
            break;
        }
        end += 1;
    }
    end
}

fn mix(hash: u64, next: u64) -> u64 {
    (hash ^ next)
        .wrapping_mul(0x9E37_79B9_7F4A_7C15)
        .rotate_left(23)
}

fn push(hashes: &mut Vec<u32>, hash: u64) {
    if hashes.len() < MAX_CONSIDERED {
        hashes.push((hash >> 32) as u32);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sketch(body: &str) -> TextSketch {
        text_sketch(body.as_bytes(), "http://a/cal/5123/7")
    }

    fn new_phrases(page: &TextSketch, known: &TextSketch) -> usize {
        let is_new = |phrase: &&u32| !known.phrases.contains(phrase);
        page.phrases.iter().filter(is_new).count()
    }

    #[test]
    fn pages_that_differ_in_dates_and_positions_have_the_same_phrases() {
        let page = |date: &str| {
            sketch(&format!(
                "<h1>Events on {date}</h1><p>No events.</p><a href=/n>Next day</a>"
            ))
        };
        let (one, other) = (page("Monday, 16 November 2026"), page("Wed, 3 March 1999"));
        assert_eq!(one.phrases, other.phrases);
        assert_ne!(one.exact, other.exact);
        for same in [
            "<p>No events",
            "<h1>Events on 5124",
            "<h1>Events on 8f3ac91b",
        ] {
            assert_eq!(new_phrases(&sketch(same), &one), 0, "{same}");
        }
        let story =
            "<h1>Events on 3 March</h1><p>The harbour master opens the new lock in spring.</p>";
        assert!(new_phrases(&sketch(story), &one) >= 6);
    }

    #[test]
    fn words_of_the_url_tell_nothing() {
        let share = |name: &str| {
            let page = format!("<p>Share the page {name} with your friends</p>");
            text_sketch(
                page.as_bytes(),
                &format!("http://a/share?url=%2Fnews%2F{name}"),
            )
        };
        let (one, other) = (share("quiet-harbor"), share("early-bread"));
        assert_ne!(one.content.all, other.content.all);
        assert_eq!(one.content.rest, other.content.rest);
        assert_eq!(one.exact.rest, other.exact.rest);
    }

    #[test]
    fn measurements_are_content() {
        let table = |values: [u32; 4]| {
            let cells = values.map(|value| format!("<td>{value} hPa</td>")).concat();
            sketch(&cells)
        };
        let (one, other) = (table([1013, 990, 1001, 977]), table([1014, 989, 1002, 978]));
        assert_eq!(one.phrases, other.phrases);
        assert_ne!(one.content, other.content);
    }

    #[test]
    fn items_in_another_order_are_the_same_text_and_images_are_content() {
        let list =
            |items: [&str; 3]| sketch(&items.map(|item| format!("<li>{item}</li>")).concat());
        let one = list(["red wool scarf", "hat", "blue shoes"]);
        assert_eq!(
            new_phrases(&list(["blue shoes", "red wool scarf", "hat"]), &one),
            0
        );
        let image =
            |name: &str| sketch(&format!("<p>Comic</p><img alt=x src='/i/{name}.png?x=1'>"));
        assert_eq!(new_phrases(&image("a"), &image("b")), 6);
        assert_ne!(image("a").exact, image("b").exact);
    }

    #[test]
    fn titles_and_queries_of_images_tell_pages_apart() {
        let page = |title: &str, image: &str| {
            sketch(&format!(
                "<head><title>{title}</title></head><p>Shop</p><img src='/i?n={image}'>"
            ))
        };
        let one = page("Red scarf", "a");
        assert_eq!(one.exact, page("red scarf", "a").exact);
        assert_ne!(one.exact, page("Blue shoes", "a").exact);
        assert_ne!(one.exact, page("Red scarf", "b").exact);
        assert_eq!(one.phrases, page("Blue shoes", "b").phrases);
        assert_eq!(
            page("Item 5123", "a").exact.rest,
            page("Item 7", "a").exact.rest
        );
    }

    #[test]
    fn text_without_spaces_has_phrases() {
        let text = "\u{6e2f}\u{306e}\u{65b0}\u{3057}\u{3044}\u{6c34}\u{9580}\u{304c}\u{6625}\u{306b}\u{958b}\u{304f}".repeat(3);
        assert!(sketch(&format!("<p>{text}")).phrases.len() >= 6);
    }

    #[test]
    fn only_visible_text_counts() {
        let page = "<head><meta name=t></head><style>a b c</style>one two<SCRIPT>var x</SCRIPT ><!-- no > no -->";
        assert_eq!(sketch(page), sketch("one two"));
        assert_eq!(sketch(page).words, 2);
        for broken in [
            "<script>never ended",
            "<",
            "a<b",
            "<!--",
            "<style",
            "</",
            "",
            "<img src=",
            "<img src='",
        ] {
            let _ = sketch(broken);
        }
    }

    #[test]
    fn a_long_page_is_sampled() {
        let words = |at: usize| format!("word{} x{}", "a".repeat(at % 50), "b".repeat(at % 61));
        let long = (0..5_000).map(words).collect::<Vec<_>>().join(" ");
        let sketch = sketch(&long);
        assert_eq!(sketch.phrases.len(), MAX_PHRASES);
        assert!(sketch.distinct as usize > sketch.phrases.len());
    }
}
