//! The trained model: ensembles of small decision trees over integers, embedded in the binary.
//!
//! One ensemble per kind of page scores how much a page looks like that kind; one scores how likely a block is
//! main content. The file is written by the training script, `eval/train.py`.

use std::sync::LazyLock;

use super::concept::Lexicon;
use super::ensemble::{Ensemble, StoredSplit};
use super::vocabulary::Vocabulary;

/// The model file.
static BYTES: &[u8] = include_bytes!("model.bin");

/// The embedded model, parsed once. A test checks that the file is valid.
pub(crate) static MODEL: LazyLock<Option<ContentModel>> =
    LazyLock::new(|| ContentModel::read(BYTES));

/// The ensembles and their vocabulary.
#[derive(Debug)]
pub struct ContentModel {
    /// One ensemble per kind of page, in the order of [`super::PageKind::ALL`].
    pub(crate) kinds: Vec<Ensemble>,
    /// Scores how likely a block is main content.
    pub(crate) blocks: Ensemble,
    pub(crate) lexicon: Lexicon,
}

impl ContentModel {
    /// Parses a model file, all little-endian: the number of ensembles; per ensemble a scale and its trees;
    /// per tree its splits (feature, threshold, yes, no) and leaves; then the learned words. Returns `None` if
    /// it is truncated or malformed, so that evaluation needs no further checks.
    pub fn read(bytes: &[u8]) -> Option<Self> {
        let mut reader = Reader { bytes };
        let count = reader.short()?;
        let mut ensembles = Vec::new();
        for _ in 0..count {
            ensembles.push(reader.ensemble()?);
        }
        let blocks = ensembles.pop()?;
        let mut words = Vec::new();
        for _ in 0..reader.long()? {
            let key = reader.long()?;
            let (weight, rest) = reader.bytes.split_first()?;
            reader.bytes = rest;
            words.push((key, weight.cast_signed()));
        }
        Some(Self {
            kinds: ensembles,
            blocks,
            lexicon: Lexicon::new(Vocabulary::new(&words)),
        })
    }
}

/// A cursor over the bytes of a model file.
struct Reader<'b> {
    bytes: &'b [u8],
}

impl Reader<'_> {
    fn short(&mut self) -> Option<u16> {
        let (head, rest) = self.bytes.split_first_chunk::<2>()?;
        self.bytes = rest;
        Some(u16::from_le_bytes(*head))
    }

    fn signed(&mut self) -> Option<i16> {
        self.short().map(u16::cast_signed)
    }

    fn long(&mut self) -> Option<u32> {
        let (head, rest) = self.bytes.split_first_chunk::<4>()?;
        self.bytes = rest;
        Some(u32::from_le_bytes(*head))
    }

    fn float(&mut self) -> Option<f32> {
        let (head, rest) = self.bytes.split_first_chunk::<4>()?;
        self.bytes = rest;
        Some(f32::from_le_bytes(*head))
    }

    fn ensemble(&mut self) -> Option<Ensemble> {
        let scale = self.float()?;
        let trees = self.short()?;
        let mut ensemble = Ensemble::default();
        for _ in 0..trees {
            let count = self.short()?;
            let mut splits = Vec::with_capacity(usize::from(count));
            for _ in 0..count {
                splits.push(StoredSplit {
                    feature: self.short()?,
                    threshold: self.signed()?,
                    next: [self.signed()?, self.signed()?],
                });
            }
            let mut leaves = Vec::with_capacity(usize::from(count) + 1);
            for _ in 0..=count {
                leaves.push(f32::from(self.signed()?) * scale);
            }
            ensemble.push(&splits, &leaves)?;
        }
        Some(ensemble)
    }
}

#[cfg(test)]
mod tests {
    use super::{BYTES, ContentModel};

    /// One ensemble with one tree: -2 if feature 1 is at most 5, else 3; no kinds and no words.
    fn tiny() -> Vec<u8> {
        let mut bytes = 1u16.to_le_bytes().to_vec();
        bytes.extend(0.5f32.to_le_bytes());
        for short in [1i16, 1, 1, 5, !0, !1, -4, 6] {
            bytes.extend(short.to_le_bytes());
        }
        bytes.extend([0; 4]);
        bytes
    }

    #[test]
    fn a_tree_is_evaluated() {
        let model = ContentModel::read(&tiny()).expect("well formed");
        for (row, expected) in [(&[9, 5][..], -2.0), (&[0, 6], 3.0), (&[7], -2.0)] {
            let sums = model.blocks.sums(row, row.len());
            assert!((sums[0] - expected).abs() < 1e-6, "{row:?}");
        }
        let rows: Vec<i16> = (0..100).flat_map(|number| [0, number % 11]).collect();
        let odds = model.blocks.sums(&rows, 2);
        assert_eq!(odds.len(), 100);
        for (row, odds) in rows.chunks(2).zip(odds) {
            assert_eq!(odds > 0.0, row[1] > 5, "{row:?}");
        }
    }

    #[test]
    fn a_broken_file_is_rejected() {
        let bytes = tiny();
        for length in 0..bytes.len() {
            assert!(ContentModel::read(&bytes[..length]).is_none(), "{length}");
        }
        let mut loops = bytes.clone();
        loops[14..16].copy_from_slice(&0i16.to_le_bytes());
        assert!(
            ContentModel::read(&loops).is_none(),
            "a split that leads to itself"
        );
    }

    #[test]
    fn the_embedded_model_is_valid() {
        let model = ContentModel::read(BYTES).expect("well formed");
        assert_eq!(model.kinds.len(), super::super::PageKind::ALL.len());
        assert!(model.blocks.len() > 0);
    }
}
