//! When a run of `*`, `_` or `~` can open or close emphasis.
//!
//! CommonMark decides by the characters on both sides: white space, punctuation or word. Its versions disagree
//! about symbols (an emoji, a currency sign), so those are a fourth class: a delimiter is used only where
//! every version recognizes it, and text is escaped where any version would.

/// The class of a character next to a delimiter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Neighbor {
    White,
    Punctuation,
    Word,
    /// Punctuation in some versions of CommonMark, part of a word in others.
    Symbol,
}

impl Neighbor {
    pub(crate) fn of(character: Option<char>) -> Self {
        match character {
            None => Self::White,
            // GitHub's parser skips over it, others do not.
            Some('~') => Self::Symbol,
            Some(character) if character.is_ascii_punctuation() => Self::Punctuation,
            Some(character) if character.is_whitespace() => Self::White,
            Some(character) if character.is_ascii() || character.is_alphanumeric() => Self::Word,
            Some(
                '\u{2010}'..='\u{2027}'
                | '\u{2030}'..='\u{2043}'
                | '\u{3001}'..='\u{3003}'
                | '\u{3008}'..='\u{3011}'
                | '\u{3014}'..='\u{301b}'
                | '\u{ff01}'
                | '\u{ff08}'
                | '\u{ff09}'
                | '\u{ff0c}'
                | '\u{ff0e}'
                | '\u{ff1a}'
                | '\u{ff1b}'
                | '\u{ff1f}'
                | '«'
                | '»'
                | '¿'
                | '¡',
            ) => Self::Punctuation,
            Some(_) => Self::Symbol,
        }
    }
}

/// Classifies the edge of a text next to a delimiter; `characters` start at the edge. Inside the delimiter, a
/// tilde followed by white space counts as white space for a parser that skips it.
pub(crate) fn edge(mut characters: impl Iterator<Item = char>, is_inside: bool) -> Neighbor {
    match characters.next() {
        Some('~') if is_inside => {
            match Neighbor::of(characters.find(|&character| character != '~')) {
                Neighbor::White => Neighbor::White,
                _ => Neighbor::Symbol,
            }
        }
        first => Neighbor::of(first),
    }
}

/// Whether a run between these opens emphasis in every parser.
pub(crate) fn surely_opens(before: Neighbor, after: Neighbor) -> bool {
    match after {
        Neighbor::White => false,
        Neighbor::Word => true,
        Neighbor::Punctuation | Neighbor::Symbol => {
            matches!(before, Neighbor::White | Neighbor::Punctuation)
        }
    }
}

/// Whether a run between these closes emphasis in every parser.
pub(crate) fn surely_closes(before: Neighbor, after: Neighbor) -> bool {
    surely_opens(after, before)
}

/// Whether any parser could take a run between these for a closing one.
pub(crate) fn may_close(before: Neighbor, after: Neighbor) -> bool {
    before != Neighbor::White && !(before == Neighbor::Punctuation && after == Neighbor::Word)
}

/// Whether any parser could take a run in the text for a delimiter.
pub(crate) fn may_mark(before: Neighbor, after: Neighbor, inside_words: bool) -> bool {
    let opens = may_close(after, before);
    let closes = may_close(before, after);
    if inside_words {
        return opens || closes;
    }
    // An underscore inside a word is a letter like any other.
    (opens && (!closes || before != Neighbor::Word))
        || (closes && (!opens || after != Neighbor::Word))
}
