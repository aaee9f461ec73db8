//! Properties of Markdown, HTML and text output that hold for any bytes.
//!
//! This file is also the body of a fuzz target, so it uses only the public API of the crate.
//!
//! * Nothing panics, and the output is bounded by the page.
//! * The HTML is inert: parsed again, it has no active element or attribute, and every address comes from the
//!   resolver.
//! * Text of the page is never parsed as markup: a CommonMark parser finds no HTML in the Markdown except the
//!   few tags the writer produces itself, and no link but the writer's own.

#[path = "active_content.rs"]
mod active_content;

use active_content::{is_active_attribute, is_active_element};
use crawler_html::{MainContent, Selection, Tree, main_content, metadata, whole_body};
use crawler_html::{to_inert_html, to_markdown, to_text};
use pulldown_cmark::{Event, LinkType, Options, Parser, Tag as Mark};

/// Prefix of every resolved address.
const BASE: &str = "https://e.x/";
/// The only HTML allowed in Markdown.
const OWN_TAGS: [&str; 8] = [
    "<br>",
    "<strong>",
    "</strong>",
    "<em>",
    "</em>",
    "<del>",
    "</del>",
    "<br />",
];

/// Panics if a property does not hold for the page.
pub(crate) fn check(page: &[u8]) {
    let (tree, _) = Tree::parse_bytes(page, None, None);
    let found = metadata(&tree, &resolve);
    assert!(
        found.title.iter().all(|title| !title.is_empty()),
        "an empty title"
    );
    let chosen = main_content(&tree);
    let body = whole_body(&tree);
    check_selection(&tree, &chosen);
    check_selection(&tree, &body);
    let whole = Selection::whole(tree.root());
    for selection in [chosen.selection(), body.selection(), whole] {
        check_formats(&tree, &selection, page.len());
    }
}

/// Roots and excluded nodes are in order, none is inside another, and every excluded node is inside a root.
fn check_selection(tree: &Tree, content: &MainContent) {
    for list in [&content.roots, &content.excluded] {
        assert!(
            list.windows(2).all(|pair| tree.end(pair[0]) <= pair[1]),
            "{list:?}"
        );
    }
    for left_out in &content.excluded {
        let mut roots = content.roots.iter();
        assert!(roots.any(|root| root < left_out && *left_out < tree.end(*root)));
    }
    assert!(
        (0.0..=1.0).contains(&content.quality),
        "{}",
        content.quality
    );
}

fn check_formats(tree: &Tree, selection: &Selection, length: usize) {
    let markdown = to_markdown(tree, selection, &resolve);
    let inert = to_inert_html(tree, selection, &resolve);
    let text = to_text(tree, selection);
    for output in [&markdown, &inert, &text] {
        assert!(
            output.len() <= length * 24 + 10_000,
            "{length} bytes became {}",
            output.len()
        );
    }
    for output in [&markdown, &text] {
        let ends_in_one_line_break =
            output.is_empty() || output.ends_with('\n') && !output.ends_with("\n\n");
        assert!(ends_in_one_line_break, "the end of {output:?}");
    }
    assert!(!markdown.starts_with('\n'), "the start of {markdown:?}");
    check_markdown(&markdown);
    check_inert(&inert);
    if !tree.is_truncated() {
        let again = Tree::parse(&inert);
        let twice = to_inert_html(&again, &Selection::whole(again.root()), &resolve);
        assert_eq!(twice, inert, "the HTML changes when it is parsed again");
    }
}

/// Always returns an absolute address; resolving it again changes nothing.
#[expect(clippy::unnecessary_wraps, reason = "the signature of a resolver")]
fn resolve(href: &str) -> Option<String> {
    if href.starts_with(BASE) {
        return Some(href.to_owned());
    }
    let word = href.bytes().filter(u8::is_ascii_alphanumeric).take(40);
    Some(format!(
        "{BASE}{}",
        word.map(char::from).collect::<String>()
    ))
}

fn check_markdown(markdown: &str) {
    let options = Options::ENABLE_TABLES
        | Options::ENABLE_STRIKETHROUGH
        | Options::ENABLE_FOOTNOTES
        | Options::ENABLE_TASKLISTS
        | Options::ENABLE_GFM;
    for event in Parser::new_ext(markdown, options) {
        match event {
            Event::Html(raw) | Event::InlineHtml(raw) => {
                assert!(OWN_TAGS.contains(&&*raw), "{raw:?} is HTML in {markdown:?}");
            }
            Event::Start(
                Mark::Link {
                    link_type,
                    dest_url,
                    ..
                }
                | Mark::Image {
                    link_type,
                    dest_url,
                    ..
                },
            ) => {
                assert_eq!(link_type, LinkType::Inline, "{dest_url} in {markdown:?}");
                assert!(dest_url.starts_with(BASE), "{dest_url} in {markdown:?}");
            }
            _ => {}
        }
    }
}

fn check_inert(inert: &str) {
    let tree = Tree::parse(inert);
    for id in tree.subtree(tree.root()) {
        let is_active = is_active_element(tree.tag(id));
        assert!(!is_active, "{} in {inert:?}", tree.name(id));
        for (name, value) in tree.attrs(id) {
            let is_active = is_active_attribute(name);
            assert!(!is_active, "{name} in {inert:?}");
            let is_address = matches!(name, "href" | "src" | "srcset" | "poster" | "cite");
            assert!(
                !is_address || value.starts_with(BASE),
                "{name}={value} in {inert:?}"
            );
        }
    }
}
