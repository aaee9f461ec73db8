//! `docs/benchmarks-service.md`: one section per benchmark, replaced when it runs again.

use anyhow::Result;

use crate::shell::{print, root};

const HEAD: &str = "# Figures of the service

Written by `cargo xtask bench service`, `queue`, `export` and `render`, each its own section. They are of the machine and the hour they
name: with other load on it, the ratios within one run say more than the figures.
";

/// Writes a section and prints it.
pub(crate) fn write(title: &str, text: &str) -> Result<()> {
    let path = root().join("docs/benchmarks-service.md");
    let known = std::fs::read_to_string(&path).unwrap_or_default();
    std::fs::write(path, replaced(&known, title, text))?;
    print(text);
    Ok(())
}

fn replaced(known: &str, title: &str, text: &str) -> String {
    let mut sections: Vec<(String, String)> = known
        .split("\n## ")
        .skip(1)
        .filter_map(|section| {
            let (name, body) = section.split_once('\n')?;
            Some((name.to_owned(), body.trim().to_owned()))
        })
        .filter(|(name, _)| name != title)
        .collect();
    sections.push((title.to_owned(), text.trim().to_owned()));
    sections.sort();
    let mut paper = HEAD.to_owned();
    for (name, body) in &sections {
        for part in ["\n## ", name, "\n\n", body, "\n"] {
            paper.push_str(part);
        }
    }
    paper
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_section_replaces_itself_and_leaves_the_others() {
        let first = replaced("", "Queue", "one");
        let second = replaced(&first, "Export", "two");
        let third = replaced(&second, "Queue", "three");
        assert_eq!(
            third,
            format!("{HEAD}\n## Export\n\ntwo\n\n## Queue\n\nthree\n")
        );
    }
}
