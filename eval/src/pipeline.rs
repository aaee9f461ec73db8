//! Everything the product makes of a page, timed step by step: tree, links, metadata, main content,
//! Markdown.

use std::time::Duration;

use html::{MainContent, Tree};

use crate::clock::Clock;

/// What was made of a page.
#[derive(Debug)]
pub(crate) struct Made {
    pub tree: Tree,
    pub content: MainContent,
    pub spent: Spent,
}

/// The processor time of each step.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Spent {
    pub parse: Duration,
    pub links: Duration,
    pub metadata: Duration,
    pub content: Duration,
    pub markdown: Duration,
}

impl Spent {
    /// All steps together.
    pub(crate) fn total(&self) -> Duration {
        self.parse + self.links + self.metadata + self.content + self.markdown
    }

    /// The time of one page, of that of so many.
    pub(crate) fn divide(&mut self, pages: usize) {
        let pages = u32::try_from(pages).unwrap_or(u32::MAX).max(1);
        self.parse /= pages;
        self.links /= pages;
        self.metadata /= pages;
        self.content /= pages;
        self.markdown /= pages;
    }

    /// Adds another page's time.
    pub(crate) fn add(&mut self, other: &Self) {
        self.parse += other.parse;
        self.links += other.links;
        self.metadata += other.metadata;
        self.content += other.content;
        self.markdown += other.markdown;
    }
}

/// Runs the whole pipeline over a page.
pub(crate) fn make(html: &str) -> Made {
    let resolve = |reference: &str| Some(reference.to_owned());
    let mut spent = Spent::default();
    let clock = Clock::start();
    let tree = Tree::parse(html);
    spent.parse = clock.elapsed();
    let clock = Clock::start();
    let mut links = 0usize;
    html::scan_links(html.as_bytes(), encoding_rs::UTF_8, |_| links += 1);
    spent.links = clock.elapsed();
    let clock = Clock::start();
    let metadata = html::metadata(&tree, &resolve);
    spent.metadata = clock.elapsed();
    let clock = Clock::start();
    let content = html::main_content(&tree);
    spent.content = clock.elapsed();
    let clock = Clock::start();
    let markdown = html::to_markdown(&tree, &content.selection(), &resolve);
    spent.markdown = clock.elapsed();
    // Used, so that no step is left out as useless.
    std::hint::black_box((links, metadata, markdown));
    Made {
        tree,
        content,
        spent,
    }
}
