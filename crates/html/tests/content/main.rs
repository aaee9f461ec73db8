//! Main content on pages written for the purpose, and on pages written to break it.

mod coherence;
mod folded;
mod golden;
mod hostile;
mod ladder;
mod pages;
mod shape;

use html::{MainContent, Tree};

/// The text of what was chosen, a line per text node.
pub fn text_of(tree: &Tree, content: &MainContent) -> String {
    let mut text = String::new();
    for root in &content.roots {
        for id in tree.subtree(*root) {
            let outside = |cut: &html::NodeId| *cut > id || tree.end(*cut) <= id;
            let silent = ["script", "style", "template"];
            let parent = tree.parent(id).map_or("", |parent| tree.name(parent));
            if let Some(found) = tree.text(id)
                && content.excluded.iter().all(outside)
                && !silent.contains(&parent)
            {
                text.push_str(found);
                text.push('\n');
            }
        }
    }
    text
}
