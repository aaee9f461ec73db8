//! A formula as one legible line: its TeX source if the page still has it, otherwise the symbols with `^`, `_`
//! and `/` between them.

use crate::tree::{NodeId, Tag, Tree};
use crate::writing::selection::{Step, Steps};

/// The text of a formula and whether it is displayed on a line of its own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Formula {
    pub(crate) text: String,
    pub(crate) is_tex: bool,
    pub(crate) display: bool,
}

impl Formula {
    /// The formula of a `math` element.
    pub(crate) fn of_math(tree: &Tree, id: NodeId) -> Option<Self> {
        let display = tree.attr(id, "display") == Some("block");
        let tex = annotation(tree, id)
            .or_else(|| tree.attr(id, "alttext").map(str::to_owned))
            .and_then(|tex| clean(&tex));
        match tex {
            Some(text) => Some(Self {
                text,
                is_tex: true,
                display,
            }),
            None => clean(&symbols(tree, id)).map(|text| Self {
                text,
                is_tex: false,
                display,
            }),
        }
    }

    /// The formula in a script kept for a typesetting library.
    pub(crate) fn of_script(tree: &Tree, id: NodeId) -> Option<Self> {
        let kind = tree.attr(id, "type")?;
        if !kind.starts_with("math/tex") {
            return None;
        }
        let text = clean(tree.text(tree.first_child(id)?)?)?;
        Some(Self {
            text,
            is_tex: true,
            display: kind.contains("mode=display"),
        })
    }

    /// The formula that an image replaces, recognized by its class.
    pub(crate) fn of_image(tree: &Tree, id: NodeId) -> Option<Self> {
        let class = tree.attr(id, "class")?;
        let stands_in = class
            .split_ascii_whitespace()
            .any(|class| class.starts_with("mwe-math-fallback") || class == "tex");
        let text = tree.attr(id, "alt").filter(|_| stands_in).and_then(clean)?;
        Some(Self {
            text,
            is_tex: true,
            display: class.contains("display"),
        })
    }
}

fn clean(tex: &str) -> Option<String> {
    let tex = tex.trim();
    let tex = tex
        .strip_prefix("{\\displaystyle")
        .and_then(|inner| inner.strip_suffix('}'))
        .unwrap_or(tex);
    let mut line = String::with_capacity(tex.len());
    for word in tex.split_whitespace() {
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(word);
    }
    (!line.is_empty()).then_some(line)
}

fn annotation(tree: &Tree, id: NodeId) -> Option<String> {
    let annotation = tree.subtree(id).find(|&id| {
        tree.name(id) == "annotation"
            && tree
                .attr(id, "encoding")
                .is_some_and(|encoding| encoding.to_ascii_lowercase().contains("tex"))
    })?;
    let mut tex = String::new();
    for id in tree.subtree(annotation) {
        tex.push_str(tree.text(id).unwrap_or_default());
    }
    Some(tex)
}

/// The symbols in order. A part with more than one symbol is put in parentheses where it is raised, lowered or
/// divided.
fn symbols(tree: &Tree, id: NodeId) -> String {
    let roots = [id];
    let mut steps = Steps::new(tree, &roots, &[]);
    let mut line = String::new();
    while let Some(step) = steps.next() {
        match step {
            Step::Enter(id) => {
                if let Some(text) = tree.text(id) {
                    line.push_str(text.trim());
                    continue;
                }
                if matches!(tree.name(id), "annotation" | "annotation-xml")
                    || tree.tag(id) == Some(Tag::Script)
                {
                    steps.skip_children();
                    continue;
                }
                line.push_str(before(tree, id));
                if is_grouped(tree, id) {
                    line.push('(');
                }
            }
            Step::Leave(id) => {
                if tree.text(id).is_none() && is_grouped(tree, id) {
                    line.push(')');
                }
            }
        }
    }
    line
}

fn before(tree: &Tree, id: NodeId) -> &'static str {
    if matches!(tree.name(id), "msqrt" | "mroot") {
        return "√";
    }
    if tree.name(id) == "mo" {
        return "";
    }
    match child_position(tree, id) {
        Some(("msup" | "mover", 1) | ("msubsup" | "munderover", 2)) => "^",
        Some(("msub" | "munder" | "msubsup" | "munderover", 1)) => "_",
        Some(("mfrac", 1)) => "/",
        Some(("mtr", 1..)) => ", ",
        Some(("mtable", 1..)) => "; ",
        _ => "",
    }
}

/// The name of the parent and the position among its elements, counted no further than needed.
fn child_position(tree: &Tree, id: NodeId) -> Option<(&str, usize)> {
    let parent = tree.parent(id)?;
    let before = std::iter::successors(tree.prev_sibling(id), |&id| tree.prev_sibling(id))
        .take(8)
        .filter(|&id| tree.tag(id).is_some())
        .take(3)
        .count();
    Some((tree.name(parent), before))
}

fn is_grouped(tree: &Tree, id: NodeId) -> bool {
    if matches!(tree.name(id), "msqrt" | "mroot") {
        return true;
    }
    let Some(parent) = tree.parent(id) else {
        return false;
    };
    let matters = matches!(
        tree.name(parent),
        "msup" | "msub" | "msubsup" | "munder" | "mover" | "munderover" | "mfrac"
    );
    matters
        && tree.name(id) != "mo"
        && tree
            .children(id)
            .filter(|&child| tree.tag(child).is_some())
            .take(2)
            .count()
            > 1
}
