//! How much is queued or in flight at each depth.
//!
//! With a depth limit, a page of depth d+1 is not started while one of depth ≤ d is queued or in flight:
//! then depth is the shortest distance and the visited set does not depend on timing.

#[derive(Debug, Default)]
pub(crate) struct LevelCounts {
    levels: Vec<u64>,
    lowest: usize,
}

impl LevelCounts {
    pub(crate) fn add(&mut self, depth: u32) {
        let depth = depth as usize;
        if depth >= self.levels.len() {
            self.levels.resize(depth + 1, 0);
        }
        self.levels[depth] += 1;
        self.lowest = self.lowest.min(depth);
    }

    pub(crate) fn remove(&mut self, depth: u32) {
        self.levels[depth as usize] -= 1;
    }

    /// The lowest depth with anything queued or in flight.
    pub(crate) fn lowest(&mut self) -> Option<u32> {
        while self.levels.get(self.lowest) == Some(&0) {
            self.lowest += 1;
        }
        if self.lowest >= self.levels.len() {
            self.lowest = self.levels.len();
            return None;
        }
        u32::try_from(self.lowest).ok()
    }
}
