//! A queue of tasks that were never started, stored as bytes.
//!
//! A crawl of a million pages waits here for most of its time: a task as a value is 120 bytes and its URL a piece of
//! memory of its own; here it is its path and a few bytes. The origin is stored by the queue's owner, and the page
//! that links were found on is written once for all of them. First in, first out.

use std::collections::VecDeque;
use std::sync::Arc;

use crawler_model::{Discovery, Task};
use crawler_weburl::CrawlUrl;

/// Bytes of one chunk of the queue: memory is freed chunk by chunk.
const PIECE: usize = 64 * 1024;

/// Limit on the bytes of a task besides its texts.
const MAX_NUMBERS: usize = 32;

/// The same page as the task before.
const SAME_VIA: u8 = 1;
/// There is no page.
const NO_VIA: u8 = 2;
const VIA: u8 = 3;
const FOUND_SHIFT: u32 = 2;
const FOUNDS: [Discovery; 4] = [
    Discovery::Seed,
    Discovery::Link,
    Discovery::Redirect,
    Discovery::Sitemap,
];

/// Tasks of one origin, first in, first out.
#[derive(Debug, Default)]
pub(crate) struct PackedQueue {
    pieces: VecDeque<Vec<u8>>,
    len: usize,
    /// The page of the task that came last.
    last_via: Option<Arc<str>>,
    reader: Reader,
}

/// Where the queue is read, and what is known there.
#[derive(Clone, Debug, Default)]
struct Reader {
    at: usize,
    via: Option<Arc<str>>,
}

impl PackedQueue {
    pub(crate) fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Appends a task that was never started; it belongs to the queue's origin.
    pub(crate) fn push(&mut self, task: &Task) {
        debug_assert!(task.attempt == 0 && task.first_met.is_none() && task.ticket == 0);
        let via = match (&task.via, &self.last_via) {
            (None, _) => NO_VIA,
            (Some(via), Some(last)) if via == last => SAME_VIA,
            (Some(_), _) => 0,
        };
        let path = task.url.parts().path_and_query();
        let needed = MAX_NUMBERS + path.len() + task.via.as_ref().map_or(0, |via| via.len());
        let is_full = |piece: &Vec<u8>| !piece.is_empty() && piece.len() + needed > PIECE;
        if self.pieces.back().is_none_or(is_full) {
            // The first grows as it needs to: most queues stay short.
            let room = if self.pieces.is_empty() { 0 } else { PIECE };
            self.pieces.push_back(Vec::with_capacity(room));
        }
        let Some(piece) = self.pieces.back_mut() else {
            return;
        };
        piece.push(via | (task.found as u8) << FOUND_SHIFT);
        push_number(piece, task.depth.into());
        push_number(piece, task.hops.into());
        push_text(piece, path);
        if via == 0
            && let Some(text) = &task.via
        {
            push_text(piece, text);
        }
        if via != SAME_VIA {
            self.last_via.clone_from(&task.via);
        }
        self.len += 1;
    }

    /// Takes the first task out.
    pub(crate) fn pop(&mut self, origin: &str) -> Option<Task> {
        let task = self.reader.read(self.pieces.front()?, origin)?;
        self.len -= 1;
        if self.reader.at >= self.pieces.front()?.len() {
            self.reader.at = 0;
            if self.pieces.len() > 1 {
                self.pieces.pop_front();
            } else if let Some(last) = self.pieces.front_mut() {
                last.clear();
            }
        }
        Some(task)
    }

    /// All tasks in order.
    pub(crate) fn tasks(&self, origin: &str) -> impl Iterator<Item = Task> {
        let mut reader = self.reader.clone();
        let mut pieces = self.pieces.iter();
        let mut piece = pieces.next();
        std::iter::from_fn(move || {
            loop {
                if let Some(task) = reader.read(piece?, origin) {
                    return Some(task);
                }
                reader.at = 0;
                piece = pieces.next();
            }
        })
    }
}

