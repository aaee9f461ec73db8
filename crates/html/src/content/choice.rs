//! Chooses the blocks to keep from their likelihoods.
//!
//! The threshold is not fixed: the likelihoods predict the precision and recall of any cut on this very page,
//! and the cut with the best expected F1 is taken.
//!
//! Errors within a page are correlated: whether the reviews or the product grid of a shop belong to its
//! content is one question, not a hundred. So the expectation is taken over scenarios in which all blocks of
//! the page are more likely, or less likely, at once.

use super::outline::Outline;

/// Scenarios: the shift of all log-odds, and its probability. A normal distribution in three points.
const SCENARIOS: [(f32, f32); 3] = [(0.0, 2.0 / 3.0), (-3.46, 1.0 / 6.0), (3.46, 1.0 / 6.0)];

/// Which blocks are kept, and how good that choice is expected to be.
#[derive(Debug, Clone)]
pub(crate) struct Choice {
    pub kept: Vec<bool>,
    pub words: u32,
    /// Expected F1 in the most likely scenario, 0 to 1.
    pub expected: f32,
}

/// Keeps the blocks with the best expected F1 over words.
pub(crate) fn choose(outline: &Outline, odds: &[f32]) -> Choice {
    let mut order: Vec<usize> = (0..odds.len()).collect();
    order.sort_by(|a, b| odds[*b].total_cmp(&odds[*a]));
    let words = |index: usize| outline.blocks[index].measure.words as f32;
    let chance = |index: usize, shift: f32| 1.0 / (1.0 + (-odds[index] - shift).exp());
    let mut truth = [0.0; SCENARIOS.len()];
    for index in 0..odds.len() {
        for (sum, (shift, _)) in truth.iter_mut().zip(SCENARIOS) {
            *sum += chance(index, shift) * words(index);
        }
    }
    let (mut hit, mut taken) = ([0.0; SCENARIOS.len()], 0.0);
    let (mut best, mut cut, mut expected) = (0.0, 0, 0.0_f32);
    for (count, index) in order.iter().enumerate() {
        taken += words(*index);
        let mut balance = 0.0;
        for (at, (shift, weight)) in SCENARIOS.into_iter().enumerate() {
            hit[at] += chance(*index, shift) * words(*index);
            balance += weight * 2.0 * hit[at] / (taken + truth[at]);
        }
        // Blocks with equal odds stay together: a cut between them would be arbitrary.
        let equal = order
            .get(count + 1)
            .is_some_and(|next| odds[*next] >= odds[*index]);
        if balance > best && !equal {
            best = balance;
            cut = count + 1;
            expected = 2.0 * hit[0] / (taken + truth[0]);
        }
    }
    let mut kept = vec![false; odds.len()];
    let mut sum = 0;
    for index in &order[..cut] {
        kept[*index] = true;
        sum += outline.blocks[*index].measure.words;
    }
    Choice {
        kept,
        words: sum,
        expected: expected.min(1.0),
    }
}
