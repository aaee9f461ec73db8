//! The whole pipeline over a page, timed step by step: tree, links, metadata, main content, Markdown.

use std::time::Duration;

use crawler_html::{MainContent, Tree};

use crate::clock::Clock;

/// The results for a page.
#[derive(Debug)]
pub(crate) struct PipelineOutput {
    pub tree: Tree,
    pub content: MainContent,
    pub spent: StepTimes,
}

/// CPU time of each step.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct StepTimes {
    pub parse: Duration,
    pub links: Duration,
    pub metadata: Duration,
    pub content: Duration,
    pub markdown: Duration,
}

impl StepTimes {
    /// The sum of all steps.
    pub(crate) fn total(&self) -> Duration {
        self.parse + self.links + self.metadata + self.content + self.markdown
    }

    /// Divides the times by the number of pages.
    pub(crate) fn divide(&mut self, pages: usize) {
        let pages = u32::try_from(pages).unwrap_or(u32::MAX).max(1);
        self.parse /= pages;
        self.links /= pages;
        self.metadata /= pages;
        self.content /= pages;
        self.markdown /= pages;
    }

    /// Adds the times of another page.
    pub(crate) fn add(&mut self, other: &Self) {
        self.parse += other.parse;
        self.links += other.links;
        self.metadata += other.metadata;
        self.content += other.content;
        self.markdown += other.markdown;
    }
}

/// Runs the whole pipeline over a page.
pub(crate) fn run(html: &str) -> PipelineOutput {
    let resolve = |reference: &str| Some(reference.to_owned());
    let mut spent = StepTimes::default();
    let clock = Clock::start();
    let tree = Tree::parse(html);
    spent.parse = clock.elapsed();
    let clock = Clock::start();
    let mut links = 0usize;
    crawler_html::scan_links(html.as_bytes(), encoding_rs::UTF_8, |_| links += 1);
    spent.links = clock.elapsed();
    let clock = Clock::start();
    let metadata = crawler_html::metadata(&tree, &resolve);
    spent.metadata = clock.elapsed();
    let clock = Clock::start();
    let content = crawler_html::main_content(&tree);
    spent.content = clock.elapsed();
    let clock = Clock::start();
    let markdown = crawler_html::to_markdown(&tree, &content.selection(), &resolve);
    spent.markdown = clock.elapsed();
    // Prevents the compiler from optimizing a step away.
    std::hint::black_box((links, metadata, markdown));
    PipelineOutput {
        tree,
        content,
        spent,
    }
}
