//! Profile of a page as a whole: its titles, declared types and address, and the counts that distinguish a
//! forum thread from a shop.

use std::collections::HashSet;

use super::concept::{Concepts, Lexicon, word_hash, words_of};
use super::context::Context;
use super::outline::Outline;
use super::role::Role;
use super::vocabulary::pair;
use crate::tree::{Node, NodeId, Tree};

/// Maximum number of word pairs kept from the page's own descriptions.
const MAX_PAIRS: usize = 6000;

/// Maximum number of JSON-LD names kept.
const MAX_NAMES: usize = 500;

/// Words looked up in the address, the declared types and software names; each entry is one bit.
#[rustfmt::skip]
const HINTS: &[(&str, &[&str])] = &[
    ("url_product", &["product", "products", "dp", "item", "itm", "ip", "pdp", "prod", "sku", "app"]),
    ("url_collection", &["collections", "collection", "category", "categories", "shop", "cat", "browse", "catalog", "store", "sale", "women", "men"]),
    ("url_blog", &["blog", "news", "article", "articles", "story", "stories", "post", "posts", "magazine", "opinion", "insights"]),
    ("url_docs", &["docs", "documentation", "reference", "manual", "api", "guide", "guides", "tutorial", "tutorials", "doc", "wiki", "help", "learn", "userguide", "library"]),
    ("url_forum", &["forum", "forums", "thread", "threads", "topic", "viewtopic", "showthread", "community", "discussion", "discussions", "comments", "questions", "question", "answers", "board"]),
    ("url_service", &["services", "service", "solutions", "pricing", "features", "about", "platform", "contact", "company", "business", "insurance", "plans", "program", "programs"]),
    ("url_list", &["search", "tag", "tags", "list", "directory", "archive", "archives", "results", "jobs", "events", "best", "top", "latest", "index", "publications"]),
    ("type_article", &["article", "newsarticle", "blogposting", "reportagenewsarticle", "recipe", "medicalwebpage", "opinionnewsarticle", "scholarlyarticle"]),
    ("type_product", &["product", "productgroup", "offer", "aggregateoffer", "individualproduct", "softwareapplication", "book"]),
    ("type_forum", &["discussionforumposting", "qapage", "question", "answer", "comment"]),
    ("type_list", &["itemlist", "collectionpage", "searchresultspage", "offercatalog", "listitemlist"]),
    ("type_docs", &["techarticle", "apireference", "howto", "learningresource"]),
    ("type_service", &["service", "localbusiness", "professionalservice", "organization", "corporation", "course", "financialproduct", "legalservice", "faqpage"]),
    ("made_forum", &["discourse", "phpbb", "xenforo", "vbulletin", "vanilla", "mybb", "flarum", "smf", "nodebb", "invision", "ipboard", "khoros", "lithium"]),
    ("made_docs", &["sphinx", "docusaurus", "mkdocs", "gitbook", "vitepress", "hugo", "jekyll", "readthedocs", "mintlify", "starlight", "doxygen", "rustdoc"]),
    ("made_shop", &["woocommerce", "shopify", "magento", "prestashop", "bigcommerce", "salesforce", "demandware"]),
];

/// The number of hints.
pub(crate) const HINT_COUNT: usize = HINTS.len();

/// The names of the hints, in the order of their bits.
pub(crate) fn hint_names() -> impl Iterator<Item = &'static str> {
    HINTS.iter().map(|(name, _)| *name)
}

/// What a page declares about itself, and counts of its elements.
#[derive(Debug, Default)]
pub(crate) struct PageProfile {
    /// One bit per entry of [`HINTS`].
    pub hints: u32,
    /// Concepts in the classes of `html` and `body`.
    pub frame: Concepts,
    /// Hashes of the words of the page's titles, in order.
    pub title: Vec<u32>,
    /// Hashes of word pairs in the page's machine-readable descriptions: meta elements and JSON-LD.
    pub described: HashSet<u32>,
    /// Hashes of the full names in its JSON-LD: of the product, of the entries of a list.
    pub names: HashSet<u32>,
    /// Number of path segments of the page's address; 0 for a front page or an unknown address.
    pub address_depth: u16,
    /// Whether the address contains a year.
    pub dated: bool,
    pub articles: u16,
    pub tables: u16,
    pub times: u16,
    pub codes: u16,
    pub headings: u16,
    pub buttons: u16,
    /// The block of the first `h1`, or `u32::MAX`.
    pub heading_block: u32,
    pub comments: u16,
    pub prices: u16,
}

