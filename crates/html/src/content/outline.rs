//! A page divided into blocks, with facts about every node.
//!
//! A block is a run of text not interrupted by a block element. One forward pass over the tree finds the
//! blocks and what nodes inherit; one backward pass computes the totals of containers. Nothing recurses, and
//! nothing is allocated per node beyond the two tables.

use super::concept::{Concepts, Lexicon, word_hash, words_of};
use super::context::Context;
use super::measure::Measure;
use super::role::Role;
use super::vocabulary::{Use, WordSignal, key as vocabulary_key};
use crate::tree::{Node, NodeId, Tree};

/// The block number of a node without text.
pub(crate) const NO_BLOCK: u32 = u32::MAX;

/// Facts about one node.
#[derive(Debug, Clone, Copy)]
pub(crate) struct NodeFacts {
    pub id: NodeId,
    pub role: Role,
    pub parent: u32,
    /// One past its last descendant.
    pub end: u32,
    pub depth: u16,
    pub context: Context,
    /// Concepts of its own class and id.
    pub own: Concepts,
    /// Concepts of itself and its ancestors, except `body`.
    pub all: Concepts,
    /// Signal of its own class and id, and of those together with its ancestors'.
    pub own_signal: WordSignal,
    pub word_signal: WordSignal,
    /// Hash of its name and class.
    pub shape: u32,
    /// Hash of its own shape and those of its next three ancestors.
    pub path: u32,
    /// For text: the block it belongs to.
    pub block: u32,
    pub totals: Totals,
}

/// Totals over a node and all its descendants.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Totals {
    pub words: u32,
    pub link_words: u32,
    pub stops: u32,
    pub blocks: u32,
    /// Words of blocks that read like sentences.
    pub prose: u32,
    pub elements: u32,
    pub images: u32,
    pub controls: u32,
    /// Short texts with a currency sign.
    pub prices: u32,
    pub headings: u32,
}

impl Totals {
    fn add(&mut self, other: &Self) {
        self.words += other.words;
        self.link_words += other.link_words;
        self.stops += other.stops;
        self.blocks += other.blocks;
        self.prose += other.prose;
        self.elements += other.elements;
        self.images += other.images;
        self.controls += other.controls;
        self.prices += other.prices;
        self.headings += other.headings;
    }
}

/// A run of text not interrupted by a block element.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Block {
    /// The nearest block element around it.
    pub owner: u32,
    /// Its first and last text nodes.
    pub first: u32,
    pub last: u32,
    pub measure: Measure,
    pub link_words: u32,
    pub links: u16,
    /// Line breaks inside.
    pub breaks: u16,
    /// The context of its first text node.
    pub context: Context,
}

impl Block {
    /// Whether it is short and contains a price.
    pub(crate) fn is_price(&self) -> bool {
        self.measure.money > 0 && self.measure.words <= 8
    }

    /// Whether it reads like sentences rather than labels.
    pub(crate) fn is_prose(&self) -> bool {
        let words = self.measure.words;
        words >= 10
            && self.measure.stops > 0
            && self.link_words * 3 < words
            && self.measure.glue * 8 >= words
    }
}

/// A page divided into blocks.
#[derive(Debug)]
pub(crate) struct Outline {
    pub nodes: Vec<NodeFacts>,
    pub blocks: Vec<Block>,
    /// The `body`, or the root if there is none.
    pub body: u32,
}

impl Outline {
    /// Divides a page into blocks.
    pub(crate) fn of(tree: &Tree, lexicon: &Lexicon) -> Self {
        let mut builder = Builder::new(tree, lexicon);
        builder.read();
        let mut outline = builder.outline;
        outline.sum_up();
        outline
    }

    /// The facts about a node.
    pub(crate) fn at(&self, node: u32) -> &NodeFacts {
        &self.nodes[node as usize]
    }

