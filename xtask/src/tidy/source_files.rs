//! The files that tidy reads, and the rules about a single file.

use std::path::Path;
use std::process::Command;

use anyhow::Result;

use crate::shell::{output_of, root};

/// Maximum length of a Rust file.
const MAX_LINES: usize = 500;
/// Extensions of the files that are checked.
const TEXT_EXTENSIONS: [&str; 9] = [
    "rs", "md", "yaml", "yml", "js", "json", "html", "sql", "toml",
];
/// Parts of the paths of generated files, whose sources are checked.
const GENERATED: [&str; 2] = [".sqlx/", "docs/openapi.json"];

/// A tracked text file.
pub(super) struct SourceFile {
    /// Relative to the root.
    pub(super) path: String,
    pub(super) text: String,
}

impl SourceFile {
    pub(super) fn is_rust(&self) -> bool {
        self.has_extension("rs")
    }

    /// The file name without its extension.
    pub(super) fn stem(&self) -> &str {
        let stem = Path::new(&self.path).file_stem();
        stem.and_then(|stem| stem.to_str()).unwrap_or_default()
    }

    fn has_extension(&self, extension: &str) -> bool {
        Path::new(&self.path)
            .extension()
            .is_some_and(|own| own == extension)
    }

    /// `path:line: message`.
    pub(super) fn at(&self, index: usize, message: &str) -> String {
        format!("{}:{}: {message}", self.path, index + 1)
    }
}

/// Every text file that git tracks or would track.
pub(super) fn tracked() -> Result<Vec<SourceFile>> {
    let listed = output_of(
        Command::new("git")
            .args(["ls-files", "--cached", "--others", "--exclude-standard"])
            .current_dir(root()),
    )?;
    let mut files = Vec::new();
    for path in listed.lines() {
        let extension = Path::new(path).extension().and_then(|own| own.to_str());
        if !extension.is_some_and(|own| TEXT_EXTENSIONS.contains(&own))
            || GENERATED.iter().any(|part| path.contains(part))
        {
            continue;
        }
        // A deleted file is listed until the deletion is committed.
        if let Ok(text) = std::fs::read_to_string(root().join(path)) {
            let path = path.to_owned();
            files.push(SourceFile { path, text });
        }
    }
    Ok(files)
}

/// Checks length and attributes of a file.
pub(super) fn findings(file: &SourceFile) -> Vec<String> {
    let mut findings = Vec::new();
    if !file.is_rust() {
        return findings;
    }
    let lines = file.text.lines().count();
    if lines > MAX_LINES {
        findings.push(format!(
            "{}: {lines} lines, at most {MAX_LINES} are allowed: split it",
            file.path
        ));
    }
    for (index, line) in file.text.lines().enumerate() {
        let line = line.trim_start();
        if line.starts_with("#[allow(") || line.starts_with("#![allow(") {
            findings.push(file.at(index, "use #[expect(…, reason = …)]"));
        }
        // An ignored test that another test starts is marked "run by …".
        if line.starts_with("#[ignore") && !line.contains("run by") {
            findings.push(file.at(index, "a test that never runs"));
        }
    }
    findings
}
