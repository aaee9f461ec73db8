//! From how likely each block is main content to which blocks are kept.
//!
//! The cut is not a fixed number: with likelihoods one can say what precision and recall a cut
//! is likely to have on this very page, and the cut with the best expected balance is taken.

use super::outline::Outline;

/// Likelihoods are in steps of this.
pub(crate) const CERTAIN: f32 = 1.0;

/// Which blocks are kept, and how good the choice is expected to be.
#[derive(Debug, Clone)]
pub(crate) struct Choice {
    pub kept: Vec<bool>,
    pub words: u32,
    /// The expected balance of precision and recall, 0 to 1.
    pub expected: f32,
}

/// Takes the blocks whose keeping gives the best expected F1 over words.
pub(crate) fn choose(outline: &Outline, likely: &[f32]) -> Choice {
    let mut order: Vec<usize> = (0..likely.len()).collect();
    order.sort_by(|a, b| likely[*b].total_cmp(&likely[*a]));
    let words = |place: usize| outline.blocks[place].measure.words as f32;
    let truth: f32 = likely.iter().enumerate().map(|(at, p)| p * words(at)).sum();
    let (mut hit, mut taken) = (0.0, 0.0);
    let (mut best, mut cut) = (0.0, 0);
    for (count, place) in order.iter().enumerate() {
        hit += likely[*place] * words(*place);
        taken += words(*place);
        let balance = 2.0 * hit / (taken + truth);
        // Equals go together: a cut between them would be chance.
        let equal = order
            .get(count + 1)
            .is_some_and(|next| likely[*next] >= likely[*place]);
        if balance > best && !equal {
            best = balance;
            cut = count + 1;
        }
    }
    let mut kept = vec![false; likely.len()];
    let mut sum = 0;
    for place in &order[..cut] {
        kept[*place] = true;
        sum += outline.blocks[*place].measure.words;
    }
    Choice {
        kept,
        words: sum,
        expected: best.min(CERTAIN),
    }
}
