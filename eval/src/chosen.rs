//! The text of the selected parts as it is in the tree, to distinguish errors of the selection from errors of
//! the writer. Hidden parts count, as they do in the ground truth.

use crawler_html::{MainContent, NodeId, Tree};

/// Returns all text of the selected parts, with line breaks where elements separate it.
pub(crate) fn chosen_text(tree: &Tree, content: &MainContent) -> String {
    let mut text = String::new();
    let mut excluded = content.excluded.iter().copied().peekable();
    for root in &content.roots {
        let mut past: Option<NodeId> = None;
        for id in tree.subtree(*root) {
            if past.is_some_and(|end| id < end) {
                continue;
            }
            while excluded.next_if(|next| *next < id).is_some() {}
            if excluded.peek() == Some(&id) || is_non_text(tree.name(id)) {
                past = Some(tree.end(id));
                text.push('\n');
                continue;
            }
            match tree.text(id) {
                Some(found) => {
                    text.push_str(found);
                    let last = tree.next_sibling(id).is_none();
                    let parent = tree.parent(id).map_or("", |parent| tree.name(parent));
                    if last && !is_inline(parent) {
                        text.push('\n');
                    }
                }
                None if !is_inline(tree.name(id)) => text.push('\n'),
                None => {}
            }
        }
    }
    text
}

fn is_non_text(name: &str) -> bool {
    matches!(
        name,
        "script"
            | "style"
            | "template"
            | "select"
            | "textarea"
            | "svg"
            | "iframe"
            | "object"
            | "head"
            | "datalist"
    )
}

fn is_inline(name: &str) -> bool {
    matches!(
        name,
        "a" | "b"
            | "i"
            | "em"
            | "strong"
            | "span"
            | "code"
            | "sub"
            | "sup"
            | "u"
            | "mark"
            | "small"
            | "abbr"
            | "font"
            | "s"
            | "q"
            | "cite"
            | "kbd"
            | "var"
            | "wbr"
    )
}
