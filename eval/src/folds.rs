//! The models of the five folds. Each was trained without the sites of its fold, so scoring those sites with
//! it measures performance on unseen pages.
//!
//! They are written by the training script together with the embedded model.

use crawler_html::ContentModel;
use sha2::{Digest, Sha256};

use crate::dataset::{LabeledPage, site};

/// The model files.
const FILES: [&[u8]; 5] = [
    include_bytes!("../folds/0.bin"),
    include_bytes!("../folds/1.bin"),
    include_bytes!("../folds/2.bin"),
    include_bytes!("../folds/3.bin"),
    include_bytes!("../folds/4.bin"),
];

/// The models of all folds.
#[derive(Debug)]
pub(crate) struct Folds {
    models: Vec<ContentModel>,
}

impl Folds {
    /// Parses the models; `None` if one is invalid, which a test rules out.
    pub(crate) fn read() -> Option<Self> {
        let models = FILES.iter().map(|bytes| ContentModel::read(bytes));
        let models = models.collect::<Option<Vec<_>>>()?;
        Some(Self { models })
    }

    /// The model that was not trained on the page's site.
    pub(crate) fn without(&self, page: &LabeledPage) -> &ContentModel {
        &self.models[fold(page)]
    }
}

/// The fold of a page: that of its site, or of its id if its address is unknown.
pub(crate) fn fold(page: &LabeledPage) -> usize {
    let site = site(&page.url);
    fold_of(if site.is_empty() { &page.id } else { &site })
}

/// The SHA-256 of the name, as a number, modulo five. Because 256 is one more than a multiple of five, that is
/// the sum of its bytes modulo five.
fn fold_of(name: &str) -> usize {
    let bytes = Sha256::digest(name.as_bytes());
    bytes.iter().map(|byte| usize::from(*byte)).sum::<usize>() % FILES.len()
}

#[cfg(test)]
mod tests {
    use super::{Folds, fold_of};

    #[test]
    fn folds_are_those_the_models_were_trained_with() {
        for (name, fold) in [
            ("example.com", 1),
            ("example.co.uk", 2),
            ("news.example", 2),
            ("4314", 0),
            ("shop.example", 0),
            ("a", 4),
        ] {
            assert_eq!(fold_of(name), fold, "{name}");
        }
    }

    #[test]
    fn the_models_are_valid() {
        assert_eq!(Folds::read().expect("five models").models.len(), 5);
    }
}
