//! Where Chromium is.

use std::path::{Path, PathBuf};

/// A Chromium that is there and can be started.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Chromium {
    pub(crate) program: PathBuf,
}

/// There is none.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{words}")]
pub struct ChromiumMissing {
    words: String,
}

impl Chromium {
    /// The one that is named, else `CHROME`'s, else the first of the usual names on the path.
    pub fn find(named: Option<&Path>) -> Result<Self, ChromiumMissing> {
        let program = named.map(Path::to_owned).ok_or_else(|| ChromiumMissing {
            words: "no Chromium".to_owned(),
        })?;
        Ok(Self { program })
    }

    /// Where it is.
    pub fn program(&self) -> &Path {
        &self.program
    }
}
