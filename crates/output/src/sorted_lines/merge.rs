//! Several sorted runs read as one.

use std::cmp::Ordering;
use std::collections::BinaryHeap;
use std::collections::binary_heap::PeekMut;
use std::io;
use std::mem;

use super::run::{Run, RunReader};

/// Reads sorted runs in order, each line once.
#[derive(Debug)]
pub(crate) struct Merge {
    heads: BinaryHeap<Head>,
    last: Option<Vec<u8>>,
}

/// A run and its next line, ordered in reverse because the heap returns its maximum.
#[derive(Debug)]
struct Head {
    line: Vec<u8>,
    rest: RunReader,
}

impl Merge {
    pub(super) fn new(runs: Vec<Run>) -> io::Result<Self> {
        let mut heads = BinaryHeap::with_capacity(runs.len());
        for run in runs {
            let mut head = Head {
                line: Vec::new(),
                rest: RunReader::new(run),
            };
            if head.rest.read(&mut head.line)? {
                heads.push(head);
            }
        }
        Ok(Self { heads, last: None })
    }

    pub(super) fn next_line(&mut self) -> io::Result<Option<&[u8]>> {
        loop {
            let Some(mut head) = self.heads.peek_mut() else {
                return Ok(None);
            };
            let new = self.last.as_ref() != Some(&head.line);
            if new {
                let last = self.last.get_or_insert_default();
                mem::swap(last, &mut head.line);
            }
            let Head { line, rest } = &mut *head;
            if !rest.read(line)? {
                PeekMut::pop(head);
            }
            if new {
                return Ok(self.last.as_deref());
            }
        }
    }
}

impl Ord for Head {
    fn cmp(&self, other: &Self) -> Ordering {
        other.line.cmp(&self.line)
    }
}

impl PartialOrd for Head {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Head {
    fn eq(&self, other: &Self) -> bool {
        self.line == other.line
    }
}

impl Eq for Head {}
