//! Why a state file cannot be used; the message says what to do.

use std::fmt;
use std::path::{Path, PathBuf};

/// A state file that cannot be used.
#[derive(Debug)]
pub struct StateError {
    /// The file.
    pub path: PathBuf,
    /// What is wrong with it.
    pub problem: StateProblem,
}

/// What is wrong with a state file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum StateProblem {
    /// It is not a state file, and was not touched.
    NotAState,
    /// It was written in another format or by another version.
    Other {
        /// The version that wrote it, or its format.
        was: String,
        /// The version of this program.
        is: String,
    },
    /// Another process has it open.
    InUse,
    /// It is damaged.
    Damaged(String),
    /// An error of the operating system.
    Unusable(String),
}

impl StateError {
    pub(crate) fn new(path: &Path, problem: StateProblem) -> Self {
        Self {
            path: path.to_owned(),
            problem,
        }
    }

    pub(crate) fn damaged(path: &Path, message: impl Into<String>) -> Self {
        Self::new(path, StateProblem::Damaged(message.into()))
    }

    pub(crate) fn of_database(path: &Path, error: &sqlx::Error) -> Self {
        let code = match error {
            sqlx::Error::Database(error) => error.code().and_then(|code| code.parse::<i32>().ok()),
            _ => None,
        };
        let problem = match code.map(|code| code & 0xff) {
            Some(5 | 6) => StateProblem::InUse,
            Some(11 | 26) => StateProblem::Damaged(message_of(error)),
            Some(_) => StateProblem::Unusable(message_of(error)),
            // A row that does not decode was not written by us.
            None if matches!(
                error,
                sqlx::Error::ColumnDecode { .. }
                    | sqlx::Error::Decode(_)
                    | sqlx::Error::RowNotFound
            ) =>
            {
                StateProblem::Damaged(error.to_string())
            }
            None => StateProblem::Unusable(error.to_string()),
        };
        Self::new(path, problem)
    }

    /// What is wrong, without the file's name.
    pub fn message(&self) -> String {
        match &self.problem {
            StateProblem::NotAState => "not a state file".into(),
            StateProblem::Other { was, .. } => format!("written by {was}"),
            StateProblem::InUse => "in use by another crawl".into(),
            StateProblem::Damaged(message) => format!("damaged ({message})"),
            StateProblem::Unusable(message) => message.clone(),
        }
    }

    /// Whether the user probably meant another file or command.
    pub fn is_bad_usage(&self) -> bool {
        matches!(
            self.problem,
            StateProblem::NotAState | StateProblem::Other { .. }
        )
    }
}

fn message_of(error: &sqlx::Error) -> String {
    match error {
        sqlx::Error::Database(error) => error.message().to_owned(),
        other => other.to_string(),
    }
}

impl fmt::Display for StateError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let file = self.path.display();
        match &self.problem {
            StateProblem::NotAState => write!(
                f,
                "{file} is not a state file and was not changed; choose another file"
            ),
            StateProblem::Other { was, is } => write!(
                f,
                "{file} was written by {was}, but this is {is}; finish the crawl with that version, or choose another file"
            ),
            StateProblem::InUse => write!(
                f,
                "{file} is in use by another crawl; wait for it to finish, or choose another file"
            ),
            StateProblem::Damaged(message) => write!(
                f,
                "{file} is damaged ({message}); remove it to crawl from the beginning"
            ),
            StateProblem::Unusable(message) => write!(f, "cannot use {file}: {message}"),
        }
    }
}

impl std::error::Error for StateError {}
