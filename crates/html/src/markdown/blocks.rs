//! The lines of the output: what every line starts with, and where a blank line goes.
//!
//! Quotes, lists and notes are frames on a stack. A frame is written only when something inside it
//! is, so what holds nothing leaves no trace, and the marker of a list item stands before its first
//! line whatever that is. Frames are counted: under a page's thousandth list there is nothing to
//! see, and every level costs bytes on every line.

use super::inline::Flavour;

/// Deeper quotes and lists are written as part of the ones around them: so many frames, and so many
/// characters at the start of a line.
const DEEPEST: usize = 32;
const WIDEST: usize = 32;

/// What was written last in a frame, as far as the next thing cares.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Last {
    #[default]
    Nothing,
    Paragraph,
    List {
        ordered: bool,
        /// Its markers are the second kind, `*` or `1)`.
        second: bool,
        /// No list element was there: more items may follow.
        implied: bool,
    },
    Other,
}

/// A list about to be opened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ListShape {
    pub(crate) ordered: bool,
    pub(crate) start: i64,
    pub(crate) step: i64,
    pub(crate) loose: bool,
}

#[derive(Debug)]
enum FrameKind {
    Quote,
    List {
        shape: ListShape,
        next: i64,
        second: bool,
        implied: bool,
    },
    Entry {
        number: i64,
        /// Made for something that stood in a list but not in an item of it.
        implied: bool,
    },
    Note(u32),
}

#[derive(Debug)]
struct Frame {
    kind: FrameKind,
    last: Last,
    /// Length of the prefix without this frame.
    prefix: usize,
}

#[derive(Debug)]
pub(crate) struct Blocks {
    pub(crate) out: String,
    flavour: Flavour,
    frames: Vec<Frame>,
    /// How many of the frames are in the output already.
    written: usize,
    /// What a line inside the written frames starts with.
    prefix: String,
    last: Last,
    marker: String,
}

impl Blocks {
    pub(crate) fn new(flavour: Flavour) -> Self {
        Self {
            out: String::new(),
            flavour,
            frames: Vec::new(),
            written: 0,
            prefix: String::new(),
            last: Last::Nothing,
            marker: String::new(),
        }
    }

    /// The output and the prefix at once, for writers that break lines.
    pub(crate) fn out_and_prefix(&mut self) -> (&mut String, &str) {
        (&mut self.out, &self.prefix)
    }

    pub(crate) fn in_list(&self) -> bool {
        self.frames
            .iter()
            .any(|frame| matches!(frame.kind, FrameKind::Entry { .. }))
    }

    /// Whether the next thing written is the first of a list item.
    pub(crate) fn at_entry_start(&self) -> bool {
        self.written < self.frames.len()
            && self
                .frames
                .last()
                .is_some_and(|frame| matches!(frame.kind, FrameKind::Entry { .. }))
    }

    fn is_full(&self) -> bool {
        let width = |frame: &Frame| match &frame.kind {
            FrameKind::Note(_) => 4,
            FrameKind::List { shape, next, .. } if shape.ordered => {
                2 + next.clamp(&1, &999_999_999).ilog10() as usize + 1
            }
            FrameKind::Quote | FrameKind::List { .. } => 2,
            FrameKind::Entry { .. } => 0,
        };
        self.frames.len() >= DEEPEST || self.frames.iter().map(width).sum::<usize>() >= WIDEST
    }

    fn push(&mut self, kind: FrameKind) {
        self.frames.push(Frame {
            kind,
            last: Last::Nothing,
            prefix: 0,
        });
    }

    /// Opens a quote; false if there is no room for it.
    pub(crate) fn open_quote(&mut self) -> bool {
        if self.is_full() {
            return false;
        }
        self.enter_entry();
        self.push(FrameKind::Quote);
        true
    }

    /// Opens the definition of a note; false if there is no room for it.
    pub(crate) fn open_note(&mut self, number: u32) -> bool {
        if self.is_full() {
            return false;
        }
        self.push(FrameKind::Note(number));
        true
    }

