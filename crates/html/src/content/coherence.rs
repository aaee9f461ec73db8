//! What belongs together stays together: blocks are judged one by one, but half a table, a term
//! without its definition or a section without its heading is no answer.
//!
//! Wholes are found in one pass over the nodes and settled by how much of them was chosen; then a
//! heading follows the text right below it. Nothing here knows how likely a block was.

use super::context::Context;
use super::heading;
use super::outline::Outline;
use super::page::is_frame;
use super::role::Role;

/// Words of the longest cell of a table that holds data and not the page.
const LONGEST_CELL: u32 = 60;

/// The chosen blocks, with wholes made whole.
pub(crate) fn settle(outline: &Outline, kept: Vec<bool>) -> Vec<bool> {
    let mut wholes = Wholes::of(outline, &kept);
    wholes.find();
    let mut kept = wholes.settled(kept);
    heading::raise(outline, &mut kept);
    kept
}

/// A run of blocks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Run {
    from: usize,
    to: usize,
}

/// The table being read.
#[derive(Debug, Clone, Copy, Default)]
struct Table {
    node: u32,
    row: u32,
    rows: u32,
    /// Cells of this row, and of the widest.
    cells: u32,
    columns: u32,
    longest: u32,
}

struct Wholes<'o> {
    outline: &'o Outline,
    /// Per block, the words and the kept words and the kept blocks before it.
    words: Vec<u32>,
    kept_words: Vec<u32>,
    kept_blocks: Vec<u32>,
    /// Where runs to keep and to drop begin and end: their sums say how many are around a block.
    keep: Vec<i32>,
    drop: Vec<i32>,
}

impl<'o> Wholes<'o> {
    fn of(outline: &'o Outline, kept: &[bool]) -> Self {
        let count = outline.blocks.len() + 1;
        let mut wholes = Self {
            outline,
            words: vec![0; count],
            kept_words: vec![0; count],
            kept_blocks: vec![0; count],
            keep: vec![0; count],
            drop: vec![0; count],
        };
        for (place, (block, kept)) in outline.blocks.iter().zip(kept).enumerate() {
            let words = block.measure.words;
            wholes.words[place + 1] = wholes.words[place] + words;
            wholes.kept_words[place + 1] = wholes.kept_words[place] + if *kept { words } else { 0 };
            wholes.kept_blocks[place + 1] = wholes.kept_blocks[place] + u32::from(*kept);
        }
        wholes
    }

    /// Finds the wholes and marks what is to become of them.
    fn find(&mut self) {
        let outline = self.outline;
        let mut table: Option<Table> = None;
        let mut term: Option<(u32, Run)> = None;
        for (node, facts) in outline.nodes.iter().enumerate() {
            let node = u32::try_from(node).unwrap_or(u32::MAX);
            if let Some(done) = table
                && node >= outline.at(done.node).end
            {
                self.settle_table(&done);
                table = None;
            }
            match facts.role {
                // One inside another gives up the outer one: that lays out the page.
                Role::Table if outline.at(facts.parent).role != Role::Table => {
                    table = Some(Table {
                        node,
                        ..Table::default()
                    });
                }
                Role::Cell | Role::HeadCell => {
                    if let Some(table) = &mut table {
                        table.read_cell(facts.parent, facts.totals.words);
                    }
                }
                Role::List => self.settle_list(node),
                // The outermost only, so that no climb from one meets that from another.
                Role::Code if !outline.at(facts.parent).context.has(Context::CODE) => {
                    self.fill_code(node);
                }

                Role::Term => term = Some((facts.parent, self.run(node))),
                Role::Definition => {
                    if let Some((parent, term)) = term
                        && parent == facts.parent
                    {
                        self.join(term, self.run(node));
                    }
                }
                _ => {}
            }
        }
        if let Some(done) = table {
            self.settle_table(&done);
        }
    }

    /// A term and its definition are kept together.
    fn join(&mut self, term: Run, definition: Run) {
        if self.kept(definition) > 0 {
            self.keep(term);
        } else if self.kept(term) > 0 {
            self.keep(definition);
        }
    }

