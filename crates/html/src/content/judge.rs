//! The judging of a page: its kind, and how likely each of its blocks is main content.

use super::PageKind;
use super::features::{Scene, Sink as _};
use super::model::ContentModel;

/// What was found of a page.
#[derive(Debug)]
pub(crate) struct Verdict {
    /// Per block, the logarithm of its odds of being main content.
    pub odds: Vec<f32>,
    pub kind: PageKind,
}

/// Judges a page: first its kind, then its blocks in the light of it.
pub(crate) fn judge(scene: &Scene<'_>, model: &ContentModel) -> Verdict {
    let mut page = Vec::new();
    scene.put_page(&mut page);
    let kinds = kinds(&page, model);
    for share in kinds {
        #[expect(clippy::cast_possible_truncation, reason = "at most 255")]
        page.put("kind", "share", (share * 255.0) as i32);
    }
    let count = scene.outline.blocks.len();
    let mut rows = Vec::new();
    for place in 0..count {
        scene.put_block(place, &mut rows);
        rows.extend_from_slice(&page);
        if place == 0 {
            rows.reserve(rows.len() * count);
        }
    }
    let width = rows.len() / count.max(1);
    let best = PageKind::ALL.into_iter().zip(kinds);
    let best = best.max_by(|a, b| a.1.total_cmp(&b.1));
    Verdict {
        odds: model.blocks.sums(&rows, width),
        kind: best.map_or(PageKind::Article, |(kind, _)| kind),
    }
}

/// How likely the page is of each kind; together 1.
fn kinds(page: &[i16], model: &ContentModel) -> [f32; PageKind::ALL.len()] {
    let mut shares = [0.0; PageKind::ALL.len()];
    for (share, ensemble) in shares.iter_mut().zip(&model.kinds) {
        let odds = ensemble.sums(page, page.len()).first().copied();
        *share = odds.unwrap_or(0.0).exp();
    }
    let sum: f32 = shares.iter().sum();
    shares.map(|share| share / sum.max(f32::MIN_POSITIVE))
}