impl Reader {
    /// The next task of a piece; `None` at its end.
    fn read(&mut self, piece: &[u8], origin: &str) -> Option<Task> {
        let (first, mut rest) = piece.get(self.at..)?.split_first()?;
        let depth = u32::try_from(take_number(&mut rest)?).ok()?;
        let hops = u32::try_from(take_number(&mut rest)?).ok()?;
        let path = take_text(&mut rest)?;
        let mut text = String::with_capacity(origin.len() + path.len());
        text.push_str(origin);
        text.push_str(path);
        match first & VIA {
            SAME_VIA => (),
            NO_VIA => self.via = None,
            _ => self.via = Some(take_text(&mut rest)?.into()),
        }
        self.at = piece.len() - rest.len();
        let found = FOUNDS
            .into_iter()
            .find(|found| *found as u8 == first >> FOUND_SHIFT)?;
        let url = CrawlUrl::from_normalised(&text)?;
        Some(Task {
            hops,
            ..Task::new(url, found, depth, self.via.clone())
        })
    }
}

/// Seven bits per byte, the lowest first; the high bit says that there are more.
#[expect(clippy::cast_possible_truncation, reason = "seven bits are kept")]
fn push_number(out: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        out.push(number as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}

fn take_number(bytes: &mut &[u8]) -> Option<u64> {
    let mut number = 0;
    for shift in (0..64).step_by(7) {
        let (byte, rest) = bytes.split_first()?;
        *bytes = rest;
        number |= u64::from(byte & 0x7f) << shift;
        if *byte < 0x80 {
            return Some(number);
        }
    }
    None
}

fn push_text(out: &mut Vec<u8>, text: &str) {
    push_number(out, text.len() as u64);
    out.extend_from_slice(text.as_bytes());
}

fn take_text<'b>(bytes: &mut &'b [u8]) -> Option<&'b str> {
    let len = usize::try_from(take_number(bytes)?).ok()?;
    let (text, rest) = bytes.split_at_checked(len)?;
    *bytes = rest;
    std::str::from_utf8(text).ok()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const ORIGIN: &str = "https://a.example:8443";

    fn task(path: &str, depth: u32, hops: u32, via: Option<usize>, found: usize) -> Task {
        let url = CrawlUrl::parse(&format!("{ORIGIN}{path}")).unwrap();
        let via = via.map(|page| format!("{ORIGIN}/via/{page}").into());
        Task {
            hops,
            ..Task::new(url, FOUNDS[found], depth, via)
        }
    }

    fn any_task() -> impl Strategy<Value = Task> {
        let path = prop_oneof!["/[a-zé]{0,8}(\\?[a-z=]{0,200})?", "/(x{20000})?"];
        let depth = prop_oneof![0..9_u32, Just(u32::MAX)];
        let via = proptest::option::of(0..3_usize);
        (path, depth, 0..300_u32, via, 0..4_usize)
            .prop_map(|(path, depth, hops, via, found)| task(&path, depth, hops, via, found))
    }

    proptest! {
        /// Against a plain queue: what goes in comes out, in order, whenever it is taken.
        #[test]
        fn what_goes_in_comes_out(
            steps in proptest::collection::vec(proptest::option::of(any_task()), 0..80)
        ) {
            let (mut packed, mut plain) = (PackedQueue::default(), VecDeque::new());
            for step in steps {
                if let Some(task) = step {
                    packed.push(&task);
                    plain.push_back(task);
                } else {
                    prop_assert_eq!(packed.pop(ORIGIN), plain.pop_front());
                }
                prop_assert_eq!(packed.is_empty(), plain.is_empty());
            }
            prop_assert!(packed.tasks(ORIGIN).eq(plain.iter().cloned()));
            while let Some(task) = plain.pop_front() {
                prop_assert_eq!(packed.pop(ORIGIN), Some(task));
            }
            prop_assert_eq!(packed.pop(ORIGIN), None);
        }
    }

    #[test]
    fn a_task_is_little_more_than_its_path() {
        const TASKS: usize = 100_000;
        for (folder, links) in [("p", 10), ("a/longer/folder", 7)] {
            let mut queue = PackedQueue::default();
            let held = |queue: &PackedQueue| queue.pieces.iter().map(Vec::capacity).sum::<usize>();
            let mut paths = 0;
            for number in 0..TASKS {
                let path = format!("/{folder}/{number}");
                paths += path.len();
                queue.push(&task(&path, 7, 0, Some(number / links), 1));
            }
            assert!(held(&queue) < paths + TASKS * 11, "{}", held(&queue));
            for _ in 0..TASKS {
                queue.pop(ORIGIN).unwrap();
            }
            assert!(held(&queue) <= 2 * PIECE, "{}", held(&queue));
        }
    }
}
