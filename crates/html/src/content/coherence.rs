//! Makes the selection coherent. Blocks are scored one by one, but half a table, a term without its definition
//! or a section without its heading makes no sense.
//!
//! Groups are found in one pass over the nodes and kept or dropped by how much of them was selected; then a
//! heading follows the text right below it. The likelihood of a block plays no part here.

use super::context::Context;
use super::heading;
use super::outline::Outline;
use super::profile::is_frame;
use super::role::Role;
use super::siblings;

/// Maximum words in a cell of a data table; a table with longer cells is page layout.
const MAX_DATA_CELL: u32 = 60;

/// Returns the selected blocks with incomplete groups completed or dropped.
pub(crate) fn complete(outline: &Outline, kept: Vec<bool>) -> Vec<bool> {
    let mut groups = Groups::of(outline, &kept);
    groups.find();
    let mut kept = groups.apply(kept);
    siblings::keep_siblings(outline, &mut kept);
    heading::keep_headings(outline, &mut kept);
    kept
}

/// A range of blocks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct BlockRange {
    from: usize,
    to: usize,
}

/// The table being read.
#[derive(Debug, Clone, Copy, Default)]
struct TableScan {
    node: u32,
    row: u32,
    rows: u32,
    /// Cells of the current row, and of the widest row.
    cells: u32,
    columns: u32,
    longest: u32,
}

/// The blocks of a page with the ranges to keep and drop.
struct Groups<'o> {
    outline: &'o Outline,
    /// Per block: the words, kept words and kept blocks before it.
    words: Vec<u32>,
    kept_words: Vec<u32>,
    kept_blocks: Vec<u32>,
    /// Difference arrays: +1 where a range to keep or drop begins, -1 where it ends.
    keep: Vec<i32>,
    drop: Vec<i32>,
}

impl<'o> Groups<'o> {
    fn of(outline: &'o Outline, kept: &[bool]) -> Self {
        let count = outline.blocks.len() + 1;
        let mut groups = Self {
            outline,
            words: vec![0; count],
            kept_words: vec![0; count],
            kept_blocks: vec![0; count],
            keep: vec![0; count],
            drop: vec![0; count],
        };
        for (index, (block, kept)) in outline.blocks.iter().zip(kept).enumerate() {
            let words = block.measure.words;
            groups.words[index + 1] = groups.words[index] + words;
            groups.kept_words[index + 1] = groups.kept_words[index] + if *kept { words } else { 0 };
            groups.kept_blocks[index + 1] = groups.kept_blocks[index] + u32::from(*kept);
        }
        groups
    }

    /// Finds the groups and marks what to keep and drop.
    fn find(&mut self) {
        let outline = self.outline;
        let mut table: Option<TableScan> = None;
        let mut term: Option<(u32, BlockRange)> = None;
        for (node, facts) in outline.nodes.iter().enumerate() {
            let node = u32::try_from(node).unwrap_or(u32::MAX);
            if let Some(done) = table
                && node >= outline.at(done.node).end
            {
                self.decide_table(&done);
                table = None;
            }
            match facts.role {
                // A nested table replaces the outer one, which is page layout.
                Role::Table if outline.at(facts.parent).role != Role::Table => {
                    table = Some(TableScan {
                        node,
                        ..TableScan::default()
                    });
                }
                Role::Cell | Role::HeadCell => {
                    if let Some(table) = &mut table {
                        table.read_cell(facts.parent, facts.totals.words);
                    }
                }
                Role::List => self.decide_list(node),
                // Only the outermost, so that two searches upward never overlap.
                Role::Code if !outline.at(facts.parent).context.has(Context::CODE) => {
                    self.fill_code(node);
                }

                Role::Term => term = Some((facts.parent, self.run(node))),
                Role::Definition => {
                    if let Some((parent, term)) = term
                        && parent == facts.parent
                    {
                        self.keep_together(term, self.run(node));
                    }
                }
                _ => {}
            }
        }
        if let Some(done) = table {
            self.decide_table(&done);
        }
    }

