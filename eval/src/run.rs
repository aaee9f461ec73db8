//! The ways a page's output is made and scored.

use std::io::Result;
use std::path::Path;
use std::time::Duration;

use html::{MainContent, NodeId, Tree};

use crate::alignment::align;
use crate::chosen::chosen_text;
use crate::clock::Clock;
use crate::dataset::Labelled;
use crate::dump::Scores;
use crate::report::{Entry, report};
use crate::words::{Interner, score};

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

/// Whose text is scored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum By {
    /// The product's own text writer.
    Writer,
    /// The chosen parts as they stand in the tree.
    Choice,
}

fn written(tree: &Tree, content: &MainContent, by: By) -> String {
    match by {
        By::Writer => html::to_text(tree, &content.selection()),
        By::Choice => chosen_text(tree, content),
    }
}

/// Scores the product's own choice.
pub(crate) fn score_all(pages: &[Labelled], by: By) -> Vec<Entry> {
    let mut interner = Interner::default();
    let mut entries = Vec::new();
    for page in pages {
        let start = Clock::start();
        let tree = Tree::parse(&page.html);
        let parsed = start.elapsed();
        let content = html::main_content(&tree);
        let text = written(&tree, &content, by);
        let spent = start.elapsed();
        entries.push(entry(
            page,
            &mut interner,
            text,
            content.quality,
            (parsed, spent),
        ));
    }
    entries
}

/// A page's result.
pub(crate) fn entry(
    page: &Labelled,
    interner: &mut Interner,
    text: String,
    quality: f32,
    time: (Duration, Duration),
) -> Entry {
    let output = interner.words(&text);
    let truth = interner.words(&page.truth);
    Entry {
        id: page.id.clone(),
        url: page.url.clone(),
        kind: page.kind.clone(),
        score: score(&output, &truth),
        output_words: output.len(),
        truth_words: truth.len(),
        quality,
        text,
        truth: page.truth.clone(),
        parse: time.0,
        spent: time.1,
    }
}

/// `eval <data> oracle`: the best that choosing blocks can do, by the labels.
pub(crate) fn oracle(pages: &[Labelled]) -> Result<()> {
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
        entries.push(entry(page, &mut interner, text, 1.0, Default::default()));
    }
    report("oracle over blocks", &entries)
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

/// `eval <data> scores <file>`: likelihoods per block from outside, little-endian `f32`, in the
/// order of the dump.
pub(crate) fn given(pages: &[Labelled], file: &Path, by: By) -> Result<()> {
    let mut numbers = Scores::read(file)?;
    let mut interner = Interner::default();
    let mut entries = Vec::new();
    for page in pages {
        let tree = Tree::parse(&page.html);
        let inspection = html::inspect(&tree, html::Vocabulary::default());
        let likely = numbers.take(inspection.blocks.len())?;
        let content = inspection.chosen(&likely);
        let text = written(&tree, &content, by);
        entries.push(entry(
            page,
            &mut interner,
            text,
            content.quality,
            Default::default(),
        ));
    }
    report("cross-validated", &entries)
}

/// `eval <data>`: the product as it is.
pub(crate) fn score_product(pages: &[Labelled], by: By) -> Result<()> {
    report("as built", &score_all(pages, by))
}
