//! A page's blocks with their features, as the model sees them.
//!
//! For the evaluation and training tool only; everything else calls [`super::main_content`].

use super::MainContent;
use super::concept::Lexicon;
use super::features::{FeatureNames, PageAnalysis};
use super::outline::Outline;
use super::profile::PageProfile;
use super::structure::PageStructure;
use super::vocabulary::Vocabulary;
use super::word_signals::{WordSignals, uses};
use crate::tree::{NodeId, Tree};

/// The blocks of a page with their features.
#[derive(Debug)]
pub struct Inspection {
    /// The blocks, in document order.
    pub blocks: Vec<InspectedBlock>,
    /// The features of the page.
    pub page: Vec<i16>,
    /// The names of the block features (empty for a page without blocks) and of the page features.
    pub names: (Vec<String>, Vec<String>),
    /// Every use of a word that could be learned: its key, and the range of blocks it applies to.
    pub uses: Vec<(u32, usize, usize)>,
    outline: Outline,
    structure: PageStructure,
}

/// One block of a page.
#[derive(Debug)]
pub struct InspectedBlock {
    /// Text nodes of the block, in document order.
    pub texts: Vec<NodeId>,
    /// Features of the block.
    pub features: Vec<i16>,
}

/// Describes the blocks of a page, using a learned vocabulary.
pub fn inspect(tree: &Tree, vocabulary: Vocabulary) -> Inspection {
    let lexicon = Lexicon::new(vocabulary);
    let outline = Outline::of(tree, &lexicon);
    let structure = PageStructure::of(&outline);
    let page = PageProfile::of(tree, &outline, &lexicon);
    let word_signals = WordSignals::of(tree, &outline, &page, &lexicon.vocabulary);
    let analysis = PageAnalysis {
        outline: &outline,
        page: &page,
        structure: &structure,
        word_signals: &word_signals,
    };
    let mut own = Vec::new();
    analysis.put_page(&mut own);
    let mut names = (FeatureNames::default(), FeatureNames::default());
    analysis.put_page(&mut names.1);
    let mut blocks = Vec::with_capacity(outline.blocks.len());
    for (index, block) in outline.blocks.iter().enumerate() {
        if index == 0 {
            analysis.put_block(index, &mut names.0);
        }
        let mut features = Vec::new();
        analysis.put_block(index, &mut features);
        let texts = (block.first..=block.last)
            .filter(|node| outline.at(*node).block as usize == index)
            .map(|node| outline.at(node).id)
            .collect();
        blocks.push(InspectedBlock { texts, features });
    }
    Inspection {
        blocks,
        page: own,
        names: (names.0.0, names.1.0),
        uses: uses(tree, &outline),
        outline,
        structure,
    }
}

impl Inspection {
    /// The content selected by these log-odds, one per block.
    pub fn chosen(&self, odds: &[f32]) -> MainContent {
        super::finish(
            &self.outline,
            &self.structure,
            odds,
            super::PageKind::Article,
        )
    }
}
