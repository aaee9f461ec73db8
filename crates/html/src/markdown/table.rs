//! Writes a table in GFM syntax.
//!
//! Cells arrive as finished text and are placed on a grid: positions covered by a wide or tall cell stay
//! blank, so that columns keep their alignment. Blanks can make the output much longer than the page, so
//! spans are clamped and the number of blanks is limited. GFM allows rows shorter than the header; trailing blanks are
//! not written.

use std::ops::Range;

use super::inline::TextFormat;

/// Maximum column or row span of a cell.
const MAX_SPAN: usize = 100;

/// Alignment of a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Align {
    #[default]
    None,
    Left,
    Center,
    Right,
}

/// Span, role and alignment of a cell.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct CellShape {
    pub(crate) columns: usize,
    pub(crate) rows: usize,
    pub(crate) heading: bool,
    pub(crate) align: Align,
}

#[derive(Debug)]
struct Cell {
    text: Range<usize>,
    shape: CellShape,
}

#[derive(Debug)]
struct Row {
    first: usize,
    in_head: bool,
}

/// A table being collected.
#[derive(Debug, Default)]
pub(crate) struct Table {
    text: String,
    cells: Vec<Cell>,
    rows: Vec<Row>,
}

impl Table {
    pub(crate) fn open_row(&mut self, in_head: bool) {
        self.rows.push(Row {
            first: self.cells.len(),
            in_head,
        });
    }

    /// Adds a cell; `write` appends its text.
    pub(crate) fn push_cell(&mut self, shape: CellShape, write: impl FnOnce(&mut String)) {
        if self.rows.is_empty() {
            self.open_row(false);
        }
        let start = self.text.len();
        write(&mut self.text);
        self.cells.push(Cell {
            text: start..self.text.len(),
            shape,
        });
    }

    pub(crate) fn is_blank(&self) -> bool {
        self.text.is_empty()
    }

    fn cells_of(&self, row: usize) -> &[Cell] {
        let end = self
            .rows
            .get(row + 1)
            .map_or(self.cells.len(), |next| next.first);
        &self.cells[self.rows[row].first..end]
    }

    /// Appends the table without a trailing line feed. `prefix` starts every line except the first.
    pub(crate) fn write(&self, format: TextFormat, prefix: &str, out: &mut String) {
        let grid = self.grid();
        let shown: Vec<usize> = (0..grid.len())
            .filter(|&row| !grid[row].is_empty())
            .collect();
        if format == TextFormat::Text {
            for (index, &row) in shown.iter().enumerate() {
                if index > 0 {
                    out.push('\n');
                    out.push_str(prefix);
                }
                for (column, cell) in grid[row].iter().enumerate() {
                    if column > 0 {
                        out.push('\t');
                    }
                    out.push_str(self.text_of(*cell));
                }
            }
            return;
        }
        let columns = grid.iter().map(Vec::len).max().unwrap_or(0);
        let (header, body) = match shown.split_first() {
            Some((&first, rest)) if self.is_header(first) => (Some(first), rest),
            _ => (None, &shown[..]),
        };
        let header = header.map_or(&[][..], |row| &grid[row]);
        for column in 0..columns {
            out.push_str("| ");
            out.push_str(header.get(column).map_or("", |cell| self.text_of(*cell)));
            out.push(' ');
        }
        out.push_str("|\n");
        out.push_str(prefix);
        let aligned = shown.first().map_or(&[][..], |&row| &grid[row]);
        for column in 0..columns {
            let align = aligned
                .get(column)
                .copied()
                .flatten()
                .map_or(Align::None, |cell| self.cells[cell].shape.align);
            out.push_str(match align {
                Align::None => "| --- ",
                Align::Left => "| :-- ",
                Align::Center => "| :-: ",
                Align::Right => "| --: ",
            });
        }
        out.push('|');
        for &row in body {
            out.push('\n');
            out.push_str(prefix);
            for cell in &grid[row] {
                out.push_str("| ");
                out.push_str(self.text_of(*cell));
                out.push(' ');
            }
            out.push('|');
        }
    }

    fn text_of(&self, cell: Option<usize>) -> &str {
        cell.map_or("", |cell| &self.text[self.cells[cell].text.clone()])
    }

    fn is_header(&self, row: usize) -> bool {
        self.rows[row].in_head || self.cells_of(row).iter().all(|cell| cell.shape.heading)
    }

    /// Per row, the cell at every column. Rows without text are empty, and no row ends in blanks.
    fn grid(&self) -> Vec<Vec<Option<usize>>> {
        let mut blank_budget = self.cells.len() * 4 + 256;
        // Per column, the row up to which a tall cell covers it.
        let mut covered: Vec<usize> = Vec::new();
        let mut grid = Vec::with_capacity(self.rows.len());
        for row in 0..self.rows.len() {
            let mut line: Vec<Option<usize>> = Vec::new();
            let first = self.rows[row].first;
            for (index, cell) in self.cells_of(row).iter().enumerate() {
                while blank_budget > 0 && covered.get(line.len()).is_some_and(|&until| until > row)
                {
                    blank_budget -= 1;
                    line.push(None);
                }
                let start = line.len();
                line.push(Some(first + index));
                let wide = cell.shape.columns.clamp(1, MAX_SPAN) - 1;
                let blanks = wide.min(blank_budget);
                blank_budget -= blanks;
                line.extend(std::iter::repeat_n(None, blanks));
                let tall = cell.shape.rows.clamp(1, MAX_SPAN);
                if tall > 1 {
                    if covered.len() < line.len() {
                        covered.resize(line.len(), 0);
                    }
                    covered[start..line.len()].fill(row + tall);
                }
            }
            while line
                .last()
                .is_some_and(|cell| self.text_of(*cell).is_empty())
            {
                line.pop();
            }
            grid.push(line);
        }
        grid
    }
}