impl PageProfile {
    /// Reads the page's head, address and counts.
    pub(crate) fn of(tree: &Tree, outline: &Outline, lexicon: &Lexicon) -> Self {
        let mut page = Self {
            heading_block: u32::MAX,
            ..Self::default()
        };
        let mut address = String::new();
        for facts in &outline.nodes {
            let id = facts.id;
            match facts.role {
                Role::Article => page.articles = page.articles.saturating_add(1),
                Role::Table => page.tables = page.tables.saturating_add(1),
                Role::Time => page.times = page.times.saturating_add(1),
                Role::Code => page.codes = page.codes.saturating_add(1),
                Role::Button => page.buttons = page.buttons.saturating_add(1),
                Role::Body => page.read_frame(tree, id, lexicon),
                Role::NonText => page.read_head(tree, id, &mut address),
                role if role.is_heading() => page.headings = page.headings.saturating_add(1),
                _ => {}
            }
            page.comments = page.comments.saturating_add(u16::from(facts.own.has(5)));
        }
        for (number, block) in outline.blocks.iter().enumerate() {
            let owner = outline.at(block.owner);
            if owner.role == Role::Heading1 && page.heading_block == u32::MAX {
                page.heading_block = u32::try_from(number).unwrap_or(u32::MAX);
                for node in block.first..=block.last {
                    if outline.at(node).block as usize == number {
                        page.add_title(tree.text(outline.at(node).id).unwrap_or_default());
                    }
                }
            }
            page.prices = page.prices.saturating_add(u16::from(block.is_price()));
        }
        page.read_address(&address);
        page
    }

    /// The share (of 255) of a text's word pairs that also occur in the page's descriptions; -1 if it has
    /// none.
    pub(crate) fn description_overlap(&self, words: &[u32]) -> i32 {
        if self.described.is_empty() || words.len() < 2 {
            return -1;
        }
        let pairs = words.windows(2);
        let count = i32::try_from(pairs.len()).unwrap_or(i32::MAX);
        let found = pairs
            .filter(|two| self.described.contains(&pair(two[0], two[1])))
            .count();
        i32::try_from(found * 255).unwrap_or(i32::MAX) / count
    }

    /// Whether a text is exactly one of the names in the page's JSON-LD.
    pub(crate) fn has_name(&self, words: &[u32]) -> bool {
        !self.names.is_empty() && self.names.contains(&words_hash(words.iter().copied()))
    }

    fn add_description(&mut self, text: &str) {
        let mut last = 0;
        each_word(text, |hash| {
            if self.described.len() < MAX_PAIRS {
                self.described.insert(pair(last, hash));
            }
            last = hash;
        });
    }

    /// The share of a text's words that are in the title, and the share of the title's words that are in the
    /// text, both of 255. Only used for short texts.
    pub(crate) fn title_overlap(&self, words: &[u32]) -> (i16, i16) {
        if words.is_empty() || self.title.is_empty() {
            return (0, 0);
        }
        let shared = words
            .iter()
            .filter(|word| self.title.contains(word))
            .count();
        let covered = self
            .title
            .iter()
            .filter(|word| words.contains(word))
            .count();
        (
            i16::try_from(shared * 255 / words.len()).unwrap_or(255),
            i16::try_from(covered * 255 / self.title.len()).unwrap_or(255),
        )
    }

    fn add_title(&mut self, text: &str) {
        each_word(text, |hash| {
            if self.title.len() < 48 && !self.title.contains(&hash) {
                self.title.push(hash);
            }
        });
    }

    fn read_frame(&mut self, tree: &Tree, id: NodeId, lexicon: &Lexicon) {
        for key in ["class", "id"] {
            words_of(tree.attr(id, key).unwrap_or_default(), |word| {
                let hash = word_hash(word);
                if let Some(concept) = lexicon.concept(hash) {
                    self.frame.0 |= 1 << concept;
                }
                self.set_hints(hash, "made_");
            });
        }
    }

