//! Hidden parts of a page: written as part of the main content by every writer, left out of the whole body,
//! and non-text content is never written.

use crawler_html::{
    MainContent, Selection, Tree, main_content, to_inert_html, to_markdown, to_text,
};
use crawler_html::{NodeId, whole_body};

const PAGE: &str = include_str!("pages/product_tabs.html");

/// Text in inactive tabs, collapsed sections and a closed dialog.
const HIDDEN: [&str; 3] = [
    "The frame is welded from drawn steel tubes",
    "Five years on the frame and two on every other part",
    "Send it back within sixty days",
];

/// Never written: scripts, styles, templates, form fields, and hidden inline elements.
const NEVER: [&str; 7] = [
    "let stock",
    "display: grid",
    "a template nobody filled",
    "Sky blue",
    "a note in a field",
    "chevron_right",
    "Please switch scripts on",
];

fn writers(tree: &Tree, selection: &Selection) -> [(&'static str, String); 3] {
    let resolve = |reference: &str| Some(reference.to_owned());
    [
        ("markdown", to_markdown(tree, selection, &resolve)),
        ("html", to_inert_html(tree, selection, &resolve)),
        ("text", to_text(tree, selection)),
    ]
}

fn check(tree: &Tree, content: &MainContent, includes_hidden: bool) {
    for (writer, written) in writers(tree, &content.selection()) {
        for part in HIDDEN {
            assert_eq!(
                written.contains(part),
                includes_hidden,
                "{writer}: {part:?}\n{written}"
            );
        }
        for part in NEVER {
            assert!(!written.contains(part), "{writer}: {part:?}\n{written}");
        }
    }
}

#[test]
fn tabs_and_collapsed_sections_are_written() {
    let tree = Tree::parse(PAGE);
    check(&tree, &main_content(&tree), true);
}

#[test]
fn the_whole_body_is_what_a_reader_sees() {
    let tree = Tree::parse(PAGE);
    check(&tree, &whole_body(&tree), false);
}

/// The selection decides whether hidden parts are written.
#[test]
fn a_selection_decides_about_hidden_parts() {
    let html = "<div><p hidden>one</p><p style='visibility:hidden'>two</p><dialog>three</dialog>\
        <div style='display:none'><p>four<span hidden>five</span></p><script>six</script>\
        <noscript>seven</noscript><template>eight</template></div></div>";
    let tree = Tree::parse(html);
    let root = tree.subtree(tree.root()).find(|id| tree.name(*id) == "div");
    let all = Selection::whole(root.expect("the div"));
    for (writer, written) in writers(&tree, &all) {
        assert_eq!(written.trim().replace("<div></div>", ""), "", "{writer}");
    }
    for (writer, written) in writers(&tree, &all.with_hidden()) {
        for word in ["one", "two", "three", "four"] {
            assert!(written.contains(word), "{writer}: {word} in {written}");
        }
        for word in ["five", "six", "seven", "eight"] {
            assert!(!written.contains(word), "{writer}: {word} in {written}");
        }
    }
}

/// Pages that a script reveals are not empty.
#[test]
fn a_fully_hidden_page_is_written() {
    let html = "<body style='visibility:hidden'><main><h1>Tide tables</h1><p>High water is at \
        nine in the morning and again at a quarter past nine in the evening.</p></main>";
    let tree = Tree::parse(html);
    for content in [main_content(&tree), whole_body(&tree)] {
        for (writer, written) in writers(&tree, &content.selection()) {
            assert!(written.contains("High water is at"), "{writer}: {written}");
        }
    }
}

/// Some forums put the whole thread there for readers without scripts and rebuild it for others. The root of
/// the selection is then inside `noscript`, and its content is written.
#[test]
fn a_thread_inside_noscript_is_written() {
    let thread = include_str!("pages/forum_thread.html");
    let (head, rest) = thread.split_once("<body").expect("a body");
    let (tag, body) = rest.split_once('>').expect("its tag");
    let html = format!("{head}<body{tag}><div id=app></div><noscript>{body}</noscript>");
    let tree = Tree::parse(&html);
    for (writer, written) in writers(&tree, &main_content(&tree).selection()) {
        let found = written.contains("it skips whenever I stand on the pedals");
        assert!(found, "{writer}: {written}");
    }
}

/// Excluded parts are never written, hidden or not.
#[test]
fn excluded_parts_are_not_written() {
    let tree = Tree::parse("<div><p hidden>in</p><p hidden>out</p></div>");
    let parts = |name: &str| -> Vec<NodeId> {
        let all = tree.subtree(tree.root());
        all.filter(|id| tree.name(*id) == name).collect()
    };
    let (roots, excluded) = (parts("div"), parts("p").split_off(1));
    for (writer, written) in writers(&tree, &Selection::of(roots, excluded).with_hidden()) {
        assert!(
            written.contains("in") && !written.contains("out"),
            "{writer}: {written}"
        );
    }
}
