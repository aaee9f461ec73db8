//! Links in documents are not broken, and the options they name exist.

use std::collections::HashSet;
use std::fs;
use std::path::Path;

use crate::root;

/// Options in documents that the command line reference does not list: those of every command, of the older command lines,
/// and of other programs.
const OTHER_OPTIONS: [&str; 13] = [
    "--help",
    "--version",
    "--output",
    // cargo, xtask, testsite
    "--open",
    "--release",
    "--where",
    "--seconds",
    "--pages",
    "--body",
    // docker
    "--cap-add",
    "--init",
    "--privileged",
    "--security-opt",
];
/// Documents about the past or about other programs, and the reference itself.
const EXCLUDED: [&str; 6] = [
    "docs/cli.md",
    "CHANGELOG.md",
    "CONTRIBUTING.md",
    "docs/decisions/",
    "docs/benchmarks",
    "docs/promises.md",
];

/// The documents of the project: those in the root folder and in `docs/`.
pub(crate) fn documents() -> Vec<String> {
    let mut names = Vec::new();
    for folder in ["", "docs/", "docs/decisions/"] {
        for entry in fs::read_dir(root().join(folder)).unwrap() {
            let name = entry.unwrap().file_name().into_string().unwrap();
            if Path::new(&name)
                .extension()
                .is_some_and(|ending| ending == "md")
            {
                names.push(format!("{folder}{name}"));
            }
        }
    }
    names
}

/// Text without its fenced blocks.
fn prose(text: &str) -> String {
    let mut fence: Option<&str> = None;
    let mut prose = String::new();
    for line in text.lines() {
        let ticks = line.len() - line.trim_start_matches('`').len();
        match fence {
            Some(open) if line == open => fence = None,
            Some(_) => {}
            None if ticks >= 3 => fence = Some(&line[..ticks]),
            None => {
                prose.push_str(line);
                prose.push('\n');
            }
        }
    }
    prose
}

/// The anchors of a document's headings, as GitHub forms them.
fn anchors(text: &str) -> HashSet<String> {
    prose(text)
        .lines()
        .filter_map(|line| line.strip_prefix('#'))
        .map(|line| line.trim_start_matches('#').trim())
        .map(|heading| {
            heading
                .to_lowercase()
                .chars()
                .filter(|c| c.is_alphanumeric() || " -_".contains(*c))
                .map(|c| if c == ' ' { '-' } else { c })
                .collect()
        })
        .collect()
}

#[test]
fn links_between_documents_are_not_broken() {
    let mut broken = Vec::new();
    for document in documents() {
        let path = root().join(&document);
        let text = fs::read_to_string(&path).unwrap();
        let prose = prose(&text);
        let targets = prose.split("](").skip(1);
        for target in targets
            .filter_map(|rest| rest.split_once(')'))
            .map(|(target, _)| target)
        {
            if target.contains("://") || target.starts_with("mailto:") {
                continue;
            }
            let (file, anchor) = target.split_once('#').unwrap_or((target, ""));
            let other = if file.is_empty() {
                path.clone()
            } else {
                path.parent().unwrap().join(file)
            };
            let known = other.exists()
                && (anchor.is_empty()
                    || anchors(&fs::read_to_string(&other).unwrap()).contains(anchor));
            if !known {
                broken.push(format!("{document}: {target}"));
            }
        }
    }
    assert!(broken.is_empty(), "{broken:#?}");
}

/// An option that was renamed or removed must not remain in the text.
#[test]
fn options_in_the_prose_exist() {
    let reference = fs::read_to_string(root().join("docs/cli.md")).unwrap();
    let known = options(&reference);
    let mut unknown = Vec::new();
    for document in documents() {
        if EXCLUDED.iter().any(|start| document.starts_with(start)) {
            continue;
        }
        let text = prose(&fs::read_to_string(root().join(&document)).unwrap());
        for option in options(&text) {
            if !known.contains(&option) && !OTHER_OPTIONS.contains(&option.as_str()) {
                unknown.push(format!("{document}: {option}"));
            }
        }
    }
    assert!(unknown.is_empty(), "{unknown:#?}");
}

/// Words that look like `--option`.
fn options(text: &str) -> HashSet<String> {
    text.split(|c: char| !(c.is_ascii_alphanumeric() || c == '-'))
        .filter(|word| {
            word.len() > 3
                && word.starts_with("--")
                && word[2..].starts_with(|c: char| c.is_ascii_alphabetic())
        })
        .map(str::to_owned)
        .collect()
}
