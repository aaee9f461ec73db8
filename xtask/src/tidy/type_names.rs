//! Public type names are unique across crates: one name, one thing.

use std::collections::BTreeMap;

use super::SourceFile;

/// Names declared `pub` in more than one crate. Within a crate, a feature may choose between two files that declare the same name.
pub(super) fn findings(files: &[SourceFile]) -> Vec<String> {
    let mut locations: BTreeMap<&str, BTreeMap<&str, String>> = BTreeMap::new();
    for file in files {
        let Some((name_of_crate, _)) = file
            .path
            .strip_prefix("crates/")
            .and_then(|path| path.split_once("/src/"))
        else {
            continue;
        };
        for (index, line) in file.text.lines().enumerate() {
            if let Some(name) = declared(line) {
                let location = format!("{}:{}", file.path, index + 1);
                locations
                    .entry(name)
                    .or_default()
                    .entry(name_of_crate)
                    .or_insert(location);
            }
        }
    }
    let repeated = locations
        .iter()
        .filter(|(_, locations)| locations.len() > 1);
    repeated
        .map(|(name, locations)| {
            let locations: Vec<&str> = locations.values().map(String::as_str).collect();
            format!(
                "the public type name {name} is declared in more than one crate: {}",
                locations.join(", ")
            )
        })
        .collect()
}

/// Name of the public type declared by a top-level line.
fn declared(line: &str) -> Option<&str> {
    let rest = line.strip_prefix("pub ")?;
    let (kind, rest) = rest.split_once(' ')?;
    if !["struct", "enum", "trait", "union", "type"].contains(&kind) {
        return None;
    }
    let end = rest.find(|c: char| !c.is_alphanumeric() && c != '_');
    Some(&rest[..end.unwrap_or(rest.len())])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(path: &str, text: &str) -> SourceFile {
        SourceFile {
            path: path.into(),
            text: text.into(),
        }
    }

    #[test]
    fn a_name_in_two_crates_is_found() {
        let files = [
            file("crates/a/src/lib.rs", "pub struct Page<T> {\n"),
            file(
                "crates/b/src/lib.rs",
                "\npub enum Page {\npub(crate) struct Inner;\n",
            ),
            file(
                "crates/b/src/inner.rs",
                "pub(crate) struct Inner;\n    pub struct Nested;\n",
            ),
            file("crates/b/tests/t.rs", "pub struct Page;\n"),
        ];
        assert_eq!(
            findings(&files),
            [
                "the public type name Page is declared in more than one crate: crates/a/src/lib.rs:1, crates/b/src/lib.rs:2"
            ]
        );
    }
}