    /// Opens a list; false if there is no room for it.
    pub(crate) fn open_list(&mut self, shape: ListShape) -> bool {
        if self.is_full() {
            return false;
        }
        self.enter_entry();
        self.push_list(shape, false);
        true
    }

    fn push_list(&mut self, shape: ListShape, implied: bool) {
        let above = self.frames.last().map_or(self.last, |frame| frame.last);
        // In Markdown, a list right behind a list needs other markers to be another list.
        let (second, goes_on) = match above {
            Last::List {
                ordered,
                second,
                implied: was_implied,
            } if ordered == shape.ordered => {
                let goes_on = implied && was_implied;
                let second = second == goes_on && self.flavour == Flavour::Markdown;
                (second, goes_on)
            }
            _ => (false, false),
        };
        self.push(FrameKind::List {
            shape,
            next: shape.start,
            second,
            implied,
        });
        // An implied list that goes on was written by its earlier items.
        if goes_on && self.written + 1 == self.frames.len() {
            let prefix = self.prefix.len();
            if let Some(frame) = self.frames.last_mut() {
                frame.prefix = prefix;
            }
            self.written += 1;
        }
    }

    /// Opens a list item, and a list for it if there is none; false if there is no room. `alone`
    /// says that a list was made for it.
    pub(crate) fn open_entry(&mut self, value: Option<i64>) -> Option<EntryOpened> {
        self.close_implied_entry();
        let alone = !self.in_bare_list();
        if alone {
            if self.is_full() {
                return None;
            }
            self.push_list(
                ListShape {
                    ordered: false,
                    start: 1,
                    step: 1,
                    loose: false,
                },
                true,
            );
        }
        let mut number = 0;
        if let Some(FrameKind::List { next, .. }) =
            self.frames.last_mut().map(|frame| &mut frame.kind)
        {
            if let Some(value) = value {
                *next = value;
            }
            number = *next;
        }
        self.push(FrameKind::Entry {
            number,
            implied: false,
        });
        Some(EntryOpened { alone })
    }

    /// Closes the innermost frame, and a list made for it.
    pub(crate) fn close(&mut self) {
        self.close_implied_entry();
        self.pop();
    }

    pub(crate) fn close_entry(&mut self, opened: EntryOpened) {
        self.pop();
        if opened.alone {
            self.pop();
        }
    }

    fn pop(&mut self) {
        let Some(frame) = self.frames.pop() else {
            return;
        };
        if self.written > self.frames.len() {
            self.written = self.frames.len();
            self.prefix.truncate(frame.prefix);
        }
    }

    fn in_bare_list(&self) -> bool {
        self.frames
            .last()
            .is_some_and(|frame| matches!(frame.kind, FrameKind::List { .. }))
    }

    /// Something other than an item stands in a list: it goes into the item before it, or into one
    /// of its own.
    fn enter_entry(&mut self) {
        if !self.in_bare_list() {
            return;
        }
        let Some(frame) = self.frames.last() else {
            return;
        };
        let FrameKind::List { next, shape, .. } = frame.kind else {
            return;
        };
        let goes_on = self.written == self.frames.len() && frame.last != Last::Nothing;
        self.push(FrameKind::Entry {
            number: next,
            implied: true,
        });
        if goes_on {
            let number = next - shape.step;
            let prefix = self.prefix.len();
            let width = self.marker_of(self.frames.len() - 1, number);
            self.prefix.extend(std::iter::repeat_n(' ', width));
            if let Some(frame) = self.frames.last_mut() {
                frame.prefix = prefix;
                frame.last = Last::Other;
            }
            self.written += 1;
        }
    }

    fn close_implied_entry(&mut self) {
        if let Some(Frame {
            kind: FrameKind::Entry { implied: true, .. },
            ..
        }) = self.frames.last()
        {
            self.pop();
        }
    }

