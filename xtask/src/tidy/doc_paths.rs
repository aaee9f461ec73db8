//! Checks that the files named in the documentation exist, and that they declare what is named beside them.

use std::path::Path;

use crate::shell::root;

use super::SourceFile;

/// Paths below these folders are checked.
const FOLDERS: [&str; 4] = ["crates/", "xtask/", "bench/", "docs/"];

/// Keywords before the name of a declared thing.
const KEYWORDS: [&str; 7] = ["fn", "const", "static", "struct", "enum", "trait", "type"];

/// Paths in backticks in `docs/architecture.md` that do not exist, and names beside them that their files do not declare.
pub(super) fn findings(files: &[SourceFile]) -> Vec<String> {
    let page = files
        .iter()
        .find(|file| file.path == "docs/architecture.md");
    let mut findings = Vec::new();
    for (file, (index, line)) in page
        .into_iter()
        .flat_map(|file| file.text.lines().enumerate().map(move |line| (file, line)))
    {
        for path in paths(line) {
            if !root().join(path).exists() {
                findings.push(file.at(index, &format!("{path} does not exist")));
            }
        }
        for (name, path) in named_in_files(line) {
            let code = files.iter().find(|file| file.path == path);
            if code.is_some_and(|code| !declares(&code.text, name)) {
                findings.push(file.at(index, &format!("{path} does not declare {name}")));
            }
        }
    }
    findings
}

/// The paths in backticks, without those that contain a placeholder such as `<format>`.
fn paths(line: &str) -> impl Iterator<Item = &str> {
    let quoted = line.split('`').skip(1).step_by(2);
    quoted.filter(|text| {
        FOLDERS.iter().any(|folder| text.starts_with(folder)) && !text.contains(['<', ' ', '*'])
    })
}

/// Names beside a file, as in "`name` in `path`" and "`path` (`name`)", without the type before `::`.
fn named_in_files(line: &str) -> Vec<(&str, &str)> {
    let is_name =
        |text: &str| !text.is_empty() && !text.contains(|c: char| !is_part(c) && c != ':');
    let parts: Vec<&str> = line.split('`').collect();
    // A quoted text, the text between, and another quoted text.
    let neighbors = parts.windows(3).skip(1).step_by(2);
    let pairs = neighbors.filter_map(|window| match *window {
        [name, " in ", path] | [path, " (", name] if is_name(name) => Some((name, path)),
        _ => None,
    });
    pairs
        .filter(|(_, path)| Path::new(path).extension().is_some_and(|own| own == "rs"))
        .map(|(name, path)| (name.rsplit("::").next().unwrap_or(name), path))
        .collect()
}

fn declares(code: &str, name: &str) -> bool {
    let declares_it = |line: &str, keyword: &str| {
        let declaration = format!("{keyword} {name}");
        line.match_indices(&declaration).any(|(at, _)| {
            !line[..at].ends_with(is_part) && !line[at + declaration.len()..].starts_with(is_part)
        })
    };
    let mut lines = code.lines();
    lines.any(|line| KEYWORDS.iter().any(|keyword| declares_it(line, keyword)))
}

/// Whether a character is part of an identifier.
fn is_part(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

#[cfg(test)]
mod tests {
    use super::{declares, named_in_files, paths};

    #[test]
    fn paths_in_backticks_below_a_folder_are_found() {
        let line = "| `crates/a/src/b.rs`, `b.rs`, `crates/<x>.rs` | crates/no | `cargo xtask x` | `docs/` |";
        assert_eq!(
            paths(line).collect::<Vec<_>>(),
            ["crates/a/src/b.rs", "docs/"]
        );
    }

    #[test]
    fn names_beside_a_file_are_found() {
        let line = "| x `y` | `admit` in `crates/a/src/b.rs`, `A::c` in `d.rs`; `e.rs` (`f`), `g.rs` (the pool), `h/` (`i`) |";
        let expected = [("admit", "crates/a/src/b.rs"), ("c", "d.rs"), ("f", "e.rs")];
        assert_eq!(named_in_files(line), expected);
    }

    #[test]
    fn declarations_are_found_as_whole_names() {
        let code =
            "pub(crate) fn renew_leases(&self) {}\nconst DELAY: u32 = 1;\nstruct Lease<T>(T);\n";
        for name in ["renew_leases", "DELAY", "Lease"] {
            assert!(declares(code, name), "{name}");
        }
        for name in ["renew", "keep_leases", "T"] {
            assert!(!declares(code, name), "{name}");
        }
    }
}
