//! What the judging of a page looks like from inside: blocks, their numbers, their likelihoods.
//!
//! For the evaluation and training tool only: the product asks for [`super::main_content`].

use super::concept::Lexicon;
use super::features::{Names, Scene};
use super::outline::Outline;
use super::page::Page;
use super::surroundings::Surroundings;
use super::vocabulary::Vocabulary;
use super::voices::{Voices, uses};
use super::{MainContent, cutout};
use crate::tree::{NodeId, Tree};

/// A page's blocks with everything they are judged by.
#[derive(Debug)]
pub struct Inspection {
    /// The blocks, in document order.
    pub blocks: Vec<InspectedBlock>,
    /// The page's own features.
    pub page: Vec<i16>,
    /// The names of the blocks' features (none for a page without blocks) and of the page's.
    pub names: (Vec<String>, Vec<String>),
    /// Every use of a word that could be learned: its key, and the range of blocks it speaks for.
    pub uses: Vec<(u32, usize, usize)>,
    outline: Outline,
    around: Surroundings,
}

/// One block of a page.
#[derive(Debug)]
pub struct InspectedBlock {
    /// Its text nodes, in document order.
    pub texts: Vec<NodeId>,
    /// Its features.
    pub features: Vec<i16>,
}

/// Lays a page out and describes its blocks, with these learned words.
pub fn inspect(tree: &Tree, vocabulary: Vocabulary) -> Inspection {
    let lexicon = Lexicon::new(vocabulary);
    let outline = Outline::of(tree, &lexicon);
    let around = Surroundings::of(&outline);
    let page = Page::of(tree, &outline, &lexicon);
    let voices = Voices::of(tree, &outline, &page, &lexicon.vocabulary);
    let scene = Scene {
        outline: &outline,
        page: &page,
        around: &around,
        voices: &voices,
    };
    let mut own = Vec::new();
    scene.put_page(&mut own);
    let mut names = (Names::default(), Names::default());
    scene.put_page(&mut names.1);
    let mut blocks = Vec::with_capacity(outline.blocks.len());
    for (place, block) in outline.blocks.iter().enumerate() {
        if place == 0 {
            scene.put_block(place, &mut names.0);
        }
        let mut features = Vec::new();
        scene.put_block(place, &mut features);
        let texts = (block.first..=block.last)
            .filter(|node| outline.at(*node).block as usize == place)
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
        around,
    }
}

impl Inspection {
    /// The content that these odds (their logarithms, one per block) would choose.
    pub fn chosen(&self, odds: &[f32]) -> MainContent {
        super::finish(&self.outline, &self.around, odds, super::PageKind::Article)
    }

    /// The content made of exactly these blocks.
    pub fn made_of(&self, kept: &[bool]) -> MainContent {
        let (roots, excluded) = cutout::cut_out(&self.outline, kept);
        MainContent {
            roots,
            excluded,
            folded: true,
            quality: 1.0,
            kind: super::PageKind::Article,
        }
    }
}
