//! The ways a page's output is made and scored.

use std::io::{Error, Result};
use std::path::Path;

use html::{NodeId, Tree};

use crate::alignment::align;
use crate::chosen::chosen_text;
use crate::dataset::Labelled;
use crate::dump::Odds;
use crate::entry::Entry;
use crate::figures::Figures;
use crate::folds::Folds;
use crate::pipeline::{self, Spent};
use crate::report::Report;
use crate::words::Interner;

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
pub(crate) fn evaluate(pages: &[Labelled]) -> Result<Report> {
    let folds = Folds::read().ok_or_else(|| Error::other("a model in eval/folds is broken"))?;
    let mut interner = Interner::default();
    let (mut written, mut chosen, mut fitted) = (Vec::new(), Vec::new(), Vec::new());
    let mut each = Spent::default();
    for page in pages {
        let made = pipeline::make(&page.html);
        each.add(&made.spent);
        let tree = &made.tree;
        let text = html::to_text(tree, &made.content.selection());
        fitted.push(Entry::of(page, &mut interner, text, made.content.quality));
        let content = html::main_content_by(tree, folds.without(page));
        let text = html::to_text(tree, &content.selection());
        written.push(Entry::of(page, &mut interner, text, content.quality));
        let text = chosen_text(tree, &content);
        chosen.push(Entry::of(page, &mut interner, text, content.quality));
    }
    each.divide(pages.len());
    #[cfg(feature = "peers")]
    let peers = crate::peers::compare(pages);
    #[cfg(not(feature = "peers"))]
    let peers = Vec::new();
    let figures = Figures::of("cross-validated", &written);
    written.sort_by(|a, b| a.score.f1.total_cmp(&b.score.f1));
    // A page without a truth is worst or best by chance.
    let (worst, rest): (Vec<Entry>, Vec<Entry>) =
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

/// `eval <data> oracle`: the best that choosing blocks can do, by the labels.
pub(crate) fn oracle(pages: &[Labelled]) -> Figures {
    let mut interner = Interner::default();
    let mut entries = Vec::new();
    for page in pages {
        let tree = Tree::parse(&page.html);
        let inspection = html::inspect(&tree, html::Vocabulary::default());
        let labels = labels(page, &tree, &inspection, &mut interner);
        let kept: Vec<_> = labels
            .iter()
            .map(|label| *label >= 0.5)
            .zip(inspection.blocks.iter().map(|block| &block.texts))
            .collect();
        let text = kept_text(&tree, &kept);
        entries.push(Entry::of(page, &mut interner, text, 1.0));
    }
    Figures::of("choosing whole blocks by the labels themselves", &entries)
}

/// The labels of a page's blocks.
pub(crate) fn labels(
    page: &Labelled,
    tree: &Tree,
    inspection: &html::Inspection,
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

/// `eval <data> odds <file>`: odds per block from the training script, little-endian `f32`, in the
/// order of the dump, to check the exported models against.
pub(crate) fn given(pages: &[Labelled], file: &Path) -> Result<Figures> {
    let mut numbers = Odds::read(file)?;
    let mut interner = Interner::default();
    let mut entries = Vec::new();
    for page in pages {
        let tree = Tree::parse(&page.html);
        let inspection = html::inspect(&tree, html::Vocabulary::default());
        let odds = numbers.take(inspection.blocks.len())?;
        let content = inspection.chosen(&odds);
        let text = html::to_text(&tree, &content.selection());
        entries.push(Entry::of(page, &mut interner, text, content.quality));
    }
    Ok(Figures::of("by the training script's own odds", &entries))
}
