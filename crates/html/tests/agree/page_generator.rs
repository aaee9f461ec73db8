//! Generates pages: tags of a few kinds at a time, recombined pieces of real pages, and random bytes.

use std::fs;
use std::path::Path;

use super::link_tags::{LINKS, number_links};
use super::test_rng::TestRng;
use super::vocabulary::{
    BLOCKS, CONTAINERS, FORMATTING, FORMS, FRAMES, MATH, RAW, SNIPPETS, SVG, TABLES,
};

/// Maximum length of a page.
const MAX_LENGTH: usize = 400;

const NAMES: [&[&str]; 9] = [
    BLOCKS, FORMATTING, TABLES, FORMS, CONTAINERS, FRAMES, RAW, SVG, MATH,
];

/// The bytes that random pages consist of.
const ALPHABET: &[u8] = b"<<<<>>>>//!--\"'== \n\0aahref&;#xsvgtitlep?[]CDATA\xE9\xFF\xC3";

/// Generates pages; the real ones are read once.
pub(crate) struct PageGenerator {
    pages: Vec<Vec<u8>>,
}

impl PageGenerator {
    pub(crate) fn new() -> Self {
        let tests = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests");
        let mut pages = Vec::new();
        for folder in [
            "writers/golden",
            "content/pages",
            "render_need/pages",
            "fuzz/corpus/links",
        ] {
            let entries = fs::read_dir(tests.join(folder)).unwrap();
            let mut paths: Vec<_> = entries.map(|entry| entry.unwrap().path()).collect();
            paths.sort();
            pages.extend(paths.iter().filter_map(|path| fs::read(path).ok()));
        }
        pages.retain(|page| page.contains(&b'<'));
        assert!(pages.len() > 60, "only {} pages", pages.len());
        Self { pages }
    }

    /// A random page.
    pub(crate) fn page(&self, rng: &mut TestRng) -> Vec<u8> {
        let mut page = match rng.below(10) {
            0 => bytes(rng),
            1 | 2 => self.pieces(rng),
            _ => tags(rng).into_bytes(),
        };
        page.truncate(MAX_LENGTH);
        page
    }

    /// Pieces of real pages with random tags inserted.
    fn pieces(&self, rng: &mut TestRng) -> Vec<u8> {
        let mut page = Vec::new();
        for _ in 0..=rng.below(4) {
            let real = &self.pages[rng.below(self.pages.len())];
            let mut from = rng.below(real.len());
            if !rng.one_in(4) {
                from += real[from..]
                    .iter()
                    .position(|byte| *byte == b'<')
                    .unwrap_or(0);
            }
            let until = (from + rng.below(160)).min(real.len());
            page.extend_from_slice(&real[from..until]);
            for _ in 0..rng.below(4) {
                let all: Vec<&[&str]> = NAMES.to_vec();
                page.extend(fragment(rng, &all).bytes());
            }
            if rng.one_in(6)
                && let Some(byte) = page.last_mut()
            {
                *byte = u8::try_from(rng.below(256)).unwrap();
            }
        }
        page
    }
}

/// Random bytes.
fn bytes(rng: &mut TestRng) -> Vec<u8> {
    let length = 20 + rng.below(200);
    (0..length)
        .map(|_| match rng.below(12) {
            0 => u8::try_from(rng.below(256)).unwrap(),
            _ => ALPHABET[rng.below(ALPHABET.len())],
        })
        .collect()
}

/// Tags of a few kinds, with numbered links.
fn tags(rng: &mut TestRng) -> String {
    let mut kinds: Vec<&[&str]> = Vec::new();
    for _ in 0..=rng.below(4) {
        kinds.push(NAMES[rng.below(NAMES.len())]);
    }
    let (links, snippets) = (1 + rng.below(4), rng.below(3));
    let mut page = String::new();
    for _ in 0..3 + rng.below(24) {
        match rng.below(8 + links + snippets) {
            0..8 => page.push_str(&fragment(rng, &kinds)),
            at if at < 8 + links => page.push_str(rng.pick(LINKS)),
            _ => page.push_str(rng.pick(SNIPPETS)),
        }
        if rng.one_in(6) {
            page.push_str("text");
        }
        if page.len() > MAX_LENGTH - 40 {
            break;
        }
    }
    // Reveals how the end of the page is read.
    page.push_str(rng.pick(&[
        "",
        "",
        "<a href=u#>",
        "<title><a href=u#></title><a href=u#>",
    ]));
    number_links(&page)
}

/// A start or end tag of one of the kinds.
fn fragment(rng: &mut TestRng, kinds: &[&[&str]]) -> String {
    let kind = kinds[rng.below(kinds.len())];
    let name = rng.pick(kind);
    let bare = name.split(' ').next().unwrap_or_default();
    match rng.below(20) {
        0..8 => format!("</{bare}>"),
        8 => format!("<{name}/>"),
        9 => format!("<{name} x='>' y>"),
        10 => format!("<{}>", name.to_ascii_uppercase()),
        11 => format!("<{name}>x</{bare}>"),
        12 => format!("</{bare} x='>'/>"),
        _ => format!("<{name}>"),
    }
}

/// The number of a link.
pub(crate) fn number_of(href: &str) -> Option<u32> {
    let digits = href.strip_prefix('u')?;
    let end = digits.find(|c: char| !c.is_ascii_digit());
    digits[..end.unwrap_or(digits.len())].parse().ok()
}

/// Whether the numbers on the page are unique and in order. They may not be if a page was cut or combined from
/// pieces.
pub(crate) fn is_numbered(page: &[u8]) -> bool {
    let text = String::from_utf8_lossy(page);
    let numbers: Vec<u32> = text
        .match_indices('u')
        .filter_map(|(at, _)| number_of(&text[at..]))
        .collect();
    numbers.windows(2).all(|pair| pair[0] < pair[1])
}
