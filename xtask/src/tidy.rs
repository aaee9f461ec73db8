//! Rules of the code base that a machine can check: crate dependencies, file sizes, names and wording.

mod dependencies;
mod doc_paths;
mod empty_names;
mod flags;
mod phrases;
mod plurals;
mod source_files;
mod type_names;

use anyhow::{Result, bail};

use crate::shell::print;
use source_files::SourceFile;

pub(crate) fn run() -> Result<()> {
    let files = source_files::tracked()?;
    let mut findings = dependencies::findings(&files)?;
    findings.extend(files.iter().flat_map(source_files::findings));
    findings.extend(files.iter().flat_map(empty_names::findings));
    findings.extend(files.iter().flat_map(flags::findings));
    findings.extend(files.iter().flat_map(phrases::findings));
    findings.extend(files.iter().flat_map(plurals::findings));
    findings.extend(type_names::findings(&files));
    findings.extend(doc_paths::findings(&files));
    if findings.is_empty() {
        return Ok(());
    }
    for line in &findings {
        print(line);
    }
    bail!("tidy found {} to fix", counted(findings.len()))
}

fn counted(places: usize) -> String {
    if places == 1 {
        "1 place".to_owned()
    } else {
        format!("{places} places")
    }
}
