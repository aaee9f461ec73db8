//! Line structure of the output: the prefix of every line and the blank lines between blocks.
//!
//! Quotes, lists and footnotes are frames on a stack. A frame is written only when something inside it is, so
//! empty ones produce no output, and the marker of a list item always precedes its first line. The
//! number of frames is capped: deep nesting conveys nothing, and every level adds bytes to every line.

use super::inline::TextFormat;

/// Limits on the number of frames and on the length of a line prefix. Deeper quotes and lists are written as
/// part of the surrounding ones.
const MAX_FRAMES: usize = 32;
const MAX_PREFIX: usize = 32;

/// What was last written in a frame, as far as it affects what follows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum LastBlock {
    #[default]
    Nothing,
    Paragraph,
    List {
        ordered: bool,
        /// Uses the alternative markers, `*` or `1)`.
        second: bool,
        /// There was no list element; more items may follow.
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

/// The kind of a frame.
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
        /// Created for something inside a list but outside any item.
        implied: bool,
    },
    Note(u32),
}

/// An open quote, list, list item or footnote.
#[derive(Debug)]
struct Frame {
    kind: FrameKind,
    last: LastBlock,
    /// Length of the line prefix without this frame.
    prefix: usize,
}

/// The output so far and the open frames.
#[derive(Debug)]
pub(crate) struct Blocks {
    pub(crate) out: String,
    format: TextFormat,
    frames: Vec<Frame>,
    /// Number of frames already written to the output.
    written: usize,
    /// Prefix of a line inside the written frames.
    prefix: String,
    last: LastBlock,
    marker: String,
}

impl Blocks {
    pub(crate) fn new(format: TextFormat) -> Self {
        Self {
            out: String::new(),
            format,
            frames: Vec::new(),
            written: 0,
            prefix: String::new(),
            last: LastBlock::Nothing,
            marker: String::new(),
        }
    }

    /// The output and the line prefix together, for writers that break lines.
    pub(crate) fn out_and_prefix(&mut self) -> (&mut String, &str) {
        (&mut self.out, &self.prefix)
    }

    pub(crate) fn in_list(&self) -> bool {
        self.frames
            .iter()
            .any(|frame| matches!(frame.kind, FrameKind::Entry { .. }))
    }

    /// Whether the next block is the first of a list item.
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
        self.frames.len() >= MAX_FRAMES
            || self.frames.iter().map(width).sum::<usize>() >= MAX_PREFIX
    }

    fn push(&mut self, kind: FrameKind) {
        self.frames.push(Frame {
            kind,
            last: LastBlock::Nothing,
            prefix: 0,
        });
    }

    /// Opens a quote; returns false if the nesting limit is reached.
    pub(crate) fn open_quote(&mut self) -> bool {
        if self.is_full() {
            return false;
        }
        self.enter_entry();
        self.push(FrameKind::Quote);
        true
    }

    /// Opens a footnote definition; returns false if the nesting limit is reached.
    pub(crate) fn open_note(&mut self, number: u32) -> bool {
        if self.is_full() {
            return false;
        }
        self.push(FrameKind::Note(number));
        true
    }

    /// Opens a list; returns false if the nesting limit is reached.
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
        // In Markdown, a list directly after a list needs different markers to be a separate list.
        let (second, continues) = match above {
            LastBlock::List {
                ordered,
                second,
                implied: was_implied,
            } if ordered == shape.ordered => {
                let continues = implied && was_implied;
                let second = second == continues && self.format == TextFormat::Markdown;
                (second, continues)
            }
            _ => (false, false),
        };
        self.push(FrameKind::List {
            shape,
            next: shape.start,
            second,
            implied,
        });
        // An implied list that continues was already written by its earlier items.
        if continues && self.written + 1 == self.frames.len() {
            let prefix = self.prefix.len();
            if let Some(frame) = self.frames.last_mut() {
                frame.prefix = prefix;
            }
            self.written += 1;
        }
    }

    /// Opens a list item, and a list for it if there is none; `None` if the nesting limit is reached.
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

    /// Closes the innermost frame, and an item implied inside it.
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

    /// Whether the innermost frame is a list, so that what follows is outside any item.
    pub(crate) fn in_bare_list(&self) -> bool {
        self.frames
            .last()
            .is_some_and(|frame| matches!(frame.kind, FrameKind::List { .. }))
    }

    /// Handles content of a list that is outside any item: it goes into the preceding item, or into one of its
    /// own.
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
        let continues = self.written == self.frames.len() && frame.last != LastBlock::Nothing;
        self.push(FrameKind::Entry {
            number: next,
            implied: true,
        });
        if continues {
            let number = next - shape.step;
            let prefix = self.prefix.len();
            let width = self.marker_of(self.frames.len() - 1, number);
            self.prefix.extend(std::iter::repeat_n(' ', width));
            if let Some(frame) = self.frames.last_mut() {
                frame.prefix = prefix;
                frame.last = LastBlock::Other;
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

    /// Starts a block: writes the blank line before it, the line prefix, and all pending markers.
    pub(crate) fn begin(&mut self, kind: LastBlock) {
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
                FrameKind::Quote if self.format == TextFormat::Markdown => {
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
                    let note = match self.format {
                        TextFormat::Markdown => format!("[^{number}]: "),
                        TextFormat::Text => format!("[{number}] "),
                    };
                    self.out.push_str(&note);
                    self.prefix.push_str("    ");
                }
            }
            self.written += 1;
            self.note_child(kind);
        }
    }

    /// Ends the last line of the block.
    pub(crate) fn end(&mut self) {
        self.out.push('\n');
    }

    /// Records in the innermost written frame what is being written into it.
    fn note_child(&mut self, kind: LastBlock) {
        let child = match self.frames.get(self.written).map(|frame| &frame.kind) {
            None => kind,
            Some(FrameKind::List {
                shape,
                second,
                implied,
                ..
            }) => LastBlock::List {
                ordered: shape.ordered,
                second: *second,
                implied: *implied,
            },
            Some(_) => LastBlock::Other,
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

    /// Puts the marker of an item into `marker` and returns its width.
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

    /// Whether a blank line must precede what comes next.
    fn needs_blank(&self) -> bool {
        let Some(frame) = self.written.checked_sub(1).map(|at| &self.frames[at]) else {
            return true;
        };
        match &frame.kind {
            // Before an item.
            FrameKind::List { shape, .. } => shape.loose,
            // Before a list inside an item: no blank line is needed if the list can interrupt a paragraph.
            FrameKind::Entry { .. } if frame.last == LastBlock::Paragraph => {
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

/// What to close together with a list item.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct EntryOpened {
    alone: bool,
}