    /// The ancestor `levels` above a node, or the highest there is.
    pub(crate) fn above(&self, node: u32, levels: usize) -> u32 {
        let mut at = node;
        for _ in 0..levels {
            if at == self.body {
                break;
            }
            at = self.at(at).parent;
        }
        at
    }

    fn sum_up(&mut self) {
        for block in &self.blocks {
            let totals = &mut self.nodes[block.owner as usize].totals;
            totals.words += block.measure.words;
            totals.link_words += block.link_words;
            totals.stops += block.measure.stops;
            totals.blocks += 1;
            totals.prices += u32::from(block.is_price());
            if block.is_prose() {
                totals.prose += block.measure.words;
            }
        }
        for node in (1..self.nodes.len()).rev() {
            let totals = self.nodes[node].totals;
            let parent = self.nodes[node].parent as usize;
            self.nodes[parent].totals.add(&totals);
        }
    }
}

/// Builds an [`Outline`] in one pass over the tree.
struct Builder<'t> {
    tree: &'t Tree,
    lexicon: &'t Lexicon,
    outline: Outline,
    /// Whether the next text starts a new block.
    starts_block: bool,
    /// Line breaks since the last text.
    breaks: u16,
    /// The `a` element of the last link text, to count links once.
    last_link: u32,
    /// Per node: the innermost block element and the innermost link around it.
    owners: Vec<u32>,
    links: Vec<u32>,
}

impl<'t> Builder<'t> {
    fn new(tree: &'t Tree, lexicon: &'t Lexicon) -> Self {
        let count = tree.len();
        Self {
            tree,
            lexicon,
            outline: Outline {
                nodes: Vec::with_capacity(count),
                blocks: Vec::with_capacity(count / 6),
                body: 0,
            },
            starts_block: true,
            breaks: 0,
            last_link: 0,
            owners: Vec::with_capacity(count),
            links: Vec::with_capacity(count),
        }
    }

    fn read(&mut self) {
        for id in self.tree.subtree(self.tree.root()) {
            let parent = self.tree.parent(id).map_or(0, NodeId::index);
            let node = u32::try_from(id.index()).unwrap_or(u32::MAX);
            let parent = u32::try_from(parent).unwrap_or(0);
            match self.tree.node(id) {
                Node::Document => self.push_root(id),
                Node::Element(_) => self.push_element(id, node, parent),
                Node::Text(text) => self.push_text(id, text, node, parent),
            }
        }
    }

    fn push_root(&mut self, id: NodeId) {
        self.outline.nodes.push(NodeFacts {
            id,
            role: Role::Body,
            parent: 0,
            end: u32::try_from(self.tree.len()).unwrap_or(u32::MAX),
            depth: 0,
            context: Context::default(),
            own: Concepts::default(),
            all: Concepts::default(),
            own_signal: WordSignal::default(),
            word_signal: WordSignal::default(),
            shape: 0,
            path: 0,
            block: NO_BLOCK,
            totals: Totals::default(),
        });
        self.owners.push(0);
        self.links.push(0);
    }

