//! `docs/benchmarks-service.md`: one section per benchmark, replaced when it runs again.

use anyhow::Result;

use crate::shell::{print, root};

const HEAD: &str = "# Service benchmarks

Written by `cargo xtask bench service`, `queue`, `export` and `render`, one section each. The figures depend on the machine and its load at the time; the
ratios within one run are more reliable.
";

/// Writes a section and prints it.
pub(crate) fn write(title: &str, text: &str) -> Result<()> {
    let path = root().join("docs/benchmarks-service.md");
    let old = std::fs::read_to_string(&path).unwrap_or_default();
    std::fs::write(path, replace_section(&old, title, text))?;
    print(text);
    Ok(())
}

fn replace_section(old: &str, title: &str, text: &str) -> String {
    let mut sections: Vec<(String, String)> = old
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
    let mut document = HEAD.to_owned();
    for (name, body) in &sections {
        for part in ["\n## ", name, "\n\n", body, "\n"] {
            document.push_str(part);
        }
    }
    document
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_section_is_replaced_and_the_others_stay() {
        let first = replace_section("", "Queue", "one");
        let second = replace_section(&first, "Export", "two");
        let third = replace_section(&second, "Queue", "three");
        assert_eq!(
            third,
            format!("{HEAD}\n## Export\n\ntwo\n\n## Queue\n\nthree\n")
        );
    }
}
