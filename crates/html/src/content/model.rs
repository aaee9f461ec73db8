//! The trained judge: ensembles of small decision trees over integers, embedded in the binary.
//!
//! One ensemble per kind of page says how much a page looks like it; one says how likely a block is
//! main content. The file is written by the training script; [`Ensemble::walk`] is all the
//! arithmetic there is.

use std::sync::LazyLock;

use super::concept::Lexicon;
use super::vocabulary::Vocabulary;

/// The model as trained.
static BYTES: &[u8] = include_bytes!("model.bin");

/// The model, read once. A test sees to it that the embedded file is whole.
pub(crate) static MODEL: LazyLock<Option<Model>> = LazyLock::new(|| Model::read(BYTES));

/// The ensembles, and the words they know.
#[derive(Debug)]
pub(crate) struct Model {
    /// One ensemble per kind of page, in the order of [`super::PageKind::ALL`].
    pub kinds: Vec<Ensemble>,
    /// How likely a block is main content.
    pub blocks: Ensemble,
    pub lexicon: Lexicon,
}

/// Trees whose answers are added up.
#[derive(Debug, Default)]
pub(crate) struct Ensemble {
    nodes: Vec<Fork>,
    roots: Vec<u32>,
    leaves: Vec<f32>,
}

/// A question: is this feature at most this number?
#[derive(Debug, Clone, Copy)]
struct Fork {
    feature: u16,
    most: i16,
    /// Where yes and no lead: a fork, or with [`LEAF`] set a leaf.
    next: [u32; 2],
}

const LEAF: u32 = 1 << 31;

/// Rows that go through the trees together.
const AT_ONCE: usize = 16;

impl Ensemble {
    /// The sum of the trees' answers for a row of features. Features beyond the row count as 0.
    pub(crate) fn walk(&self, row: &[i16]) -> f32 {
        self.roots.iter().map(|root| self.answer(*root, row)).sum()
    }

    /// A likelihood for each of many rows of the same width.
    ///
    /// A few rows at a time go through one tree after the other, so that both the rows and the tree
    /// stay close to the processor.
    pub(crate) fn likelihoods(&self, rows: &[i16], width: usize) -> Vec<f32> {
        let width = width.max(1);
        let mut likely = Vec::with_capacity(rows.len() / width);
        for few in rows.chunks(width * AT_ONCE) {
            let mut sums = [0.0; AT_ONCE];
            for root in &self.roots {
                for (sum, row) in sums.iter_mut().zip(few.chunks_exact(width)) {
                    *sum += self.answer(*root, row);
                }
            }
            let count = few.len() / width;
            likely.extend(sums[..count].iter().map(|sum| 1.0 / (1.0 + (-sum).exp())));
        }
        likely
    }

    /// One tree's answer.
    #[inline]
    fn answer(&self, root: u32, row: &[i16]) -> f32 {
        let mut at = root;
        while at & LEAF == 0 {
            let fork = &self.nodes[at as usize];
            let value = row.get(usize::from(fork.feature)).copied().unwrap_or(0);
            at = fork.next[usize::from(value > fork.most)];
        }
        self.leaves[(at ^ LEAF) as usize]
    }
}

impl Model {
    /// Reads the file's layout: a count of ensembles; for each a scale and its trees; for each tree
    /// its forks (feature, bound, yes, no) and leaves; then the learned words, all little-endian. `None` if it is cut short
    /// or points outside itself, so that walking it needs no further care.
    fn read(bytes: &[u8]) -> Option<Self> {
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
            let forks = self.short()?;
            let fork_base = u32::try_from(ensemble.nodes.len()).ok()?;
            let leaf_base = u32::try_from(ensemble.leaves.len()).ok()?;
            // A tree with n forks has n + 1 leaves; yes and no are numbers of forks later in the
            // tree, or the bit-complement of a leaf's number.
            for number in 0..forks {
                let (feature, most) = (self.short()?, self.signed()?);
                let mut next = [0; 2];
                for side in &mut next {
                    let target = self.signed()?;
                    *side = if let Ok(fork) = u16::try_from(target) {
                        if fork <= number || fork >= forks {
                            return None;
                        }
                        fork_base + u32::from(fork)
                    } else {
                        let leaf = u16::try_from(!target).ok()?;
                        if leaf > forks {
                            return None;
                        }
                        (leaf_base + u32::from(leaf)) | LEAF
                    };
                }
                ensemble.nodes.push(Fork {
                    feature,
                    most,
                    next,
                });
            }
            ensemble.roots.push(if forks == 0 {
                leaf_base | LEAF
            } else {
                fork_base
            });
            for _ in 0..=forks {
                ensemble.leaves.push(f32::from(self.signed()?) * scale);
            }
        }
        Some(ensemble)
    }
}

#[cfg(test)]
mod tests {
    use super::{BYTES, Model};

    /// One ensemble of one tree: feature 1 at most 5 gives -2, else 3; no kinds and no words.
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
    fn a_tree_asks_and_answers() {
        let model = Model::read(&tiny()).expect("well formed");
        for (row, answer) in [(&[9, 5][..], -2.0), (&[0, 6], 3.0), (&[], -2.0)] {
            assert!((model.blocks.walk(row) - answer).abs() < 1e-6, "{row:?}");
        }
        let rows: Vec<i16> = (0..100).flat_map(|number| [0, number % 11]).collect();
        let likely = model.blocks.likelihoods(&rows, 2);
        assert_eq!(likely.len(), 100);
        for (row, likely) in rows.chunks(2).zip(likely) {
            assert_eq!(likely > 0.5, row[1] > 5, "{row:?}");
        }
    }

    #[test]
    fn a_broken_file_is_no_model() {
        let bytes = tiny();
        for length in 0..bytes.len() {
            assert!(Model::read(&bytes[..length]).is_none(), "{length}");
        }
        let mut loops = bytes.clone();
        loops[14..16].copy_from_slice(&0i16.to_le_bytes());
        assert!(Model::read(&loops).is_none(), "a fork that leads to itself");
    }

    #[test]
    fn the_embedded_model_is_whole() {
        let model = Model::read(BYTES).expect("well formed");
        assert_eq!(model.kinds.len(), super::super::PageKind::ALL.len());
        assert!(!model.blocks.roots.is_empty());
    }
}
