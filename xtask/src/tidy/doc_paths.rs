//! Checks that the files named in the documentation exist.

use crate::shell::root;

use super::SourceFile;

/// Paths below these folders are checked.
const FOLDERS: [&str; 4] = ["crates/", "xtask/", "bench/", "docs/"];

/// Paths in backticks in `docs/architecture.md` that do not exist.
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

#[cfg(test)]
mod tests {
    use super::paths;

    #[test]
    fn paths_in_backticks_below_a_folder_are_found() {
        let line = "| `crates/a/src/b.rs`, `b.rs`, `crates/<x>.rs` | crates/no | `cargo xtask x` | `docs/` |";
        assert_eq!(
            paths(line).collect::<Vec<_>>(),
            ["crates/a/src/b.rs", "docs/"]
        );
    }
}
