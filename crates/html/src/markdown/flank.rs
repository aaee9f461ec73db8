//! When a run of `*`, `_` or `~` can open or close emphasis.
//!
//! CommonMark decides by the characters on both sides: white, punctuation or word. Its editions
//! disagree about symbols (an emoji, a currency sign), so those are a fourth kind: marks are trusted
//! only where every edition would read them, and text is escaped where any would misread it.

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Side {
    White,
    Punctuation,
    Word,
    /// Punctuation to some, part of a word to others.
    Symbol,
}

impl Side {
    pub(crate) fn of(character: Option<char>) -> Self {
        match character {
            None => Self::White,
            // GitHub's reader looks past it, others do not.
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

/// What the edge of a text is to the mark beside it, its characters given from the edge on. Inside
/// the mark, a tilde with white behind it is white to a reader that looks past it.
pub(crate) fn edge(mut characters: impl Iterator<Item = char>, is_inside: bool) -> Side {
    match characters.next() {
        Some('~') if is_inside => match Side::of(characters.find(|&character| character != '~')) {
            Side::White => Side::White,
            _ => Side::Symbol,
        },
        first => Side::of(first),
    }
}

/// Whether a run between these opens emphasis for every reader.
pub(crate) fn surely_opens(before: Side, after: Side) -> bool {
    match after {
        Side::White => false,
        Side::Word => true,
        Side::Punctuation | Side::Symbol => matches!(before, Side::White | Side::Punctuation),
    }
}

/// Whether a run between these closes emphasis for every reader.
pub(crate) fn surely_closes(before: Side, after: Side) -> bool {
    surely_opens(after, before)
}

/// Whether any reader could take a run between these for one that closes.
pub(crate) fn may_close(before: Side, after: Side) -> bool {
    before != Side::White && !(before == Side::Punctuation && after == Side::Word)
}

/// Whether any reader could take a run in the text for a mark.
pub(crate) fn may_mark(before: Side, after: Side, inside_words: bool) -> bool {
    let opens = may_close(after, before);
    let closes = may_close(before, after);
    if inside_words {
        return opens || closes;
    }
    // An underscore between two parts of a word is a letter like any other.
    (opens && (!closes || before != Side::Word)) || (closes && (!opens || after != Side::Word))
}