    fn read_head(&mut self, tree: &Tree, id: NodeId, address: &mut String) {
        match tree.name(id) {
            "title" if self.title.is_empty() => {
                let text = tree.first_child(id).and_then(|child| tree.text(child));
                self.add_title(text.unwrap_or_default());
            }
            "meta" => {
                let key = tree.attr(id, "property").or_else(|| tree.attr(id, "name"));
                let value = tree.attr(id, "content").unwrap_or_default();
                match key.unwrap_or_default() {
                    "og:title" => self.add_title(value),
                    "description" | "og:description" => self.add_description(value),
                    "og:type" => each_word(value, |hash| self.set_hints(hash, "type_")),
                    "generator" => each_word(value, |hash| self.set_hints(hash, "made_")),
                    "og:url" if address.is_empty() => value.clone_into(address),
                    _ => {}
                }
            }
            "link" if tree.attr(id, "rel") == Some("canonical") => {
                tree.attr(id, "href")
                    .unwrap_or_default()
                    .clone_into(address);
            }
            "script" if tree.attr(id, "type") == Some("application/ld+json") => {
                let text = tree.first_child(id).and_then(|child| tree.text(child));
                self.read_types(text.unwrap_or_default());
            }
            _ => {}
        }
    }

    /// Reads the types, names and longer strings of a JSON-LD block, wherever they occur in it.
    fn read_types(&mut self, json: &str) {
        for text in json.split('"') {
            if text.len() >= 60 && text.contains(' ') {
                self.add_description(text);
            }
        }
        for part in json.split("\"name\"").skip(1).take(MAX_NAMES) {
            let mut strings = part.splitn(3, '"');
            let colon = strings.next().is_some_and(|gap| gap.trim() == ":");
            if let (true, Some(name)) = (colon, strings.next()) {
                self.names.insert(text_hash(name));
            }
        }
        for part in json.split("\"@type\"").skip(1).take(64) {
            let value = part.trim_start_matches([':', ' ', '\n', '\t', '[', '\r']);
            let name = value
                .strip_prefix('"')
                .and_then(|rest| rest.split('"').next());
            if let Some(name) = name {
                self.set_hints(word_hash(name.as_bytes()), "type_");
            }
        }
    }

    fn read_address(&mut self, address: &str) {
        let path = address.split_once("://").map_or("", |(_, rest)| rest);
        let path = path.split_once('/').map_or("", |(_, path)| path);
        let path = path.split(['?', '#']).next().unwrap_or_default();
        for part in path.split('/').filter(|part| !part.is_empty()).take(12) {
            self.address_depth += 1;
            let year = part.len() == 4 && (part.starts_with("19") || part.starts_with("20"));
            self.dated |= year && part.bytes().all(|byte| byte.is_ascii_digit());
            if part.len() <= 24 {
                each_word(part, |hash| self.set_hints(hash, "url_"));
            }
        }
    }

    fn set_hints(&mut self, hash: u32, kind: &str) {
        for (bit, (name, words)) in HINTS.iter().enumerate() {
            if name.starts_with(kind) && words.iter().any(|word| word_hash(word.as_bytes()) == hash)
            {
                self.hints |= 1 << bit;
            }
        }
    }
}

/// One hash over all words of a text.
fn text_hash(text: &str) -> u32 {
    let mut words = Vec::new();
    each_word(text, |word| words.push(word));
    words_hash(words.into_iter())
}

fn words_hash(words: impl Iterator<Item = u32>) -> u32 {
    words.fold(1, pair)
}

/// Calls `each` with the hash of every word of a text.
pub(crate) fn each_word(text: &str, mut each: impl FnMut(u32)) {
    for word in text.split(|c: char| !c.is_alphanumeric()) {
        if !word.is_empty() {
            each(word_hash(word.as_bytes()));
        }
    }
}

/// The hashes of the first words of a block.
pub(crate) fn block_words(tree: &Tree, outline: &Outline, number: usize, into: &mut Vec<u32>) {
    into.clear();
    let block = &outline.blocks[number];
    for node in block.first..=block.last {
        let id = outline.at(node).id;
        if outline.at(node).block as usize == number
            && let Node::Text(text) = tree.node(id)
        {
            each_word(text, |hash| {
                if into.len() < 60 {
                    into.push(hash);
                }
            });
        }
    }
}

/// Whether the context is part of the page frame that readers skip on any page.
pub(crate) fn is_frame(context: Context) -> bool {
    context.has(
        Context::NAV
            | Context::SITE_FOOTER
            | Context::SITE_HEADER
            | Context::DIALOG
            | Context::HIDDEN
            | Context::NOSCRIPT
            | Context::BUTTON,
    )
}
