//! The modes of evaluation: how the output of a page is produced and scored.

use std::io::{Error, Result};
use std::path::Path;

use crawler_html::{NodeId, Tree};

use crate::alignment::align;
use crate::chosen::chosen_text;
use crate::dataset::LabeledPage;
use crate::dump::Odds;
use crate::figures::Figures;
use crate::folds::Folds;
use crate::page_result::PageResult;
use crate::pipeline::{self, StepTimes};
use crate::report::Report;
use crate::words::Interner;

/// The text of the kept blocks, one line per block.
fn kept_text(tree: &Tree, kept: &[(bool, &Vec<NodeId>)]) -> String {
    let mut text = String::new();
    for (kept, texts) in kept {
        if *kept {
            for id in *texts {
                text.push_str(tree.text(*id).unwrap_or_default());
            }
            text.push('\n');
        }
    }
    text
}

/// `eval <data>`: all figures.
pub(crate) fn evaluate(pages: &[LabeledPage]) -> Result<Report> {
    let folds = Folds::read().ok_or_else(|| Error::other("a model in eval/folds is invalid"))?;
    let mut interner = Interner::default();
    let (mut written, mut chosen, mut fitted) = (Vec::new(), Vec::new(), Vec::new());
    let mut each = StepTimes::default();
    for page in pages {
        let output = pipeline::run(&page.html);
        each.add(&output.spent);
        let tree = &output.tree;
        let text = crawler_html::to_text(tree, &output.content.selection());
        fitted.push(PageResult::of(
            page,
            &mut interner,
            text,
            output.content.quality,
        ));
        let content = crawler_html::main_content_with(tree, folds.without(page));
        let text = crawler_html::to_text(tree, &content.selection());
        written.push(PageResult::of(page, &mut interner, text, content.quality));
        let text = chosen_text(tree, &content);
        chosen.push(PageResult::of(page, &mut interner, text, content.quality));
    }
    each.divide(pages.len());
    #[cfg(feature = "peers")]
    let peers = crate::peers::compare(pages);
    #[cfg(not(feature = "peers"))]
    let peers = Vec::new();
    let figures = Figures::of("cross-validated", &written);
    written.sort_by(|a, b| a.score.f1.total_cmp(&b.score.f1));
    // A page without a ground truth scores 0 or 1, which says little, so these come last.
    let (worst, rest): (Vec<PageResult>, Vec<PageResult>) =
        written.into_iter().partition(|entry| entry.truth_words > 0);
    Ok(Report {
        written: figures,
        chosen: Figures::of("cross-validated, chosen", &chosen),
        fitted: Figures::of("fitted", &fitted),
        peers,
        each,
        worst: worst.into_iter().chain(rest).collect(),
    })
}

/// `eval <data> oracle`: the upper bound of selecting blocks, given the labels.
pub(crate) fn oracle(pages: &[LabeledPage]) -> Figures {
    let mut interner = Interner::default();
    let mut entries = Vec::new();
    for page in pages {
        let tree = Tree::parse(&page.html);
        let inspection = crawler_html::inspect(&tree, crawler_html::Vocabulary::default());
        let labels = labels(page, &tree, &inspection, &mut interner);
        let kept: Vec<_> = labels
            .iter()
            .map(|label| *label >= 0.5)
            .zip(inspection.blocks.iter().map(|block| &block.texts))
            .collect();
        let text = kept_text(&tree, &kept);
        entries.push(PageResult::of(page, &mut interner, text, 1.0));
    }
    Figures::of("whole blocks selected by the labels", &entries)
}

/// The labels of a page's blocks.
pub(crate) fn labels(
    page: &LabeledPage,
    tree: &Tree,
    inspection: &crawler_html::Inspection,
    interner: &mut Interner,
) -> Vec<f32> {
    let truth = interner.words(&page.truth);
    let lines: Vec<Vec<u32>> = page
        .truth
        .lines()
        .map(|line| interner.words(line))
        .collect();
    let blocks: Vec<Vec<u32>> = inspection
        .blocks
        .iter()
        .map(|block| {
            let text: String = block.texts.iter().filter_map(|id| tree.text(*id)).collect();
            interner.words(&text)
        })
        .collect();
    align(&blocks, &truth, &lines)
}

/// `eval <data> odds <file>`: scores log-odds per block from the training script, little-endian `f32`, in the
/// order of the dump, to check the exported models.
pub(crate) fn with_odds(pages: &[LabeledPage], file: &Path) -> Result<Figures> {
    let mut numbers = Odds::read(file)?;
    let mut interner = Interner::default();
    let mut entries = Vec::new();
    for page in pages {
        let tree = Tree::parse(&page.html);
        let inspection = crawler_html::inspect(&tree, crawler_html::Vocabulary::default());
        let odds = numbers.take(inspection.blocks.len())?;
        let content = inspection.chosen(&odds);
        let text = crawler_html::to_text(&tree, &content.selection());
        entries.push(PageResult::of(page, &mut interner, text, content.quality));
    }
    Ok(Figures::of("odds of the training script", &entries))
}