    fn push_element(&mut self, id: NodeId, node: u32, parent: u32) {
        let name = self.tree.name(id);
        let role = Role::of(name);
        let above = self.outline.nodes[parent as usize];
        let mut own = Concepts::default();
        let mut own_signal = WordSignal::default();
        let mut shape = word_hash(name.as_bytes());
        let mut context = above.context.inside(role);
        if !above.context.is_non_text() {
            for (name, value) in self.tree.attrs(id) {
                match name {
                    "class" | "id" => {
                        words_of(value, |word| {
                            let hash = word_hash(word);
                            if name == "class" {
                                shape = shape.rotate_left(7) ^ hash;
                            }
                            let key = vocabulary_key(hash, Use::Class);
                            own_signal.add(self.lexicon.vocabulary.weight(key));
                            if let Some(concept) = self.lexicon.concept(hash) {
                                own.0 |= 1 << concept;
                            }
                        });
                    }
                    _ => context = context.with_attribute(name, value),
                }
            }
        }
        let mut all = Concepts(above.all.0 | own.0);
        let mut word_signal = above.word_signal.with(own_signal);
        if role == Role::Body {
            all = Concepts::default();
            word_signal = WordSignal::default();
            if name == "body" && self.outline.body == 0 {
                self.outline.body = node;
            }
        }
        let path = self.path(shape, parent);
        let silent = context.is_non_text();
        let totals = Totals {
            elements: u32::from(!silent),
            images: u32::from(role == Role::Image),
            controls: u32::from(role == Role::Button || is_control(name)),
            headings: u32::from(role.is_heading()),
            ..Totals::default()
        };
        self.outline.nodes.push(NodeFacts {
            id,
            role,
            parent,
            end: u32::try_from(self.tree.end(id).index()).unwrap_or(u32::MAX),
            depth: above.depth.saturating_add(1),
            context,
            own,
            all,
            own_signal,
            word_signal,
            shape,
            path,
            block: NO_BLOCK,
            totals,
        });
        let is_block = role.is_block();
        self.owners.push(if is_block {
            node
        } else {
            self.owners[parent as usize]
        });
        self.links.push(if role == Role::Link {
            node
        } else {
            self.links[parent as usize]
        });
        if is_block && !silent {
            self.starts_block = true;
        }
        if role == Role::Break {
            self.breaks = self.breaks.saturating_add(1);
        }
    }

    /// The shapes of an element and of three elements above it.
    fn path(&self, shape: u32, parent: u32) -> u32 {
        let (mut path, mut at) = (shape, parent);
        for _ in 0..3 {
            let facts = &self.outline.nodes[at as usize];
            path = path.rotate_left(9).wrapping_mul(0x9e37_79b1) ^ facts.shape;
            at = facts.parent;
        }
        path
    }

    fn push_text(&mut self, id: NodeId, text: &str, node: u32, parent: u32) {
        let above = self.outline.nodes[parent as usize];
        self.outline.nodes.push(NodeFacts {
            id,
            role: Role::Inline,
            parent,
            end: node + 1,
            depth: above.depth,
            own: Concepts::default(),
            totals: Totals::default(),
            ..above
        });
        let owner = self.owners[parent as usize];
        let link = self.links[parent as usize];
        self.owners.push(owner);
        self.links.push(link);
        let mut measure = Measure::default();
        if !above.context.is_non_text() {
            measure.read(text);
        }
        if measure.words == 0 {
            self.outline.nodes[node as usize].block = NO_BLOCK;
            if let (Some(block), false) = (self.outline.blocks.last_mut(), self.starts_block)
                && block.owner == owner
                && measure.hash != 0
            {
                // A trailing full stop or separator of the same run.
                let hash = block.measure.hash;
                block.measure.add(&measure);
                block.measure.hash = hash;
            }
            return;
        }
        let joined = !self.starts_block
            && self.breaks < 2
            && self
                .outline
                .blocks
                .last()
                .is_some_and(|block| block.owner == owner);
        if !joined {
            self.outline.blocks.push(Block {
                owner,
                first: node,
                last: node,
                measure: Measure::default(),
                link_words: 0,
                links: 0,
                breaks: 0,
                context: above.context,
            });
        }
        let number = self.outline.blocks.len() - 1;
        let block = &mut self.outline.blocks[number];
        block.last = node;
        block.breaks = block
            .breaks
            .saturating_add(if joined { self.breaks } else { 0 });
        block.measure.add(&measure);
        if link != 0 {
            block.link_words += measure.words;
            if self.last_link != link || !joined {
                block.links = block.links.saturating_add(1);
            }
            self.last_link = link;
        }
        self.outline.nodes[node as usize].block = u32::try_from(number).unwrap_or(NO_BLOCK);
        self.starts_block = false;
        self.breaks = 0;
    }
}

fn is_control(name: &str) -> bool {
    matches!(name, "input" | "select" | "textarea")
}
