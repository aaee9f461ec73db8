//! From how likely each block is main content to which blocks are kept.
//!
//! The cut is not a fixed number: with likelihoods one can say what precision and recall a cut
//! is likely to have on this very page, and the cut with the best expected balance is taken.
//!
//! Blocks of a page are right or wrong together: whether the reviews, or the grid of a shop, belong
//! to its content is one question and not a hundred. So the expectation is taken over moods, in
//! which all of the page's blocks are more, or less, likely at once.

use super::outline::Outline;

/// Moods: how far all odds shift, and how likely that is. A normal distribution in three points.
const MOODS: [(f32, f32); 3] = [(0.0, 2.0 / 3.0), (-3.46, 1.0 / 6.0), (3.46, 1.0 / 6.0)];

/// Which blocks are kept, and how good the choice is expected to be.
#[derive(Debug, Clone)]
pub(crate) struct Choice {
    pub kept: Vec<bool>,
    pub words: u32,
    /// The balance of precision and recall to expect in the likeliest mood, 0 to 1.
    pub expected: f32,
}

/// Takes the blocks whose keeping gives the best expected F1 over words.
pub(crate) fn choose(outline: &Outline, odds: &[f32]) -> Choice {
    let mut order: Vec<usize> = (0..odds.len()).collect();
    order.sort_by(|a, b| odds[*b].total_cmp(&odds[*a]));
    let words = |place: usize| outline.blocks[place].measure.words as f32;
    let chance = |place: usize, mood: f32| 1.0 / (1.0 + (-odds[place] - mood).exp());
    let mut truth = [0.0; MOODS.len()];
    for place in 0..odds.len() {
        for (sum, (mood, _)) in truth.iter_mut().zip(MOODS) {
            *sum += chance(place, mood) * words(place);
        }
    }
    let (mut hit, mut taken) = ([0.0; MOODS.len()], 0.0);
    let (mut best, mut cut, mut expected) = (0.0, 0, 0.0_f32);
    for (count, place) in order.iter().enumerate() {
        taken += words(*place);
        let mut balance = 0.0;
        for (at, (mood, weight)) in MOODS.into_iter().enumerate() {
            hit[at] += chance(*place, mood) * words(*place);
            balance += weight * 2.0 * hit[at] / (taken + truth[at]);
        }
        // Equals go together: a cut between them would be chance.
        let equal = order
            .get(count + 1)
            .is_some_and(|next| odds[*next] >= odds[*place]);
        if balance > best && !equal {
            best = balance;
            cut = count + 1;
            expected = 2.0 * hit[0] / (taken + truth[0]);
        }
    }
    let mut kept = vec![false; odds.len()];
    let mut sum = 0;
    for place in &order[..cut] {
        kept[*place] = true;
        sum += outline.blocks[*place].measure.words;
    }
    Choice {
        kept,
        words: sum,
        expected: expected.min(1.0),
    }
}
