//! Recognizes a state file by its first bytes, so that SQLite never opens another file.

use std::fs::File;
use std::io::{ErrorKind, Read};
use std::path::Path;

use crate::StateError;
use crate::state_error::StateProblem;

/// `crwl` in SQLite's application id.
const APPLICATION_ID: u32 = 0x6372_776c;
pub(super) const APPLICATION_ID_PRAGMA: &str = "PRAGMA application_id = 1668446060";
const MAGIC: &[u8; 16] = b"SQLite format 3\0";
const APPLICATION_ID_AT: usize = 68;

/// True for a state file, false if there is no file or an empty one; any other file is an error.
pub(super) fn is_state_file(path: &Path) -> Result<bool, StateError> {
    let unusable =
        |error: std::io::Error| StateError::new(path, StateProblem::Unusable(error.to_string()));
    let file = match File::open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == ErrorKind::NotFound => {
            return if parent_exists(path) {
                Ok(false)
            } else {
                Err(unusable(error))
            };
        }
        Err(error) => return Err(unusable(error)),
    };
    if !file.metadata().map_err(unusable)?.is_file() {
        return Err(StateError::new(path, StateProblem::NotAState));
    }
    let mut head = Vec::new();
    file.take(100).read_to_end(&mut head).map_err(unusable)?;
    if head.is_empty() {
        return Ok(false);
    }
    let id = head.get(APPLICATION_ID_AT..APPLICATION_ID_AT + 4);
    if head.starts_with(MAGIC) && id == Some(&APPLICATION_ID.to_be_bytes()) {
        return Ok(true);
    }
    Err(StateError::new(path, StateProblem::NotAState))
}

fn parent_exists(path: &Path) -> bool {
    let folder = path.parent().filter(|folder| *folder != Path::new(""));
    folder.unwrap_or(Path::new(".")).is_dir()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_pragma_sets_the_application_id() {
        assert!(APPLICATION_ID_PRAGMA.ends_with(&format!("= {APPLICATION_ID}")));
    }
}
