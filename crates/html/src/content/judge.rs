//! The judging of a page: its kind, and how likely each of its blocks is main content.

use super::PageKind;
use super::features::Scene;
use super::model::Model;

/// What was found of a page.
#[derive(Debug)]
pub(crate) struct Verdict {
    pub likely: Vec<f32>,
    pub kind: PageKind,
}

/// Judges a page.
pub(crate) fn judge(scene: &Scene<'_>, model: &Model) -> Verdict {
    let mut page = Vec::new();
    scene.put_page(&mut page);
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
    Verdict {
        likely: model.blocks.likelihoods(&rows, width),
        kind: kind(&page, model),
    }
}

/// The kind the page looks most like.
fn kind(page: &[i16], model: &Model) -> PageKind {
    let kinds = model.kinds.iter().zip(PageKind::ALL);
    let sums = kinds.map(|(ensemble, kind)| (ensemble.walk(page), kind));
    let best = sums.max_by(|a, b| a.0.total_cmp(&b.0));
    best.map_or(PageKind::Article, |(_, kind)| kind)
}
