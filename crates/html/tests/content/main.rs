//! Main content of sample pages and adversarial pages.

mod coherence;
mod fallback;
mod golden;
mod hidden_blocks;
mod hostile;
mod pages;
mod shape;
mod small_pages;
#[path = "../hostile/stopwatch.rs"]
mod stopwatch;

use crawler_html::{MainContent, Tree};

/// The text of the selected parts, one line per text node.
pub fn text_of(tree: &Tree, content: &MainContent) -> String {
    let mut text = String::new();
    for root in &content.roots {
        for id in tree.subtree(*root) {
            let outside = |cut: &crawler_html::NodeId| *cut > id || tree.end(*cut) <= id;
            let non_text = ["script", "style", "template"];
            let parent = tree.parent(id).map_or("", |parent| tree.name(parent));
            if let Some(found) = tree.text(id)
                && content.excluded.iter().all(outside)
                && !non_text.contains(&parent)
            {
                text.push_str(found);
                text.push('\n');
            }
        }
    }
    text
}