    /// Keeps a term and its definition together.
    fn keep_together(&mut self, term: BlockRange, definition: BlockRange) {
        if self.kept(definition) > 0 {
            self.keep(term);
        } else if self.kept(term) > 0 {
            self.keep(definition);
        }
    }

    /// Keeps or drops a data table as a whole.
    fn decide_table(&mut self, table: &TableScan) {
        let run = self.run(table.node);
        let (words, kept) = self.share(run);
        let page = self.outline.at(self.outline.body).totals.words;
        let data = table.rows >= 2 && table.columns >= 2 && table.longest <= MAX_DATA_CELL;
        if !data || words * 5 >= page * 2 {
            return;
        }
        let blocks = u32::try_from(run.to - run.from).unwrap_or(u32::MAX);
        let mostly_kept = kept * 10 >= words * 3 || self.kept(run) * 10 >= blocks * 3;
        if mostly_kept || (self.kept(run) > 0 && self.is_between(run)) {
            self.keep(run);
        } else {
            mark(&mut self.drop, run);
        }
    }

    /// Keeps a list as a whole if most of its words were selected, unless it consists of links.
    fn decide_list(&mut self, node: u32) {
        let run = self.run(node);
        let (words, kept) = self.share(run);
        let totals = &self.outline.at(node).totals;
        let page = self.outline.at(self.outline.body).totals.words;
        // Posts and cards are selected one by one.
        let posts = totals.headings > 0 || totals.controls > 0 || totals.prose * 2 > words;
        if posts || words * 5 >= page * 2 {
            return;
        }
        if kept * 5 >= words * 3 && kept < words && totals.link_words * 2 < words {
            self.keep(run);
        }
    }

    /// Keeps code right after a selected block of its container, or anywhere between two of them.
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
        let kept = |from: usize, to: usize| self.kept(BlockRange { from, to }) > 0;
        let between = kept(around.from, run.from) && kept(run.to, around.to);
        if between || kept(near, run.from) {
            self.keep(run);
        }
    }

    /// Whether the blocks right before and after a range were selected.
    fn is_between(&self, run: BlockRange) -> bool {
        let one = |from: usize| self.kept(BlockRange { from, to: from + 1 }) > 0;
        run.from > 0 && run.to < self.outline.blocks.len() && one(run.from - 1) && one(run.to)
    }

    fn keep(&mut self, run: BlockRange) {
        let framed = |index: usize| is_frame(self.outline.blocks[index].context);
        if run.from < run.to && (self.kept(run) > 0 || !framed(run.from)) {
            mark(&mut self.keep, run);
        }
    }

    fn apply(&self, mut kept: Vec<bool>) -> Vec<bool> {
        let (mut keep, mut drop) = (0, 0);
        for (index, kept) in kept.iter_mut().enumerate() {
            keep += self.keep[index];
            drop += self.drop[index];
            *kept = (*kept && drop == 0) || keep > 0;
        }
        kept
    }

    /// The blocks inside a node.
    fn run(&self, node: u32) -> BlockRange {
        let blocks = &self.outline.blocks;
        let end = self.outline.at(node).end;
        BlockRange {
            from: blocks.partition_point(|block| block.first < node),
            to: blocks.partition_point(|block| block.first < end),
        }
    }

    fn share(&self, run: BlockRange) -> (u32, u32) {
        (
            self.words[run.to] - self.words[run.from],
            self.kept_words[run.to] - self.kept_words[run.from],
        )
    }

    fn kept(&self, run: BlockRange) -> u32 {
        self.kept_blocks[run.to] - self.kept_blocks[run.from]
    }
}

impl TableScan {
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

fn mark(marks: &mut [i32], run: BlockRange) {
    marks[run.from] += 1;
    marks[run.to] -= 1;
}
