//! The text of a code block and its declared language.

use crate::tree::{NodeId, Tag, Tree};
use crate::writing::display_attributes::{DisplayAttributes, is_copy_control, is_dropped};
use crate::writing::selection::{Step, Steps};

/// The text of a `pre`, with white space as written, without line numbers and copy buttons.
pub(crate) fn code_text(tree: &Tree, id: NodeId) -> String {
    let roots = [id];
    let mut steps = Steps::new(tree, &roots, &[]);
    let mut code = String::new();
    while let Some(step) = steps.next() {
        match step {
            Step::Enter(id) => {
                if let Some(text) = tree.text(id) {
                    code.push_str(text);
                    continue;
                }
                let Some(tag) = tree.tag(id) else { continue };
                let display = DisplayAttributes::of(tree, id);
                if is_dropped(tag)
                    || display.hidden
                    || display.declares("display", "none")
                    || is_gutter(&display)
                    || (matches!(tag, Tag::Button | Tag::A) && is_copy_control(tree, id, &display))
                {
                    steps.skip_children();
                } else if tag == Tag::Br {
                    code.push('\n');
                } else if is_line(tag) {
                    end_line(&mut code);
                }
            }
            Step::Leave(id) => {
                if tree.tag(id).is_some_and(is_line) {
                    end_line(&mut code);
                }
            }
        }
    }
    code.truncate(code.trim_end_matches('\n').len());
    code
}

/// Elements that occupy lines of their own inside a `pre`.
fn is_line(tag: Tag) -> bool {
    matches!(tag, Tag::Div | Tag::P | Tag::Li | Tag::Tr)
}

fn end_line(code: &mut String) {
    if !code.is_empty() && !code.ends_with('\n') {
        code.push('\n');
    }
}

/// Whether an element holds the line numbers beside code.
pub(crate) fn is_gutter(display: &DisplayAttributes<'_>) -> bool {
    display.any_class(|class| {
        matches!(
            class,
            "gutter"
                | "lineno"
                | "linenos"
                | "linenodiv"
                | "line-number"
                | "line-numbers-rows"
                | "linenumber"
                | "linenumbers"
                | "lnt"
                | "ln"
                | "hljs-ln-numbers"
                | "hljs-ln-n"
                | "rouge-gutter"
                | "blob-num"
                | "code-line-number"
                | "react-line-number"
                | "crayon-nums"
                | "line-numbers-wrapper"
        )
    })
}

/// Whether a table cell holds one line of code, as on pages that show whole files.
pub(crate) fn is_code_line(display: &DisplayAttributes<'_>) -> bool {
    display.any_class(|class| matches!(class, "blob-code" | "js-file-line"))
}

/// The language of a code block: declared by the block, by the `code` inside it, or by one of the two elements
/// around it.
pub(crate) fn language(tree: &Tree, id: NodeId) -> Option<&str> {
    let inside = tree
        .children(id)
        .find(|&child| tree.tag(child) == Some(Tag::Code));
    let parent = tree.parent(id);
    let grandparent = parent.and_then(|parent| tree.parent(parent));
    [inside, Some(id), parent, grandparent]
        .into_iter()
        .enumerate()
        .filter_map(|(level, id)| Some((level, id?)))
        .filter(|&(_, id)| tree.tag(id).is_some())
        .find_map(|(level, id)| {
            ["data-lang", "data-language", "data-code-language"]
                .iter()
                .find_map(|name| tree.attr(id, name).and_then(plausible))
                .or_else(|| {
                    tree.attr(id, "class")
                        .and_then(|class| by_class(class, level < 2))
                })
        })
}

fn by_class(class: &str, own: bool) -> Option<&str> {
    const CLASS_PREFIXES: [&str; 6] = [
        "language-",
        "lang-",
        "highlight-source-",
        "highlight-text-",
        "brush:",
        "highlight-",
    ];
    let mut after_marker = false;
    for word in class.split_ascii_whitespace() {
        let marked = CLASS_PREFIXES
            .iter()
            .find_map(|marker| word.strip_prefix(marker))
            .and_then(|language| language.split(';').next());
        if let Some(language) = marked.and_then(plausible) {
            return Some(language);
        }
        if after_marker
            && own
            && let Some(language) = plausible(word.trim_end_matches(';'))
        {
            return Some(language);
        }
        after_marker = matches!(
            word,
            "hljs" | "sourceCode" | "brush:" | "prettyprint" | "prism"
        );
    }
    None
}

/// Returns the word if it can be a language name: short, and made of characters that are safe in a code fence.
fn plausible(word: &str) -> Option<&str> {
    let word = word.trim();
    let is_language = (1..=24).contains(&word.len())
        && word.starts_with(|first: char| first.is_ascii_alphanumeric())
        && word
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || b"+#.-_".contains(&byte))
        && !matches!(
            word,
            "none"
                | "auto"
                | "default"
                | "notranslate"
                | "wrapper"
                | "wrap"
                | "copy"
                | "linenums"
                | "nohighlight"
                | "no-highlight"
                | "hljs"
                | "source"
                | "inline"
                | "box"
                | "block"
        );
    is_language.then_some(word)
}
