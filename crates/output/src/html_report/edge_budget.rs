//! Which edges go into the report.
//!
//! A large site has millions of links, mostly the same menu on every page. The first half million are kept; after that only
//! those to broken pages, which matter most.

use std::collections::HashSet;

/// Maximum number of edges.
const MAX_EDGES: u64 = 500_000;
/// Maximum number of additional edges to broken pages.
const MAX_BROKEN_EDGES: u64 = 100_000;
/// Maximum number of broken pages remembered.
const MAX_BROKEN: usize = 50_000;

/// Counts the edges written and those left out.
#[derive(Default, Debug)]
pub(super) struct EdgeBudget {
    written: u64,
    written_broken: u64,
    left_out: u64,
    broken: HashSet<u32>,
}

impl EdgeBudget {
    /// Records a broken page.
    pub(super) fn note_broken(&mut self, id: u32) {
        if self.broken.len() < MAX_BROKEN {
            self.broken.insert(id);
        }
    }

    /// Whether to write an edge to this page; counts it as left out if not.
    pub(super) fn try_add(&mut self, to: u32) -> bool {
        if self.written < MAX_EDGES {
            self.written += 1;
        } else if self.written_broken < MAX_BROKEN_EDGES && self.broken.contains(&to) {
            self.written_broken += 1;
        } else {
            self.left_out += 1;
            return false;
        }
        true
    }

    /// Counts an edge left out because its target has no number.
    pub(super) fn leave_out(&mut self) {
        self.left_out += 1;
    }

    pub(super) fn left_out(&self) -> u64 {
        self.left_out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn beyond_the_cap_only_edges_to_broken_pages_are_written() {
        let mut edges = EdgeBudget::default();
        edges.note_broken(7);
        for _ in 0..MAX_EDGES {
            assert!(edges.try_add(1));
        }
        assert!(!edges.try_add(1));
        assert!(edges.try_add(7));
        assert_eq!(edges.left_out(), 1);
    }
}