    /// Starts a block: writes the blank line before it, what the line starts with, and all markers
    /// that were waiting.
    pub(crate) fn begin(&mut self, kind: Last) {
        self.enter_entry();
        if !self.out.is_empty() {
            if self.needs_blank() {
                self.out.push_str(self.prefix.trim_end());
                self.out.push('\n');
            }
            self.out.push_str(&self.prefix);
        }
        self.note_child(kind);
        while self.written < self.frames.len() {
            let at = self.written;
            let prefix = self.prefix.len();
            self.frames[at].prefix = prefix;
            match self.frames[at].kind {
                FrameKind::Quote if self.flavour == Flavour::Markdown => {
                    self.out.push_str("> ");
                    self.prefix.push_str("> ");
                }
                FrameKind::Quote | FrameKind::List { .. } => {}
                FrameKind::Entry { number, .. } => {
                    let width = self.marker_of(at, number);
                    self.out.push_str(&self.marker);
                    self.prefix.extend(std::iter::repeat_n(' ', width));
                    self.advance(at);
                }
                FrameKind::Note(number) => {
                    let note = match self.flavour {
                        Flavour::Markdown => format!("[^{number}]: "),
                        Flavour::Text => format!("[{number}] "),
                    };
                    self.out.push_str(&note);
                    self.prefix.push_str("    ");
                }
            }
            self.written += 1;
            self.note_child(kind);
        }
    }

    /// Ends the block's last line.
    pub(crate) fn end(&mut self) {
        self.out.push('\n');
    }

    /// Remembers in the innermost written frame what is written into it now.
    fn note_child(&mut self, kind: Last) {
        let child = match self.frames.get(self.written).map(|frame| &frame.kind) {
            None => kind,
            Some(FrameKind::List {
                shape,
                second,
                implied,
                ..
            }) => Last::List {
                ordered: shape.ordered,
                second: *second,
                implied: *implied,
            },
            Some(_) => Last::Other,
        };
        match self.written.checked_sub(1) {
            Some(at) => self.frames[at].last = child,
            None => self.last = child,
        }
    }

    fn advance(&mut self, entry: usize) {
        if let Some(FrameKind::List { next, shape, .. }) =
            entry.checked_sub(1).map(|list| &mut self.frames[list].kind)
        {
            *next += shape.step;
        }
    }

    /// Puts the marker of an item into `marker` and says how wide it is.
    fn marker_of(&mut self, entry: usize, number: i64) -> usize {
        self.marker.clear();
        match entry.checked_sub(1).map(|list| &self.frames[list].kind) {
            Some(FrameKind::List { shape, second, .. }) if shape.ordered => {
                self.marker
                    .push_str(&number.clamp(0, 999_999_999).to_string());
                self.marker.push_str(if *second { ") " } else { ". " });
            }
            Some(FrameKind::List { second: true, .. }) => self.marker.push_str("* "),
            _ => self.marker.push_str("- "),
        }
        self.marker.len()
    }

    /// Whether a blank line has to stand before what comes next.
    fn needs_blank(&self) -> bool {
        let Some(frame) = self.written.checked_sub(1).map(|at| &self.frames[at]) else {
            return true;
        };
        match &frame.kind {
            // Before an item.
            FrameKind::List { shape, .. } => shape.loose,
            // Before a list in an item: no blank line is needed if the list can end a paragraph.
            FrameKind::Entry { .. } if frame.last == Last::Paragraph => {
                let is_loose = self.written.checked_sub(2).is_some_and(|list| {
                    matches!(self.frames[list].kind, FrameKind::List { shape, .. } if shape.loose)
                });
                match self.frames.get(self.written).map(|next| &next.kind) {
                    Some(FrameKind::List { shape, next, .. }) => {
                        is_loose || (shape.ordered && *next != 1)
                    }
                    _ => true,
                }
            }
            _ => true,
        }
    }
}

/// What has to be closed with a list item.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct EntryOpened {
    alone: bool,
}
