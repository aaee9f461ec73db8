//! Why a state file cannot be used, in words that say what to do.

use std::fmt;
use std::path::{Path, PathBuf};

/// A state file that cannot be used.
#[derive(Debug)]
pub struct StateError {
    /// The file.
    pub path: PathBuf,
    /// What is wrong with it.
    pub problem: Problem,
}

/// What is wrong with a state file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Problem {
    /// It is something else, and was left as it is.
    NotAState,
    /// Another format than this program writes, or another version's.
    Other {
        /// By whom it was written, or in which format.
        was: String,
        /// Who we are.
        is: String,
    },
    /// Another process has it.
    InUse,
    /// It cannot be read any more.
    Damaged(String),
    /// The system does not let us.
    Unusable(String),
}

impl StateError {
    pub(crate) fn new(path: &Path, problem: Problem) -> Self {
        Self {
            path: path.to_owned(),
            problem,
        }
    }

    pub(crate) fn damaged(path: &Path, words: impl Into<String>) -> Self {
        Self::new(path, Problem::Damaged(words.into()))
    }

    pub(crate) fn of_database(path: &Path, error: &sqlx::Error) -> Self {
        let code = match error {
            sqlx::Error::Database(error) => error.code().and_then(|code| code.parse::<i32>().ok()),
            _ => None,
        };
        let problem = match code.map(|code| code & 0xff) {
            Some(5 | 6) => Problem::InUse,
            Some(11 | 26) => Problem::Damaged(words_of(error)),
            Some(_) => Problem::Unusable(words_of(error)),
            // A row that does not decode was not written by us.
            None if matches!(
                error,
                sqlx::Error::ColumnDecode { .. }
                    | sqlx::Error::Decode(_)
                    | sqlx::Error::RowNotFound
            ) =>
            {
                Problem::Damaged(error.to_string())
            }
            None => Problem::Unusable(error.to_string()),
        };
        Self::new(path, problem)
    }

    /// What is wrong, without the file's name.
    pub fn words(&self) -> String {
        match &self.problem {
            Problem::NotAState => "not a state file".into(),
            Problem::Other { was, .. } => format!("written by {was}"),
            Problem::InUse => "in use by another crawl".into(),
            Problem::Damaged(words) => format!("damaged ({words})"),
            Problem::Unusable(words) => words.clone(),
        }
    }

    /// Whether another file, or another command, is what was meant.
    pub fn is_bad_usage(&self) -> bool {
        matches!(self.problem, Problem::NotAState | Problem::Other { .. })
    }
}

fn words_of(error: &sqlx::Error) -> String {
    match error {
        sqlx::Error::Database(error) => error.message().to_owned(),
        other => other.to_string(),
    }
}

impl fmt::Display for StateError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let file = self.path.display();
        match &self.problem {
            Problem::NotAState => write!(
                f,
                "--state: {file} is not a state file and was left as it is; give another file"
            ),
            Problem::Other { was, is } => write!(
                f,
                "--state: {file} was written by {was}, and this is {is}; finish it with that one, or give another file"
            ),
            Problem::InUse => write!(
                f,
                "--state: {file} is in use by another crawl; wait for it, or give another file"
            ),
            Problem::Damaged(words) => write!(
                f,
                "--state: {file} is damaged ({words}); remove it to crawl from the beginning"
            ),
            Problem::Unusable(words) => write!(f, "--state: cannot use {file}: {words}"),
        }
    }
}

impl std::error::Error for StateError {}
