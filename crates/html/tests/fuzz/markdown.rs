//! What holds for any bytes, through the whole way to markdown, html and text.
//!
//! Also the body of a fuzz target, so it uses nothing but the crate's public face.
//!
//! * Nothing panics, and the output is bounded by the page.
//! * The html is inert: read again, it has no element and no attribute that does anything, and every
//!   address is one that the resolver made.
//! * The text of the page is never read as markup: a CommonMark reader finds no HTML in the markdown but
//!   the few tags the writer makes itself, and no link but the writer's own.

use html::{MainContent, Selection, Tag, Tree, main_content, metadata, whole_body};
use html::{to_inert_html, to_markdown, to_text};
use pulldown_cmark::{Event, LinkType, Options, Parser, Tag as Mark};

/// Where every address on a page leads.
const PLACE: &str = "https://e.x/";
/// The only HTML that markdown may hold.
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

/// Stops if something does not hold for the page.
pub(crate) fn check(page: &[u8]) {
    let (tree, _) = Tree::parse_bytes(page, None, None);
    let told = metadata(&tree, &resolve);
    assert!(
        told.title.iter().all(|title| !title.is_empty()),
        "an empty title"
    );
    let chosen = main_content(&tree);
    let body = whole_body(&tree);
    check_choice(&tree, &chosen);
    check_choice(&tree, &body);
    let whole = Selection::whole(tree.root());
    for selection in [chosen.selection(), body.selection(), whole] {
        check_forms(&tree, &selection, page.len());
    }
}

/// Roots and what is left out of them: in order, none in another, each left out of some root.
fn check_choice(tree: &Tree, content: &MainContent) {
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

fn check_forms(tree: &Tree, selection: &Selection, length: usize) {
    let markdown = to_markdown(tree, selection, &resolve);
    let inert = to_inert_html(tree, selection, &resolve);
    let text = to_text(tree, selection);
    for form in [&markdown, &inert, &text] {
        assert!(
            form.len() <= length * 24 + 10_000,
            "{length} became {}",
            form.len()
        );
    }
    for form in [&markdown, &text] {
        let ends_well = form.is_empty() || form.ends_with('\n') && !form.ends_with("\n\n");
        assert!(ends_well, "the end of {form:?}");
    }
    assert!(!markdown.starts_with('\n'), "the start of {markdown:?}");
    check_markdown(&markdown);
    check_inert(&inert);
    if !tree.cut() {
        let again = Tree::parse(&inert);
        let twice = to_inert_html(&again, &Selection::whole(again.root()), &resolve);
        assert_eq!(twice, inert, "html that changes when it is read again");
    }
}

/// Absolute whatever the page says; a second time, the same.
#[expect(
    clippy::unnecessary_wraps,
    reason = "the writers' resolvers may refuse"
)]
fn resolve(href: &str) -> Option<String> {
    if href.starts_with(PLACE) {
        return Some(href.to_owned());
    }
    let word = href.bytes().filter(u8::is_ascii_alphanumeric).take(40);
    Some(format!(
        "{PLACE}{}",
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
                assert!(
                    OWN_TAGS.contains(&&*raw),
                    "{raw:?} is alive in {markdown:?}"
                );
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
                assert!(dest_url.starts_with(PLACE), "{dest_url} in {markdown:?}");
            }
            _ => {}
        }
    }
}

fn check_inert(inert: &str) {
    let tree = Tree::parse(inert);
    for id in tree.subtree(tree.root()) {
        let runs = matches!(
            tree.tag(id),
            Some(
                Tag::Script
                    | Tag::Style
                    | Tag::Svg
                    | Tag::Math
                    | Tag::Iframe
                    | Tag::Object
                    | Tag::Embed
                    | Tag::Form
                    | Tag::Input
                    | Tag::Button
                    | Tag::Meta
                    | Tag::Base
                    | Tag::Link
                    | Tag::Template
            )
        );
        assert!(!runs, "{} in {inert:?}", tree.name(id));
        for (name, value) in tree.attrs(id) {
            let acts =
                name.starts_with("on") || matches!(name, "style" | "srcdoc" | "action" | "id");
            assert!(!acts, "{name} in {inert:?}");
            let leads = matches!(name, "href" | "src" | "srcset" | "poster" | "cite");
            assert!(
                !leads || value.starts_with(PLACE),
                "{name}={value} in {inert:?}"
            );
        }
    }
}
