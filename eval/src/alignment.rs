//! Labels for training: which blocks of a page are in its ground truth.
//!
//! A block of five words or more is in the truth if most of its words are in runs of five that the truth
//! contains too. A shorter block is ambiguous (a menu's "Reviews" is also a word of a sentence), so it has to
//! be a line of the truth, or be next to its neighbors there. If a text occurs more often on the page than in
//! the truth, the copies among other kept blocks win.

use std::collections::{HashMap, HashSet};

/// Length of the word runs that are compared.
const RUN_LENGTH: usize = 5;

fn hash(words: &[u32]) -> u64 {
    words.iter().fold(words.len() as u64 + 1, |hash, word| {
        (hash.rotate_left(21) ^ u64::from(*word)).wrapping_mul(0x9e37_79b9_7f4a_7c15)
    })
}

/// Returns, for every block, the share of it that is in the truth.
pub(crate) fn align(blocks: &[Vec<u32>], truth: &[u32], lines: &[Vec<u32>]) -> Vec<f32> {
    let mut runs: HashMap<u64, u32> = HashMap::new();
    for length in 1..=RUN_LENGTH {
        for run in truth.windows(length) {
            *runs.entry(hash(run)).or_default() += 1;
        }
    }
    let lines: HashSet<u64> = lines
        .iter()
        .filter(|line| !line.is_empty())
        .map(|line| hash(line))
        .collect();
    let mut labels: Vec<f32> = blocks.iter().map(|block| coverage(block, &runs)).collect();
    // Short blocks need more evidence than their own words.
    for at in 0..blocks.len() {
        let block = &blocks[at];
        if block.len() < RUN_LENGTH && labels[at] > 0.0 {
            let placed = lines.contains(&hash(block)) || continues(blocks, at, &runs);
            if !placed {
                labels[at] = 0.0;
            }
        }
    }
    limit_copies(blocks, &runs, &mut labels);
    labels
}

fn coverage(block: &[u32], runs: &HashMap<u64, u32>) -> f32 {
    if block.is_empty() {
        return 0.0;
    }
    let length = block.len().min(RUN_LENGTH);
    let mut covered = vec![false; block.len()];
    for (at, run) in block.windows(length).enumerate() {
        if runs.contains_key(&hash(run)) {
            covered[at..at + length].fill(true);
        }
    }
    covered.iter().filter(|hit| **hit).count() as f32 / block.len() as f32
}

/// Whether the truth contains the block joined to the end of the previous one or the start of the next.
fn continues(blocks: &[Vec<u32>], at: usize, runs: &HashMap<u64, u32>) -> bool {
    let block = &blocks[at];
    let missing = RUN_LENGTH - block.len();
    let before: Vec<u32> = blocks[..at]
        .iter()
        .rev()
        .take(4)
        .flat_map(|b| b.iter().rev())
        .take(missing.min(2))
        .copied()
        .collect();
    let mut joined: Vec<u32> = before.into_iter().rev().collect();
    joined.extend(block);
    if joined.len() > block.len() && runs.contains_key(&hash(&joined)) {
        return true;
    }
    let mut joined = block.clone();
    joined.extend(
        blocks[at + 1..]
            .iter()
            .take(4)
            .flatten()
            .take(missing.min(2)),
    );
    joined.len() > block.len() && runs.contains_key(&hash(&joined))
}

/// Keeps as many copies of a text as the truth has, preferring those with the most truth around them.
fn limit_copies(blocks: &[Vec<u32>], runs: &HashMap<u64, u32>, labels: &mut [f32]) {
    let mut copies: HashMap<u64, Vec<usize>> = HashMap::new();
    for (at, block) in blocks.iter().enumerate() {
        if labels[at] >= 0.5 {
            copies.entry(hash(block)).or_default().push(at);
        }
    }
    let unlimited = labels.to_vec();
    let support = |at: usize| -> f32 {
        let mut sum = 0.0;
        for other in at.saturating_sub(12)..(at + 13).min(blocks.len()) {
            if other != at && blocks[other].len() >= RUN_LENGTH {
                let weight =
                    (blocks[other].len() as f32).sqrt() / (1.0 + other.abs_diff(at) as f32);
                sum += (unlimited[other] - 0.4) * weight;
            }
        }
        sum
    };
    for positions in copies.values() {
        let block = &blocks[positions[0]];
        let length = block.len().min(RUN_LENGTH);
        let allowed = block
            .windows(length)
            .filter_map(|run| runs.get(&hash(run)))
            .min();
        let allowed = allowed.copied().unwrap_or(0).max(1) as usize;
        if positions.len() <= allowed {
            continue;
        }
        let mut ranked: Vec<usize> = positions.clone();
        ranked.sort_by(|a, b| support(*b).total_cmp(&support(*a)).then(a.cmp(b)));
        for at in &ranked[allowed..] {
            labels[*at] = 0.0;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::align;
    use crate::words::Interner;

    #[test]
    fn blocks_are_found_in_the_truth() {
        let mut interner = Interner::default();
        let truth = "Reviews\nthe kettle pours without a drip and holds six cups";
        let blocks = [
            ("Reviews", 1.0),
            ("The kettle pours without a drip and holds six cups", 1.0),
            ("kettle", 0.0), // a word of a sentence is not a line of its own
            ("Send it back within thirty days of purchase", 0.0),
            ("holds", 0.0),
        ];
        let words: Vec<Vec<u32>> = blocks.iter().map(|block| interner.words(block.0)).collect();
        let lines: Vec<Vec<u32>> = truth.lines().map(|line| interner.words(line)).collect();
        let labels = align(&words, &interner.words(truth), &lines);
        for ((text, expected), label) in blocks.iter().zip(labels) {
            assert!((label - expected).abs() < 1e-6, "{text}: {label}");
        }
    }

    #[test]
    fn the_copy_among_kept_blocks_is_the_one_labeled() {
        let mut interner = Interner::default();
        let truth = "a long line about the making of good bread\nSour rye\nanother long line about rye and wheat flour";
        let texts = [
            "Sour rye",
            "a menu entry that nobody will ever want to read",
            "a second menu entry that nobody wants to read either",
            "a long line about the making of good bread",
            "Sour rye",
            "another long line about rye and wheat flour",
        ];
        let words: Vec<Vec<u32>> = texts.iter().map(|text| interner.words(text)).collect();
        let lines: Vec<Vec<u32>> = truth.lines().map(|line| interner.words(line)).collect();
        let labels = align(&words, &interner.words(truth), &lines);
        assert!(labels[0] < 0.5 && labels[4] > 0.5, "{labels:?}");
    }
}
