//! A queue of tasks that were never started, stored as bytes.
//!
//! Most URLs of a large crawl wait here. A `Task` takes 120 bytes and a separate allocation for its URL; packed, it takes
//! its path and a few bytes. The queue's owner stores the origin, and a `via` shared by successive tasks is written once.
//! First in, first out.

use std::collections::VecDeque;
use std::sync::Arc;

use crawler_model::{Discovery, Task};
use crawler_weburl::CrawlUrl;

/// Bytes of one chunk of the queue: memory is freed chunk by chunk.
const CHUNK_BYTES: usize = 64 * 1024;

/// Limit on the bytes of a task besides its texts.
const MAX_HEADER_BYTES: usize = 32;

/// Same `via` as the previous task.
const SAME_VIA: u8 = 1;
/// No `via`.
const NO_VIA: u8 = 2;
const VIA_MASK: u8 = 3;
const DISCOVERY_SHIFT: u32 = 2;
const DISCOVERIES: [Discovery; 4] = [
    Discovery::Seed,
    Discovery::Link,
    Discovery::Redirect,
    Discovery::Sitemap,
];

/// Tasks of one origin, first in, first out.
#[derive(Debug, Default)]
pub(crate) struct PackedQueue {
    chunks: VecDeque<Vec<u8>>,
    len: usize,
    /// `via` of the task pushed last.
    last_via: Option<Arc<str>>,
    reader: Reader,
}

/// The read position, and the `via` of the task read last.
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
        debug_assert!(task.attempt == 0 && task.reported_url.is_none() && task.ticket == 0);
        let via = match (&task.via, &self.last_via) {
            (None, _) => NO_VIA,
            (Some(via), Some(last)) if via == last => SAME_VIA,
            (Some(_), _) => 0,
        };
        let path = task.url.parts().path_and_query();
        let needed = MAX_HEADER_BYTES + path.len() + task.via.as_ref().map_or(0, |via| via.len());
        let is_full = |chunk: &Vec<u8>| !chunk.is_empty() && chunk.len() + needed > CHUNK_BYTES;
        if self.chunks.back().is_none_or(is_full) {
            // The first chunk grows as needed: most queues stay short.
            let capacity = if self.chunks.is_empty() {
                0
            } else {
                CHUNK_BYTES
            };
            self.chunks.push_back(Vec::with_capacity(capacity));
        }
        let Some(chunk) = self.chunks.back_mut() else {
            return;
        };
        chunk.push(via | (task.found as u8) << DISCOVERY_SHIFT);
        push_number(chunk, task.depth.into());
        push_number(chunk, task.hops.into());
        push_text(chunk, path);
        if via == 0
            && let Some(text) = &task.via
        {
            push_text(chunk, text);
        }
        if via != SAME_VIA {
            self.last_via.clone_from(&task.via);
        }
        self.len += 1;
    }

    /// Removes the first task.
    pub(crate) fn pop(&mut self, origin: &str) -> Option<Task> {
        let task = self.reader.read(self.chunks.front()?, origin)?;
        self.len -= 1;
        if self.reader.at >= self.chunks.front()?.len() {
            self.reader.at = 0;
            if self.chunks.len() > 1 {
                self.chunks.pop_front();
            } else if let Some(last) = self.chunks.front_mut() {
                last.clear();
            }
        }
        Some(task)
    }

    /// All tasks in order.
    pub(crate) fn tasks(&self, origin: &str) -> impl Iterator<Item = Task> {
        let mut reader = self.reader.clone();
        let mut chunks = self.chunks.iter();
        let mut chunk = chunks.next();
        std::iter::from_fn(move || {
            loop {
                if let Some(task) = reader.read(chunk?, origin) {
                    return Some(task);
                }
                reader.at = 0;
                chunk = chunks.next();
            }
        })
    }
}

impl Reader {
    /// The next task of a chunk; `None` at its end.
    fn read(&mut self, chunk: &[u8], origin: &str) -> Option<Task> {
        let (first, mut rest) = chunk.get(self.at..)?.split_first()?;
        let depth = u32::try_from(take_number(&mut rest)?).ok()?;
        let hops = u32::try_from(take_number(&mut rest)?).ok()?;
        let path = take_text(&mut rest)?;
        let mut text = String::with_capacity(origin.len() + path.len());
        text.push_str(origin);
        text.push_str(path);
        match first & VIA_MASK {
            SAME_VIA => (),
            NO_VIA => self.via = None,
            _ => self.via = Some(take_text(&mut rest)?.into()),
        }
        self.at = chunk.len() - rest.len();
        let found = DISCOVERIES
            .into_iter()
            .find(|found| *found as u8 == first >> DISCOVERY_SHIFT)?;
        let url = CrawlUrl::from_normalized(&text)?;
        Some(Task {
            hops,
            ..Task::new(url, found, depth, self.via.clone())
        })
    }
}

/// Seven bits per byte, the lowest first; the high bit marks that more follow.
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
            ..Task::new(url, DISCOVERIES[found], depth, via)
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
        /// Behaves like a plain queue for every sequence of pushes and pops.
        #[test]
        fn matches_a_plain_queue(
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
    fn a_task_takes_little_more_than_its_path() {
        const TASKS: usize = 100_000;
        for (folder, links) in [("p", 10), ("a/longer/folder", 7)] {
            let mut queue = PackedQueue::default();
            let allocated =
                |queue: &PackedQueue| queue.chunks.iter().map(Vec::capacity).sum::<usize>();
            let mut paths = 0;
            for number in 0..TASKS {
                let path = format!("/{folder}/{number}");
                paths += path.len();
                queue.push(&task(&path, 7, 0, Some(number / links), 1));
            }
            assert!(
                allocated(&queue) < paths + TASKS * 11,
                "{}",
                allocated(&queue)
            );
            for _ in 0..TASKS {
                queue.pop(ORIGIN).unwrap();
            }
            assert!(
                allocated(&queue) <= 2 * CHUNK_BYTES,
                "{}",
                allocated(&queue)
            );
        }
    }
}
