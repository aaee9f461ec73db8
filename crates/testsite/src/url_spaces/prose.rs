//! Text that is different on every page.

use crate::pseudo_random::{below, mix};

const WORDS: [&str; 144] = [
    "harbor",
    "ledger",
    "winter",
    "copper",
    "lantern",
    "meadow",
    "orbit",
    "paper",
    "quarry",
    "river",
    "signal",
    "timber",
    "anchor",
    "bridge",
    "castle",
    "desert",
    "engine",
    "forest",
    "garden",
    "hammer",
    "island",
    "jacket",
    "kitchen",
    "ladder",
    "market",
    "needle",
    "ocean",
    "pencil",
    "quiet",
    "rocket",
    "saddle",
    "temple",
    "umbrella",
    "valley",
    "window",
    "yellow",
    "silver",
    "orange",
    "purple",
    "crimson",
    "early",
    "late",
    "bright",
    "hollow",
    "narrow",
    "gentle",
    "sudden",
    "ancient",
    "modern",
    "distant",
    "carries",
    "builds",
    "opens",
    "closes",
    "follows",
    "gathers",
    "holds",
    "keeps",
    "leaves",
    "makes",
    "offers",
    "paints",
    "reads",
    "sends",
    "takes",
    "turns",
    "visits",
    "walks",
    "writes",
    "answers",
    "borrows",
    "crosses",
    "with",
    "under",
    "over",
    "beside",
    "after",
    "before",
    "during",
    "without",
    "against",
    "between",
    "toward",
    "through",
    "around",
    "behind",
    "people",
    "children",
    "farmers",
    "sailors",
    "teachers",
    "painters",
    "neighbors",
    "strangers",
    "visitors",
    "workers",
    "station",
    "library",
    "museum",
    "theater",
    "bakery",
    "workshop",
    "stadium",
    "airport",
    "village",
    "council",
    "festival",
    "concert",
    "lecture",
    "journey",
    "letter",
    "picture",
    "story",
    "record",
    "number",
    "season",
    "morning",
    "evening",
    "breakfast",
    "supper",
    "bread",
    "cheese",
    "coffee",
    "honey",
    "pepper",
    "salmon",
    "apple",
    "cherry",
    "walnut",
    "barley",
    "cotton",
    "linen",
    "leather",
    "marble",
    "granite",
    "crystal",
    "thunder",
    "shadow",
    "whisper",
    "echo",
    "melody",
    "rhythm",
    "promise",
    "secret",
];

/// Returns this many words, as sentences.
pub(super) fn prose(seed: u64, words: u32) -> String {
    let mut text = String::new();
    let mut left_in_sentence = 0;
    for index in 0..words {
        if left_in_sentence == 0 {
            text.push_str(if index == 0 { "The" } else { ". The" });
            left_in_sentence = 6 + below(9, seed, u64::from(index) + 1_000_000);
        }
        text.push(' ');
        text.push_str(word(mix(seed, u64::from(index))));
        left_in_sentence -= 1;
    }
    text.push('.');
    text
}

pub(super) fn word(number: u64) -> &'static str {
    let length = WORDS.len() as u64;
    WORDS[usize::try_from(number % length).unwrap_or_default()]
}

/// A name of three words that is unique for numbers below 20,000.
pub(super) fn slug(seed: u64, number: u64) -> String {
    let length = WORDS.len() as u64;
    let third = word(mix(seed, number));
    format!("{}-{}-{third}", word(number / length), word(number))
}

/// The same as a title.
pub(super) fn title(seed: u64, number: u64) -> String {
    slug(seed, number).replace('-', " ")
}

/// Ten letters and digits.
pub(super) fn token(seed: u64, number: u64) -> String {
    let hex = format!("{:016x}", mix(mix(seed, 77), number));
    hex[..10].to_owned()
}
