//! Scores a page: its kind, and the odds of each of its blocks.

use super::PageKind;
use super::features::{FeatureSink as _, PageAnalysis};
use super::model::ContentModel;

/// The model's prediction for a page.
#[derive(Debug)]
pub(crate) struct PageScores {
    /// Per block: the log-odds of being main content.
    pub odds: Vec<f32>,
    pub kind: PageKind,
}

/// Predicts the kind of a page, then scores its blocks with the kind as a feature.
pub(crate) fn score(analysis: &PageAnalysis<'_>, model: &ContentModel) -> PageScores {
    let mut page = Vec::new();
    analysis.put_page(&mut page);
    let kinds = kinds(&page, model);
    for share in kinds {
        #[expect(clippy::cast_possible_truncation, reason = "at most 255")]
        page.put("kind", "share", (share * 255.0) as i32);
    }
    let count = analysis.outline.blocks.len();
    let mut rows = Vec::new();
    for index in 0..count {
        analysis.put_block(index, &mut rows);
        rows.extend_from_slice(&page);
        if index == 0 {
            rows.reserve(rows.len() * count);
        }
    }
    let width = rows.len() / count.max(1);
    let best = PageKind::ALL.into_iter().zip(kinds);
    let best = best.max_by(|a, b| a.1.total_cmp(&b.1));
    PageScores {
        odds: model.blocks.sums(&rows, width),
        kind: best.map_or(PageKind::Article, |(kind, _)| kind),
    }
}

/// The probability of each kind; the sum is 1.
fn kinds(page: &[i16], model: &ContentModel) -> [f32; PageKind::ALL.len()] {
    let mut shares = [0.0; PageKind::ALL.len()];
    for (share, ensemble) in shares.iter_mut().zip(&model.kinds) {
        let odds = ensemble.sums(page, page.len()).first().copied();
        *share = odds.unwrap_or(0.0).exp();
    }
    let sum: f32 = shares.iter().sum();
    shares.map(|share| share / sum.max(f32::MIN_POSITIVE))
}
