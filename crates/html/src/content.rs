//! A page's main content: the parts of the tree a reader came for.
//!
//! The page is laid out into blocks (`outline`), each block is described by numbers (`features`),
//! a small tree ensemble says how likely each is main content (`model`), and the cut with the best
//! expected balance is taken (`choice`) and what belongs together made whole (`coherence`). If that
//! leaves nothing, a ladder of plain rules makes sure that a page with text never comes back empty
//! (`ladder`).
//!
//! This room reads the tree and never changes it: the answer is a list of nodes, which any writer
//! can turn into its format. It knows no site, and takes time linear in the page.

mod choice;
mod coherence;
mod concept;
mod context;
mod cutout;
mod ensemble;
mod features;
mod heading;
mod inspection;
mod judge;
mod ladder;
mod measure;
mod model;
mod outline;
mod page;
mod role;
mod surroundings;
mod vocabulary;
mod voices;

pub use inspection::{InspectedBlock, Inspection, inspect};
pub use model::ContentModel;
pub use vocabulary::Vocabulary;

use crate::tree::{NodeId, Tree};
use crate::writing::selection::Selection;
use features::Scene;
use outline::Outline;
use page::Page;
use surroundings::Surroundings;
use voices::Voices;

/// The parts of a page that are its main content.
#[derive(Debug, Clone, PartialEq)]
pub struct MainContent {
    /// The nodes whose subtrees hold the content, in document order, none inside another.
    pub roots: Vec<NodeId>,
    /// Nodes inside the roots that do not belong to it, in document order, none inside another.
    pub excluded: Vec<NodeId>,
    /// Whether blocks that the page hides belong to it where they are not excluded: tabs behind the
    /// first, folded sections. True of a choice made block by block.
    pub folded: bool,
    /// How sure the choice is: the expected balance of precision and recall, 0 to 1.
    pub quality: f32,
    /// What kind of page this looks like.
    pub kind: PageKind,
}

impl MainContent {
    /// The chosen parts as the writers take them.
    pub fn selection(&self) -> Selection {
        let selection = Selection::of(self.roots.clone(), self.excluded.clone());
        if self.folded {
            selection.with_folded()
        } else {
            selection
        }
    }
}

/// What kind of page a page looks like.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum PageKind {
    /// A text with a beginning and an end: news, a blog post, an essay.
    Article,
    /// Reference or instruction, often with code.
    Documentation,
    /// What a company or body offers.
    Service,
    /// A thread of posts, questions and answers.
    Forum,
    /// A group of things for sale.
    Collection,
    /// A list of links, entries or search results.
    Listing,
    /// One thing for sale.
    Product,
}

impl PageKind {
    /// Every kind, in the order the model numbers them.
    pub const ALL: [Self; 7] = [
        Self::Article,
        Self::Documentation,
        Self::Service,
        Self::Forum,
        Self::Collection,
        Self::Listing,
        Self::Product,
    ];

    /// The kind's name, in small letters.
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

/// The main content of a page.
pub fn main_content(tree: &Tree) -> MainContent {
    match &*model::MODEL {
        Some(model) => main_content_by(tree, model),
        None => whole_body(tree),
    }
}

/// The main content of a page as another model than the embedded one judges it: for evaluation.
pub fn main_content_by(tree: &Tree, model: &ContentModel) -> MainContent {
    let outline = Outline::of(tree, &model.lexicon);
    let around = Surroundings::of(&outline);
    let page = Page::of(tree, &outline, &model.lexicon);
    let voices = Voices::of(tree, &outline, &page, &model.lexicon.vocabulary);
    let scene = Scene {
        outline: &outline,
        page: &page,
        around: &around,
        voices: &voices,
    };
    let verdict = judge::judge(&scene, model);
    finish(&outline, &around, &verdict.odds, verdict.kind)
}

/// Everything a reader could see of a page, without what is never read: menus, dialogs, footers.
pub fn whole_body(tree: &Tree) -> MainContent {
    let lexicon = concept::Lexicon::new(Vocabulary::default());
    let outline = Outline::of(tree, &lexicon);
    let around = Surroundings::of(&outline);
    let kept = ladder::body(&outline, &around);
    let (roots, excluded) = cutout::cut_out(&outline, &kept);
    MainContent {
        roots,
        excluded,
        // A page that hides its text until a script shows it is not an empty page.
        folded: ladder::is_folded(&outline, &kept),
        quality: 0.0,
        kind: PageKind::Article,
    }
}

/// From odds to the parts of the tree.
fn finish(outline: &Outline, around: &Surroundings, odds: &[f32], kind: PageKind) -> MainContent {
    let choice = choice::choose(outline, odds);
    let (kept, quality) = if choice.words >= 10.min(around.words) {
        (coherence::settle(outline, choice.kept), choice.expected)
    } else {
        (ladder::fall_back(outline, around), choice.expected * 0.5)
    };
    let (roots, excluded) = cutout::cut_out(outline, &kept);
    MainContent {
        roots,
        excluded,
        folded: true,
        quality,
        kind,
    }
}
