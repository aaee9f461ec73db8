//! Main content: the parts of a page that are specific to it, without menus, ads and footers.
//!
//! The page is divided into blocks (`outline`), each block is described by numbers (`features`), an ensemble
//! of small decision trees estimates how likely each block is main content (`model`), the cut with the best
//! expected F1 is taken (`choice`), and tables, lists and code are made complete (`coherence`). If that leaves
//! nothing, simple rules ensure that a page with text never has an empty result (`fallback`).
//!
//! The tree is only read, never changed: the result is a list of nodes that any writer can turn into its
//! format. No rule names a site, and time is linear in the page.

mod choice;
mod coherence;
mod concept;
mod context;
mod cutout;
mod ensemble;
mod fallback;
mod features;
mod heading;
mod inspection;
mod measure;
mod model;
mod outline;
mod profile;
mod role;
mod score;
mod siblings;
mod structure;
mod vocabulary;
mod word_signals;

pub use inspection::{InspectedBlock, Inspection, inspect};
pub use model::ContentModel;
pub use vocabulary::Vocabulary;

use crate::tree::{NodeId, Tree};
use crate::writing::selection::Selection;
use features::PageAnalysis;
use outline::Outline;
use profile::PageProfile;
use structure::PageStructure;
use word_signals::WordSignals;

/// The parts of a page that are its main content.
#[derive(Debug, Clone, PartialEq)]
pub struct MainContent {
    /// Nodes whose subtrees hold the content, in document order; none is inside another.
    pub roots: Vec<NodeId>,
    /// Nodes inside the roots that are not part of the content, in document order; none is inside another.
    pub excluded: Vec<NodeId>,
    /// Whether blocks that the page hides (inactive tabs, collapsed sections) are part of the content unless
    /// excluded. True if the selection was made block by block.
    pub includes_hidden: bool,
    /// Confidence: the expected F1 of the selection, 0 to 1.
    pub quality: f32,
    /// The detected kind of page.
    pub kind: PageKind,
}

impl MainContent {
    /// The content as a [`Selection`] for the writers.
    pub fn selection(&self) -> Selection {
        let selection = Selection::of(self.roots.clone(), self.excluded.clone());
        if self.includes_hidden {
            selection.with_hidden()
        } else {
            selection
        }
    }
}

/// The kind of a page, as guessed from its structure.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum PageKind {
    /// A self-contained text: news, a blog post, an essay.
    Article,
    /// Reference or instructions, often with code.
    Documentation,
    /// A company or organization presenting what it offers.
    Service,
    /// A thread of posts, questions and answers.
    Forum,
    /// A group of products.
    Collection,
    /// A list of links, entries or search results.
    Listing,
    /// One product.
    Product,
}

impl PageKind {
    /// Every kind, in the model's order.
    pub const ALL: [Self; 7] = [
        Self::Article,
        Self::Documentation,
        Self::Service,
        Self::Forum,
        Self::Collection,
        Self::Listing,
        Self::Product,
    ];

    /// The name of the kind, in lower case.
    pub fn name(self) -> &'static str {
        match self {
            Self::Article => "article",
            Self::Documentation => "documentation",
            Self::Service => "service",
            Self::Forum => "forum",
            Self::Collection => "collection",
            Self::Listing => "listing",
            Self::Product => "product",
        }
    }
}

/// Finds the main content of a page.
pub fn main_content(tree: &Tree) -> MainContent {
    match &*model::MODEL {
        Some(model) => main_content_with(tree, model),
        None => whole_body(tree),
    }
}

/// Finds the main content with a model other than the embedded one. Used for evaluation.
pub fn main_content_with(tree: &Tree, model: &ContentModel) -> MainContent {
    let outline = Outline::of(tree, &model.lexicon);
    let structure = PageStructure::of(&outline);
    let page = PageProfile::of(tree, &outline, &model.lexicon);
    let word_signals = WordSignals::of(tree, &outline, &page, &model.lexicon.vocabulary);
    let analysis = PageAnalysis {
        outline: &outline,
        page: &page,
        structure: &structure,
        word_signals: &word_signals,
    };
    let scores = score::score(&analysis, model);
    finish(&outline, &structure, &scores.odds, scores.kind)
}

/// Selects everything a reader can see except menus, dialogs and footers.
pub fn whole_body(tree: &Tree) -> MainContent {
    let lexicon = concept::Lexicon::new(Vocabulary::default());
    let outline = Outline::of(tree, &lexicon);
    let structure = PageStructure::of(&outline);
    body_content(&outline, &structure)
}

/// The body without its page frame. Images count as content, even where there is no text around them.
fn body_content(outline: &Outline, structure: &PageStructure) -> MainContent {
    let kept = fallback::body(outline, structure);
    let (root, excluded) = cutout::cut_out_body(outline, &kept);
    MainContent {
        roots: vec![root],
        excluded,
        // A page that hides its text until a script shows it is not empty.
        includes_hidden: fallback::is_mostly_hidden(outline, &kept),
        quality: 0.0,
        kind: PageKind::Article,
    }
}

/// Turns the log-odds of the blocks into parts of the tree.
fn finish(
    outline: &Outline,
    structure: &PageStructure,
    odds: &[f32],
    kind: PageKind,
) -> MainContent {
    if structure.words == 0 {
        return MainContent {
            kind,
            ..body_content(outline, structure)
        };
    }
    let choice = choice::choose(outline, odds);
    let (kept, quality) = if choice.words >= 10.min(structure.words) {
        (coherence::complete(outline, choice.kept), choice.expected)
    } else {
        (
            fallback::fall_back(outline, structure),
            choice.expected * 0.5,
        )
    };
    let (roots, excluded) = cutout::cut_out(outline, &kept);
    MainContent {
        roots,
        excluded,
        includes_hidden: true,
        quality,
        kind,
    }
}
