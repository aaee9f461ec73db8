//! Only the command line knows its flags. The crates below it are used by the service and by other programs too: they
//! say what happened, and each front end says in its own terms what to do about it.

use super::SourceFile;

/// Crates that know no front end.
const CRATES: [&str; 11] = [
    "engine",
    "fetch",
    "frontier",
    "journal",
    "model",
    "sitefiles",
    "store",
    "store-frontier",
    "store-postgres",
    "store-sqlite",
    "weburl",
];

/// Every line that names a flag.
pub(super) fn findings(file: &SourceFile) -> Vec<String> {
    let is_below = |name: &str| file.path.starts_with(&format!("crates/{name}/src/"));
    if !file.is_rust() || !CRATES.iter().any(|name| is_below(name)) {
        return Vec::new();
    }
    let lines = file.text.lines().enumerate();
    lines
        .filter(|(_, line)| names_flag(line))
        .map(|(index, _)| {
            file.at(
                index,
                "a command-line flag: only crates/cli knows its flags",
            )
        })
        .collect()
}

fn names_flag(line: &str) -> bool {
    line.match_indices("--").any(|(at, _)| {
        let before = line[..at].chars().next_back();
        let after = line[at + 2..].chars().next();
        before.is_none_or(|c| " `\"'(".contains(c)) && after.is_some_and(|c| c.is_ascii_lowercase())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flags_are_found() {
        for line in ["/// `--max-pages` was reached.", "\"use --robots ignore\""] {
            assert!(names_flag(line), "{line}");
        }
        for line in [
            "-- a comment in SQL",
            "<!--comment-->",
            "xn--bcher-kva",
            "a -- b",
        ] {
            assert!(!names_flag(line), "{line}");
        }
    }
}
