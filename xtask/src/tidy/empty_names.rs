//! Names that say nothing: files that are called so, and types with such a word in their names, public or not.

use super::SourceFile;

/// Words that say nothing about a thing.
const EMPTY_WORDS: [&str; 18] = [
    "base", "common", "data", "do", "helper", "helpers", "info", "item", "items", "manager",
    "managers", "misc", "process", "shared", "smart", "util", "utils", "utility",
];
/// Files that may be called so, and why.
const FILES: [(&str, &str); 3] = [
    ("crates/cli/tests/chaos/process.rs", OS_PROCESS),
    ("crates/cli/tests/harness/process.rs", OS_PROCESS),
    ("crates/service/tests/worker/process.rs", OS_PROCESS),
];
const OS_PROCESS: &str = "a process of the operating system";
/// Types that may be called so, and why.
const TYPES: [(&str, &str); 10] = [
    (
        "SharedBrowser",
        "the API and the worker of one process share it",
    ),
    ("Base", HTML_BASE),
    ("LateBase", HTML_BASE),
    ("SimpleBase", HTML_BASE),
    ("ApiProcess", OS_PROCESS),
    ("Process", OS_PROCESS),
    ("ProcessKills", OS_PROCESS),
    ("RunningProcess", OS_PROCESS),
    ("SingleProcess", OS_PROCESS),
    ("WorkerProcess", OS_PROCESS),
];
const HTML_BASE: &str = "the base URL of a page, which HTML's element `base` sets";

/// An empty file name, and types with an empty word.
pub(super) fn findings(file: &SourceFile) -> Vec<String> {
    if !file.is_rust() {
        return Vec::new();
    }
    let mut findings = Vec::new();
    let is_allowed = FILES.iter().any(|(path, _)| *path == file.path);
    if EMPTY_WORDS.contains(&file.stem()) && !is_allowed {
        findings.push(format!("{}: the file name says nothing", file.path));
    }
    for (index, line) in file.text.lines().enumerate() {
        let Some(name) = declared(line) else { continue };
        let is_allowed = TYPES.iter().any(|(allowed, _)| *allowed == name);
        if let Some(word) = empty_word(name)
            && !is_allowed
        {
            findings.push(file.at(index, &format!("{name}: {word:?} says nothing")));
        }
    }
    findings
}

/// Name of the type that a line declares. An associated type is not the place's own: the trait has named it.
fn declared(line: &str) -> Option<&str> {
    let declaration = line.trim_start();
    let is_indented = declaration.len() < line.len();
    let declaration = match declaration.strip_prefix("pub") {
        Some(public) if public.starts_with(' ') => public.trim_start(),
        Some(restricted) if restricted.starts_with('(') => restricted.split_once(") ")?.1,
        _ => declaration,
    };
    let (kind, rest) = declaration.split_once(' ')?;
    let kinds = ["struct", "enum", "trait", "union"];
    if !kinds.contains(&kind) && (kind != "type" || is_indented) {
        return None;
    }
    let end = rest.find(|c: char| !c.is_alphanumeric() && c != '_');
    Some(&rest[..end.unwrap_or(rest.len())])
}

/// The first word of a type name that says nothing, in lower case.
fn empty_word(name: &str) -> Option<String> {
    let mut words: Vec<String> = Vec::new();
    for letter in name.chars() {
        match words.last_mut() {
            Some(word) if !letter.is_uppercase() => word.push(letter),
            _ => words.push(letter.to_lowercase().collect()),
        }
    }
    words
        .into_iter()
        .find(|word| EMPTY_WORDS.contains(&word.as_str()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn empty_words_are_found_as_whole_words() {
        for (name, word) in [
            ("SitemapItem", Some("item")),
            ("DataStore", Some("data")),
            ("Info", Some("info")),
            ("Database", None),
            ("Baseline", None),
            ("PageDocument", None),
        ] {
            assert_eq!(empty_word(name).as_deref(), word, "{name}");
        }
    }

    #[test]
    fn files_and_types_are_checked() {
        let file = |path: &str, text: &str| SourceFile {
            path: path.into(),
            text: text.into(),
        };
        let found = |path, text| findings(&file(path, text)).len();
        assert_eq!(found("crates/a/src/util.rs", "pub struct Item;\n"), 2);
        for (text, findings) in [
            ("pub(crate) struct Item;\n", 1),
            ("pub(in crate::page) enum Item<T> {\n", 1),
            ("struct PageInfo(u8);\n", 1),
            ("type Shared = u8;\n", 1),
            ("    struct Item;\n", 1),
            ("    type Item = u8;\n", 0),
            ("struct Process;\n", 0),
            ("let struct_of = Item;\n", 0),
            ("// struct Item\n", 0),
        ] {
            assert_eq!(found("crates/a/src/page.rs", text), findings, "{text}");
        }
        assert_eq!(found("docs/data.md", "pub struct Item;\n"), 0);
    }
}
