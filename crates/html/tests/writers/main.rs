//! The writers, tested by parsing their output: Markdown with a CommonMark parser, HTML with our parser. The
//! result must mean the same as the page.

#[path = "../fuzz/active_content.rs"]
mod active_content;
mod golden;
mod hostile;
mod inert;
mod property;
mod reading;
mod round_trip;
#[path = "../hostile/stopwatch.rs"]
mod stopwatch;
mod text;

use crawler_html::{Selection, Tree, to_inert_html, to_markdown, to_text};

/// A simple resolver for `https://e.x/page`.
pub(crate) fn resolve(href: &str) -> Option<String> {
    let start = href.split(['/', '?', '#']).next()?;
    if start.contains(':') {
        return Some(href.to_owned());
    }
    let page = if href.starts_with('#') { "page" } else { "" };
    Some(format!(
        "https://e.x/{page}{}",
        href.strip_prefix('/').unwrap_or(href)
    ))
}

pub(crate) fn markdown(html: &str) -> String {
    let tree = Tree::parse(html);
    to_markdown(&tree, &Selection::whole(tree.root()), &resolve)
}

pub(crate) fn plain_text(html: &str) -> String {
    let tree = Tree::parse(html);
    to_text(&tree, &Selection::whole(tree.root()))
}

pub(crate) fn inert_html(html: &str) -> String {
    let tree = Tree::parse(html);
    to_inert_html(&tree, &Selection::whole(tree.root()), &resolve)
}

/// Checks what holds for all Markdown we write.
pub(crate) fn check_shape(markdown: &str) {
    assert!(
        markdown.is_empty() || markdown.ends_with('\n'),
        "no trailing line break: {markdown:?}"
    );
    assert!(
        !markdown.ends_with("\n\n"),
        "two trailing line breaks: {markdown:?}"
    );
    assert!(
        !markdown.starts_with('\n'),
        "leading line break: {markdown:?}"
    );
    let mut fence: Option<&str> = None;
    let mut blank = false;
    for line in markdown.lines() {
        let bare = line.trim_start_matches(|letter: char| {
            letter.is_ascii_digit() || " >-*.)".contains(letter)
        });
        let ticks = &bare[..bare.len() - bare.trim_start_matches('`').len()];
        match fence {
            Some(open) if bare == open => fence = None,
            None if ticks.len() >= 3 && !bare[ticks.len()..].contains('`') => fence = Some(ticks),
            Some(_) => {}
            None => {
                assert!(
                    !line.ends_with([' ', '\t']),
                    "trailing space: {line:?} in {markdown:?}"
                );
                assert!(!(blank && line.is_empty()), "two blank lines: {markdown:?}");
            }
        }
        blank = fence.is_none() && line.is_empty();
    }
}