    /// A table of data is kept or dropped whole.
    fn settle_table(&mut self, table: &Table) {
        let run = self.run(table.node);
        let (words, kept) = self.share(run);
        let page = self.outline.at(self.outline.body).totals.words;
        let data = table.rows >= 2 && table.columns >= 2 && table.longest <= LONGEST_CELL;
        if !data || words * 5 >= page * 2 {
            return;
        }
        let blocks = u32::try_from(run.to - run.from).unwrap_or(u32::MAX);
        let most = kept * 10 >= words * 3 || self.kept(run) * 10 >= blocks * 3;
        if most || (self.kept(run) > 0 && self.is_between(run)) {
            self.keep(run);
        } else {
            mark(&mut self.drop, run);
        }
    }

    /// A list most of whose words were chosen is kept whole, unless it is one of links.
    fn settle_list(&mut self, node: u32) {
        let run = self.run(node);
        let (words, kept) = self.share(run);
        let totals = &self.outline.at(node).totals;
        let page = self.outline.at(self.outline.body).totals.words;
        // Posts and cards are judged one by one.
        let posts = totals.headings > 0 || totals.controls > 0 || totals.prose * 2 > words;
        if posts || words * 5 >= page * 2 {
            return;
        }
        if kept * 5 >= words * 3 && kept < words && totals.link_words * 2 < words {
            self.keep(run);
        }
    }

    /// Code behind a chosen block of its container, or anywhere between two, is kept.
    fn fill_code(&mut self, node: u32) {
        let run = self.run(node);
        if run.from == run.to {
            return;
        }
        let blocks = self.outline.at(node).totals.blocks;
        let mut around = node;
        while around != 0 && self.outline.at(around).totals.blocks <= blocks {
            around = self.outline.at(around).parent;
        }
        let around = self.run(around);
        let near = run.from.saturating_sub(1).max(around.from);
        let kept = |from: usize, to: usize| self.kept(Run { from, to }) > 0;
        let between = kept(around.from, run.from) && kept(run.to, around.to);
        if between || kept(near, run.from) {
            self.keep(run);
        }
    }

    /// Whether the blocks right before and behind a run were chosen.
    fn is_between(&self, run: Run) -> bool {
        let one = |from: usize| self.kept(Run { from, to: from + 1 }) > 0;
        run.from > 0 && run.to < self.outline.blocks.len() && one(run.from - 1) && one(run.to)
    }

    fn keep(&mut self, run: Run) {
        let framed = |place: usize| is_frame(self.outline.blocks[place].context);
        if run.from < run.to && (self.kept(run) > 0 || !framed(run.from)) {
            mark(&mut self.keep, run);
        }
    }

    fn settled(&self, mut kept: Vec<bool>) -> Vec<bool> {
        let (mut keep, mut drop) = (0, 0);
        for (place, kept) in kept.iter_mut().enumerate() {
            keep += self.keep[place];
            drop += self.drop[place];
            *kept = (*kept && drop == 0) || keep > 0;
        }
        kept
    }

    /// The blocks inside a node.
    fn run(&self, node: u32) -> Run {
        let blocks = &self.outline.blocks;
        let end = self.outline.at(node).end;
        Run {
            from: blocks.partition_point(|block| block.first < node),
            to: blocks.partition_point(|block| block.first < end),
        }
    }

    fn share(&self, run: Run) -> (u32, u32) {
        (
            self.words[run.to] - self.words[run.from],
            self.kept_words[run.to] - self.kept_words[run.from],
        )
    }

    fn kept(&self, run: Run) -> u32 {
        self.kept_blocks[run.to] - self.kept_blocks[run.from]
    }
}

impl Table {
    fn read_cell(&mut self, row: u32, words: u32) {
        if self.row != row {
            self.row = row;
            self.rows += 1;
            self.cells = 0;
        }
        self.cells += 1;
        self.columns = self.columns.max(self.cells);
        self.longest = self.longest.max(words);
    }
}

fn mark(marks: &mut [i32], run: Run) {
    marks[run.from] += 1;
    marks[run.to] -= 1;
}
