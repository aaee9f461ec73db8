//! Writes features and labels as flat files for the training script.
//!
//! `features.i16`: rows of block features followed by page features; `labels.f32`: the share of the block in
//! the truth; `words.u32`: its number of words; `pages.json`: feature names, and per page its id, site, kind,
//! number of rows and number of truth words.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{BufWriter, Result, Write};
use std::path::Path;

use crawler_html::{Tree, Vocabulary};
use serde_json::json;

use crate::dataset::{LabeledPage, site};
use crate::run::labels;
use crate::words::Interner;

/// `eval <data> dump <out> [<tables>]`. The tables are learned vocabularies, `N.table`, and `choice.u8` says
/// which of them each page is read with.
pub(crate) fn dump(pages: &[LabeledPage], out: &Path, tables: Option<&Path>) -> Result<()> {
    std::fs::create_dir_all(out)?;
    let file = |name: &str| File::create(out.join(name)).map(BufWriter::new);
    let (mut features, mut marks, mut counts) = (
        file("features.i16")?,
        file("labels.f32")?,
        file("words.u32")?,
    );
    let mut uses = file("uses.bin")?;
    let mut interner = Interner::default();
    let mut rows = Vec::new();
    let sample = crawler_html::inspect(&Tree::parse("<p>a</p>"), Vocabulary::default());
    let tables = tables.map(VocabularySets::read).transpose()?;
    for (number, page) in pages.iter().enumerate() {
        let tree = Tree::parse(&page.html);
        let vocabulary = tables
            .as_ref()
            .map(|tables| tables.of(number))
            .unwrap_or_default();
        let inspection = crawler_html::inspect(&tree, vocabulary);
        let labels = labels(page, &tree, &inspection, &mut interner);
        let mut sums = vec![(0.0, 0.0)];
        for (block, label) in inspection.blocks.iter().zip(&labels) {
            for value in block.features.iter().chain(&inspection.page) {
                features.write_all(&value.to_le_bytes())?;
            }
            marks.write_all(&label.to_le_bytes())?;
            let text: String = block.texts.iter().filter_map(|id| tree.text(*id)).collect();
            let words = interner.words(&text).len() as u32;
            counts.write_all(&words.to_le_bytes())?;
            let last = sums[sums.len() - 1];
            sums.push((
                last.0 + f64::from(words),
                last.1 + f64::from(words) * f64::from(*label),
            ));
        }
        write_uses(number as u32, &inspection, &sums, &mut uses)?;
        rows.push(json!({
            "id": page.id, "site": site(&page.url), "kind": page.kind,
            "rows": labels.len(), "truth": interner.words(&page.truth).len(),
            "page": inspection.page,
        }));
    }
    let (block_names, page_names) = &sample.names;
    let table = json!({"block": block_names, "page": page_names, "pages": rows});
    serde_json::to_writer(file("pages.json")?, &table)?;
    Ok(())
}

/// Writes, for every word of a page, the share of the text it applies to that is in the truth: `page`, `key`, `share`.
fn write_uses(
    page: u32,
    inspection: &crawler_html::Inspection,
    sums: &[(f64, f64)],
    out: &mut impl Write,
) -> Result<()> {
    let mut found: BTreeMap<u32, (f64, f64)> = BTreeMap::new();
    for (key, start, end) in &inspection.uses {
        let words = sums[*end].0 - sums[*start].0;
        if words > 0.0 {
            let entry = found.entry(*key).or_default();
            entry.0 += words;
            entry.1 += sums[*end].1 - sums[*start].1;
        }
    }
    for (key, (words, hit)) in found {
        out.write_all(&page.to_le_bytes())?;
        out.write_all(&key.to_le_bytes())?;
        out.write_all(&((hit / words) as f32).to_le_bytes())?;
    }
    Ok(())
}

/// Several learned vocabularies, and which one each page is read with.
struct VocabularySets {
    sets: Vec<Vocabulary>,
    choice: Vec<u8>,
}

impl VocabularySets {
    fn read(folder: &Path) -> Result<Self> {
        let choice = std::fs::read(folder.join("choice.u8"))?;
        let count = choice
            .iter()
            .copied()
            .max()
            .map_or(0, |highest| usize::from(highest) + 1);
        let mut sets = Vec::new();
        for number in 0..count {
            let bytes = std::fs::read(folder.join(format!("{number}.table")))?;
            let words: Vec<(u32, i8)> = bytes
                .chunks_exact(5)
                .map(|five| {
                    (
                        u32::from_le_bytes([five[0], five[1], five[2], five[3]]),
                        five[4] as i8,
                    )
                })
                .collect();
            sets.push(Vocabulary::new(&words));
        }
        Ok(Self { sets, choice })
    }

    fn of(&self, page: usize) -> Vocabulary {
        self.choice
            .get(page)
            .map(|set| self.sets[usize::from(*set)].clone())
            .unwrap_or_default()
    }
}

/// Log-odds from the training script, little-endian `f32`, in the order of the dump.
pub(crate) struct Odds {
    bytes: Vec<u8>,
    at: usize,
}

impl Odds {
    pub(crate) fn read(file: &Path) -> Result<Self> {
        Ok(Self {
            bytes: std::fs::read(file)?,
            at: 0,
        })
    }

    /// The odds of the next page.
    pub(crate) fn take(&mut self, count: usize) -> Result<Vec<f32>> {
        let end = self.at + count * 4;
        let bytes = self.bytes.get(self.at..end);
        let bytes = bytes.ok_or_else(|| {
            std::io::Error::other("there are fewer scores than blocks; dump again")
        })?;
        self.at = end;
        Ok(bytes
            .chunks_exact(4)
            .map(|four| f32::from_le_bytes([four[0], four[1], four[2], four[3]]))
            .collect())
    }
}
